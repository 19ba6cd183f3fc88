"""The algorithms on families of kernels: against references, and what must hold for all of them."""

import numpy as np
import pytest
from fitting import fit
from problems import labelled
from scipy.optimize import minimize

from grambench import algorithms
from grambench.algorithms.alignment import alignment
from grambench.common.errors import SolverError
from grambench.experiments.conformance import same
from grambench.kernels.continuous import load
from grambench.kernels.pool import Continuous, GridPool
from grambench.solvers import certificates, meb, svm
from grambench.solvers.combination import Combination

# These predict without a combined kernel of the pool, and have tests of their own.
OTHER_PREDICTORS = {"bemkl", "gmkl", "kernel_stacking", "localised_mkl", "makl", "mkboost"}
NAMES = [*algorithms.names("parametric"), *sorted({*algorithms.names("batch")} - OTHER_PREDICTORS)]


def grid(features, *, family="gaussian", low=0.2, high=20.0, count=6):
    """Return a family on training examples, as a pool of some of its kernels."""
    spaced = np.linspace if family == "dirichlet" else np.geomspace
    return GridPool(Continuous(load(family), features, low, high, spaced(low, high, count)))


def problem(seed=0, n=50, d=3):
    return labelled(seed, n, d, lambda x, noise: x[0] ** 2 + 0.3 * noise > 0.6)


def frequencies(n=400, seed=3):
    x = np.random.default_rng(seed).uniform(-10.0, 10.0, size=(n, 1))
    f = sum(np.sin(np.sqrt(square) * x[:, 0]) for square in (2, 12, 60))
    return x, np.where(f > 0.0, 1, -1).astype(np.int8)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [0, 1])
def test_all_return_kernels_within_the_bounds(name, seed):
    features, labels = problem(seed)
    learned = fit(name, grid(features), labels)
    assert learned.weights.max() > 0.0
    for parameter in learned.thetas or ():  # None if it weights kernels of the pool
        assert parameter.shape in ((1,), (3,))
        assert ((parameter > 0.2 * (1 - 1e-9)) & (parameter < 20.0 * (1 + 1e-9))).all()


@pytest.mark.parametrize("seed", range(3))
def test_alignf_is_the_best_combination_of_the_grid(seed):
    features, labels = problem(seed)
    pool = grid(features)
    learned = fit("alignf", pool, labels)
    grams = pool.grams()
    reached = alignment(learned.gram(pool), labels)
    found = minimize(
        lambda v: -alignment(np.tensordot(v, grams, 1), labels), np.ones(6), bounds=[(0, None)] * 6, tol=1e-12
    )
    assert reached >= -found.fun - 1e-9
    assert reached >= alignment(fit("best_alignment", pool, labels).gram(pool), labels) - 1e-12
    assert learned.weights.sum() == pytest.approx(1.0)


def test_best_alignment_is_the_largest_of_the_grid():
    features, labels = problem()
    pool = grid(features)
    reached = [alignment(gram, labels) for gram in pool.grams()]
    assert fit("best_alignment", pool, labels).thetas[0] == pool.family.grid[int(np.argmax(reached))]


def test_uniform_weights_on_the_grid_on_a_finer_one_and_on_given_values():
    features, labels = problem()
    pool = grid(features)
    assert np.concatenate(fit("grid_uniform", pool, labels).thetas).tolist() == pool.family.grid.tolist()
    finer = np.concatenate(fit("grid_uniform", pool, labels, refine=3).thetas)
    np.testing.assert_allclose(finer[::3], pool.family.grid)
    np.testing.assert_allclose(np.diff(np.log(finer)), np.log(finer[1] / finer[0]))
    given = fit("grid_uniform", pool, labels, values=(1.0, 3.0))
    assert (given.thetas, given.weights.tolist()) == ([1.0, 3.0], [0.5, 0.5])
    assert same(given, fit("grid_uniform", pool, labels, values=[1, 3]))  # as YAML has them
    with pytest.raises(ValueError, match="refine must be at least 1, got 0"):
        fit("grid_uniform", pool, labels, refine=0)


@pytest.mark.parametrize("p", [1.0, 2.0])
@pytest.mark.parametrize("refine", [1, 3])
def test_lp_mkl_on_a_grid_is_that_of_its_gram_matrices(p, refine):
    features, labels = problem()
    pool = grid(features)
    learned = fit("lp_mkl", pool, labels, C=3.0, p=p, refine=refine)
    finer = pool.refined(refine)
    assert len(learned.weights) == 5 * refine + 1
    plain = fit("lp_mkl", finer.grams(), labels, C=3.0, p=p)
    assert same(learned.weights, plain.weights)
    assert same(learned.predictor.dual, plain.predictor.dual)
    assert learned.predictor.bias == plain.predictor.bias
    np.testing.assert_allclose(learned.predictor.scores(pool), plain.predictor.scores(finer), rtol=0, atol=1e-12)


