"""Rule `claims`: the claims of a paper's text, evaluated on our runs.

Input: runs, cells and curves of the study, and the table of claims evaluated on the published numbers, if any.
"""

import pandas as pd

from grambench import claims
from grambench.common.files import check, write_text
from grambench.pipeline.job import Job
from grambench.pipeline.study_results import read_results


def main(job: Job) -> None:
    """Write claims.csv."""
    runs, cells, curves, *shipped = job.input
    results = read_results(job, runs, cells)
    name = results.study.name
    evidence = claims.Evidence(results, pd.read_parquet(check(curves)))
    published = claims.read_chances(shipped[0], name) if shipped else {}
    write_text(job.output[0], claims.table(name, evidence, published).to_csv(index=False))
