"""The algorithms on families of kernels: against references, and what must hold for all of them."""

import numpy as np
import pytest
from grambench.algorithms.learned_kernel import Dictionary
from scipy.optimize import minimize

from grambench import algorithms
from grambench.algorithms import greedy_risk
from grambench.algorithms.alignment import alignment
from grambench.algorithms.batch import lp_mkl
from grambench.common.errors import ConfigError
from grambench.kernels.continuous import load

NAMES = algorithms.names("parametric")


def dictionary(features, *, family="gaussian", low=0.2, high=20.0, count=6):
    spaced = np.linspace if family == "dirichlet" else np.geomspace
    return Dictionary(load(family)(features), *features.shape, low, high, spaced(low, high, count))


def problem(seed=0, n=50, d=3):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, d))
    labels = np.where(features[:, 0] ** 2 + 0.3 * rng.normal(size=n) > 0.6, 1, -1).astype(np.int8)
    return features, labels


def frequencies(n=400, seed=3):
    x = np.random.default_rng(seed).uniform(-10.0, 10.0, size=(n, 1))
    f = sum(np.sin(np.sqrt(square) * x[:, 0]) for square in (2, 12, 60))
    return x, np.where(f > 0.0, 1, -1).astype(np.int8)


def fit(name, words, labels, **settings):
    algorithm = algorithms.load(name)
    return algorithm.fit(algorithm.parameters(**settings), words, labels, rng=np.random.default_rng(0))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [0, 1])
def test_all_return_a_kernel_within_the_bounds_and_the_same_one_twice(name, seed):
    features, labels = problem(seed)
    before = labels.copy()
    learned, again = (fit(name, dictionary(features), labels) for _ in range(2))
    assert np.array_equal(labels, before)
    assert len(learned.parameters) == len(learned.weights) > 0
    assert np.isfinite(learned.weights).all()
    assert (learned.weights >= 0.0).all()
    assert learned.weights.max() > 0.0
    for parameter in learned.parameters:
        assert parameter.shape in ((1,), (3,))
        assert ((parameter > 0.2 * (1 - 1e-9)) & (parameter < 20.0 * (1 + 1e-9))).all()
    assert np.array_equal(learned.weights, again.weights)
    assert all(map(np.array_equal, learned.parameters, again.parameters))
    if learned.dual is not None:
        assert learned.dual.shape == labels.shape


@pytest.mark.parametrize("seed", range(3))
def test_alignf_is_the_best_combination_of_the_grid(seed):
    features, labels = problem(seed)
    words = dictionary(features)
    learned = fit("alignf", words, labels)
    grams = words.grams(words.grid)
    reached = alignment(learned.gram(words.family), labels)
    found = minimize(
        lambda v: -alignment(np.tensordot(v, grams, 1), labels), np.ones(6), bounds=[(0, None)] * 6, tol=1e-12
    )
    assert reached >= -found.fun - 1e-9
    assert reached >= alignment(fit("best_alignment", words, labels).gram(words.family), labels) - 1e-12
    assert learned.weights.sum() == pytest.approx(1.0)


def test_best_alignment_is_the_largest_of_the_grid():
    features, labels = problem()
    words = dictionary(features)
    reached = [alignment(gram, labels) for gram in words.grams(words.grid)]
    assert fit("best_alignment", words, labels).parameters[0] == words.grid[int(np.argmax(reached))]


def test_uniform_weights_on_the_grid_on_a_finer_one_and_on_given_values():
    features, labels = problem()
    words = dictionary(features)
    assert np.concatenate(fit("grid_uniform", words, labels).parameters).tolist() == words.grid.tolist()
    finer = np.concatenate(fit("grid_uniform", words, labels, refine=3).parameters)
    np.testing.assert_allclose(finer[::3], words.grid)
    np.testing.assert_allclose(np.diff(np.log(finer)), np.log(finer[1] / finer[0]))
    given = fit("grid_uniform", words, labels, values=(1.0, 3.0))
    assert (given.parameters, given.weights.tolist()) == ([1.0, 3.0], [0.5, 0.5])
    with pytest.raises(ValueError, match="refine must be at least 1, got 0"):
        fit("grid_uniform", words, labels, refine=0)


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_lp_mkl_on_a_grid_is_that_of_its_gram_matrices(p):
    features, labels = problem()
    words = dictionary(features)
    learned = fit("grid_lp_mkl", words, labels, C=3.0, p=p)
    plain = lp_mkl.fit(lp_mkl.Parameters(C=3.0, p=p), words.grams(words.grid), labels, rng=np.random.default_rng(0))
    assert np.array_equal(learned.weights, plain.weights)
    assert np.array_equal(learned.dual, plain.dual)
    assert learned.bias == plain.bias


# --- greedy minimisation of the risk ----------------------------------------------------------------------------------


def risk(weights, grams, gamma, y):
    return y @ np.linalg.solve(np.tensordot(weights, grams, 1) + gamma * np.eye(len(y)), y)


