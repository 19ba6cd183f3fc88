"""Rule `report`: the pages about all studies, as a folder and as one file.

Input: the files of all studies, by the names of `grambench.common.layout`, and the pages on the papers. The settings
are those of each study, complete and restricted to what was asked for, and the files of studies of earlier runs. The
first output is the first page; all others are written beside it, with a SHA256SUMS that shows whether one is missing.
"""

import hashlib
import itertools
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import SUMS, atomic, check, write_text
from grambench.config.shown import Figure
from grambench.config.study import Study
from grambench.pipeline.job import Job
from grambench.report import charts, figures, notes, page, renderings, site, tables
from grambench.report.cells import TableContent
from grambench.report.drawing import COLUMN
from grambench.report.figure_kind import FigureData
from grambench.report.tables import matrix
from grambench.results import characteristics, records, reproduction
from grambench.results.characteristics import Prepared
from grambench.results.study import Results

POINTS_PER_INCH = 72.0
FIGURE_DOWNLOADS = {  # titles of the files of a figure, by their suffixes
    "svg": "SVG, page (6.9 in)",
    "pdf": "PDF, page",
    "column.svg": "SVG, column (3.3 in)",
    "column.pdf": "PDF, column",
}
FindFile = Callable[[str], Path]
# by whether a study of an earlier run is stale; None for a study of this run
EARLIER = {
    None: "",
    False: "from an earlier run",
    True: "from an earlier run and stale: its settings, code or inputs have changed since",
}


def main(job: Job) -> None:
    """Write the pages, the first one last."""
    spec = job.settings
    inputs = {*map(str, job.input), *spec["files"]}

    def find(name: str) -> Path:
        if name not in inputs:
            raise DataError(f"{name} is not among the inputs of the report")
        return Path(name)

    studies = [
        study_report(spec["studies"][name], spec["whole"][name], find, spec["earlier"].get(name))
        for name in spec["order"]
    ]
    write(spec, studies, [path for path in job.input if path.match(f"{layout.NOTES}/*.md")], job.output[0])


def write(
    spec: dict[str, Any], studies: list[page.StudyReport], notes_files: list[Path], index: Path, cores: int = 1
) -> None:
    """Write the pages of studies, given the settings of the rule, the pages on the papers and the path of the first."""
    notes_page = _read_notes(notes_files) if notes_files else None
    pages = site.write(
        site.Report(studies=studies, title=spec["title"], descriptions=spec["datasets"], notes=notes_page), cores
    )
    # they may have pages of studies that are not asked for any more
    for folder in (site.PAGES, site.FILES):
        shutil.rmtree(index.parent / folder, ignore_errors=True)
    for name, content in pages.items():
        path = index.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name != site.INDEX:
            path.write_bytes(content)
    with atomic(index) as temporary:
        temporary.write_bytes(pages[site.INDEX])
    checksums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(pages.items()))
    write_text(index.parent / SUMS, checksums)


def _read_notes(paths: list[Path]) -> notes.Notes:
    """Return the pages on the papers as one, with their pictures."""
    pictures = {picture.name: picture.read_bytes() for path in paths for picture in path.parent.glob("*.svg")}
    return notes.read([path.read_text(encoding="utf-8") for path in paths], pictures)


def study_report(
    spec: dict[str, Any], complete: dict[str, Any], find: FindFile, stale: bool | None = None
) -> page.StudyReport:
    """Read the results of one study for the report.

    Parameters
    ----------
    spec, complete : dict
        The settings of the study, restricted to what was asked for and complete.
    find : callable
        Returns the path of an input from its name.
    stale : bool, optional
        Whether a study of an earlier run is stale; None for a study of this run.
    """
    study = Study.model_validate(spec)

    def path(pattern: str, **names: str) -> Path:
        return find(pattern.format(study=study.name, **names))

    results = Results.read(study, path(layout.RUNS), path(layout.CELLS))
    record_files = {str(name): find(str(name)) for name in results.cells["record"]}
    times = (file.stat().st_mtime for file in record_files.values())
    downloads = {
        f"figures/{name}.{suffix}": path(layout.FIGURE, figure=name, suffix=suffix)
        for name, suffix in itertools.product(study.figures, FIGURE_DOWNLOADS)
    }
    downloads |= {Path(pattern).name: path(pattern) for pattern in (layout.REPRODUCTION, layout.CLAIMS, layout.CELLS)}
    return assemble(
        FigureData(results, pd.read_parquet(check(path(layout.CURVES))), reproduction.read(path(layout.REPRODUCTION))),
        {name: characteristics.read(path(layout.PREPARED, dataset=name)) for name in study.datasets},
        {name: check(file).read_bytes() for name, file in downloads.items()},
        whole=Study.model_validate(complete),
        earlier=EARLIER[stale],
        all_claims=pd.read_csv(check(path(layout.CLAIMS)), dtype=str, keep_default_na=False),
        records={name: _without_curves(records.read(file)) for name, file in record_files.items()},
        newest=datetime.fromtimestamp(max(times, default=0), tz=UTC),
    )


