"""The report without a run: of studies that were run here whole, from results; of all others, from the archive."""

import io
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from grambench import claims
from grambench.common import layout
from grambench.config.study import Study
from grambench.pipeline import last_run
from grambench.pipeline.plan import Plan
from grambench.pipeline.specifications import Specifications
from grambench.pipeline.steps import report
from grambench.report import board, figures, page
from grambench.report.drawing import COLUMN, PAGE
from grambench.report.figure_kind import FigureData
from grambench.results import archive, reproduction
from grambench.results.study import Results


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
    with ProcessPoolExecutor(max_workers=cores) as pool:
        futures = {name: pool.submit(study_report, *_archived(plan, name, spec["whole"][name])) for name in names}
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
    return {str(archive.ARCHIVE): len(names), str(layout.RESULTS): len(run)}


def _archived(plan: Plan, name: str, settings: dict[str, Any]) -> tuple[Study, list[Path], list[Path], Path, str]:
    """Return the arguments of `study_report` for an archived study, as the configuration has it today."""
    targets, study = plan.targets, Study.model_validate(settings)  # its tables in the order of a step's settings
    lacking, changed = archive.behind(name, {cell: plan.specs.asked(cell.path()) for cell in targets.cells(name)})
    published, shipped = (list(map(Path, paths)) for paths in (targets.published(name), targets.shipped(name)))
    return study, published, shipped, Path(targets.chances()), remark(name, len(lacking), len(changed))


def _figures(data: FigureData) -> dict[str, bytes]:
    """Return the files of all figures that the page of a study shows."""
    files, in_columns = {}, board.pair(data.results) or ()
    for name, settings in data.results.study.figures.items():
        for suffix, width in ({"svg": PAGE} | ({"column.svg": COLUMN} if name in in_columns else {})).items():
            file = io.BytesIO()
            figures.save(figures.draw(replace(data, width=width), settings), file, "svg")
            files[f"figures/{name}.{suffix}"] = file.getvalue()
    return files


def study_report(
    study: Study, published: Sequence[Path], shipped: Sequence[Path], chances: Path, origin: str
) -> page.StudyReport:
    """Return what the report shows of an archived study: tables, figures and verdicts anew.

    Parameters
    ----------
    study : Study
        The study.
    published : sequence of Path
        Its files of published numbers.
    shipped : sequence of Path
        The table of its replications, if there is one.
    chances : Path
        The table of claims evaluated on the published numbers.
    origin : str
        See `remark`.
    """
    name = study.name
    runs, cells, drawn = (archive.path_of(name, pattern) for pattern in (layout.RUNS, layout.CELLS, layout.CURVES))
    results, prepared, curves = Results.read(study, runs, cells), archive.read_prepared(name), pd.read_parquet(drawn)
    compared = reproduction.table(results, prepared, {path.name: path for path in published}, *shipped)
    data = FigureData(results, curves, compared)
    judged = claims.table(name, claims.Evidence(results, curves), claims.read_chances(chances, name))
    files = {
        "cells.csv": cells.read_bytes(),
        "reproduction.csv": _csv(compared),
        "claims.csv": _csv(judged),
        **_figures(data),
    }
    return report.assemble(
        data,
        prepared,
        files,
        f"Reference results {archive.version_of(name)}",
        whole=study,
        earlier=origin,
        all_claims=judged.astype(object).where(judged.notna(), "").astype(str),
        records=archive.read_records(name),
        newest=datetime.fromisoformat(archive.read_about(name)["date"]).replace(tzinfo=UTC),
        archived=True,
    )


def remark(study: str, lacking: int, changed: int) -> str:
    """Return in words where the numbers of a study are from, and how many of its runs are not archived or behind."""
    version, about = archive.version_of(study), archive.read_about(study)
    text = f"reference results {version} of revision {', '.join(about['revision'])}, {about['date']}"
    text += f", on {', '.join(about['processor'])}" if about["processor"] else ""
    text += f"; runs not archived yet: {lacking}" if lacking else ""
    behind = f"; runs whose settings or code have changed since: {changed}, which need not change a number"
    return f"{text}{behind} (grambench rerun --reference compares)" if changed else text


def _csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False).encode()
