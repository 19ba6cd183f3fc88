"""CKA against a naive reference, and what must hold for it."""

from functools import partial

import fitting
import numpy as np
import pytest
from batch_reference import problem
from mkl_reference import cka

from grambench.algorithms.alignment import alignment
from grambench.kernels.continuous import load
from grambench.kernels.pool import Continuous, GridPool

fit = partial(fitting.fit, "cka")


@pytest.mark.parametrize("seed", range(5))
def test_equals_the_reference(seed):
    grams, labels = problem(seed)
    found = fit(grams, labels)
    np.testing.assert_allclose(found.weights, cka(grams, labels), rtol=1e-12)
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.predictor is None


def test_a_kernels_scale_changes_nothing_and_one_kernel_has_all_the_weight():
    grams, labels = problem(1)
    factors = np.array([1e-3, 1.0, 7.0, 1e4, 0.5])[:, None, None]
    np.testing.assert_allclose(fit(factors * grams, labels).weights, fit(grams, labels).weights)
    assert fit(grams[:1], labels).weights == [1.0]


def test_what_is_not_aligned_has_no_weight():
    grams, labels = problem(1)
    against = -np.outer(labels, labels).astype(np.float64)
    assert alignment(against, labels) < 0.0
    assert fit([grams[0], against], labels).weights.tolist() == [1.0, 0.0]
    assert fit(np.ones((2, 14, 14)), labels).weights.tolist() == [0.5, 0.5]


def test_a_grid_can_be_refined():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(20, 2))
    labels = np.where(features[:, 0] > 0, 1, -1).astype(np.int8)
    pool = GridPool(Continuous(load("gaussian"), features, 0.1, 10.0, np.geomspace(0.1, 10.0, 3)))
    found = fit(pool, labels, refine=2)
    np.testing.assert_allclose(np.concatenate(found.thetas), np.geomspace(0.1, 10.0, 5))
    np.testing.assert_allclose(found.weights, cka(list(pool.refined(2).grams()), labels))
