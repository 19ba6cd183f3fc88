"""Type aliases that all packages share."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.integer[Any]]
Labels = NDArray[np.int8]  # -1 or +1; class numbers from 0 for more than two classes
Order = NDArray[np.int32]  # a permutation of the examples
Approximation = Literal["fourier", "nystroem"]  # features that approximate kernels, see kernels.approximation
Grams = Sequence[Floats] | Floats  # m arrays (t, n), or one array (m, t, n)

Setting: TypeAlias = "bool | int | float | str | list[Setting] | dict[str, Setting] | None"  # what JSON can hold
Settings = dict[str, Setting]  # parameters of an algorithm by name
