"""Read the results of a study for the steps that make tables, figures and verdicts of them."""

from pathlib import Path

from grambench.config.study import Study
from grambench.pipeline.inputs import read_spec
from grambench.results.study import Results


def read_results(spec: str, runs: Path, cells: Path) -> Results:
    """Return the results of a study from its settings (see `read_spec`) and the tables of rule `collect`."""
    return Results.read(Study.model_validate(read_spec(spec)), runs, cells)
