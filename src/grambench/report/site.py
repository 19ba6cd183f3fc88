"""The report as a folder of pages, and as one file: the same pages, with other links between them.

The layout is in `templates`. The style sheets, the scripts and the library that draws figures (uPlot) are in `assets`.
"""

import base64
import json
import multiprocessing
import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from grambench.config.metrics import METRICS
from grambench.report import abstract, board, overview, profiles, record_page, study_page
from grambench.report.looks import ASSETS, environment
from grambench.report.notes import Notes
from grambench.report.page import Page, StudyReport
from grambench.results.verdicts import LEVEL

STYLES = ("uPlot.css", "report.css")
SCRIPTS = ("uPlot.js", "page.js", "tables.js", "charts.js", "board.js")  # all but the first use page.js
PAGES, FILES = "pages", "files"
INDEX, WHOLE = "index.html", "report.html"
FORK = "fork"
OVERVIEW = "overview"  # the name of the first page
MEDIA_TYPES = {".csv": "text/csv", ".md": "text/markdown", ".tex": "application/x-tex", ".svg": "image/svg+xml"}


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


def write(report: Report, cores: int = 1) -> dict[str, bytes]:
    """Return every file of the report by its path below the report's folder; `cores` processes render the pages."""
    pages = _pages(report)
    # the one file has no pages of records, which would make it too large to mail
    records = [page_ for study in report.studies for page_ in record_page.of_study(study)]
    renderer = _Renderer(report, pages + records, whole=False)
    files = {_path(page_.name): content for page_, content in zip(renderer.pages, renderer.render(cores), strict=True)}
    files |= {f"{PAGES}/{name}": (ASSETS / name).read_bytes() for name in (*STYLES, *SCRIPTS)}
    for study in report.studies:
        files |= {f"{FILES}/{study.study.name}/{name}": content for name, content in study.files.items()}
    files[WHOLE] = _Renderer(report, pages, whole=True).render_all().encode()
    return files


def _pages(report: Report) -> list[Page]:
    rows = [row for study in report.studies for row in profiles.results_of(study)]
    algorithms = profiles.of_algorithms(report.studies, rows)
    datasets = profiles.of_datasets(report.studies, rows, report.descriptions)
    values = {
        "papers": overview.papers(report.studies, report.notes),
        "extent": overview.extent(report.studies),
        "boards": overview.boards(report.studies),
        "algorithms": algorithms,
        "datasets": datasets,
        "partial": any(study.partial for study in report.studies),
        "facts": study_page.facts([record.provenance for study in report.studies for record in study.records.values()]),
        "newest": max(study.newest for study in report.studies),
        "seconds": sum(float(study.results.cells["wall_seconds"].sum()) for study in report.studies),
    }
    pages = [Page(name=OVERVIEW, template="overview.html", title="Overview", values=values)]
    for study in report.studies:
        values = {
            "study": study_page.view(study),
            "top": abstract.of(study),
            "links": profiles.links(study.results),
            "board": board.numbers(study.results),
            "board_figures": board.pair(study.results),
        }
        pages.append(Page(name=study.page, template="study.html", title=study.title, values=values))
    notes = [Page(name="notes", template="notes.html", title="Explanations", values={})] if report.notes else []
    return [*pages, *algorithms, *datasets, *notes]


def _path(name: str) -> str:
    """Return the path of a page below the report's folder."""
    return INDEX if name == OVERVIEW else f"{PAGES}/{name}.html"


class _Renderer:
    """Fills in the templates, for a folder or for one file.

    Parameters
    ----------
    report : Report
        The report.
    pages : list of Page
        All pages.
    whole : bool
        Whether the pages become one file.
    """

    def __init__(self, report: Report, pages: list[Page], *, whole: bool) -> None:
        self.pages, self.whole = pages, whole
        self.at = OVERVIEW
        self.environment = environment()
        self.environment.filters |= {"data": _data, "code": _code}
        page_names = {page_.name for page_ in pages}
        self.environment.globals |= {
            "to": self._link_to_page,
            "file": self._link_to_file,
            "link": self._link,
            "record_page": self._link_to_record_page,
            "has": page_names.__contains__,
            "whole": whole,
            "report": report,
            "signs": study_page.SIGNS,
            "meanings": study_page.MEANINGS,
            "judged": study_page.JUDGED,
            "labels": study_page.LABELS,
            "explained": {metric.label: metric.meaning for metric in METRICS.values()},
            "high": {name for name, metric in METRICS.items() if metric.better == "higher"},
            "claim_signs": study_page.CLAIM_SIGNS,
            "level": LEVEL,
        }

    def render(self, cores: int) -> list[bytes]:
        """Return all pages of the folder."""
        if cores == 1 or FORK not in multiprocessing.get_all_start_methods():
            return list(map(self.render_page, self.pages))
        # a forked process has the studies, which would take longer to send than their pages to render
        with multiprocessing.get_context(FORK).Pool(cores, _held.append, (self,)) as pool:
            return pool.map(_render_held, range(len(self.pages)), chunksize=16)

    def render_page(self, page_: Page) -> bytes:
        """Return a page of the folder."""
        self.at = page_.name
        return self._render_frame(page_.title, self._render_content(page_)).encode()

    def render_all(self) -> str:
        """Return the one file."""
        return self._render_frame("Report", Markup("\n").join(map(self._render_content, self.pages)))

    def _render_content(self, page_: Page) -> Markup:
        template = self.environment.get_template(page_.template)
        return Markup(template.render(key=page_.name, title=page_.title, **page_.values))

    def _render_frame(self, title: str, content: Markup) -> str:
        template = self.environment.get_template("frame.html")
        return template.render(title=title, content=content, styles=STYLES, scripts=SCRIPTS)

    def _link(self, path: str) -> str:
        """Return the address of a path below the report's folder from the page that is rendered."""
        return posixpath.relpath(path, posixpath.dirname(_path(self.at)) or ".")

    def _link_to_page(self, name: str, anchor: str = "") -> str:
        """Return the address of a page, or of an anchor on it."""
        if self.whole or (anchor and name == self.at):
            return f"#{anchor or name}"
        path = self._link(_path(name))
        return f"{path}#{anchor}" if anchor else path

    def _link_to_file(self, study: StudyReport, name: str) -> str:
        """Return the address of a file to download or to show, which is within the one file."""
        if self.whole:
            media_type = MEDIA_TYPES[Path(name).suffix]
            return f"data:{media_type};base64," + base64.b64encode(study.files[name]).decode("ascii")
        return self._link(f"{FILES}/{study.study.name}/{name}")

    def _link_to_record_page(self, path: str) -> str:
        """Return the address of the page of a record; empty in the one file, and for no record."""
        return self._link_to_page(record_page.name_of(path)) if path and not self.whole else ""


_held: list[_Renderer] = []  # that of a process of `_Renderer.render`


def _render_held(index: int) -> bytes:
    (renderer,) = _held
    return renderer.render_page(renderer.pages[index])


def _code(text: str) -> Markup:
    """Return a text as HTML, with what is between backticks as code."""
    pieces = map(escape, text.split("`"))
    return Markup("").join(Markup("<code>{}</code>").format(p) if n % 2 else p for n, p in enumerate(pieces))


def _data(value: Any) -> Markup:
    """Return a value as JSON that can stand in a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))
