"""Certificates: small for the optimum, larger for anything else, and lower bounds for every feasible argument.

The optima come from the solvers at tolerances far below those asserted here, or from the references; the certificates
import neither.
"""

from functools import cache

import batch_reference as reference
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grambench.algorithms.batch import klc, mkl_l2, rkl
from grambench.algorithms.oracle import Oracle
from grambench.kernels.pool import Stored
from grambench.solvers import certificates, gradient_projection, meb, svm
from grambench.solvers.combination import Combination

COMPILED = not numba.config.DISABLE_JIT
EXAMPLES = 40 if COMPILED else 5

WEIGHTS = np.array([0.3, 0.25, 0.2, 0.15, 0.1])


def machine(grams, labels, weights, C, **settings):
    combination = Combination(grams)
    combination.reweight(weights)
    return svm.train(combination, labels, C, tolerance=1e-10, **settings)


def ball(grams, weights, **settings):
    combination = Combination(grams)
    combination.reweight(weights)
    return meb.enclose(combination, tolerance=1e-10, **settings)


def feasible(rng, labels, C):
    """A random feasible v, many of its coefficients at a bound."""
    box = min(C, 10.0)
    dual = labels * box * np.clip(rng.normal(0.3, 0.6, size=len(labels)), 0, 1)
    lower, upper = np.where(labels > 0, 0.0, -box), np.where(labels > 0, box, 0.0)
    return svm.feasible(dual, lower, upper)


def perturbed(dual, labels, rng):
    """Other feasible coefficients near the given ones: one part of each class shrunk by a tenth or more."""
    for size in (0.9, 0.5, 0.0):
        for _ in range(3):
            keep = np.where(rng.random(len(dual)) < 0.5, size, 1.0)
            keep[np.argmax(dual)] = size
            lower, upper = np.where(labels > 0, 0.0, -np.inf), np.where(labels > 0, np.inf, 0.0)
            yield svm.feasible(dual * keep, lower, upper)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_a_machine(loss, C):
    grams, labels = reference.problem(0)
    gram, rng = grams[1], np.random.default_rng(0)
    found = machine(grams[1:2], labels, np.ones(1), C, loss=loss)
    right = certificates.svm(gram, labels, C, found.dual, found.bias, loss=loss)
    assert right.kkt <= 1.01e-10
    assert -1e-15 <= right.gap <= 1e-8  # at most n C kkt in objective, 1.4e-7 of some tens at the largest C

    def wrong(dual, bias):
        return certificates.svm(gram, labels, C, dual, bias, loss=loss)

    for dual in perturbed(found.dual, labels, rng):
        assert wrong(dual, found.bias).kkt > 1e-4
        assert wrong(dual, found.bias).gap > 1e-7
    for bias in (0.01, -0.01, 1.0):
        shifted = wrong(found.dual, found.bias + bias)
        assert shifted.kkt >= 0.9 * abs(bias) * (np.abs(found.dual) > 1e-6 * C).any()
        assert shifted.gap > right.gap
    for bias in (np.nan, np.inf):
        assert wrong(found.dual, bias).gap == np.inf
    # outside of its set: of the wrong sign, not balanced, above C, not a number
    top = int(np.argmax(found.dual))
    for step in (-2 * found.dual[top], 0.1 * C, np.nan):
        dual = found.dual.copy()
        dual[top] += step
        assert wrong(dual, found.bias) == (np.inf, np.inf)
    if loss == "hinge":
        assert wrong(found.dual * 1.1 * C / np.abs(found.dual).max(), found.bias) == (np.inf, np.inf)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 1.0, 50.0]), st.sampled_from(["hinge", "squared"]))
def test_a_machines_gap_bounds_its_distance_from_the_optimum(seed, C, loss):
    """Any feasible v and any bias: the optimum lies between the bounds that the gap is made of."""
    rng = np.random.default_rng(seed)
    grams, labels = reference.problem(seed % 7)
    gram = grams[seed % 5]
    optimum = machine(gram[None], labels, np.ones(1), C, loss=loss).objective
    dual, bias = feasible(rng, labels, C), float(rng.normal())
    quadratic = dual @ gram @ dual
    lower = np.abs(dual).sum() - 0.5 * quadratic - (0.5 * dual @ dual / C if loss == "squared" else 0.0)
    certificate = certificates.svm(gram, labels, C, dual, bias, loss=loss)
    assert lower <= optimum * (1 + 1e-9)
    xi = np.maximum(1 - labels * (gram @ dual + bias), 0)
    above = 0.5 * quadratic + (C * xi.sum() if loss == "hinge" else 0.5 * C * xi @ xi)
    if lower > 0:  # gap = 1 - lower / upper, and upper lies between the optimum and the objective of this w
        assert 1 - lower / optimum - 1e-9 <= certificate.gap <= 1 - lower / above + 1e-9
    else:
        assert certificate.gap >= 1


