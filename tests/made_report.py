"""The report of the small study of presentation.py, made by all steps after the runs."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import leaderboard
import numpy as np
import pandas as pd
import presentation

from grambench import algorithms
from grambench.common import layout
from grambench.common.files import sealed
from grambench.datasets import store
from grambench.pipeline import fingerprint
from grambench.pipeline.job import Job
from grambench.pipeline.steps import claims, figure, report, reproduce, table
from grambench.report import page, site, tables
from grambench.results import records, reproduction

SETTINGS = presentation.STUDY.model_dump(mode="json")
SPEC = fingerprint.spec({"study": SETTINGS})
NAMES = {"study": "omkc"}
NOTHING = reproduction.TABLE.frame([])
PROVENANCE = {"versions": {"python": "3.x"}, "blas": "some blas", "revision": "abc123", "threads": {}, "cores": 2}
NOTES_FILE = layout.NOTES / "omkc.md"
NOTES = """# OMKC (Somebody et al.)

Most of it does, see [Verdicts](../verdicts.md).

## Numbers that differ

- **w5a, mistakes of OMKC(S,S)**: no.
- **wdbc, mistakes of OMKC(S,S)**: the reason is `said` here.

## Claims that fail

- **14b** (stochastic combination) is contradicted.
"""


SVG = b"<svg></svg>"


class Page(HTMLParser):
    """Collects the tags, the visible text, and the addresses that a page names."""

    VOID = frozenset({"meta", "link", "br", "img", "input", "hr"})

    def __init__(self, text):
        super().__init__()
        self.tags, self.stack, self.addresses, self.outside, self.words = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag not in self.VOID:
            self.stack.append(tag)
        found = [attributes[name] for name in ("src", "href", "srcset", "action") if name in attributes]
        if tag == "a" and attributes.get("class") == "external":  # nothing is asked for until a reader follows it
            self.outside += found
        else:
            self.addresses += found

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack[-1:] not in (["script"], ["style"]):
            self.words.append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def report_spec(title="", **changes):
    whole = SETTINGS | {"datasets": [*SETTINGS["datasets"], "w5a"]}
    described = {"wdbc": {"title": "Breast <cancer>", "licence": "free", "url": "https://example.org/wdbc"}}
    spec = {"title": title, "order": ["omkc"], "studies": {"omkc": SETTINGS}, "whole": {"omkc": whole}}
    return json.dumps(spec | {"datasets": described, "earlier": {}, "files": []} | changes)


def made_record(cell):
    """Return the record of a row of cells.csv, with the numbers of the study."""
    fields = {name: getattr(cell, name) for name in ("dataset", "algorithm", "status", "reason", "orders", "random")}
    settings = {"protocol": SETTINGS["protocol"], "seed": 7, "kernels": presentation.KERNELS, "sweep": cell.sweep}
    settings |= {"points": [SETTINGS["algorithms"][cell.algorithm]["parameters"]], "values": [], "file": cell.algorithm}
    if cell.status != "ok":
        return records.Record(study="omkc", **fields, settings=settings, detail="Traceback: <the end of it>")
    if cell.sweep:
        settings |= {"points": [{"beta": 0.5}, {"beta": 0.8}], "values": [0.5, 0.8]}
    runs = presentation.runs().sort_values(["value", "repetition"])
    runs = runs[
        (runs["dataset"] == cell.dataset) & (runs["algorithm"] == cell.algorithm) & (runs["sweep"] == cell.sweep)
    ]
    metrics = {name: of["result"].to_numpy() for name, of in runs.groupby("metric", sort=False) if ":" not in name}
    return records.Record(
        study="omkc",
        **fields,
        settings=settings,
        provenance=PROVENANCE,
        inputs={"a.h5": "abc", "b.h5": "def"},
        metrics={name: values.reshape(len(settings["points"]), -1) for name, values in metrics.items()},
        kernel_values={"updates": np.tile([3.0, 4.0], (1, presentation.REPEATS, 1))},
    )


def write_inputs(root):
    """Write what `collect` and `prepare` would have left, and return the paths of the published files."""
    for content, pattern in ((presentation.runs(), layout.RUNS), (presentation.curves(), layout.CURVES)):
        with sealed(Path(pattern.format(**NAMES))) as path:
            content.to_parquet(path)
    with sealed(Path(layout.CELLS.format(**NAMES))) as path:
        presentation.cells().to_csv(path, index=False)
    for name, dataset in presentation.prepared().items():
        store.write(Path(layout.PREPARED.format(dataset=name)), dataset)
    for cell in presentation.cells().itertuples():
        records.write(Path(cell.record), made_record(cell))
    layout.NOTES.mkdir(parents=True)
    NOTES_FILE.write_text(NOTES, encoding="utf-8")
    return list(presentation.published(root / "published").values())


def make(root):
    """Run all steps in a folder, which is the working folder; return the inputs of the report."""
    published = write_inputs(root)
    runs, curves, cells, reproduction = (
        Path(pattern.format(**NAMES)) for pattern in (layout.RUNS, layout.CURVES, layout.CELLS, layout.REPRODUCTION)
    )
    prepared = [Path(layout.PREPARED.format(dataset=name)) for name in presentation.prepared()]
    reproduce.main(Job(SPEC, output=[reproduction], input=[runs, cells, *published, *prepared]))
    claimed, chances = Path(layout.CLAIMS.format(**NAMES)), presentation.ROOT / layout.CHANCES
    claims.main(Job(SPEC, output=[claimed], input=[runs, cells, curves, chances]))
    for name in presentation.SETTINGS["tables"]:
        outputs = [Path(layout.TABLE.format(**NAMES, table=name, suffix=suffix)) for suffix in ("csv", "md", "tex")]
        table.main(Job(SPEC, output=outputs, input=[runs, cells, reproduction, *prepared]))
    for name in presentation.SETTINGS["figures"]:
        outputs = [Path(layout.FIGURE.format(**NAMES, figure=name, suffix=each)) for each in layout.FIGURE_SUFFIXES]
        figure.main(Job(SPEC, output=outputs, input=[runs, cells, curves, reproduction]))
    inputs = [*(path for path in Path("results").rglob("*") if path.is_file()), NOTES_FILE]
    report.main(Job(report_spec(), output=[Path(layout.REPORT)], input=inputs))
    return inputs


def report_of(results, compared=NOTHING, prepared=(), **changes):
    """Return what the report shows of a study: its tables, and what `changes` have."""
    prepared, comparison = dict(prepared), tables.comparison(compared)
    if "tables" not in changes:
        shown = results.study.tables.items()
        changes["tables"] = {name: tables.build(results, prepared, comparison, table) for name, table in shown}
    empty = {"earlier": "", "figures": [], "files": {}, "records": {}, "newest": datetime(2026, 1, 1, tzinfo=UTC)}
    empty["all_claims"] = pd.DataFrame(columns=["claim", "verdict", "probability", "evidence"], dtype=str)
    return page.StudyReport(
        results=results,
        whole=results.study,
        prepared=prepared,
        reproduction=compared,
        comparison=comparison,
        **empty | changes,
    )


def pages_of(*studies, cores=1):
    """Return the files of a report by their paths."""
    return site.write(site.Report(studies=list(studies), title="", descriptions={}, notes=None), cores)


def make_leaderboard(root, datasets=leaderboard.SETTINGS["datasets"]):
    """Write the report of the leaderboard of leaderboard.py below a folder; one algorithm is a reader's own."""
    own = {"om2": {"path": str(algorithms.source("om2")), "title": "Mine"}}
    study = leaderboard.study(algorithms=leaderboard.SETTINGS["algorithms"] | own, datasets=datasets)
    picture = page.Picture(name="", title="", caption="", alternative="A figure", left_out=[], svg=SVG)
    pictures = [replace(picture, name=name, title=name) for name in study.figures]
    files = {f"figures/{name}{suffix}": SVG for name in study.figures for suffix in (".column.svg", ".svg")}
    of_study = report_of(replace(leaderboard.results(), study=study), figures=pictures, files=files)
    for name, content in pages_of(of_study).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
