"""Compare every published number with ours and give a verdict: the rows of reproduction.csv."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from grambench.common.errors import DataError
from grambench.common.files import check
from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.config.published import Published
from grambench.kernels.functions import Kernel
from grambench.kernels.labels import kernel_label
from grambench.results import replications
from grambench.results.characteristics import Characteristics, Prepared
from grambench.results.columns import ALL, ORDERS, STUDY, Column, Table
from grambench.results.replications import Replications
from grambench.results.statistics import ROUNDING_SLACK, Sample, printed
from grambench.results.study import NOT_PART, Results
from grambench.results.verdicts import VERDICTS, Judged, judge, judge_digits, judge_median, prints_as, resampled_medians

TABLE = Table(
    "reproduction.csv",
    "a published number",
    (
        STUDY,
        Column("item", "text", 'where the paper prints it, such as "Table 3"'),
        Column("dataset", "text", f"name of the data set; {ALL!r} for all data sets of the study together"),
        Column("algorithm", "text", "name of the configuration; empty for a number of the data set"),
        Column("metric", "text", "what was measured: a metric (below)"),
        Column("published_mean", "number", "the published number; missing for a name", "that of the metric"),
        Column("published_std", "number", "the published standard deviation, if any", "that of the metric"),
        Column("ours_mean", "number", "our number, if any", "that of the metric"),
        Column(
            "ours_std",
            "number",
            "standard deviation of our runs (ddof = 1); standard error for seconds of all data sets",
            "that of the metric",
        ),
        Column("runs", "integer", "runs behind our number; data sets, if it is of all together; 0 if none", "count"),
        ORDERS,
        Column("difference", "number", "ours (mean of the replications if any) less published", "that of the metric"),
        Column("low", "number", "lower end of the 99 % interval of the difference", "that of the metric"),
        Column("high", "number", "upper end of the 99 % interval of the difference", "that of the metric"),
        Column("p_value", "number", "p-value of the test of equal means; missing without a test"),
        Column("z", "number", "position of the published number among replications, as a normal deviate"),
        Column("rank_p_value", "number", "p-value of a rank test among replications; no verdict rests on it"),
        Column("replications", "integer", "means that the test rests on; 0 if it rests on single runs", "count"),
        Column("margin", "number", "difference that would matter, as the study declares it", "that of the metric"),
        Column("detectable", "number", "difference beyond which the test would reject", "that of the metric"),
        Column("verdict", "text", f"one of {', '.join(VERDICTS)} (docs/verdicts.md)"),
        Column("chosen", "text", "conventions missing in the paper that published numbers of this run selected"),
        Column("speed_up", "number", "published seconds divided by ours; for seconds only", "ratio"),
        Column("published", "text", "the published number as printed, or its names"),
        Column("ours", "text", "our number as it would be printed, or its names; empty if none"),
        Column("reason", "text", "why there is no number, or a remark"),
    ),
)
FIXED = "nothing is drawn on the published orders: the same algorithm would print the same number"
STALE = "its replications begin with another mean, of other settings, code or processor: make replications"
ALIKE = "all its replications are the same, and show no spread to judge by: Welch's test"
ROUNDED = "all our runs are the same: rounding of the published number is the test's only error"
VARIANTS = ", variants"  # end of the item of configurations that read the paper differently


def table(
    results: Results, prepared: Prepared, published: dict[str, Path], shipped: Path | None = None
) -> pd.DataFrame:
    """Compare all published numbers of a study with its results.

    Parameters
    ----------
    results : Results
        What was run.
    prepared : dict
        The data sets as loaded, or the notes that they are unavailable.
    published : dict
        The files of config/published by name.
    shipped : Path or None
        The table of the study's replications, where there is one.

    Returns
    -------
    DataFrame
        One row a published number.
    """
    files = results.study.published
    rows: list[dict[str, Any]] = []
    if files is not None:
        again = replications.read(shipped) if shipped else {}
        for name in files.results:
            rows += _compare_results(results, files, pd.read_csv(published[name]), again)
        if (characteristics := files.characteristics) is not None:
            numbers = pd.read_csv(published[characteristics.file])
            rows += [
                {"item": characteristics.item} | row for row in _compare_characteristics(results, prepared, numbers)
            ]
    return TABLE.frame({"study": results.study.name} | row for row in rows)


def read(path: Path) -> pd.DataFrame:
    """Read reproduction.csv; what is printed stays as it is, and texts that are missing are empty."""
    return TABLE.read(check(path))


def primary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the published numbers of some rows, each once, without the variants of configurations."""
    own = rows[~rows["item"].str.endswith(VARIANTS)]
    return own.drop_duplicates(["dataset", "algorithm", "metric"])