@pytest.mark.parametrize("C", [1e-8, 1e-4, 1.0])
def test_examples_of_both_classes_have_no_gap_below_0(C):
    """Every f is 0 but for rounding, which the value at a longer w would take for margins."""
    rng = np.random.default_rng(0)
    points = np.tile(rng.normal(size=(12, 3)), (2, 1))
    gram = np.exp(-((points[:, None] - points) ** 2).sum(-1) / 2)
    labels = np.repeat(np.array([1, -1], dtype=np.int8), 12)
    labels[[0, 1, 12, 13]] *= -1
    for each in (gram, points @ points.T):
        found = machine(each[None], labels, np.ones(1), C)
        assert certificates.svm(each, labels, C, found.dual, found.bias).gap == pytest.approx(0.0, abs=1e-9)


# --- multiple-kernel learning -----------------------------------------------------------------------------------------


def mkl_optimum(p, C, seed=0):
    grams, labels = reference.problem(seed)
    found = reference.simple_mkl(grams, labels, C) if p == 1 else reference.lp_mkl(grams, labels, C, p)
    weights = np.maximum(found["weights"], 0.0)
    weights /= np.linalg.norm(weights, p)
    trained = machine(grams, labels, weights, C)
    return grams, labels, weights, trained


@pytest.mark.parametrize("p", [1, 4 / 3, 2.0, 10.0])
@pytest.mark.parametrize("C", [0.3, 3.0])
def test_mkl(p, C):
    grams, labels, weights, found = mkl_optimum(p, C)
    rng = np.random.default_rng(0)

    def gap(weights, dual, bias, **bound):
        return certificates.mkl(grams, labels, C, weights, dual, bias, p=p, **bound).gap

    best = gap(weights, found.dual, found.bias)
    assert -1e-12 <= best <= 1e-6  # the references' stopping: a gap of 1e-7, sixty iterations
    for other in (np.ones(5), np.array([1.0, 0, 0, 0, 0]), np.array([0, 0, 0, 0, 1.0]), weights + 0.05):
        other = other / np.linalg.norm(other, p)
        retrained = machine(grams, labels, other, C)
        assert gap(other, retrained.dual, retrained.bias) > 10 * best + 1e-5
        solution, images = (other, retrained.dual, retrained.bias), certificates.images(grams, retrained.dual)
        short = certificates.mkl_of_sums(other @ images, images @ retrained.dual, labels, C, *solution, p=p)
        assert short == pytest.approx(certificates.mkl(grams, labels, C, *solution, p=p), rel=1e-9, abs=1e-12)
        assert gap(other, found.dual, found.bias) > best
    for dual in perturbed(found.dual, labels, rng):
        assert gap(weights, dual, found.bias) > best
    assert gap(weights, found.dual, found.bias + 0.1) > best
    assert gap(1.001 * weights, found.dual, found.bias) == np.inf
    assert gap(weights - 2 * weights.max() * np.eye(5)[0], found.dual, found.bias) == np.inf
    assert gap(weights, 1.001 * C * found.dual / np.abs(found.dual).max(), found.bias) == np.inf
    # the bound may come from other coefficients
    start = machine(grams, labels, np.full(5, 5 ** (-1 / p)), C)
    assert gap(weights, found.dual, found.bias, bound=start.dual) > best
    at_start = np.full(5, 5 ** (-1 / p)), start.dual, start.bias
    assert gap(*at_start, bound=found.dual) < gap(*at_start)
    assert gap(weights, found.dual, found.bias, bound=-found.dual) == np.inf


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 1.01, 4 / 3, 2.0, 100.0]), st.sampled_from([1e-6, 1.0, 1e6]))
def test_mkl_bounds_every_theta(seed, p, scale):
    """The bound of any feasible v lies below the value at every theta of the set, at any order p and scale."""
    rng = np.random.default_rng(seed)
    grams, labels = reference.problem(seed % 5)
    grams, C = scale * grams, 1.0 / scale
    theta = rng.random(5) * (rng.random(5) < 0.7)
    theta[seed % 5] += 0.1
    theta /= np.linalg.norm(theta, p)
    value = machine(grams, labels, theta, C).objective
    dual, any_theta = feasible(rng, labels, C * 1e-3), np.full(5, 5 ** (-1.0 / p))
    for v in (dual, 1e3 * dual * (C / max(np.abs(1e3 * dual).max(), 1e-300))):
        at_uniform = machine(grams, labels, any_theta, C)
        bounded = certificates.mkl(grams, labels, C, any_theta, at_uniform.dual, at_uniform.bias, p=p, bound=v).gap
        assert at_uniform.objective * (1 - bounded) <= value * (1 + 1e-6)  # upper and objective agree to 1e-6


