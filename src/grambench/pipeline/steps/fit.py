"""The supervised half of rule `run`: fits, and writes the record unless the fit fails.

Input: that of rule `run`.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil

from grambench import experiments
from grambench.common import memory, provenance
from grambench.datasets import store, views
from grambench.experiments.outcome import GROUPS
from grambench.experiments.run import Run
from grambench.kernels import matrices
from grambench.pipeline import fingerprint, supervise
from grambench.pipeline.job import Job
from grambench.results import records


def main(job: Job) -> None:
    """Write the record; an algorithm's exception ends this process with its traceback."""
    memory.keep_freed()
    with supervise.exit_on_failed_allocation():
        _run(job)


def _run(job: Job) -> None:
    """Run the experiment that the settings name, and write its record."""
    fields, run, (output,) = job.record_fields, Run.from_dict(job.settings), job.output
    dataset, kernels = store.read(job.input[0]), job.input[1:]
    if isinstance(dataset, store.PreparedDataset) and dataset.images:
        dataset, kernels = _with_views(dataset, kernels), []
    if isinstance(dataset, store.Unavailable):
        records.write(output, records.Record(**fields, status="unavailable", reason=str(dataset)))
        return
    fingerprint.refuse_other_code(run, job.code)
    outcome = experiments.load(run.experiment)(run, dataset, [matrices.open_matrix(path) for path in kernels])
    measured = {
        "wall_seconds": time.time() - psutil.Process().create_time(),
        "cpu_seconds": time.process_time(),
        "peak_resident_mb": memory.peak(),
        "source": dataset.source,
    }
    fields |= {name: getattr(outcome, name) for name in (*GROUPS, "rounds", "random")}
    record = records.Record(**fields, status="ok", orders=outcome.origin, provenance=provenance.collect() | measured)
    records.write(output, record)


def _with_views(dataset: store.PreparedDataset, files: Sequence[Path]) -> store.PreparedDataset | store.Unavailable:
    """Return a data set of images with the views of its images, and the distances among them if a file has them."""
    pairs = [path for path in files if path.parent.parent.name == "pairs"]
    described = views.with_views(dataset, [path for path in files if path not in pairs])
    if isinstance(described, store.Unavailable) or not pairs:
        return described
    return replace(described, pairs=matrices.open_pairs(pairs[0]))
