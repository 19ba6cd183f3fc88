"""The page of one study, from the files of the earlier steps; the layout is in the folder `templates`."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from grambench.config.metrics import METRICS
from grambench.datasets.store import Unavailable
from grambench.report.board import pair
from grambench.report.cells import ABSENT, NO_RESULT, TableCell, TableContent, cells_of
from grambench.report.charts import rounded
from grambench.report.page import PAPER_TABLE, StudyReport
from grambench.report.record import machine
from grambench.results.study import NOT_PART, Results
from grambench.results.verdicts import VERDICTS

SIGNS = {
    "exact": "=",
    "confirmed": "≈",
    "compatible": "~",
    "different": "≠",
    "speed-up": "∥",
    "unavailable": "–",
}
MEANINGS = {
    "exact": "mean and, where published, standard deviation print as published, and no test finds a difference",
    "confirmed": "no significant difference at 1 %, and its 99 % interval lies within the margin of the study",
    "compatible": "no significant difference at 1 %, but the interval is wider than the margin: the test is not sharp",
    "different": "a significant difference at 1 %; or not as printed, where nothing is left to chance",
    "speed-up": "seconds and their ratios, beside the published ones: not judged",
    "unavailable": "nothing to compare: a failed run, or unavailable data",
}
JUDGED = ("exact", "confirmed", "compatible", "different")
LABELS = {"unavailable": "without result", "contradicted": "inconsistent within the paper"}  # where they differ
DECIDED = ("holds", "fails", "contradicted")
UNDECIDED_HERE = "Ours (undecided)"  # in the evidence of a claim that its paper contradicts
CLAIM_SIGNS = {"holds": "✓", "fails": "✗", "contradicted": "⊥", "undecided": "?"}
WORST = 5  # configurations that are named for fits that did not converge


def facts(provenance: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the facts on where runs took place, each with its value, or all values with their numbers of records."""
    counts: dict[str, Counter[str]] = {}
    for of_record in provenance:
        for label, value in machine(of_record) if "versions" in of_record else ():
            counts.setdefault(label, Counter())[value] += 1
    return [(label, _values(counts)) for label, counts in counts.items()]


