"""Processor time and wall time."""

import math
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Seconds:
    """An amount of time; the smaller of two is that with less processor time.

    Attributes
    ----------
    processor : float
        Seconds that the threads of this process were computing, whatever else the machine did meanwhile.
    wall : float
        Seconds that passed.
    """

    processor: float = 0.0
    wall: float = 0.0

    def __add__(self, other: "Seconds") -> "Seconds":
        return Seconds(self.processor + other.processor, self.wall + other.wall)

    def __sub__(self, other: "Seconds") -> "Seconds":
        return Seconds(self.processor - other.processor, self.wall - other.wall)


NOT_TIMED = Seconds(math.nan, math.nan)


def now() -> Seconds:
    """Return the time since an arbitrary start."""
    return Seconds(time.process_time(), time.perf_counter())
