"""The report as a folder of pages, and as one file: the same pages, with other links between them.

The layout is in `templates`, looks, script and the library that draws figures (uPlot) in `assets`.
"""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from grambench.config.metrics import METRICS
from grambench.report import overview, page, profiles
from grambench.report.looks import ASSETS, TEMPLATES
from grambench.report.notes import Notes
from grambench.report.page import StudyReport
from grambench.results.verdicts import LEVEL

STYLES, SCRIPTS = ("uPlot.css", "report.css"), ("uPlot.js", "report.js")
PAGES, FILES = "pages", "files"
INDEX, WHOLE = "index.html", "report.html"
TYPES = {".csv": "text/csv", ".md": "text/markdown", ".tex": "application/x-tex"}


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that the report shows.

    Attributes
    ----------
    studies : list of StudyReport
        The studies, each with its page.
    title : str
        The name of this run in the configuration, such as "Demo"; it may be empty.
    descriptions : dict
        Title, licence, citation, url, n and d of the data sets, by their names.
    notes : Notes or None
        The page on results that differ, if there is one.
    """

    studies: list[StudyReport]
    title: str
    descriptions: dict[str, dict[str, Any]]
    notes: Notes | None


def write(report: Report) -> dict[str, bytes]:
    """Return every file of the report by its path below the report's folder."""
    pages = _pages(report)
    found = {path: text.encode() for path, text in _folder(report, pages).items()}
    found |= {f"{PAGES}/{name}": (ASSETS / name).read_bytes() for name in (*STYLES, *SCRIPTS)}
    for study in report.studies:
        found |= {f"{FILES}/{study.study.name}/{name}": content for name, content in study.files.items()}
    found[WHOLE] = _Renderer(report, pages, whole=True).all().encode()
    return found


@dataclass(frozen=True, kw_only=True)
class _Page:
    """One page: its name, its template, the title of the browser's tab, and the values that the template shows."""

    name: str
    template: str
    title: str
    shown: dict[str, Any]


def _pages(report: Report) -> list[_Page]:
    rows = [row for study in report.studies for row in profiles.results_of(study)]
    contestants = profiles.of_algorithms(report.studies, rows)
    datasets = profiles.of_datasets(report.studies, rows, report.descriptions)
    papers = overview.papers(report.studies, report.notes)
    first = {
        "papers": papers,
        "had": overview.extent(report.studies),
        "contestants": contestants,
        "datasets": datasets,
        "partial": any(study.partial for study in report.studies),
        "facts": page.facts([record for study in report.studies for record in study.provenance]),
        "newest": max(study.newest for study in report.studies),
        "seconds": sum(page.seconds(study) for study in report.studies),
    }
    pages = [_Page(name="overview", template="overview.html", title="Overview", shown=first)]
    for study in report.studies:
        shown = {"study": page.view(study)}
        pages.append(_Page(name=study.page, template="study.html", title=study.study.title, shown=shown))
    for template, group in (("algorithm.html", contestants), ("dataset.html", datasets)):
        pages += [_Page(name=each.page, template=template, title=each.title, shown={"it": each}) for each in group]
    if report.notes:
        pages.append(_Page(name="notes", template="notes.html", title="Results that differ", shown={}))
    return pages


def _folder(report: Report, pages: list[_Page]) -> dict[str, str]:
    renderer = _Renderer(report, pages, whole=False)
    return {INDEX if each.name == "overview" else f"{PAGES}/{each.name}.html": renderer.one(each) for each in pages}


class _Renderer:
    """Fills in the templates, for a folder or for one file.

    Parameters
    ----------
    report : Report
        The report.
    pages : list of _Page
        All pages.
    whole : bool
        Whether the pages become one file.
    """

    def __init__(self, report: Report, pages: list[_Page], *, whole: bool) -> None:
        self.report, self.pages, self.whole = report, pages, whole
        self.at = "overview"
        self.environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.filters |= {"data": _data, "code": _code}
        known = {each.name for each in pages}
        self.environment.globals |= {
            "to": self._to,
            "file": self._file,
            "record": self._record,
            "has": lambda name: name in known,
            "whole": whole,
            "report": report,
            "signs": page.SIGNS,
            "meanings": page.MEANINGS,
            "judged": page.JUDGED,
            "tile": page.TILES,
            "high": {name for name, metric in METRICS.items() if metric.better == "higher"},
            "claim_signs": page.CLAIM_SIGNS,
            "level": LEVEL,
        }

    def one(self, selected: _Page) -> str:
        """Return a page of the folder."""
        self.at = selected.name
        return self._framed(selected.title, self._content(selected))

    def all(self) -> str:
        """Return the one file."""
        return self._framed("Report", Markup("\n").join(map(self._content, self.pages)))

    def _content(self, selected: _Page) -> Markup:
        return Markup(self.environment.get_template(selected.template).render(key=selected.name, **selected.shown))

    def _framed(self, title: str, content: Markup) -> str:
        inline: dict[str, list[Markup]] = {"styles": [], "scripts": []}
        if self.whole:
            inline = {
                kind: [Markup((ASSETS / name).read_text(encoding="utf-8")) for name in names]
                for kind, names in (("styles", STYLES), ("scripts", SCRIPTS))
            }
        folder = f"{PAGES}/" if self.at == "overview" else ""
        return self.environment.get_template("frame.html").render(
            title=title,
            content=content,
            inline=inline,
            styles=[folder + name for name in STYLES],
            scripts=[folder + name for name in SCRIPTS],
            results="../" if self.at == "overview" else "../../",
        )

    def _to(self, name: str, anchor: str = "") -> str:
        """Return the address of a page, or of a place on it."""
        if self.whole or (anchor and name == self.at):
            return f"#{anchor or name}"
        there = INDEX if name == "overview" else f"{name}.html"
        if self.at == "overview":
            there = there if name == "overview" else f"{PAGES}/{there}"
        elif name == "overview":
            there = f"../{there}"
        return f"{there}#{anchor}" if anchor else there

    def _file(self, study: StudyReport, name: str) -> str:
        """Return the address of a file to download."""
        if self.whole:
            kind = TYPES[Path(name).suffix]
            return f"data:{kind};base64," + base64.b64encode(study.files[name]).decode("ascii")
        folder = f"{FILES}/{study.study.name}/{name}"
        return folder if self.at == "overview" else f"../{folder}"

    def _record(self, path: str) -> str:
        """Return the address of a record, which lies beside the report's folder; none from a file that was mailed."""
        if self.whole or not path:
            return ""
        below = path.partition("/")[2]
        return f"../{below}" if self.at == "overview" else f"../../{below}"


def _code(text: str) -> Markup:
    """Return a text in which what stands between backticks is code."""
    parts = [escape(part) for part in text.split("`")]
    return Markup("").join(Markup("<code>{}</code>").format(p) if n % 2 else p for n, p in enumerate(parts))


def _data(value: Any) -> Markup:
    """Return a value as JSON that can stand in a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))