@pytest.mark.parametrize("gamma", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_cr_reaches_the_least_risk_of_the_convex_hull(gamma, seed):
    """Against a convex solver on a grid fine enough to hold the best kernels."""
    features, labels = problem(seed)
    words, y = dictionary(features), labels.astype(float)
    learned = fit("cr", words, labels, gamma=gamma, gap=1e-4, iterations=300)
    grams = words.grams(np.geomspace(0.2, 20.0, 41))
    found = minimize(
        risk,
        np.full(41, 1 / 41),
        args=(grams, gamma, y),
        bounds=[(0, 1)] * 41,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert learned.weights.sum() == pytest.approx(1.0)
    assert learned.steps[-1] <= found.fun * (1.0 + 1e-3)
    assert (np.diff(learned.steps) < 0.0).all()
    kernel = learned.gram(words.family)
    np.testing.assert_allclose((kernel + gamma * np.eye(len(y))) @ learned.dual, y, atol=1e-8)
    assert learned.steps[-1] == pytest.approx(y @ learned.dual)


@pytest.mark.parametrize("seed", range(6))
def test_the_line_search_of_the_risk(seed):
    features, labels = problem(seed)
    words, y = dictionary(features), labels.astype(float)
    rng = np.random.default_rng(seed)
    first, second = words.grams(rng.uniform(0.2, 10.0, 2))
    share, c = greedy_risk._line_search(first, second - first, 0.1, y)
    values = [risk(np.array([1 - s, s]), [first, second], 0.1, y) for s in np.linspace(0.0, 1.0, 201)]
    assert 0.0 <= share <= 1.0
    assert y @ c == pytest.approx(risk(np.array([1 - share, share]), [first, second], 0.1, y))
    assert values[0] - y @ c >= 0.9 * (values[0] - min(values)) - 1e-9


@pytest.mark.parametrize("gamma", [0.01, 1.0])
def test_cr_dc_ends_near_cr(gamma):
    features, labels = problem()
    words = dictionary(features)
    plain, convex = (fit(name, words, labels, gamma=gamma).steps[-1] for name in ("cr", "cr_dc"))
    assert convex == pytest.approx(plain, rel=0.02)


def test_cr_dc_says_which_families_it_can_use():
    x, labels = frequencies(n=30)
    with pytest.raises(ValueError, match="needs a family with by_rate"):
        fit("cr_dc", dictionary(x, family="dirichlet", low=0.0, high=9.0), labels)


# --- continuous alignment ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [3, 4])
def test_ca_finds_the_three_frequencies(seed):
    x, labels = frequencies(seed=seed)
    learned = fit("ca_1d", dictionary(x, family="dirichlet", low=0.0, high=9.0), labels)
    heaviest = np.sort(np.concatenate(learned.parameters)[np.argsort(-learned.weights)[:3]])
    np.testing.assert_allclose(heaviest, np.sqrt([2.0, 12.0, 60.0]), atol=0.05)


def test_ca_nd_turns_irrelevant_features_off_and_a_large_lambda_keeps_them_equal():
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(60) < 0.5, 1, -1).astype(np.int8)
    features = rng.normal(size=(60, 8))
    features[:, :2] += 1.5 * labels[:, None]
    words = dictionary(features, high=1000.0)
    free, equal = (fit("ca_nd", words, labels, regulariser=value) for value in (0.0, 1e14))
    spread = free.parameters[0]
    assert spread[:2].max() < spread[2:].min()
    for parameter in equal.parameters:
        assert np.ptp(parameter) < 1e-2
    assert alignment(free.gram(words.family), labels) > alignment(equal.gram(words.family), labels) + 0.1


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("ca_nd", {"regulariser": -1.0}, "regulariser must be at least 0 and finite, got -1.0"),
        ("cr", {"gamma": 0.0}, "gamma must be positive and finite, got 0.0"),
        ("cr", {"gap": 2.0}, r"gap must lie in \(0, 1\), got 2.0"),
        ("cr_dc", {"iterations": 0}, "iterations must be at least 1, got 0"),
        ("grid_lp_mkl", {"C": -1.0}, "C must be positive and finite, got -1.0"),
        ("grid_lp_mkl", {"steps": 0}, "steps must be at least 1, got 0"),
        ("alignf", {"refine": -2}, "refine must be at least 1, got -2"),
    ],
)
def test_parameters_are_checked(name, settings, message):
    with pytest.raises(ConfigError, match=message):
        algorithms.parameters(name, settings)


@pytest.mark.parametrize("name", NAMES)
def test_one_class_only_gives_a_kernel_or_one_clear_line(name):
    features, labels = problem()
    if name in ("ca_1d", "ca_nd"):
        with pytest.raises(ValueError, match="expected training examples of both classes, got one class"):
            fit(name, dictionary(features), np.ones_like(labels))
    else:
        assert np.isfinite(fit(name, dictionary(features), np.ones_like(labels)).weights).all()
