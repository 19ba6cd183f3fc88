"""Rule `gram`: the Gram matrix of one kernel on one data set.

Input: the inner products of the data set. The kernel is evaluated in `grambench.pipeline.steps.evaluate`, under the
limits of a run.
"""

from grambench.pipeline import supervise
from grambench.pipeline.job import Job


def main(job: Job) -> None:
    """Write the Gram matrix, or why there is none: the records of runs that need it repeat the reason."""
    ending = supervise.step("evaluate", job)
    if ending.status in ("timeout", "memory"):
        # imported only if there is no matrix, since it takes long to load
        from grambench.kernels import matrices

        (output,) = job.output
        advice = f"make it again: grambench run, called as before, with -- -R {output}"
        matrices.write_unavailable(output, f"{ending.status}: {ending.reason}; {advice}", job.made_from)
    # an error of the machine, such as a full disk
    elif ending.status != "ok":
        raise SystemExit(f"{ending.status}: {ending.reason}")
