"""Every published number beside ours, with a verdict: the rows of reproduction.csv.

Columns: study, item ("Table 3"), dataset, algorithm, metric, published_mean, published_std, ours_mean, ours_std, runs,
orders, difference, p_value, verdict, speed_up, published, ours, reason. The last but one two hold the numbers as they
are printed, and names where the thing compared is a name.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from grambench.datasets.store import PreparedDataset
from grambench.errors import DataError
from grambench.kernels import Kernel
from grambench.results import NOT_PART, Prepared, Results, kernel_title
from grambench.statistics import Sample, Verdict, printed, prints_as, verdict

COLUMNS = [
    "study",
    "item",
    "dataset",
    "algorithm",
    "metric",
    "published_mean",
    "published_std",
    "ours_mean",
    "ours_std",
    "runs",
    "orders",
    "difference",
    "p_value",
    "verdict",
    "speed_up",
    "published",
    "ours",
    "reason",
]

VARIANTS = ", other readings"  # what the item of the entries is called that read the paper differently


def table(results: Results, prepared: Prepared, published: dict[str, Path]) -> pd.DataFrame:
    """Compare all published numbers of a study with its results.

    Parameters
    ----------
    results : Results
        What was run.
    prepared : dict
        The data sets as loaded, or the notes that they are unavailable.
    published : dict
        The files of config/published by name.

    Returns
    -------
    DataFrame
        One row a published number.
    """
    files = results.study.published
    rows: list[dict[str, Any]] = []
    if files is not None:
        for name in files.results:
            rows.extend(_results(results, _read(published, name), files.runs))
        if files.heads is not None:
            numbers = _read(published, files.heads.file)
            rows.extend({"item": files.heads.item} | row for row in _heads(results, prepared, numbers))
    return pd.DataFrame([{"study": results.study.name} | row for row in rows], columns=COLUMNS)


def _read(published: dict[str, Path], name: str) -> pd.DataFrame:
    if name not in published:
        raise DataError(f"published file {name} was not given, got {', '.join(published) or 'none'}")
    return pd.read_csv(published[name])


def _results(results: Results, numbers: pd.DataFrame, runs: int) -> Iterator[dict[str, Any]]:
    for number in numbers.itertuples():
        published = Sample(float(number.mean), float(number.std), runs)  # type: ignore[arg-type]
        dataset, algorithm, metric = str(number.dataset), str(number.algorithm), str(number.metric)
        item = f"Table {number.table}"
        yield {"item": item} | _row(results, dataset, algorithm, metric, published)
        for variant in results.study.variants(algorithm):
            yield {"item": item + VARIANTS} | _row(results, dataset, variant, metric, published)


def _row(results: Results, dataset: str, algorithm: str, metric: str, published: Sample) -> dict[str, Any]:
    ours, reason = _ours(results, dataset, algorithm, metric)
    judged: Verdict
    p_value = speed_up = math.nan
    if not ours.runs:
        judged = "unavailable"
    elif metric == "seconds":
        judged, speed_up = "speed-up", published.mean / ours.mean
    elif metric == "seconds_ratio_percent":
        judged = "speed-up"
    else:
        judged, p_value = verdict(published, ours, metric)
    return {
        "dataset": dataset,
        "algorithm": algorithm,
        "metric": metric,
        "published_mean": published.mean,
        "published_std": published.std,
        "ours_mean": ours.mean,
        "ours_std": ours.std,
        "runs": ours.runs,
        "orders": results.orders(dataset, algorithm),
        "difference": ours.mean - published.mean,
        "p_value": p_value,
        "verdict": judged,
        "speed_up": speed_up,
        "published": printed(published, metric),
        "ours": printed(ours, metric, fine=True) if ours.runs else "",
        "reason": reason,
    }


def _ours(results: Results, dataset: str, algorithm: str, metric: str) -> tuple[Sample, str]:
    """Return our number, and why there is none; a ratio is one of mean seconds, as in the paper."""
    reason = results.missing(dataset, algorithm)
    if metric != "seconds_ratio_percent":
        return results.sample(dataset, algorithm, metric), reason
    times = next((table for table in results.study.tables.values() if table.kind == "times"), None)
    if times is None:
        return Sample(math.nan, math.nan, 0), "no table of times names the algorithm to compare with"
    reason = reason or results.missing(dataset, times.algorithms[0])
    own, reference = (results.sample(dataset, name, "seconds") for name in (algorithm, times.algorithms[0]))
    return Sample(100 * own.mean / reference.mean, math.nan, min(own.runs, reference.runs)), reason


def _heads(results: Results, prepared: Prepared, numbers: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for _, number in numbers.iterrows():
        dataset = str(number["dataset"])
        loaded = prepared.get(dataset)
        shape: dict[str, float] = {}
        if isinstance(loaded, PreparedDataset):
            shape = dict(zip(("n", "d"), map(float, loaded.features.shape), strict=True))
        for metric in ("n", "d"):
            published, ours = float(number[metric]), shape.get(metric, math.nan)
            reason = "" if shape else str(loaded or NOT_PART)
            judged = ("exact" if prints_as(ours, published, 0) else "different") if shape else "unavailable"
            yield _loaded(dataset, metric, published, ours, judged, reason)
        yield _best_kernel(results, dataset, Kernel.parse(str(number["best_kernel"])).name)


def _loaded(dataset: str, metric: str, published: float, ours: float, judged: str, reason: str) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "algorithm": "",
        "metric": metric,
        "published_mean": published,
        "ours_mean": ours,
        "difference": ours - published,
        "verdict": judged,
        "published": f"{published:.0f}",
        "ours": f"{ours:.0f}" if judged != "unavailable" else "",
        "reason": reason,
    }


def _best_kernel(results: Results, dataset: str, published: str) -> dict[str, Any]:
    """Compare the kernel with the fewest mistakes over all runs; in a tie with the published one they agree."""
    ours = results.best_kernels(dataset)
    experts = results.study.experts or ""
    runs = results.sample(dataset, experts, "mistake_percent").runs
    reason = results.missing(dataset, experts)
    judged = "unavailable" if not ours else "exact" if published in ours else "different"
    if judged == "different":
        mistakes = [results.values(dataset, experts, f"updates:{name}").sum() / runs for name in (published, ours[0])]
        if all(map(math.isfinite, mistakes)):
            reason = f"the published one makes {mistakes[0]:.1f} mistakes a run, ours {mistakes[1]:.1f}"
    return {
        "dataset": dataset,
        "algorithm": experts,
        "metric": "best_kernel",
        "runs": runs,
        "orders": results.orders(dataset, experts),
        "verdict": judged,
        "published": kernel_title(published),
        "ours": " or ".join(map(kernel_title, ours)),
        "reason": reason,
    }
