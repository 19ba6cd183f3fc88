"""Pools that make kernel values when they are asked for: rows on demand against Gram matrices, bit for bit."""

import fitting
import numpy as np
import pytest
from kernel_pools import on_vectors

from grambench import algorithms
from grambench.experiments.conformance import same
from grambench.kernels import bases, computed
from grambench.kernels.computed import Computed, OnDemand
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored

KERNELS = [
    *(Kernel("polynomial", degree) for degree in (1, 2, 3)),
    *(Kernel("gaussian", 2.0**power) for power in (-6, -3, 0, 3)),
    Kernel("meanpolynomial", 2),
    Kernel("mediangaussian", 0.5),
]
# ogd and raker, which learn without a budget, have tests of their own in test_streaming.py.
NAMES = [name for name in algorithms.names("online") if "budget" in algorithms.fields(name)]
LAZY = ("oks", "oks_loss", "som")  # make the values that they touch and no others, on any pool


def problem(n=173, d=5, seed=0, integers=False):
    rng = np.random.default_rng(seed)
    features = rng.integers(-2, 3, size=(n, d)).astype(float) if integers else rng.normal(size=(n, d))
    labels = np.where(features[:, 0] * features[:, -1] + 0.3 * rng.normal(size=n) > 0, 1, -1).astype(np.int8)
    return features, labels, rng.permutation(n).astype(np.int32)


@pytest.fixture
def blocks(monkeypatch):
    """Let every pool be one of too many examples for one matrix of inner products."""
    monkeypatch.setattr(bases, "WHOLE", 0)
    monkeypatch.setattr(computed, "BLOCK", 8)


def fetched(pool, order, number, kernels):
    rows = pool.along(order)
    needed = np.isin(np.arange(len(KERNELS)), kernels)
    rows.fetch(number, needed)
    assert rows.place.tolist() == [0 if t == number else -1 for t in range(len(order))]
    return np.stack([rows.values[k][0, number:] for k in kernels])


@pytest.mark.parametrize("trace", [None, 1.0, 173.0])
@pytest.mark.parametrize("d", [1, 5, 700])
def test_rows_equal_the_matrices_bit_for_bit(trace, d):
    features, _, order = problem(d=d)
    pool, grams = on_vectors(KERNELS, features, trace=trace), on_vectors(KERNELS, features, trace=trace).grams()
    for number, kernels in ((0, [0]), (17, [3, 8]), (172, range(len(KERNELS)))):
        expected = [grams[k][order[number], order[number:]] for k in kernels]
        assert np.array_equal(fetched(pool, order, number, kernels), expected)


def test_rows_of_blocks_equal_the_matrices_but_for_rounding(blocks):
    features, _, order = problem(d=700)
    grams = on_vectors(KERNELS, features, trace=1.0).grams()
    rows = on_vectors(KERNELS, features, trace=1.0).along(order)
    for number in (0, 7, 8, 9, 30, 172):
        rows.fetch(number, np.ones(len(KERNELS), dtype=bool))
        expected = [gram[order[number], order[number:]] for gram in grams]
        got = [values[0, number:] for values in rows.values]
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-13)  # sigma of 2^-6 magnifies


def test_other_examples_are_scaled_by_the_training_ones_without_their_matrices():
    features, _, order = problem()
    train, others = features[:120], features[120:]
    made, basis = on_vectors(KERNELS, train, trace=1.0), on_vectors(KERNELS, train, trace=1.0)
    made.grams()
    basis.along(order[order < 120]).fetch(0, np.ones(len(KERNELS), dtype=bool))
    expected, got = (on_vectors(KERNELS, train, others, basis=each) for each in (made, basis))
    assert np.array_equal(expected.grams(), got.grams())
    assert basis.computed == len(KERNELS) * 120


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("integers", [False, True])
@pytest.mark.parametrize(("rounds", "settings"), [(173, {}), (60, {}), (75, {"budget": 1}), (75, {"budget": 5})])
def test_a_pass_over_rows_is_the_pass_over_the_matrices(name, integers, rounds, settings):
    features, labels, order = problem(integers=integers)
    pool = on_vectors(KERNELS, features)
    grams = on_vectors(KERNELS, features).grams()
    stored = fitting.fit(name, Stored(list(grams)), labels, order[:rounds], seed=3, **settings)
    assert name in LAZY or pool.along(order).on_demand
    assert same(fitting.fit(name, pool, labels, order[:rounds], seed=3, **settings), stored)
    assert pool.computed > 0
    assert pool.computed < stored.work.kernel_values or name in LAZY or settings


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("settings", [{}, {"budget": 4}])
def test_a_pass_over_blocks_is_the_pass_over_the_matrices(name, settings, blocks):
    features, labels, order = problem(integers=True)  # whose inner products are exact
    kernels = [kernel for kernel in KERNELS if kernel.family in ("polynomial", "gaussian")]
    pool = on_vectors(kernels, features)
    stored = fitting.fit(name, Stored(on_vectors(kernels, features).grams()), labels, order, **settings)
    assert same(fitting.fit(name, pool, labels, order, **settings), stored)
    assert isinstance(pool.along(order), OnDemand)


