"""One configuration beside each of the others: where it harms, where it gains, and what to expect."""

from typing import ClassVar, Literal

from grambench.common.counts import in_line
from grambench.config.metrics import METRICS
from grambench.config.names import Name
from grambench.report.cells import Block, Row, TableCell, TableContent
from grambench.report.table_kind import OneMetricTable, TableData
from grambench.results.columns import ALGORITHM, ALGORITHM_TITLE, Column, Table

SHOWN = "votes, one a collection of data sets, on which it is shown to be"


class VersusTable(OneMetricTable):
    """A row for each configuration, with what `first` gains or loses beside it; the smallest gain comes first.

    Attributes
    ----------
    first : str
        The configuration that is compared with each of the others.
    """

    kind: Literal["versus"]
    first: Name
    file: ClassVar = Table(
        "tables/*.csv",
        "a configuration that another one is compared with, of a table of kind versus",
        (
            ALGORITHM,
            Column("metric", "text", "what they are compared by: a metric (below)"),
            ALGORITHM_TITLE,
            Column("difference", "number", "mean by which the other one is ahead", "that of the metric"),
            Column("low", "number", "lower end of its 95 % interval", "that of the metric"),
            Column("high", "number", "upper end", "that of the metric"),
            Column("worse", "integer", f"{SHOWN} more than a point worse", "count"),
            Column("within", "integer", f"{SHOWN} within a point", "count"),
            Column("better", "integer", f"{SHOWN} more than a point better", "count"),
            Column("votes", "integer", "votes in all", "count"),
            Column("next_worse", "number", "probability to be more than a point worse on a next data set"),
            Column("next_within", "number", "probability to be within a point"),
            Column("next_better", "number", "probability to be more than a point better"),
            Column("verdict", "text", "better, worse, practically equal or undecided, corrected for all rows"),
        ),
    )

    def build(self, data: TableData) -> TableContent:
        """Lay out a row for each configuration that can be compared with the first, see `Results.compare`."""
        from grambench.results.statistics import BEST_LEVEL, CERTAIN

        (metric,), results = self.metrics, data.results
        others = [name for name in self.algorithms if name != self.first]
        compared = {name: found for name in others if (found := results.compare(self.first, name, metric))}
        rows, records = [], []
        for name, each in sorted(compared.items(), key=lambda item: item[1].mean.value):
            verdict = each.verdict(len(compared))
            texts = (*each.texts.values(), verdict)
            rows.append(Row(label=results.title(name), cells=[TableCell(text=text) for text in texts]))
            interval = each.mean.interval(BEST_LEVEL)
            counts = (each.worse, each.within, each.better, each.votes)
            chances = (each.next_worse, each.next_within, each.next_better)
            titles = (name, metric, results.title(name))
            records.append((*titles, each.mean.value, *interval, *counts, *chances, verdict))
        without = in_line(data.titles([name for name in others if name not in compared]))
        label = METRICS[metric].label
        remarks = [
            f"By how many points of {label} {results.title(self.first)} is ahead of the configuration of the row, on "
            "the data sets that have both. Counts and probabilities are of more than a point worse, within a point, "
            "and more than a point better. A collection of data sets counts as one. The verdict is better or worse if "
            "the interval is beyond a point after Bonferroni's correction for the number of rows, which the printed "
            "one does not have. It is practically equal if a next data set is within a point with a probability of "
            f"{CERTAIN:g} or more, none is shown to be beyond, and more are shown within than have a mean beyond.",
            *([f"Not two data sets on which both have two repetitions: {without}."] if without else []),
        ]
        columns = [*next(iter(compared.values())).texts, "verdict"] if compared else []
        return self.content(columns, [Block(rows=rows)], remarks, self.file.frame(records), "Configuration")
