"""The online protocol: orders, seeds, checkpoints, and what is recorded of a pass."""

import dataclasses
import itertools

import numpy as np
import pytest
from fitting import fit
from problems import labelled, prepared
from specifications import make_run

from grambench import algorithms
from grambench.algorithms.feature_learner import FeatureLearner
from grambench.common import clock
from grambench.config.metrics import WORK
from grambench.config.protocols import Online
from grambench.experiments import online
from grambench.experiments.pools import full_pool
from grambench.experiments.seeds import seeds
from grambench.experiments.training import counts
from grambench.kernels import grams
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored

KERNELS = [Kernel("polynomial", 1), Kernel("gaussian", 1.0)]


@pytest.fixture
def problem():
    """A data set and its Gram matrices."""
    features, labels = labelled(3, 70, 4, lambda x, noise: x[0] + 0.5 * noise > 0)
    return prepared(features, labels, name="x"), list(grams.compute(grams.inner_products(features), KERNELS))


def asked(file, points, **protocol):
    return make_run(
        file, "online", protocol=protocol, points=points, kernels=[kernel.name for kernel in KERNELS], seed=0
    )


def test_seeded_orders_are_shared_distinct_and_reproducible():
    first = online.draw_orders(None, 70, 5, 1, "wdbc")
    assert first.origin == "seeded"
    assert all(sorted(order) == list(range(70)) for order in first.indices.tolist())
    assert len({tuple(order) for order in first.indices.tolist()}) == 5
    assert np.array_equal(first.indices, online.draw_orders(None, 70, 5, 1, "wdbc").indices)
    assert np.array_equal(first.indices[:3], online.draw_orders(None, 70, 3, 1, "wdbc").indices)
    for other in (online.draw_orders(None, 70, 5, 2, "wdbc"), online.draw_orders(None, 70, 5, 1, "sonar")):
        assert not np.array_equal(first.indices, other.indices)


def test_published_orders_are_used_where_there_are_enough():
    published = np.array([np.random.default_rng(r).permutation(70) for r in range(4)], dtype=np.int32)
    assert online.draw_orders(published, 70, 3, 1, "wdbc").origin == "published"
    assert np.array_equal(online.draw_orders(published, 70, 3, 1, "wdbc").indices, published[:3])
    assert online.draw_orders(published, 70, 5, 1, "wdbc").origin == "seeded"


@pytest.mark.parametrize(("rounds", "count"), [(351, 50), (9888, 50), (7, 50), (1, 2), (100, 10)])
def test_checkpoints_end_with_the_pass(rounds, count):
    points = online.checkpoints(rounds, count)
    assert points[-1] == rounds
    assert len(points) <= min(rounds, count)
    assert points[0] >= 1
    assert (np.diff(points) > 0).all()


@pytest.mark.parametrize(
    ("name", "points"),
    [("omkc_sd", [{"beta": 0.5}, {"beta": 0.9}]), ("oks", [{}]), ("om2", [{"passes": 3, "p": None}])],
)
def test_what_is_recorded_is_what_the_first_pass_of_the_algorithm_did(problem, name, points):
    data, pool = problem
    orders = online.draw_orders(None, 70, 3, 0, "x")
    result = online.outcome(asked(name, points, repetitions=3, checkpoints=7), data, pool)
    assert result.rounds.tolist() == [10, 20, 30, 40, 50, 60, 70]
    for p, point in enumerate(points):
        for r in range(3):
            fitted = fit(name, pool, data.labels, orders.indices[r], seed=seeds(0, f"x/{name}", r)[1], **point)
            trace = fitted.trace
            assert result.metrics["mistake_percent"][p, r] == pytest.approx(100 * trace.mistakes[:70].mean())
            assert result.metrics["support_vectors"][p, r] == trace.support_vectors[69]
            assert result.curves["mistake_percent"][p, r, 2] == pytest.approx(100 * trace.mistakes[:30].mean())
            assert result.curves["support_vectors"][p, r, 2] == trace.support_vectors[29]
            assert np.array_equal(result.curves["weights"][p, r, [2, -1]], trace.weights[[29, 69]])
            assert np.array_equal(result.kernel_values["updates"][p, r], trace.updates)
            for metric, count in counts(fitted.work, 70).items():
                assert result.metrics[metric][p, r] == count


