"""Centred alignment, Propositions 1 and 2 of CA, and the search for a kernel's parameter."""

import numpy as np
import pytest
from problems import labelled
from scipy.optimize import minimize_scalar

from grambench.algorithms import stagewise
from grambench.algorithms.alignment import alignment, centred, centred_labels
from grambench.kernels import search
from grambench.kernels.continuous import load
from grambench.kernels.pool import Continuous


def problem(seed, n=30, d=3):
    return labelled(seed, n, d, lambda x, noise: x[0] + 0.5 * noise > 0.2)


@pytest.mark.parametrize("seed", range(5))
def test_alignment_is_its_definition_with_the_centring_matrix(seed):
    features, labels = problem(seed)
    gram = load("gaussian")(features).gram(np.array([1.3]))
    n, y = len(labels), labels.astype(float)
    centring = np.eye(n) - np.ones((n, n)) / n
    inner, target = centring @ gram @ centring, centring @ np.outer(y, y) @ centring
    np.testing.assert_allclose(centred(gram), inner, atol=1e-13)
    expected = (inner * target).sum() / np.linalg.norm(inner) / np.linalg.norm(target)
    assert alignment(gram, labels) == pytest.approx(expected, rel=1e-12)
    assert alignment(7.0 * gram + 3.0, labels) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_proposition_1_against_finite_differences(seed):
    """<K_sigma, F'(K_c)> is the derivative of the alignment along K_sigma."""
    features, labels = problem(seed)
    family, y = load("gaussian")(features), centred_labels(labels)
    gram = family.gram(np.array([2.0])) + 0.4 * family.gram(np.array([0.5]))
    direction = stagewise.direction(centred(gram), y)
    np.testing.assert_allclose(centred(direction), direction, atol=1e-15)
    for sigma in (0.3, 1.0, 4.0):
        added = family.gram(np.array([sigma]))
        slope = (alignment(gram + 1e-5 * added, labels) - alignment(gram - 1e-5 * added, labels)) / 2e-5
        assert (direction * added).sum() == pytest.approx(slope, rel=1e-6, abs=1e-10)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("longest", [0.01, 1.0, 1000.0])
def test_proposition_2_against_a_line_search(seed, longest):
    features, labels = problem(seed)
    family, y = load("gaussian")(features), centred_labels(labels)
    rng = np.random.default_rng(seed)
    gram = rng.uniform(0.1, 2.0) * centred(family.gram(rng.uniform(0.5, 4.0, 1)))
    added = centred(family.gram(rng.uniform(0.5, 4.0, 1)))
    share = stagewise.step(gram, added, y, longest)
    assert 0.0 <= share <= longest
    reached = stagewise.value(gram + share * added, y)
    found = minimize_scalar(
        lambda eta: -stagewise.value(gram + eta * added, y), bounds=(0.0, longest), method="bounded"
    )
    grid = max(stagewise.value(gram + eta * added, y) for eta in np.linspace(0.0, longest, 50))
    assert reached >= max(-found.fun, grid) - 1e-12


def test_stagewise_rises_stops_and_sums_to_one():
    features, labels = problem(0, n=60)
    family = Continuous(load("gaussian"), features, 0.1, 30.0, np.zeros(0))

    def highest(slope):
        return np.array([family.search(slope)[0]])

    learned = stagewise.learn(family, labels, highest, stagewise.Stopping())
    assert learned.weights.sum() == pytest.approx(1.0)
    assert (learned.weights >= 0.0).all()
    gains = np.diff([step.objective for step in learned.steps])
    assert (gains[:-1] > 1e-3).all()
    assert gains[-1] <= 1e-3
    single = max(alignment(family.gram(np.array([point])), labels) for point in family.scan())
    assert learned.steps[-1].objective >= 0.95 * single  # greedy: earlier weights are never changed
    assert len(stagewise.learn(family, labels, highest, stagewise.Stopping(iterations=2)).steps) == 2


@pytest.mark.parametrize("falling", [False, True])
def test_a_line_search_ends_at_an_end_of_the_range(falling):
    sign = -1.0 if falling else 1.0
    parameter, _ = search.line(lambda p: (sign * p[0], np.array([sign])), np.linspace(1.0, 4.0, 9), 1e-6)
    assert parameter == pytest.approx(1.0 if falling else 4.0, rel=1e-5)


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_a_search_in_space_does_not_hang_on_the_scale(unit):
    target = np.array([0.5, 3.0, 20.0, 1e4])

    def objective(sigma):
        return -unit * float((np.log(sigma / target) ** 2).sum()), -2.0 * unit * np.log(sigma / target) / sigma

    sigma, value = search.space(objective, np.full(4, 2.0), 0.1, 100.0)
    np.testing.assert_allclose(sigma, [0.5, 3.0, 20.0, 100.0], rtol=1e-4)
    assert value == pytest.approx(objective(sigma)[0])
