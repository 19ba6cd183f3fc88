"""CR-DC: CR with difference-of-convex steps (Argyriou et al. 2006, ICML; CA, Section 3.2, Afkanpour et al. 2013).

The problem is that of `cr`, and only the search for the next kernel differs. As a function of s = 1/σ² every entry of a
Gaussian Gram matrix is convex, so the search maximises a difference of convex functions.

Formula
-------
    minimise g(K) = y'(K + γ I)^{-1} y   over the convex hull of all K_σ
    c = (K + γ I)^{-1} y,   σ = argmax_σ c'K_σ c,   K ← (1 − λ) K + λ K_σ
    c'K_σ c = A(s) − B(s),   B'(s_next) = A'(s)

A has the terms with c_i c_j > 0 and B the others; both are convex. A step replaces A by its tangent at the previous s
and maximises the concave remainder. Up to the tolerance of its steps, it never lowers the objective.

Complexity
----------
As `cr`, with O(n²) for each step of Newton's method inside a step of the search; at most 20 such steps search for a
kernel.

Deviations
----------
The paper finds the global maximum on the line by cutting planes. Here the steps start from the best point of the
family's scan, and pairs of them are extrapolated where that is better, since they converge linearly. The algorithm ends
when the steps find no kernel that is better by the gap. A kernel of another lobe may still be better; the certificate
searches all lobes, as CR does. The paper's tolerance is absolute; here iterations end when the bound on the remaining
decrease is small relative to g(K), or at the largest number of kernels (`grambench.algorithms.greedy_risk`).

References
----------
Argyriou, Hauser, Micchelli and Pontil (2006). A DC-programming algorithm for kernel selection. International Conference
on Machine Learning, 41-48.

Afkanpour, Szepesvári and Bowling (2013). Alignment based kernel learning with a continuous set of base kernels. Machine
Learning 91, 305-324. DOI 10.1007/s10994-013-5361-8
"""

from functools import cache

import numpy as np

from grambench.algorithms.fit import Fit, continuous
from grambench.algorithms.greedy_risk import Parameters, learn
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool

DC_STEPS = 20
RATE_TOLERANCE = 1e-3  # relative change of s at which the steps end
NEWTON_STEPS = 50  # steps of Newton's method in one of them at most
NEWTON_TOLERANCE = 1e-2  # relative change of s at which these end: the next one would be of the order of its square
LARGEST_FACTOR = 4.0  # factor by which one of these may change s

NEEDS = "family"


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Learn the kernel and its predictor.

    Raises
    ------
    ValueError
        If the family is not convex in a rate.
    """
    family = continuous(pool)

    def search(c: Floats) -> tuple[float, float]:
        rising, falling = (cache(terms) for terms in family.by_rate(c))
        # After `by_rate`, which raises for a family that is not convex in a rate and may begin at 0.
        low, high = family.high**-2, family.low**-2
        starts = family.scan()

        def value(rate: float) -> float:
            return rising(rate)[0] - falling(rate)[0]

        def step(rate: float) -> float:
            """Solve ln(-B'(s)) = ln(-A'(rate)): convex in s, so that Newton's method does not turn back."""
            slope = rising(rate)[1]
            # The slope is 0 by underflow only.
            if slope >= 0.0:
                return high
            s = rate
            for _ in range(NEWTON_STEPS):
                _, first, second = falling(s)
                change = np.log(first / slope) * first / -second if first and second else -np.inf
                before, s = s, float(np.clip(s + change, max(s / LARGEST_FACTOR, low), min(s * LARGEST_FACTOR, high)))
                if abs(s - before) <= NEWTON_TOLERANCE * before:
                    break
            return s

        rate = float(starts[np.argmax(family.values(c, starts))]) ** -2.0
        for _ in range(DC_STEPS):
            before, once = rate, step(rate)
            twice = step(once)
            rate = max(twice, float(np.clip(_extrapolated(before, once, twice), low, high)), key=value)
            if abs(rate - before) <= RATE_TOLERANCE * before:
                break
        return rate**-0.5, value(rate)

    return learn(parameters, family, labels, search)


def _extrapolated(before: float, once: float, twice: float) -> float:
    """Return the limit of a geometric sequence through three numbers (Aitken); the third if they do not converge."""
    change, next_change = once - before, twice - once
    return twice - next_change**2 / (next_change - change) if abs(next_change) < abs(change) else twice
