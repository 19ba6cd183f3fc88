"""The supervised half of rule `run`: fits, and writes the record unless the fit fails.

python -m grambench.pipeline.steps fit SPEC CODE OUTPUT PREPARED GRAM-OR-FEATURES...
"""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from grambench import experiments
from grambench.common import layout, memory, provenance
from grambench.datasets import store, views
from grambench.experiments.outcome import GROUPS
from grambench.experiments.run import Run
from grambench.kernels import matrices
from grambench.pipeline import fingerprint, supervise
from grambench.pipeline.inputs import read_spec, record_fields
from grambench.results import records


def main(argv: list[str]) -> None:
    """Write the record; an algorithm's exception ends this process with its traceback."""
    memory.keep_freed()
    spec, code, output, inputs = read_spec(argv[0]), argv[1], Path(argv[2]), list(map(Path, argv[3:]))
    with supervise.exit_on_failed_allocation():
        _run(spec, code, output, inputs)


def _run(spec: dict[str, Any], code: str, output: Path, inputs: list[Path]) -> None:
    """Run the experiment that a spec names, and write its record."""
    fields, run = record_fields(spec, code, inputs), Run.from_dict(spec)
    dataset, kernels = store.read(inputs[0]), inputs[1:]
    if isinstance(dataset, store.PreparedDataset) and dataset.images:
        dataset, kernels = _with_views(dataset, kernels), []
    if isinstance(dataset, store.Unavailable):
        records.write(output, records.Record(**fields, status="unavailable", reason=str(dataset)))
        return
    fingerprint.refuse_other_code(run, code)
    outcome = experiments.load(spec["experiment"])(run, dataset, [matrices.open_matrix(path) for path in kernels])
    measured = {
        "wall_seconds": time.time() - psutil.Process().create_time(),
        "cpu_seconds": time.process_time(),
        "peak_resident_mb": memory.peak(),
        "source": dataset.source,
    }
    fields |= {name: getattr(outcome, name) for name in (*GROUPS, "rounds", "random")}
    record = records.Record(**fields, status="ok", orders=outcome.origin, provenance=provenance.collect() | measured)
    records.write(output, record)


def _with_views(dataset: store.PreparedDataset, files: list[Path]) -> store.PreparedDataset | store.Unavailable:
    """Return a data set of images with the views of its images, and the distances among them if a file has them."""
    pairs = [path for path in files if layout.is_pairs(path)]
    described = views.with_views(dataset, [path for path in files if path not in pairs])
    if isinstance(described, store.Unavailable) or not pairs:
        return described
    return replace(described, pairs=matrices.open_pairs(pairs[0]))
