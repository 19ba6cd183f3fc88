"""GRAM and MEMO, whose weights rest on the margin between the classes' convex hulls, against solvers of SciPy."""

import numpy as np
import pytest
from batch_reference import ball, problem
from fitting import fit
from mkl_reference import nearest
from scipy.optimize import minimize

NAMES = ("gram_mkl", "memo")


def ratio(weights, grams, labels, share):
    """Return the squared radius over the squared margin, of the mixture with a ridge."""
    n = len(labels)
    mixture = (1.0 - share) * np.tensordot(weights, grams, 1) + share * np.eye(n)
    return ball(mixture)[1] / nearest(mixture, labels, 0.0)[1]


def simplicity(weights, grams, labels, share, theta):
    """Return the squared margin, and theta / 2 times the squared norm of the kernel in that of the mean kernel."""
    kernel = np.tensordot(weights, grams, 1)
    norm = np.sum(kernel**2) / np.mean([np.sum(gram**2) for gram in grams])
    return nearest(kernel, labels, share)[1] + 0.5 * theta * norm


def best(value, m, start=None):
    """Return the least value on the simplex that SciPy reaches by differences, and the weights."""
    options = {"ftol": 1e-12, "maxiter": 300, "eps": 1e-7}
    constraint = {"type": "eq", "fun": lambda weights: weights.sum() - 1.0}
    start = np.full(m, 1.0 / m) if start is None else start
    found = minimize(value, start, bounds=[(0, 1)] * m, constraints=constraint, method="SLSQP", options=options)
    return found.fun, found.x


@pytest.mark.parametrize(("share", "seed"), [(0.001, 1), (0.1, 2), (0.9, 1)])
def test_gram_reaches_the_least_ratio_of_radius_and_margin(share, seed):
    grams, labels = problem(seed)
    ours = fit("gram_mkl", grams, labels, regulariser=share, gap=1e-5)
    assert ours.converged and ours.predictor is None
    value, weights = best(lambda weights: ratio(weights, grams, labels, share), 5)
    reached = ratio(ours.weights, grams, labels, share)
    assert ours.steps[-1].objective == pytest.approx(reached, rel=1e-4)
    assert reached <= value * (1 + 1e-4)
    np.testing.assert_allclose(ours.weights, weights, rtol=0, atol=0.02)


def test_grams_gap_bounds_the_distance_from_the_optimum():
    """Also where the descent stops early, and from the bound of each vertex by itself."""
    grams, labels = problem(3)
    least = ratio(fit("gram_mkl", grams, labels, gap=1e-6, iterations=500).weights, grams, labels, 0.001)
    for gap in (0.5, 0.1, 0.01):
        cut = fit("gram_mkl", grams, labels, gap=gap)
        assert cut.converged
        assert ratio(cut.weights, grams, labels, 0.001) * (1 - gap) <= least * (1 + 1e-4)
    assert all(ratio(np.eye(5)[k], grams, labels, 0.001) >= least * (1 - 1e-6) for k in range(5))


@pytest.mark.parametrize("share", [0.01, 0.3])
def test_gram_has_the_weights_of_klc(share):
    grams, labels = problem(4, n=30)
    klc = fit("klc", grams, labels, C=(1 - share) / share, gap=1e-7)
    ours = fit("gram_mkl", grams, labels, regulariser=share, gap=1e-6)
    np.testing.assert_allclose(ours.weights, klc.weights, rtol=0, atol=2e-3)


@pytest.mark.parametrize(("theta", "seed"), [(0.0, 1), (0.1, 1), (1.0, 2)])
def test_memo_reaches_the_largest_value_that_scipy_reaches(theta, seed):
    grams, labels = problem(seed)
    ours = fit("memo", grams, labels, theta=theta, regulariser=0.05, gap=1e-5)
    assert ours.converged and ours.predictor is None
    reached = simplicity(ours.weights, grams, labels, 0.05, theta)
    assert -ours.steps[-1].objective == pytest.approx(reached, rel=1e-4)
    value, _ = best(lambda weights: -simplicity(weights, grams, labels, 0.05, theta), 5)
    assert reached >= -value * (1 - 1e-4)
    if theta == 0.0:  # concave: better than any other point
        rng = np.random.default_rng(seed)
        others = [simplicity(point, grams, labels, 0.05, 0.0) for point in rng.dirichlet(np.ones(5), size=20)]
        assert reached >= max(others) * (1 - 1e-4)


def test_memo_ends_at_the_simplest_kernel():
    """Of kernels of one trace, that of the smallest spectral ratio."""
    grams, labels = problem(1, n=30)
    ratios = np.trace(grams, axis1=1, axis2=2) / np.linalg.norm(grams, axis=(1, 2))
    assert fit("memo", grams, labels, theta=1e6).weights[np.argmin(ratios)] == pytest.approx(1.0)


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_of_zeros_gets_no_weight(name):
    grams, labels = problem(2, n=30)
    idle = np.array([np.zeros((30, 30)), *grams[1:3]])
    assert fit(name, idle, labels).weights[0] == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_one_class_and_zeros_have_equal_weights(name):
    grams, labels = problem(2)
    assert fit(name, grams, np.ones_like(labels)).weights.tolist() == [0.2] * 5
    assert fit(name, 0.0 * grams, labels).weights.tolist() == [0.2] * 5
