"""Budgets on support vectors: references, bounds, what is forgotten, and rows on demand."""

import re
from dataclasses import replace

import numpy as np
import pytest
import reference
from fitting import fit, pool_of, scores

from grambench import algorithms
from grambench.common.errors import ConfigError
from grambench.experiments.conformance import same
from grambench.kernels import computed, grams
from grambench.kernels.computed import Computed
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored

# ogd and raker, which learn without a budget, have tests of their own in test_streaming.py.
NAMES = [name for name in algorithms.names("online") if "budget" in algorithms.fields(name)]
DRAWING = ["oks", "oks_loss", "som"]
SHARED = ["perceptron", "perceptron_star", "perceptron_u", "om2"]  # one list of support vectors
KERNELS = [*(Kernel("polynomial", degree) for degree in (1, 2)), *(Kernel("gaussian", 2.0**p) for p in (-6, -1, 1))]
BUDGETS = [1, 3, 10]


def problem(seed, n=80, integers=True):
    """Features, labels and an order of all examples but five; of integers, so that scores of exactly 0 occur."""
    rng = np.random.default_rng(seed)
    features = rng.integers(-2, 3, size=(n, 3)).astype(float) if integers else rng.normal(size=(n, 3))
    labels = np.where(features[:, 0] * features[:, 1] + 0.5 * rng.normal(size=n) > 0, 1, -1).astype(np.int8)
    return features, labels, rng.permutation(n)[: n - 5].astype(np.int32)


def matrices(features):
    return grams.compute(grams.inner_products(features), KERNELS)


