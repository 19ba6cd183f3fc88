"""Rule `reproduce`: every published number beside ours, with a verdict.

Input: runs and cells of the study, the files of published numbers, the prepared data sets, and the table of
replications, if any.
"""

from grambench.common.files import write_text
from grambench.pipeline.job import Job
from grambench.pipeline.study_results import read_results
from grambench.results import characteristics, reproduction


def main(job: Job) -> None:
    """Write reproduction.csv."""
    runs, cells, *others = job.input
    datasets = [characteristics.read(path) for path in others if path.suffix == ".h5"]
    published = {path.name: path for path in others if path.parent.name == "published"}
    replications = next((path for path in others if path.parent.name == "replications"), None)
    prepared = {dataset.name: dataset for dataset in datasets}
    table = reproduction.table(read_results(job, runs, cells), prepared, published, replications)
    write_text(job.output[0], table.to_csv(index=False))
