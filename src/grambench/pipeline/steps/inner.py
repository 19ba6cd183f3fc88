"""Rule `inner`: the matrix of inner products of a data set, shared by all its kernels.

python -m grambench.pipeline.steps inner CODE OUTPUT PREPARED
"""

from pathlib import Path

from grambench.common.provenance import made_from
from grambench.datasets import store
from grambench.kernels import grams, matrices


def main(argv: list[str]) -> None:
    """Write the inner products of a prepared data set, or why there are none."""
    output, prepared = map(Path, argv[1:])
    dataset, identity = store.read(prepared), made_from("", argv[0], prepared)
    if isinstance(dataset, store.Unavailable):
        matrices.write_unavailable(output, str(dataset), identity)
        return
    attributes = {"dataset": dataset.name, "content": dataset.content}
    matrices.write_inner(output, grams.inner_products(dataset.features), attributes, identity)
