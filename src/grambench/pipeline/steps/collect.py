"""Rule `collect`: all records of a study as tidy tables (grambench.results.collect).

python -m grambench.pipeline.steps collect IDENTITIES RUNS CURVES CELLS RECORD...

IDENTITIES says what each record has to be made from (`grambench.common.provenance.identity`): Snakemake knows what
it has made itself, but not what was copied or merged into its folder, or made before it lost its notes.
"""

from pathlib import Path

from grambench.common.errors import DataError
from grambench.results import collect, records


def main(argv: list[str]) -> None:
    """Write the three tables; raise DataError where a record was made from something else than is asked for."""
    identities, outputs, paths = argv[0].split(), argv[1:4], argv[4:]
    found = {path: records.read(Path(path)) for path in paths}
    stale = [path for path, identity in zip(paths, identities, strict=True) if found[path].identity != identity]
    if stale:
        raise DataError(
            f"{stale[0]}: made with other settings, code or inputs than are asked for ({len(stale)} of {len(paths)} "
            "records were); the same command makes them again"
        )
    runs, curves, cells = map(Path, outputs)
    collect.write(found, runs, curves, cells)
