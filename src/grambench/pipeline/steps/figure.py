"""Rule `figure`: one figure of a study, in files for a page and for a column; their name says which figure.

python -m grambench.pipeline.steps figure SPEC FILE... RUNS CELLS CURVES REPRODUCTION
"""

from pathlib import Path

import pandas as pd

from grambench.common.files import check, sealed
from grambench.pipeline.study_results import read_results
from grambench.report import figures
from grambench.report.drawing import COLUMN, PAGE
from grambench.results import reproduction


def main(argv: list[str]) -> None:
    """Write the files; those of a column have "column" in their suffix."""
    *outputs, runs, cells, curves, compared = map(Path, argv[1:])
    results = read_results(argv[0], runs, cells)
    figure = results.study.figures[outputs[0].name.partition(".")[0]]
    data = results, pd.read_parquet(check(curves)), reproduction.read(compared), figure
    canvases = {COLUMN: figures.draw(*data, COLUMN), PAGE: figures.draw(*data, PAGE)}
    for output in outputs:
        with sealed(output) as file:
            figures.save(canvases[COLUMN if ".column." in output.name else PAGE], file, output.suffix[1:])
