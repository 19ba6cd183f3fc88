"""A continuous family of kernels with bounds and a grid, before it is bound to examples.

A plan, which computes no kernels, imports this module; it loads neither pools nor Numba.
"""

import operator
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from grambench.common import grids
from grambench.common.types import Floats
from grambench.kernels import continuous

if TYPE_CHECKING:
    from grambench.kernels.pool import Continuous

# the squares of bounds, and products of these with squared distances, must not overflow
NARROWEST, WIDEST = 1e-100, 1e100


def check_family(family: str, low: float, high: float) -> None:
    """Raise ConfigError for an unknown family, and ValueError for bounds whose squares overflow."""
    continuous.module(family)
    for bound in (low, high):
        if bound and not NARROWEST <= abs(bound) <= WIDEST:
            raise ValueError(f"expected bounds between {NARROWEST:g} and {WIDEST:g}, got {bound:g}")


class FamilyRange(NamedTuple):
    """A continuous family of kernels with the bounds and a grid of its parameter.

    Attributes
    ----------
    family : str
        The name of a module of grambench.kernels.continuous.
    low, high : float
        Bounds of the parameter.
    grid : list of float
        Parameters for algorithms that need finitely many kernels.
    unit : str or None
        "median" if bounds and grid are in units of the median distance between training examples.
    """

    family: str
    low: float
    high: float
    grid: list[float]
    unit: str | None = None

    @classmethod
    def of(cls, family: str, low: float, high: float, count: int, spacing: str, unit: str | None = None) -> Self:
        """Return a family with the grid of `count` parameters that these settings describe.

        Raises
        ------
        ConfigError
            If the family does not exist.
        TypeError, ValueError
            If another setting is not allowed.
        """
        low, high, count = float(low), float(high), operator.index(count)
        if spacing not in ("linear", "log"):
            raise ValueError(f"expected linear or log as spacing, got {spacing!r}")
        if not 1 <= count <= grids.MOST:
            raise ValueError(f"expected a count from 1 to {grids.MOST}, got {count}")
        if unit not in ("median", None):
            raise ValueError(f"expected median as unit, got {unit!r}")
        grids.check_bounds(low, high, spacing)
        check_family(str(family), low, high)
        return cls(family, low, high, grids.grid(low, high, count, spacing), unit)

    def between(self, train: Floats, test: Floats | None = None, unit: float = 1.0) -> "Continuous":
        """Return the family between training examples (n, d) and test examples (t, d), with this unit."""
        from grambench.kernels.pool import Continuous

        low, high, grid = unit * self.low, unit * self.high, unit * np.array(self.grid)
        return Continuous(continuous.load(self.family), train, low, high, grid, test)
