"""Rule `pairs`: distances or inner products of all pairs of a data set's images, which all runs of a study share.

python -m grambench.pipeline.steps pairs SPEC CODE OUTPUT PREPARED FEATURES...
"""

from collections.abc import Iterator
from pathlib import Path

from grambench.common.provenance import made_from
from grambench.common.types import Floats
from grambench.datasets import store, views
from grambench.kernels import matrices
from grambench.kernels.bases import all_pairs
from grambench.pipeline.inputs import read_spec


def main(argv: list[str]) -> None:
    """Write a matrix for each view and base, or why there are none."""
    spec, output, inputs = argv[0], Path(argv[2]), list(map(Path, argv[3:]))
    dataset, identity = store.read(inputs[0]), made_from(spec, argv[1], *inputs)
    if isinstance(dataset, store.PreparedDataset):
        dataset = views.with_views(dataset, inputs[1:])
    if isinstance(dataset, store.Unavailable):
        matrices.write_unavailable(output, str(dataset), identity)
        return
    features = dataset.views

    def computed() -> Iterator[tuple[str, str, Floats]]:
        for view, base in read_spec(spec)["sources"]:
            yield view, base, all_pairs(features[view], base)

    matrices.write_pairs(output, computed(), identity)
