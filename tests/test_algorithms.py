"""Every online algorithm of the registry against its naive reference, and what must hold for all of them."""

import numpy as np
import pytest
import reference
from fitting import fit, scores
from kernel_pools import on_vectors

from grambench import algorithms
from grambench.experiments.conformance import same
from grambench.kernels import grams
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored

pytestmark = pytest.mark.compiled

# ogd and raker, which learn without a budget, have tests of their own in test_streaming.py.
NAMES = [name for name in algorithms.names("online") if "budget" in algorithms.fields(name)]
DRAWING = ["oks", "oks_loss", "som"]  # one kernel a round, of which they ask for single values
KERNELS = [
    *(Kernel("polynomial", degree) for degree in (1, 2, 3)),
    *(Kernel("gaussian", 2.0**power) for power in (-6, -1, 0, 2)),
]


def problem(seed, n=60, d=3, duplicates=True):
    """A noisy problem with duplicated rows and integer features, so that scores of exactly 0 and ties occur."""
    rng = np.random.default_rng(seed)
    features = rng.integers(-2, 3, size=(n, d)).astype(float) if duplicates else rng.normal(size=(n, d))
    labels = np.where(features[:, 0] * features[:, 1] + 0.3 * rng.normal(size=n) > 0, 1, -1).astype(np.int8)
    return grams.compute(grams.inner_products(features), KERNELS), labels, rng.permutation(n).astype(np.int32)


def passed(name, grams, labels, order, seed=5, **settings):
    """Return the trace of one pass."""
    return fit(name, grams, labels, order, seed=seed, **settings).trace


CASES = [(name, {}, seed) for name in NAMES for seed in range(6)]
CASES += [(name, {"beta": beta}, 6) for name in NAMES if name.startswith("omkc") for beta in (0.05, 0.5, 1.0)]


@pytest.mark.parametrize(("name", "settings", "seed"), CASES, ids=str)
def test_equals_the_reference(name, settings, seed):
    gram_list, labels, order = problem(seed, duplicates=seed % 2 == 0)
    trace = passed(name, gram_list, labels, order, seed, **settings)
    uniforms = np.random.default_rng(seed).random((len(order), len(gram_list)))
    expected = getattr(reference, name)(gram_list, [int(y) for y in labels], list(order), uniforms, **settings)
    assert trace.mistakes.tolist() == expected["mistakes"]
    assert trace.support_vectors.tolist() == expected["support_vectors"]
    assert trace.updates.tolist() == expected["updates"]
    np.testing.assert_allclose(trace.weights, expected["weights"], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "settings",
    [
        {"p": 2.0},
        {"p": 1.2, "margin": 0.0},
        {"p": 1.01, "margin": 5.0},
        {"p": None},
        {"p": None, "step": "shortened"},
        {"step": "shortened"},
        {"passes": 2},
        {"p": None, "step": "shortened", "passes": 2},
        {"p": 1.5, "step": "shortened", "passes": 3, "margin": 0.5},
    ],
    ids=str,
)
@pytest.mark.parametrize("kernels", [7, 1])
def test_om2_equals_the_reference_at_other_settings(settings, kernels):
    gram_list, labels, order = problem(8, duplicates=False)
    gram_list = gram_list[-kernels:]
    fitted = fit("om2", gram_list, labels, order[:50], **settings)
    trace = fitted.trace
    expected = reference.om2(gram_list, [int(y) for y in labels], list(order[:50]), None, **settings)
    assert trace.mistakes.tolist() == expected["mistakes"]
    assert len(trace.mistakes) == 50 * settings.get("passes", 1)
    assert trace.support_vectors.tolist() == expected["support_vectors"]
    assert trace.updates.tolist() == expected["updates"]
    np.testing.assert_allclose(trace.weights, expected["weights"], rtol=0, atol=1e-10)
    assert fitted.work.kernel_values == trace.support_vectors[-1] * gram_list.size / len(labels)
    assert fitted.work.row_additions == trace.updates.sum()