def judged_by_replications(reproduction: pd.DataFrame) -> pd.DataFrame:
    """Return the primary numbers that are judged by replications."""
    return primary(reproduction[reproduction["replications"] > 0])


def _compare_results(
    results: Results, files: Published, numbers: pd.DataFrame, again: dict[tuple[str, ...], Replications]
) -> Iterator[dict[str, Any]]:
    ranked = [str(name) for name in numbers.loc[numbers["metric"] == "median_rank", "algorithm"]]
    medians = resampled_medians(results.draws(ranked), datasets=files.resampled == "datasets")
    ranks = dict.fromkeys(ranked, np.zeros(0)) | dict(zip(ranked, medians.T, strict=False))
    for number in numbers.itertuples():
        published = Sample(float(number.mean), float(number.std), files.runs)  # type: ignore[arg-type]
        dataset, algorithm, metric, table = map(str, (number.dataset, number.algorithm, number.metric, number.table))
        item = f"Table {table}" if table.isdigit() else table
        if dataset == ALL:
            yield {"item": item} | _compare_across(results, files, algorithm, metric, published, ranks)
            continue
        for name in (algorithm, *results.study.variants(algorithm)):
            orders = results.cell(dataset, name).orders
            row = {
                "item": item if name == algorithm else item + VARIANTS,
                "dataset": dataset,
                "algorithm": name,
                "orders": orders,
                "chosen": files.chosen_by(dataset, name),
            }
            if METRICS[metric].named:
                names, selected = str(number.names), results.listed(dataset, name, metric)
                yield row | _compare_names(results, dataset, name, metric, names, selected, selected == names)
                continue
            ours, reason = _our_sample(results, dataset, name, metric)
            means: Floats | None = None
            # A published number that is a single run: our runs are its replications.
            if files.runs == 1:
                means = results.values(dataset, name, metric)
            elif shipped := again.get((dataset, name, metric, orders)):
                if ours.runs and not _is_fresh(shipped, results.cell(dataset, name).identity, ours, metric):
                    reason = STALE
                else:
                    means = shipped.means
                    reason = reason or ALIKE * bool(np.ptp(means) <= ROUNDING_SLACK)
            judged = _judge_row(files, dataset, metric, published, ours, means)
            without_spread = not judged["replications"] and ours.std == 0.0 and math.isnan(published.std)
            reason = reason or ROUNDED * (judged["verdict"] == "different" and without_spread)
            row |= judged | {"reason": reason}
            if row["verdict"] != "speed-up" and ours.runs == files.runs and results.deterministic(dataset, name):
                row |= judge_digits(published, ours, metric)._asdict()
                row["reason"] = FIXED if row["verdict"] == "different" else ""
            yield row


def _is_fresh(shipped: Replications, identity: str, ours: Sample, metric: str) -> bool:
    """Return whether replications are those of our run: made by the same code, or by code that gives the same mean."""
    return shipped.identity == identity or prints_as(ours.mean, shipped.means[0], METRICS[metric].decimals)


def _judge_row(
    files: Published, dataset: str, metric: str, published: Sample, ours: Sample, means: Floats | None = None
) -> dict[str, Any]:
    speed_up, margin = math.nan, files.margin(metric, published.mean)
    if ours.runs and metric in ("seconds", "fit_seconds", "seconds_ratio_percent"):
        judged = Judged("speed-up", difference=ours.mean - published.mean)
        speed_up = published.mean / ours.mean if metric != "seconds_ratio_percent" else math.nan
    else:
        judged = judge(published, ours, metric, margin, means)
    return {
        "metric": metric,
        "published_mean": published.mean,
        "published_std": published.std,
        "ours_mean": ours.mean,
        "ours_std": ours.std,
        "runs": ours.runs,
        **judged._asdict(),
        "margin": margin,
        "speed_up": speed_up,
        "published": printed(published, metric, dataset),
        "ours": printed(ours, metric, dataset, fine=True) if ours.runs else "",
    }


