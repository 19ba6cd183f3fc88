"""The first page: a row for each paper, and a sentence on each result that differs or is missing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from grambench.config.metrics import METRICS
from grambench.datasets.store import PreparedDataset, Unavailable
from grambench.report.notes import Notes, Section
from grambench.report.page import JUDGED, StudyReport, claim_counts, tally
from grambench.results.study import ALL

NAMED = 4  # most data sets that a sentence names
MANY = 6  # most sentences on one paper that are open at first


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One result that differs or is missing: its text, its place in the report, and its explanation, if any."""

    text: str
    page: str
    anchor: str
    note: str = ""


def papers(studies: Iterable[StudyReport], notes: Notes | None) -> list[dict[str, Any]]:
    """Return a row for each paper: its studies, verdicts, claims, runs, and the sentences."""
    grouped: dict[str, list[StudyReport]] = {}
    for study in studies:
        grouped.setdefault(study.study.paper, []).append(study)
    return [_paper(paper, group, notes) for paper, group in grouped.items()]


def extent(studies: Iterable[StudyReport]) -> dict[str, int]:
    """Return the numbers of data sets and configurations of this run, and of its studies as a whole."""
    studies = list(studies)
    return {
        "datasets": len({name for study in studies for name in study.study.datasets}),
        "all_datasets": len({name for study in studies for name in study.whole.datasets}),
        "entries": sum(len(study.ran) for study in studies),
        "all_entries": sum(len(study.whole.algorithms) for study in studies),
    }


def _paper(paper: str, group: list[StudyReport], notes: Notes | None) -> dict[str, Any]:
    numbers = pd.concat([study.achieved() for study in group])
    counts = tally(numbers["verdict"], JUDGED)
    n_unavailable = int((numbers["verdict"] == "unavailable").sum())
    claims = claim_counts(pd.concat([study.claims for study in group]))
    status = pd.concat([study.results.cells["status"] for study in group])
    chapter = _chapter(group[0], notes)
    return {
        "title": chapter[0].title if chapter and len(group) > 1 else group[0].study.title,
        "paper": paper,
        "studies": group,
        "count": len(group),
        "judged": sum(counts.values()),
        "parts": [(name, count) for name, count in counts.items() if count],
        "lost": n_unavailable,
        "claims": claims,
        "runs": {
            "all": len(status),
            "ok": int((status == "ok").sum()),
            "unavailable": int((status == "unavailable").sum()),
            "failed": int((~status.isin(["ok", "unavailable"])).sum()),
        },
        "sentences": [line for study in group for line in sentences(study, notes)],
        "many": MANY,
    }


def _chapter(study: StudyReport, notes: Notes | None) -> list[Section]:
    name = study.study.name
    return notes.chapter(name, name.partition("_")[0]) if notes else []


def sentences(study: StudyReport, notes: Notes | None) -> list[Sentence]:
    """Return a sentence on each result of a study that differs or is missing."""
    return [*_failures(study), *_numbers(study, notes), *_claims(study, notes)]


def _numbers(study: StudyReport, notes: Notes | None) -> list[Sentence]:
    """Return a sentence for each algorithm and metric with numbers that differ."""
    numbers, chapter, rows = study.numbers(), _chapter(study, notes), []
    judged = numbers[numbers["verdict"].isin(JUDGED)]
    for (name, metric), compared in judged.groupby(["algorithm", "metric"], sort=False):
        different = compared[compared["verdict"] == "different"]
        if different.empty:
            continue
        title, label = study.results.title(str(name)), METRICS[str(metric)].label
        datasets = [str(dataset) for dataset in different["dataset"]]
        on_datasets = "" if datasets == [ALL] else f" on {_listed(datasets)}"
        prefix, quantity = (f"{title}: ", _within(label)) if title else ("", label)
        if len(different) == 1:
            row = different.iloc[0]
            text = f"{prefix}{quantity}{on_datasets} {row['ours']}, published {row['published']}."
        else:
            text = f"{prefix}{len(different)} of {len(compared)} numbers differ in {quantity}: {_listed(datasets)}."
        names = [title, title.rpartition(" ")[0] or title] if title else datasets
        metrics = [label.partition(" (")[0].lower(), label.partition(" (")[0], _plural(label)]
        note = notes.place(chapter, "differ", names, datasets, metrics) if notes else ""
        anchor = f"{study.page}-different-{name or 'data'}-{metric}"
        rows.append(Sentence(text=text, page=study.page, anchor=anchor, note=note))
    return rows


def _claims(study: StudyReport, notes: Notes | None) -> list[Sentence]:
    chapter = _chapter(study, notes)
    words = {"fails": "fails", "contradicted": "is contradicted by the paper's own numbers"}
    rows = study.claims[study.claims["verdict"].isin(list(words))]
    return [
        Sentence(
            text=f"Claim {row['claim']} {words[row['verdict']]}: {row['statement']}",
            page=study.page,
            anchor=f"{study.page}-claim-{row['claim']}",
            note=notes.place(chapter, "claim", [str(row["claim"])]) if notes else "",
        )
        for row in rows.to_dict("records")
    ]


def _failures(study: StudyReport) -> list[Sentence]:
    rows, anchor = [], f"{study.page}-missing"
    for (name, status, reason), cells in study.failed.groupby(["algorithm", "status", "reason"], sort=False):
        datasets = _listed(list(dict.fromkeys(map(str, cells["dataset"]))))
        runs = f"{len(cells)} runs" if len(cells) > 1 else "1 run"
        text = f"{runs} failed: {study.results.title(str(name))} on {datasets}, {status}: {_clipped(str(reason))}"
        rows.append(Sentence(text=text, page=study.page, anchor=anchor))
    for loaded in study.prepared.values():
        if isinstance(loaded, Unavailable):
            reasons = _clipped("; ".join(loaded.reasons or ("no source is configured",)))
            text = f"Data set {loaded.name} is unavailable: {reasons}"
            rows.append(Sentence(text=text, page=study.page, anchor=anchor))
    return [*rows, *_stand_ins(study)]


def _stand_ins(study: StudyReport) -> list[Sentence]:
    """Return a sentence on the data sets of a study with published numbers that are not from their first source."""
    by_lack: dict[str, list[str]] = {}
    for name, loaded in study.prepared.items() if study.study.published else ():
        if isinstance(loaded, PreparedDataset) and (lack := loaded.source.get("lacks")):
            by_lack.setdefault(lack, []).append(name)
    return [
        Sentence(
            text=f"Stand-ins, {lack}: {_listed(names)}. grambench fetch {' '.join(names)}, then the same run, "
            "has the data of the first source where that answers.",
            page=study.page,
            anchor=f"{study.page}-data",
        )
        for lack, names in by_lack.items()
    ]


def _clipped(text: str) -> str:
    return text if len(text) <= 160 else text[:157].rstrip() + "..."


def _listed(names: list[str]) -> str:
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _within(label: str) -> str:
    """Return a label as it stands within a sentence."""
    return label if label[:2].isupper() or label[1:2] == " " else label[:1].lower() + label[1:]


def _plural(label: str) -> str:
    """Return how the page of notes speaks of several: accuracies, features."""
    word = label.partition(" (")[0].lower()
    return {"dimensions": "features"}.get(word, f"{word[:-1]}ies" if word.endswith("y") else word)
