"""The supervised half of rule `run`: fits, and writes the record of a success or of missing data.

python -m grambench.pipeline.steps.fit SPEC OUTPUT PREPARED GRAM...
"""

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import psutil

from grambench import experiments
from grambench.common import provenance
from grambench.datasets import store
from grambench.experiments.specification import Specification
from grambench.kernels import matrices
from grambench.pipeline import supervise
from grambench.results import records


def main(argv: list[str]) -> None:
    """Write the record; an algorithm's exception ends this process with its traceback."""
    try:
        spec, output, prepared, *grams = json.loads(argv[0]), *map(Path, argv[1:])
        _run(spec, output, prepared, grams)
    except MemoryError as error:
        sys.stderr.write(f"an allocation failed: {error}\n")
        raise SystemExit(supervise.OUT_OF_MEMORY) from None


def _run(spec: dict[str, Any], output: Path, prepared: Path, grams: list[Path]) -> None:
    names = {"study": spec["study"], "dataset": spec["dataset"], "algorithm": spec["algorithm"]}
    dataset = store.read(prepared)
    if isinstance(dataset, store.Unavailable):
        records.write(output, records.Record(**names, status="unavailable", reason=str(dataset), settings=spec))
        return
    run = experiments.load(spec["experiment"])
    outcome = run(Specification(**spec), dataset, [matrices.open_matrix(path) for path in grams])
    used = resource.getrusage(resource.RUSAGE_SELF)
    measured = {
        "wall_seconds": time.time() - psutil.Process().create_time(),
        "cpu_seconds": time.process_time(),
        "peak_resident_mb": used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10),
        "source": dataset.source,
    }
    records.write(
        output,
        records.Record(
            **names,
            status="ok",
            orders=outcome.origin,
            metrics=outcome.metrics,
            curves=outcome.curves,
            rounds=outcome.rounds,
            kernel_values=outcome.kernel_values,
            settings=spec,
            provenance=provenance.collect() | measured,
        ),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
