"""The first page: a bar and a sentence for each paper, the best algorithms, and the results that differ."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from grambench.common.counts import counted, in_line, within
from grambench.config.metrics import METRICS
from grambench.datasets.store import Unavailable
from grambench.report import abstract
from grambench.report.notes import Notes, Section, place
from grambench.report.page import StudyReport
from grambench.report.profiles import page_of
from grambench.report.renderings import short
from grambench.report.study_page import JUDGED, claim_counts, decided, tally
from grambench.results.characteristics import Characteristics
from grambench.results.columns import ALL

BEST = 10  # algorithms of a leaderboard that the page shows
LONGEST = 160  # letters of a reason


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One result that differs or is missing: its text, its place in the report, its explanation, if any, and its size.

    Sizes of numbers that differ are relative to the published ones; all else has its place before or after them.
    """

    text: str
    page: str
    anchor: str
    note: str = ""
    size: float = float("inf")


def papers(studies: Iterable[StudyReport], notes: Notes | None) -> list[dict[str, Any]]:
    """Return a row for each paper: its studies, bar of verdicts, claims, runs, and sentences.

    Papers with published numbers come first, then those with claims.
    """
    grouped: dict[str, list[StudyReport]] = {}
    for study in studies:
        grouped.setdefault(study.study.paper, []).append(study)
    rows = [_paper(paper, group, notes) for paper, group in grouped.items()]
    return sorted(rows, key=lambda row: (not row["numbers"], not row["claims"]["decided"]))


def extent(studies: Iterable[StudyReport]) -> dict[str, int]:
    """Return the numbers of data sets, algorithms and runs of this run, and of its studies as a whole."""
    studies = list(studies)
    return {
        "datasets": len({name for study in studies for name in study.study.datasets}),
        "all_datasets": len({name for study in studies for name in study.whole.datasets}),
        "algorithms": len({study.study.file(name) for study in studies for name in study.ran}),
        "all_algorithms": len({study.whole.file(name) for study in studies for name in study.whole.algorithms}),
        "runs": sum(len(study.results.cells) for study in studies),
        "failed": sum(len(study.failed) for study in studies),
    }


def boards(studies: Iterable[StudyReport]) -> list[dict[str, Any]]:
    """Return the best algorithms of each study that ranks algorithms and has no published numbers.

    A reader's own algorithm is shown too if it is not among the best.
    """
    ranking = [study for study in studies if any(table.kind == "ranks" for table in study.study.tables.values())]
    return [_board(study) for study in ranking if not study.study.published and not study.ranks.empty]


def _board(study: StudyReport) -> dict[str, Any]:
    means = study.ranks.mean().sort_values(kind="stable")
    from_readers = {name for name in map(str, means.index) if study.study.algorithms[name].path}
    shown = [name for number, name in enumerate(map(str, means.index)) if number < BEST or name in from_readers]
    worst = float(means[shown].max())
    return {
        "study": study,
        "count": len(means),
        "datasets": list(map(str, study.ranks.index)),
        "metric": within(METRICS[study.results.main_metric()].label.partition(" (")[0]),
        "rows": [
            {
                "title": study.results.title(name),
                "page": page_of(study.study.file(name)),
                "rank": float(means[name]),
                "share": 100.0 * (float(means[name]) - 1.0) / max(worst - 1.0, 1.0),
                "own": name in from_readers,
            }
            for name in shown
        ],
    }


def _paper(paper: str, group: list[StudyReport], notes: Notes | None) -> dict[str, Any]:
    counts = abstract.verdicts(group)
    claims = claim_counts(pd.concat([study.claims for study in group]))
    status = pd.concat([study.results.cells["status"] for study in group])
    runs = tally(status, ("ok", "unavailable"))
    chapter = _chapter(group[0], notes)
    return {
        "title": chapter[0].title if chapter and len(group) > 1 else group[0].title,
        "paper": paper,
        "studies": group,
        "published": any(study.study.published for study in group),
        "numbers": sum(counts.values()),
        "parts": [(name, count) for name, count in counts.items() if count],
        "claim": _claim_of(group),
        "finding": abstract.finding(group),
        "claims": claims,
        "runs": runs | {"failed": len(status) - sum(runs.values())},
        "sentences": sorted((line for study in group for line in sentences(study, notes)), key=lambda line: -line.size),
    }


