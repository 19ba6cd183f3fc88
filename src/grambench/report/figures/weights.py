"""What the weights say: the share of each view in the weights, beside what the view tells alone and is missed for."""

from typing import Any, ClassVar, Literal

import numpy as np

from grambench.config.metrics import METRICS
from grambench.config.names import Name, Names
from grambench.config.shown import OneMetric
from grambench.kernels.labels import view_label
from grambench.report import drawing
from grambench.report.figure_kind import FigureData, FigureKind
from grambench.report.lazy import Axes, Canvas, DataFrame, Results, ViewEffect

MOST = 8  # views of a panel
MAX_COLUMNS = 2
ROW, TITLE = 0.2, 0.75  # inches of a view, and of a panel's title and ticks


class WeightsFigure(FigureKind):
    """A panel for each data set with several views, a row for each view, those of the largest weights on top.

    Attributes
    ----------
    algorithms : list of str
        The learned combinations.
    alone, without : str
        The sweeps of kind `view`, of one entry, on each view alone and without each view.
    """

    kind: Literal["weights"]
    metrics: OneMetric
    algorithms: Names
    alone: Name
    without: Name
    about_runs: ClassVar[str] = "Dots are means of {runs}, lines one standard deviation to either side"

    def draw(self, data: FigureData) -> Canvas:
        """Draw the shares of the views in the weights, and print the metric on each view alone and its loss without."""
        results = data.results
        shares = {name: self._shares(results, name) for name in results.study.datasets}
        datasets = [name for name, of_algorithms in shares.items() if of_algorithms]
        if not datasets:
            return self.empty(data)
        rows = max(len(next(iter(shares[name].values())).columns) for name in datasets)
        canvas, all_axes = data.grid(len(datasets), MAX_COLUMNS, TITLE + ROW * min(rows, MOST), 0.5)
        legend: dict[str, object] = {}
        for axes, dataset in zip(all_axes, datasets, strict=True):
            legend |= self._draw_panel(axes, data, dataset, shares[dataset])
        canvas.supxlabel("Share of a view in the weights (%)", fontsize=drawing.LABEL)
        drawing.put_legend(canvas, legend, 4, **drawing.SMALL_DOTS)
        return canvas

    def _shares(self, results: Results, dataset: str) -> dict[str, DataFrame]:
        """Return the shares of the views, a row for each repetition, by algorithm; none of a data set without views."""
        shares = {name: results.view_shares(dataset, name) for name in self.algorithms}
        return {name: table for name, table in shares.items() if len(table.columns) > 1}

    def _draw_panel(
        self, axes: Axes, data: FigureData, dataset: str, shares: dict[str, DataFrame]
    ) -> dict[str, object]:
        listed = list(next(iter(shares.values())).columns)
        means = np.mean([table[listed].mean() for table in shares.values()], axis=0)
        views = [listed[place] for place in np.argsort(-means, kind="stable")[:MOST]]
        legend: dict[str, object] = {}
        for number, (name, table) in enumerate(shares.items()):
            offset = (number - (len(shares) - 1) / 2.0) * 0.7 / len(shares)
            places, colour = np.arange(len(views)) + offset, data.colour(name)
            mean, std = 100.0 * table[views].mean(), 100.0 * table[views].std().fillna(0.0)
            axes.hlines(places, mean - std, mean + std, colors=colour, linewidth=1.0, alpha=0.6)
            style: Any = {"marker": data.shape(name), "color": colour, "markersize": 4, "linestyle": ""}
            (legend[data.title(name)],) = axes.plot(mean, places, **style)
        effects = data.results.view_effects(dataset, self.alone, self.without, self.metrics[0])
        labels = [f"{view_label(view)} {self._effect(effects.get(listed.index(view) + 1))}" for view in views]
        axes.set_yticks(range(len(views)), labels)
        axes.set_ylim(len(views) - 0.4, -0.6)
        axes.set_xlim(left=0.0)
        axes.axvline(100.0 / len(listed), color=drawing.GREY, linewidth=0.8, linestyle=":", zorder=1)
        rest = f", {len(views)} of {len(listed)}" if len(views) < len(listed) else ""
        drawing.set_title(axes, f"{dataset}{rest}", fontsize=drawing.SMALL)
        return legend

    def _effect(self, effect: ViewEffect | None) -> str:
        """Return the metric on a view alone and its change without the view, as "(71.2; -0.5)"."""
        decimals = METRICS[self.metrics[0]].decimals
        return f"({effect.alone:.{decimals}f}; {effect.change.value:+z.{decimals}f})" if effect else ""
