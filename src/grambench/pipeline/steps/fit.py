"""The supervised half of rule `run`: fits, and writes the record of a success or of missing data.

python -m grambench.pipeline.steps fit SPEC CODE OUTPUT PREPARED GRAM-OR-FEATURES...
"""

import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from grambench import experiments
from grambench.common import provenance
from grambench.common.files import identity_of
from grambench.datasets import store, views
from grambench.experiments.run import Run
from grambench.kernels import matrices
from grambench.pipeline import supervise
from grambench.pipeline.steps import read_spec
from grambench.results import records


def main(argv: list[str]) -> None:
    """Write the record; an algorithm's exception ends this process with its traceback."""
    spec, code, output, prepared, *others = read_spec(argv[0]), argv[1], *map(Path, argv[2:])
    with supervise.failed_allocations_told():
        _run(spec, code, output, prepared, others)


def _run(spec: dict[str, Any], code: str, output: Path, prepared: Path, others: list[Path]) -> None:
    names = {name: spec[name] for name in ("study", "dataset", "algorithm")}
    names |= {"code": code, "inputs": list(map(identity_of, (prepared, *others)))}
    dataset, grams = store.read(prepared), others
    if isinstance(dataset, store.PreparedDataset) and dataset.images:
        dataset, grams = _described(dataset, others), []
    if isinstance(dataset, store.Unavailable):
        records.write(output, records.Record(**names, status="unavailable", reason=str(dataset), settings=spec))
        return
    run = experiments.load(spec["experiment"])
    outcome = run(Run.from_dict(spec), dataset, [matrices.open_matrix(path) for path in grams])
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
            random=outcome.random,
            metrics=outcome.metrics,
            curves=outcome.curves,
            rounds=outcome.rounds,
            kernel_values=outcome.kernel_values,
            class_values=outcome.class_values,
            settings=spec,
            provenance=provenance.collect() | measured,
        ),
    )


def _described(dataset: store.PreparedDataset, files: list[Path]) -> store.PreparedDataset | store.Unavailable:
    """Return a data set of images with what describes them."""
    found: dict[str, Any] = {}
    for path in files:
        described = views.read(path)
        if isinstance(described, store.Unavailable):
            return described
        found |= described.of(dataset.images)
    return replace(dataset, views=found)
