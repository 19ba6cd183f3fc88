"""Units of relative kernels and scales of all kernels, measured on the training examples alone.

No information leaks from test examples into a fit. Where a kernel's name says that its parameter is in units of the
data, its family names the unit (`grambench.kernels.functions.FAMILIES`):

- "features": the number of features;
- "median": the median squared distance between different training examples. Of `Views`, which groups of columns and
  vectors of norm 1 are too, it is "sampled_median", the one between SAMPLE evenly spaced examples, or all if there are
  fewer (`Base.median`);
- "mean": the mean squared or chi-square distance between different training examples (`Base.mean`).

Studies, estimators, streams and checks share these.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from grambench.common.types import Floats
from grambench.kernels.bases import Base, PairedBase
from grambench.kernels.functions import Kernel

SAMPLE = 256  # training examples that the median of a view is taken over


def _median(train: PairedBase, view: str, base: str) -> tuple[float, int]:
    return float(np.median(train.pair_distances(view))), 0


def _sampled_median(train: PairedBase, view: str, base: str) -> tuple[float, int]:
    rows = np.linspace(0, len(train) - 1, min(SAMPLE, len(train))).astype(np.intp)
    return float(np.median(train.pair_distances(view, rows))), len(rows) ** 2


# by name: (training examples, view, base) -> the unit, and the kernel evaluations that it took
UNITS: dict[str, Callable[[Any, str, str], tuple[float, int]]] = {
    "features": lambda train, view, base: (float(train.features[view].shape[1]), 0),
    "median": _median,
    "sampled_median": _sampled_median,
    "mean": lambda train, view, base: train.mean(view, base),
}


class Measures:
    """The units and scales of m kernels, each measured when it is first asked for.

    Parameters
    ----------
    kernels : sequence of m Kernels
        The kernels.
    train : Base
        The training examples.
    trace : float, optional
        The trace to which the Gram matrix of each kernel on the training examples is scaled; by default no scaling.

    Attributes
    ----------
    evaluations : int
        Kernel evaluations that units have taken so far.
    """

    def __init__(self, kernels: Sequence[Kernel], train: Base, trace: float | None = None) -> None:
        for kernel in kernels:
            train.check(kernel)
        self.kernels, self.train, self.trace = tuple(kernels), train, trace
        self.evaluations = 0
        self._finite_to: dict[int, float] = {}  # by kernel, the squared norm up to which values are known to be finite
        self._units: dict[tuple[str, str, str], float] = {}

    def unit(self, k: int) -> float | None:
        """Return the unit of a kernel, or None if its parameter is not in units of the data."""
        kernel = self.kernels[k]
        return self.measured(kernel.view, kernel.unit, kernel.base) if kernel.unit else None

    def measured(self, view: str, unit: str, base: str = "inner") -> float:
        """Return a unit of one view by its name; a unit of 0, of equal examples, becomes 1."""
        if (view, unit, base) not in self._units:
            name = self.train.median if unit == "median" else unit
            value, evaluations = UNITS[name](self.train, view, base)
            self._units[view, unit, base] = value or 1.0
            self.evaluations += evaluations
        return self._units[view, unit, base]

    @cached_property
    def scales(self) -> list[float]:
        """The factor of each kernel."""
        if self.trace is None:
            return [1.0] * len(self.kernels)
        scales = []
        for k, kernel in enumerate(self.kernels):
            trace = self.unscaled_diagonal(k, self.train).sum()
            if not 0.0 < trace < float("inf"):
                raise ValueError(f"{kernel.name}: expected a trace that can be scaled, got {trace:g}")
            scales.append(float(self.trace / trace))
        return scales

    def unscaled_diagonal(self, k: int, examples: Base) -> Floats:
        """Return the values of one kernel of examples with themselves before scaling, (n,)."""
        kernel = self.kernels[k]
        squares = examples.squares(kernel.view) if kernel.base == "inner" else np.ones(len(examples))
        self.check(k, float(squares.max(initial=0.0)))
        diagonal = np.empty_like(squares)
        kernel.fill(squares if kernel.reads == "inner" else np.zeros_like(squares), diagonal, self.unit(k))
        return diagonal

    def check(self, k: int, largest: float) -> None:
        """Raise ValueError unless values of a kernel between examples of squared norms up to `largest` are finite."""
        # The same check on every predicted example would take half of its time.
        if not largest <= self._finite_to.get(k, -1.0):
            self.kernels[k].refuse_infinite(largest, self.unit(k))
            self._finite_to[k] = largest
