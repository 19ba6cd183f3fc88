"""Every algorithm against every other: on how many data sets it wins, ties and loses."""

import itertools

from grambench.config.metrics import METRICS
from grambench.config.shown import PairsTable
from grambench.report.tables.layout import Block, Cell, Given, Grid, Row
from grambench.results.collect import ALGORITHM
from grambench.results.columns import Column, Table
from grambench.results.statistics import BEST_LEVEL
from grambench.results.study import ALL

Duels = dict[tuple[str, str], tuple[int, int, int]]
ALL_RIVALS = "All"
TABLE = Table(
    "tables/*.csv",
    "two algorithms, of a table of kind pairs",
    (
        ALGORITHM,
        Column("rival", "text", f"name of the entry that it is compared with; {ALL!r} for all others together"),
        Column("metric", "text", "what they are compared by: a metric (below)"),
        Column("algorithm_title", "text", "title of the entry, as the table prints it"),
        Column("rival_title", "text", "title of the one that it is compared with"),
        Column("metric_title", "text", "title of the metric with its unit"),
        Column(
            "wins", "integer", "data sets on which its mean is better and a test tells the two apart at 5 %", "count"
        ),
        Column("ties", "integer", "data sets on which no test does", "count"),
        Column("losses", "integer", "data sets on which the other's mean is better and a test tells", "count"),
    ),
)


def build(given: Given, table: PairsTable) -> Grid:
    """Lay out a row and a column an algorithm, those first that win most and lose least."""
    (metric,) = table.metrics
    results = given.results
    duels: Duels = {pair: results.duel(*pair, metric) for pair in itertools.combinations(table.algorithms, 2)}
    duels |= {(other, one): (losses, ties, wins) for (one, other), (wins, ties, losses) in duels.items()}
    names = sorted(table.algorithms, key=lambda name: _lead(_total(duels, name)), reverse=True)
    rows = [
        Row(
            label=results.title(name),
            metric=metric,
            cells=[_cell(_total(duels, name)), *(_cell(duels.get((name, other), (0, 0, 0))) for other in names)],
        )
        for name in names
    ]
    test = "paired t-test" if results.study.protocol.paired else "Student's t-test"
    data = [
        {
            "algorithm": name,
            "rival": rival,
            "metric": metric,
            "algorithm_title": results.title(name),
            "rival_title": ALL_RIVALS if rival == ALL else results.title(rival),
            "metric_title": METRICS[metric].label,
            **dict(zip(("wins", "ties", "losses"), counts, strict=True)),
        }
        for name in names
        for rival, counts in [
            (ALL, _total(duels, name)),
            *((rival, duels[name, rival]) for rival in names if rival != name),
        ]
    ]
    return Grid(
        title=table.title,
        caption=table.caption,
        corner=METRICS[metric].label,
        columns=[ALL_RIVALS, *map(results.title, names)],
        blocks=[Block(dataset="", head="", rows=rows)],
        remarks=[
            "Data sets on which the algorithm of the row wins, ties and loses against that of the column; against all "
            "others together in the first column. Rows are ordered by wins less losses.",
            f"It wins where its mean is better and a {test} tells the two apart at {BEST_LEVEL:.0%}, and ties where "
            "the test does not; data sets where one of the two has no result do not count.",
        ],
        data=TABLE.frame(data),
    )


def _total(duels: Duels, name: str) -> tuple[int, int, int]:
    """Return wins, ties and losses against all others."""
    wins, ties, losses = (
        sum(counts) for counts in zip(*(c for pair, c in duels.items() if pair[0] == name), strict=True)
    )
    return wins, ties, losses


def _lead(counts: tuple[int, int, int]) -> int:
    return counts[0] - counts[2]


def _cell(counts: tuple[int, int, int]) -> Cell:
    """Return "wins/ties/losses", a dash where the two never met."""
    return Cell(text="/".join(map(str, counts)) if any(counts) else "", status="—")