@pytest.mark.parametrize("name", ["omkc_dd", "omkc_ds", "omkc_sd", "omkc_ss", "om2", "perceptron", "perceptron_u"])
def test_each_value_that_a_pass_makes_is_counted_once(name):
    features, labels, order = problem()
    pool = on_vectors(KERNELS, features)
    trace = fitting.fit(name, pool, labels, order).trace
    if name in ("perceptron", "perceptron_u"):
        k = 1 if name == "perceptron" else len(KERNELS)
        assert pool.computed == k * (len(order) - np.flatnonzero(trace.mistakes)).sum()
    assert len(order) * trace.updates.sum() / 5 < pool.computed < len(order) * trace.updates.sum()


def test_matrices_take_over_once_as_many_values_have_been_made_as_there_are_pairs():
    features, labels, order = problem()
    pool = on_vectors(KERNELS, features)
    fits, pairs = [], len(KERNELS) * len(order) ** 2 / 2
    while isinstance(pool.along(order), OnDemand):
        assert pool.computed < pairs
        fits.append(fitting.fit("omkc_dd", pool, labels, order))
    assert pool.computed == pytest.approx(3 * pairs, rel=0.5)
    fits.append(fitting.fit("omkc_dd", pool, labels, order))
    assert len(fits) > 2
    assert all(same(fits[0], each) for each in fits[1:])


def test_matrices_that_are_made_are_used():
    features, _, order = problem()
    pool = on_vectors(KERNELS, features, trace=3.0)
    assert pool.measures.scales and pool.computed == 0  # of the diagonals alone
    grams, rows = pool.grams(), pool.along(order)
    assert not rows.on_demand
    assert all(np.shares_memory(values, gram) for values, gram in zip(rows.values, grams, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_a_pass_keeps_no_more_than_a_row_of_each_kernel_and_a_block(name, blocks, monkeypatch):
    features, labels, order = problem()
    pool = on_vectors([kernel for kernel in KERNELS if not kernel.unit], features)
    monkeypatch.setattr(Computed, "grams", lambda self: pytest.fail("all matrices were asked for"))
    monkeypatch.setattr(Computed, "base_values", lambda *_: pytest.fail("all inner products were asked for"))
    fitting.fit(name, pool, labels, order)
    rows = pool.along(order)
    rows.fetch(3, np.ones(len(pool.kernels), dtype=bool))
    assert rows._block.shape == (8, len(order))
    assert [values.shape for values in rows.values] == [(1, len(order))] * len(pool.kernels)


def test_duplicated_examples_are_at_distance_0():
    features, _, _ = problem()
    twice = 1e3 * np.vstack([features, features])
    order = np.arange(len(twice), dtype=np.int32)
    rows = on_vectors([Kernel("gaussian", 2.0**-6)], twice).along(order)
    rows.fetch(4, np.ones(1, dtype=bool))
    grams = on_vectors([Kernel("gaussian", 2.0**-6)], twice).grams()
    assert rows.values[0][0, 4] == 1.0
    assert np.array_equal(rows.values[0][0, 4:], grams[0][4, 4:])


def test_a_pool_of_other_examples_has_matrices():
    features, _, order = problem()
    pool = on_vectors(KERNELS, features, features.copy(), basis=on_vectors(KERNELS, features))
    assert not pool.along(order).on_demand


@pytest.mark.filterwarnings("ignore:overflow|invalid value:RuntimeWarning")
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("kernel", "factor"),
    [(Kernel("polynomial", 1000), 1e2), (Kernel("polynomial", 1), 1e308), (Kernel("mediangaussian", 1), 1e308)],
)
def test_values_that_are_not_finite_are_refused_however_they_are_asked_for(kernel, factor, whole, monkeypatch):
    monkeypatch.setattr(bases, "WHOLE", bases.WHOLE if whole else 0)
    features, _, order = problem()
    train, others = factor * features[:120], factor * features[120:]
    few, basis = np.arange(3), on_vectors([kernel], features[:120])
    asked = {
        "matrices": lambda: on_vectors([kernel], train).grams(),
        "scaled": lambda: on_vectors([kernel], train, trace=1.0).measures.scales,
        "rows": lambda: on_vectors([kernel], train).along(order[order < 120]).fetch(0, np.ones(1, dtype=bool)),
        "values": lambda: on_vectors([kernel], train).values(0, few, few),
        "others": lambda: on_vectors([kernel], features[:120], others, basis=basis).grams()[0],
    }
    for how in asked.values():
        with pytest.raises(ValueError, match=f"^{kernel.name}: expected finite values"):
            how()


def test_a_part_of_too_many_examples_is_computed_alone(blocks):
    features, _, order = problem(n=60)
    rows, columns = order[:7], order[3:20]
    whole = on_vectors(KERNELS, features, trace=2.0)
    part = whole.part(rows, columns)
    assert np.allclose(np.stack(part.grams()), np.stack(whole.grams())[:, rows][:, :, columns], rtol=1e-12, atol=1e-13)
    assert np.array_equal(part.features[""], features[rows])
