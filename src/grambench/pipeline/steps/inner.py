"""Rule `inner`: the matrix of inner products of a data set, shared by all its kernels.

python -m grambench.pipeline.steps.inner OUTPUT PREPARED
"""

import sys
from pathlib import Path

from grambench.datasets import store
from grambench.kernels import grams, matrices


def main(argv: list[str]) -> None:
    """Write the inner products of a prepared data set."""
    output, prepared = argv
    dataset = store.read(Path(prepared))
    if isinstance(dataset, store.Unavailable):
        matrices.write_unavailable(Path(output), str(dataset))
        return
    attributes = {"dataset": dataset.name, "content": dataset.content}
    grams.write_inner(Path(output), grams.inner_products(dataset.features), attributes)


if __name__ == "__main__":
    main(sys.argv[1:])
