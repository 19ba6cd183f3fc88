"""A continuous family of kernels with bounds and a grid, before it is bound to examples.

A plan, which computes no kernels, imports this module; it loads neither pools nor Numba.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from grambench.common.types import Floats
from grambench.kernels import continuous
from grambench.kernels.functions import Units

if TYPE_CHECKING:
    from grambench.kernels.pool import Continuous


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

    def unit_of(self, train: Floats | Units) -> float:
        """Return the unit of the parameter, from training examples (n, d) or from their units."""
        if self.unit != "median":
            return 1.0
        from grambench.kernels.computed import units_of

        return float(np.sqrt((train if isinstance(train, Units) else units_of(train)).squared_distance))

    def between(self, train: Floats, test: Floats | None = None, unit: float = 1.0) -> "Continuous":
        """Return the family between training examples (n, d) and test examples (t, d), with this unit."""
        from grambench.kernels.pool import Continuous

        low, high, grid = unit * self.low, unit * self.high, unit * np.array(self.grid)
        return Continuous(continuous.load(self.family), train, low, high, grid, test)
