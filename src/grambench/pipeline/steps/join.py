"""Rule `join`: the record of a long run, put together from those of its blocks.

python -m grambench.pipeline.steps.join OUTPUT BLOCK...
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grambench.results import records
from grambench.results.records import GROUPS, Record

TOTALS: dict[str, Callable[[list[float]], float]] = {"wall_seconds": sum, "cpu_seconds": sum, "peak_resident_mb": max}


def joined(blocks: Sequence[Record]) -> Record:
    """Return the record that the run would have left had it not been split, failed where a block failed.

    Its provenance is that of the first block, with the totals of all, their number, and under `others` what else the
    provenance of other blocks says.
    """
    first = blocks[0]
    settings = {key: value for key, value in first.settings.items() if key != "block"}
    names: dict[str, Any] = {name: getattr(first, name) for name in ("study", "dataset", "algorithm")}
    names["settings"] = settings
    known = [{key: value for key, value in block.provenance.items() if key not in TOTALS} for block in blocks]
    others = [each for number, each in enumerate(known) if each not in known[:number]][1:]
    provenance = known[0] | {"blocks": len(blocks)} | ({"others": others} if others else {})
    for key, total in TOTALS.items():
        if all(key in block.provenance for block in blocks):
            provenance[key] = total([block.provenance[key] for block in blocks])
    for block in blocks:
        if block.status == "unavailable":
            return Record(**names, status=block.status, reason=block.reason)
        if block.status != "ok":
            reason = "repeats {} to {}: ".format(*block.settings["block"]) + block.reason
            return Record(**names, status=block.status, reason=reason, detail=block.detail, provenance=provenance)
    values: dict[str, Any] = {
        group: {
            name: np.concatenate([getattr(block, group)[name] for block in blocks], axis=1)
            for name in getattr(first, group)
        }
        for group in GROUPS
    }
    return Record(**names, **values, status="ok", orders=first.orders, rounds=first.rounds, provenance=provenance)


def main(argv: list[str]) -> None:
    """Write the record."""
    output, *blocks = map(Path, argv)
    records.write(output, joined([records.read(path) for path in blocks]))


if __name__ == "__main__":
    main(sys.argv[1:])
