"""What every protocol hands back."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Origin = Literal["published", "seeded"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The numbers of one algorithm on one data set: R repeats at each of P points, m kernels.

    A point is a value of a sweep; a plain run has one. A repeat is an order of presentation or a part that is tested.

    Attributes
    ----------
    metrics : dict of ndarray (P, R)
        One number a repeat, under names of grambench.config.metrics.
    curves : dict of ndarray (P, R, C) or (P, R, C, m)
        Values at C rounds of a repeat, and `weights` of the kernels there.
    rounds : ndarray of int64 (C,)
        Rounds done at each point of the curves.
    kernel_values : dict of ndarray (P, R, m)
        One number a kernel: `updates`, `weight`.
    origin : str
        Where the orders or parts come from.
    """

    metrics: dict[str, Floats]
    curves: dict[str, Floats] = field(default_factory=dict)
    rounds: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    kernel_values: dict[str, Floats] = field(default_factory=dict)
    origin: Origin = "seeded"