@pytest.mark.parametrize(
    ("durations", "expected"),
    [  # at first the compiler's, and those of the same few examples again
        ([9.0, 0.1, 5.2, 0.3, 0.5], [0.3, 0.5]),  # the first order twice: it maps the Gram matrices into memory
        ([9.0, 0.1, 11.5, 12.5], [11.5, 12.5]),  # a long fit is not done again
    ],
)
def test_seconds_of_the_first_short_fit_are_the_shorter_of_two(problem, monkeypatch, durations, expected):
    perceptron = algorithms.load("perceptron")
    passed = [0.0]
    left = list(durations)

    def slow(*arguments, **keywords):
        passed[0] += left.pop(0)
        return perceptron.fit(*arguments, **keywords)

    monkeypatch.setattr(clock, "now", lambda: clock.Seconds(passed[0], 1.5 * passed[0]))
    monkeypatch.setattr(algorithms, "load", lambda name: dataclasses.replace(perceptron, fit=slow))
    result = online.outcome(asked("perceptron", [{}], repetitions=2, checkpoints=2), *problem)
    assert not left
    assert result.metrics["seconds"][0] == pytest.approx(expected)
    assert result.metrics["wall_seconds"][0] == pytest.approx(1.5 * np.array(expected))


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("om2", {}, "no"),
        ("omkc_dd", {}, "no"),
        ("uniform_svm", {}, "no"),
        ("omkc_ss", {}, "yes"),
        ("omkc_ds", {}, "yes"),
    ],
)
def test_whether_random_numbers_were_drawn_is_measured(problem, name, point, expected):
    assert online.outcome(asked(name, [point], repetitions=2, checkpoints=4), *problem).random == expected


@pytest.mark.parametrize(
    "draw", [lambda rng: rng.random(), lambda rng: rng.integers(2, dtype=np.uint32), lambda rng: rng.spawn(1)]
)
def test_one_draw_of_any_kind_in_one_repeat_is_seen(problem, monkeypatch, draw):
    perceptron = algorithms.load("perceptron")
    first = online.draw_orders(None, 70, 2, 0, "x").indices[0]

    def drawing(parameters, pool, labels, *, order, rng):
        if np.array_equal(order, first):
            draw(rng)
        return perceptron.fit(parameters, pool, labels, order=order, rng=rng)

    monkeypatch.setattr(algorithms, "load", lambda name: dataclasses.replace(perceptron, fit=drawing))
    assert online.outcome(asked("perceptron", [{}, {}], repetitions=2, checkpoints=2), *problem).random == "yes"


# algorithms that learn from all examples at once


def test_one_that_learns_from_all_at_once_is_trained_anew_on_what_has_been_seen(problem):
    """By hand: at each checkpoint a fit to the examples so far, which predicts those up to the next one."""
    data, pool = problem
    rounds = [18, 35, 52, 70]
    result = online.outcome(asked("uniform_svm", [{"C": 2.0}], repetitions=2, checkpoints=4), data, pool)
    assert result.rounds.tolist() == rounds
    for r, order in enumerate(online.draw_orders(None, 70, 2, 0, "x").indices):
        labels = data.labels[order]
        made = [np.count_nonzero(labels[:18] != 1)]  # nothing has been seen: as many of each class, which is +1
        work = dict.fromkeys(WORK, 0)
        for before, now in itertools.pairwise([*rounds, 70]):
            known = Stored(pool).part(order[:before], order[:before])
            fitted = fit("uniform_svm", known, labels[:before], C=2.0)
            work = {name: work[name] + count for name, count in counts(fitted.work, before).items()}
            whole = Stored(pool).part(order[:now], order[:before])
            wrong = (fitted.predictor.scores(whole)[before:] >= 0.0) != (labels[before:now] > 0)
            made.append(made[-1] + np.count_nonzero(wrong))
        np.testing.assert_allclose(result.curves["mistake_percent"][0, r], 100.0 * np.array(made[:4]) / rounds)
        assert {name: result.metrics[name][0, r] for name in work} == work
    assert (result.curves["weights"] == 0.5).all()
    assert np.isnan(result.kernel_values["updates"]).all()
    assert (result.metrics["svm_calls"] == 4).all()


