"""What every algorithm on a family of kernels gets and returns.

n training examples. The learned kernel is k(x, x') = sum_i weights_i k_theta_i(x, x') for r parameters theta_i that the
algorithm chooses from a continuous set or takes from a grid.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.kernels.continuous import KernelFamily, Objective
from grambench.solvers import kernel_search

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The base kernels that an algorithm may use, on its training examples.

    Attributes
    ----------
    family : KernelFamily
        Kernels of any parameter on the n training examples.
    examples, features : int
        n and d, the number of components of a parameter that has one a feature.
    low, high : float
        Bounds of the parameter, or of each of its components.
    grid : ndarray of float64 (m,)
        The values that algorithms for finitely many kernels use.
    """

    family: KernelFamily
    examples: int
    features: int
    low: float
    high: float
    grid: Floats

    @classmethod
    def on(cls, examples: Floats, family: type[KernelFamily], described: Mapping[str, Any]) -> "Dictionary":
        """Make the dictionary of a study, {low, high, grid}, on training examples (n, d)."""
        n, d = examples.shape
        return cls(family(examples), n, d, described["low"], described["high"], np.array(described["grid"]))

    def scan(self) -> Floats:
        """Return the points of a search over one parameter."""
        return self.family.scan(self.low, self.high)

    def search(self, objective: Objective) -> tuple[float, float]:
        """Return the one parameter that maximises an objective of the family, and the maximum."""
        return kernel_search.line(objective, self.scan(), self.family.precision)

    def refined(self, parts: int) -> Floats:
        """Return the grid with every step of it cut into equal parts, equal in the logarithm for a log family."""
        if parts == 1:
            return self.grid
        places = np.linspace(0.0, len(self.grid) - 1.0, (len(self.grid) - 1) * parts + 1)
        known = np.arange(len(self.grid))
        if self.family.spacing == "log":
            return np.exp(np.interp(places, known, np.log(self.grid)))
        return np.interp(places, known, self.grid)

    def grams(self, values: Floats) -> Floats:
        """Return the Gram matrices at m values of one parameter, (m, n, n)."""
        grams = np.empty((len(values), self.examples, self.examples))
        for value, gram in zip(values, grams, strict=True):
            gram[:] = self.family.gram(np.array([value]))
        return grams


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedKernel:
    """A combination of kernels, and the machine where it was learned together with them.

    Attributes
    ----------
    parameters : list of r ndarrays of float64, (1,) or (d,)
        theta of each kernel.
    weights : ndarray of float64 (r,)
        Not negative.
    dual : ndarray of float64 (n,) or None
        Signed coefficients of the machine; None where a machine is still to be trained on the kernel.
    bias : float
        Of that machine.
    steps : list of float
        The algorithm's own objective after each of its iterations.
    """

    parameters: list[Floats]
    weights: Floats
    dual: Floats | None = None
    bias: float = 0.0
    steps: list[float] = field(default_factory=list)

    def gram(self, family: KernelFamily) -> Floats:
        """Return the combined kernel's values on the examples of `family`."""
        total: Floats | float = 0.0
        for parameter, weight in zip(self.parameters, self.weights, strict=True):
            if weight:
                total = total + weight * family.gram(parameter)
        return np.asarray(total)


def on_grid(grid: Floats) -> list[Floats]:
    """Return a grid's values as parameters."""
    return [np.array([value]) for value in grid]


def check_refinement(refine: int) -> None:
    """Raise ValueError unless a step of a grid can be cut into so many parts."""
    if refine < 1:
        raise ValueError(f"refine must be at least 1, got {refine}")
