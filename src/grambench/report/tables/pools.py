"""Two pools of kernels: the same configurations on the study's kernels and on another pool."""

from typing import Literal

from grambench.common.counts import counted, within
from grambench.config.metrics import METRICS
from grambench.config.names import Name
from grambench.report.cells import NO_RESULT, Block, Row, TableCell, TableContent, cells_of
from grambench.report.table_kind import OneMetricTable, TableData
from grambench.results.columns import ALL


class PoolsTable(OneMetricTable):
    """A column for each configuration, a row for each of two pools: means over the data sets that have both.

    More rows have the difference, on how many data sets it is shown, and what to expect on a next one. A remark says
    whether accuracy depends more on the pool or on how its kernels are weighted.

    Attributes
    ----------
    algorithms : list of str
        The configurations on the study's kernels. Weights are compared with those of the first.
    pool : str
        The other pool: configuration d1 is compared with d1_features for the pool `features`.
    labels : two str
        The pools in words, the study's kernels first.
    """

    kind: Literal["pools"]
    pool: Name
    labels: tuple[str, str]

    def named(self, key: Literal["algorithms", "datasets", "metrics"]) -> list[str]:
        """Return the algorithms, data sets or metrics that it lists, with the configurations on the other pool."""
        names = super().named(key)
        return [*names, *map(self.other, names)] if key == "algorithms" else names

    def other(self, name: str) -> str:
        """Return the name of a configuration on the other pool."""
        return f"{name}_{self.pool}"

    def build(self, data: TableData) -> TableContent:
        """Lay out a column for each configuration, with the difference between its pools."""
        results, (metric,) = data.results, self.metrics
        # an entry that a user has added to the study need not be there on both pools
        names = [name for name in self.algorithms if self.other(name) in results.study.algorithms]
        datasets = list(results.means([*names, *map(self.other, names)], metric).dropna().index)
        names = names if datasets else []  # there is nothing to compare
        rows = []
        for label, configurations in zip(self.labels, (names, map(self.other, names)), strict=True):
            samples = {name: results.across(name, metric, (), datasets=datasets) for name in configurations}
            cells = [data.cell((self.title, ALL, name, metric), ours=sample) for name, sample in samples.items()]
            rows.append(Row(label=label, cells=cells))
        frame = data.frame(cells_of([Block(dataset=ALL, rows=rows)]))
        compared = [results.compare(self.other(name), name, metric, datasets) if datasets else None for name in names]
        for label in next((each.texts for each in compared if each), ()):
            texts = [each.texts[label] if each else "" for each in compared]
            rows.append(Row(label=label, cells=[TableCell(text=text, status=NO_RESULT) for text in texts]))
        remarks = [
            f"Means over {counted(len(datasets), 'data set')}, on which every configuration has results on both pools. "
            "The last rows say on how many of them, and with which probability on a next one, the second pool is more "
            "than a point worse, within a point, and more than a point better. A collection counts as one.",
            *self._about_both(data, names, datasets),
            *data.failures(results.study.datasets, [*names, *map(self.other, names)]),
        ]
        return self.content(data.titles(names), [Block(dataset=ALL, rows=rows)], remarks, frame, "Pool")

    def _about_both(self, data: TableData, names: list[str], datasets: list[str]) -> list[str]:
        """Return the remark on what accuracy depends on more; none without two data sets."""
        if len(datasets) < 2:
            return []
        (metric,), results = self.metrics, data.results
        pool, weights = results.moved_by_pool(names, self.pool, metric, datasets)
        label = within(METRICS[metric].label.partition(" (")[0])
        return [
            f"Another pool moves {label} by {pool.mean():.2f} points, other weights than those of "
            f"{results.title(names[0])} on the same pool by {weights.mean():.2f}: mean distances, without the noise in "
            "which one split differs from all others."
        ]
