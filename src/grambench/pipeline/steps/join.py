"""Rule `join`: the record of a long run, put together from those of its blocks.

python -m grambench.pipeline.steps join OUTPUT BLOCK...
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    names: dict[str, Any] = {name: getattr(first, name) for name in ("study", "dataset", "algorithm", "code", "inputs")}
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
            reason = "repetitions {} to {}: ".format(*block.settings["block"]) + block.reason
            return Record(**names, status=block.status, reason=reason, detail=block.detail, provenance=provenance)
    rounds = max((block.rounds for block in blocks), key=len)  # curves of repetitions that end when they will differ
    values: dict[str, Any] = {
        group: {
            name: np.concatenate([_ended(getattr(block, group)[name], group, len(rounds)) for block in blocks], axis=1)
            for name in getattr(first, group)
        }
        for group in GROUPS
    }
    values |= {"rounds": rounds, "orders": first.orders, "random": max(block.random for block in blocks)}  # a yes wins
    return Record(**names, **values, status="ok", provenance=provenance)


def _ended(values: NDArray[np.float64], group: str, length: int) -> NDArray[np.float64]:
    """Return a block's values; curves (P, R, C, ...) with NaN after their end, as long as the longest."""
    if group != "curves" or values.shape[2] == length:
        return values
    after = [(0, length - size if axis == 2 else 0) for axis, size in enumerate(values.shape)]
    return np.pad(values, after, constant_values=np.nan)


def main(argv: list[str]) -> None:
    """Write the record."""
    output, *blocks = map(Path, argv)
    records.write(output, joined([records.read(path) for path in blocks]))