def test_until_each_class_has_been_seen_a_few_times_the_majority_is_predicted(problem):
    """The published order shows all of one class first."""
    data, pool = problem
    order = np.argsort(data.labels, kind="stable").astype(np.int32)
    negative = np.count_nonzero(data.labels < 0)
    data = dataclasses.replace(data, orders=order[None])
    result = online.outcome(asked("uniform_svm", [{}], repetitions=1, checkpoints=70), data, pool)
    assert result.origin == "published" and result.rounds.tolist() == list(range(1, 71))
    made = np.round(result.curves["mistake_percent"][0, 0] * result.rounds / 100.0)
    # the very first is taken for +1; then -1, right up to the first +1, wrong for those until five have been seen
    assert made[: negative + 5].tolist() == [1.0] * negative + [2.0, 3.0, 4.0, 5.0, 6.0]
    support = result.curves["support_vectors"][0, 0]
    assert (support[: negative + 4] == 0).all() and (support[negative + 4 :] > 0).all()


# more than two classes, and other examples than vectors


@pytest.fixture
def of_classes():
    """A data set of three classes and its Gram matrices."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(70, 4))
    value = features[:, 0] + 0.3 * rng.normal(size=70)
    labels = (np.argsort(np.argsort(value)) * 3 // 70).astype(np.int8)
    data = prepared(features, labels, name="x", classes=("a", "b", "c"))
    return data, list(grams.compute(grams.inner_products(features), KERNELS))


def test_a_two_class_algorithm_passes_once_for_each_class_and_the_largest_score_predicts(of_classes):
    data, pool = of_classes
    result = online.outcome(asked("omkc_sd", [{}], repetitions=2, checkpoints=7), data, pool)
    for r, order in enumerate(online.draw_orders(None, 70, 2, 0, "x").indices):
        fits = []
        for label in range(3):
            labels = np.where(data.labels == label, 1, -1).astype(np.int8)
            fits.append(fit("omkc_sd", pool, labels, order, seed=seeds(0, "x/omkc_sd", r)[1]))
        scores = np.stack([fit.trace.scores for fit in fits], axis=1)
        wrong = scores.argmax(axis=1) != data.labels[order]
        expected = 100.0 * np.cumsum(wrong)[result.rounds - 1] / result.rounds
        assert np.array_equal(result.curves["mistake_percent"][0, r], expected)
        assert result.metrics["error_percent"][0, r] == result.metrics["mistake_percent"][0, r]
        weights = np.mean([fit.trace.weights[result.rounds - 1] for fit in fits], axis=0)
        assert np.array_equal(result.curves["weights"][0, r], weights)
        updates = np.sum([fit.trace.updates for fit in fits], axis=0)
        assert np.array_equal(result.kernel_values["updates"][0, r], updates)
        for name in ("kernel_values", "row_additions"):
            assert result.metrics[name][0, r] == sum(getattr(fit.work, name) for fit in fits)


@pytest.mark.parametrize("file", ["uniform_svm", "cka", "pegasos"])
def test_what_learns_from_all_at_once_learns_more_classes(file, of_classes):
    """Until each has been received a few times, the most frequent is predicted, of equally frequent ones the first."""
    data, pool = of_classes
    order = np.argsort(data.labels, kind="stable").astype(np.int32)
    counts_of = np.bincount(data.labels)
    data = dataclasses.replace(data, orders=order[None])
    result = online.outcome(asked(file, [{}], repetitions=1, checkpoints=70), data, pool)
    made = np.round(result.curves["mistake_percent"][0, 0] * result.rounds / 100.0)
    first, second, _ = counts_of
    enough = first + second + 5
    # The first class is predicted all the time: no other is received more often before the third begins.
    expected = np.concatenate([np.zeros(first), np.arange(1, second + 6)])
    assert (first, second) == (24, 23) and made[:enough].tolist() == expected.tolist()
    assert made[-1] < second + counts_of[2]
    assert (result.curves["support_vectors"][0, 0, : enough - 1] == 0).all()


def test_views_and_blocks_of_pixels_are_passed_over_without_stored_matrices(problem):
    data, _ = problem
    pixels = np.clip(60.0 * data.features + 128.0, 0, 255).astype(np.uint8)
    kernels = ["left/unitpolynomial_p1", "right/meangaussian_s1"]
    for images in ((), tuple(map(str, range(70)))):
        views = {"left": pixels[:, :2].copy(), "right": pixels[:, 2:].copy()}
        made = dataclasses.replace(data, features=np.empty((70, 0)), views=views, images=images)
        run = make_run("om2", "online", protocol={"repetitions": 2, "checkpoints": 7}, kernels=kernels)
        result = online.outcome(run, made, ())
        expected = online.outcome(run, data, list(full_pool(run, made, ()).grams()))
        for name in result.metrics.keys() - {"seconds", "wall_seconds", "kernel_values", "operations"}:
            np.testing.assert_allclose(result.metrics[name], expected.metrics[name], err_msg=name)
        np.testing.assert_allclose(result.curves["weights"], expected.curves["weights"])


@pytest.mark.parametrize("classes", [0, 3])
@pytest.mark.parametrize("name, point", [("omkc_ds", {"beta": 0.9}), ("oks", {"eta": 0.1}), ("som", {"beta": 0.9})])
def test_a_pass_on_features_is_the_loop_that_learns_streams(problem, classes, name, point):
    data, pool = problem
    numbers = np.arange(70) % 3 if classes else (data.labels > 0).astype(np.intp)
    labels = numbers.astype(np.int8) if classes else data.labels
    data = dataclasses.replace(data, labels=labels, classes=tuple("abc"[:classes]))
    run = asked(name, [point], repetitions=2, checkpoints=7)
    run = dataclasses.replace(run, approximation="fourier", n_components=8)
    result = online.outcome(run, data, pool)
    orders = online.draw_orders(None, 70, 2, 0, "x")
    for r, order in enumerate(orders.indices):
        seed = int(seeds(0, f"x/{name}", r)[1].generate_state(1)[0])
        settings = {"method": "fourier", "n_components": 8, "scale": False, "seed": seed}
        learner = FeatureLearner(name, point, KERNELS, data.features[order], classes or 2, **settings)
        mistakes = []
        for now in range(10, 71, 10):
            learner.learn(data.features[order[now - 10 : now]], numbers[order[now - 10 : now]])
            mistakes.append(100.0 * learner.mistakes / now)
        assert result.curves["mistake_percent"][0, r].tolist() == mistakes
        assert np.array_equal(result.kernel_values["updates"][0, r], learner.updates)
        assert np.allclose(result.curves["weights"][0, r].sum(axis=1), 1.0)
    assert result.random == "yes" and np.isfinite(result.metrics["auc_percent"]).all()
    # the points at which it is measured change nothing
    often = online.outcome(dataclasses.replace(run, protocol=Online(kind="online", repetitions=2)), data, pool)
    assert np.array_equal(often.metrics["mistake_percent"], result.metrics["mistake_percent"])


def test_kernels_that_are_not_stored_give_the_mistakes_of_stored_ones(problem):
    data, pool = problem
    stored = online.outcome(asked("omkc_dd", [{}], repetitions=2), data, pool)
    computed = online.outcome(asked("omkc_dd", [{}], repetitions=2, stored=False), data, [])
    assert np.array_equal(stored.curves["mistake_percent"], computed.curves["mistake_percent"])
    assert np.array_equal(stored.curves["support_vectors"], computed.curves["support_vectors"])


def test_data_that_change_over_time_keep_their_order(problem):
    data, pool = problem
    result = online.outcome(asked("omkc_ds", [{}], repetitions=2, shuffle=False), data, pool)
    assert result.origin == "stored"
    for r in range(2):
        trace = fit("omkc_ds", pool, data.labels, seed=seeds(0, "x/omkc_ds", r)[1]).trace
        assert result.metrics["mistake_percent"][0, r] == 100.0 * trace.mistakes.mean()
