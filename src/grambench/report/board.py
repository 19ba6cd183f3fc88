"""The first screen of a leaderboard: the means behind a rank chart and a Pareto front whose contents can be chosen."""

from typing import Any

from grambench.config.metrics import METRICS
from grambench.report.charts import BLACK, rounded
from grambench.report.figure_kind import line
from grambench.results.study import Results

RANKS, FRONT = "critical_difference", "pareto"  # kinds of figures


def pair(results: Results) -> tuple[str, str] | None:
    """Return the names of the first rank chart and the first Pareto front of a study; None unless it has both."""
    kinds = {figure.kind: name for name, figure in sorted(results.study.figures.items(), reverse=True)}
    return (kinds[RANKS], kinds[FRONT]) if {RANKS, FRONT} <= kinds.keys() else None


def numbers(results: Results) -> dict[str, Any] | None:
    """Return what the charts of the first screen show; None for a study without them, or without two algorithms.

    The first metric is that of the study's rank chart. `values` have a row of means for each algorithm, None without a
    result. `groups` are algorithms that cannot be told apart by it.
    """
    if (names := pair(results)) is None:
        return None
    study = results.study
    ranks = study.with_unnamed(study.figures[names[0]])
    metrics = ranks.named("metrics")
    algorithms = results.with_results(ranks.named("algorithms"), metrics[0])
    if len(algorithms) < 2:
        return None
    fronts = [figure for figure in study.figures.values() if figure.kind == FRONT]
    costs = list(dict.fromkeys(str(getattr(figure, "cost")) for figure in fronts))  # noqa: B009
    measured = set(map(str, results.runs["metric"].unique()))
    metrics = [name for name in dict.fromkeys([*metrics, *_compared(results), *costs]) if name in measured]
    return {
        "algorithms": [
            {
                "title": results.title(name),
                "colour": "" if (colour := line(study, name)[0]) == BLACK else colour,
                "own": study.algorithms[name].path is not None,
            }
            for name in algorithms
        ],
        "datasets": study.datasets,
        "metrics": [
            {
                "name": name,
                "label": METRICS[name].label,
                "high": METRICS[name].better == "higher",
                "log": METRICS[name].logarithmic,
                "values": [[rounded(x, 6) for x in row] for row in results.means(algorithms, name).to_numpy().T],
            }
            for name in metrics
        ],
        "costs": [metrics.index(name) for name in costs if name in metrics],
        "groups": _groups(results, algorithms, metrics[0]),
    }


def _compared(results: Results) -> list[str]:
    """Return the metrics by which tables that rank algorithms compare them."""
    tables = [table for table in results.study.tables.values() if table.kind == "ranks"]
    metrics = [metric for table in tables for metric in table.named("metrics")]
    return [name for name in metrics if METRICS[name].better and not METRICS[name].derived]


def _groups(results: Results, algorithms: list[str], metric: str) -> list[list[int]]:
    """Return groups of algorithms that cannot be told apart by a metric over the data sets that all of them have."""
    from grambench.results.statistics import groups_alike

    ranks = results.ranks(algorithms, metric)
    if len(ranks) < 2:
        return []
    order = ranks.mean().sort_values(kind="stable").index
    groups = groups_alike(results.votes(order, metric, ranks.index))
    return [[algorithms.index(name) for name in group] for group in groups]
