"""Kernels on views: chi-square distances against loops, and pools that make what they are asked for."""

import numpy as np
import pytest
from kernel_pools import on_vectors, on_views
from scipy import sparse
from sklearn.metrics.pairwise import additive_chi2_kernel
from sklearn.preprocessing import normalize

from grambench.kernels import chi_square, continuous, pairs
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Continuous, GridPool, Stored

FAMILIES = (("polynomial", 1), ("unitpolynomial", 2), ("chisquare", 1), ("meangaussian", 1), ("mediangaussian", 0.5))
KERNELS = [Kernel(family, value, view) for view in ("sift", "hue") for family, value in FAMILIES]
SIFT_CHI, HUE_CHI = 2, 7


def counts(n, d=37, zeros=0.6, seed=0, kind=np.uint16):
    rng = np.random.default_rng(seed)
    return (rng.integers(1, 40, size=(n, d)) * (rng.random((n, d)) > zeros)).astype(kind)


def problem(n=60, t=11):
    examples = {"sift": counts(n + t), "hue": counts(n + t, d=6, zeros=0.2, seed=1)}
    examples["sift"][[3, 8]] = 0
    examples["sift"][5] = examples["sift"][4]
    return tuple({view: values[part] for view, values in examples.items()} for part in (slice(n), slice(n, None)))


def normalised(features, order):
    return normalize(features.astype(float), f"l{order}")


def naive_distances(x, y):
    x, y = normalised(x, 1).tolist(), normalised(y, 1).tolist()
    pair = lambda a, b: sum((p - q) ** 2 / (p + q) for p, q in zip(a, b, strict=True) if p + q > 0)  # noqa: E731
    return np.array([[pair(a, b) for b in y] for a in x])


def naive_gram(kernel, x, y, train):
    u, v, w = (normalised(each[kernel.view], 2) for each in (x, y, train))
    squared = lambda a, b: np.square(a[:, None] - b[None]).sum(axis=2)  # noqa: E731
    different = ~np.eye(len(w), dtype=bool)
    if kernel.family == "polynomial":
        return u @ v.T
    if kernel.family == "unitpolynomial":
        return ((1 + u @ v.T) / 2) ** kernel.parameter
    if kernel.family == "meangaussian":
        return np.exp(-squared(u, v) / (kernel.parameter * squared(w, w)[different].mean()))
    if kernel.family == "mediangaussian":
        return np.exp(-squared(u, v) / (2 * kernel.parameter**2 * np.median(squared(w, w)[different])))
    x, y, train = (each[kernel.view] for each in (x, y, train))
    return np.exp(-naive_distances(x, y) / (kernel.parameter * naive_mean(train)))


