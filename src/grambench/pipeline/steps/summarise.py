"""Rule `summarise`: the mean, the standard deviation and the number of runs of each metric of a study.

python -m grambench.pipeline.steps summarise SPEC OUTPUT RUNS CELLS TITLES

TITLES is the JSON of the titles of data sets.
"""

import json
from pathlib import Path

from grambench.common.files import sealed
from grambench.pipeline.study_results import read_results
from grambench.results import summary


def main(argv: list[str]) -> None:
    """Write summary.csv."""
    output, runs, cells = map(Path, argv[1:4])
    with sealed(output) as temporary:
        summary.table(read_results(argv[0], runs, cells), json.loads(argv[4])).to_csv(temporary, index=False)
