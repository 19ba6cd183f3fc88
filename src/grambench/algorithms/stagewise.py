"""Forward stagewise maximisation of the alignment over a family of kernels (CA, Algorithm 1; Afkanpour et al. 2013).

Each iteration adds the kernel along which the alignment rises most (eq. 2 and 3), with the weight that maximises it
(Proposition 2). Every Gram matrix here is centred; the target y_c y_c' has rank one and is never formed.

Deviations: the initial kernel eps I is centred too, as Proposition 1 has it and Algorithm 1 does not, which changes the
first weight by about one part in n. A stationary weight above eta_max is left out (`step`). The learned weights are
scaled to sum to one, which gives the C of the SVM the same meaning for every algorithm; with the paper's eps their sum
is of the order of 1e-10.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.alignment import CENTRING, centred, centred_labels
from grambench.algorithms.fit import Fit, Step, Work
from grambench.common.parameters import ABOVE_0, Checked, at_least, within
from grambench.common.types import Floats, Labels
from grambench.kernels.pool import Continuous

PASSES = 3 + CENTRING + 5 + 1 + 2  # over arrays (n, n) in an iteration: direction, centred, step, sum, value


@dataclass(frozen=True, slots=True)
class Stopping(Checked):
    """Initial kernel and stopping criteria of the iterations.

    Attributes
    ----------
    iterations : int
        T, the largest number of kernels.
    gain : float
        theta: the iterations end when the alignment rises by no more.
    epsilon : float
        Of the initial kernel eps I.
    longest : float
        eta_max, the largest weight of a kernel.
    """

    iterations: Annotated[int, at_least(1)] = 50
    gain: Annotated[float, ABOVE_0] = 1e-3
    epsilon: Annotated[float, within("[1e-100, 1e100]")] = 1e-10
    longest: Annotated[float, within("(0, 1e100]")] = 1.0


def learn(family: Continuous, labels: Labels, search: Callable[[Floats], Floats], stopping: Stopping) -> Fit:
    """Run Algorithm 1.

    Parameters
    ----------
    family : Continuous
        Kernels on the n training examples.
    labels : ndarray of int8 (n,)
        -1 or +1.
    search : callable
        Returns the parameter that maximises the objective of eq. (2), <W, K_sigma>_F, for a W (n, n).
    stopping : Stopping
        T, theta, eps and eta_max.

    Returns
    -------
    Fit
        A fit without a predictor; `steps` holds the alignment after each iteration.

    Raises
    ------
    ValueError
        If there is one class only, with which no kernel can be aligned.
    """
    y = centred_labels(labels)
    if not y.any():
        raise ValueError("continuous alignment: expected training examples of both classes, got one class")
    gram = stopping.epsilon * centred(np.eye(len(y)))
    reached_alignment = value(gram, y)
    computed_before = family.computed
    parameters, weights, steps = [], [], []
    converged = False
    for _ in range(stopping.iterations):
        parameter = search(direction(gram, y))  # lines 4 to 6
        added = centred(family.gram(parameter))  # line 7
        weight = step(gram, added, y, stopping.longest)  # line 8
        gram += weight * added  # line 9
        before, reached_alignment = reached_alignment, value(gram, y)
        parameters.append(parameter)
        weights.append(weight)
        steps.append(Step(0, 0, reached_alignment))
        if converged := bool(reached_alignment <= before + stopping.gain):  # line 10
            break
    total = sum(weights)
    shares = np.array(weights) / total if total > 0.0 else np.full(len(weights), 1.0 / len(weights))
    work = Work(kernel_values=family.computed - computed_before, row_additions=PASSES * len(steps) * len(y))
    return Fit(weights=shares, thetas=parameters, steps=steps, converged=converged, work=work)


def value(gram: Floats, y: Floats) -> float:
    """Return F(K), the alignment of a centred K (n, n) with the centred labels (n,)."""
    return float(y @ gram @ y / (np.linalg.norm(gram) * (y @ y)))


def direction(gram: Floats, y: Floats) -> Floats:
    """Return F'(K) of eq. (3), (n, n), for a centred K: its inner product with K_sigma is the objective of eq. (2)."""
    norm = np.linalg.norm(gram)
    slope: Floats = gram * (-(y @ gram @ y) / norm**2)
    slope += np.outer(y, y)
    slope /= norm * (y @ y)
    return slope


def step(gram: Floats, added: Floats, y: Floats, longest: float) -> float:
    """Return the weight of a centred kernel that maximises the alignment (Proposition 2); both (n, n).

    Proposition 2 as printed may return an eta* above eta_max, which line 8 of Algorithm 1 excludes. Such an eta* is no
    candidate here.
    """
    a, b = y @ gram @ y, y @ added @ y
    c, d, e = np.vdot(gram, gram), np.vdot(gram, added), np.vdot(added, added)
    denominator = b * d - a * e
    stationary = max(0.0, (a * d - b * c) / denominator) if denominator else 0.0
    candidates = [eta for eta in (0.0, stationary, longest) if eta <= longest]
    return max(candidates, key=lambda eta: (a + b * eta) / np.sqrt(c + 2.0 * d * eta + e * eta**2))
