"""Every family of kernels with continuous parameters: values, gradients and scans."""

import tracemalloc

import numpy as np
import pytest

from grambench.common.errors import ConfigError, DataError
from grambench.kernels import continuous
from grambench.kernels.pool import Continuous

pytestmark = pytest.mark.compiled

NAMES = continuous.names()


def examples(name, n=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-3.0, 3.0, size=(n, 1 if name == "dirichlet" else 4))


def symmetric(n, seed=1):
    matrix = np.random.default_rng(seed).normal(size=(n, n))
    return matrix + matrix.T


def cases():
    for name in NAMES:
        yield name, np.array([1.7])
        if name == "gaussian":
            yield name, np.array([0.8, 1.5, 2.0, 3.1])


def plain(name, left, right, parameter):
    """The kernel's definition, pair by pair."""
    if name == "dirichlet":
        return 1.0 + 2.0 * np.cos(parameter * np.abs(left[:, 0, None] - right[None, :, 0]))
    return np.exp(-(((left[:, None] - right[None]) / parameter) ** 2).sum(axis=2))


@pytest.mark.parametrize(("name", "parameter"), list(cases()))
def test_grams_are_the_definition(name, parameter):
    left, right = examples(name), 50.0 + examples(name, n=7, seed=2)
    right[0] = left[0]
    family = continuous.load(name)
    for others in (left, right):
        got = family(left, None if others is left else others).gram(parameter)
        np.testing.assert_allclose(got, plain(name, left, others, parameter), atol=1e-11)
    assert np.linalg.eigvalsh(family(left).gram(parameter))[0] > -1e-12 * len(left)


@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize(("name", "parameter"), list(cases()))
def test_mixtures_are_sums_of_grams(name, parameter, n):
    left, right = examples(name, n), examples(name, 400, seed=2)
    for others in (left, right):
        family = continuous.load(name)(left, None if others is left else others)
        got = family.mixture(np.array([0.3, 2.0]), [parameter, np.array([0.7])])
        expected = 0.3 * plain(name, left, others, parameter) + 2.0 * plain(name, left, others, np.array([0.7]))
        np.testing.assert_allclose(got, expected, atol=1e-11)
        assert others is right or np.array_equal(got, got.T)


