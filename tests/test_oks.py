"""Selection of a kernel by draws (OKS, SOM): references, laziness, several passes; and what asks for few kernels."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import reference
import yaml
from fitting import fit, pool_of, scores
from specifications import make_run

from grambench import algorithms
from grambench.algorithms.alignment import alignment
from grambench.algorithms.bandit import draw, normalised_weights
from grambench.algorithms.checks import check, learn
from grambench.algorithms.fit import Expansion, mixture
from grambench.common.errors import ConfigError, ContractError
from grambench.config.study import Study
from grambench.datasets import store
from grambench.experiments import online
from grambench.experiments.conformance import same
from grambench.experiments.seeds import seeds
from grambench.experiments.training import counts
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


class Lazy(Sequence):
    """Gram matrices that are made when they are asked for; `asked` tells which were."""

    def __init__(self, grams):
        self.made, self.asked = grams, []

    def __len__(self):
        return len(self.made)

    def __getitem__(self, k):
        if k >= len(self.made):
            raise IndexError(k)
        self.asked.append(k)
        return self.made[k].copy()


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


@pytest.mark.parametrize("step", [1.0, 0.3])
@pytest.mark.parametrize("passes", [1, 2])
def test_one_kernel_is_the_perceptron_with_a_step_size(step, passes):
    grams, labels, order = problem(0)
    trace = fit("oks", grams[1:2], labels, order, step=step, delta=(0.5,) * passes).trace
    dual, mistakes, made = {}, [], []
    for i in order.tolist() * passes:
        total = 0.0
        for s, coefficient in dual.items():
            total += float(grams[1][i, s]) * coefficient
        made.append(total)
        mistakes.append(labels[i] * total <= 0.0)
        if mistakes[-1]:
            dual[i] = dual.get(i, 0.0) + step * float(labels[i])
    assert trace.scores.tolist() == made
    assert trace.mistakes.tolist() == mistakes
    assert trace.support_vectors[-1] == len(dual) and trace.updates.tolist() == [sum(mistakes)]
    assert (trace.weights == 1.0).all()


@pytest.mark.parametrize("name", ["oks", "som"])
@pytest.mark.parametrize("power", [-10, -1, 10])
def test_the_step_changes_no_draw_no_mistake_and_no_selection(name, power):
    grams, labels, order = problem(1)
    one, other = (fit(name, grams, labels, order, step=step) for step in (1.0, 2.0**power))
    assert same(one.weights, other.weights)
    assert same(one.trace, replace(other.trace, scores=one.trace.scores))
    assert same(one.trace.scores * 2.0**power, other.trace.scores)
    assert same(scores(one, grams) * 2.0**power, scores(other, grams))


def test_som_and_oks_differ_by_the_probabilities():
    """Where beta is exp(-eta) and p is 1, the two are one algorithm; with more kernels they are not."""
    grams, labels, order = problem(2)
    for m, equal in ((1, True), (4, False)):
        oks = fit("oks", grams[:m], labels, order, eta=0.1).trace
        som = fit("som", grams[:m], labels, order, beta=math.exp(-0.1)).trace
        assert np.array_equal(oks.scores, som.scores) == equal


# --- draws and weights ------------------------------------------------------------------------------------------------


def test_draws_have_their_probabilities():
    p = np.array([0.1, 0.0, 0.65, 0.25])
    drawn = [draw(p, uniform) for uniform in (np.arange(10_000) + 0.5) / 10_000]
    assert np.bincount(drawn, minlength=4).tolist() == [1000, 0, 6500, 2500]
    assert draw(np.full(3, 0.3), 0.95) == 2  # what rounding may leave
    assert [draw(np.array([0.0, 0.5, 0.5]), uniform) for uniform in (0.0, 0.5)] == [1, 2]  # never one of 0


@pytest.mark.parametrize("name", NAMES)
def test_every_kernel_is_drawn_as_often_as_its_probability_says(name):
    """Over many seeds the share of each kernel's draws is its mean probability, within five standard errors."""
    grams, labels, order = problem(3, n=40)
    drawn, expected, rounds = np.zeros(4), np.zeros(4), 0
    for seed in range(60):
        pool = Single(np.concatenate([grams[:1]] * 4))  # only the draws differ
        trace = fit(name, pool, labels, order, seed=seed, delta=(0.3,)).trace
        q = np.vstack([np.full(4, 0.25), trace.weights[:-1]])
        expected += (0.7 * q + 0.3 / 4).sum(axis=0)
        uniforms = np.random.default_rng(seed).random(len(order))
        drawn += np.bincount([draw(p, u) for p, u in zip(0.7 * q + 0.3 / 4, uniforms, strict=True)], minlength=4)
        changed = np.abs(np.diff(np.vstack([np.full(4, 0.25), trace.weights]), axis=0)).max(axis=1) > 0
        assert not name.startswith("o") or changed[trace.mistakes].all()  # eta > 0
        rounds += len(order)
    assert np.abs(drawn - expected).max() < 5 * math.sqrt(rounds * 0.25)


