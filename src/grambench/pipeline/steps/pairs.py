"""Rule `pairs`: distances or inner products of all pairs of a data set's images, which all runs of a study share.

Input: the prepared data set, and the features of its images. Of more than MOST images none are stored, since a matrix
would take more than 128 MiB: the file is empty, and each run computes those of the images that it draws.
"""

from collections.abc import Iterator

from grambench.common.types import Floats
from grambench.datasets import store, views
from grambench.kernels import matrices
from grambench.kernels.bases import all_pairs
from grambench.pipeline.job import Job

MOST = 4096


def main(job: Job) -> None:
    """Write a matrix for each view and base, or why there are none."""
    output, dataset, made_from = job.output[0], store.read(job.input[0]), job.made_from
    if isinstance(dataset, store.PreparedDataset):
        dataset = views.with_views(dataset, job.input[1:])
    if isinstance(dataset, store.Unavailable):
        matrices.write_unavailable(output, str(dataset), made_from)
        return
    features = dataset.views

    def computed() -> Iterator[tuple[str, str, Floats]]:
        for view, base in job.settings["sources"] if len(dataset.labels) <= MOST else ():
            yield view, base, all_pairs(features[view], base)

    matrices.write_pairs(output, computed(), made_from)
