"""Rule `collect`: all records of a study as tidy tables (grambench.results.collect).

Input: the records. The settings are what each must have been made with (`grambench.common.provenance.asked`): Snakemake
does not check records that were copied or merged into its folder, or made before it lost its notes.
"""

from functools import cache

from grambench.common.errors import DataError
from grambench.common.files import identity_of
from grambench.common.provenance import is_current
from grambench.pipeline.job import Job
from grambench.results import collect, records


def main(job: Job) -> None:
    """Write the three tables; raise DataError if a record was made from something else."""
    contents = {str(path): records.read(path) for path in job.input}
    files, identify = zip(job.input, job.settings, strict=True), cache(identity_of)
    stale = [path for path, asked in files if not is_current(path, asked, identify=identify)]
    if stale:
        raise DataError(
            f"{stale[0]}: made with other settings, code or inputs than are asked for ({len(stale)} of {len(contents)} "
            "records were); the same command makes them again"
        )
    collect.write(contents, *job.output)