def test_weights_survive_what_would_underflow():
    grams, labels, order = problem(4, n=200)
    labels = np.random.default_rng(0).permutation(labels)  # which no kernel tells
    for name, settings in (("oks", {"eta": 50.0}), ("som", {"beta": 1e-30}), ("oks_loss", {"eta": 50.0})):
        trace = fit(name, grams, labels, order, **settings).trace
        assert trace.updates.min() > 15  # exp(-50)^15 and (1e-30)^11 are 0 in double precision
        np.testing.assert_allclose(trace.weights.sum(axis=1), 1.0, atol=1e-12)
    assert normalised_weights(np.array([-1e6, -1e6 - math.log(3.0)])).tolist() == pytest.approx([0.75, 0.25])


def test_oks_finds_the_kernel_that_tells_most():
    chosen = []
    for seed in range(20):
        grams, labels, order = problem(seed, n=300, m=6)
        chosen.append(int(fit("oks", grams, labels, order, seed=seed).weights.argmax()))
    assert chosen.count(0) >= 15  # by chance 3


def test_the_default_eta_is_that_of_the_theorem():
    parameters = algorithms.load("oks").parameters
    expected = [math.sqrt(2 * (1 - delta) * math.log(60) / (60 * 3000)) for delta in (0.5, 0.2)]
    assert parameters().etas(60, 3000) == pytest.approx(expected, rel=1e-14)
    halved = parameters(horizon="all").etas(60, 1500)
    assert halved == pytest.approx(expected, rel=1e-14)
    assert parameters(eta=0.25).etas(60, 3000) == [0.25, 0.25]
    hinge = algorithms.load("oks_loss").parameters(radius=3.0)
    assert hinge.etas(60, 3000, hinge.loss_bound) == pytest.approx([value / 4.0 for value in expected], rel=1e-14)


