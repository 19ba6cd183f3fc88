"""Rule `run`: one algorithm on one data set, all repetitions; always leaves a record.

python -m grambench.pipeline.steps run SPEC CODE OUTPUT --seconds S --memory-mb M PREPARED INPUT...

The fit itself is `grambench.pipeline.steps.fit`, in a process group of its own under limits of time and memory.
"""

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from grambench.pipeline import supervise
from grambench.pipeline.inputs import read_spec, record_fields


def main(argv: list[str]) -> None:
    """Run the fit under its limits; the fit writes its record, and this step writes one if the fit fails."""
    parser = argparse.ArgumentParser()
    parser.add_argument("spec")
    parser.add_argument("code", help="the code hash, for the record")
    parser.add_argument("output", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--memory-mb", type=float, required=True)
    parser.add_argument("--killed", action="store_true", help="write that an earlier call of this was")
    parser.add_argument("inputs", nargs="+", help="the files that the fit reads")
    arguments = parser.parse_args(argv)
    spec = read_spec(arguments.spec)
    if arguments.killed:
        ending = supervise.Ending("killed", "its supervisor was ended by signal SIGKILL", seconds=0.0)
        _write_failure(arguments, spec, ending)
        return
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.json"
        settings.write_text(json.dumps(spec), encoding="utf-8")
        ending = supervise.step(
            "fit",
            [str(settings), arguments.code, str(arguments.output), *arguments.inputs],
            arguments.output,
            seconds=arguments.seconds,
            memory_mb=arguments.memory_mb,
        )
    if ending.status != "ok":
        _write_failure(arguments, spec, ending)


def _write_failure(arguments: argparse.Namespace, spec: dict[str, Any], ending: supervise.Ending) -> None:
    """Write the record of a run that failed."""
    # imported only if a run fails, since they take long to load
    from grambench.common import provenance
    from grambench.results import records

    record = records.Record(
        **record_fields(spec, arguments.code, map(Path, arguments.inputs)),
        status=ending.status,
        reason=ending.reason,
        detail=ending.detail,
        provenance=provenance.collect() | {"wall_seconds": ending.seconds},
    )
    # the fit may have made a folder of this name
    if arguments.output.is_dir() and not arguments.output.is_symlink():
        arguments.output.chmod(0o700)
        shutil.rmtree(arguments.output)
    records.write(arguments.output, record)
