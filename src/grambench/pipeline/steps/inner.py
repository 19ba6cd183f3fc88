"""Rule `inner`: the matrix of inner products of a data set, shared by all its kernels.

Input: the prepared data set.
"""

from grambench.datasets import store
from grambench.kernels import grams, matrices
from grambench.pipeline.job import Job


def main(job: Job) -> None:
    """Write the inner products of a prepared data set, or why there are none."""
    output, dataset, made_from = job.output[0], store.read(job.input[0]), job.made_from
    if isinstance(dataset, store.Unavailable):
        matrices.write_unavailable(output, str(dataset), made_from)
        return
    attributes = {"dataset": dataset.name, "content": dataset.content}
    matrices.write_inner(output, grams.inner_products(dataset.features), attributes, made_from)
