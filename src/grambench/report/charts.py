"""Charts for the report's script: numbers of five digits, and styles for light and dark backgrounds."""

from typing import Any

from grambench.common.types import Floats
from grambench.report.drawing import BLACK, Chart, Line

DASHED = 2.0  # pixels of a point of a dash


def numbers(chart: Chart) -> dict[str, Any]:
    """Return a chart in plain values: its panels, and the style of each name in its legend."""
    panels = [panel for panel in chart.panels if panel.lines]
    looks = {line.title: _look(line) for panel in panels for line in panel.lines}
    titles = list(looks)
    return {
        "x": {"label": chart.x_label, "log": chart.x_log, "ticks": dict(chart.ticks)},
        "y": {"label": chart.y_label, "log": chart.y_log, "down": chart.y_down},
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
    """Return numbers of five digits; None for those that are not finite, which JSON does not have."""
    return [None if value != value or abs(value) == float("inf") else float(f"{value:.5g}") for value in values]
