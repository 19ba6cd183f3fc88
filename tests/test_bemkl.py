"""BEMKL against a naive reference with its variational bound, and what must hold for it."""

from functools import partial

import fitting
import numpy as np
import pytest
from batch_reference import problem
from mkl_reference import bemkl

from grambench.kernels.pool import Stored

fit = partial(fitting.fit, "bemkl")
SETTINGS = [{}, {"sparsity": 10.0}, {"sigma": 1.0, "margin": 0.0}]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("iterations", [1, 2, 5, 30])
def test_equals_the_reference(iterations, settings):
    grams, labels = problem(1)
    grams = grams * np.array([1.0, 10.0, 1e-3, 1.0, 1.0])[:, None, None]
    found = fit(grams, labels, tolerance=1e-12, iterations=iterations, **settings)
    values, weights, _ = bemkl(grams, labels, iterations, **settings)
    np.testing.assert_allclose(found.weights, np.maximum(weights, 0.0), rtol=1e-6, atol=1e-12)
    # the last outputs are predicted from a, and those of the approximation lie between these and the labels
    assert np.corrcoef(found.predictor.scores(Stored(grams)), values)[0, 1] > 0.9
    assert not found.converged and len(found.steps) == iterations


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_bound_never_falls(settings):
    """Of the reference, whose updates are those of the algorithm to the last digits."""
    grams, labels = problem(0)
    bounds = bemkl(grams, labels, 60, **settings)[2]
    assert np.isfinite(bounds).all() and bounds[-1] > bounds[0]
    assert (np.diff(bounds) >= -1e-8 * np.abs(bounds[-1])).all()


def test_updates_end_where_no_output_moves():
    grams, labels = problem(2, n=40)
    coarse, fine = fit(grams, labels, tolerance=0.1), fit(grams, labels, tolerance=1e-3, iterations=2000)
    assert coarse.converged and fine.converged
    assert len(coarse.steps) < len(fine.steps)
    assert fine.steps[-1].objective <= 1e-3 < fine.steps[-2].objective


def test_sparse_weights_are_fewer():
    grams, labels = problem(0, n=40)
    rng = np.random.default_rng(0)
    pool = np.array([*grams[1:3], *(np.outer(x, x) for x in rng.normal(size=(6, 40)))])
    shares = [fit(pool, labels, sparsity=s).weights for s in (0.0, 10.0)]
    counts = [np.count_nonzero(weights > 0.01 * weights.max()) for weights in shares]
    assert counts[1] < counts[0]


def test_negated_labels_negate_the_decision():
    grams, labels = problem(1)
    before, after = fit(grams, labels), fit(grams, (-labels).astype(np.int8))
    scores = [each.predictor.scores(Stored(grams)) for each in (before, after)]
    np.testing.assert_allclose(scores[1], -scores[0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_weight_below_zero_is_used_and_recorded_as_zero(seed):
    """All kernels share coefficients, so that e is that of the largest weight, times a ratio."""
    grams, labels = problem(seed)
    pool = np.array([grams[1], 3.0 * grams[1].max() - grams[1]])
    found = fit(pool, labels)
    first, second = found.predictor.dual
    ratio = (first @ second) / (first @ first)
    np.testing.assert_allclose(second, ratio * first, rtol=1e-9, atol=1e-12)
    assert ratio < 0.0 < found.weights[0] and found.weights[1] == 0.0
