"""The registry of kernel families with continuous parameters: one file is one family, under the file's name.

A module here defines its docstring, whose first line up to the colon is the family's title, and a class `Family` with
the members of `KernelFamily`. Nothing else has to be edited for a new file to be usable in a study's `dictionary`.
`grambench.kernels.functions` holds kernels as functions of inner products, whose parameters are fixed beforehand.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Protocol

from grambench.common.registry import Registry
from grambench.common.types import Floats

Objective = Callable[[Floats], tuple[float, Floats]]

REGISTRY = Registry("kernel family", __name__, Path(__file__).parent)
names, module = REGISTRY.names, REGISTRY.module


class KernelFamily(Protocol):
    """A family of kernels k_theta on n examples, or between n examples and t others.

    A parameter theta is an array (1,), and in families that allow it an array (d,) with one number a feature.

    Attributes
    ----------
    spacing : str
        "log" where theta is a scale, so that a grid is refined in its logarithm, else "linear".
    precision : float
        Relative, to which a search finds one theta.
    """

    spacing: ClassVar[str]
    precision: ClassVar[float]

    def __init__(self, left: Floats, right: Floats | None = None) -> None:
        """Take the examples (n, d), and the others (t, d) where it is not the same."""

    def gram(self, parameter: Floats) -> Floats:
        """Return K_theta, (n, t)."""

    def mixture(self, weights: Floats, parameters: Sequence[Floats]) -> Floats:
        """Return sum_i weights_i K_theta_i, (n, t), for weights that are not negative."""

    def objective(self, weights: Floats) -> Objective:
        """Return the function theta -> (<W, K_theta>_F, its gradient by theta), for a symmetric W (n, n).

        An array c (n,) stands for W = cc'. The function is called many times: what does not depend on theta is done
        here.
        """

    def values(self, weights: Floats, points: Floats) -> Floats:
        """Return the objective's values at one-dimensional thetas, ascending (p,), all at once."""

    def scan(self, low: float, high: float) -> Floats:
        """Return values of a one-dimensional theta, ascending, between which an objective has no hidden maximum."""


def load(name: str) -> type[KernelFamily]:
    """Import one family."""
    family: type[KernelFamily] = REGISTRY.load(name).Family
    return family
