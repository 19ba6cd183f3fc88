"""The numbers that an experiment returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats

SLOTS = 50  # kernels of a continuous family that a record has room for, a fit
Origin = Literal["published", "seeded"]
Random = Literal["yes", "no", ""]
Numbers = dict[str, NDArray[np.float64]]


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
        The origin of the permutations: "published" or "seeded".
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


class KernelWeights(NamedTuple):
    """The learned kernel of a fit, see grambench.algorithms.fit.Fit, which is kept until the record is written."""

    weights: Floats
    thetas: list[Floats] | None


def learned_values(
    fits: Mapping[tuple[int, int], KernelWeights], shape: tuple[int, int], kernels: Sequence[str]
) -> Numbers:
    """Return what was learned of the kernels, (P, R, m) for the m of the study, or for the first 50 that were found.

    Parameters
    ----------
    fits : dict of KernelWeights
        By point and repetition.
    shape : tuple of int
        P and R.
    kernels : sequence of m str
        The study's; where it has none, or a fit found its own, kernels are numbered as the fit has them.

    Returns
    -------
    dict of ndarray
        `weight`; for kernels that were found their `parameter` too, where it is one number.
    """
    if kernels and all(fit.thetas is None for fit in fits.values()):
        weights = np.empty((*shape, len(kernels)))
        for place, fit in fits.items():
            weights[place] = fit.weights
        return {"weight": weights}
    slots = {name: np.full((*shape, SLOTS), np.nan) for name in ("weight", "parameter")}
    for place, fit in fits.items():
        count = min(len(fit.weights), SLOTS)
        slots["weight"][place][:count] = fit.weights[:count]
        if fit.thetas and all(len(theta) == 1 for theta in fit.thetas):
            slots["parameter"][place][:count] = np.concatenate(fit.thetas)[:count]
    return slots
