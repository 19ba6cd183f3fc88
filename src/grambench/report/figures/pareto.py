"""How far algorithms are behind the best against their cost, with those that none beats in both."""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np

from grambench.config.metrics import METRICS
from grambench.config.names import Name
from grambench.report.charts import BLACK
from grambench.report.drawing import GREY, SMALL, fold
from grambench.report.figure_kind import FigureData, Ranking, RankingFigure
from grambench.report.lazy import Axes, Bbox, Canvas, Results

HEIGHT, NARROW_HEIGHT = 4.4, 3.8  # inches
LEFT, BOTTOM, RIGHT, TOP = 0.5, 0.62, 0.1, 0.1  # inches around the panel
SIZE = SMALL  # points of a letter
DOT = 3.5  # points from a dot's middle that no label covers
RINGS = (6.0, 11.0, 18.0, 26.0, 36.0, 48.0, 62.0, 78.0)  # points from a dot to its label, the nearest free one
NEAR = 4  # of the rings, in a column of a page: longer lines to names would cross
LINEAR = 1.0  # points behind the best up to which that axis is linear, and logarithmic from there on
SIDEWAYS = [0, 180, 330, 210, 30, 150, 270, 90, 300, 240, 60, 120]  # where a name is tried around its dot, in degrees
UPWARDS = [150, 180, 120, 90, 60, 30, 210, 330, 0, 240, 300, 270]  # the same on the front, whose steps lie below

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

    def draw(self, data: FigureData) -> Canvas:
        """Draw a dot for each algorithm, the front as steps, and a name beside each dot."""
        from matplotlib.figure import Figure

        from grambench.results.statistics import pareto_front

        (metric,), results, ranking = self.metrics, data.results, self.ranking(data.results)
        dots = self._dots(results, ranking)
        if not dots:
            return self.empty(data)
        # The panel has a fixed place: labels are laid out before anything is drawn.
        width, height = data.width, NARROW_HEIGHT if data.narrow else HEIGHT
        canvas = Figure(figsize=(width, height))
        inside = (width - LEFT - RIGHT) / width, (height - BOTTOM - TOP) / height
        axes = canvas.add_axes((LEFT / width, BOTTOM / height, *inside))
        _set_scales(axes, dots)
        front = pareto_front(dots)
        steps = zip(*(dots[name] for name in front), strict=True)
        axes.step(*steps, where="post", color=GREY, linewidth=1.0, zorder=1)
        for name, dot in dots.items():
            is_own = data.is_own(name)
            style: Any = {"markersize": 11.0 if is_own else 5.5, "markeredgecolor": BLACK if name in front else "white"}
            axes.plot(*dot, "*" if is_own else "o", color=data.colour(name), markeredgewidth=0.8, zorder=3, **style)
        unnamed = _write_names(axes, data, dots, front)
        free = [data.title(name) for name in ranking.names if name not in dots]
        remarks = [f"{METRICS[self.cost].label}, geometric mean over {ranking.basis}"]
        remarks += [f"not shown, without any: {', '.join(free)}"] if free else []
        remarks += [f"dots not named: {unnamed}"] if unnamed else []
        axes.set_xlabel(fold("; ".join(remarks), width))
        axes.set_ylabel(fold(f"{METRICS[metric].label} behind the best of each data set, mean", height))
        return canvas

    def _dots(self, results: Results, ranking: Ranking) -> Dots:
        """Return cost and distance from the best of every algorithm whose cost is known on all data sets."""
        datasets = list(ranking.ranks.index)
        costs = results.means(ranking.names, self.cost, datasets)
        with_cost = [name for name in ranking.names if len(datasets) and (costs[name] > 0.0).all()]
        if not with_cost:
            return {}
        behind = results.behind(ranking.names, self.metrics[0], datasets).mean()
        return {name: (float(np.exp(np.log(costs[name]).mean())), float(behind[name])) for name in with_cost}


def _set_scales(axes: Axes, dots: Dots) -> None:
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


def _write_names(axes: Axes, data: FigureData, dots: Dots, front: list[str]) -> int:
    """Write each name at the nearest place beside its dot where it covers neither a dot nor another name.

    The front comes first. Return the number of names for which no such place is left.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.patheffects import withStroke
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Bbox

    scale = 72.0 / axes.figure.dpi
    room = Bbox.from_extents(*(scale * end for end in axes.get_window_extent().extents))
    positions = {name: scale * axes.transData.transform(dot) for name, dot in dots.items()}
    occupied = [Bbox.from_extents(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in positions.values()]
    unnamed = 0
    for name in sorted(positions, key=lambda name: name not in front and not data.is_own(name)):
        (x, y), title = positions[name], data.title(name)
        weight = "bold" if name in front or data.is_own(name) else "normal"
        width = TextPath((0, 0), title, size=SIZE, prop=FontProperties(weight=weight)).get_extents().width
        rings = RINGS[:NEAR] if data.narrow else RINGS
        boxes = _around(x, y, width + 2.0, SIZE + 1.0, UPWARDS if name in front else SIDEWAYS, rings)
        inside = ((ring, box) for ring, box in boxes if room.contains(*box.p0) and room.contains(*box.p1))
        free = ((ring, box) for ring, box in inside if not any(map(box.overlaps, occupied)))
        ring, place = next(free, (0.0, None))
        if place is None:
            unnamed += 1
            continue
        occupied.append(place)
        axes.annotate(
            title,
            (x, y),
            xycoords="figure points",
            xytext=((place.x0 + place.x1) / 2, (place.y0 + place.y1) / 2),
            textcoords="figure points",
            ha="center",
            va="center",
            fontsize=SIZE,
            fontweight=weight,
            path_effects=[withStroke(linewidth=2.0, foreground="white")],
            arrowprops={"arrowstyle": "-", "color": "#999999", "linewidth": 0.6} if ring > RINGS[0] else None,
            zorder=4,
        )
    return unnamed


def _around(
    x: float, y: float, width: float, height: float, angles: list[int], rings: tuple[float, ...]
) -> Iterator[tuple[float, Bbox]]:
    """Yield the boxes that a label may take around a point, the nearest first."""
    from matplotlib.transforms import Bbox

    for ring in rings:
        for angle in np.deg2rad(angles):
            along, up = float(np.cos(angle)), float(np.sin(angle))
            middle_x, middle_y = x + ring * along + width / 2 * along, y + ring * up + height / 2 * up
            low, high = (middle_x - width / 2, middle_y - height / 2), (middle_x + width / 2, middle_y + height / 2)
            yield ring, Bbox.from_extents(*low, *high)
