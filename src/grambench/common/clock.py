"""Processor time and wall time."""

import contextlib
import math
import time
from collections.abc import Iterator
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

_paused = Seconds()


def now() -> Seconds:
    """Return the time since an arbitrary start, without that in `paused`."""
    return Seconds(time.process_time(), time.perf_counter()) - _paused


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Stop the clock, for work inside a measurement that is not what it measures."""
    global _paused
    begun = now()
    try:
        yield
    finally:
        _paused += now() - begun
