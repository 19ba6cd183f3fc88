"""The online protocol: orders, seeds, checkpoints, and what is recorded of a pass."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from grambench import algorithms
from grambench.experiments import online
from grambench.kernels import grams
from grambench.kernels.functions import Kernel

KERNELS = [Kernel("polynomial", 1), Kernel("gaussian", 1.0)]


@pytest.fixture
def problem():
    rng = np.random.default_rng(3)
    features = rng.normal(size=(70, 4))
    labels = np.where(features[:, 0] + 0.5 * rng.normal(size=70) > 0, 1, -1).astype(np.int8)
    return list(grams.compute(grams.inner_products(features), KERNELS)), labels


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


def test_what_is_recorded_is_what_the_algorithm_did(problem):
    pool, labels = problem
    orders = online.draw_orders(None, 70, 3, 0, "x")
    algorithm = algorithms.load("omkc_sd")
    points = [algorithm.parameters(beta=0.5), algorithm.parameters(beta=0.9)]
    result = online.run(algorithm, points, pool, labels, orders, range(3), root=0, dataset="x", curve_points=7)
    assert result.rounds.tolist() == [10, 20, 30, 40, 50, 60, 70]
    for p, parameters in enumerate(points):
        for r in range(3):
            rng = np.random.default_rng(online.seeds(0, "x/omkc_sd", r)[1])
            trace = algorithm.fit(parameters, pool, labels, order=orders.indices[r], rng=rng)
            assert result.metrics["mistake_percent"][p, r] == pytest.approx(100 * trace.mistakes.mean())
            assert result.metrics["support_vectors"][p, r] == trace.support_vectors[-1]
            assert result.curves["mistake_percent"][p, r, 2] == pytest.approx(100 * trace.mistakes[:30].mean())
            assert result.curves["support_vectors"][p, r, 2] == trace.support_vectors[29]
            assert np.array_equal(result.curves["weights"][p, r, 2], trace.weights[29])
            assert np.array_equal(result.kernel_values["updates"][p, r], trace.updates)


@pytest.mark.parametrize(
    ("durations", "expected"),
    [
        ([9.0, 0.4, 0.3, 5.2, 0.5], [0.3, 0.5]),  # compilation, then each order twice: the first reading may be slow
        ([9.0, 11.5, 12.5], [11.5, 12.5]),  # a long fit is not done again
    ],
)
def test_seconds_are_the_shorter_of_two_short_fits(problem, monkeypatch, durations, expected):
    pool, labels = problem
    perceptron = algorithms.load("perceptron")
    clock = [0.0]
    left = list(durations)

    def fit(parameters, grams, labels, *, order, rng):
        clock[0] += left.pop(0)
        return perceptron.fit(parameters, grams, labels, order=order, rng=rng)

    monkeypatch.setattr(online, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    algorithm = dataclasses.replace(perceptron, fit=fit)
    orders = online.draw_orders(None, 70, 2, 0, "x")
    result = online.run(
        algorithm, [perceptron.parameters()], pool, labels, orders, range(2), root=0, dataset="x", curve_points=2
    )
    assert not left
    assert result.metrics["seconds"][0] == pytest.approx(expected)
