"""The memory of this process, in MiB."""

import contextlib
import ctypes
import math
import resource
import sys
from pathlib import Path

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
UNIT = 2**20 if sys.platform == "darwin" else 2**10  # of the system's peak
# options of glibc's mallopt, and bytes: the largest threshold that it takes, and the free memory that it keeps
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
LARGEST_THRESHOLD, KEPT = 2**25, 2**28

_earlier_peaks = [0.0]  # before the last reset


def keep_freed() -> None:
    """Let glibc keep the memory of freed arrays for the next ones of this process; other C libraries do not care.

    By default it gives arrays of more than 128 KiB back to the system at once, which clears their pages when they are
    used again. That takes a fifth of the time of dense SIFT, and half of that of gradient boosting on many features.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(MMAP_THRESHOLD, LARGEST_THRESHOLD)
        libc.mallopt(TRIM_THRESHOLD, KEPT)


def peak() -> float:
    """Return the largest resident memory of this process so far."""
    _earlier_peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / UNIT)
    _earlier_peaks[:] = [max(_earlier_peaks)]
    return _earlier_peaks[0]


def reset_peak() -> float:
    """Forget the peak for `growth`, and return the resident memory; NaN on a system other than Linux."""
    peak()
    # Memory that is kept for the next arrays would count in the start, and not in the growth.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    try:
        RESET.write_text("5", encoding="ascii")
    except OSError:
        return math.nan
    return _read("VmRSS")


def growth(start: float) -> float:
    """Return the largest resident memory since `reset_peak`, less what that returned."""
    return start if math.isnan(start) else _read("VmHWM") - start


def _read(key: str) -> float:
    lines = STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    return next(float(line.split()[1]) / 2**10 for line in lines if line.startswith(f"{key}:"))
