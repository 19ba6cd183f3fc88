"""Rule `join`: the record of a long run, joined from those of its blocks.

Input: the records of the blocks, and the data set that they were made from.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench.common import layout
from grambench.experiments.outcome import GROUPS
from grambench.pipeline.job import Job
from grambench.results import records
from grambench.results.records import Record

TOTALS: dict[str, Callable[[list[float]], float]] = {"wall_seconds": sum, "cpu_seconds": sum, "peak_resident_mb": max}


def join(blocks: Sequence[Record]) -> Record:
    """Return the record that the run would have left if it were not split; it failed if a block failed.

    Its provenance is that of the first block, with the totals of all blocks, their number, and under `others` any other
    provenance of a block.
    """
    first = blocks[0]
    shared = ("study", "dataset", "algorithm", "code", "inputs")
    fields: dict[str, Any] = {name: getattr(first, name) for name in shared}
    fields["settings"] = {key: value for key, value in first.settings.items() if key != "block"}
    provenances = [{key: value for key, value in block.provenance.items() if key not in TOTALS} for block in blocks]
    others = [item for index, item in enumerate(provenances) if item not in provenances[:index]][1:]
    provenance = provenances[0] | {"blocks": len(blocks)} | ({"others": others} if others else {})
    for key, total in TOTALS.items():
        if all(key in block.provenance for block in blocks):
            provenance[key] = total([block.provenance[key] for block in blocks])
    for block in blocks:
        if block.status == "unavailable":
            return Record(**fields, status=block.status, reason=block.reason)
        if block.status != "ok":
            reason = "repetitions {} to {}: ".format(*block.settings["block"]) + block.reason
            return Record(**fields, status=block.status, reason=reason, detail=block.detail, provenance=provenance)
    # the curves of repetitions that end by themselves differ in length
    rounds = max((block.rounds for block in blocks), key=len)
    for group in GROUPS:
        fields[group] = {
            name: np.concatenate([_pad(getattr(block, group)[name], group, len(rounds)) for block in blocks], axis=1)
            for name in getattr(first, group)
        }
    # "yes" is the largest value of `random`: the run is random if one of its blocks is
    random = max(block.random for block in blocks)
    return Record(**fields, rounds=rounds, orders=first.orders, random=random, status="ok", provenance=provenance)


def _pad(values: NDArray[np.float64], group: str, length: int) -> NDArray[np.float64]:
    """Return the values of a block; curves (P, R, C, ...) are padded with NaN to a length."""
    if group != "curves" or values.shape[2] == length:
        return values
    padding = [(0, length - size if axis == 2 else 0) for axis, size in enumerate(values.shape)]
    return np.pad(values, padding, constant_values=np.nan)


def main(job: Job) -> None:
    """Write the record."""
    blocks = [path for path in job.input if layout.expression(layout.BLOCK).fullmatch(str(path))]
    records.write(job.output[0], join(list(map(records.read, blocks))))
