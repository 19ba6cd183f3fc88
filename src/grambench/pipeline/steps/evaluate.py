"""The supervised half of rule `gram`: evaluates the kernel at every pair of examples.

python -m grambench.pipeline.steps evaluate SPEC IDENTITY OUTPUT INNER THREADS
"""

import json
from pathlib import Path

from grambench.kernels import matrices
from grambench.kernels.functions import Kernel
from grambench.pipeline import supervise


def main(argv: list[str]) -> None:
    """Write the Gram matrix, or why there is none: no data set, or a kernel that is not finite on it."""
    spec, identity, output, source, threads = json.loads(argv[0]), argv[1], Path(argv[2]), Path(argv[3]), int(argv[4])
    if reason := matrices.unavailable(source):
        matrices.write_unavailable(output, reason, identity)
        return
    inner, kernel = matrices.open_matrix(source), Kernel(spec["family"], spec["parameter"])
    with supervise.exit_on_failed_allocation():
        try:
            matrices.write_gram(output, inner, kernel, threads=threads, identity=identity)
        except ValueError as error:
            matrices.write_unavailable(output, str(error), identity)
