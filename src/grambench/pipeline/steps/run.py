"""Rule `run`: one algorithm on one data set, all repeats; always leaves a record.

python -m grambench.pipeline.steps.run SPEC CODE OUTPUT --seconds S --memory-mb M PREPARED GRAM...

The fit itself is `grambench.pipeline.steps.fit`, in a process group of its own under limits of time and memory.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from grambench.pipeline import specification, supervise

FIT = "grambench.pipeline.steps.fit"


def main(argv: list[str]) -> None:
    """Run the fit under its limits; it writes its record, and this one where it does not come to that."""
    parser = argparse.ArgumentParser()
    parser.add_argument("spec")
    parser.add_argument("code", help="the code hash, for the record")
    parser.add_argument("output", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--memory-mb", type=float, required=True)
    parser.add_argument("--killed", action="store_true", help="write that an earlier call of this was")
    parser.add_argument("inputs", nargs="+", help="the prepared data set, and the Gram matrices of an online study")
    arguments = parser.parse_args(argv)
    spec = specification.read(arguments.spec)
    if arguments.killed:
        outcome = supervise.Outcome("killed", "its supervisor was ended by signal SIGKILL", seconds=0.0)
        _write_failure(arguments.output, spec, arguments.code, outcome)
        return
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.json"
        settings.write_text(json.dumps(spec), encoding="utf-8")
        outcome = supervise.step(
            FIT,
            [str(settings), arguments.code, str(arguments.output), *arguments.inputs],
            arguments.output,
            seconds=arguments.seconds,
            memory_mb=arguments.memory_mb,
        )
    if outcome.status != "ok":
        _write_failure(arguments.output, spec, arguments.code, outcome)


def _write_failure(output: Path, spec: dict[str, Any], code: str, outcome: supervise.Outcome) -> None:
    from grambench.common import provenance
    from grambench.results import records  # not imported by the many runs that succeed: they take longest to load

    record = records.Record(
        study=spec["study"],
        dataset=spec["dataset"],
        algorithm=spec["algorithm"],
        status=outcome.status,
        reason=outcome.reason,
        detail=outcome.detail,
        code=code,
        settings=spec,
        provenance=provenance.collect() | {"wall_seconds": outcome.seconds},
    )
    if output.is_dir() and not output.is_symlink():  # which a fit has made of it
        output.chmod(0o700)
        shutil.rmtree(output)
    records.write(output, record)


if __name__ == "__main__":
    main(sys.argv[1:])
