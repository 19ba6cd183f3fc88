"""Rule `run`: one algorithm on one data set, all repeats; always leaves a record.

python -m grambench.steps.run SPEC OUTPUT --seconds S --memory-mb M --cache FOLDER PREPARED GRAM...

The fit itself is `grambench.steps.fit`, in a process group of its own under limits of time and memory.
"""

import argparse
import dataclasses
import json
import os
import sys
import tempfile
from pathlib import Path

from grambench import provenance, records, supervise

DETAIL_LINES = 20  # of a failed run's output go into its record
LOG_LINES = 200  # of any run's output go into the job's log
SINGLE_THREADED = dict.fromkeys(provenance.THREAD_VARIABLES, "1")


def main(argv: list[str]) -> None:
    """Run the fit under its limits and write its record, or a record of how it failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("spec", type=json.loads)
    parser.add_argument("output", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--memory-mb", type=float, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="folder of compiled code, one for each code version")
    parser.add_argument("prepared", type=Path)
    parser.add_argument("grams", type=Path, nargs="+")
    arguments = parser.parse_args(argv)
    spec = arguments.spec
    with tempfile.TemporaryDirectory() as folder:
        errors, result = Path(folder) / "output.txt", Path(folder) / "record.h5"
        command = [sys.executable, "-m", "grambench.steps.fit", json.dumps(spec), str(result)]
        outcome = supervise.run(
            [*command, str(arguments.prepared), *map(str, arguments.grams)],
            seconds=arguments.seconds,
            memory_mb=arguments.memory_mb,
            errors=errors,
            env=os.environ | SINGLE_THREADED | {"NUMBA_CACHE_DIR": str(arguments.cache.resolve())},
        )
        measured = {"wall_seconds": outcome.seconds, "peak_private_mb": outcome.peak_memory_mb}
        sys.stderr.write(supervise.tail(errors, LOG_LINES))
        if outcome.status == "ok":
            record = records.read(result)
        else:
            record = records.Record(
                study=spec["study"],
                dataset=spec["dataset"],
                algorithm=spec["algorithm"],
                status=outcome.status,
                reason=outcome.reason,
                detail=supervise.tail(errors, DETAIL_LINES),
                settings=spec,
                provenance=provenance.collect(),
            )
    records.write(arguments.output, dataclasses.replace(record, provenance=record.provenance | measured))


if __name__ == "__main__":
    main(sys.argv[1:])
