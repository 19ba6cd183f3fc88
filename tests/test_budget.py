"""Budgets on support vectors: references, bounds, and what is forgotten; on rows on demand see test_computed.py."""

from dataclasses import replace
from itertools import pairwise

import numba
import numpy as np
import pytest
import reference
from fitting import fit, pool_of, scores
from kernel_pools import on_vectors
from problems import in_a_ring as stream

from grambench import KernelClassifier, algorithms
from grambench.experiments.conformance import same
from grambench.kernels import grams
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored
from grambench.kernels.streamed import VectorKernels, VectorSource

pytestmark = pytest.mark.compiled

# ogd and raker, which learn without a budget, have tests of their own in test_streaming.py.
NAMES = [name for name in algorithms.names("online") if "budget" in algorithms.fields(name)]
PERCEPTRONS = [name for name in NAMES if "when_full" in algorithms.fields(name)]
DRAWING = ["oks", "oks_loss", "som"]
SHARED = ["perceptron", "perceptron_star", "perceptron_u", "om2"]  # one list of support vectors
KERNELS = [*(Kernel("polynomial", degree) for degree in (1, 2)), *(Kernel("gaussian", 2.0**p) for p in (-6, -1, 1))]
BUDGETS = [1, 3, 10]
ROUNDS = 160 if numba.config.DISABLE_JIT else 400  # of a stream


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


SETTINGS = [
    *((name, {}) for name in NAMES),
    ("om2", {"p": None, "step": "shortened"}),
    ("om2", {"p": 1.5, "passes": 3}),
    ("om2", {"p": None, "step": "shortened", "passes": 2}),
]


@pytest.mark.parametrize(("name", "settings"), SETTINGS, ids=str)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("seed", range(2))  # on integers, and not
def test_equals_the_reference(name, settings, budget, seed):
    features, labels, order = problem(seed, integers=seed % 2 == 0 and not settings)
    made, settings = matrices(features), settings | {"budget": budget}
    fitted = fit(name, made, labels, order, seed=seed, **settings)
    trace, uniforms = fitted.trace, np.random.default_rng(seed).random((len(order), len(KERNELS)))
    expected = getattr(reference, name)(made, [int(y) for y in labels], order.tolist(), uniforms, **settings)
    assert trace.mistakes.tolist() == expected["mistakes"]
    assert trace.support_vectors.tolist() == expected["support_vectors"]
    assert trace.updates.tolist() == expected["updates"]
    np.testing.assert_allclose(trace.weights, expected["weights"], rtol=0, atol=1e-9)
    assert trace.support_vectors.max() <= most(name, budget)
    assert trace.updates.max() > budget  # something is forgotten
    if name == "om2":
        assert len(set(fitted.predictor.support.tolist())) == trace.support_vectors[-1] <= budget
    if name in DRAWING:
        held = dict(zip(fitted.predictor.support.tolist(), fitted.predictor.dual, strict=True))
        assert held == pytest.approx(expected["expansion"], rel=1e-9)
        np.testing.assert_allclose(trace.scores, expected["scores"], rtol=1e-9, atol=1e-9)


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
            assert np.count_nonzero(predictor.experts.dual, axis=1).max() <= 6
            assert predictor.experts.dual.any(axis=0).all()
        else:
            assert len(predictor.support) <= 6
    assert before.trace.updates.max() > 6


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
    assert fitted.work.row_additions == pytest.approx(fitted.work.kernel_values / len(labels), abs=6)


def test_a_budget_may_be_a_float_where_it_is_swept():
    features, labels, order = problem(0)
    made = matrices(features)
    assert same(fit("omkc_sd", made, labels, order, budget=5.0), fit("omkc_sd", made, labels, order, budget=5))


# A stream is passed over once, and its number of rounds is not known.
ONE_PASS = {"oks": {"delta": [0.4], "eta": 0.02}, "som": {"delta": [0.4]}}
ON_STREAMS = [name for name in NAMES if algorithms.load(name).start]
STREAMED = [Kernel("gaussian", 2.0**p) for p in (-1, 0, 1)] + [Kernel("polynomial", 2), Kernel("mediangaussian", 0.5)]


@pytest.mark.parametrize("seed", range(3))
def test_values_of_a_stream_are_those_of_a_pool(seed):
    rng = np.random.default_rng(seed)
    sample, X = rng.normal(size=(60, 4)), rng.normal(size=(40, 4))
    X[3] = X[2]
    basis = on_vectors(STREAMED, sample, trace=60.0)
    exact = on_vectors(STREAMED, sample, X, basis=basis).grams()
    made = VectorKernels(STREAMED, sample, scale=True)
    examples, columns = made.with_norms(X), made.with_norms(sample)
    for k in range(len(STREAMED)):
        np.testing.assert_allclose(made.values(k, examples, columns), exact[k], rtol=1e-12, atol=1e-14)
    far = VectorKernels([Kernel("gaussian", 1e-3)], sample, scale=False)
    np.testing.assert_allclose(far.values(0, examples[:3], examples[:3]), np.eye(3), atol=1e-8)
    assert far.values(0, examples[:1], examples[1:2]) == 0.0


