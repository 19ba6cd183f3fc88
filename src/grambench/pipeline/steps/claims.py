"""Rule `claims`: the claims of a paper's text, evaluated on our runs.

python -m grambench.pipeline.steps claims SPEC OUTPUT RUNS CELLS CURVES [CHANCES]

CHANCES is the table of claims evaluated on the published numbers, config/replications/claims.csv.
"""

from pathlib import Path

import pandas as pd

from grambench import claims
from grambench.claims import chances
from grambench.common.files import check, sealed
from grambench.pipeline.study_results import read_results


def main(argv: list[str]) -> None:
    """Write claims.csv."""
    output, runs, cells, curves, *shipped = map(Path, argv[1:])
    results = read_results(argv[0], runs, cells)
    name = results.study.name
    evidence = claims.Evidence(results, pd.read_parquet(check(curves)))
    published = chances.read(shipped[0], name) if shipped else {}
    with sealed(output) as temporary:
        claims.table(name, evidence, published).to_csv(temporary, index=False)
