"""Read the results of a study for the steps that make tables, figures and verdicts of them."""

from pathlib import Path

from grambench.config.study import Study
from grambench.pipeline.job import Job
from grambench.results.study import Results


def read_results(job: Job, runs: Path, cells: Path) -> Results:
    """Return the results of a study from the settings of a step and the tables of rule `collect`."""
    return Results.read(Study.model_validate(job.settings["study"]), runs, cells)
