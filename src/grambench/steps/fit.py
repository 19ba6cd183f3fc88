"""The supervised half of rule `run`: fits, and writes the record of a success or of missing data.

python -m grambench.steps.fit SPEC OUTPUT PREPARED GRAM...
"""

import json
import resource
import sys
import time
from pathlib import Path

import psutil

from grambench import algorithms, matrices, provenance, records, supervise
from grambench.datasets import store
from grambench.experiments import online


def main(argv: list[str]) -> None:
    """Write the record; an algorithm's exception ends this process with its traceback."""
    spec, output, prepared, *gram_paths = json.loads(argv[0]), *map(Path, argv[1:])
    names = {"study": spec["study"], "dataset": spec["dataset"], "algorithm": spec["algorithm"]}
    dataset = store.read(prepared)
    if isinstance(dataset, store.Unavailable):
        records.write(output, records.Record(**names, status="unavailable", reason=str(dataset), settings=spec))
        return
    algorithm = algorithms.load(spec["algorithm"])
    orders = online.draw_orders(dataset.orders, len(dataset.labels), spec["repeats"], spec["seed"], dataset.name)
    result = online.run(
        algorithm,
        [algorithms.parameters(algorithm.name, point) for point in spec["points"]],
        [matrices.open_matrix(path) for path in gram_paths],
        dataset.labels,
        orders,
        root=spec["seed"],
        dataset=dataset.name,
        curve_points=spec["curve_points"],
    )
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
            orders=orders.origin,
            kernels=spec["kernels"],
            points=spec["points"],
            metrics=result.metrics,
            curves=result.curves,
            rounds=result.rounds,
            updates=result.updates,
            settings=spec,
            provenance=provenance.collect() | measured,
        ),
    )


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except MemoryError as error:
        sys.stderr.write(f"an allocation failed: {error}\n")
        raise SystemExit(supervise.OUT_OF_MEMORY) from None