def test_only_a_grid_can_be_refined():
    features, labels = problem()
    with pytest.raises(ValueError, match="refine: only a grid of a continuous family can be refined, 3 parts are"):
        fit("lp_mkl", grid(features).grams(), labels, refine=3)


# --- greedy minimisation of the risk ----------------------------------------------------------------------------------


def risk(weights, grams, gamma, y):
    return y @ np.linalg.solve(np.tensordot(weights, grams, 1) + gamma * np.eye(len(y)), y)


@pytest.mark.parametrize("gamma", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_cr_reaches_the_least_risk_of_the_convex_hull(gamma, seed):
    """Against a convex solver on a grid fine enough to hold the best kernels."""
    features, labels = problem(seed)
    pool, y = grid(features), labels.astype(float)
    learned = fit("cr", pool, labels, gamma=gamma, gap=1e-4, iterations=300)
    grams = GridPool(pool.family, values=np.geomspace(0.2, 20.0, 41)).grams()
    found = minimize(
        risk,
        np.full(41, 1 / 41),
        args=(grams, gamma, y),
        bounds=[(0, 1)] * 41,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert learned.weights.sum() == pytest.approx(1.0)
    assert learned.steps[-1].objective <= found.fun * (1.0 + 1e-3)
    assert (np.diff([step.objective for step in learned.steps]) < 0.0).all()
    kernel = learned.gram(pool)
    np.testing.assert_allclose((kernel + gamma * np.eye(len(y))) @ learned.predictor.dual, y, atol=1e-8)
    assert learned.steps[-1].objective == pytest.approx(y @ learned.predictor.dual)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_rkl_learns_the_width_with_the_least_value(C):
    features, labels = problem(0, 80)
    pool = grid(features)
    learned = fit("rkl_width", pool, labels, C=C, gap=1e-5)

    def value(sigma):
        combination = Combination.single(pool.family.gram(np.array([sigma])))
        r2 = meb.enclose(combination, tolerance=1e-8).squared_radius
        return r2 * svm.train(combination, labels, C / r2, tolerance=1e-8).objective

    ((sigma,),) = learned.thetas
    assert learned.converged and learned.steps[-1].objective == pytest.approx(value(sigma), rel=1e-5)
    assert value(sigma) <= min(map(value, [*np.geomspace(0.2, 20.0, 15), 0.97 * sigma, 1.03 * sigma]))
    with pytest.raises(SolverError, match="radius 0; the examples must differ"):
        fit("rkl_width", grid(np.zeros((80, 3))), labels)


@pytest.mark.parametrize("name", ["cr", "cr_dc"])
@pytest.mark.parametrize("gamma", [0.01, 0.1, 1.0])
def test_cr_tells_whether_it_has_reached_its_gap(name, gamma):
    features, labels = problem()
    pool, y, goal = grid(features), labels.astype(float), 0.01
    full = fit(name, pool, labels, gamma=gamma, gap=goal)
    least = fit("cr", pool, labels, gamma=gamma, gap=1e-3, iterations=100).steps[-1].objective
    assert full.converged is True
    assert full.certify().gap <= goal * 1.01
    assert full.certify().kkt < 1e-9
    assert len(full.steps) > 2
    for iterations in range(1, len(full.steps)):
        cut = fit(name, pool, labels, gamma=gamma, gap=goal, iterations=iterations)
        assert cut.converged is False
        reached = cut.steps[-1].objective
        assert reached == pytest.approx(risk(np.ones(1), cut.gram(pool)[None], gamma, y))
        assert cut.certify().gap >= (reached - least) / reached - 1e-9
        if iterations < len(full.steps) - 1:  # its gap was not computed
            assert cut.certify().gap > goal / (1.0 + goal)


def test_the_certificate_does_not_take_cr_dcs_word():
    """A descent from the best point of the scan may miss the kernel that still helps; the family's search finds it."""
    features, labels = problem()
    found = fit("cr_dc", grid(features), labels, gamma=0.1, gap=1e-3)
    assert found.converged is True
    assert found.certify().gap > 5e-3


def test_the_certificate_of_a_risk():
    features, labels = problem(n=20)
    pool, y, weights = grid(features), labels.astype(float), np.array([0.5, 0.5])
    grams = pool.grams()[:2]
    gram = np.tensordot(weights, grams, 1)
    c = np.linalg.solve(gram + np.eye(20), y)

    def certificate(weights, c):
        return certificates.regularised_risk(gram, y, 1.0, weights, c, max(c @ each @ c for each in grams))

    corners = [risk(np.ones(1), each[None], 1.0, y) for each in grams]
    exact = certificate(weights, c)
    assert exact.kkt == pytest.approx(0.0, abs=1e-12)
    assert (y @ c) * (1.0 - exact.gap) <= min(corners)  # a lower bound of all of the hull
    assert certificate(weights, 0.9 * c).gap > exact.gap
    assert certificate(weights, 0.9 * c).kkt == pytest.approx(0.1)
    far = certificate(weights, np.ones(20))  # says nothing of the hull, and no more than that
    assert exact.gap < far.gap <= 1.0
    assert certificate(np.array([0.5, 0.6]), c).gap == np.inf
    assert certificate(np.array([1.5, -0.5]), c).gap == np.inf


@pytest.mark.parametrize("name", ["gaussian", "dirichlet"])
@pytest.mark.parametrize("matrix", [False, True])
def test_a_search_finds_the_highest_point_of_the_range(name, matrix):
    rng = np.random.default_rng(5)
    features = rng.uniform(-3.0, 3.0, size=(40, 1))
    weights = rng.normal(size=(40, 40) if matrix else 40)
    weights = weights + weights.T
    family = grid(features, family=name).family
    objective = family.objective(weights)
    highest = max(objective(np.array([point]))[0] for point in np.geomspace(0.2, 20.0, 20000))
    found, value = family.search(weights)
    assert value == objective(np.array([found]))[0]
    assert value >= highest - 1e-5 * abs(highest)


def test_ca_1d_is_run_once_for_all_regularisers_and_changes_none():
    features, labels = problem()
    shared = grid(features)
    before = shared.family.computed
    first, second = (fit("ca_nd", shared, labels, regulariser=value) for value in (0.1, 10.0))
    alone = fit("ca_nd", grid(features), labels, regulariser=10.0)
    simple = fit("ca_1d", grid(features), labels)
    assert same(second, alone)
    counted = first.work.kernel_values + second.work.kernel_values
    assert counted - (shared.family.computed - before) == simple.work.kernel_values > 0


def test_cr_dc_says_which_families_it_can_use():
    x, labels = frequencies(n=30)
    with pytest.raises(ValueError, match="needs a family with by_rate"):
        fit("cr_dc", grid(x, family="dirichlet", low=0.0, high=9.0), labels)


# --- continuous alignment ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [3, 4])
def test_ca_finds_the_three_frequencies(seed):
    x, labels = frequencies(seed=seed)
    learned = fit("ca_1d", grid(x, family="dirichlet", low=0.0, high=9.0), labels)
    heaviest = np.sort(np.concatenate(learned.thetas)[np.argsort(-learned.weights)[:3]])
    np.testing.assert_allclose(heaviest, np.sqrt([2.0, 12.0, 60.0]), atol=0.05)


def test_ca_nd_turns_irrelevant_features_off_and_a_large_lambda_keeps_them_equal():
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(60) < 0.5, 1, -1).astype(np.int8)
    features = rng.normal(size=(60, 8))
    features[:, :2] += 1.5 * labels[:, None]
    pool = grid(features, high=1000.0)
    free, equal = (fit("ca_nd", pool, labels, regulariser=value) for value in (0.0, 1e14))
    spread = free.thetas[0]
    assert spread[:2].max() < spread[2:].min()
    for parameter in equal.thetas:
        assert np.ptp(parameter) < 1e-2
    assert alignment(free.gram(pool), labels) > alignment(equal.gram(pool), labels) + 0.1


@pytest.mark.parametrize("name", ["ca_1d", "ca_nd"])
def test_ca_tells_whether_the_alignment_has_stopped_rising(name):
    features, labels = problem()
    full = fit(name, grid(features), labels, gain=1e-2)
    assert full.converged is True
    assert 1 < len(full.steps) < 50
    assert full.steps[-1].objective <= full.steps[-2].objective + 1e-2
    cut = fit(name, grid(features), labels, gain=1e-2, iterations=len(full.steps) - 1)
    assert cut.converged is False
    assert full.certify is None  # no bound on the best alignment is known
