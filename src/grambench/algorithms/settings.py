"""Parameters that several algorithms have."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from grambench.common.parameters import POSITIVE, Checked, Rule, at_least, within
from grambench.common.types import Floats

WIDTHS = Rule(
    "be positive and finite, at least one",
    lambda widths: len(widths) > 0 and all(0.0 < width < inf for width in widths),
)
GAP = 0.01  # relative gap that is asked of an algorithm without a parameter for it
# How far a certificate may lie above the gap that is asked: SVMs and MEBs inside a descent are solved to a tenth of it.
SLACK = 1.2


def gap_missed(gaps: Floats, settings: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return which certified relative gaps are above the one that an algorithm with these settings was asked for."""
    return np.asarray(gaps > SLACK * settings.get("gap", GAP))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost(Checked):
    """The parameter of an SVM.

    Attributes
    ----------
    C : float
        Weight of the loss.
    """

    C: Annotated[float, POSITIVE] = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossValidated(Cost):
    """Parameters of SVMs that are compared or combined by their decision values in cross-validation.

    Attributes
    ----------
    folds : int
        Folds of the cross-validation.
    """

    folds: Annotated[int, at_least(2)] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Descent(Cost):
    """Parameters of a descent on kernel weights.

    Attributes
    ----------
    gap : float
        Relative duality gap to stop at.
    iterations : int
        Largest number of iterations.
    """

    gap: Annotated[float, within("(0, 1)")] = GAP
    iterations: Annotated[int, at_least(1)] = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class HullDescent(Checked):
    """Parameters of a descent on kernel weights by the margin between the classes' convex hulls.

    Attributes
    ----------
    regulariser : float
        lambda, in (0, 1): towards 0 the nearest points of the hulls, towards 1 the classes' means.
    gap : float
        Relative gap to stop at.
    iterations : int
        Largest number of iterations.
    """

    regulariser: Annotated[float, within("(0, 1)")] = 0.001
    gap: Annotated[float, within("(0, 1)")] = GAP
    iterations: Annotated[int, at_least(1)] = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Refined(Checked):
    """The parameter of an algorithm on a grid of kernels.

    Attributes
    ----------
    refine : int
        Number of equal parts into which every step of the grid is cut.
    """

    refine: Annotated[int, at_least(1)] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OneKernel(Checked):
    """The parameter of an algorithm on one kernel of the pool.

    Attributes
    ----------
    kernel : int
        Index of the kernel in the pool, from 0 on.
    """

    kernel: Annotated[float, Rule("be an index of at least 0", lambda value: value >= 0)] = 0  # a float if it is tuned

    def among(self, kernels: int) -> int:
        """Return the index; raise ValueError if the pool has fewer kernels."""
        if self.kernel not in range(kernels):
            raise ValueError(f"kernel must be an index below the number of kernels {kernels}, got {self.kernel}")
        return int(self.kernel)
