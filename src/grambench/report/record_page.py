"""The pages of records: what each says, with its published numbers and the commands that repeat it.

The report step reads every record for its provenance. The pages use the same records, so they cost no further reading.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from grambench.report import profiles
from grambench.report.lazy import Comparison
from grambench.report.page import Page, StudyReport
from grambench.report.record import describe, label


def name_of(path: str) -> str:
    """Return the name of the page of a record from the record's path; empty for no record.

    Names of studies, data sets, algorithms and sweeps contain no hyphen, so the names of pages are unique.
    """
    return "-".join(["record", *path.removesuffix(".h5").split("/")[2:]]) if path else ""


def of_study(study: StudyReport) -> Iterator[Page]:
    """Yield a page for each record of a study."""
    main = study.results.main_metric()
    # titles are parsed from files
    titles = {name: study.results.title(name) for name in study.study.algorithms}
    published: dict[tuple[str, str], Comparison] = {}
    for key, row in study.comparison.items():
        published.setdefault((key[1], key[2]), {})[key] = row
    for path, record in study.records.items():
        sweep = record.settings.get("sweep", "")
        algorithm = titles.get(record.algorithm, record.algorithm)
        file = study.study.file(record.algorithm) if record.algorithm in titles else ""
        yield Page(
            name=name_of(path),
            template="record.html",
            title=f"{algorithm} on {record.dataset}" + (f", sweep {sweep}" if sweep else ""),
            values={
                "study": study,
                "made": record,
                "path": path,
                "run": "/".join(filter(None, (record.study, record.dataset, record.algorithm, sweep))),
                "algorithm": {"page": profiles.page_of(file), "title": algorithm},
                "parts": partial(describe, record, main),  # called where the page is rendered
                "published": published_numbers({} if sweep else published.get((record.dataset, record.algorithm), {})),
            },
        )


def published_numbers(comparison: Comparison) -> list[dict[str, Any]]:
    """Return published numbers, each once with all tables that print it."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for (item, _, _, metric), row in comparison.items():
        texts = (str(row[name]) for name in ("published", "ours", "verdict"))
        rows.setdefault((label(metric), *texts, _evidence(row), str(row["reason"])), []).append(item)
    names = ("label", "published", "ours", "verdict", "evidence", "reason")
    return [dict(zip(names, key, strict=True)) | {"item": ", ".join(items)} for key, items in rows.items()]


def _evidence(row: Any) -> str:
    """Return what the verdict of a row of reproduction.csv rests on: the interval of the difference, and its margin.

    With replications the difference is that of their mean, which a table of our run does not have.
    """
    low, high, margin, difference = (f"{float(row[name]):.3g}" for name in ("low", "high", "margin", "difference"))
    if "nan" in (low, high):
        return ""
    count = row["replications"]
    means = f"; around {difference}, that of the mean of {count} repeated runs" if count > 0 else ""
    return f"{low} to {high}" + (f", margin {margin}" if margin != "nan" else "") + means
