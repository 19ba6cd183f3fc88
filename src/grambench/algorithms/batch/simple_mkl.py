"""SimpleMKL: multiple-kernel learning under an l1 constraint by reduced gradient (Rakotomamonjy et al. 2008, JMLR 9).

The weights minimise the optimal value of an SVM on the combined kernel, within the simplex, which makes them sparse.
Each step of a reduced gradient descent trains an SVM at the current weights.

Formula
-------
    minimise J(θ) = max_α  Σ_i α_i − 1/2 Σ_k θ_k q_k(α)   over θ ≥ 0, Σ θ = 1,   q_k = v'K_k v,  v_i = y_i α_i

J is the value of a C-SVC on the combined kernel (their Algorithm 1).

Notes
-----
A small gap costs many SVMs where kernels are nearly alike, as Gaussians of neighbouring widths are. Along their
difference J curves little, across it much, and a descent by the gradient zigzags in such a valley. With 40 kernels, 569
examples and C = 1000, it trains 98 SVMs to a gap of 0.01 and 677 to 1e-4. SILP, which keeps every SVM as a cut, trains
16 and 27. Neither SVMs 100 times as precise (628) nor an exact line search (1057) change that; `benchmarks/mkl_gaps.py`
has the numbers. The gap of 0.01 is the authors' own.

Complexity
----------
An iteration trains a few SVMs, each started from the last one, and computes all q_k in O(m n s), where s is the number
of support vectors. There are at most `iterations` iterations.

Deviations
----------
The line search looks for the zero of the slope, which costs no more than J, by regula falsi instead of golden section.
The coordinate of reference, the largest weight, is the steepest of several, and is selected anew when it is the one
that reaches 0. The SVM is trained as precisely as the gap asks for, starts from the last one, and belongs to the
returned weights. In the authors' toolbox it belongs to the weights before the last step.

References
----------
Rakotomamonjy, Bach, Canu and Grandvalet (2008). SimpleMKL. Journal of Machine Learning Research 9, 2491-2521.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.algorithms.settings import Descent as Parameters
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates
from grambench.solvers.svm import SVM

SLOPE_SHARE = 0.5  # share of the slope at its start below which a line search ends
TRIALS = 30  # SVMs of a line search at most


@dataclass(frozen=True, slots=True)
class Point:
    """Kernel weights (m,), the SVM there, and its quadratic forms q (m,)."""

    weights: Floats
    svm: SVM
    forms: Floats

    @property
    def objective(self) -> float:
        """J(theta)."""
        return self.svm.objective

    def gap(self) -> float:
        """Return the relative duality gap (their eq. 14 and 15)."""
        difference = 0.5 * (self.forms.max() - self.weights @ self.forms)
        return float(difference / self.objective) if self.objective > 0 else 0.0

    def slope(self, direction: Floats) -> float:
        """Return the derivative of J along a direction."""
        return float(-0.5 * direction @ self.forms)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the weights and train the SVM."""
    oracle = Oracle(pool, labels)

    def evaluate(weights: Floats) -> Point:
        svm = oracle.train_svm(weights, parameters.C, tolerance=PRECISION * parameters.gap)
        return Point(weights, svm, oracle.combination.quadratic_forms(svm.dual))

    m = len(oracle.grams)
    point = evaluate(np.full(m, 1.0 / m))
    oracle.record(point.objective)
    for _ in range(parameters.iterations):
        if point.gap() <= parameters.gap:
            break
        before = point.objective
        direction = _reduced_gradient(point)
        while direction.min() < 0.0:
            edge = evaluate(_edge(point.weights, direction))
            if edge.objective >= point.objective:
                point = _line_search(evaluate, point, edge)
                break
            point = edge
            direction = _restrict(point.weights, direction)
        oracle.record(point.objective)
        if point.objective >= before:
            # No decrease above the SVM's precision is left.
            break
    svm = oracle.train_svm(point.weights, parameters.C, tolerance=PRECISION * parameters.gap)
    solution = (point.weights, svm.dual, svm.bias)
    certify = partial(certificates.mkl, oracle.grams, labels, parameters.C, *solution, p=1)
    return oracle.fit(*solution, certify, converged=point.gap() <= parameters.gap)


def _reduced_gradient(point: Point) -> Floats:
    """Return the direction of descent that keeps sum theta = 1 and theta >= 0 (their eq. 12)."""
    gradient = -0.5 * point.forms
    # The largest weight; of several, the steepest.
    reference = np.lexsort((-gradient, point.weights))[-1]
    direction: Floats = gradient[reference] - gradient
    direction[(point.weights <= 0.0) & (direction < 0.0)] = 0.0
    return _balance(direction, reference)


def _restrict(weights: Floats, direction: Floats) -> Floats:
    """Return the direction without the coordinates whose weights have reached 0."""
    restricted = np.where((weights <= 0.0) & (direction < 0.0), 0.0, direction)
    return _balance(restricted, int(np.argmax(weights)))


def _balance(direction: Floats, reference: int) -> Floats:
    direction[reference] = 0.0
    direction[reference] = -direction.sum()
    return direction


def _edge(weights: Floats, direction: Floats) -> Floats:
    """Return the weights at which a step along the direction first makes one of them 0."""
    shrinking = np.flatnonzero(direction < 0.0)
    steps = weights[shrinking] / -direction[shrinking]
    weights_at_edge: Floats = np.maximum(weights + steps.min() * direction, 0.0)
    weights_at_edge[shrinking[np.argmin(steps)]] = 0.0
    weights_at_edge /= weights_at_edge.sum()
    return weights_at_edge


def _line_search(evaluate: Callable[[Floats], Point], start: Point, edge: Point) -> Point:
    """Return the lowest point between two weights, by regula falsi on the slope, which rises since J is convex."""
    low, high = 0.0, 1.0
    path = edge.weights - start.weights
    first = slope_low = start.slope(path)
    slope_high = edge.slope(path)
    best = start
    # The SVM's precision cannot resolve a minimum between the points.
    if first >= 0.0 or slope_high <= 0.0:
        return start
    for trial in range(TRIALS):
        # Regula falsi alone is slow if J is steep at one end.
        bisect = trial % 3 == 0
        share = 0.5 * (low + high) if bisect else (low * slope_high - high * slope_low) / (slope_high - slope_low)
        point = evaluate(start.weights + share * path)
        slope = point.slope(path)
        if point.objective < best.objective:
            best = point
        if abs(slope) <= SLOPE_SHARE * abs(first) and best is not start:
            break
        if slope < 0.0:
            low, slope_low = share, slope
        else:
            high, slope_high = share, slope
    return best