STREAMS = [(name, {"budget": budget}, 4) for name in ON_STREAMS for budget in (1, 20, 150)]
# A projection on the features of a polynomial is ill-conditioned.
FULL = [{"budget": 15, "when_full": way} for way in ("shrink", "project")]
STREAMS += [(name, settings, 3) for name in ON_STREAMS if name in PERCEPTRONS for settings in FULL]


@pytest.mark.parametrize(("name", "settings", "kernels"), STREAMS, ids=str)
def test_a_stream_is_learned_as_a_pool_is(name, settings, kernels):
    X, y = stream(ROUNDS)
    settings = settings | {"random_state": 0, "scale": False} | ONE_PASS.get(name, {})
    exact = KernelClassifier(name, STREAMED[:kernels], shuffle=False, **settings).fit(X, y)
    streamed = KernelClassifier(name, STREAMED[:kernels], **settings)
    for a, b in pairwise([0, 100, 101, 130, ROUNDS]):
        streamed.partial_fit(X[a:b], y[a:b], classes=[0, 1])
    assert streamed.mistakes_ == exact.trace_.mistakes.sum() and streamed.n_samples_seen_ == ROUNDS
    np.testing.assert_allclose(streamed.kernel_weights_, exact.kernel_weights_)
    new = stream(50, seed=1)[0]
    if not name.endswith("s") and "when_full" not in settings:  # which draw for the examples
        np.testing.assert_allclose(streamed.decision_function(new), exact.decision_function(new), atol=1e-9)


@pytest.mark.parametrize("name", [name for name in ON_STREAMS if name not in DRAWING])
def test_the_next_score_of_a_stream_with_a_budget_is_that_of_the_predictor(name):
    X, y = stream(200)
    labels = np.where(y > 0, 1, -1).astype(np.int8)
    source = VectorSource(VectorKernels(STREAMED, X, scale=True))
    state = algorithms.load(name).start(algorithms.parameters(name, {"budget": 7}), source, np.random.default_rng(0))
    for t in range(0, 198, 33):
        before = state.scores(X[t : t + 1])
        assert np.isclose(before[0], state.block(X[t : t + 33], labels[t : t + 33])[0], atol=1e-9)
    assert state.updates.max() > 7 and np.isclose(state.weights.sum(), 1.0)


def test_a_stream_goes_on_after_a_fit():
    X, y = stream(300)
    kernels, settings = STREAMED[:4], {"budget": 10, "shuffle": False, "scale": False}
    model = KernelClassifier("omkc_dd", kernels, **settings).fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
    whole = KernelClassifier("omkc_dd", kernels, **settings).fit(X, y)
    assert model.mistakes_ == whole.trace_.mistakes.sum() and model.n_samples_seen_ == 300
    np.testing.assert_allclose(model.decision_function(X), whole.decision_function(X))
    assert not {"certificate_", "_bound"} & vars(model).keys()  # which would keep the examples of the fit
    # A new fit starts anew.
    assert model.fit(X, y).trace_.mistakes.shape == (300,)


def test_units_after_a_fit_are_those_of_its_examples():
    X, y = stream(300)
    X[200:] *= 9.0

    fitted, streamed = (
        KernelClassifier("omkc_dd", "mediangaussian_sigma1", budget=10, shuffle=False) for _ in range(2)
    )
    fitted.fit(X[:200], y[:200])
    streamed.partial_fit(X[:200], y[:200], classes=[0, 1])
    scores = [model.partial_fit(X[200:], y[200:]).decision_function(X) for model in (fitted, streamed)]
    assert np.array_equal(*scores)


def test_functions_as_kernels_are_learned_from_the_stored_stream_without_a_budget():
    X, y = stream(100)
    model = KernelClassifier("omkc_dd", lambda a, b: a @ b.T).partial_fit(X, y, classes=[0, 1])
    assert model.partial_fit(X, y).trace_.mistakes.shape == (200,)


def test_a_stream_of_large_numbers_gets_one_line():
    X, y = stream(100)
    model = KernelClassifier("omkc_dd", [Kernel("polynomial", 3)], budget=10).partial_fit(X, y, classes=[0, 1])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="expected finite values"):
        model.partial_fit(np.concatenate([X, 1e200 * X]), np.tile(y, 2))
    assert model.n_samples_seen_ == 100 and np.array_equal(model.decision_function(X), before)


WAYS = ["forget", "shrink", "project"]


def largest_factor(sigma, mu, room):
    """The largest factor in (0, 1] of the self-tuned Forgetron, by bisection."""

    def psi(factor):
        return (factor * sigma) ** 2 + 2 * factor * sigma - 2 * factor * sigma * factor * mu

    low, high = 0.0, 1.0
    if psi(1.0) <= room:
        return 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if psi(middle) <= room else (low, middle)
    return low


