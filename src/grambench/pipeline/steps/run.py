"""Rule `run`: one algorithm on one data set, all repetitions; always leaves a record.

python -m grambench.pipeline.steps run SPEC CODE OUTPUT --seconds S --memory-mb M PREPARED GRAM...

The fit itself is `grambench.pipeline.steps.fit`, in a process group of its own under limits of time and memory.
"""

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from grambench.pipeline import supervise
from grambench.pipeline.steps import read_spec


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
    spec = read_spec(arguments.spec)
    if arguments.killed:
        outcome = supervise.Outcome("killed", "its supervisor was ended by signal SIGKILL", seconds=0.0)
        _write_failure(arguments, spec, outcome)
        return
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.json"
        settings.write_text(json.dumps(spec), encoding="utf-8")
        outcome = supervise.step(
            "fit",
            [str(settings), arguments.code, str(arguments.output), *arguments.inputs],
            arguments.output,
            seconds=arguments.seconds,
            memory_mb=arguments.memory_mb,
        )
    if outcome.status != "ok":
        _write_failure(arguments, spec, outcome)


def _write_failure(arguments: argparse.Namespace, spec: dict[str, Any], outcome: supervise.Outcome) -> None:
    from grambench.common import files, provenance
    from grambench.results import records  # not imported by the many runs that succeed: they take longest to load

    record = records.Record(
        study=spec["study"],
        dataset=spec["dataset"],
        algorithm=spec["algorithm"],
        status=outcome.status,
        reason=outcome.reason,
        detail=outcome.detail,
        code=arguments.code,
        inputs=[files.identity_of(Path(path)) for path in arguments.inputs],
        settings=spec,
        provenance=provenance.collect() | {"wall_seconds": outcome.seconds},
    )
    if arguments.output.is_dir() and not arguments.output.is_symlink():  # which a fit has made of it
        arguments.output.chmod(0o700)
        shutil.rmtree(arguments.output)
    records.write(arguments.output, record)
