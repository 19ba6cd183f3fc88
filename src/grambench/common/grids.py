"""Grids of numbers between two bounds."""

MOST = 100_000  # points of a grid


def check_bounds(low: float, high: float, spacing: str) -> None:
    """Raise ValueError unless the bounds are those of a grid with this spacing."""
    if not low < high:
        raise ValueError(f"low must be below high, got {low:g} and {high:g}")
    if spacing == "log" and low <= 0.0:
        raise ValueError(f"a grid of log spacing starts above 0, got {low:g}")


def grid(low: float, high: float, count: int, spacing: str) -> list[float]:
    """Return `count` numbers from `low` to `high`, with "linear" or "log" spacing."""
    # Commands that only list data sets do not need NumPy.
    import numpy as np

    values = (np.geomspace if spacing == "log" else np.linspace)(low, high, count)
    return [float(value) for value in values]
