"""Rule `figure`: one figure of a study as SVG and PNG; the files' name says which.

python -m grambench.pipeline.steps figures SPEC SVG PNG RUNS CELLS CURVES REPRODUCTION
"""

from pathlib import Path

import pandas as pd

from grambench.common.files import check, sealed
from grambench.pipeline.study_results import read_results
from grambench.report import figures
from grambench.results import reproduction


def main(argv: list[str]) -> None:
    """Write the two files."""
    svg, png, runs, cells, curves, compared = map(Path, argv[1:])
    results = read_results(argv[0], runs, cells)
    figure = results.study.figures[svg.stem]
    canvas = figures.draw(results, pd.read_parquet(check(curves)), reproduction.read(compared), figure)
    with sealed(svg) as svg_file, sealed(png) as png_file:
        figures.save(canvas, svg_file, png_file)
