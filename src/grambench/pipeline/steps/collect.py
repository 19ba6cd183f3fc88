"""Rule `collect`: all records of a study as tidy tables (grambench.results.collect).

python -m grambench.pipeline.steps collect IDENTITIES RUNS CURVES CELLS RECORD...

IDENTITIES are those that the records must have (`grambench.common.provenance.identity`): Snakemake does not check
records that were copied or merged into its folder, or made before it lost its notes.
"""

from pathlib import Path

from grambench.common.errors import DataError
from grambench.results import collect, records


def main(argv: list[str]) -> None:
    """Write the three tables; raise DataError if a record has another identity."""
    identities, outputs, paths = argv[0].split(), argv[1:4], argv[4:]
    contents = {path: records.read(Path(path)) for path in paths}
    stale = [path for path, identity in zip(paths, identities, strict=True) if contents[path].identity != identity]
    if stale:
        raise DataError(
            f"{stale[0]}: made with other settings, code or inputs than are asked for ({len(stale)} of {len(paths)} "
            "records were); the same command makes them again"
        )
    runs, curves, cells = map(Path, outputs)
    collect.write(contents, runs, curves, cells)
