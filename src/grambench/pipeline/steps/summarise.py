"""Rule `summarise`: the mean, the standard deviation and the number of runs of each metric of a study.

Input: runs and cells of the study.
"""

from grambench.common.files import write_text
from grambench.pipeline.job import Job
from grambench.pipeline.study_results import read_results
from grambench.results import summary


def main(job: Job) -> None:
    """Write summary.csv."""
    table = summary.table(read_results(job, *job.input), job.settings["datasets"])
    write_text(job.output[0], table.to_csv(index=False))
