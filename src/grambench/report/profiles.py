"""The pages about one algorithm and about one data set: its description, its runs and its results."""

import functools
import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from grambench import algorithms
from grambench.common.docstrings import attributes
from grambench.config.metrics import METRICS
from grambench.datasets.store import Unavailable
from grambench.report.page import Page, StudyReport
from grambench.results.characteristics import Characteristics
from grambench.results.statistics import printed
from grambench.results.study import Results

Rows = list[dict[str, Any]]
FIRST_SECTIONS = ("Idea", "Formula")  # of an algorithm's docstring, before its results; all others come after them


def page_of(algorithm: str) -> str:
    """Return the name of an algorithm's page; an algorithm from outside is named after its path or its module."""
    return "algorithm-" + re.sub(r"[^A-Za-z0-9_]+", "-", algorithm).strip("-")


def links(results: Results) -> dict[str, dict[str, Any]]:
    """Return the page of each configuration of a study, and whether it runs a reader's own algorithm, by its title."""
    study = results.study
    return {
        results.title(name): {"page": page_of(study.file(name)), "own": entry.path is not None}
        for name, entry in study.algorithms.items()
    }


def of_algorithms(studies: list[StudyReport], rows: Rows) -> list[Page]:
    """Return a page for each algorithm of the run, in the order of the studies."""
    entries: dict[str, list[tuple[StudyReport, str]]] = {}
    for study in studies:
        for entry in study.ran:
            entries.setdefault(study.study.file(entry), []).append((study, entry))
    return [
        _algorithm(name, used, [row for row in rows if row["page"] == page_of(name)]) for name, used in entries.items()
    ]


def _algorithm(name: str, used: list[tuple[StudyReport, str]], rows: Rows) -> Page:
    heading = " ".join((algorithms.docstring(name) or name).partition("\n\n")[0].split())
    summary = heading.partition(":")[2].strip() or heading
    described = sections(name)
    return Page(
        name=page_of(name),
        template="algorithm.html",
        title=algorithms.title(name),
        values={
            "summary": summary[:1].upper() + summary[1:],
            "sections": {title: texts for title, texts in described.items() if title in FIRST_SECTIONS},
            "details": {title: texts for title, texts in described.items() if title not in FIRST_SECTIONS},
            "parameters": _parameters(name, used),
            "fault": algorithms.fault(name),
            "rows": rows,
            "ranks": [rank for study, entry in used if (rank := _ranking(study, entry))],
            "studies": list({study.page: study for study, _ in used}.values()),
            "path": f"{category}/{name}.py" if (category := algorithms.category_of(name)) else name,
        },
    )


def paragraphs(text: str) -> list[tuple[str, str]]:
    """Return the paragraphs of a docstring, each as ("p" or "pre", its text): what is indented is a formula."""
    return [
        ("pre", inspect.cleandoc("\n" + part)) if part.startswith(" ") else ("p", " ".join(part.split()))
        for part in re.split(r"\n\s*\n", text)
        if part.strip()
    ]


def _parameters(name: str, used: list[tuple[StudyReport, str]]) -> Rows:
    """Return the parameters of an algorithm: default, meaning, and the values that the studies' configurations set."""
    if algorithms.fault(name):
        return []
    cls = algorithms.load(name).parameters
    meanings, rows = attributes(cls), []
    for field in fields(cls):
        default = field.default if field.default is not MISSING else "set by the study"
        if field.default_factory is not MISSING:
            default = field.default_factory()
        values = {
            f"{study.results.title(entry)} ({study.study.name})": parameters[field.name]
            for study, entry in used
            if field.name in (parameters := study.study.algorithms[entry].parameters)
        }
        meaning = meanings.get(field.name, "")
        rows.append({"name": field.name, "default": default, "meaning": meaning, "set": values})
    return rows


@functools.cache
def sections(name: str) -> dict[str, list[tuple[str, str]]]:
    """Return the paragraphs below each heading of an algorithm's docstring, "Idea" first; see `paragraphs`."""
    texts = {title: paragraphs(text) for title, text in algorithms.sections(name).items()}
    texts["Deviations from the paper"] = texts.pop("Deviations", [])
    return {title: content for title, content in texts.items() if content}


