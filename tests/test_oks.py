"""Selection of a kernel by draws (OKS, SOM): references, laziness, several passes; and what asks for few kernels."""

import math
import re
from collections import UserList
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import reference
from fitting import fit, scores

from grambench.algorithms.bandit import draw, normalised_weights
from grambench.algorithms.checks import check
from grambench.algorithms.fit import Expansion, mixture
from grambench.common.errors import ContractError
from grambench.experiments.conformance import same
from grambench.kernels.pool import Stored

ROOT = Path(__file__).parent.parent
NAMES = ["oks", "oks_loss", "som"]


def problem(seed, n=50, m=4):
    """Kernels of views of which the first tells most, with k(x, x) = 1; labels; an order of all examples but five."""
    rng = np.random.default_rng(seed)
    labels = rng.choice([-1, 1], size=n).astype(np.int8)
    grams = []
    for k in range(m):
        view = rng.normal(size=(n, 3)) + labels[:, None] * (1.5 if k == 0 else 0.3)
        view /= np.linalg.norm(view, axis=1)[:, None]
        grams.append(view @ view.T)
    return np.array(grams), labels, rng.permutation(n)[: n - 5].astype(np.int32)


class Single(Stored):
    """A pool that notes which single values it is asked for, and hands out nothing else."""

    def __init__(self, grams):
        super().__init__(grams)
        self.asked = []

    def values(self, kernel, rows, columns):
        self.asked.append((kernel, list(rows), list(columns)))
        return self._grams[kernel][np.ix_(rows, columns)]

    def handed_out(self):
        return sum(len(rows) * len(columns) for _, rows, columns in self.asked)

    def refuse(self, *arguments):
        raise AssertionError("single values are enough")

    grams = rows = along = part = refuse


class Lazy(UserList):
    """Gram matrices that are made when they are asked for; `asked` tells which were."""

    def __init__(self, grams):
        super().__init__(grams)
        self.asked = []

    def __getitem__(self, k):
        matrix = self.data[k].copy()
        self.asked.append(k)
        return matrix


class LazyPool(Stored):
    """A pool of such."""

    def __init__(self, grams):
        super().__init__(grams)
        self.lazy = Lazy(self._grams)

    def grams(self):
        return self.lazy


# --- references -------------------------------------------------------------------------------------------------------

SETTINGS = [
    ("oks", {}),
    ("oks", {"delta": (0.3,)}),
    ("oks", {"delta": (0.9, 0.5, 0.01), "step": 0.7, "horizon": "all"}),
    ("oks", {"eta": 0.5, "select": "drawn"}),
    ("som", {}),
    ("som", {"beta": 0.1, "delta": (0.05,), "step": 3.0}),
    ("som", {"beta": 1.0, "select": "drawn"}),
    *(("oks_loss", {"loss": loss, "step": 0.2}) for loss in ("hinge", "logistic", "squared")),
    ("oks_loss", {}),
    ("oks_loss", {"loss": "squared", "radius": 2.0, "delta": (0.5, 0.4, 0.3), "horizon": "all"}),
    ("oks_loss", {"loss": "hinge", "radius": 10.0, "step": 0.05, "horizon": "all"}),
    ("oks_loss", {"loss": "logistic", "radius": 0.3, "delta": (0.7,), "eta": 0.1}),
    ("oks_loss", {"loss": "squared", "radius": 3.0, "step": 0.01, "delta": (0.5, 0.4, 0.3), "select": "drawn"}),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "settings"), SETTINGS, ids=str)