@pytest.mark.parametrize("budget", [0, 8])
def test_om2_goes_on_where_equal_examples_of_both_classes_cancel(budget):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels = rng.permutation(np.tile(np.array([-1, 1], dtype=np.int8), 10))
        grams = rng.uniform(0.1, 0.5, (3, 1, 1)) * np.ones((20, 20))
        assert np.isfinite(fit("om2", grams, labels, budget=budget).trace.scores).all()


def test_om2_of_two_passes_scores_as_a_third_would_begin():
    gram_list, labels, order = problem(9, duplicates=False)
    settings = {"p": None, "step": "shortened"}
    fitted = fit("om2", gram_list, labels, order[:50], passes=2, **settings)
    third = fit("om2", gram_list, labels, order[:50], passes=3, **settings).trace
    coming = Stored(gram_list).part(order[:1], np.arange(len(labels)))
    assert scores(fitted, coming).tobytes() == third.scores[100:101].tobytes()
    assert same(fitted.trace.scores, third.scores[:100])
    assert fitted.trace.updates[0] > fitted.trace.support_vectors[-1]  # some examples were added again


@pytest.mark.parametrize("passes", [1, 2])
def test_om2_passes_over_rows_on_demand_as_over_matrices(passes):
    rng = np.random.default_rng(0)
    features, labels = rng.integers(-2, 3, size=(50, 3)).astype(float), rng.choice([-1, 1], size=50).astype(np.int8)
    order = rng.permutation(50)[:40].astype(np.int32)
    made = on_vectors(KERNELS, features)
    matrices = Stored(on_vectors(KERNELS, features).grams())
    settings = {"p": 1.5, "step": "shortened", "passes": passes}
    assert made.along(order).on_demand
    assert same(fit("om2", made, labels, order, **settings), fit("om2", matrices, labels, order, **settings))


@pytest.mark.parametrize("step", [2.0**-10, 0.3, 1.0, 7.0, 2.0**10])
@pytest.mark.parametrize("seed", [0, 1])
def test_om1_is_omkc_dd_whatever_its_step(seed, step):
    gram_list, labels, order = problem(seed, duplicates=seed == 0)
    one, other = (
        fit("om1", gram_list, labels, order, beta=0.6, step=step),
        fit("omkc_dd", gram_list, labels, order, beta=0.6),
    )
    assert same(one.trace, other.trace)
    assert same(one.weights, other.weights)
    assert same(scores(one, gram_list), scores(other, gram_list))


@pytest.mark.parametrize("name", ["perceptron_u", "perceptron_star", "omkc_dd"])
def test_one_kernel_is_the_perceptron(name):
    gram_list, labels, order = problem(5)
    for gram in gram_list:
        one, other = (passed(each, [gram], labels, order).mistakes for each in (name, "perceptron"))
        assert one.tolist() == other.tolist()


def test_weights_survive_a_pass_that_would_underflow():
    gram_list, labels, order = problem(6, n=2000)
    trace = passed("omkc_dd", gram_list, labels, order, beta=0.05)
    assert trace.updates.min() > 250  # 0.05 ** 250 < 1e-308, so plain weights would all be 0
    np.testing.assert_allclose(trace.weights.sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_malformed_input_is_refused(name):
    gram_list, labels, order = problem(0)
    with pytest.raises(ValueError, match="at least one kernel"):
        passed(name, [], labels, order)
    message = "expected kernels among 60 examples" if name in DRAWING else "expected contiguous float64"
    with pytest.raises(ValueError, match=message):
        passed(name, [gram_list[0][:-1]], labels, order)
    if name not in DRAWING:  # which have no compiled loop that reads the matrices
        with pytest.raises(ValueError, match=message):
            passed(name, [gram_list[0].astype(np.float32)], labels, order)
    with pytest.raises(ValueError, match="labels must be -1 or"):
        passed(name, gram_list, labels * 2, order)
    for bad in (order * 2, np.append(order, order[0]), order[:0]):
        with pytest.raises(ValueError, match="order must hold distinct indices"):
            passed(name, gram_list, labels, bad.astype(np.int32))
