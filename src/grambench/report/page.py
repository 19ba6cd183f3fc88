"""Builds the page from what the earlier steps wrote; the layout is in page.html and style.css beside this file."""

import base64
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grambench.common.provenance import THREAD_VARIABLES
from grambench.config.metrics import METRICS
from grambench.datasets.store import PreparedDataset, Unavailable
from grambench.report.tables import NO_RESULT, Grid
from grambench.results.reproduction import judged_by_replications
from grambench.results.study import ALL, Prepared, Results
from grambench.results.verdicts import LEVEL, VERDICTS, normality

FOLDER = Path(__file__).parent
WIDEST = 62.0  # rem of a figure
POINTS_PER_REM = 10.8
SIGNS = {
    "exact": "=",
    "confirmed": "≈",
    "compatible": "~",
    "different": "≠",
    "speed-up": "×",
    "unavailable": "–",
}
MEANINGS = {
    "exact": "mean and, where published, standard deviation print as published",
    "confirmed": "no significant difference at 1 %, and its 99 % interval lies within the margin of the study",
    "compatible": "no significant difference at 1 %, but the interval is wider than the margin: the test is not sharp",
    "different": "a significant difference at 1 %",
    "speed-up": "seconds and their ratios: shown, not judged",
    "unavailable": "nothing to compare: not part of this run, a failed run, or data that could not be had",
}
JUDGED = ("exact", "confirmed", "compatible", "different")
CLAIM_SIGNS = {"holds": "✓", "fails": "✗", "contradicted": "⊥", "undecided": "?"}
WORST = 5  # entries that are named for fits that did not converge


@dataclass(frozen=True, kw_only=True)
class Picture:
    """One figure: title, caption, a text for readers who cannot see it, data sets without a panel, the SVG file."""

    title: str
    caption: str
    alternative: str
    left_out: list[str]
    svg: bytes

    @property
    def address(self) -> str:
        """The figure as a data: address, so that the page needs no other file."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode("ascii")

    @property
    def width(self) -> float:
        """How wide the figure is shown at most, in rem: letters have the same size in all figures."""
        points = re.search(rb'<svg [^>]*width="([\d.]+)pt"', self.svg)
        return round(float(points[1]) / POINTS_PER_REM, 1) if points else WIDEST


@dataclass(frozen=True, kw_only=True)
class StudyReport:
    """All that the page shows of one study.

    Attributes
    ----------
    results : Results
        What was run.
    prepared : dict
        The data sets as loaded.
    reproduction, claims : DataFrame
        reproduction.csv and claims.csv, empty texts for missing ones.
    tables : list of Grid
        The tables.
    figures : list of Picture
        The figures.
    provenance : list of dict
        The provenance of every record.
    newest : datetime
        When the newest record was written.
    """

    results: Results
    prepared: Prepared
    reproduction: pd.DataFrame
    claims: pd.DataFrame
    tables: list[Grid]
    figures: list[Picture]
    provenance: list[dict[str, Any]]
    newest: datetime


def render(studies: list[StudyReport]) -> str:
    """Return the whole page as HTML."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        style=Markup((FOLDER / "style.css").read_text(encoding="utf-8")),
        signs=SIGNS,
        level=LEVEL,
        judged=JUDGED,
        meanings=MEANINGS,
        claim_signs=CLAIM_SIGNS,
        facts=facts([record for study in studies for record in study.provenance]),
        newest=max(study.newest for study in studies),
        seconds=sum(_seconds(study) for study in studies),
        studies=[_view(study) for study in studies],
    )


