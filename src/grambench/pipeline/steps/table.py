"""Rule `table`: one table of a study as CSV, Markdown and LaTeX; the files' name says which.

python -m grambench.pipeline.steps table SPEC CSV MARKDOWN LATEX RUNS CELLS REPRODUCTION PREPARED...
"""

from pathlib import Path

from grambench.common.files import write_text
from grambench.datasets import store
from grambench.pipeline.study_results import read_results
from grambench.report import tables
from grambench.results import reproduction


def main(argv: list[str]) -> None:
    """Write the three files."""
    csv, markdown, latex, runs, cells, compared, *paths = map(Path, argv[1:])
    results = read_results(argv[0], runs, cells)
    prepared = {dataset.name: dataset for dataset in map(store.read, paths)}
    index = tables.comparison(reproduction.read(compared))
    grid = tables.build(results, prepared, index, results.study.tables[csv.stem])
    write_text(csv, grid.data.to_csv(index=False))
    write_text(markdown, tables.markdown(grid))
    write_text(latex, tables.latex(grid))
