"""CR-DC: CR with difference-of-convex steps (Argyriou et al. 2006, ICML; CA, Section 3.2, Afkanpour et al. 2013).

As a function of s = 1/sigma^2 every entry of a Gaussian Gram matrix is convex, so that c'K_sigma c = A(s) - B(s) with
convex A, the terms with c_i c_j > 0, and B, the others. A step replaces A by its tangent at the last s and maximises
the concave rest: B'(s) = A'(last s). It never lowers the objective.

Deviations: the paper finds the global maximum on the line by cutting planes; here the steps start from the best point
of the family's scan, and pairs of them are extrapolated where that is better, since they converge linearly.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from grambench.algorithms import greedy_risk
from grambench.algorithms.fit import Fit, Labels, Order, continuous
from grambench.kernels.pool import Pool

Floats = NDArray[np.float64]

STEPS = 20
SPAN = 2.0  # by which a bracket of a step widens
PRECISION = 1e-3  # relative change of s at which the steps end


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(greedy_risk.Parameters):
    """Parameters of CR-DC; see grambench.algorithms.greedy_risk."""


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel and its predictor.

    Raises
    ------
    ValueError
        If the family is not convex in a rate.
    """
    family = continuous(pool)

    def search(c: Floats) -> tuple[float, float]:
        products = np.outer(c, c)
        whole, rising, falling = map(family.by_rate, (products, np.maximum(products, 0.0), np.maximum(-products, 0.0)))
        low, high = family.high**-2, family.low**-2  # a family that is not convex in a rate may begin at 0
        starts = family.scan() ** -2.0

        def value(rate: float) -> float:
            return float(whole(rate)[0])

        def step(rate: float) -> float:
            slope = rising(rate)[1]
            left, right = rate, rate
            while left > low and falling(left)[1] > slope:
                left = max(left / SPAN, low)
            while right < high and falling(right)[1] < slope:
                right = min(right * SPAN, high)
            ends = falling(left)[1] - slope, falling(right)[1] - slope
            if ends[0] >= 0.0 or ends[1] <= 0.0:
                return left if ends[0] >= 0.0 else right
            return float(brentq(lambda s: falling(s)[1] - slope, left, right, xtol=PRECISION * low, rtol=PRECISION))

        rate = max(starts, key=value)
        for _ in range(STEPS):
            before, once = rate, step(rate)
            twice = step(once)
            rate = max(twice, np.clip(_extrapolated(before, once, twice), low, high), key=value)
            if abs(rate - before) <= PRECISION * before:
                break
        return float(rate**-0.5), value(rate)

    return greedy_risk.learn(parameters, family, labels, search)


def _extrapolated(before: float, once: float, twice: float) -> float:
    """Return the limit of a geometric sequence through three numbers (Aitken); the last where they do not narrow."""
    change, next_change = once - before, twice - once
    return twice - next_change**2 / (next_change - change) if abs(next_change) < abs(change) else twice
