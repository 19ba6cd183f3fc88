"""What a call of the workflow is expected to do: the number of jobs by step, and how long its runs take."""

import itertools
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from grambench.common import layout
from grambench.common.counts import counted
from grambench.common.layout import Cell
from grambench.pipeline import last_run, status
from grambench.pipeline.check import unused_views
from grambench.pipeline.plan import Plan
from grambench.pipeline.resources import PREPARE_MINUTES, TABLE_MB

PENDING = ("missing", "stale", "damaged")


def expected_lines(plan: Plan, cores: int, *, slurm: bool) -> list[str]:
    """Return in words what the runs of a plan that are missing, stale or damaged are expected to take.

    The time of the runs is the sum of their seconds, shared by all cores, or the seconds of the longest run or block if
    these are more. On a cluster, one job makes the Gram matrices and the short runs of a data set.
    """
    cells = pending(plan)
    datasets = {cell.dataset for cell in cells}
    prepared = [name for name in datasets if not Path(layout.PREPARED.format(dataset=name)).is_file()]
    kernels = {path for cell in cells for path in plan.targets.kernels_from(cell.study, cell.dataset)}
    blocks = {cell: plan.resources.blocks(cell) or [cell] for cell in cells}
    seconds = [plan.resources.processor_seconds(block) for of_cell in blocks.values() for block in of_cell]
    runs = counted(len(cells), "run")
    behind = without_tables(plan)
    left_out = [line for name in plan.studies for line in _left_out(plan, name)]
    names = dict.fromkeys(name for study in plan.studies for name in plan.targets.datasets(study))
    asked = plan.project.datasets or []
    asked = asked if isinstance(asked, list) else list(itertools.chain(*asked.values()))
    if nowhere := [name for name in asked if name not in names]:
        left_out.append(f"left out: {', '.join(nowhere)}, which no study of this call has among its data sets")
    for study in plan.studies.values():
        taken = [plan.targets.dataset(name) for name in plan.targets.datasets(study.name) if name in asked]
        left_out += filter(None, (unused_views(study, dataset) for dataset in taken))

    missing = sum(not Path(path).is_file() for path in kernels)
    jobs = [counted(len(prepared), "data set"), counted(missing, "kernel file")]
    in_blocks = sum(len(of_cell) for of_cell in blocks.values() if len(of_cell) > 1)
    sweeps = Counter(cell.sweep for cell in cells if cell.sweep)
    parts = [f"{count} of sweep {name}" for name, count in sweeps.items()]
    parts += [f"long ones in {in_blocks} blocks"] * bool(in_blocks)
    jobs.append(f"{runs} ({', '.join(parts)})" if parts else runs)
    jobs = [job for job in jobs if not job.startswith("0 ")]
    of = counted(len(behind), "study")
    tables = (
        f"tables of {of}, report" if behind else "no run; tables and pages only where settings or code have changed"
    )
    submitted = ""
    if slurm and behind:
        minutes, megabytes = zip(*_slurm_jobs(plan, blocks, behind), strict=True)
        most = f"{counted(max(minutes), 'minute')} and {max(megabytes)} MB"
        submitted = f"; about {counted(len(minutes), 'SLURM job')}, up to {most} each at first"
    lines = [f"jobs: {', '.join([*jobs, tables])}{submitted}"]
    if cells:
        slowness = plan.resources.slowness()
        total, longest = slowness * sum(seconds), slowness * max(seconds)
        on_cores = f"{_duration(max(longest, total / cores))} on {counted(cores, 'core')}"
        time = f"about {total / 3600:.2g} core hours, the longest run {_duration(longest)}" if slurm else on_cores
        guessed = sum(plan.resources.cost(cell) is None for cell in cells)
        suffix = f"; a guess for {guessed} of {runs}, whose algorithm was never measured" if guessed else ""
        costs = f"from the measured costs in {plan.configuration.path('costs.csv')} and the speed of this machine"
        has_images = any(plan.targets.dataset(name).descriptors for name in prepared)
        before = "; features of images are made before, which may take minutes" * has_images
        lines.append(f"time of the runs: {time}, {costs}{suffix}{before}")
    grams = {(path, cell.dataset) for cell in cells for path in plan.targets.grams(cell.study, cell.dataset)}
    gigabytes = sum(plan.resources.gram_mb(name) for path, name in grams if not Path(path).is_file()) / 1024
    if gigabytes >= 1.0:
        lines.append(f"disk: about {gigabytes:.0f} GB for Gram matrices, which later runs use")
    if again := [name for name in names if plan.specs.fetches_again(plan.targets.dataset(name).folder)]:
        lines.append(
            f"asked for again, as a more faithful source may answer: {', '.join(again)}; if the data then differ, "
            "all runs on them are made again"
        )
    return [*left_out, *lines]