def naive_mean(train):
    """Return the mean distance of each example from those n/2, n/3 and n/5 later."""
    distances, n = naive_distances(train, train), len(train)
    return np.mean([distances[i, (i + n // parts) % n] for i in range(n) for parts in (2, 3, 5)])


@pytest.fixture
def made(monkeypatch):
    """List the sizes of the base matrices that are made."""
    sizes, matrix = [], pairs.matrix

    def noted(*arguments):
        values = matrix(*arguments)
        sizes.append(values.shape)
        return values

    monkeypatch.setattr(pairs, "matrix", noted)
    return sizes


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 4, 37, 402])
def test_distances_equal_scikit_learn_and_a_loop(kind, d):
    x, y = counts(30, d, kind=kind), counts(19, d, seed=1, kind=kind)
    x[2], y[3], y[4] = 0, 0, x[7]
    got = chi_square.pairwise(x, y)
    np.testing.assert_allclose(got, naive_distances(x, y), rtol=1e-12)
    np.testing.assert_allclose(got, -additive_chi2_kernel(normalised(x, 1), normalised(y, 1)), rtol=1e-6)
    assert got[7, 4] == 0.0
    assert got[2, 3] == 0.0


def test_nearly_equal_histograms_are_as_exact_as_others():
    x = counts(3, 200, zeros=0.0, kind=float)
    x[1:] = x[0]
    x[1, 7] *= 1 + 1e-5
    np.testing.assert_allclose(chi_square.pairwise(x)[0, 1], naive_distances(x[:1], x[1:2])[0, 0], rtol=1e-6)


@pytest.mark.parametrize("base", [pairs.PRODUCTS, chi_square.DISTANCES])
@pytest.mark.parametrize("zeros", [0.0, 0.6, 0.97])
@pytest.mark.parametrize("kind", [np.uint16, np.float32])
@pytest.mark.parametrize("d", [92, 93])
def test_a_pair_has_the_same_bits_wherever_it_is(base, zeros, kind, d):
    x = pairs.scaled(counts(300, d, zeros, kind=kind), 1 + (base is pairs.PRODUCTS))
    among = pairs.matrix(base, x)
    assert np.array_equal(among, among.T)
    assert np.array_equal(among, pairs.matrix(base, x, x))
    rows, columns = np.array([299, 0, 131]), np.arange(7, 300, 23)
    assert np.array_equal(pairs.some(base, x, x, rows, columns), among[np.ix_(rows, columns)])
    assert np.array_equal(pairs.some(base, x, x, columns, rows), among[np.ix_(columns, rows)])
    assert np.array_equal(pairs.some(base, x, x, np.arange(200), columns), among[:200, columns])
    for row in (0, 299):
        for some in (columns, columns[:3], columns[:0], np.arange(300)):
            assert np.array_equal(pairs.some(base, x, x, np.array([row]), some), among[[row]][:, some])
    if base is pairs.PRODUCTS:
        assert np.array_equal(pairs.squares(*x), np.diagonal(among))


@pytest.mark.parametrize("power", [1, 2])
def test_counts_and_numbers_are_scaled_alike(power):
    x = counts(50, 93)
    assert np.array_equal(pairs.scaled(x, power).scales, pairs.scaled(x.astype(float), power).scales)
    largest = np.full((1, 70_000), 65_535, dtype=np.uint16)
    assert pairs.scaled(largest, 2).scales[0] == 1 / np.sqrt(70_000 * 65_535**2)


def test_wrong_histograms_are_refused():
    with pytest.raises(ValueError, match=r"expected no negative feature, got -1\.0"):
        chi_square.pairwise(np.array([[1.0, -1.0]]))
    with pytest.raises(ValueError, match="expected finite features, got others in row 1"):
        chi_square.pairwise(np.array([[1.0, 2.0], [np.inf, 1.0]]))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_matrices_equal_naive_ones(kernel):
    train, others = problem()
    pool = on_views([kernel], train)
    between, among = (on_views([kernel], each, others, basis=pool) for each in (train, others))
    (gram,) = pool.grams()
    np.testing.assert_allclose(gram, naive_gram(kernel, train, train, train), rtol=1e-12)
    np.testing.assert_allclose(between.grams()[0], naive_gram(kernel, others, train, train), rtol=1e-12)
    np.testing.assert_allclose(among.grams()[0], naive_gram(kernel, others, others, train), rtol=1e-12)
    assert np.array_equal(gram, gram.T)
    assert not gram.flags.writeable
    assert gram.flags.c_contiguous


def test_sparse_and_other_types_give_the_same_bits():
    train, _ = problem()
    expected = np.stack(on_views(KERNELS, train).grams())
    for given in (sparse.csr_array, np.float64, np.int32, np.asfortranarray):
        other = {view: given(values) for view, values in train.items()}
        assert np.array_equal(np.stack(on_views(KERNELS, other).grams()), expected)


def test_counts_are_not_copied():
    train, others = problem()
    pool = on_views(KERNELS, train)
    between = on_views(KERNELS, train, others, basis=pool)
    np.stack(pool.grams()), np.stack(between.grams())
    assert np.shares_memory(pool.features["sift"], train["sift"])
    assert np.shares_memory(between.features["sift"], others["sift"])
    assert not pool.features["sift"].flags.writeable
    assert train["sift"].flags.writeable


def test_matrices_are_made_when_asked_for_and_bases_shared_and_dropped(made):
    train, _ = problem()
    pool = on_views(KERNELS, train)
    grams = pool.grams()
    assert (len(grams), made, pool.computed) == (len(KERNELS), [], 0)
    assert grams[0] is pool.grams()[0]
    assert (made, pool.computed) == ([(60, 60)], 3600)
    assert grams[1] is grams[1 - len(KERNELS)]
    assert len(made) == 1
    grams[3], grams[4]
    assert len(made) == 1
    assert pool._bases == {}
    assert len(list(grams)) == len(grams[2:4]) + 8
    assert len(made) == 1 + 3
    assert pool._bases == {}
    assert pool.computed == (len(KERNELS) + 2) * 3600 + 2 * 180
    with pytest.raises(IndexError):
        grams[len(KERNELS)]


@pytest.mark.compiled
def test_values_equal_entries_and_are_counted_unless_the_matrix_is_made(made):
    train, others = problem()
    pools = on_views(KERNELS, train), on_views(KERNELS, train, others)
    rows, columns = np.array([7]), np.array([0, 3, 59, 4, 4], dtype=np.int32)
    for pool in pools:
        made.clear()
        values = [pool.values(k, rows, columns) for k in range(len(KERNELS))]
        assert pool.computed == 5 * len(KERNELS) + 2 * 3600 + 2 * 180
        assert made == []
        for k, gram in enumerate(pool.grams()):
            assert np.array_equal(values[k], gram[np.ix_(rows, columns)])
            before = pool.computed
            assert np.array_equal(values[k], pool.values(k, rows, columns))
            assert pool.computed == before


def test_units_are_of_a_sample_of_the_training_examples():
    train, others = problem()
    pool = on_views(KERNELS, train)
    between = on_views(KERNELS, train, others, basis=pool)
    first = {view: values[:1] for view, values in others.items()}
    alone = on_views(KERNELS, train, first, basis=on_views(KERNELS, train))
    chosen = np.arange(0, 60, 9)
    expected = np.exp(-naive_distances(others["hue"], train["hue"]) / naive_mean(train["hue"]))
    np.testing.assert_allclose(between.grams()[HUE_CHI], expected, rtol=1e-12)
    assert (pool.computed, between.computed) == (0, 180 + 11 * 60)  # which was the first to need the unit
    for k in range(len(KERNELS)):
        assert np.array_equal(between.grams()[k][:1], alone.grams()[k])
    assert np.array_equal(pool.values(SIFT_CHI, chosen, chosen), pool.grams()[SIFT_CHI][np.ix_(chosen, chosen)])


def test_equal_examples_are_no_unit():
    for n in (1, 4):
        pool = on_views(KERNELS, {"sift": np.ones((n, 3)), "hue": np.zeros((n, 2))})
        for k, kernel in enumerate(KERNELS):
            at_zero = {"polynomial": 0.0, "unitpolynomial": 0.25}.get(kernel.family, 1.0)
            np.testing.assert_allclose(pool.grams()[k], at_zero if kernel.view == "hue" else 1.0, rtol=1e-12)


def test_a_part_asks_the_whole_and_counts_what_was_made_for_it(made):
    train, others = problem()
    whole = on_views(KERNELS, train, others)
    part = whole.part(np.array([9, 2, 5, 0]), np.arange(0, 60, 3))
    inner = part.part(np.array([3, 1]), np.array([1, 0, 7]))
    assert (part.shape, inner.shape, made) == ((len(KERNELS), 4, 20), (10, 2, 3), [])
    assert np.array_equal(inner.features["hue"], others["hue"][[0, 2]])
    values = inner.values(0, np.array([1]), np.array([2, 0]))
    assert (inner.computed, part.computed, whole.computed) == (2, 0, 2)
    gram = whole.grams()[0]
    assert np.array_equal(values, gram[np.ix_([2], [21, 3])])
    assert np.array_equal(inner.grams()[0], gram[np.ix_([0, 2], [3, 0, 21])])
    assert inner.grams()[0] is inner.grams()[0]
    assert not inner.grams()[0].flags.writeable
    assert inner.computed == 2  # the whole had made it
    part.grams()[1]
    assert (part.computed, whole.computed) == (660, 2 + 2 * 660)
    assert np.array_equal(np.stack(part.grams()), np.stack([each[[9, 2, 5, 0]][:, ::3] for each in whole.grams()]))
    with pytest.raises(IndexError):
        whole.part(np.array([11]), np.arange(3))


def test_only_some_kernels_share_what_is_made(made):
    train, _ = problem()
    pool = on_views(KERNELS, train)
    chosen = pool.only([3, 0])
    assert chosen.shape == (2, 60, 60)
    assert chosen.grams()[1] is pool.grams()[0]
    assert (len(made), chosen.computed, pool.computed) == (1, 3600, 3600)
    assert chosen.only([1]).grams()[0] is pool.grams()[0]
    assert np.array_equal(chosen.values(0, np.array([1]), np.array([2])), pool.values(3, np.array([1]), np.array([2])))
    along = chosen.only([1]).along(np.arange(60, dtype=np.int32))
    assert np.shares_memory(along.values[0], pool.grams()[0])
    assert len(made) == 1
    part = pool.part(np.arange(20), np.arange(20))
    assert part.only([0]).grams()[0] is part.grams()[0]
    with pytest.raises(ValueError, match="at least one kernel"):
        pool.only([])


def test_every_pool_has_only_some_kernels():
    features = np.random.default_rng(0).normal(size=(20, 3))
    kernels = [Kernel("polynomial", 1), Kernel("gaussian", 1.0), Kernel("meangaussian", 1.0)]
    computed = on_vectors(kernels, features)
    stored = Stored(np.stack(computed.grams()), features={"": features})
    for pool in (computed, stored):
        chosen = pool.only([2])
        assert np.array_equal(chosen.grams()[0], computed.grams()[2])
        assert chosen.features[""] is pool.features[""]
        assert np.array_equal(chosen.part(np.arange(3), np.arange(4)).grams()[0], computed.grams()[2][:3, :4])
    distances = np.square(features[:, None] - features[None]).sum(axis=2)
    np.testing.assert_allclose(computed.grams()[2], np.exp(-distances / (distances.sum() / 380)), rtol=1e-12)


def test_only_some_of_a_grid_keep_their_parameters():
    features = np.random.default_rng(0).normal(size=(20, 3))
    family = Continuous(continuous.load("gaussian"), features, 0.1, 10.0, np.array([0.5, 1.0, 2.0]))
    grid = GridPool(family)
    chosen = grid.only([2, 0])
    assert [theta.tolist() for theta in chosen.thetas] == [[2.0], [0.5]]
    assert chosen.family is family
    assert np.array_equal(chosen.grams()[0], grid.grams()[2])


def test_pools_that_cannot_be_are_refused():
    train, _ = problem()
    with pytest.raises(ValueError, match="gist/chisquare_s1: there is no view 'gist', known: sift, hue"):
        on_views([Kernel("chisquare", 1, "gist")], train)
    with pytest.raises(ValueError, match=r"equally many examples, got \[59, 60\]"):
        on_views(KERNELS, train | {"hue": train["hue"][1:]})
    with pytest.raises(ValueError, match=r"^sift/inhomogeneous_d1100: expected finite values"):
        on_views([Kernel("inhomogeneous", 1100, "sift")], train).grams()[0]
    with pytest.raises(ValueError, match="kernels of inner products without views, got chisquare_s1"):
        on_vectors([Kernel("chisquare", 1), Kernel("gaussian", 1, "a"), Kernel("gaussian", 1)], np.eye(3))


def test_a_trace_of_zero_cannot_be_scaled():
    pool = on_views([Kernel("polynomial", 1, "hue")], {"hue": np.zeros((4, 2))}, trace=1.0)
    with pytest.raises(ValueError, match="hue/polynomial_p1: expected a trace that can be scaled, got 0"):
        pool.grams()[0]


def test_a_family_is_made_when_it_is_asked_for_and_goes_with_its_parts():
    train, asked = problem()[0], []

    def family():
        asked.append(1)
        return Continuous(continuous.load("gaussian"), train["hue"].astype(float), 0.1, 10.0, np.ones(1))

    pool = on_views(KERNELS, train, family=family)
    chosen, part = pool.only([0]), pool.part(np.arange(5), np.arange(60))
    assert asked == []
    assert chosen.family is pool.family
    np.testing.assert_allclose(part.family.gram(np.ones(1)), pool.family.gram(np.ones(1))[:5], rtol=1e-9)
    assert len(asked) == 1
    assert on_views(KERNELS, train).family is None
