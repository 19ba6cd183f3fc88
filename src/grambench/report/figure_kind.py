"""The base classes of the kinds of figures, and the colours and dashes of configurations.

This module is imported when a study is loaded. It therefore imports matplotlib only where something is drawn.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from grambench.common.counts import counted
from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.config.names import Names
from grambench.config.shown import AnyFigure, OneMetric
from grambench.config.study import Study
from grambench.report import drawing
from grambench.report.charts import Chart, Line, Panel
from grambench.report.drawing import DARK_GREY, DASHES, LINES, PAGE, SHAPES
from grambench.report.lazy import Axes, Canvas, DataFrame, Results, Series

MEANS_AND_BANDS = "Lines are means of {runs}, bands one standard deviation to either side"
OWN_MARK = "★"  # before the title of a reader's own algorithm
NAMED = 4  # most data sets that are named where they are left out
Curve = tuple[Floats, Floats, Floats | None]  # x, mean and standard deviation, if any


@dataclass(frozen=True)
class FigureData:
    """The data of figures: the results of a study, curves.parquet and reproduction.csv, and the width in inches."""

    results: Results
    curves: DataFrame
    reproduction: DataFrame
    width: float = PAGE

    @property
    def narrow(self) -> bool:
        """Whether the figure is drawn for one column of a page."""
        return self.width < PAGE

    def is_own(self, name: str) -> bool:
        """Return whether a configuration runs a reader's own algorithm, from a file outside the package."""
        entry = self.results.study.algorithms.get(name)
        return entry is not None and entry.path is not None

    def title(self, name: str) -> str:
        """Return the title of a configuration; a reader's own algorithm is marked."""
        title = self.results.title(name)
        return f"{OWN_MARK} {title}" if self.is_own(name) else title

    def colour(self, name: str) -> str:
        """Return the colour of a configuration."""
        return line(self.results.study, name)[0]

    def shape(self, name: str) -> str:
        """Return the shape of a configuration's dots."""
        study = self.results.study
        return SHAPES[_siblings(study, name).index(name) % len(SHAPES)]

    def name_rows(self, axes: Axes, names: Sequence[str]) -> None:
        """Label the rows of a panel by configurations, without ticks; a reader's own algorithm is set in bold."""
        axes.set_yticks(range(len(names)), [self.title(name) for name in names])
        for label, name in zip(axes.get_yticklabels(), names, strict=True):
            label.set_fontweight("bold" if self.is_own(name) else "normal")
        axes.tick_params(axis="y", length=0)

    def grid(self, count: int, most: int, row: float, rest: float = 0.0) -> tuple[Canvas, list[Axes]]:
        """Return a figure and its panels, `most` in a row, or one in a column of a page; `row` and `rest` in inches."""
        columns = 1 if self.narrow else min(most, count)
        return drawing.panel_grid((self.width, row * math.ceil(count / columns) + rest), count, columns)

    def means(self, datasets: Iterable[str], names: Iterable[str], metric: str) -> tuple[Floats, Floats]:
        """Return mean and standard deviation (0 if unknown) of a metric for each data set and configuration."""
        samples = [self.results.sample(dataset, name, metric) for dataset in datasets for name in names]
        return np.array([sample.mean for sample in samples]), np.nan_to_num([sample.std for sample in samples])

    def line(self, name: str, x: Floats, mean: Floats, std: Floats | None = None, **style: Any) -> Line:
        """Return a line with the title, the colour and the dashes of a configuration, unless `style` has others."""
        colour, dash = line(self.results.study, name)
        style = {"title": self.title(name), "colour": colour, "dash": dash} | style
        return Line(x=x, mean=mean, std=np.zeros(len(mean)) if std is None else std, **style)

    def panels(
        self, figure: "DatasetsFigure", curve_of: Callable[[str, str], Curve | None], *, mark_dots: bool = False
    ) -> list[Panel]:
        """Return a panel for each data set.

        Parameters
        ----------
        figure : DatasetsFigure
            The figure.
        curve_of : callable
            Returns the curve of a data set and an algorithm, or None if there is no line.
        mark_dots : bool
            Whether a line of one point is drawn as a dot.
        """
        panels = []
        for dataset in figure.datasets:
            lines = []
            for name in figure.algorithms:
                if (curve := curve_of(dataset, name)) is not None:
                    marker = self.shape(name) if mark_dots and len(curve[0]) == 1 else ""
                    lines.append(self.line(name, *curve, marker=marker))
            panels.append(Panel(title=dataset, lines=lines, metric=figure.metrics[0]))
        return panels


