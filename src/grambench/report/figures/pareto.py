"""How far algorithms are behind the best against their cost, with those that none beats in both."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from grambench.config.metrics import METRICS
from grambench.config.names import Name
from grambench.report.drawing import BLACK, GREY, WIDTH, Chart, FigureData, Line, Panel, empty
from grambench.report.ranking import Ranking, RankingFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from matplotlib.transforms import Bbox

    from grambench.results.study import Results

HEIGHT = 5.6
SIZE = 8.0  # points of a letter
DOT = 4.5  # points from a dot's middle that no label covers
RINGS = (7.0, 12.0, 18.0, 26.0, 36.0, 48.0, 62.0, 78.0)  # points from a dot to its label, the nearest free one
LINEAR = 1.0  # points behind the best up to which that axis is linear, and logarithmic from there on
SIDEWAYS = [0, 180, 330, 210, 30, 150, 270, 90, 300, 240, 60, 120]  # where a name is tried around its dot, in degrees
UPWARDS = [150, 180, 120, 90, 60, 30, 210, 330, 0, 240, 300, 270]  # the same on the front, whose steps lie below
FRONT = "none beats these in both"

Dots = dict[str, tuple[float, float]]  # cost and points behind


class ParetoFigure(RankingFigure):
    """How far algorithms are behind the best against their cost, with those that none beats in both.

    Attributes
    ----------
    cost : str
        The metric of the other axis.
    """

    kind: Literal["pareto"]
    cost: Name = "seconds"
    about_runs: ClassVar[str] = "Means of {runs} a data set"

    def judged(self) -> list[str]:
        """Return the metrics whose best values the figure marks."""
        return [*self.metrics, self.cost]

    def chart(self, data: FigureData) -> Chart:
        """Return a dot for each algorithm, and the front as steps."""
        from grambench.results.statistics import pareto_front

        (metric,), ranking = self.metrics, self.ranking(data.results)
        dots = self._dots(data.results, ranking)
        lines = []
        for name, (cost, behind) in dots.items():
            style: Any = {"dash": None, "marker": "o", "names": (data.results.title(name),)}
            lines.append(data.line(name, np.array([cost]), np.array([behind]), **style))
        front = [dots[name] for name in pareto_front(dots)]
        if len(front) > 1:
            costs, distances = (np.repeat(values, 2) for values in zip(*front, strict=True))
            flat = np.zeros(len(costs) - 1)
            lines.append(Line(title=FRONT, x=costs[1:], mean=distances[:-1], std=flat, colour=GREY, dash="-"))
        return Chart(
            panels=[Panel(title="", lines=lines, metric=metric)],
            x_label=f"{METRICS[self.cost].label}, geometric mean over {ranking.basis}",
            y_label=f"{METRICS[metric].label} behind the best, mean",
            x_log=True,
            y_down=True,  # the best are on top
        )

    def draw(self, data: FigureData) -> "Canvas":
        """Draw a dot for each algorithm, the front as steps, and a name beside each dot."""
        from matplotlib.figure import Figure as Canvas

        from grambench.results.statistics import pareto_front

        (metric,), results, ranking = self.metrics, data.results, self.ranking(data.results)
        dots = self._dots(results, ranking)
        if not dots:
            return empty(results, self)
        # The panel has a fixed place: labels are laid out before anything is drawn.
        canvas = Canvas(figsize=(WIDTH, HEIGHT))
        axes = canvas.add_axes((0.07, 0.12, 0.91, 0.85))
        _set_scales(axes, dots)
        front = pareto_front(dots)
        steps = zip(*(dots[name] for name in front), strict=True)
        axes.step(*steps, where="post", color=GREY, linewidth=1.0, zorder=1)
        for name, dot in dots.items():
            style: Any = {"markersize": 6.5, "markeredgecolor": BLACK if name in front else "white", "zorder": 3}
            axes.plot(*dot, "o", color=data.colour(name), markeredgewidth=0.9, **style)
        _write_names(axes, results, dots, front)
        free = [results.title(name) for name in ranking.names if name not in dots]
        without = f"; not shown, without any: {', '.join(free)}" if free else ""
        axes.set_xlabel(f"{METRICS[self.cost].label}, geometric mean over {ranking.basis}{without}")
        axes.set_ylabel(f"{METRICS[metric].label} behind the best of each data set, mean")
        return canvas

    def _dots(self, results: "Results", ranking: Ranking) -> Dots:
        """Return cost and distance from the best of every algorithm whose cost is known on all data sets."""
        datasets = list(ranking.ranks.index)
        costs = results.means(ranking.names, self.cost, datasets)
        with_cost = [name for name in ranking.names if len(datasets) and (costs[name] > 0.0).all()]
        if not with_cost:
            return {}
        behind = results.behind(ranking.names, self.metrics[0], datasets).mean()
        return {name: (float(np.exp(np.log(costs[name]).mean())), float(behind[name])) for name in with_cost}


def _set_scales(axes: "Axes", dots: Dots) -> None:
    """Set the axes: cost is logarithmic, with space for the names; the best are on top."""
    from matplotlib.ticker import FormatStrFormatter

    costs, behind = zip(*dots.values(), strict=True)
    axes.set_xscale("log")
    axes.set_xlim(min(costs) / 2.0, max(costs) * 3.0)
    axes.set_yscale("symlog", linthresh=LINEAR, linscale=0.5)
    bottom, top = max(behind) * 1.3 + 0.1, 0.7 * min(behind) - 0.15
    axes.set_ylim(bottom, top)
    axes.set_yticks([tick for tick in (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0) if top <= tick <= bottom])
    axes.yaxis.set_major_formatter(FormatStrFormatter("%g"))


def _write_names(axes: "Axes", results: "Results", dots: Dots, front: list[str]) -> None:
    """Write each name at the nearest place beside its dot where it covers neither a dot nor another name."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.patheffects import withStroke
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Bbox

    scale = 72.0 / axes.figure.dpi
    inside = axes.get_window_extent()
    room = Bbox.from_extents(*(scale * end for end in inside.extents))
    positions = {name: scale * axes.transData.transform(dot) for name, dot in dots.items()}
    occupied = [Bbox.from_extents(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in positions.values()]
    for name, (x, y) in positions.items():
        title = results.title(name)
        weight = "bold" if name in front else "normal"
        width = TextPath((0, 0), title, size=SIZE, prop=FontProperties(weight=weight)).get_extents().width
        boxes = list(_around(x, y, width + 2.0, SIZE + 1.0, UPWARDS if name in front else SIDEWAYS))
        free = (
            ring_and_box
            for ring_and_box in boxes
            if _lies_in(ring_and_box[1], room) and not any(map(ring_and_box[1].overlaps, occupied))
        )
        ring, box = next(free, boxes[0])
        occupied.append(box)
        axes.annotate(
            title,
            (x, y),
            xycoords="figure points",
            xytext=((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2),
            textcoords="figure points",
            ha="center",
            va="center",
            fontsize=SIZE,
            fontweight=weight,
            path_effects=[withStroke(linewidth=2.0, foreground="white")],
            arrowprops={"arrowstyle": "-", "color": "#999999", "linewidth": 0.6} if ring > RINGS[0] else None,
            zorder=4,
        )


def _lies_in(box: "Bbox", room: "Bbox") -> bool:
    return bool(room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0 and box.y1 <= room.y1)


def _around(x: float, y: float, width: float, height: float, angles: list[int]) -> "Iterator[tuple[float, Bbox]]":
    """Yield the boxes that a label may take around a point, the nearest first."""
    from matplotlib.transforms import Bbox

    for ring in RINGS:
        for angle in np.deg2rad(angles):
            along, up = float(np.cos(angle)), float(np.sin(angle))
            middle_x, middle_y = x + ring * along + width / 2 * along, y + ring * up + height / 2 * up
            low, high = (middle_x - width / 2, middle_y - height / 2), (middle_x + width / 2, middle_y + height / 2)
            yield ring, Bbox.from_extents(*low, *high)
