"""`grambench rerun`: run one cell again and compare it with its stored record."""

import argparse
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import names
from grambench.commands.project import read_plan
from grambench.common import layout
from grambench.common.errors import DataError, unknown_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from grambench.results.records import Record

HELP = "run one cell again, with the code and settings of now, and compare its numbers with the stored record"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    run = parser.add_argument("run", metavar="STUDY/DATASET/ALGORITHM", help="of a sweep, /SWEEP follows")
    names.completed(run, names.runs)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from grambench.pipeline import trial
    from grambench.pipeline.steps import run as step
    from grambench.results import records

    cell = names.recorded(arguments.run)
    before, dataset = records.read(Path(cell.path())), cell.dataset
    plan = read_plan({"studies": [cell.study], "datasets": None, "algorithms": {}})
    if cell not in plan.targets.cells():
        raise unknown_name("run of the configuration", arguments.run, map(str, plan.targets.cells()))
    inputs = [Path(layout.PREPARED.format(dataset=dataset)), *map(Path, plan.targets.kernels_from(cell.study, dataset))]
    if missing := [str(path) for path in inputs if not path.is_file()]:
        again = f"grambench run {cell.study} -d {dataset} -- {' '.join(missing)}"
        raise DataError(f"{missing[0]}: no such file, which the run reads; make it again: {again}")
    plan.use_compiled_code()
    # each block may take as long as a run that is not split
    seconds = sum(map(plan.resources.run_seconds, plan.resources.blocks(cell) or [cell]))
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "record.h5"
        step.main(trial.call(plan, cell, output, inputs, seconds))
        after = records.read(output)
    lines = list(_compared(before, after))
    took, stored = (record.provenance.get("wall_seconds", math.nan) for record in (after, before))
    found = "different" if lines else f"equal: {_count(after)} numbers"
    print(f"{arguments.run}: {found}; it took {took:.1f} s, and {stored:.1f} s when it was stored")
    print(*lines, *_otherwise(before, after), sep="\n")
    return int(bool(lines))


def _otherwise(before: "Record", after: "Record") -> Iterator[str]:
    """Yield the differences of settings and code, which may explain those of the numbers."""
    from grambench.results.merge import unlike

    if before.status == after.status and (before.settings, before.orders) != (after.settings, after.orders):
        yield f"made with different {unlike(before, after) or 'number of repetitions'}"
    if before.code != after.code:
        yield "made by another version of the code, or of a package that computes"


def _compared(before: "Record", after: "Record") -> Iterator[str]:
    """Yield a table of the numbers that differ, or the failures; nothing if two records have equal numbers."""
    from grambench.results.merge import unequal

    if (before.status, after.status) != ("ok", "ok"):
        yield from (
            f"  {when:6} {record.status}: {record.reason}".rstrip(" :")
            for record, when in ((before, "stored"), (after, "now"))
        )
        return
    rows = [_row(before, after, *each) for each in unequal(before, after)]
    width = max((len(row[0]) for row in rows), default=0)
    titles = ("", "mean stored", "mean now", "at most apart", "values that differ")
    for name, *values in [titles, *rows] if rows else []:
        yield f"  {name:{width}}" + "".join(f" {value:>18}" for value in values)


def _row(before: "Record", after: "Record", group: str, name: str) -> tuple[str, ...]:
    """Return the row of a metric that differs: means, the largest difference, and the number of different values."""
    import numpy as np

    if group == "rounds":
        return name, str(len(before.rounds)), str(len(after.rounds)), "", ""
    called = name if group == "metrics" else f"{name} ({group})"
    one, other = (getattr(record, group).get(name) for record in (before, after))
    if one is None or other is None:
        return called, *("none" if each is None else f"{_mean(each):.8g}" for each in (one, other)), "", ""
    shared = min(one.shape[1], other.shape[1])
    one, other = one[:, :shared], other[:, :shared]
    if one.shape != other.shape:
        return called, str(one.shape), str(other.shape), "", ""
    apart = ~((one == other) | (np.isnan(one) & np.isnan(other)))
    most = np.abs(one[apart] - other[apart]).max()  # NaN where a number is there once
    return called, f"{_mean(one):.8g}", f"{_mean(other):.8g}", f"{most:.3g}", f"{apart.sum()} of {apart.size}"


def _mean(values: "NDArray[np.float64]") -> float:
    import numpy as np

    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else math.nan


def _count(record: "Record") -> int:
    """Return the number of values of a record, without measured seconds."""
    from grambench.results.merge import MEASURED
    from grambench.results.records import GROUPS

    tables = [table for group in GROUPS for table in getattr(record, group).items()]
    return sum(values.size for name, values in tables if not name.endswith(MEASURED))