class FigureKind(AnyFigure):
    """One figure: the fields that a study's file sets, and its drawing.

    A kind defines `draw`, or `chart` if its figure consists of panels of lines, or both.

    Attributes
    ----------
    about_runs : str
        The sentence of the caption on the runs behind the figure, and on its bands or bars.
    shows_sweep : bool
        Whether the figure shows the runs of its sweep rather than plain ones.
    """

    about_runs: ClassVar[str] = ""
    shows_sweep: ClassVar[bool] = False

    def draw(self, data: FigureData) -> Canvas:
        """Draw the figure."""
        chart = self.chart(data)
        if chart is None:
            raise NotImplementedError(f"figures of kind {self.kind} define neither draw nor chart")
        has_lines = any(panel.lines for panel in chart.panels)
        return drawing.draw_panels(chart, data.width) if has_lines else self.empty(data)

    def empty(self, data: FigureData, lacking: str = "") -> Canvas:
        """Return a panel with the reasons why there is nothing to show: what is `lacking`, or what cells say."""
        results = data.results
        datasets = self.named("datasets") or results.study.datasets
        missing = (results.missing(name, algorithm) for name in datasets for algorithm in self.named("algorithms"))
        reasons = [lacking] if lacking else list(dict.fromkeys(filter(None, missing)))
        text = "\n".join(["No data for this figure:", ", ".join(datasets), *reasons[:3]])
        canvas, axes = drawing.single_panel(data.width, 1.8)
        axes.set_axis_off()
        axes.set_gid("no-data")
        axes.text(0.5, 0.5, text, ha="center", va="center", wrap=True, color=DARK_GREY, transform=axes.transAxes)
        return canvas

    def chart(self, data: FigureData) -> Chart | None:
        """Return the numbers of the interactive figure in the report; None if the kind has none."""
        return None

    def weights(self, results: Results, curves: DataFrame) -> Series:
        """Return for each row of curves.parquet whether it is a weight of a kernel that the figure shows."""
        return curves["metric"].isin([])

    def shown_datasets(self, results: Results) -> list[str]:
        """Return the data sets that have a panel, because an algorithm of the figure has a result there."""
        sweep = getattr(self, "sweep") if self.shows_sweep else ""  # noqa: B009
        algorithms = self.named("algorithms")
        return [
            name
            for name in self.named("datasets")
            if any(results.cell(name, each, sweep).status == "ok" for each in algorithms)
        ]


class DatasetsFigure(FigureKind):
    """A figure with a panel for each data set and a line for each algorithm, by one metric."""

    metrics: OneMetric
    algorithms: Names
    datasets: Names
    about_runs: ClassVar[str] = MEANS_AND_BANDS

    def metric_chart(self, panels: list[Panel], *, x_log: bool = False, **options: Any) -> Chart:
        """Return a chart with the figure's metric on the y axis."""
        metric = METRICS[self.metrics[0]]
        if x_log:
            options["scale"] = lambda axes: drawing.plain_ticks(axes.xaxis, list(axes.get_xlim()))
        return Chart(panels=panels, y_label=metric.label, y_log=metric.logarithmic, x_log=x_log, **options)


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The algorithms of a figure that have any result, compared on its data sets.

    Attributes
    ----------
    names : list of str
        The algorithms, the one of the lowest mean rank first.
    datasets : list of str
        The data sets on which any of them has a result.
    ranks : DataFrame
        A row for each data set on which all of them have a result, a column for each algorithm, in the same order.
    """

    names: list[str]
    datasets: list[str]
    ranks: DataFrame

    @property
    def basis(self) -> str:
        """The number of data sets behind a comparison of all algorithms, in words."""
        without = [name for name in self.datasets if name not in self.ranks.index]
        text = f"{len(self.ranks)} of {counted(len(self.datasets), 'data set')}"
        return f"{text}, without {', '.join(without)}" if 0 < len(without) <= NAMED else text


class RankingFigure(FigureKind):
    """A figure of many algorithms on all data sets of a study, by one metric."""

    metrics: OneMetric
    algorithms: Names

    def judged(self) -> list[str]:
        """Return the metrics whose best values the figure marks."""
        return self.metrics

    def ranking(self, results: Results) -> Ranking:
        """Rank the algorithms, by their mean distance from the best if no data set has results of all of them."""
        (metric,) = self.metrics
        behind = results.behind(self.algorithms, metric)
        behind = behind.dropna(axis="index", how="all").dropna(axis="columns", how="all")
        datasets = [str(name) for name in behind.index]
        names = [str(name) for name in behind.columns]
        ranks = results.ranks(names, metric, datasets) if datasets else behind
        order = ranks.mean() if len(ranks) else behind.mean()
        names.sort(key=lambda name: float(order[name]))
        return Ranking(names=names, datasets=datasets, ranks=ranks[names])


def line(study: Study, algorithm: str) -> tuple[str, Any]:
    """Return colour and dash pattern of a configuration.

    The colour depends on the position of the algorithm's file among those of the study. It is thus the same in all
    figures of the study, and stays the same if a configuration is added at the end. Configurations that share a file
    share the colour and differ in their dashes.
    """
    files = list(dict.fromkeys(map(study.file, study.algorithms)))
    colour, dash = LINES[files.index(study.file(algorithm)) % len(LINES)]
    siblings = _siblings(study, algorithm)
    return colour, dash if len(siblings) == 1 else DASHES[siblings.index(algorithm) % len(DASHES)]


def _siblings(study: Study, algorithm: str) -> list[str]:
    """Return the configurations that share a file with one."""
    return [name for name in study.algorithms if study.file(name) == study.file(algorithm)]