def _ranking(study: StudyReport, entry: str) -> dict[str, Any] | None:
    """Return the mean rank of a configuration among those of a study that have results; None if there is no other."""
    if entry not in study.ranks or study.ranks.empty:
        return None
    means = study.ranks.mean()
    return {
        "study": study,
        "title": study.results.title(entry),
        "mean": f"{means[entry]:.1f}",
        "place": int((means < means[entry] - 1e-9).sum()) + 1,
        "of": len(means),
        "datasets": len(study.ranks),
        "metric": METRICS[study.results.main_metric()].label,
    }


def results_of(study: StudyReport) -> Rows:
    """Return a row for each configuration on each data set of the run: number, verdict, rank."""
    results, metric, rows = study.results, study.results.main_metric(), []
    titles, ranked = {entry: results.title(entry) for entry in study.ran}, study.ranked
    for dataset in study.study.datasets:
        ranks = results.means(ranked, metric, [dataset]).iloc[0].dropna().round(9)
        if metric:
            ranks = ranks.rank(ascending=METRICS[metric].better != "higher")
        for entry in study.ran:
            if not (status := results.cell(dataset, entry).status):
                continue
            sample = results.sample(dataset, entry, metric)
            compared = study.compared.get((dataset, entry, metric))
            rows.append(
                {
                    "study": study,
                    "dataset": dataset,
                    "page": page_of(study.study.file(entry)),
                    "title": titles[entry],
                    "metric": METRICS[metric].label if metric else "",
                    "text": printed(sample, metric, dataset, fine=True) if sample.runs else "",
                    "mean": sample.mean if sample.runs else "",
                    "high": bool(metric) and METRICS[metric].better == "higher",
                    "published": "" if compared is None else str(compared["published"]),
                    "verdict": "" if compared is None else str(compared["verdict"]),
                    "runs": sample.runs,
                    "rank": f"{ranks[entry]:g}" if entry in ranks else "",
                    "of": len(ranks),
                    "status": status,
                    "why": results.missing(dataset, entry),
                    "record": study.record_paths.get((dataset, entry), ""),
                }
            )
    return rows


def of_datasets(studies: list[StudyReport], rows: Rows, descriptions: Mapping[str, Mapping[str, Any]]) -> list[Page]:
    """Return a page for each data set of the run, in the order of the studies."""
    used: dict[str, list[StudyReport]] = {}
    for study in studies:
        for name in study.study.datasets:
            used.setdefault(name, []).append(study)
    return [
        _dataset(name, studies_with, [row for row in rows if row["dataset"] == name], descriptions.get(name, {}))
        for name, studies_with in used.items()
    ]


def _dataset(name: str, used: list[StudyReport], rows: Rows, described: Mapping[str, Any]) -> Page:
    loaded = used[0].prepared.get(name)
    prepared = loaded if isinstance(loaded, Characteristics) else None
    size = (prepared.n, prepared.d) if prepared else (described.get("n", ""), described.get("d", ""))
    facts = [("Examples", size[0]), ("Features", size[1]), ("Classes", _classes(prepared) if prepared else "")]
    facts.append(("Licence", described.get("licence", "")))
    return Page(
        name=f"dataset-{name}",
        template="dataset.html",
        title=name,
        values={
            "summary": str(described.get("title", "")),
            "facts": [(label, value) for label, value in facts if value not in ("", None)],
            "source": _source(prepared, described),
            "unavailable": loaded.reasons if isinstance(loaded, Unavailable) else (),
            # failed runs come last
            "rows": sorted(rows, key=lambda row: (used.index(row["study"]), float(row["rank"] or "inf"))),
            "studies": used,
            "size": size,
        },
    )


def _classes(prepared: Characteristics) -> str:
    """Return the number of classes, of two classes with the share of the positive one."""
    if prepared.classes:
        return str(len(prepared.classes))
    return f"2, {100 * prepared.positives / prepared.n:.0f} % of the examples positive"


def _source(prepared: Characteristics | None, described: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return where a data set comes from: its citation and home page, and what this run has read."""
    rows = [("Citation", described.get("citation")), ("Home page", described.get("url"))]
    if prepared:
        rows.append(("Read from", prepared.origin))
        details = {name: value for name, value in prepared.source.items() if name not in ("origin", "kind")}
        rows += [(name[:1].upper() + name[1:], _text(value)) for name, value in details.items() if value]
        rows.append(("Content of the prepared data (SHA-256)", prepared.content))
    return [(label, str(text)) for label, text in rows if text]


def _text(value: Any) -> str:
    """Return a value of a source's description in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_text(entry)}" for key, entry in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_text, value))
    return value if isinstance(value, str) else json.dumps(value)
