"""Rule `gram`: the Gram matrix of one kernel on one data set.

python -m grambench.pipeline.steps.gram SPEC OUTPUT INNER THREADS
"""

import json
import sys
from pathlib import Path

from grambench.kernels import grams, matrices
from grambench.kernels.functions import Kernel


def main(argv: list[str]) -> None:
    """Write the Gram matrix, or pass on that the data set is unavailable."""
    spec, output, source, threads = json.loads(argv[0]), Path(argv[1]), Path(argv[2]), int(argv[3])
    if reason := matrices.unavailable(source):
        matrices.write_unavailable(output, reason)
        return
    grams.write_gram(output, matrices.open_matrix(source), Kernel(spec["family"], spec["parameter"]), threads=threads)


if __name__ == "__main__":
    main(sys.argv[1:])