def test_high_dual_norms_keep_their_range():
    """p* = 101 and 1001: the forms' powers vanish or overflow unless the norm is taken of their ratios."""
    grams, labels = reference.problem(0)
    for p in (1.01, 1.001):
        for scale in (1e-8, 1.0, 1e8):
            C = 1.0 / scale
            weights = np.full(5, 5 ** (-1 / p))
            found = machine(scale * grams, labels, weights, C)
            here = certificates.mkl(scale * grams, labels, C, weights, found.dual, found.bias, p=p)
            forms = np.array(reference.forms(scale * grams, found.dual))
            largest = forms.max()
            norm = largest * ((forms / largest) ** (p / (p - 1))).sum() ** ((p - 1) / p)
            expected = 1 - (np.abs(found.dual).sum() - 0.5 * norm) / found.objective
            assert here.gap == pytest.approx(expected, rel=1e-6)
            assert here.gap > 1e-3


# --- radius-based kernel learning -------------------------------------------------------------------------------------


@cache
def rkl_optimum(C, seed):
    grams, labels = reference.problem(seed)
    found = reference.rkl(grams, labels, C)
    weights = np.array(found["weights"])
    beta = ball(grams, weights)
    trained = machine(grams, labels, weights, C / beta.squared_radius)
    return grams, labels, weights, trained, beta, found["objective"]


