"""MAKL and its solver against naive references, and what must hold for them."""

import mkl_reference as reference
import numpy as np
import pytest
from fitting import fit, scores
from problems import labelled
from sklearn.linear_model import LogisticRegression

from grambench.kernels.pool import Stored
from grambench.solvers import certificates, group_lasso

SHARES = (0.7, 0.3, 0.1, 0.03)


def problem(seed, n=40, groups=3, size=2):
    """Features in groups, of which the first matters, and labels."""
    return labelled(seed, n, groups * size, lambda x, noise: x[0] + 0.5 * noise > 0.3)


def views(features, size=2):
    """Return a pool without kernels whose views are groups of columns."""
    parts = {f"part_{g}": features[:, g : g + size] for g in range(0, features.shape[1], size)}
    return Stored(np.zeros((1, len(features), len(features))), features={"": features} | parts)


def solve(features, labels, share, groups=3, gap=1e-8):
    penalty = share * group_lasso.largest_penalty(features, labels, groups)
    return penalty, group_lasso.minimise(features, labels, groups, penalty, gap=gap, max_steps=100_000)


@pytest.mark.parametrize("share", SHARES)
def test_the_solver_equals_the_reference(share):
    features, labels = problem(1)
    penalty, solution = solve(features, labels, share)
    value, coefficients, bias = reference.group_lasso(features, labels, 3, penalty)
    margins = labels * (features @ solution.coefficients.ravel() + solution.bias)
    ours = np.log1p(np.exp(-margins)).mean() + penalty * np.linalg.norm(solution.coefficients, axis=1).sum()
    assert ours == pytest.approx(value, rel=1e-6) and ours <= value * (1 + 1e-8)
    np.testing.assert_allclose(solution.coefficients, coefficients, atol=2e-3)
    assert solution.bias == pytest.approx(bias, abs=2e-3)


def test_groups_of_one_are_the_lasso_of_scikit_learn():
    features, labels = problem(3)
    penalty, solution = solve(features, labels, 0.2, groups=6)
    # The bias of saga is free; C is the inverse of the penalty on the sum.
    lasso = LogisticRegression(C=1.0 / (40 * penalty), l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=100_000)
    lasso.fit(features, labels)
    np.testing.assert_allclose(solution.coefficients[:, 0], lasso.coef_[0], atol=1e-4)
    assert solution.bias == pytest.approx(lasso.intercept_[0], abs=1e-4)


def test_at_the_largest_penalty_all_coefficients_are_0():
    features, labels = problem(4)
    assert not solve(features, labels, 1.0 + 1e-9)[1].coefficients.any()
    assert solve(features, labels, 0.99)[1].coefficients.any(axis=1).sum() == 1


def test_the_certificate_bounds_how_much_better_the_optimum_is():
    features, labels = problem(5)
    penalty, solution = solve(features, labels, 0.2)
    optimum = certificates.group_lasso(features, labels, penalty, solution.coefficients, solution.bias)
    assert optimum.gap <= 1e-8 and optimum.kkt < 1e-3
    best, rng = reference.group_lasso(features, labels, 3, penalty)[0], np.random.default_rng(0)
    for spread in (0.01, 0.1, 1.0, 1000.0):
        coefficients = solution.coefficients + spread * rng.normal(size=(3, 2))
        margins = labels * (features @ coefficients.ravel() + solution.bias)
        value = np.logaddexp(0.0, -margins).mean() + penalty * np.linalg.norm(coefficients, axis=1).sum()
        certificate = certificates.group_lasso(features, labels, penalty, coefficients, solution.bias)
        assert value * (1.0 - certificate.gap) <= best * (1 + 1e-9)
        assert certificate.kkt > optimum.kkt


def test_equals_the_reference():
    features, labels = problem(6, size=1)
    fitted = fit("makl", views(features, 3), labels, components=5, regulariser=0.3, gap=1e-8)
    ((_, sampler),) = fitted.predictor.samplers
    unit = np.mean([np.linalg.norm(features[i] - features[j]) for i in range(40) for j in range(i)])
    assert sampler.gamma == pytest.approx(1.0 / (2.0 * unit**2))
    random = sampler.transform(features)
    penalty = 0.3 * group_lasso.largest_penalty(random, labels, 1)
    expected = reference.makl(features, labels, sampler.random_weights_, sampler.random_offset_, penalty)
    np.testing.assert_allclose(scores(fitted, views(features, 3)), expected, atol=5e-3)


def test_its_features_approximate_gaussian_kernels():
    features, labels = problem(7)
    fitted = fit("makl", views(features), labels, components=20_000, widths=(0.5, 2.0), iterations=1)
    assert [view for view, _ in fitted.predictor.samplers] == [f"part_{g}" for g in (0, 0, 2, 2, 4, 4)]
    distances = np.square(features[:, None, :2] - features[None, :, :2]).sum(axis=2)
    unit = np.sqrt(distances)[np.triu_indices(40, 1)].mean()
    for (_, sampler), width in zip(fitted.predictor.samplers[:2], (0.5, 2.0), strict=True):
        random = sampler.transform(features[:, :2])
        np.testing.assert_allclose(random @ random.T, np.exp(-distances / (2 * (width * unit) ** 2)), atol=0.04)


def test_it_selects_the_view_that_matters():
    features, labels = problem(8, n=200)
    fitted = fit("makl", views(features), labels, regulariser=0.6)
    assert fitted.predictor.coefficients.any(axis=1).tolist() == [True, False, False]
    assert list(fitted.norms) == [f"part_{g}/gaussian_width1" for g in (0, 2, 4)]
    assert [norm > 0.0 for norm in fitted.norms.values()] == [True, False, False]
    assert fitted.converged and fitted.certify().gap <= 0.001
    assert not fit("makl", views(features), labels, regulariser=0.01, iterations=3).converged


@pytest.mark.parametrize("share", [0.3, 0.03])
@pytest.mark.parametrize("seed", range(10))
def test_groups_that_got_stuck_are_started_again(seed, share):
    """A group may get stuck at 0 where its sign must change, or start there where only another group needs it."""
    rng = np.random.default_rng(seed)
    noise, signal, common = rng.normal(size=60), rng.normal(size=60), rng.normal(size=(60, 1))
    correlated = np.sqrt(0.9) * common + np.sqrt(0.1) * rng.normal(size=(60, 10))
    orthogonal = noise - signal * (noise @ np.sign(signal)) / (signal @ np.sign(signal))
    for features, target in (
        (correlated, correlated @ rng.normal(size=10)),
        (np.column_stack([signal + 3.0 * noise, noise]), signal),
        (np.column_stack([signal + 3.0 * orthogonal, orthogonal]), signal),
    ):
        labels = np.where(target > 0.0, 1, -1).astype(np.int8)
        assert solve(features, labels, share, groups=features.shape[1], gap=1e-6)[1].gap <= 1e-6


@pytest.mark.parametrize("negative", [5, 9])
def test_equal_examples_get_the_larger_class(negative):
    labels = np.array([1] * 9 + [-1] * negative, dtype=np.int8)
    pool = views(np.ones((len(labels), 2)))
    fitted = fit("makl", pool, labels)
    assert not fitted.predictor.coefficients.any() and fitted.converged
    assert scores(fitted, pool) == pytest.approx(np.full(len(labels), np.log(9 / negative)))
