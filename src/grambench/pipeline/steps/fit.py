"""The supervised half of rule `run`: fits, and writes the record of a success or of missing data.

What is started is `grambench.pipeline.steps.fit_<experiment>`, so that a run depends on its own experiment alone.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from grambench.common import provenance
from grambench.datasets import store
from grambench.experiments.outcome import Outcome
from grambench.pipeline import supervise
from grambench.results import records

Experiment = Callable[[dict[str, Any], store.PreparedDataset, list[Path]], Outcome]


def main(argv: list[str], experiment: Experiment) -> None:
    """Write the record; an algorithm's exception ends this process with its traceback.

    Parameters
    ----------
    argv : list of str
        SPEC OUTPUT PREPARED GRAM...
    experiment : callable
        Runs the specification on the data set; gets the paths of the Gram matrices too.
    """
    try:
        spec, output, prepared, *grams = json.loads(argv[0]), *map(Path, argv[1:])
        _run(spec, output, prepared, grams, experiment)
    except MemoryError as error:
        sys.stderr.write(f"an allocation failed: {error}\n")
        raise SystemExit(supervise.OUT_OF_MEMORY) from None


def _run(spec: dict[str, Any], output: Path, prepared: Path, grams: list[Path], experiment: Experiment) -> None:
    names = {"study": spec["study"], "dataset": spec["dataset"], "algorithm": spec["algorithm"]}
    dataset = store.read(prepared)
    if isinstance(dataset, store.Unavailable):
        records.write(output, records.Record(**names, status="unavailable", reason=str(dataset), settings=spec))
        return
    outcome = experiment(spec, dataset, grams)
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