# --- Algorithm 1 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared"])
@pytest.mark.parametrize("radius", [0.5, 4.0])
def test_losses_and_slopes_stay_within_their_bounds(loss, radius):
    grams, labels, order = problem(5)
    parameters = algorithms.load("oks_loss").parameters(loss=loss, radius=radius)
    trace = fit("oks_loss", grams, labels, order, loss=loss, radius=radius, step=5.0).trace
    of_rounds = [
        reference.LOSSES[loss](f, int(y)) for f, y in zip(trace.scores, np.tile(labels[order], 2), strict=True)
    ]
    assert max(value for value, _ in of_rounds) <= parameters.loss_bound * (1 + 1e-12)
    assert max(abs(slope) for _, slope in of_rounds) <= parameters.slope_bound * (1 + 1e-12)
    assert np.abs(trace.scores).max() > 0.8 * radius  # the ball is reached
    value, slope = reference.LOSSES[loss](-radius, 1)
    assert (parameters.loss_bound, parameters.slope_bound) == pytest.approx((value, -slope))


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared"])
@pytest.mark.parametrize("radius", [0.5, 4.0])
def test_the_default_step_minimises_the_bound_of_theorem_1(loss, radius):
    parameters = algorithms.load("oks_loss").parameters(loss=loss, radius=radius)
    m, T, G = 60, 3000, parameters.slope_bound
    for delta, step in zip((0.5, 0.2), parameters.steps(m, T), strict=True):
        candidates = step * np.geomspace(0.1, 10.0, 2001)  # the middle one is the step itself
        bounds = radius**2 / (2 * candidates) + candidates * m * T * G**2 / (2 * delta)
        assert bounds.argmin() == 1000
    assert replace(parameters, horizon="all").steps(m, T // 2) == pytest.approx(parameters.steps(m, T), rel=1e-14)
    assert replace(parameters, step=0.25).steps(m, T) == [0.25, 0.25]


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


def test_study_oks_tunes_the_step_of_algorithm_1_as_the_paper_does():
    study = Study.model_validate(yaml.safe_load((ROOT / "config/studies/oks.yaml").read_text()))
    assert [name for name, entry in study.algorithms.items() if entry.algorithm == "oks_loss"] == ["oks_hinge"]
    tune = study.algorithms["oks_hinge"].tune
    assert (tune.parameter, tune.values) == ("step", [2.0**power for power in range(-10, 11)])


def test_theorem_1():
    """The expected loss of q, estimated by that of the drawn kernels, against an f of the ball and the terms."""
    grams, labels, order = problem(6, n=400, m=2)
    T, m, delta, step = len(order), 2, 0.5, 0.025
    parameters = algorithms.load("oks_loss").parameters(delta=(delta,), step=step)
    (eta,), L, G = parameters.etas(m, T, parameters.loss_bound), parameters.loss_bound, parameters.slope_bound
    y = labels.astype(float)
    f = grams[0] @ y / math.sqrt(y @ grams[0] @ y)  # of norm 1
    bound = np.maximum(0.0, 1.0 - y * f)[order].sum() + 1.0 / (2 * step) + step * m * T * G**2 / (2 * delta)
    bound += eta * m * T * L**2 / (2 * (1 - delta)) + math.log(m) / eta
    losses = []
    for seed in range(20):
        trace = fit("oks_loss", grams, labels, order, seed=seed, delta=(delta,), step=step).trace
        q = np.vstack([np.full(m, 1 / m), trace.weights[:-1]])
        p = (1 - delta) * q + delta / m
        drawn = [draw(*each) for each in zip(p, np.random.default_rng(seed).random(T), strict=True)]
        ratio = (q / p)[np.arange(T), drawn]
        losses.append(float((ratio * np.maximum(0.0, 1.0 - trace.scores * y[order])).sum()))
    assert bound < 0.75 * T  # it says something: f = 0 loses T
    assert np.mean(losses) < bound


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


def test_a_vote_without_weight_changes_no_bit():
    """A kernel of weight 0 adds 0 whichever side it is on."""
    grams, labels, order = problem(2)
    voted = fit("omkc_dd", grams, labels, order).predictor
    for k in range(4):
        weights = np.where(np.arange(4) == k, 0.0, voted.weights)
        positive = voted.experts.scores(pool_of(grams), np.ones(4, dtype=bool)) >= 0.0
        total = reference.dot(weights, np.ones(4))
        expected = [reference.dot(weights, np.where(each, 1.0, -1.0)) / total for each in positive]
        assert (
            scores(
                replace(fit("omkc_dd", grams, labels, order), predictor=replace(voted, weights=weights)), grams
            ).tolist()
            == expected
        )


def test_the_best_alignment_reads_each_matrix_once():
    grams, labels, order = problem(3)
    pool = LazyPool(grams)
    fitted = fit("best_alignment", pool, labels, order)
    assert pool.lazy.asked == [0, 1, 2, 3]
    assert fitted.weights.argmax() == int(np.argmax([alignment(gram, labels) for gram in grams]))
    assert fitted.work.kernel_values == grams.size


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
    with pytest.raises(ConfigError, match=f"{name}: kernel must be an index of at least 0, got -1"):
        algorithms.parameters(name, {"kernel": -1})
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


def attempt(change):
    grams, labels, order = problem(0)
    made = fit("oks", grams, labels, order)
    check(replace(made, trace=change(made.trace)), Stored(grams), labels, order)


def test_a_trace_has_whole_passes():
    attempt(lambda trace: trace)
    with pytest.raises(ContractError, match=r"trace.mistakes: expected an array of bool \(90,\), got bool \(93,\)"):
        attempt(lambda trace: replace(trace, mistakes=np.append(trace.mistakes, [True] * 3)))
    with pytest.raises(ContractError, match=r"trace.mistakes: expected an array of bool \(45,\), got bool \(44,\)"):
        attempt(lambda trace: replace(trace, mistakes=trace.mistakes[:44]))
    with pytest.raises(ContractError, match=r"trace.scores: expected an array of float64 \(45,\), got float64 \(90,\)"):
        attempt(lambda trace: replace(trace, mistakes=trace.mistakes[:45]))
    with pytest.raises(ContractError, match=r"trace.mistakes: expected an array of bool \(45,\), got list"):
        attempt(lambda trace: replace(trace, mistakes=trace.mistakes.tolist()[:3]))


def test_later_passes_are_held_against_their_labels():
    def denied(trace):
        mistakes = trace.mistakes.copy()
        mistakes[70] ^= True
        return replace(trace, mistakes=mistakes)

    with pytest.raises(ContractError, match=r"trace.mistakes: expected what the scores say, .* in round 71"):
        attempt(denied)


@pytest.mark.parametrize(("name", "settings"), [("oks", {}), ("om2", {"passes": 3, "p": None})])
def test_the_online_protocol_measures_the_first_pass(name, settings):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(60, 3))
    labels = np.where(features[:, 0] + 0.3 * rng.normal(size=60) > 0, 1, -1).astype(np.int8)
    data = store.PreparedDataset(name="x", features=features, labels=labels, orders=None, source={"kind": "none"})
    grams = [features @ features.T, (features @ features.T + 1.0) ** 2]
    asked = make_run(name, "online", protocol={"repetitions": 2, "checkpoints": 6}, points=[settings], dataset="x")
    result = online.outcome(asked, data, grams)
    orders = online.draw_orders(None, 60, 2, asked.seed, "x")
    for r in range(2):
        algorithm = algorithms.load(name)
        draws = np.random.default_rng(seeds(asked.seed, f"x/{name}", r)[1])
        parameters, order = algorithm.parameters(**settings), orders.indices[r]
        fitted = learn(algorithm, parameters, Stored(grams), labels, order=order, rng=draws)
        trace = fitted.trace
        assert len(trace.mistakes) > 60
        assert result.metrics["mistake_percent"][0, r] == pytest.approx(100 * trace.mistakes[:60].mean())
        assert result.metrics["support_vectors"][0, r] == trace.support_vectors[59]
        assert np.array_equal(result.curves["weights"][0, r, -1], trace.weights[59])
        assert np.array_equal(result.kernel_values["updates"][0, r], trace.updates)
        for metric, count in counts(fitted.work, 60).items():
            assert result.metrics[metric][0, r] == count


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("oks", {"delta": [0.5, 1.0]}, r"oks: delta must hold a value in \(0, 1\) for each pass, got \(0.5, 1.0\)"),
        ("oks", {"delta": []}, r"oks: delta must hold a value in \(0, 1\) for each pass, got \(\)"),
        ("oks", {"eta": 0.0}, "oks: eta must be positive and finite, got 0.0"),
        ("oks", {"step": math.inf}, "oks: step must be positive and finite, got inf"),
        ("oks", {"horizon": "both"}, "oks: horizon must be pass or all, got 'both'"),
        ("som", {"select": "best"}, "som: select must be largest or drawn, got 'best'"),
        ("som", {"beta": 0.0}, r"som: beta must lie in \(0, 1\], got 0.0"),
        ("oks_loss", {"loss": "0-1"}, "oks_loss: loss must be one of hinge, logistic, squared, got '0-1'"),
        ("oks_loss", {"step": 0}, "oks_loss: step must be positive and finite, got 0"),
        ("oks_loss", {"radius": 0}, "oks_loss: radius must be positive and finite, got 0"),
    ],
)
def test_wrong_parameters_give_one_line(name, settings, message):
    with pytest.raises(ConfigError, match=message) as caught:
        algorithms.parameters(name, settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_delta_may_be_a_list_as_in_a_study(name):
    assert algorithms.parameters(name, {"delta": [0.5, 0.2]}) == algorithms.load(name).parameters()
    hash(algorithms.parameters(name, {"delta": [0.3]}))
