"""The registry of kernel families with continuous parameters: one file is one family, under the file's name.

A module defines a docstring, whose first line up to the colon is the family's title, and a class `Family` with the
members of the protocol `Family` below. No other file has to be edited to use a new family in a study's `dictionary`.
`grambench.kernels.functions` holds kernels with fixed parameters as functions of inner products.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Protocol

from grambench.common.registry import Registry
from grambench.common.types import Floats

Objective = Callable[[Floats], tuple[float, Floats]]
RateFunction = Callable[[float], tuple[float, float, float]]

REGISTRY = Registry("kernel family", __name__, Path(__file__).parent)
names, module = REGISTRY.names, REGISTRY.module


class Family(Protocol):
    """A family of kernels k_theta between n examples and t examples, or the same n examples.

    A parameter theta is an array (1,), or in some families an array (d,) with one number a feature.

    Attributes
    ----------
    spacing : str
        "log" if theta is a scale, whose grid is refined in the logarithm; otherwise "linear".
    precision : float
        The relative precision of a search for one theta.
    """

    spacing: ClassVar[str]
    precision: ClassVar[float]

    def __init__(self, left: Floats, right: Floats | None = None) -> None:
        """Store the examples (n, d) and (t, d); None stands for the same examples."""

    def gram(self, parameter: Floats) -> Floats:
        """Return K_theta, (n, t)."""

    def mixture(self, weights: Floats, parameters: Sequence[Floats]) -> Floats:
        """Return sum_i weights_i K_theta_i, (n, t), for weights that are not negative."""

    def objective(self, weights: Floats) -> Objective:
        """Return the function theta -> (<W, K_theta>_F, its gradient by theta), for a symmetric W (n, n).

        An array c (n,) stands for W = cc'. The function is called many times, so work that does not depend on theta
        is done once, here.
        """

    def values(self, weights: Floats, points: Floats) -> Floats:
        """Return the values of the objective at one-dimensional thetas (p,), which are ascending."""

    def scan(self, low: float, high: float) -> Floats:
        """Return ascending values of a one-dimensional theta, so close that a scan misses no maximum."""


def load(name: str) -> type[Family]:
    """Import one family."""
    family: type[Family] = REGISTRY.load(name).Family
    return family
