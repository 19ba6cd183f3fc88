"""How figures are drawn: colours and dashes, panels, legends, labels and axes.

The first eight colours are those of Okabe and Ito, which colour-blind readers can tell apart. This module is imported
when a study is loaded. It therefore imports matplotlib only where something is drawn.
"""

import math
import textwrap
from typing import Any

import numpy as np

from grambench.config.metrics import METRICS
from grambench.report.charts import BLACK, Chart, Line
from grambench.report.lazy import Axes, Axis, Canvas

LINES: list[tuple[str, Any]] = [  # colour and dash pattern
    ("#0072B2", "-"),
    ("#D55E00", (0, (5, 1))),
    ("#009E73", (0, (3, 1, 1, 1))),
    ("#E69F00", (0, (6, 1.2, 1, 1.2, 1, 1.2))),
    ("#CC79A7", (0, (1.5, 0.8))),
    ("#56B4E9", (0, (5, 1.5, 1, 1.5))),
    (BLACK, (0, (4, 1.5))),
    ("#999999", (0, (1, 1.2))),
    ("#882255", "-"),
    ("#999933", (0, (5, 1))),
    ("#332288", (0, (3, 1, 1, 1))),
    ("#8C510A", (0, (1.5, 0.8))),
    ("#66C2A5", "-"),
    ("#E7298A", (0, (4, 1.5))),
]
DASHES: list[Any] = ["-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5))]  # of configurations that share a file
SHAPES = ["o", "s", "^", "D", "v", "P", "X", "p"]  # dots of configurations that share a file
GREY = "#888888"  # of lines that are no results, such as a diagonal
DARK_GREY = "#444444"  # of texts
WHITE_EDGE: Any = {"markeredgecolor": "white", "markeredgewidth": 0.4}
SMALL_DOTS: Any = {"handlelength": 1.2, "handletextpad": 0.5}  # of a legend of dots
MAX_COLUMNS = 3  # of panels on a page
# Bands of many lines lie over each other, and are clearer.
OPACITY_OF_FEW, OPACITY_OF_MANY, MAX_FEW = 0.12, 0.07, 3
PAGE, COLUMN = 6.9, 3.3  # inches: the width of a page's text, and of one of its two columns
LABEL, SMALL = 8.0, 7.0  # points of the letters of labels and of ticks, as printed
HEIGHTS, NARROW_HEIGHTS = {1: 2.7, 2: 2.2, 3: 1.75}, {1: 1.9, 2: 1.4}  # inches of a panel, by the number in a row
LETTER_HEIGHT, LETTER_WIDTH = 7.5 / 72, 0.06  # inches of a legend's letters
LABEL_WIDTH = 0.062  # inches of a letter of a label
HEADROOM = 0.06  # share of the range of dots that is left free above and below them
FONT = "DejaVu Sans"  # comes with Matplotlib
# Names of views may be in letters that it lacks; the first of these that the machine has writes them.
OTHER_FONTS = ["Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei"]
OTHER_FONTS += ["Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "PingFang SC", "Hiragino Sans", "Arial Unicode MS"]
STYLE: Any = {
    "svg.hashsalt": "grambench",
    "svg.fonttype": "path",
    "text.parse_math": False,  # names of views may have dollar signs
    "pdf.fonttype": 42,
    "font.size": LABEL,
    "axes.titlesize": LABEL,
    "axes.labelsize": LABEL,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "lines.linewidth": 1.3,
    "figure.dpi": 100,
    "savefig.dpi": 200,
}


def style() -> Any:
    """Return Matplotlib's settings for all figures, with the fonts that this machine has."""
    from matplotlib import font_manager

    known = set(font_manager.get_font_names())
    return STYLE | {"font.family": [FONT, *(name for name in OTHER_FONTS if name in known)]}


def single_panel(width: float, height: float) -> tuple[Canvas, Axes]:
    """Return a figure with one panel; its size is in inches."""
    canvas, (axes,) = panel_grid((width, height), 1, 1)
    return canvas, axes


def panel_grid(
    size: tuple[float, float], count: int, columns: int, *, share_y: bool = False, layout: Any = "constrained"
) -> tuple[Canvas, list[Axes]]:
    """Return a figure of a size in inches and its panels, row by row."""
    from matplotlib.figure import Figure

    canvas = Figure(figsize=size, layout=layout)
    all_axes = canvas.subplots(math.ceil(count / columns), columns, squeeze=False, sharey=share_y).ravel()
    for axes in all_axes[count:]:
        axes.set_axis_off()
    return canvas, list(all_axes[:count])


def set_title(axes: Axes, title: str, **options: Any) -> None:
    """Write the title of a panel above its left end."""
    axes.set_title(title, loc="left", fontweight="bold", **options)


def draw_panels(chart: Chart, width: float) -> Canvas:
    """Draw the panels that have any line, of which there is one at least."""
    from matplotlib.lines import Line2D

    panels, narrow = [panel for panel in chart.panels if panel.lines], width < PAGE
    # In a column of a page, a second panel beside the first takes the room of its ticks.
    most = MAX_COLUMNS if not narrow else 1 if len(panels) <= MAX_COLUMNS else 2
    columns = min(most, len(panels))
    height = (NARROW_HEIGHTS if narrow else HEIGHTS)[columns]
    size = (width, height * math.ceil(len(panels) / columns) + 0.6)
    canvas, all_axes = panel_grid(size, len(panels), columns)
    for axes, panel in zip(all_axes, panels, strict=True):
        logarithmic = METRICS[panel.metric].logarithmic
        set_title(axes, fold_name(panel.title, width / columns - 0.5))
        axes.set_yscale("log" if logarithmic else "linear")
        opacity = OPACITY_OF_MANY if len(panel.lines) > MAX_FEW else OPACITY_OF_FEW
        for line in panel.lines:
            _draw_line(axes, line, opacity, logarithmic=logarithmic)
        if chart.x_log:
            axes.set_xscale("log")
        if chart.ticks:
            axes.set_xticks(list(chart.ticks.values()), list(chart.ticks))
        if any(np.isfinite(line.get_ydata()).any() for line in axes.get_lines()):
            chart.scale(axes)
        else:
            # An excess that is 0 from the beginning, on a logarithmic axis.
            axes.text(0.5, 0.5, "no value above 0", transform=axes.transAxes, ha="center", fontsize=LABEL)
    height = float(canvas.get_figheight())
    canvas.supylabel(fold(chart.y_label, height), fontsize=LABEL)
    canvas.supxlabel(fold(chart.x_label, width), fontsize=LABEL)
    # The panel with the most lines comes first: it has the lines in the figure's order.
    fullest = sorted(panels, key=lambda panel: -len(panel.lines))
    legend = {
        line.title: Line2D([], [], color=line.colour, linestyle=line.dash, marker=line.marker, markersize=4, lw=1.8)
        for panel in fullest
        for line in panel.lines
    }
    put_legend(canvas, legend, max(2 * columns, 4), handlelength=3.2)
    return canvas


def put_legend(canvas: Canvas, legend: dict[str, Any], columns: int, **options: float) -> None:
    """Put a legend above all panels, in at most `columns` columns and no more than fit."""
    # The lengths of handles are in heights of a letter.
    spaces = options.get("handlelength", 2.0) + options.get("handletextpad", 0.8) + 2.0
    entry = spaces * LETTER_HEIGHT + LETTER_WIDTH * max(map(len, legend))
    columns = max(1, min(columns, int(canvas.get_figwidth() / entry)))
    columns = math.ceil(len(legend) / math.ceil(len(legend) / columns))  # rows of equal length
    canvas.legend(legend.values(), legend.keys(), loc="outside upper center", ncols=columns, **options)


def _draw_line(axes: Axes, line: Line, opacity: float, *, logarithmic: bool) -> None:
    mean, colour = line.mean, line.colour
    if logarithmic:
        # A logarithmic axis has no 0.
        mean = np.where(mean > 0.0, mean, np.nan)
    floor = 1e-3 * mean if logarithmic else 0.0
    if line.std.any():
        low, high = np.maximum(mean - line.std, floor), mean + line.std
        opacity = min(opacity, OPACITY_OF_MANY) if colour == BLACK else opacity
        axes.fill_between(line.x, low, high, color=colour, alpha=opacity, linewidth=0)
    axes.plot(line.x, mean, color=colour, linestyle=line.dash, marker=line.marker, markersize=4)


def fold(text: str, width: float) -> str:
    """Return a label in lines of at most a width in inches."""
    return textwrap.fill(text, max(int(width / LABEL_WIDTH), 12))


def fold_name(name: str, width: float) -> str:
    """Return the name of a data set, in two lines if it is wider than a width in inches."""
    return name.replace("_", "\n", 1) if len(name) * 1.15 * LABEL_WIDTH > width else name


def fit_to_dots(axes: Axes, low: float, high: float) -> None:
    """Set the y axis of dots: it covers them with a little room, and need not contain 0."""
    if low < high or low > 0.0:
        room = HEADROOM * (high - low) or 0.05 * abs(high)
        # No dot lies below 0, so that the room beneath ends there.
        axes.set_ylim(max(low - room, 0.0) if low >= 0.0 else low - room, high + room)


def plain_ticks(axis: Axis, values: list[float]) -> None:
    """Write the numbers of a short logarithmic axis as 1, 2, 5, 10."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    if max(values) / min(values) < 200:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FormatStrFormatter("%g"))
    axis.set_minor_formatter(NullFormatter())


def plain_powers(canvas: Canvas) -> None:
    """Write the numbers of logarithmic axes as 0.1, 1, 10: matplotlib's are formulas, and no text is parsed as one."""
    from matplotlib.ticker import FormatStrFormatter, LogFormatterMathtext, NullFormatter

    for axis in (axis for axes in canvas.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        if isinstance(axis.get_major_formatter(), LogFormatterMathtext):
            axis.set_major_formatter(FormatStrFormatter("%g"))
        if isinstance(axis.get_minor_formatter(), LogFormatterMathtext):
            axis.set_minor_formatter(FormatStrFormatter("%g") if high < 10.0 * low else NullFormatter())
