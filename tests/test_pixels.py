"""Kernels on blocks of pixels, made when they are asked for, against kernels on the same views."""

import numpy as np
import pytest
from kernel_pools import on_images, on_vectors, on_views

from grambench.algorithms.fit import SupportExpansion, scores_of_supports
from grambench.kernels import pixels
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored

FAMILIES = (
    ("polynomial", 1),
    ("unitpolynomial", 2),
    ("unitpolynomial", 3),
    ("meangaussian", 1),
    ("meangaussian", 0.02),
)
KERNELS = [Kernel(family, value, view) for view in ("left", "right") for family, value in FAMILIES]


def images(n, seed=0, d=196):
    rng = np.random.default_rng(seed)
    made = {
        view: (rng.integers(1, 256, (n, d)) * (rng.random((n, d)) < 0.2)).astype(np.uint8) for view in ("left", "right")
    }
    made["left"][2] = 0
    made["right"][5] = made["right"][4]
    return made


@pytest.mark.compiled
def test_values_are_those_of_kernels_on_views():
    train, others = images(70), images(30, seed=1)
    pool, reference = on_images(KERNELS, train), on_views(KERNELS, train)
    among, between = (on_images(KERNELS, each, others, basis=pool) for each in (others, train))
    others_alone, expected = (on_views(KERNELS, each, others, basis=reference) for each in (others, train))
    for got, right in ((pool, reference), (between, expected), (among, others_alone)):
        for k in range(len(KERNELS)):
            assert np.allclose(got.grams()[k], right.grams()[k], rtol=1e-12, atol=1e-13)
    assert np.allclose(pool.diagonal(), [np.diagonal(gram) for gram in reference.grams()], rtol=1e-12, atol=1e-13)
    weights = np.stack([np.linspace(start, 1.0, len(KERNELS)) for start in (0.0, 0.5)])
    rows, columns = np.array([3, 1]), np.array([8, 2, 9])
    mixed = np.tensordot(weights, [gram[np.ix_(rows, columns)] for gram in expected.grams()], axes=1)
    assert np.allclose(between.mixed(weights, rows, columns), mixed, rtol=1e-12)
    assert np.array_equal(between.mixed(weights[1:], rows, columns), between.mixed(weights, rows, columns)[1:])
    assert np.allclose(expected.mixed(weights, rows, columns), mixed, rtol=1e-12)


@pytest.mark.compiled
def test_a_value_has_the_same_bits_however_it_is_made(monkeypatch):
    train = images(60)
    pool = on_images(KERNELS, train)
    grams = list(pool.grams())
    partners = pool.partners()
    named = np.random.default_rng(2).integers(0, 60, 5000)
    for example in named:
        partners.append(int(example))
    for first in (0, 1, 4990, 5000):
        values = partners.values(7, first)
        assert np.array_equal(values, [gram[7, named[first:]] for gram in grams])
    monkeypatch.setattr(pixels, "COLUMNS", 7)
    assert np.array_equal(pool.values(3, np.arange(60), np.arange(60)), grams[3])
    for gram in grams:
        assert np.array_equal(gram, gram.T)