@pytest.mark.parametrize("C", [0.3, 3.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_rkl_knows_the_global_optimum(C, seed):
    """The gap closes at the optimum, where every other theta has a larger value, however far away it is."""
    grams, labels, weights, found, beta, value = rkl_optimum(C, seed)
    rng = np.random.default_rng(0)

    def gap(weights, dual, bias, centre):
        return certificates.rkl(grams, labels, C, weights, dual, bias, centre).gap

    best = gap(weights, found.dual, found.bias, beta.dual)
    assert -1e-12 <= best <= 1e-6
    lower = value * (1 - best)
    for k in range(12):
        other = np.eye(5)[k] if k < 5 else rng.dirichlet(0.5 * np.ones(5))
        found_value = reference.rkl_value(grams, labels, other, C)[0]
        assert found_value >= lower * (1 - 1e-8)  # LIBSVM's and SLSQP's accuracy
        centre = ball(grams, other)
        retrained = machine(grams, labels, other, C / centre.squared_radius)
        certified = gap(other, retrained.dual, retrained.bias, centre.dual)
        assert certified >= (found_value - value) / found_value - 1e-7  # an upper bound of the true distance
    for scale in (1e-6, 1e6):  # g(a theta) = g(theta)
        scaled = gap(scale * weights, found.dual / scale, found.bias, beta.dual)
        assert scaled == pytest.approx(best, abs=1e-9)
    for dual in perturbed(found.dual, labels, rng):
        assert gap(weights, dual, found.bias, beta.dual) > best
    assert gap(weights, found.dual, found.bias + 3.0, beta.dual) > best  # where every coefficient is C, 0.1 is as good
    for centre in (np.full(14, 1 / 14), np.eye(14)[3], 0.99 * beta.dual + 0.01 / 14):
        assert gap(weights, found.dual * (centre @ centre > 0), found.bias, centre) > best
    for centre in (1.001 * beta.dual, beta.dual - 2 * beta.dual.max() * np.eye(14)[3], np.full(14, np.nan)):
        assert gap(weights, found.dual, found.bias, centre) == np.inf
    assert gap(-weights, found.dual, found.bias, beta.dual) == np.inf


@pytest.mark.parametrize("C", [1.0, 3.0])
def test_an_optimum_of_rkl_is_that_of_the_convex_problem_of_proposition_4(C):
    """With the hinge loss of eq. 9, C2 = C / r^2 and C1 = ||w||^2 / (2 r^2)."""
    grams, labels, weights, found, beta, _ = rkl_optimum(C, 0)
    C1 = weights @ reference.forms(grams, found.dual) / (2.0 * beta.squared_radius)

    def value(theta):
        trained = machine(grams, labels, theta, C / beta.squared_radius)
        return trained.objective + C1 * ball(grams, theta).squared_radius

    best, rng = value(weights), np.random.default_rng(0)
    for _ in range(12):
        other = weights * rng.lognormal(sigma=0.3) + rng.choice([0.01, 0.1, 1.0]) * rng.dirichlet(0.5 * np.ones(5))
        assert value(other) >= best * (1 - 1e-6)
    assert min(value(0.9 * weights), value(1.1 * weights)) > best * (1 + 1e-4)  # the scale of theta counts here


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_rkl_bounds_every_theta(seed):
    """Random alpha and beta at a random theta: the bound that its gap implies lies below g at another theta."""
    rng = np.random.default_rng(seed)
    grams, labels = reference.problem(seed % 5)
    C = float(10.0 ** rng.uniform(-1, 1))
    theta, other = rng.dirichlet(np.ones(5)), rng.dirichlet(0.5 * np.ones(5))
    beta = rng.dirichlet(np.ones(14))
    alpha = feasible(rng, labels, C)
    radii = np.array(reference.radii(grams, beta))
    bound = np.abs(alpha).sum() - 0.5 * (np.array(reference.forms(grams, alpha)) / radii).max()

    def value(weights):
        r2 = ball(grams, weights).squared_radius
        return r2 * machine(grams, labels, weights, C / r2).objective

    assert bound <= value(other) * (1 + 1e-8)
    # and it is the bound that the certificate uses
    least, gram, bias = theta @ radii, np.tensordot(theta, grams, 1), 0.1
    most = (np.diagonal(gram) - 2 * gram @ beta).max() + beta @ gram @ beta
    trained = machine(grams, labels, theta, C / least)
    for dual, b in ((alpha / least, bias), (trained.dual, trained.bias)):
        v = least * dual
        bound = np.abs(v).sum() - 0.5 * (np.array(reference.forms(grams, v)) / radii).max()
        xi = np.maximum(1 - labels * (gram @ dual + b), 0)
        above = 0.5 * most * dual @ gram @ dual + C * xi.sum()  # before a better scale of w is looked for
        gap = certificates.rkl(grams, labels, C, theta, dual, b, beta).gap
        if bound > 0:
            assert 1 - bound / value(theta) - 1e-8 <= gap <= 1 - bound / above + 1e-9
        else:
            assert gap >= 1


def test_rkl_with_kernels_that_tell_nothing_apart():
    """A zero and a constant kernel, exact and up to rounding, change no gap; one that only the ball misses opens it."""
    grams, labels, weights, found, beta, _ = rkl_optimum(1.0, 0)
    best = certificates.rkl(grams, labels, 1.0, weights, found.dual, found.bias, beta.dual).gap
    for idle in (np.zeros((14, 14)), np.ones((14, 14)), np.full((14, 14), 0.1), np.full((14, 14), 1e12 / 3)):
        more = np.concatenate([grams, idle[None]])
        gap = certificates.rkl(more, labels, 1.0, np.append(weights, 0.0), found.dual, found.bias, beta.dual).gap
        assert gap == pytest.approx(best, abs=1e-12)
    half = np.where(np.arange(14) < 7, 1 / 7, 0.0)  # a centre of examples that the new kernel maps to one point
    new = np.outer(half == 0, half == 0) * 1.0
    arguments = (0.1 * found.dual, found.bias, half)
    assert np.isfinite(certificates.rkl(grams, labels, 1.0, weights, *arguments).gap)
    more, longer = np.concatenate([grams, new[None]]), np.append(weights, 0.0)
    assert certificates.rkl(more, labels, 1.0, longer, *arguments).gap == np.inf


# --- the radius-margin criterion --------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("C", [0.3, 3.0])
def test_radius_margin_is_0_at_stationary_points_only(norm, C):
    grams, labels = reference.problem(1)
    rng = np.random.default_rng(0)
    order = 1 if norm == "l1" else 2
    weights = np.array(reference.klc(grams, labels, C, norm)["weights"])
    found, beta = machine(grams, labels, weights, C, loss="squared"), ball(grams, weights, ridge=1 / C)

    def gap(weights, dual, bias, centre):
        return certificates.radius_margin(grams, labels, C, weights, dual, bias, centre, norm=norm).gap

    best = gap(weights, found.dual, found.bias, beta.dual)
    assert 0 <= best <= 1e-5  # the reference stops when a step moves weights by less than 1e-7
    for other in (np.ones(5), np.array([0, 0, 0, 0, 1.0]), weights + 0.1, weights * [1, 1, 2, 1, 1] + 0.01):
        other = other / np.linalg.norm(other, order)
        retrained, centre = machine(grams, labels, other, C, loss="squared"), ball(grams, other, ridge=1 / C)
        assert gap(other, retrained.dual, retrained.bias, centre.dual) > 10 * best + 1e-4
    for dual in perturbed(found.dual, labels, rng):
        assert gap(weights, dual, found.bias, beta.dual) > 1e-4
    assert gap(weights, found.dual, found.bias + 0.1, beta.dual) > 10 * best + 1e-4
    assert gap(weights, found.dual, found.bias, np.full(14, 1 / 14)) > 1e-3
    for centre in (1.001 * beta.dual, beta.dual - 2 * beta.dual.max() * np.eye(14)[3]):
        assert gap(weights, found.dual, found.bias, centre) == np.inf
    for wrong in (1.001 * weights, -weights):
        assert gap(wrong, found.dual, found.bias, beta.dual) == np.inf
    assert gap(weights, -found.dual, found.bias, beta.dual) == np.inf


def test_radius_margin_on_the_sphere_is_stationary_where_every_derivative_is_positive():
    """Equal kernels, equal weights: by symmetry stationary, though T falls towards the origin."""
    grams, labels = reference.problem(0)
    equal = np.repeat(grams[1:2], 4, axis=0)
    weights = np.full(4, 0.5)
    found, beta = machine(equal, labels, weights, 1.0, loss="squared"), ball(equal, weights, ridge=1.0)
    shorter = machine(equal, labels, 0.99 * weights, 1.0, loss="squared").objective
    shorter *= ball(equal, 0.99 * weights, ridge=1.0).squared_radius
    assert shorter < found.objective * beta.squared_radius
    gap = certificates.radius_margin(equal, labels, 1.0, weights, found.dual, found.bias, beta.dual, norm="l2").gap
    assert gap <= 1e-9
    uneven = np.array([0.7, 0.5, 0.5, 0.1])  # all on the sphere, but this has another sum
    found, beta = machine(equal, labels, uneven, 1.0, loss="squared"), ball(equal, uneven, ridge=1.0)
    gap = certificates.radius_margin(equal, labels, 1.0, uneven, found.dual, found.bias, beta.dual, norm="l2").gap
    assert gap > 1e-3


# --- gradients (RKL, eq. 21 and 22) -----------------------------------------------------------------------------


def objective_of(module, monkeypatch, grams, labels, **settings):
    """Return the function that an algorithm of gradient projection minimises, with inner problems solved to 1e-10."""
    caught = []

    def minimise(oracle, evaluate, project, start, stop):
        caught.append(evaluate)
        return gradient_projection.Minimum(project(start), True)

    monkeypatch.setattr(Oracle, "minimise", minimise)
    module.fit(module.Parameters(gap=1e-9, **settings), Stored(grams), labels, order=None, rng=None)
    return caught[0]


CASES = [(rkl, {"norm": "none"}), (rkl, {"norm": "l1"}), (klc, {"norm": "l1"}), (klc, {"norm": "l2"}), (mkl_l2, {})]


@pytest.mark.parametrize(("module", "settings"), CASES, ids=lambda value: getattr(value, "__name__", str(value)))
@pytest.mark.parametrize("C", [0.5, 5.0])
def test_gradients_are_finite_differences(module, settings, C, monkeypatch):
    grams, labels = reference.problem(2)
    grams = grams * np.array([1.0, 3.0, 0.2, 1.0, 1.0])[:, None, None]  # of unequal traces: RKL moves others than theta
    evaluate = objective_of(module, monkeypatch, grams, labels, C=C, **settings)
    for point in (WEIGHTS, WEIGHTS[::-1] ** 2):
        gradient = evaluate(point).slope().gradient
        step = 1e-4
        differences = [
            (evaluate(point + step * axis).objective - evaluate(point - step * axis).objective) / (2 * step)
            for axis in np.eye(5)
        ]
        # values are right to 1e-10 relative, and a coordinate curves as 1/theta^2: step^2 theta^-2, 1e-6 relative
        np.testing.assert_allclose(gradient, differences, rtol=1e-5, atol=1e-5 * np.abs(gradient).max())
        assert np.abs(gradient).min() > 1e-3 * np.abs(gradient).max()  # there is something to confirm