def _claim_of(group: list[StudyReport]) -> str:
    """Return the claim of a paper: that of its first study with published numbers, else of its first study."""
    studies = [study.study for study in group if study.study.published] or [study.study for study in group]
    return next((study.claim for study in studies if study.claim), "")


def _chapter(study: StudyReport, notes: Notes | None) -> list[Section]:
    name = study.study.name
    return notes.chapter(name, name.partition("_")[0]) if notes else []


def sentences(study: StudyReport, notes: Notes | None) -> list[Sentence]:
    """Return a sentence on each result of a study that differs or is missing."""
    chapter = _chapter(study, notes)
    numbers, claims = _numbers(study, place(chapter, "differ")), _claims(study, place(chapter, "claim"))
    return [*_failures(study), *_stand_ins(study), *numbers, *claims]


def _numbers(study: StudyReport, note: str) -> Iterator[Sentence]:
    """Yield a sentence for each algorithm and metric with numbers that differ."""
    numbers = study.numbers()
    judged = numbers[numbers["verdict"].isin(JUDGED)]
    for (name, metric), compared in judged.groupby(["algorithm", "metric"], sort=False):
        different = compared[compared["verdict"] == "different"]
        if different.empty:
            continue
        title, label = study.results.title(str(name)), METRICS[str(metric)].label
        where = in_line(map(str, different["dataset"]), abstract.NAMED)
        prefix, quantity = (f"{title}: ", within(label)) if title else ("", label)
        if len(different) == 1:
            row = different.iloc[0]
            on_datasets = "" if where == ALL else f" on {where}"
            text = f"{prefix}{quantity}{on_datasets} {row['ours']}, published {row['published']}."
        else:
            text = f"{prefix}{len(different)} of {len(compared)} numbers differ in {quantity}: {where}."
        anchor = f"{study.page}-different-{name or 'data'}-{metric}"
        size = float((different["difference"] / different["published_mean"]).abs().fillna(0.0).max())
        yield Sentence(text=text, page=study.page, anchor=anchor, note=note, size=size)


def _claims(study: StudyReport, note: str) -> Iterator[Sentence]:
    words = {"fails": "fails", "contradicted": "is inconsistent within the paper, by its printed numbers"}
    for row in study.claims[decided(study.claims) & study.claims["verdict"].isin(list(words))].to_dict("records"):
        text = f"Claim {row['claim']} {words[row['verdict']]}: {row['statement']}"
        yield Sentence(text=text, page=study.page, anchor=f"{study.page}-claim-{row['claim']}", note=note, size=-1.0)


def _failures(study: StudyReport) -> Iterator[Sentence]:
    anchor = f"{study.page}-missing"
    for (name, status, reason), cells in study.failed.groupby(["algorithm", "status", "reason"], sort=False):
        datasets = in_line(dict.fromkeys(map(str, cells["dataset"])), abstract.NAMED)
        runs = counted(len(cells), "run")
        text = f"{runs} failed: {study.results.title(str(name))} on {datasets}, {status}: {short(str(reason), LONGEST)}"
        yield Sentence(text=text, page=study.page, anchor=anchor)
    for loaded in study.prepared.values():
        if isinstance(loaded, Unavailable):
            reasons = short("; ".join(loaded.reasons or ("no source is configured",)), LONGEST)
            yield Sentence(text=f"Data set {loaded.name} is unavailable: {reasons}", page=study.page, anchor=anchor)


def _stand_ins(study: StudyReport) -> Iterator[Sentence]:
    """Yield a sentence on the data sets of a study with published numbers that are not from their first source."""
    by_lack: dict[str, list[str]] = {}
    for name, loaded in study.prepared.items() if study.study.published else ():
        if isinstance(loaded, Characteristics) and (lack := loaded.source.get("lacks")):
            by_lack.setdefault(lack, []).append(name)
    for lack, names in by_lack.items():
        remedy = f"To try the first source, run grambench fetch {' '.join(names)}, then repeat the run."
        text = f"Data of a substitute source ({lack}): {in_line(names, abstract.NAMED)}. {remedy}"
        yield Sentence(text=text, page=study.page, anchor=f"{study.page}-data")
