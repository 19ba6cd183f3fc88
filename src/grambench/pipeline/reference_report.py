"""The report without a run: of studies that were run here whole, from results; of all others, from the archive."""

import io
import json
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from tqdm import tqdm

from grambench import claims
from grambench.common import layout
from grambench.config.study import Study
from grambench.pipeline import last_run
from grambench.pipeline.plan import Plan
from grambench.pipeline.specifications import Specifications
from grambench.pipeline.steps import report
from grambench.report import board, figures, page, renderings, tables
from grambench.report.drawing import COLUMN, PAGE
from grambench.results import archive, reproduction
from grambench.results.study import Results


class Archived(NamedTuple):
    """What the pages of an archived study need beside the archive.

    Attributes
    ----------
    study : Study
        The study, as the configuration has it today, in the order of a step's settings.
    published : dict of Path
        Its files of published numbers by name.
    shipped : Path or None
        The table of its replications, if there is one.
    chances : Path
        The table of claims evaluated on the published numbers.
    lacking : int
        The number of its runs that the archive lacks.
    changed : int
        The number of its runs whose settings or code have changed since.
    """

    study: Study
    published: dict[str, Path]
    shipped: Path | None
    chances: Path
    lacking: int
    changed: int


def run_here(plan: Plan, *, others: bool) -> dict[str, Specifications]:
    """Return the specifications of the studies that are shown from results.

    A study of the plan is one of them if it was run whole. With `others`, so is each finished study without an archive.
    """

    def is_shown(name: str, specs: Specifications) -> bool:
        if name in plan.studies:
            return {*plan.targets.cells(name)} <= {*specs.targets.cells(name)}
        return others and name not in archive.studies()

    return {name: specs for name, specs in last_run.finished(plan).items() if is_shown(name, specs)}


def write(plan: Plan, run: Mapping[str, Specifications], index: Path, cores: int) -> dict[str, int]:
    """Write the pages of all studies.

    Parameters
    ----------
    plan : Plan
        The plan of the archived studies, complete.
    run : dict of Specifications
        The studies that are shown from results, see `run_here`.
    index : Path
        The path of the first page; the others are written beside it.
    cores : int
        The number of processes that draw.

    Returns
    -------
    dict of int
        The numbers of studies by the folder that they are from.
    """
    spec = json.loads(plan.specs.report(run).spec)
    sizes = {name: archive.path_of(name, layout.RUNS).stat().st_size for name in plan.studies if name not in run}
    # the largest first, so that no process draws it alone at the end
    names = sorted(sizes, key=sizes.__getitem__, reverse=True)
    wanted = {name: _archived(plan, name, spec["whole"][name]) for name in names}
    with ProcessPoolExecutor(max_workers=cores) as pool:
        futures = {name: pool.submit(study_report, each) for name, each in wanted.items()}
        futures |= {
            name: pool.submit(report.study_report, spec["studies"][name], spec["whole"][name], Path, stale)
            for name, stale in spec["earlier"].items()
        }
        made = as_completed(futures.values())
        # into a log too, where a minute without a word is taken for an end; sys.stderr would show control characters
        for each in tqdm(made, "studies", len(futures), leave=False, unit="study", file=sys.__stderr__):
            each.result()
        studies = [futures[name].result() for name in spec["order"]]
    report.write(spec, studies, list(map(Path, plan.targets.explained())), index, cores)
    return {str(archive.ARCHIVE): len(wanted), str(layout.RESULTS): len(run)}


def _archived(plan: Plan, name: str, settings: dict[str, Any]) -> Archived:
    targets = plan.targets
    published, shipped = map(Path, targets.published(name)), targets.shipped(name)
    lacking, changed = archive.behind(name, {cell: plan.specs.asked(cell.path()) for cell in targets.cells(name)})
    return Archived(
        study=Study.model_validate(settings),
        published={path.name: path for path in published},
        shipped=Path(shipped[0]) if shipped else None,
        chances=Path(targets.chances()),
        lacking=len(lacking),
        changed=len(changed),
    )


def _figures(results: Results, curves: pd.DataFrame, compared: pd.DataFrame) -> dict[str, bytes]:
    """Return the files of all figures that the page of a study shows."""
    files, in_columns = {}, board.pair(results) or ()
    for name, settings in results.study.figures.items():
        for suffix, width in ({"svg": PAGE} | ({"column.svg": COLUMN} if name in in_columns else {})).items():
            file = io.BytesIO()
            figures.save(figures.draw(results, curves, compared, settings, width), file, "svg")
            files[f"figures/{name}.{suffix}"] = file.getvalue()
    return files


def study_report(archived: Archived) -> page.StudyReport:
    """Return what the report shows of an archived study: tables, figures and verdicts anew."""
    study, about = archived.study, archive.read_about(archived.study.name)
    name = study.name
    runs, cells, drawn = (archive.path_of(name, pattern) for pattern in (layout.RUNS, layout.CELLS, layout.CURVES))
    results, prepared, curves = Results.read(study, runs, cells), archive.read_prepared(name), pd.read_parquet(drawn)
    compared = reproduction.table(results, prepared, archived.published, archived.shipped)
    printed = claims.read_chances(archived.chances, name)
    judged = claims.table(name, claims.Evidence(results, curves), printed)
    index = tables.comparison(compared)
    source = f"Reference results {archive.version_of(name)}"
    built = {key: tables.build(results, prepared, index, table) for key, table in sorted(study.tables.items())}
    built = {key: replace(table, remarks=[*table.remarks, f"{source}."]) for key, table in built.items()}
    files = {
        "cells.csv": cells.read_bytes(),
        "reproduction.csv": _csv(compared),
        "claims.csv": _csv(judged),
        **{f"tables/{key}": text.encode() for key, text in renderings.files(built).items()},
        **_figures(results, curves, compared),
    }
    made = report.assemble(
        results,
        curves,
        compared,
        files,
        tables=built,
        comparison=index,
        whole=study,
        earlier=_remark(about, archived),
        prepared=prepared,
        claims=judged.astype(object).where(judged.notna(), "").astype(str),
        records=archive.read_records(name),
        newest=datetime.fromisoformat(about["date"]).replace(tzinfo=UTC),
        archived=True,
    )
    return replace(made, figures=[replace(each, caption=f"{each.caption}. {source}") for each in made.figures])


def _remark(about: Mapping[str, Any], archived: Archived) -> str:
    """Return where the numbers of a study are from, in words."""
    version = archive.version_of(about["study"])
    text = f"reference results {version} of revision {', '.join(about['revision'])}, {about['date']}"
    text += f", on {', '.join(about['processor'])}" if about["processor"] else ""
    text += f"; runs not archived yet: {archived.lacking}" if archived.lacking else ""
    changed = f"; runs whose settings or code have changed since: {archived.changed}, which need not change a number"
    return f"{text}{changed} (grambench rerun --reference compares)" if archived.changed else text


def _csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False).encode()