def facts(provenance: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return what ran where: for each fact its value, or all values with their number of records."""
    found: dict[str, Counter[str]] = {}
    for record in provenance:
        if "versions" not in record:
            continue
        texts = {"revision": "Revision", "processor": "Processor", "cores": "Cores", "platform": "Platform"}
        seen = {label: str(record.get(key, "unknown")) for key, label in texts.items()}
        seen["Linear algebra"] = str(record.get("blas", "unknown"))
        threads = {str(record.get("threads", {}).get(name)) for name in THREAD_VARIABLES}
        seen["Threads of a run"] = ", ".join(sorted(threads)).replace("None", "not limited")
        seen |= {f"{name}": str(version) for name, version in record["versions"].items()}
        for label, value in seen.items():
            found.setdefault(label, Counter())[value] += 1
    return [(label, _values(counts)) for label, counts in found.items()]


def _values(counts: Counter[str]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{value} ({count} records)" for value, count in counts.most_common())


def _view(study: StudyReport) -> dict[str, Any]:
    plan = study.results.study
    cells = study.results.cells
    failed = cells[~cells["status"].isin(["ok", "unavailable"])]
    return {
        "plan": plan,
        "report": study,
        "bars": bars(study.reproduction),
        "tables": [shown(grid) for grid in study.tables],
        "counts": {name: int((study.reproduction["verdict"] == name).sum()) for name in VERDICTS},
        "testing": _testing(study.reproduction),
        "claim_counts": {name: int((study.claims["verdict"] == name).sum()) for name in CLAIM_SIGNS},
        "claims": [row | {"again": _percent(row["probability"])} for row in study.claims.to_dict("records")],
        "differences": _differences(study),
        "speed_ups": _speed_ups(study),
        "fits": convergence(study.results),
        "runs": {"ok": int((cells["status"] == "ok").sum()), "failed": len(failed), "all": len(cells)},
        "failed": [row | {"title": study.results.title(str(row["algorithm"]))} for row in failed.to_dict("records")],
        "sources": [_source(loaded) for loaded in study.prepared.values() if isinstance(loaded, PreparedDataset)],
        "unavailable": [loaded for loaded in study.prepared.values() if isinstance(loaded, Unavailable)],
        "outside": _outside(study),
    }


def _testing(reproduction: pd.DataFrame) -> dict[str, Any]:
    """Return how the verdicts of a study were come by: by how many tests, how sharp, and of which numbers."""
    unfitted = reproduction[reproduction["chosen"] == ""]["verdict"]
    compatible = reproduction[reproduction["verdict"] == "compatible"]
    return {
        "tests": int(reproduction["p_value"].notna().sum()),
        "normality": normality(judged_by_replications(reproduction)["z"]),
        "fitted": int((reproduction["chosen"] != "").sum()),
        "unfitted": {name: int((unfitted == name).sum()) for name in JUDGED},
        "detectable": [
            (METRICS[str(metric)].label, float(part["margin"].median()), float(part["detectable"].median()))
            for metric, part in compatible.groupby("metric", sort=False)
        ],
    }


def bars(reproduction: pd.DataFrame) -> list[dict[str, Any]]:
    """Return for each metric the number of each verdict and its share in percent."""
    rows = []
    for metric, part in reproduction.groupby("metric", sort=False):
        counts = part["verdict"].value_counts()
        parts = [(name, int(counts[name]), 100 * counts[name] / len(part)) for name in VERDICTS if name in counts]
        rows.append({"label": METRICS[str(metric)].label, "total": len(part), "parts": parts})
    return rows


def shown(grid: Grid) -> tuple[Grid, list[str]]:
    """Return a table without the data sets that are not part of this run, and their names."""
    blocks, omitted = [], []
    for block in grid.blocks:
        rows = [row for row in block.rows if any(cell.text or cell.status != NO_RESULT for cell in row.cells)]
        omitted += [block.dataset or row.label for row in block.rows if row not in rows]
        if rows:
            blocks.append(replace(block, rows=rows))
    return replace(grid, blocks=blocks), list(dict.fromkeys(omitted))


def _differences(study: StudyReport) -> list[dict[str, Any]]:
    rows = study.reproduction[study.reproduction["verdict"] == "different"].to_dict("records")
    return [
        {str(key): value for key, value in row.items()}
        | {"title": study.results.title(str(row["algorithm"])), "label": METRICS[str(row["metric"])].label}
        for row in rows
    ]


def _speed_ups(study: StudyReport) -> list[tuple[str, float]]:
    seconds = study.reproduction[study.reproduction["speed_up"] > 0].drop_duplicates(["dataset", "algorithm"])
    medians = seconds.groupby("algorithm", sort=False)["speed_up"].median()
    return [(study.results.title(str(name)), float(value)) for name, value in medians.items()]


def convergence(results: Results) -> dict[str, Any]:
    """Return how many fits tell whether they reached what they stop at, how many did not, and the worst entries."""
    told = results.runs[results.runs["metric"] == "converged"].dropna(subset="result")
    missed = told["result"].eq(0.0).groupby(told["algorithm"], sort=False).agg(["sum", "size"])
    worst = missed[missed["sum"] > 0].sort_values("sum", ascending=False, kind="stable")
    named = [
        (results.title(str(name)), int(few), int(of))
        for name, few, of in zip(worst.index, *worst.to_numpy().T, strict=True)
    ]
    return {"all": len(told), "missed": int(missed["sum"].sum()), "worst": named[:WORST], "others": len(named[WORST:])}


def _outside(study: StudyReport) -> list[str]:
    """Return the data sets with published numbers that are not part of this run."""
    named = dict.fromkeys(map(str, study.reproduction["dataset"]))
    return [name for name in named if name not in (*study.results.study.datasets, ALL)]


def _source(dataset: PreparedDataset) -> dict[str, Any]:
    source = dict(dataset.source)
    kind = str(source.pop("kind", "unknown"))
    details = [(key, _text(value)) for key, value in source.items() if value]
    return {"name": dataset.name, "kind": kind, "details": details, "content": dataset.content}


def _text(value: Any) -> str:
    """Return a value of a source's description in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_text(entry)}" for key, entry in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_text, value))
    return value if isinstance(value, str) else json.dumps(value)


def _percent(probability: str) -> str:
    """Return a probability as a person reads it; nothing where it is not known."""
    return f"{100 * float(probability):.0f} %" if probability else ""


def _seconds(study: StudyReport) -> float:
    return float(pd.to_numeric(study.results.cells["wall_seconds"], errors="coerce").sum())