def naive_perceptron(gram, labels, order, budget, when_full):
    """Scores of a Perceptron, Forgetron (Dekel et al. 2008, Figure 3) or Projectron (Orabona et al. 2009, Algorithm 2).

    Support vectors and coefficients are lists, and each round solves for a projection anew.
    """
    support, dual, scores, sizes, Q, M = [], [], [], [], 0.0, 0
    for i in order.tolist():
        f = sum(c * gram[s, i] for s, c in zip(support, dual, strict=True))
        scores.append(f)
        y = int(labels[i])
        if (f >= 0) != (y > 0):
            M += 1
            rest, d = gram[i, i], np.zeros(len(support))
            if when_full == "project" and support:
                d = np.linalg.solve(gram[np.ix_(support, support)], gram[support, i])
                rest -= gram[support, i] @ d
            if when_full == "project" and (len(support) == budget or rest <= 1e-6 * gram[i, i]):
                dual = [c + y * part for c, part in zip(dual, d, strict=True)]
            else:
                support.append(i)
                dual.append(y)
                if len(support) > budget:
                    if when_full == "shrink":
                        oldest, sigma = support[0], abs(dual[0])
                        scored = sum(c * gram[s, oldest] for s, c in zip(support, dual, strict=True))
                        mu = np.sign(dual[0]) * scored
                        factor = largest_factor(sigma, mu, 15 / 32 * M - Q)
                        Q += (factor * sigma) ** 2 + 2 * factor * sigma - 2 * factor * sigma * factor * mu
                        dual = [factor * c for c in dual]
                    del support[0], dual[0]
        sizes.append(len(support))
    return np.array(scores), sizes


@pytest.mark.parametrize("when_full", WAYS)
@pytest.mark.parametrize("budget", [1, 4, 20])
@pytest.mark.parametrize("kernel", [2, 3, 4])
def test_a_full_perceptron_is_the_printed_one(when_full, budget, kernel):
    features, labels, order = problem(11, n=300, integers=False)
    made = matrices(features)
    trace = fit("perceptron", made, labels, order, kernel=kernel, budget=budget, when_full=when_full).trace
    expected, sizes = naive_perceptron(made[kernel], labels, order, budget, when_full)
    np.testing.assert_allclose(trace.scores, expected, rtol=1e-6, atol=1e-6)
    assert trace.support_vectors.tolist() == sizes and max(sizes) == budget
    assert trace.updates.max() > 2 * budget


@pytest.mark.parametrize("width", [2.0, 8.0])
def test_a_projectron_is_the_printed_one_where_support_vectors_are_nearly_dependent(width):
    features, _, order = problem(2, n=1500, integers=False)
    labels = np.where(np.sin(3 * features[:, 0]) + features[:, 1] > 0, 1, -1).astype(np.int8)
    made = grams.compute(grams.inner_products(features), [Kernel("gaussian", width)])
    trace = fit("perceptron", made, labels, order, budget=200, when_full="project").trace
    expected, sizes = naive_perceptron(made[0], labels, order, 200, "project")
    np.testing.assert_allclose(trace.scores, expected, rtol=1e-3, atol=1e-3)
    assert trace.support_vectors.tolist() == sizes and max(sizes) < 200


@pytest.mark.parametrize("when_full", ["shrink", "project"])
def test_omkc_runs_a_full_perceptron_for_each_kernel(when_full):
    features, labels, order = problem(13, n=200, integers=False)
    made, settings = matrices(features), {"budget": 8, "when_full": when_full}
    passes = [fit("perceptron", made, labels, order, kernel=k, **settings) for k in range(len(KERNELS))]
    for name in ("omkc_dd", "omkc_ds"):
        fitted = fit(name, made, labels, order, **settings)
        assert fitted.trace.updates.tolist() == [each.trace.mistakes.sum() for each in passes]
        each = fitted.predictor.experts.scores(pool_of(made), np.ones(len(KERNELS), dtype=bool))
        expected = [single.predictor.scores(pool_of(made)) for single in passes]
        np.testing.assert_allclose(each, np.transpose(expected), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", PERCEPTRONS)
@pytest.mark.parametrize("when_full", ["shrink", "project"])
def test_every_perceptron_holds_no_more_than_its_budget(name, when_full):
    features, labels, order = problem(14, n=200, integers=False)
    fitted = fit(name, matrices(features), labels, order, budget=8, when_full=when_full)
    assert fitted.trace.support_vectors.max() <= most(name, 8) and fitted.trace.updates.max() > 8
    lists = fitted.predictor.experts.dual if hasattr(fitted.predictor, "experts") else fitted.predictor.dual[None]
    assert np.count_nonzero(lists, axis=1).max() <= 8
