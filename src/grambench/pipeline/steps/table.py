"""Rule `table`: one table of a study as CSV, Markdown and LaTeX; the files' name says which.

Input: runs, cells and reproduction of the study, and its prepared data sets.
"""

from grambench.common.files import write_text
from grambench.pipeline.job import Job
from grambench.pipeline.study_results import read_results
from grambench.report import renderings, tables
from grambench.results import characteristics, reproduction


def main(job: Job) -> None:
    """Write the three files."""
    name, (runs, cells, compared, *paths) = job.output[0].stem, job.input
    results = read_results(job, runs, cells)
    prepared = {dataset.name: dataset for dataset in map(characteristics.read, paths)}
    index = tables.comparison(reproduction.read(compared))
    texts = renderings.files({name: tables.build(results, prepared, index, results.study.tables[name])})
    for output in job.output:
        write_text(output, texts[output.name])
