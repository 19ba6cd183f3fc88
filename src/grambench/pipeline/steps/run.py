"""Rule `run`: one algorithm on one data set, all repeats; always leaves a record.

python -m grambench.pipeline.steps.run SPEC OUTPUT --seconds S --memory-mb M PREPARED GRAM...

The fit itself is `grambench.pipeline.steps.fit`, in a process group of its own under limits of time and memory.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from grambench.pipeline import specification, supervise

FIT = "grambench.pipeline.steps.fit"
DETAIL_LINES = 20  # of a failed run's output go into its record
LOG_LINES = 200  # of any run's output go into the job's log
SINGLE_THREADED = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def main(argv: list[str]) -> None:
    """Run the fit under its limits; it writes its record, and this one where it does not come to that."""
    parser = argparse.ArgumentParser()
    parser.add_argument("spec")
    parser.add_argument("output", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--memory-mb", type=float, required=True)
    parser.add_argument("inputs", nargs="+", help="the prepared data set, and the Gram matrices of an online study")
    arguments = parser.parse_args(argv)
    spec = specification.read(arguments.spec)
    with tempfile.TemporaryDirectory() as folder:
        errors, settings = Path(folder) / "output.txt", Path(folder) / "settings.json"
        settings.write_text(json.dumps(spec), encoding="utf-8")
        try:
            outcome = supervise.run(
                [sys.executable, "-m", FIT, str(settings), str(arguments.output), *arguments.inputs],
                seconds=arguments.seconds,
                memory_mb=arguments.memory_mb,
                errors=errors,
                env=os.environ | SINGLE_THREADED,
            )
        except SystemExit:  # asked to end, or left alone
            _remove_half_written(arguments.output)
            raise
        sys.stderr.write(supervise.tail(errors, LOG_LINES))
        if outcome.status == "ok" and not arguments.output.is_file():
            outcome = supervise.Outcome("error", "ended without a record", outcome.seconds)
        if outcome.status != "ok":
            _remove_half_written(arguments.output)
            _write_failure(arguments.output, spec, outcome, supervise.tail(errors, DETAIL_LINES))


def _remove_half_written(output: Path) -> None:
    for half_written in output.parent.glob(f".{output.stem}-*{output.suffix}"):
        half_written.unlink(missing_ok=True)


def _write_failure(output: Path, spec: dict[str, Any], outcome: supervise.Outcome, detail: str) -> None:
    from grambench.common import provenance
    from grambench.results import records  # not imported by the many runs that succeed: they take longest to load

    record = records.Record(
        study=spec["study"],
        dataset=spec["dataset"],
        algorithm=spec["algorithm"],
        status=outcome.status,
        reason=outcome.reason,
        detail=detail,
        settings=spec,
        provenance=provenance.collect() | {"wall_seconds": outcome.seconds},
    )
    records.write(output, record)


if __name__ == "__main__":
    main(sys.argv[1:])
