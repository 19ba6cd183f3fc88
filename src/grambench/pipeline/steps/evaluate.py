"""The supervised half of rule `gram`: evaluates the kernel at every pair of examples.

Input: the inner products of the data set.
"""

from grambench.kernels import matrices
from grambench.kernels.functions import Kernel
from grambench.pipeline import supervise
from grambench.pipeline.job import Job


def main(job: Job) -> None:
    """Write the Gram matrix, or why there is none: no data set, or a kernel that is not finite on it."""
    output, source, made_from = job.output[0], job.input[0], job.made_from
    if reason := matrices.unavailable(source):
        matrices.write_unavailable(output, reason, made_from)
        return
    inner, kernel = matrices.open_matrix(source), Kernel(**job.settings)
    with supervise.exit_on_failed_allocation():
        try:
            matrices.write_gram(output, inner, kernel, threads=job.threads, identity=made_from)
        except ValueError as error:
            matrices.write_unavailable(output, str(error), made_from)
