"""Every algorithm against every other: on how many data sets it wins, ties and loses."""

import itertools
from typing import ClassVar, Literal

from grambench.config.metrics import METRICS
from grambench.report.cells import NO_RESULT, Block, Row, TableCell, TableContent
from grambench.report.table_kind import OneMetricTable, TableData
from grambench.results.columns import ALGORITHM, ALGORITHM_TITLE, ALL, Column, Table

Counts = tuple[int, int, int]  # wins, ties and losses
Duels = dict[tuple[str, str], Counts]
ALL_RIVALS = "All"
WON = "data sets on which its mean is better and a test tells the two apart at 5 %"


class PairsTable(OneMetricTable):
    """A row and a column for each algorithm: on how many data sets the row's wins, ties and loses against the other."""

    kind: Literal["pairs"]
    file: ClassVar = Table(
        "tables/*.csv",
        "two algorithms, of a table of kind pairs",
        (
            ALGORITHM,
            Column(
                "rival", "text", f"name of the configuration that it is compared with; {ALL!r} for all others together"
            ),
            Column("metric", "text", "what they are compared by: a metric (below)"),
            ALGORITHM_TITLE,
            Column("rival_title", "text", "title of the one that it is compared with"),
            Column("metric_title", "text", "title of the metric with its unit"),
            Column("wins", "integer", WON, "count"),
            Column("ties", "integer", "data sets on which no test does", "count"),
            Column("losses", "integer", "data sets on which the other's mean is better and a test tells", "count"),
        ),
    )

    def build(self, data: TableData) -> TableContent:
        """Lay out a row and a column for each algorithm, those first that win most and lose least."""
        from grambench.results.statistics import BEST_LEVEL

        (metric,), results = self.metrics, data.results
        duels: Duels = {pair: results.duel(*pair, metric) for pair in itertools.combinations(self.algorithms, 2)}
        duels |= {(second, first): (losses, ties, wins) for (first, second), (wins, ties, losses) in duels.items()}
        totals = {name: _total(duels, name) for name in self.algorithms}
        names = sorted(self.algorithms, key=lambda name: totals[name][0] - totals[name][2], reverse=True)
        rows, records = [], []
        for name in names:
            counts = {ALL: totals[name]} | {rival: duels[name, rival] for rival in names if rival != name}
            # wins alone, so that the columns of many algorithms fit on a page
            cells = [_cell(totals[name], 3), *(_cell(counts.get(rival, (0, 0, 0)), 1) for rival in names)]
            rows.append(Row(label=results.title(name), cells=cells))
            for rival, wins_ties_losses in counts.items():
                rival_title = ALL_RIVALS if rival == ALL else results.title(rival)
                titles = (results.title(name), rival_title, METRICS[metric].label)
                records.append((name, rival, metric, *titles, *wins_ties_losses))
        remarks = [
            "Data sets on which the algorithm of the row wins against that of the column; it loses on those of the "
            "mirrored cell. The first column has wins, ties and losses against all others together. Rows are ordered "
            "by wins less losses.",
            f"It wins where its mean is better and {results.study.protocol.test} tells the two apart at "
            f"{100 * BEST_LEVEL:g} %, and ties where the test does not, which does not show that they are equal; data "
            "sets where one of the two has no result do not count.",
        ]
        columns, blocks = [ALL_RIVALS, *data.titles(names)], [Block(rows=rows)]
        return self.content(columns, blocks, remarks, self.file.frame(records), METRICS[metric].label)


def _total(duels: Duels, name: str) -> Counts:
    """Return wins, ties and losses against all others."""
    own_duels = [counts for (first, _), counts in duels.items() if first == name]
    wins, ties, losses = (sum(counts[place] for counts in own_duels) for place in range(3))
    return wins, ties, losses


def _cell(counts: Counts, shown: int) -> TableCell:
    """Return as many as are shown of "wins/ties/losses", a dash if there are none."""
    return TableCell(text="/".join(map(str, counts[:shown])) if any(counts) else "", status=NO_RESULT)
