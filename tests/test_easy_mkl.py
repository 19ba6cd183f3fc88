"""EasyMKL against a naive reference, and what must hold for it."""

import fitting
import numpy as np
import pytest
from batch_reference import problem
from mkl_reference import easy_mkl, nearest

from grambench.kernels.pool import Stored
from grambench.solvers import certificates

SHARES = (0.001, 0.1, 0.5, 0.99, 1.0)


def fit(grams, labels, regulariser=0.1):
    return fitting.fit("easy_mkl", grams, labels, regulariser=regulariser)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_equals_the_reference(share, seed):
    grams, labels = problem(seed)
    ours, theirs = fit(grams, labels, share), easy_mkl(grams, labels, share)
    assert ours.steps[-1].objective == pytest.approx(theirs["objective"], rel=1e-4)
    np.testing.assert_allclose(ours.weights, theirs["weights"], rtol=5e-3, atol=1e-5)
    margin = np.abs(theirs["values"]).max()
    np.testing.assert_allclose(ours.predictor.scores(Stored(grams)), theirs["values"], rtol=0, atol=2e-3 * margin)


@pytest.mark.parametrize("share", SHARES)
def test_its_certificate_is_that_of_its_solver(share):
    grams, labels = problem(4)
    certificate = fit(grams, labels, share).certify()
    assert 0.0 <= certificate.gap < 3e-3
    if share < 1.0:
        assert certificate.kkt <= 1.1e-3  # the solver's tolerance


def test_a_certificate_bounds_how_much_better_the_optimum_is():
    grams, labels = problem(5)
    gram, rng = grams.sum(axis=0), np.random.default_rng(0)
    best = nearest(gram, labels, 0.2)[1]
    for _ in range(20):
        gamma = rng.dirichlet(np.ones(len(labels)))
        for label in (-1, 1):
            gamma[labels == label] /= gamma[labels == label].sum()
        value = 0.8 * (labels * gamma) @ gram @ (labels * gamma) + 0.2 * gamma @ gamma
        found = certificates.hulls(gram, labels, 0.2, labels * gamma)
        assert value * (1 - found.gap) <= best * (1 + 1e-9)
        assert found.kkt > 0.0
    assert certificates.hulls(gram, labels, 0.2, 2.0 * labels * gamma) == (np.inf, np.inf)
    assert certificates.hulls(gram, labels, 0.2, -labels * gamma) == (np.inf, np.inf)


def test_at_one_it_is_the_distance_to_the_means():
    grams, labels = problem(2)
    found = fit(grams, labels, 1.0)
    kernel = np.tensordot(found.weights, grams, 1)
    up, down = (kernel[:, labels == label].mean(axis=1) for label in (1, -1))
    middle = 0.5 * (up[labels == 1].mean() - down[labels == -1].mean())
    np.testing.assert_allclose(found.predictor.scores(Stored(grams)), up - down - middle, atol=1e-12)


def test_equal_kernels_share_the_weight_and_a_kernel_of_zeros_gets_none():
    grams, labels = problem(3)
    found = fit(np.stack([grams[1], grams[1], 0.0 * grams[1]]), labels)
    assert found.weights[0] == found.weights[1] > 0.0
    assert found.weights[2] == 0.0


def test_hulls_that_meet_are_told_apart_by_the_regulariser():
    constant, labels = np.ones((1, 6, 6)), np.array([1, 1, -1, -1, -1, -1], dtype=np.int8)
    found = fit(constant, labels)
    assert found.weights == [1.0]
    np.testing.assert_allclose(found.predictor.scores(Stored(constant)), 0.0, atol=1e-12)