def most(name, budget):
    """Return how many support vectors a trace may count."""
    return budget if name in SHARED else budget * len(KERNELS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_reference(name, budget, seed):
    features, labels, order = problem(seed, integers=seed % 2 == 0)
    made = matrices(features)
    trace = fit(name, made, labels, order, seed=seed, budget=budget).trace
    uniforms = np.random.default_rng(seed).random((len(order), len(KERNELS)))
    expected = getattr(reference, name)(made, [int(y) for y in labels], order.tolist(), uniforms, budget=budget)
    assert trace.mistakes.tolist() == expected["mistakes"]
    assert trace.support_vectors.tolist() == expected["support_vectors"]
    assert trace.updates.tolist() == expected["updates"]
    np.testing.assert_allclose(trace.weights, expected["weights"], rtol=0, atol=1e-9)
    assert trace.support_vectors.max() <= most(name, budget)
    assert trace.updates.max() > budget  # something is forgotten


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(
    "settings",
    [{"p": None, "step": "shortened"}, {"p": 1.5, "passes": 3}, {"p": None, "step": "shortened", "passes": 2}],
)
def test_om2_equals_the_reference_at_other_settings(budget, settings):
    features, labels, order = problem(4, integers=False)
    made = matrices(features)
    fitted = fit("om2", made, labels, order, budget=budget, **settings)
    trace = fitted.trace
    expected = reference.om2(made, [int(y) for y in labels], order.tolist(), None, budget=budget, **settings)
    assert trace.mistakes.tolist() == expected["mistakes"]
    assert trace.support_vectors.tolist() == expected["support_vectors"]
    assert trace.updates.tolist() == expected["updates"]
    np.testing.assert_allclose(trace.weights, expected["weights"], rtol=0, atol=1e-9)
    assert len(set(fitted.predictor.support.tolist())) == trace.support_vectors[-1] <= budget


@pytest.mark.parametrize("name", DRAWING)
def test_a_drawn_classifier_holds_what_the_reference_holds(name):
    features, labels, order = problem(5, integers=False)
    made = matrices(features)
    fitted = fit(name, made, labels, order, budget=4)
    uniforms = np.random.default_rng(0).random((len(order), len(KERNELS)))
    expected = getattr(reference, name)(made, [int(y) for y in labels], order.tolist(), uniforms, budget=4)
    assert dict(zip(fitted.predictor.support.tolist(), fitted.predictor.dual, strict=True)) == pytest.approx(
        expected["expansion"], rel=1e-9
    )
    assert len(fitted.predictor.support) <= 4
    np.testing.assert_allclose(fitted.trace.scores, expected["scores"], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_room_for_all_is_no_bound(name):
    features, labels, order = problem(6)
    made = matrices(features)
    free = fit(name, made, labels, order)
    for budget in (int(free.trace.updates.max()), 10**9):
        # A pass without a budget adds whole rows, so that its work is another.
        assert same(replace(fit(name, made, labels, order, budget=budget), work=free.work), free)
    assert not same(fit(name, made, labels, order, budget=int(free.trace.updates.max()) // 4).trace, free.trace)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DRAWING])
def test_the_predictor_holds_no_more_and_goes_on_as_the_pass_does(name):
    features, labels, order = problem(7, integers=False)
    made = matrices(features)
    whole = fit(name, made, labels, order, budget=6).trace
    for t in (5, 30, 60):
        before = fit(name, made, labels, order[:t], budget=6)
        coming = Stored(made).part(order[t : t + 1], np.arange(len(labels)))
        if name != "perceptron_star" and not name.endswith("s"):  # which chooses anew; which draw in another order
            np.testing.assert_allclose(scores(before, coming), whole.scores[t], rtol=1e-9, atol=1e-9)
        predictor = before.predictor
        if hasattr(predictor, "experts"):
            assert np.count_nonzero(predictor.experts.signs, axis=1).max() <= 6
            assert predictor.experts.signs.any(axis=0).all()
        else:
            assert len(predictor.support) <= 6
    assert before.trace.updates.max() > 6


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DRAWING])
def test_what_is_forgotten_gives_no_score(name):
    """Examples that are nobody's neighbours: each has a score of its own, for as long as it is a support vector."""
    n = 12
    kernels = np.stack([np.eye(n)] * 2)
    labels = np.full(n, -1, dtype=np.int8)  # every round is a mistake: a score of 0 predicts +1
    order = np.random.default_rng(0).permutation(n).astype(np.int32)
    # Equal kernels are both drawn where nothing is smoothed.
    settings = {"delta": 1e-9} if name in ("omkc_ds", "omkc_sd", "omkc_ss") else {}
    predictor = fit(name, kernels, labels, order, budget=5, **settings).predictor
    experts = getattr(predictor, "experts", None)
    remembered = predictor.scores(pool_of(kernels)) != 0.0
    if experts is not None:
        remembered = (experts.scores(pool_of(kernels), np.ones(2, dtype=bool)) != 0.0).any(axis=1)
    assert np.flatnonzero(remembered).tolist() == sorted(order[-5:].tolist())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("budget", [1, 5])
@pytest.mark.parametrize("integers", [False, True])
def test_rows_on_demand_are_as_good_as_matrices(name, budget, integers):
    features, labels, order = problem(8, integers=integers)
    pool = Computed(KERNELS, features)
    stored = fit(name, Stored(Computed(KERNELS, features).grams()), labels, order, budget=budget)
    assert name in DRAWING or pool.along(order).on_demand
    assert same(fit(name, pool, labels, order, budget=budget), stored)


@pytest.mark.parametrize("name", NAMES)
def test_values_of_blocks_are_those_of_matrices(name, monkeypatch):
    features, labels, order = problem(9)  # whose inner products are exact
    stored = fit(name, Stored(Computed(KERNELS, features).grams()), labels, order, budget=4)
    monkeypatch.setattr(computed, "WHOLE", 0)
    monkeypatch.setattr(computed, "BLOCK", 8)
    assert same(fit(name, Computed(KERNELS, features), labels, order, budget=4), stored)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DRAWING])
def test_a_round_evaluates_kernels_with_support_vectors_alone(name):
    features, labels, order = problem(10, integers=False)
    fitted = fit(name, matrices(features), labels, order, budget=5)
    # Kernels that share their support vectors are evaluated with each.
    shared = len(KERNELS) if name in ("om2", "perceptron_u") else 1
    expected = shared * fitted.trace.support_vectors[:-1].sum()
    # The first validates on other kernels, and the others count the support vectors of kernels that vote.
    more = name in ("perceptron_star", "omkc_ds", "omkc_ss")
    assert fitted.work.kernel_values > expected if more else fitted.work.kernel_values == expected
    assert fitted.work.row_additions == pytest.approx(fitted.work.kernel_values / len(labels), abs=2)


@pytest.mark.parametrize("name", [*NAMES, "om2_multiclass", "omkc_multiclass"])
@pytest.mark.parametrize("budget", [-1, 2.5, np.inf, np.nan])
def test_a_budget_is_a_number_of_support_vectors(name, budget):
    message = re.escape(f"{name}: budget must be a whole number of at least 0, got {budget}")
    with pytest.raises(ConfigError, match=message):
        algorithms.parameters(name, {"budget": budget})


def test_a_budget_may_be_a_float_where_it_is_swept():
    features, labels, order = problem(0)
    made = matrices(features)
    assert same(fit("omkc_sd", made, labels, order, budget=5.0), fit("omkc_sd", made, labels, order, budget=5))
