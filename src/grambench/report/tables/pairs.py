"""Every algorithm against every other: on how many data sets it wins, ties and loses."""

import itertools

from grambench.config.metrics import METRICS
from grambench.config.shown import PairsTable
from grambench.report.tables.layout import Block, Cell, Given, Grid, Row
from grambench.results.statistics import BEST_LEVEL

Duels = dict[tuple[str, str], tuple[int, int, int]]
ALL_RIVALS = "All"


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