def _values(counts: Counter[str]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{value} (records: {count})" for value, count in counts.most_common())


def view(study: StudyReport) -> dict[str, Any]:
    """Return the values that the template of a study's page shows."""
    results, cells, numbers, achieved = study.results, study.results.cells, study.numbers(), study.achieved()
    # A leaderboard's first table has the algorithms as rows, the best first.
    ranks = {name for name, table in study.study.tables.items() if table.kind == "ranks" and pair(results)}
    names = sorted(study.tables, key=lambda name: name not in ranks)
    all_tables = [(name, *without_missing(study.tables[name])) for name in names]
    tables = [item for item in all_tables if item[1].blocks]
    # A claim without a number says that the file of the claims is faulty.
    hidden = (study.claims["verdict"] == "undecided") & (study.claims["claim"] != "") & bool(study.partial)
    return {
        "plan": study.study,
        "report": study,
        "bars": bars(numbers),
        "tables": tables,
        "paper_table": PAPER_TABLE if f"{PAPER_TABLE}.tex" in study.files else "",
        "main_metric": METRICS[metric].label if (metric := study.results.main_metric()) else "",
        "figures": [picture for picture in study.figures if not picture.empty],
        "without_data": [
            *(picture.title for picture in study.figures if picture.empty),
            *(table.title for _, table, _ in all_tables if not table.blocks),
        ],
        "cells": _details(study, [cell for _, table, _ in tables for cell in cells_of(table.blocks)]),
        "counts": tally(numbers["verdict"], VERDICTS),
        "tests": int(achieved["p_value"].notna().sum()),
        "found": int((achieved["p_value"].notna() & (achieved["verdict"] == "different")).sum()),
        "claim_counts": claim_counts(study.claims),
        "claims": study.claims[~hidden].to_dict("records"),
        "hidden_claims": int(hidden.sum()),
        "differences": differences(study),
        "speed_ups": _speed_ups(study),
        "fits": convergence(results),
        "runs": {"ok": int((cells["status"] == "ok").sum()), "failed": len(study.failed), "all": len(cells)},
        "failed": [row | {"title": results.title(str(row["algorithm"]))} for row in study.failed.to_dict("records")],
        "unavailable": [loaded for loaded in study.prepared.values() if isinstance(loaded, Unavailable)],
        "files": [name for name in study.files if "/" not in name],
    }


def tally(values: pd.Series, names: Iterable[str]) -> dict[str, int]:
    """Return how often each of some names is among the values."""
    return {name: int((values == name).sum()) for name in names}


def claim_counts(claims: pd.DataFrame) -> dict[str, int]:
    """Return how many claims have each verdict, and how many are decided by these runs."""
    counts = tally(claims["verdict"], CLAIM_SIGNS)
    return counts | {"decided": int(decided(claims).sum()), "all": len(claims)}


def decided(claims: pd.DataFrame) -> pd.Series:
    """Return whether these runs decide each claim; they may leave open one that its paper contradicts."""
    return claims["verdict"].isin(DECIDED) & ~claims["evidence"].str.contains(UNDECIDED_HERE, regex=False)


def bars(numbers: pd.DataFrame) -> list[dict[str, Any]]:
    """Return for each metric the number of each verdict."""
    by_metric = []
    for metric, of_metric in numbers.groupby("metric", sort=False):
        counts, total = tally(of_metric["verdict"], VERDICTS), len(of_metric)
        parts = [(name, count) for name, count in counts.items() if count]
        by_metric.append({"label": METRICS[str(metric)].label, "total": total, "parts": parts})
    return by_metric


def without_missing(table: TableContent) -> tuple[TableContent, list[str]]:
    """Return a table without the data sets and algorithms that are not part of this run, and their names."""
    blocks, omitted = [], []
    for block in table.blocks:
        rows = [row for row in block.rows if any(map(_is_part_of_run, row.cells))]
        if rows or not block.dataset:
            omitted += [row.label for row in block.rows if row not in rows]
        else:
            omitted.append(block.dataset)
        if rows:
            blocks.append(replace(block, rows=rows))
    table = replace(table, blocks=blocks)
    if blocks:
        columns = zip(*(row.cells for block in blocks for row in block.rows), strict=True)
        in_run = [any(map(_is_part_of_run, cells)) for cells in columns]
        omitted += [title for title, part in zip(table.columns, in_run, strict=True) if not part]
        table = table.select_columns([number for number, part in enumerate(in_run) if part])
    if all(map(_is_part_of_run, cells_of(table.blocks))):
        table = replace(table, remarks=[remark for remark in table.remarks if remark != ABSENT])
    return table, list(dict.fromkeys(omitted))


def _is_part_of_run(cell: TableCell) -> bool:
    # a run that was made may lack the number
    return bool(cell.text or cell.orders) or cell.status != NO_RESULT


def _details(study: StudyReport, cells: Iterable[TableCell]) -> dict[str, dict[str, Any]]:
    """Return further facts on each cell of the tables, by data set, algorithm and metric."""
    results, details = study.results, {}
    for cell in cells:
        if cell.key is None or "|".join(cell.key) in details:
            continue
        dataset, algorithm, _ = cell.key
        row = study.compared.get(cell.key)
        record, reason = study.record_paths.get((dataset, algorithm), ""), results.missing(dataset, algorithm)
        detail: dict[str, Any] = {"record": record, "why": reason}
        if cell.numbers and (ours := cell.numbers[0]).runs:
            detail |= {"mean": rounded(ours.mean, 4), "std": rounded(ours.std, 4), "runs": ours.runs}
        if row is not None:
            detail |= {"published": row["published"], "verdict": row["verdict"], "why": row["reason"]}
            names = ("difference", "low", "high", "p_value", "rank_p_value", "z", "margin")
            detail |= {name: rounded(float(row[name]), 4) for name in names}
            # With replications, the difference is that of their mean, not of this run's.
            if row["replications"] > 0:
                detail["replications"] = int(row["replications"])
                detail["replicated"] = rounded(float(row["published_mean"] + row["difference"]), 4)
        values = {name: value for name, value in detail.items() if value not in ("", None)}
        if cell.text or values.get("why", NOT_PART) != NOT_PART:
            details["|".join(cell.key)] = values
    return details


def differences(study: StudyReport) -> list[dict[str, Any]]:
    """Return the numbers that are different, each once with all tables that print it; so are variants of the paper."""
    rows = study.reproduction[study.reproduction["verdict"] == "different"]
    numbers = rows.groupby([name for name in rows if name != "item"], sort=False, dropna=False)["item"].agg(", ".join)
    return [
        {str(key): value for key, value in row.items()}
        | {"title": study.results.title(str(row["algorithm"])), "label": METRICS[str(row["metric"])].label}
        for row in numbers.reset_index().to_dict("records")
    ]


def _speed_ups(study: StudyReport) -> list[tuple[str, float]]:
    seconds = study.reproduction[study.reproduction["speed_up"] > 0].drop_duplicates(["dataset", "algorithm"])
    medians = seconds.groupby("algorithm", sort=False)["speed_up"].median()
    return [(study.results.title(str(name)), float(value)) for name, value in medians.items()]


def convergence(results: Results) -> dict[str, Any]:
    """Return how many fits report their convergence, how many did not converge, and the worst configurations."""
    reported = results.runs[results.runs["metric"] == "converged"].dropna(subset="result")
    counts = reported["result"].eq(0.0).groupby(reported["algorithm"], sort=False).agg(["sum", "size"])
    missed = counts[counts["sum"] > 0].sort_values("sum", ascending=False, kind="stable")
    worst = [(results.title(str(name)), *map(int, numbers)) for name, *numbers in missed.itertuples()]
    total = int(counts["sum"].sum())
    return {"all": len(reported), "missed": total, "worst": worst[:WORST], "others": len(worst[WORST:])}
