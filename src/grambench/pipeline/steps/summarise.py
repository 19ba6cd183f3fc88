"""Rule `summarise`: mean, deviation and number of runs of everything that a study measures.

python -m grambench.pipeline.steps summarise SPEC OUTPUT RUNS CELLS TITLES

TITLES is the JSON of the titles of data sets.
"""

import json
from pathlib import Path

from grambench.common.files import sealed
from grambench.config.study import Study
from grambench.pipeline.steps import read_spec
from grambench.results import summary
from grambench.results.study import Results


def main(argv: list[str]) -> None:
    """Write summary.csv."""
    study = Study.model_validate(read_spec(argv[0]))
    output, runs, cells = map(Path, argv[1:4])
    with sealed(output) as temporary:
        summary.table(Results.read(study, runs, cells), json.loads(argv[4])).to_csv(temporary, index=False)
