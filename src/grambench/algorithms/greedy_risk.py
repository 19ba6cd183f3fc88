"""Greedy minimisation of the regularised risk over the convex hull of a family of kernels (Argyriou et al. 2005, COLT).

    minimise  g(K) = y'(K + gamma I)^{-1} y  over the convex hull of K_sigma

g is the least value of sum_i (y_i - f(x_i))^2 + gamma ||f||^2, up to the factor gamma, and convex in K with derivative
-cc', c = (K + gamma I)^{-1} y. Each iteration finds the kernel with the largest c'K_sigma c, ends where that is not
larger than c'Kc (no kernel of the hull is better then), and else mixes it in by a line search.

g(K) - max_sigma c'K_sigma c + c'Kc bounds the least value from below: iterations end when the difference is small
relative to g(K), while the paper's tolerance is absolute. They also end at the largest number of kernels. Such a fit
counts as not converged, since the gap after its last kernel is not computed; the certificate bounds it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.fit import Fit, Mixture, Step, Work
from grambench.common.parameters import Checked, at_least, within
from grambench.common.types import Floats, Labels
from grambench.kernels.pool import Continuous
from grambench.solvers import certificates
from grambench.solvers.certificates import Certificate

Solver = Callable[[Floats], Floats]

NEWTON_STEPS = 20  # steps of a line search at most
REMAINING_SHARE = 0.05  # remaining decrease at which a line search ends, relative to the decrease so far


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of the greedy minimisation.

    Attributes
    ----------
    gamma : float
        Weight of the regulariser, from 1e-30 to 1e100.
    gap : float
        Relative duality gap to stop at.
    iterations : int
        Kernels added to the first one at most; the paper's needs "around 50" (CA, Section 3.2).
    """

    gamma: Annotated[float, within("[1e-30, 1e100]")] = 1.0
    gap: Annotated[float, within("(0, 1)")] = 1e-3
    iterations: Annotated[int, at_least(1)] = 50


def learn(
    parameters: Parameters, family: Continuous, labels: Labels, search: Callable[[Floats], tuple[float, float]]
) -> Fit:
    """Learn the kernel and the predictor f(x) = sum_i c_i k(x, x_i).

    Parameters
    ----------
    parameters : Parameters
        gamma and the stopping criteria.
    family : Continuous
        Kernels on the n training examples.
    labels : ndarray of int8 (n,)
        -1 or +1.
    search : callable
        Returns sigma with the largest c'K_sigma c, and this value, for coefficients c (n,).
    """
    y = labels.astype(np.float64)
    computed_before, work = family.computed, Work()
    # c of the kernel 0 is y / gamma.
    sigma, _ = search(y / parameters.gamma)
    gram = family.gram(np.array([sigma]))
    sigmas, weights, steps, converged = [sigma], np.ones(1), [], False
    solve = _solver(gram.copy(), parameters.gamma, work)
    while True:
        c = solve(y)
        steps.append(Step(0, 0, float(y @ c)))
        if len(steps) > parameters.iterations:
            break
        sigma, largest = search(c)
        if converged := bool(largest - c @ gram @ c <= parameters.gap * steps[-1].objective):
            break
        change = family.gram(np.array([sigma])) - gram
        # c'Kc, the change, and adding its share.
        work.row_additions += 3 * len(y)
        share, solve = _line_search(gram, change, parameters.gamma, y, solve, work)
        gram += share * change
        weights = np.append((1.0 - share) * weights, share)
        sigmas.append(sigma)
    thetas = [np.array([value]) for value in sigmas]
    work.kernel_values = family.computed - computed_before

    def certify() -> Certificate:
        # It relies on the family's search for the largest c'K_sigma c.
        gram, (_, largest) = family.mixture(weights, thetas), family.search(c)
        return certificates.regularised_risk(gram, y, parameters.gamma, weights, c, largest)

    return Fit(
        weights=weights,
        predictor=Mixture(weights, thetas, c, 0.0),
        thetas=thetas,
        steps=steps,
        converged=converged,
        certify=certify,
        work=work,
    )


def _solver(gram: Floats, gamma: float, work: Work) -> Solver:
    """Return the function b -> (K + gamma I)^{-1} b; overwrites K.

    The work counts the factorisation, two substitutions, the computation of K and one product.
    """
    # imported late: it takes longer to import than a whole study to check
    from scipy.linalg import cho_factor, cho_solve

    n = len(gram)
    work.solver_steps += 1
    work.row_additions += n * n // 6 + 4 * n
    gram[np.diag_indices(n)] += gamma
    # The transpose of a symmetric matrix is the same in Fortran order, which LAPACK overwrites without a copy.
    factor = cho_factor(gram.T, overwrite_a=True, check_finite=False)
    return lambda b: cho_solve(factor, b, check_finite=False)


def _line_search(
    gram: Floats, change: Floats, gamma: float, y: Floats, solve: Solver, work: Work
) -> tuple[float, Solver]:
    """Return lambda in [0, 1] that minimises g(K + lambda B), and the solver of that kernel.

    `solve` is the solver of K, returned by the previous search. The method is Newton's, safeguarded by bisection.

    g is convex in lambda, with slope -c'Bc and curvature 2 c'B(K + lambda B + gamma I)^{-1}Bc. The search ends when
    half the squared slope over the curvature, an estimate of the remaining decrease, is a small share of the decrease
    so far.
    """
    low, high, share, first = 0.0, 1.0, 0.0, np.inf
    for _ in range(NEWTON_STEPS):
        c = solve(y)
        change_c = change @ c
        slope = -float(c @ change_c)
        if (share == 0.0 and slope >= 0.0) or (share == 1.0 and slope <= 0.0):
            break
        value = float(y @ c)
        first = first if share else value
        curvature = 2.0 * float(change_c @ solve(change_c))
        if share and 0.5 * slope**2 / curvature <= REMAINING_SHARE * (first - value):
            break
        low, high = (share, high) if slope < 0.0 else (low, share)
        target = share - slope / curvature
        share = target if low < target < high else high if target >= high == 1.0 else 0.5 * (low + high)
        solve = _solver(gram + share * change, gamma, work)
    return share, solve