def pending(plan: Plan) -> list[Cell]:
    """Return the runs of a plan that are missing, stale or damaged."""
    cells = plan.targets.cells()
    # Hashing all code takes half a second, and without any record there is nothing to compare with.
    if not any(Path(cell.path()).is_file() for cell in cells):
        return cells
    files = status.file_statuses(last_run.requests_of(plan))
    paths = {file.path for file in files if file.status in PENDING}
    return [cell for cell in cells if cell.path() in paths]


def without_tables(plan: Plan) -> list[str]:
    """Return the studies of a plan of which a table, a figure or a record is missing, or whose tables are of others."""
    made_otherwise = last_run.uncollected(last_run.asked_of_records(last_run.requests_of(plan)))
    whole = {name for name in plan.studies if all(map(os.path.isfile, plan.targets.shown(name)))}
    return [name for name in plan.studies if name in made_otherwise or name not in whole]


def _slurm_jobs(
    plan: Plan, blocks: Mapping[Cell, Sequence[Cell]], behind: Collection[str]
) -> Iterator[tuple[int, int]]:
    """Yield the minutes and the MiB that each SLURM job of some runs and of tables of some studies asks for at first.

    Short runs on a data set are one job, which prepares it and makes its Gram matrices first. Where these files are
    there, each run is a job.
    """
    resources, together = plan.resources, dict[str, tuple[int, int]]()
    for cell, of_cell in blocks.items():
        minutes = [resources.run_minutes(block, 1) for block in of_cell]
        megabytes = resources.run_mb(cell.study, cell.dataset, 1)
        prepared = layout.PREPARED.format(dataset=cell.dataset)
        needs = [prepared, *plan.targets.kernels_from(cell.study, cell.dataset)]
        missing = [path for path in needs if not Path(path).is_file()]
        if resources.group(cell) and missing:
            # with the inner products before the Gram matrices
            matrices = sum(path != prepared for path in missing)
            matrices += bool(matrices and plan.targets.grams(cell.study, cell.dataset))
            spent = PREPARE_MINUTES * (prepared in missing) + resources.matrix_minutes(cell.dataset, 1) * matrices
            makes = spent, resources.matrix_mb(cell.dataset, 1)
            spent, most = together.get(cell.dataset, makes)
            together[cell.dataset] = spent + sum(minutes), max(most, megabytes)
        else:
            yield from ((each, megabytes) for each in minutes)
    yield from together.values()
    for study in behind:
        joined = sum(len(of_cell) > 1 for cell, of_cell in blocks.items() if cell.study == study)
        yield resources.table_minutes(study, joined), TABLE_MB


def _left_out(plan: Plan, study: str) -> Iterator[str]:
    """Yield a line for each data set of stored kernels on which a study leaves out configurations."""
    cells = {(cell.dataset, cell.algorithm) for cell in plan.targets.cells(study)}
    for dataset in plan.targets.datasets(study):
        names = [name for name in plan.targets.algorithms(study) if (dataset, name) not in cells]
        if names and plan.targets.dataset(dataset).stored_kernels:
            reason = "left out, since they learn from features"
            yield f"{study}: {dataset} has stored kernels alone; {reason}: {', '.join(names)}"


def _duration(seconds: float) -> str:
    """Return a duration in minutes, or in hours from two hours on."""
    if seconds < 60:
        return "less than a minute"
    return f"about {seconds / 60:.0f} min" if seconds < 7200 else f"about {seconds / 3600:.1f} h"
