"""MKBoost against a naive reference with the same draws, and what must hold for it."""

from functools import partial

import fitting
import numpy as np
import pytest
from batch_reference import problem
from mkl_reference import mkboost

from grambench.kernels.pool import Stored

fit = partial(fitting.fit, "mkboost")


@pytest.mark.parametrize(("kernels", "beta"), [("all", None), ("drawn", 0.3)])
@pytest.mark.parametrize("C", [1.0, 30.0])
@pytest.mark.parametrize("seed", range(2))
def test_equals_the_reference(seed, C, kernels, beta):
    grams, labels = problem(seed, n=30)
    settings = {"C": C, "trials": 12, "sample": 0.4}
    found = fit(grams, labels, seed=seed, base_kernels=kernels, beta=beta or 0.5, **settings)
    votes, values = mkboost(grams, labels, np.random.default_rng(seed), beta=beta, **settings)
    np.testing.assert_allclose(found.weights, votes, atol=1e-9)
    np.testing.assert_allclose(found.predictor.scores(Stored(grams)), values, atol=1e-9)
    svms = found.work.svm_calls
    assert svms == 12 * 5 if kernels == "all" else 12 <= svms < 12 * 5


def test_votes_are_shares_and_more_trials_make_fewer_errors():
    grams, labels = problem(3, n=60)
    errors = []
    for trials in (1, 40):
        found = fit(grams[1:2], labels, C=10.0, trials=trials)
        scores = found.predictor.scores(Stored(grams[1:2]))
        assert found.weights.sum() == pytest.approx(1.0) and np.abs(scores).max() <= 1.0 + 1e-12
        errors.append(np.mean(np.sign(scores) != labels))
    assert errors[1] < errors[0]


def test_without_a_vote_the_last_trial_decides():
    """A constant kernel predicts one class, which is half of the examples."""
    labels = np.array([1, -1] * 10, dtype=np.int8)
    found = fit(np.ones((1, 20, 20)), labels, trials=3)
    assert found.weights.tolist() == [1.0]
    assert np.ptp(found.predictor.scores(Stored(np.ones((1, 20, 20))))) == 0.0


def test_it_draws_along_the_order():
    grams, labels = problem(0, n=50)
    rng = np.random.default_rng(0)
    order, shuffle = rng.permutation(50).astype(np.int32), rng.permutation(50)
    moved, position = np.ascontiguousarray(grams[:, shuffle][:, :, shuffle]), np.argsort(shuffle).astype(np.int32)
    first = fitting.fit("mkboost", grams, labels, order, C=10.0)
    again = fitting.fit("mkboost", moved, labels[shuffle], position[order], C=10.0)
    np.testing.assert_allclose(again.weights, first.weights, rtol=1e-9)
    other = fitting.fit("mkboost", moved, labels[shuffle], C=10.0)
    assert not np.allclose(other.weights, first.weights)