def _without_curves(record: records.Record) -> records.Record:
    """Return a record without its largest arrays, of which pages show the weights at the end of a pass alone."""
    weights = {name: values[:, :, -1:] for name, values in record.curves.items() if name == "weights"}
    return replace(record, curves=weights, class_values={})


def assemble(
    data: FigureData, prepared: Prepared, files: dict[str, bytes], source: str = "", **shown: Any
) -> page.StudyReport:
    """Return what the report shows of a study.

    Parameters
    ----------
    data : FigureData
        Its results, curves.parquet and reproduction.csv.
    prepared : dict
        Its data sets as loaded.
    files : dict of bytes
        The files of its figures, and its CSV files, by their paths below the study's folder; those of tables are added.
    source : str
        What tables and figures say of where their numbers are from.
    **shown
        The attributes of the StudyReport that these do not give.
    """
    results, index, built = data.results, tables.comparison(data.reproduction), dict[str, TableContent]()
    for name, table in sorted(results.study.tables.items()):
        content = tables.build(results, prepared, index, table)
        built[name] = replace(content, remarks=[*content.remarks, f"{source}."]) if source else content
    texts = renderings.files({f"tables/{name}": table for name, table in built.items()} | _paper_table(results))
    files = files | {name: text.encode() for name, text in texts.items()}
    drawn = sorted(results.study.figures.items())
    return page.StudyReport(
        results=results,
        prepared=prepared,
        reproduction=data.reproduction,
        comparison=index,
        tables=built,
        figures=[_picture(data, name, figure, files, source) for name, figure in drawn],
        files={name: content for name, content in files.items() if content.count(b"\n") > 1},
        **shown,
    )


def _paper_table(results: Results) -> dict[str, TableContent]:
    """Return the table for a paper of all that was run, as `grambench table` prints it; nothing without results."""
    # settings of steps have sorted names, and the lists of tables the order of the study's file
    tables_of = results.study.tables.values()
    listed = dict.fromkeys(name for table in tables_of for name in getattr(table, "algorithms", ()))
    ran, datasets = results.ran("algorithm"), results.ran("dataset")
    algorithms = [*(name for name in listed if name in ran), *(name for name in ran if name not in listed)]
    if not (metric := results.main_metric()) or not algorithms or not datasets:
        return {}
    return {page.PAPER_TABLE: matrix.paper_table(results, metric, algorithms, datasets)}


def _picture(data: FigureData, name: str, figure: Figure, files: dict[str, bytes], source: str) -> page.Picture:
    """Return a figure with its texts, its files and the numbers of its interactive chart."""
    # A figure that is too wide for a column has the width of a page in both files.
    in_column = page.points_of(files.get(f"figures/{name}.column.svg", b"")) <= POINTS_PER_INCH * COLUMN + 1.0
    downloads = {
        FIGURE_DOWNLOADS[suffix]: f"figures/{name}.{suffix}"
        for suffix in FIGURE_DOWNLOADS
        if f"figures/{name}.{suffix}" in files and (in_column or not suffix.startswith("column"))
    }
    results, chart = data.results, figures.chart(data, figure)
    return page.Picture(
        name=name,
        title=figure.title,
        caption=". ".join(filter(None, [figure.caption.rstrip("."), figures.describe_runs(results, figure), source])),
        alternative=figures.alternative(results, figure),
        left_out=figures.left_out(results, figure),
        svg=files[f"figures/{name}.svg"],
        downloads=downloads,
        chart=charts.numbers(chart) if chart else None,
    )