@pytest.mark.parametrize("n", [2, 40, 300])  # one pair, more than the lanes of a sum, and more than one block
@pytest.mark.parametrize(("name", "parameter"), list(cases()))
def test_objectives_and_their_gradients(name, parameter, n):
    family = continuous.load(name)(examples(name, n))
    matrix = symmetric(n)
    objective = family.objective(matrix)
    value, gradient = objective(parameter)
    assert value == pytest.approx((matrix * family.gram(parameter)).sum(), rel=1e-11)
    assert gradient.shape == parameter.shape
    vector = np.random.default_rng(2).normal(size=n)
    short, long = (family.objective(weights)(parameter) for weights in (vector, np.outer(vector, vector)))
    assert short[0] == pytest.approx(long[0])
    np.testing.assert_allclose(short[1], long[1], rtol=1e-9, atol=1e-9)
    points = family.scan(0.5, 8.0)
    for weights, full in ((matrix, matrix), (vector, np.outer(vector, vector))):
        sums = [(full * family.gram(np.array([point]))).sum() for point in points]
        np.testing.assert_allclose(family.values(weights, points), sums, rtol=1e-9, atol=1e-9)
    for c, unit in enumerate(1e-5 * np.eye(len(parameter))):
        slope = (objective(parameter + unit)[0] - objective(parameter - unit)[0]) / 2e-5
        assert gradient[c] == pytest.approx(slope, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_scans_ascend_through_the_range_and_miss_no_lobe(name):
    """Between neighbours of a scan an objective never rises above both by more than refinement from there finds."""
    low, high = (0.0, 9.0) if name == "dirichlet" else (0.1, 100.0)
    family = continuous.load(name)(examples(name))
    points = family.scan(low, high)
    assert (points[0], points[-1]) == (pytest.approx(low), pytest.approx(high))
    assert (np.diff(points) > 0).all()
    objective = family.objective(symmetric(40))
    for weights in (symmetric(40), symmetric(40)[0]):
        one_by_one = [family.objective(weights)(points[i : i + 1])[0] for i in range(len(points))]
        np.testing.assert_allclose(family.values(weights, points), one_by_one, rtol=1e-9, atol=1e-9)
    fine = np.interp(np.linspace(0, len(points) - 1, 20 * len(points)), np.arange(len(points)), points)
    values = np.array([objective(np.array([point]))[0] for point in fine])
    peaks = fine[1:-1][(values[1:-1] > values[:-2]) & (values[1:-1] > values[2:])]
    lobes = np.searchsorted(points, peaks)
    assert len(set(lobes)) == len(lobes)  # no two maxima between the same two points


def test_a_gradient_with_one_bandwidth_a_feature_needs_no_matrix_a_feature():
    rng = np.random.default_rng(0)
    family = continuous.load("gaussian")(rng.normal(size=(300, 400)))
    objective = family.objective(symmetric(300))
    tracemalloc.start()
    objective(np.full(400, 20.0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 300 * 400 * 8  # a matrix a feature would be 400 * 300 * 300 * 8


@pytest.mark.parametrize("sign", [1, -1])
def test_by_rate_is_convex_and_its_derivatives_are_right(sign):
    family = continuous.load("gaussian")(examples("gaussian"))
    c = np.random.default_rng(3).normal(size=40)
    c[7] = 0.0
    weights = np.maximum(sign * np.outer(c, c), 0.0)
    terms = family.by_rate(c)[0 if sign > 0 else 1]
    rates = np.geomspace(1e-3, 10.0, 30)
    values, slopes, curvatures = np.array([terms(rate) for rate in rates]).T
    np.testing.assert_allclose(values, [(weights * family.gram(np.array([rate**-0.5]))).sum() for rate in rates])
    assert (np.diff(slopes) > 0).all()
    above, below = (terms(rates[10] + change) for change in (1e-6, -1e-6))
    assert slopes[10] == pytest.approx((above[0] - below[0]) / 2e-6, rel=1e-5)
    assert curvatures[10] == pytest.approx((above[1] - below[1]) / 2e-6, rel=1e-5)


def test_kernel_values_of_equal_examples_are_at_most_1():
    features = np.repeat(np.random.default_rng(0).normal(size=(20, 7)), 2, axis=0)
    family, bandwidths = continuous.load("gaussian")(features), np.full(7, 1e-3)
    for values in (family.gram(bandwidths), continuous.load("gaussian")(features, features.copy()).gram(bandwidths)):
        assert values.max() == 1.0
        np.testing.assert_allclose(values[::2, 1::2].diagonal(), 1.0, atol=1e-8)
    # Different examples are too far from each other to count.
    assert family.objective(np.ones((40, 40)))(bandwidths)[0] == pytest.approx(80.0, abs=1e-6)
    assert family.objective(np.ones((40, 40)))(bandwidths)[0] <= 80.0


def test_kernel_values_that_underflow_are_0():
    features = np.array([[0.0], [1.0], [100.0]])
    family = continuous.load("gaussian")(features)
    near = np.exp(-1.0)
    np.testing.assert_array_equal(family.gram(np.ones(1)), [[1.0, near, 0.0], [near, 1.0, 0.0], [0.0, 0.0, 1.0]])
    value, slope = family.objective(np.ones((3, 3)))(np.ones(1))
    assert (value, slope[0]) == (3.0 + 2.0 * near, 4.0 * near)
    np.testing.assert_array_equal(family.values(np.ones(3), np.ones(1)), [3.0 + 2.0 * near])


def test_what_cannot_be():
    with pytest.raises(DataError, match="one feature, got 3"):
        continuous.load("dirichlet")(np.zeros((5, 3)))
    with pytest.raises(ConfigError, match="unknown kernel family 'gausian': did you mean gaussian"):
        continuous.load("gausian")


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("name", NAMES)
def test_examples_at_infinite_distances_are_refused(name):
    family, near, far = continuous.load(name), examples(name), 1e200 * examples(name)
    for train, others in ((far, None), (near, far)):
        with pytest.raises(ValueError, match=f"^{name} kernels: expected finite distances, got squared norms of inf$"):
            Continuous(family, train, 0.1, 10.0, np.ones(1), others)
