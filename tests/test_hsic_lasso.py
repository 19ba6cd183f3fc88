"""HSIC Lasso against scikit-learn's lasso on the entries of the matrices, and what must hold for it."""

from functools import partial

import fitting
import numpy as np
import pytest
from batch_reference import problem
from sklearn.linear_model import Lasso

fit = partial(fitting.fit, "hsic_lasso")


def reference(grams, labels, regulariser):
    """Return the weights of the given kernels, which sum to one, by the paper's matrices."""
    n = len(labels)
    centre = np.eye(n) - 1.0 / n
    counts = {label: np.count_nonzero(labels == label) for label in (-1, 1)}
    target = np.array([[1.0 / counts[a] if a == b else 0.0 for b in labels] for a in labels])
    target = centre @ target @ centre
    target /= np.linalg.norm(target)
    columns, norms = [], []
    for gram in grams:
        matrix = centre @ gram @ centre
        norms.append(np.linalg.norm(matrix))
        columns.append((matrix / norms[-1]).ravel())
    columns = np.array(columns).T
    share = regulariser * (columns.T @ target.ravel()).max()
    # scikit-learn divides the squared error by the number of rows
    lasso = Lasso(alpha=share / n**2, positive=True, fit_intercept=False, tol=1e-13, max_iter=1_000_000)
    weights = lasso.fit(columns, target.ravel()).coef_ / np.array(norms)
    return weights / weights.sum()


@pytest.mark.parametrize("regulariser", [0.01, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("seed", range(3))
def test_equals_scikit_learns_lasso(seed, regulariser):
    grams, labels = problem(seed, n=30)
    found = fit(grams, labels, regulariser=regulariser)
    assert found.predictor is None
    np.testing.assert_allclose(found.weights, reference(grams, labels, regulariser), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_without_a_penalty_it_is_alignf(seed):
    grams, labels = problem(seed, n=30)
    expected = fitting.fit("alignf", grams, labels).weights
    np.testing.assert_allclose(fit(grams, labels, regulariser=0.0).weights, expected, rtol=1e-5, atol=1e-7)


def test_a_penalty_selects_fewer_kernels_and_the_largest_one_the_most_dependent():
    grams, labels = problem(1, n=40)
    rng = np.random.default_rng(0)
    noise = [np.outer(x, x) for x in rng.normal(size=(5, 40))]
    pool = np.array([*grams, *noise])
    counts = [np.count_nonzero(fit(pool, labels, regulariser=share).weights) for share in (0.0, 0.3, 0.999)]
    assert counts[0] > counts[1] > counts[2] == 1
    alignments = fitting.fit("cka", pool, labels).weights
    assert fit(pool, labels, regulariser=0.999).weights[np.argmax(alignments)] == 1.0


def test_copies_of_a_kernel_share_its_weight_and_a_constant_one_gets_none():
    grams, labels = problem(0, n=30)
    found = fit(np.array([grams[1], grams[1], np.full((30, 30), 0.3), grams[4]]), labels).weights
    assert found[0] == pytest.approx(found[1], rel=1e-4) and found[2] == 0.0
    two = fit(np.array([grams[1], grams[4]]), labels).weights
    np.testing.assert_allclose([found[0] + found[1], found[3]], two, rtol=1e-6, atol=1e-9)


def test_without_any_dependence_all_weights_are_equal():
    grams, labels = problem(0)
    against = -np.outer(labels, labels).astype(np.float64)
    assert fit(np.array([against, 2.0 * against]), labels).weights.tolist() == [0.5, 0.5]
    assert fit(grams[:2], np.ones_like(labels)).weights.tolist() == [0.5, 0.5]
    assert fit(np.ones((2, 14, 14)), labels).weights.tolist() == [0.5, 0.5]