@pytest.mark.parametrize("on", [on_images, on_views, on_vectors])
def test_training_matrices_are_scaled_to_a_trace_and_others_as_these_are(on):
    kernels, (train, others) = KERNELS, (images(60), images(20, seed=1))
    if on is on_vectors:
        kernels = [Kernel("polynomial", 1), Kernel("gaussian", 9.0), Kernel("meangaussian", 1), Kernel("polynomial", 2)]
        train, others = train["left"][:, :9].astype(float), others["left"][:, :9].astype(float)
    plain, pool, again = on(kernels, train), on(kernels, train, trace=5.0), on(kernels, train, trace=5.0)
    between, among = (on(kernels, each, others, basis=pool) for each in (train, others))
    unscaled = [on(kernels, each, others, basis=plain) for each in (train, others)]
    rows, columns, weights = np.array([3, 1]), np.array([8, 2, 9]), np.linspace([0.0], [1.0], len(kernels)).T
    values = [again.values(k, rows, columns) for k in range(len(kernels))]
    assert np.allclose(pool.diagonal().sum(axis=1), 5.0, rtol=1e-12)
    assert np.allclose(pool.diagonal(), [np.diagonal(gram) for gram in pool.grams()], rtol=1e-12)
    for k, scale in enumerate(pool.measures.scales):
        assert scale == pytest.approx(5.0 / np.trace(plain.grams()[k]), rel=1e-12)
        assert np.array_equal(pool.grams()[k], plain.grams()[k] * scale)
        assert np.array_equal(values[k], pool.grams()[k][np.ix_(rows, columns)])
        for got, expected in zip((between, among), unscaled, strict=True):
            assert np.array_equal(got.grams()[k], expected.grams()[k] * scale)
    expected = plain.mixed(weights * pool.measures.scales, rows, columns)
    assert np.allclose(pool.mixed(weights, rows, columns), expected, rtol=1e-14 * (on is not on_images), atol=0)
    assert np.array_equal(pool.only([2, 0]).diagonal(), [np.diagonal(pool.grams()[k]) for k in (2, 0)])
    assert np.array_equal(pool.only([3]).along(np.arange(60)).values[0], pool.grams()[3])
    assert np.array_equal(pool.part(rows, columns).grams()[3], pool.grams()[3][np.ix_(rows, columns)])
    if on is on_images:
        partners = pool.partners()
        for example in range(60):
            partners.append(example)
        assert np.array_equal(partners.values(7, 0), [gram[7] for gram in pool.grams()])


@pytest.mark.parametrize(
    ("kernels", "views", "message"),
    [
        (KERNELS, {"left": np.zeros((3, 196)), "right": np.zeros((3, 196))}, "view left: expected bytes, at most 258"),
        ([Kernel("polynomial", 1, "left")], {"left": np.zeros((3, 259), np.uint8)}, r"got uint8 of shape \(3, 259\)"),
        ([Kernel("polynomial", 2, "left")], {"left": np.zeros((3, 9), np.uint8)}, "expected polynomial_p1, unitpoly"),
        ([Kernel("chisquare", 1, "left")], {"left": np.zeros((3, 9), np.uint8)}, "expected polynomial_p1, unitpoly"),
        (
            [Kernel("meangaussian", 1e-307, "left")],
            {"left": np.eye(3, 9, dtype=np.uint8)},
            r"^left/meangaussian_s1e-307: expected a rate above 0 and up to 1e\+300, got 1e\+307$",
        ),
    ],
)
def test_what_cannot_be_exact_is_refused(kernels, views, message):
    with pytest.raises(ValueError, match=message):
        on_images(kernels, views)


@pytest.mark.parametrize("on_pixels", [True, False])
def test_predictors_on_supports_share_kernel_values(on_pixels):
    train, others, rng = images(60), images(300, seed=1), np.random.default_rng(0)
    between = on_images(KERNELS, train, others, basis=on_images(KERNELS, train))
    if not on_pixels:
        between = Stored(list(between.grams()))
    weights = rng.random((3, len(KERNELS)))
    weights[1, :2] = 0.0
    supports = [np.arange(0, 60, 7), np.arange(40), np.array([3, 59])]
    expansions = [
        SupportExpansion(weight, support.astype(np.int32), rng.normal(size=(len(support), 4)))
        for weight, support in zip(weights, supports, strict=True)
    ]
    before = between.computed
    together = scores_of_supports(expansions, between)
    if on_pixels:
        assert between.computed - before == len(KERNELS) * 300 * len(np.unique(np.concatenate(supports)))
    for expansion, scores in zip(expansions, together, strict=True):
        mixture = np.tensordot(expansion.weights, list(between.grams()), axes=1)
        assert np.allclose(scores, mixture[:, expansion.support] @ expansion.dual, rtol=1e-10, atol=1e-12)
        assert np.allclose(scores, expansion.scores(between), rtol=1e-12, atol=1e-13)