def _compare_names(
    results: Results, dataset: str, algorithm: str, metric: str, published: str, ours: str, is_same: bool
) -> dict[str, Any]:
    """Compare names that runs have selected with published ones, both in one text; `ours` is empty without runs."""
    return {
        "metric": metric,
        "runs": results.sample(dataset, algorithm, metric).runs,
        "verdict": "unavailable" if not ours else "exact" if is_same else "different",
        "published": published,
        "ours": ours,
        "reason": results.missing(dataset, algorithm),
    }


def _compare_across(
    results: Results, files: Published, algorithm: str, metric: str, published: Sample, ranks: dict[str, Floats]
) -> dict[str, Any]:
    """Compare a number of all data sets together; `published.runs` counts the data sets of the paper.

    `ranks` has, for each algorithm that is ranked, the median ranks of resampled studies.
    """
    ours = results.across(algorithm, metric, ranks)
    row = {"dataset": ALL, "algorithm": algorithm} | _judge_row(files, ALL, metric, published, ours)
    if metric == "median_rank":
        row |= judge_median(published.mean, ours.mean, ranks[algorithm], metric, row["margin"])._asdict()
    reasons = ["resampled studies all have this median"] * (row["verdict"] == "unavailable" and ours.runs > 1)
    if ours.runs < published.runs:
        needed = list(ranks) if metric == "median_rank" else [algorithm]
        missing = [name for name in results.study.datasets if any(results.missing(name, ranked) for ranked in needed)]
        without = f", without {', '.join(missing)}" if missing else ""
        reasons.append(f"{ours.runs} of {published.runs} data sets{without}")
    return row | {"reason": "; ".join(reasons)}


def _our_sample(results: Results, dataset: str, algorithm: str, metric: str) -> tuple[Sample, str]:
    """Return our number and the reason if it is missing; a ratio is one of mean seconds, as in the paper."""
    reason = results.missing(dataset, algorithm)
    if metric != "seconds_ratio_percent":
        return results.sample(dataset, algorithm, metric), reason
    times = next((table for table in results.study.tables.values() if table.kind == "times"), None)
    if times is None:
        return Sample(math.nan, math.nan, 0), "no table of times names the algorithm to compare with"
    compared = times.named("algorithms")[0]
    reason = reason or results.missing(dataset, compared)
    return results.seconds_ratio(dataset, algorithm, compared), reason


def _compare_characteristics(results: Results, prepared: Prepared, numbers: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for _, number in numbers.iterrows():
        dataset = str(number["dataset"])
        loaded = prepared.get(dataset)
        known = isinstance(loaded, Characteristics)
        for metric in ("n", "d"):
            published, ours = float(number[metric]), float(getattr(loaded, metric, math.nan))
            yield {
                "dataset": dataset,
                "metric": metric,
                "published_mean": published,
                "ours_mean": ours,
                "difference": ours - published,
                "verdict": "unavailable" if not known else "exact" if prints_as(ours, published, 0) else "different",
                "published": f"{published:.0f}",
                "ours": f"{ours:.0f}" if known else "",
                "reason": "" if known else str(loaded or NOT_PART),
            }
        if "best_kernel" in number:
            yield _compare_best_kernel(results, dataset, Kernel.parse(str(number["best_kernel"])).name)


def _compare_best_kernel(results: Results, dataset: str, published: str) -> dict[str, Any]:
    """Compare the kernel with the fewest mistakes over all runs; in a tie with the published one they agree."""
    if (experts := results.study.experts) is None:
        raise DataError("published characteristics name best kernels, so the study needs experts")
    ours, orders = results.best_kernels(dataset), results.cell(dataset, experts).orders
    texts = kernel_label(published), " or ".join(map(kernel_label, ours))
    compared = _compare_names(results, dataset, experts, "mistake_percent", *texts, published in ours)
    row = compared | {"dataset": dataset, "algorithm": experts, "metric": "best_kernel", "orders": orders}
    if row["verdict"] == "different":
        totals = [results.values(dataset, experts, f"updates:{name}").sum() for name in (published, ours[0])]
        mistakes = [total / row["runs"] for total in totals]
        if all(map(math.isfinite, mistakes)):
            row["reason"] = f"the published one makes {mistakes[0]:.1f} mistakes a run, ours {mistakes[1]:.1f}"
    return row
