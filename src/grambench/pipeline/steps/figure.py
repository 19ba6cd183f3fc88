"""Rule `figure`: one figure of a study, in files for a page and for a column; their name says which figure.

Input: runs, cells, curves and reproduction of the study.
"""

from dataclasses import replace

import pandas as pd

from grambench.common.files import check, sealed
from grambench.pipeline.job import Job
from grambench.pipeline.study_results import read_results
from grambench.report import figures
from grambench.report.drawing import COLUMN, PAGE
from grambench.report.figure_kind import FigureData
from grambench.results import reproduction


def main(job: Job) -> None:
    """Write the files; those of a column have "column" in their suffix."""
    runs, cells, curves, compared = job.input
    results = read_results(job, runs, cells)
    figure = results.study.figures[job.output[0].name.partition(".")[0]]
    data = FigureData(results, pd.read_parquet(check(curves)), reproduction.read(compared))
    canvases = {width: figures.draw(replace(data, width=width), figure) for width in (COLUMN, PAGE)}
    for output in job.output:
        with sealed(output) as file:
            figures.save(canvases[COLUMN if ".column." in output.name else PAGE], file, output.suffix[1:])