def test_equals_the_reference(name, settings, seed):
    grams, labels, order = problem(seed)
    fitted = fit(name, grams, labels, order, seed=seed, **settings)
    uniforms = np.random.default_rng(seed).random((len(order), 10))
    expected = getattr(reference, name)(grams, [int(y) for y in labels], order.tolist(), uniforms, **settings)
    trace = fitted.trace
    assert len(trace.mistakes) == len(settings.get("delta", (0.5, 0.2))) * len(order)
    assert trace.mistakes.tolist() == expected["mistakes"]
    assert trace.support_vectors.tolist() == expected["support_vectors"]
    assert trace.updates.tolist() == expected["updates"]
    np.testing.assert_allclose(trace.weights, expected["weights"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(trace.scores, expected["scores"], rtol=1e-9, atol=1e-9)
    assert fitted.weights.tolist() == [float(k == expected["selected"]) for k in range(len(grams))]
    values = [reference.value(grams[expected["selected"]], expected["expansion"], i) for i in range(len(labels))]
    np.testing.assert_allclose(scores(fitted, grams), values, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["oks", "som"])
@pytest.mark.parametrize("power", [-10, -1, 10])
def test_the_step_changes_no_draw_no_mistake_and_no_selection(name, power):
    grams, labels, order = problem(1)
    one, other = (fit(name, grams, labels, order, step=step) for step in (1.0, 2.0**power))
    assert same(one.weights, other.weights)
    assert same(one.trace, replace(other.trace, scores=one.trace.scores))
    assert same(one.trace.scores * 2.0**power, other.trace.scores)
    assert same(scores(one, grams) * 2.0**power, scores(other, grams))


# --- draws and weights ------------------------------------------------------------------------------------------------


def test_draws_have_their_probabilities():
    p = np.array([0.1, 0.0, 0.65, 0.25])
    drawn = [draw(p, uniform) for uniform in (np.arange(10_000) + 0.5) / 10_000]
    assert np.bincount(drawn, minlength=4).tolist() == [1000, 0, 6500, 2500]
    assert draw(np.full(3, 0.3), 0.95) == 2  # what rounding may leave
    assert [draw(np.array([0.0, 0.5, 0.5]), uniform) for uniform in (0.0, 0.5)] == [1, 2]  # never one of 0


def test_weights_survive_what_would_underflow():
    grams, labels, order = problem(4, n=200)
    labels = np.random.default_rng(0).permutation(labels)  # which no kernel tells
    for name, settings in (("oks", {"eta": 50.0}), ("som", {"beta": 1e-30}), ("oks_loss", {"eta": 50.0})):
        trace = fit(name, grams, labels, order, **settings).trace
        assert trace.updates.min() > 15  # exp(-50)^15 and (1e-30)^11 are 0 in double precision
        np.testing.assert_allclose(trace.weights.sum(axis=1), 1.0, atol=1e-12)
    assert normalised_weights(np.array([-1e6, -1e6 - math.log(3.0)])).tolist() == pytest.approx([0.75, 0.25])


@pytest.mark.parametrize("name", ["oks", "oks_loss"])
def test_the_defaults_learn_two_blobs(name):
    """At a step of 1 each example of Algorithm 1 leaves the ball, and little but the last ones is left."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        labels = np.tile(np.array([1, -1], dtype=np.int8), 200)
        X = rng.normal(size=(400, 2)) + 1.2 * labels[:, None]  # the best error is 4.5 %
        distances = ((X[:, None] - X) ** 2).sum(axis=-1)
        grams = np.array([np.exp(-distances / width) for width in (0.1, 0.5, 2.0, 8.0, 32.0)])
        fitted = fit(name, grams[:, :200, :200], labels[:200], seed=seed)
        predicted = np.where(scores(fitted, grams[:, 200:, :200]) >= 0.0, 1, -1)
        assert (predicted == labels[200:]).mean() > 0.9


# --- laziness ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(2))
def test_only_values_of_the_drawn_kernel_with_its_support_vectors_are_asked_for(name, seed):
    grams, labels, order = problem(seed)
    pool = Single(grams)
    fitted = fit(name, pool, labels, order, seed=seed)
    assert same(fitted, fit(name, grams, labels, order, seed=seed))
    assert fitted.work.kernel_values == pool.handed_out() > 0
    assert fitted.work.row_additions == math.ceil(pool.handed_out() / len(labels))
    trace, T = fitted.trace, len(order)
    q = np.vstack([np.full(4, 0.25), trace.weights[:-1]])
    delta = np.repeat([0.5, 0.2], T)[:, None]
    uniforms = np.random.default_rng(seed).random(2 * T)
    support, calls = [[] for _ in grams], iter(pool.asked)
    for t, i in enumerate(np.tile(order, 2).tolist()):
        k = draw(((1.0 - delta) * q + delta / 4)[t], uniforms[t])
        if support[k]:
            assert next(calls) == (k, [i], support[k])
        if trace.mistakes[t] or (name == "oks_loss" and labels[i] * trace.scores[t] < 1.0):
            support[k] += [i] * (i not in support[k])
            if name == "oks_loss":
                assert next(calls) == (k, [i], [i])  # for the norm of the sum
        assert trace.support_vectors[t] == sum(map(len, support))
    assert next(calls, None) is None


@pytest.mark.parametrize("name", NAMES)
def test_the_predictor_asks_for_its_own_kernel_and_support_vectors_alone(name):
    grams, labels, order = problem(0)
    fitted = fit(name, grams, labels, order)
    pool = Single(grams[:, :7])
    assert same(fitted.predictor.scores(pool), scores(fitted, grams)[:7])
    ((kernel, rows, columns),) = pool.asked
    assert kernel == fitted.weights.argmax() and rows == list(range(7))
    assert columns == fitted.predictor.support.tolist()
    assert set(columns) <= set(order.tolist()) and len(set(columns)) == len(columns)


def test_a_classifier_without_support_vectors_asks_for_nothing():
    grams, labels, order = problem(0)
    fitted = fit("oks", grams, labels, order[:1], delta=(0.5,))
    pool = Single(grams)
    empty = replace(fitted.predictor, support=np.zeros(0, dtype=np.int32), dual=np.zeros(0))
    assert empty.scores(pool).tolist() == [0.0] * len(labels) and pool.asked == []
    assert fitted.work.kernel_values == 0 and fitted.trace.scores.tolist() == [0.0]


@pytest.mark.parametrize("weights", [[0.0, 1.0, 0.0, 0.0], [0.5, 0.0, 0.0, 2.0], [0.0] * 4, [0.1, 0.2, 0.3, 0.4]])
def test_combinations_ask_for_kernels_with_a_weight_only(weights):
    grams, _, _ = problem(1)
    weights, dual = np.array(weights), np.random.default_rng(0).normal(size=50)
    total, values = np.zeros((50, 50)), np.full(50, 0.25)
    for weight, gram in zip(weights, grams, strict=True):
        if weight:
            total += weight * gram
            values += weight * (gram @ dual)
    pool = LazyPool(grams)
    assert same(mixture(pool, weights, None), total)
    assert pool.lazy.asked == np.flatnonzero(weights).tolist()
    pool = LazyPool(grams)
    assert same(Expansion(weights, dual, 0.25).scores(pool), values)
    assert pool.lazy.asked == np.flatnonzero(weights).tolist()


def test_votes_and_sums_ask_for_kernels_that_have_a_say_only():
    grams, labels, order = problem(2)
    voted, summed = fit("omkc_dd", grams, labels, order), fit("om2", grams, labels, order, p=1.5)
    experts = voted.predictor.experts
    empty = replace(voted.predictor, experts=experts._replace(dual=experts.dual * np.array([[1], [0], [1], [1]])))
    silent = replace(voted.predictor, weights=voted.predictor.weights * [1.0, 1.0, 0.0, 1.0])
    for predictor, asked in (
        (voted.predictor, [0, 1, 2, 3]),
        (empty, [0, 2, 3]),
        (silent, [0, 1, 3]),
        (replace(summed.predictor, weights=summed.predictor.weights * [0.0, 1.0, 0.0, 1.0]), [1, 3]),
        (replace(summed.predictor, support=order[:0], dual=np.zeros((4, 0))), []),
    ):
        pool = LazyPool(grams)
        assert same(predictor.scores(pool), predictor.scores(Stored(list(grams))))
        assert pool.lazy.asked == asked


# --- one kernel by its number -----------------------------------------------------------------------------------------


class Nothing(Single):
    """A pool without kernel values."""

    values = Single.refuse


def test_a_single_kernel_looks_at_no_kernel_value():
    grams, labels, order = problem(0)
    for kernel in (0, 3, 2.0):  # a tuned parameter is a float
        fitted = fit("single_kernel", Nothing(grams), labels, order, kernel=kernel)
        assert fitted.weights.tolist() == [float(k == kernel) for k in range(4)]
        assert fitted.predictor is None and fitted.work.kernel_values == 0
        pool = LazyPool(grams)
        assert same(fitted.gram(pool), grams[int(kernel)])
        assert pool.lazy.asked == [kernel]


@pytest.mark.parametrize("name", ["single_kernel", "perceptron"])
def test_a_kernel_is_one_of_the_pool(name):
    grams, labels, order = problem(0)
    for wrong in (4, 1.5):
        message = f"kernel must be an index below the number of kernels 4, got {wrong}"
        with pytest.raises(ValueError, match=re.escape(message)):
            fit(name, grams, labels, order, kernel=wrong)
    assert same(fit(name, grams, labels, order, kernel=2.0), fit(name, grams, labels, order, kernel=2))


# --- several passes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_first_of_two_passes_is_the_pass_alone(name):
    grams, labels, order = problem(1)
    one, two = (fit(name, grams, labels, order, delta=delta).trace for delta in ((0.5,), (0.5, 0.2)))
    T = len(order)
    for field in ("mistakes", "scores", "support_vectors", "weights"):
        assert same(getattr(one, field), getattr(two, field)[:T])
        assert len(getattr(two, field)) == 2 * T
    assert (two.support_vectors[:-1] <= two.support_vectors[1:]).all()
    assert two.support_vectors[-1] < two.updates.sum()  # what is added again is no new support vector
    assert (two.updates >= one.updates).all() and two.updates.sum() > one.updates.sum()


PASSES = [
    (lambda mistakes: np.append(mistakes, [True] * 3), r"expected an array of bool \(90,\), got bool \(93,\)"),
    (lambda mistakes: mistakes[:44], r"expected an array of bool \(45,\), got bool \(44,\)"),
    (lambda mistakes: mistakes.tolist()[:3], r"expected an array of bool \(45,\), got list"),
    (lambda mistakes: mistakes ^ (np.arange(90) == 70), "expected what the scores say, .* in round 71"),
]


@pytest.mark.parametrize(("change", "message"), PASSES)
def test_a_trace_has_whole_passes_that_agree_with_their_labels(change, message):
    grams, labels, order = problem(0)
    fitted = fit("oks", grams, labels, order)
    trace = replace(fitted.trace, mistakes=change(fitted.trace.mistakes))
    with pytest.raises(ContractError, match=f"trace.mistakes: {message}"):
        check(replace(fitted, trace=trace), Stored(grams), labels, order)
