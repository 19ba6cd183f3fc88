"""Charts: the panels and lines of a figure, for papers and, as plain numbers, for the report's script."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grambench.common.types import Floats
from grambench.report.lazy import Axes

BLACK = "#000000"  # of the report's letters, whatever its theme
DASHED = 2.0  # pixels of a point of a dash


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: its title in the legend, x, mean and standard deviation (0 for no band), and its style.

    A line without a `dash` is a set of points, and `names` says what each of them is.
    """

    title: str
    x: Floats
    mean: Floats
    std: Floats
    colour: str
    dash: Any
    marker: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One panel: its title, its lines, and the metric that they show."""

    title: str
    lines: list[Line]
    metric: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    """The contents of a figure of panels, for the interactive figure of the report and the one for papers alike.

    Attributes
    ----------
    panels : list of Panel
        The panels; those without any line are not drawn.
    x_label, y_label : str
        The labels of the axes.
    scale : callable
        Sets further properties of the axes of a panel, after all its lines are drawn.
    x_log, y_log : bool
        Whether the axes are logarithmic.
    ticks : dict of float
        Names of positions on the x axis, if they replace its numbers.
    diagonal : bool
        Whether the line of equal x and y is drawn.
    """

    panels: list[Panel]
    x_label: str
    y_label: str
    scale: Callable[[Axes], object] = lambda _: None
    x_log: bool = False
    y_log: bool = False
    ticks: Mapping[str, float] = field(default_factory=dict)
    diagonal: bool = False


def numbers(chart: Chart) -> dict[str, Any]:
    """Return a chart in plain values: its panels, and the style of each name in its legend."""
    panels = [panel for panel in chart.panels if panel.lines]
    looks = {line.title: _look(line) for panel in panels for line in panel.lines}
    titles = list(looks)
    return {
        "x": {"label": chart.x_label, "log": chart.x_log, "ticks": dict(chart.ticks)},
        "y": {"label": chart.y_label, "log": chart.y_log},
        "diagonal": chart.diagonal,
        "series": list(looks.values()),
        "panels": [
            {
                "title": panel.title,
                "lines": [
                    {"of": titles.index(line.title), "x": _short(line.x), "mean": _short(line.mean)}
                    | ({"std": _short(line.std)} if line.std.any() else {})
                    | ({"names": list(line.names)} if line.names else {})
                    for line in panel.lines
                ],
            }
            for panel in panels
        ],
    }


def _look(line: Line) -> dict[str, Any]:
    dash = line.dash[1] if isinstance(line.dash, tuple) else ()
    return {
        "title": line.title,
        "colour": "" if line.colour == BLACK else line.colour,  # that of the letters
        "dash": [round(DASHED * step, 1) for step in dash],
        "points": line.dash is None,
    }


def _short(values: Floats) -> list[float | None]:
    return [rounded(value, 5) for value in values]


def rounded(value: float, digits: int) -> float | None:
    """Round a number to significant digits; None if it is not finite, since JSON has no such numbers."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None
