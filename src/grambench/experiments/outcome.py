"""The numbers that an experiment returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats

SLOTS = 50  # kernels of a continuous family that a record has room for, a fit
Origin = Literal["published", "seeded", "stored"]
Random = Literal["yes", "no", ""]
GROUPS = ("metrics", "curves", "kernel_values", "class_values")  # the arrays (P, R, ...) of an outcome


@dataclass(frozen=True, slots=True)
class Outcome:
    """The numbers of one algorithm on one data set: R repetitions at each of P points, m kernels.

    A point is a value of a sweep; a plain run has one. A repetition is a permutation of the examples or a split.

    Attributes
    ----------
    metrics : dict of ndarray (P, R)
        One number a repetition, under names of grambench.config.metrics.
    curves : dict of ndarray (P, R, C) or (P, R, C, m)
        Values at C rounds of a repetition, and `weights` of the kernels there.
    rounds : ndarray of int64 (C,)
        Rounds done at each point of the curves.
    kernel_values : dict of ndarray (P, R, m)
        One number a kernel: `updates`, `weight`.
    origin : str
        The origin of the permutations: "published", "seeded", or "stored" for the order of the data.
    random : str
        Whether a fit has drawn random numbers, "yes" or "no"; empty if the protocol has no published permutations.
    class_values : dict of ndarray (P, R, C, C)
        `confusion`: test examples by true class (rows) and predicted class.
    """

    metrics: dict[str, Floats]
    curves: dict[str, Floats] = field(default_factory=dict)
    rounds: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    kernel_values: dict[str, Floats] = field(default_factory=dict)
    origin: Origin = "seeded"
    random: Random = ""
    class_values: dict[str, Floats] = field(default_factory=dict)


class Result(NamedTuple):
    """The numbers of one repetition at one point, see Outcome.

    Attributes
    ----------
    metrics : dict of float
        By name.
    curves : dict of ndarray (C,) or (C, m)
        Values at C rounds.
    rounds : ndarray of int64 (C,)
        The rounds.
    kernel_values : dict of ndarray (m,)
        One number a kernel.
    class_values : dict of ndarray (C, C)
        `confusion`.
    """

    metrics: Mapping[str, float]
    curves: Mapping[str, Floats]
    rounds: NDArray[np.int64]
    kernel_values: Mapping[str, Floats]
    class_values: Mapping[str, Floats] = {}


Results = Mapping[tuple[int, int], Result]


def collect(results: Results, shape: tuple[int, int], origin: Origin = "seeded", random: Random = "") -> Outcome:
    """Return results by point and repetition as the arrays of an Outcome, NaN after the end of shorter ones.

    Parameters
    ----------
    results : dict of Result
        By point and repetition.
    shape : tuple of int
        P and R.
    origin, random : str
        See Outcome.
    """
    groups = {name: stack({at: getattr(result, name) for at, result in results.items()}, shape) for name in GROUPS}
    rounds = max((result.rounds for result in results.values()), key=len)
    return Outcome(**groups, rounds=rounds, origin=origin, random=random)


def stack(values: Mapping[tuple[int, int], Mapping[str, Any]], shape: tuple[int, int]) -> dict[str, Floats]:
    """Return numbers or arrays (...) by point, repetition and name as arrays (P, R, ...), padded with NaN."""
    stacked = {}
    for name in dict.fromkeys(name for entry in values.values() for name in entry):
        arrays = {place: np.asarray(entry[name]) for place, entry in values.items() if name in entry}
        longest = max(array.shape for array in arrays.values())
        stacked[name] = np.full((*shape, *longest), np.nan)
        for place, array in arrays.items():
            inside: Any = (*place, *map(slice, array.shape))
            stacked[name][inside] = array
    return stacked


def kernel_weights(weights: Floats, thetas: list[Floats] | None, m: int) -> dict[str, Floats]:
    """Return the weights of a learned kernel by the m kernels of the study, or in slots for those it found itself.

    Parameters
    ----------
    weights : ndarray (k,)
        Weights of the kernels.
    thetas : list of k ndarrays or None
        Their parameters in a continuous family; None if they are the study's kernels.
    m : int
        The number of the study's kernels; 0 if it has none.

    Returns
    -------
    dict of ndarray
        `weight`; in slots the `parameter` too, NaN where it is more than one number.
    """
    if m and thetas is None:
        return {"weight": weights}
    slots = {name: np.full(SLOTS, np.nan) for name in ("weight", "parameter")}
    count = min(len(weights), SLOTS)
    slots["weight"][:count] = weights[:count]
    if thetas and all(len(theta) == 1 for theta in thetas):
        slots["parameter"][:count] = np.concatenate(thetas)[:count]
    return slots
