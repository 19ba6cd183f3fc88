"""Rule `run`: one algorithm on one data set, all repetitions; always leaves a record.

Input: the prepared data set, and the Gram matrices, features or distances of the study's kernels. The fit itself is
`grambench.pipeline.steps.fit`, in a process group of its own under limits of time and memory.
"""

import shutil

from grambench.pipeline import supervise
from grambench.pipeline.job import Job


def main(job: Job) -> None:
    """Run the fit under its limits; the fit writes its record, and this step writes one if the fit fails."""
    if job.killed:
        reason = "its supervisor was ended by signal SIGKILL"
        _write_failure(job, supervise.Ending("killed", reason, seconds=0.0))
    elif (ending := supervise.step("fit", job)).status != "ok":
        _write_failure(job, ending)


def _write_failure(job: Job, ending: supervise.Ending) -> None:
    """Write the record of a run that failed."""
    # imported only if a run fails, since they take long to load
    from grambench.common import provenance
    from grambench.results import records

    record = records.Record(
        **job.record_fields,
        status=ending.status,
        reason=ending.reason,
        detail=ending.detail,
        provenance=provenance.collect() | {"wall_seconds": ending.seconds},
    )
    (output,) = job.output
    # the fit may have made a folder of this name
    if output.is_dir() and not output.is_symlink():
        output.chmod(0o700)
        shutil.rmtree(output)
    records.write(output, record)
