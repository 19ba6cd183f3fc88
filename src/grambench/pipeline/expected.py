"""What a call of the workflow is expected to do: the number of jobs by step, and how long its runs take."""

from pathlib import Path
from typing import NamedTuple

from grambench.common import layout
from grambench.pipeline import last_run, status
from grambench.pipeline.plan import Plan

PENDING = ("missing", "stale", "damaged")


class Expectation(NamedTuple):
    """The jobs of a call, and the time of its runs.

    Attributes
    ----------
    datasets, kernels, runs, studies : int
        Numbers of data sets to prepare, of files of Gram matrices or features, of runs, and of studies with tables.
    blocks : int
        The number of blocks into which long runs are split.
    slurm_jobs : int
        The number of jobs on a cluster, where one job makes the Gram matrices and the short runs of a data set.
    seconds : float
        The expected seconds on one core of all runs with a measured cost.
    longest : float
        The expected seconds of the longest of them, or of its longest block.
    unknown : int
        The number of runs without a measured cost.
    costs : Path
        The file of the measured costs.
    """

    datasets: int
    kernels: int
    runs: int
    studies: int
    blocks: int
    slurm_jobs: int
    seconds: float
    longest: float
    unknown: int
    costs: Path

    def lines(self, cores: int, slurm: bool) -> list[str]:
        """Return the jobs and the time in words."""
        jobs = [_count(self.datasets, "data set"), _count(self.kernels, "kernel file"), _count(self.runs, "run")]
        jobs[-1] += f" (long ones in {self.blocks} blocks)" if self.blocks else ""
        jobs = [job for job in jobs if not job.startswith("0 ")]
        tables = f"tables of {self.studies} {'study' if self.studies == 1 else 'studies'}, report"
        submitted = f"; about {_count(self.slurm_jobs, 'SLURM job')}" if slurm else ""
        lines = [f"jobs: {', '.join([*jobs, tables])}{submitted}"]
        unknown = f"{self.unknown} of {_count(self.runs, 'run')} without a measured cost"
        if self.runs > self.unknown:
            on_cores = f"{_duration(max(self.longest, self.seconds / cores))} on {_count(cores, 'core')}"
            time = f"about {self.seconds / 3600:.2g} core hours" if slurm else on_cores
            suffix = f"; {unknown}" if self.unknown else ""
            lines.append(f"time of the runs: {time}, from the measured costs in {self.costs}{suffix}")
        elif self.runs:
            lines.append(f"time of the runs: not known, {unknown}")
        return lines


def expectation(plan: Plan) -> Expectation:
    """Return what the runs of a plan that are missing, stale or damaged are expected to take."""
    cells = plan.targets.cells()
    # Hashing all code takes half a second, and without any record there is nothing to compare with.
    if any(Path(cell.path()).is_file() for cell in cells):
        files = status.file_statuses(last_run.requests_of(plan))
        pending = {file.path for file in files if file.status in PENDING}
        cells = [cell for cell in cells if cell.path() in pending]
    datasets = {cell.dataset for cell in cells}
    prepared = [path for name in datasets if not (path := Path(layout.PREPARED.format(dataset=name))).is_file()]
    kernels = {path for cell in cells for path in plan.targets.kernels_from(cell.study, cell.dataset)}
    jobs = {cell: plan.resources.blocks(cell) or [cell] for cell in cells}
    seconds = {cell: [plan.resources.measured_seconds(job) for job in jobs[cell]] for cell in cells}
    known = [value for values in seconds.values() for value in values if value is not None]
    short = {cell for cell in cells if plan.resources.group(cell)}
    return Expectation(
        datasets=len(prepared),
        kernels=sum(not Path(path).is_file() for path in kernels),
        runs=len(cells),
        studies=len(plan.studies),
        blocks=sum(len(blocks) for blocks in jobs.values() if len(blocks) > 1),
        slurm_jobs=sum(len(jobs[cell]) for cell in cells if cell not in short)
        + len({cell.dataset for cell in short})
        + len(plan.studies),
        seconds=sum(known),
        longest=max(known, default=0.0),
        unknown=sum(None in values for values in seconds.values()),
        costs=plan.configuration.path("costs.csv"),
    )


def _count(number: int, name: str) -> str:
    """Return a number and a name, in the plural unless the number is 1."""
    return f"{number} {name}{'s' * (number != 1)}"


def _duration(seconds: float) -> str:
    """Return a duration in minutes, or in hours from two hours on."""
    if seconds < 60:
        return "less than a minute"
    return f"about {seconds / 60:.0f} min" if seconds < 7200 else f"about {seconds / 3600:.1f} h"
