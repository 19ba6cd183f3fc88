"""Rule `report`: the pages about all studies, as a folder and as one file.

python -m grambench.pipeline.steps report SPEC INDEX INPUT...

SPEC holds the settings of every study under its name, whole and as far as it was asked for, and the files of studies of
earlier runs. The inputs are found by the names that `grambench.common.layout` gives them, below the working folder;
INDEX is the first page, and all others lie beside it, with a SHA256SUMS by which a missing page is noticed.
"""

import hashlib
import itertools
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import SUMS, atomic, check, write_text
from grambench.config.shown import Figure
from grambench.config.study import Study
from grambench.datasets import store
from grambench.pipeline.steps import read_spec
from grambench.report import charts, figures, notes, page, site, tables
from grambench.results import records, reproduction
from grambench.results.study import Results

Find = Callable[[str], Path]
EARLIER = {  # by whether a study of an earlier run is stale; None of one of this run
    None: "",
    False: "from an earlier run",
    True: "from an earlier run and stale: its settings, code or inputs have changed since",
}


def main(argv: list[str]) -> None:
    """Write the pages, the first one last."""
    spec, index = read_spec(argv[0]), Path(argv[1])
    given = {*argv[2:], *spec["files"]}

    def find(name: str) -> Path:
        if name not in given:
            raise DataError(f"{name} is not among the inputs of the report")
        return Path(name)

    studies = [
        study_report(spec["studies"][name], spec["whole"][name], find, spec["earlier"].get(name))
        for name in spec["order"]
    ]
    explained = [Path(name) for name in argv[2:] if name.endswith(str(layout.NOTES))]
    made = site.write(
        site.Report(
            studies=studies,
            title=spec["title"],
            descriptions=spec["datasets"],
            notes=_notes(explained[0]) if explained else None,
        )
    )
    for folder in (site.PAGES, site.FILES):  # pages of studies that are not asked for any more
        shutil.rmtree(index.parent / folder, ignore_errors=True)
    for name in sorted(made, key=lambda name: name == site.INDEX):
        with atomic(index.parent / name) as temporary:
            temporary.write_bytes(made[name])
    listed = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(made.items()))
    write_text(index.parent / SUMS, listed)


def _notes(path: Path) -> notes.Notes:
    pictures = {picture.name: picture.read_bytes() for picture in path.parent.glob("*.svg")}
    return notes.read(path.read_text(encoding="utf-8"), pictures)


def study_report(
    spec: dict[str, Any], whole: dict[str, Any], find: Find, stale: bool | None = None
) -> page.StudyReport:
    """Read what the report shows of one study; of one of an earlier run, `stale` says whether it would be made anew."""
    study = Study.model_validate(spec)

    def path(pattern: str, **names: str) -> Path:
        return find(pattern.format(study=study.name, **names))

    results = Results.read(study, path(layout.RUNS), path(layout.CELLS))
    prepared = {name: store.read(path(layout.PREPARED, dataset=name)) for name in study.datasets}
    compared = reproduction.read(path(layout.REPRODUCTION))
    curves = pd.read_parquet(check(path(layout.CURVES)))
    index = tables.comparison(compared)
    found = [find(str(name)) for name in results.cells["record"]]
    offered = {}
    for name, suffix in itertools.product(study.tables, ("csv", "md", "tex")):
        offered[f"tables/{name}.{suffix}"] = path(layout.TABLE, table=name, suffix=suffix)
    for name in study.figures:
        offered[f"figures/{name}.svg"] = path(layout.FIGURE, figure=name, suffix="svg")
    offered |= {Path(pattern).name: path(pattern) for pattern in (layout.REPRODUCTION, layout.CLAIMS, layout.CELLS)}
    files = {name: check(file).read_bytes() for name, file in offered.items()}
    return page.StudyReport(
        results=results,
        whole=Study.model_validate(whole),
        earlier=EARLIER[stale],
        prepared=prepared,
        reproduction=compared,
        claims=pd.read_csv(check(path(layout.CLAIMS)), dtype=str, keep_default_na=False),
        comparison=index,
        tables={name: tables.build(results, prepared, index, table) for name, table in sorted(study.tables.items())},
        figures=[
            _picture(results, curves, compared, name, figure, files[f"figures/{name}.svg"])
            for name, figure in sorted(study.figures.items())
        ],
        files={name: content for name, content in files.items() if content.count(b"\n") > 1},
        provenance=[records.read(record).provenance for record in found],
        newest=datetime.fromtimestamp(max((record.stat().st_mtime for record in found), default=0), tz=UTC),
    )


def _picture(
    results: Results, curves: pd.DataFrame, compared: pd.DataFrame, name: str, figure: Figure, svg: bytes
) -> page.Picture:
    chart = figures.chart(results, curves, compared, figure)
    said = figures.said(results, figure)
    return page.Picture(
        name=name,
        title=figure.title,
        caption=". ".join(filter(None, [figure.caption.rstrip("."), said])),
        alternative=figures.alternative(results, figure),
        left_out=figures.left_out(results, figure),
        svg=svg,
        chart=charts.numbers(chart) if chart else None,
    )
