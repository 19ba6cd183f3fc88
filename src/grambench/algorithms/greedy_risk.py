"""Greedy minimisation of the regularised risk over the convex hull of a family of kernels (Argyriou et al. 2005, COLT).

    minimise  g(K) = y'(K + gamma I)^{-1} y  over the convex hull of K_sigma

g is the least value of sum_i (y_i - f(x_i))^2 + gamma ||f||^2, up to the factor gamma, and convex in K with derivative
-cc', c = (K + gamma I)^{-1} y. Each iteration finds the kernel with the largest c'K_sigma c, ends where that is not
larger than c'Kc (no kernel of the hull is better then), and else mixes it in by a line search.

g(K) - max_sigma c'K_sigma c + c'Kc bounds the least value from below: iterations end when the difference is small
relative to g(K), where the paper has an absolute tolerance. They end too at as many kernels
as are allowed: such a fit has not converged, though nobody has looked whether its last kernel was enough. The
certificate says how far it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from grambench.algorithms.fit import Fit, Mixture, Step, Work
from grambench.common.parameters import POSITIVE, Checked, at_least, within
from grambench.common.types import Floats, Labels
from grambench.kernels.pool import Continuous
from grambench.solvers import certificates
from grambench.solvers.certificates import Certificate

Search = Callable[[Floats], tuple[float, float]]
Solver = Callable[[Floats], Floats]

NEWTON = 20  # steps of a line search at most
LEFT = 0.05  # of what a line search has gained: what it may leave


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of the greedy minimisation.

    Attributes
    ----------
    gamma : float
        Weight of the regulariser, positive.
    gap : float
        Relative duality gap to stop at.
    iterations : int
        Kernels added to the first one at most; the paper's needs "around 50" (CA, Section 3.2).
    """

    gamma: Annotated[float, POSITIVE] = 1.0
    gap: Annotated[float, within("(0, 1)")] = 1e-3
    iterations: Annotated[int, at_least(1)] = 50


def learn(parameters: Parameters, family: Continuous, labels: Labels, search: Search) -> Fit:
    """Learn the kernel and the predictor f(x) = sum_i c_i k(x, x_i).

    Parameters
    ----------
    parameters : Parameters
        gamma, and when to stop.
    family : Continuous
        Kernels on the n training examples.
    labels : ndarray of int8 (n,)
        -1 or +1.
    search : callable
        Returns sigma and c'K_sigma c, the largest it finds, for coefficients c (n,).
    """
    y = labels.astype(np.float64)
    before_all, work = family.computed, Work()
    sigma, _ = search(y / parameters.gamma)  # c of the kernel 0
    gram = family.gram(np.array([sigma]))
    sigmas, weights, steps, converged = [sigma], np.ones(1), [], False
    solve = _solver(gram, parameters.gamma, work)
    while True:
        c = solve(y)
        steps.append(Step(0, 0, float(y @ c)))
        if len(steps) > parameters.iterations:
            break
        sigma, largest = search(c)
        if converged := bool(largest - c @ gram @ c <= parameters.gap * steps[-1].objective):
            break
        change = family.gram(np.array([sigma])) - gram
        work.row_additions += 3 * len(y)  # c'Kc, the change, and its share added
        share, solve = _line_search(gram, change, parameters.gamma, y, solve, work)
        gram += share * change
        weights = np.append((1.0 - share) * weights, share)
        sigmas.append(sigma)
    thetas = [np.array([value]) for value in sigmas]
    work.kernel_values = family.computed - before_all
    return Fit(
        weights=weights,
        predictor=Mixture(weights, thetas, c, 0.0),
        thetas=thetas,
        steps=steps,
        converged=converged,
        certify=partial(_certificate, family, y, parameters.gamma, weights, thetas, c),
        work=work,
    )


def _certificate(
    family: Continuous, y: Floats, gamma: float, weights: Floats, thetas: list[Floats], c: Floats
) -> Certificate:
    """Return the certificate, as good as the family's search is at finding the largest c'K_sigma c."""
    gram, (_, largest) = family.mixture(weights, thetas), family.search(c)
    return certificates.regularised_risk(gram, y, gamma, weights, c, largest)


def _solver(gram: Floats, gamma: float, work: Work) -> Solver:
    """Return the function b -> (K + gamma I)^{-1} b, and count it with two substitutions, its K and one product."""
    n = len(gram)
    work.solver_steps += 1
    work.row_additions += n * n // 6 + 4 * n
    regularised = gram.copy(order="F")  # as LAPACK takes it
    regularised[np.diag_indices_from(regularised)] += gamma
    factor = cho_factor(regularised, overwrite_a=True, check_finite=False)
    return lambda right: cho_solve(factor, right, check_finite=False)


def _line_search(
    gram: Floats, change: Floats, gamma: float, y: Floats, solve: Solver, work: Work
) -> tuple[float, Solver]:
    """Return lambda in [0, 1] that minimises g(K + lambda B), and the solver there; Newton's method in closing bounds.

    `solve` is the solver of K, the one that the last search has ended with.

    g is convex in lambda, with slope -c'Bc and curvature 2 c'B(K + lambda B + gamma I)^{-1}Bc. It ends where half the
    square of the slope over the curvature, about what is left to gain, is a small share of what has been gained.
    """
    low, high, share, first = 0.0, 1.0, 0.0, np.inf
    for _ in range(NEWTON):
        c = solve(y)
        moved = change @ c
        slope = -float(c @ moved)
        if (share == 0.0 and slope >= 0.0) or (share == 1.0 and slope <= 0.0):
            break
        value = float(y @ c)
        first = first if share else value
        curvature = 2.0 * float(moved @ solve(moved))
        if share and 0.5 * slope**2 / curvature <= LEFT * (first - value):
            break
        low, high = (share, high) if slope < 0.0 else (low, share)
        target = share - slope / curvature
        share = target if low < target < high else high if target >= high == 1.0 else 0.5 * (low + high)
        solve = _solver(gram + share * change, gamma, work)
    return share, solve
