"""Rule `claims`: what the paper claims in words, judged on our runs.

python -m grambench.pipeline.steps claims SPEC OUTPUT RUNS CELLS CURVES [CHANCES]

CHANCES is the table of what the papers' own numbers say to the claims, config/replications/claims.csv.
"""

from pathlib import Path

import pandas as pd

from grambench import claims
from grambench.claims import chances
from grambench.common.files import check, sealed
from grambench.config.study import Study
from grambench.pipeline.steps import read_spec
from grambench.results.study import Results


def main(argv: list[str]) -> None:
    """Write claims.csv."""
    spec = read_spec(argv[0])
    output, runs, cells, curves, *shipped = map(Path, argv[1:])
    study = Study.model_validate(spec)
    evidence = claims.Evidence(Results.read(study, runs, cells), pd.read_parquet(check(curves)))
    found = chances.read(shipped[0], study.name) if shipped else {}
    with sealed(output) as temporary:
        claims.table(study.name, evidence, found).to_csv(temporary, index=False)
