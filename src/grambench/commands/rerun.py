"""`grambench rerun`: run one cell again and compare it with its stored record."""

import argparse
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import names
from grambench.commands.project import read_plan
from grambench.common import layout, provenance
from grambench.common.errors import DataError, unknown_name
from grambench.common.layout import Cell

if TYPE_CHECKING:
    from grambench.common.types import Floats
    from grambench.results.records import Record

MAIN = ("mistake_percent", "accuracy_percent")  # what a run is about is the first that it has


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    names.add_run(parser)
    archived = "compare with the reference results in place of a record here"
    parser.add_argument("--reference", action="store_true", help=archived)


def run(arguments: argparse.Namespace) -> int:
    """Repeat one run with the current code and settings, and compare its numbers with the stored record."""
    from grambench.pipeline.steps import run as step
    from grambench.results import archive, records

    cell = Cell.parse(arguments.run) if arguments.reference else names.find_cell(arguments.run)
    stored = archive.read_record(cell) if arguments.reference else records.read(Path(cell.path()))
    dataset = cell.dataset
    plan = read_plan({"studies": [cell.study], "datasets": [cell.dataset], "algorithms": {}})
    if cell not in plan.targets.cells():
        raise unknown_name("run of the configuration", arguments.run, map(str, plan.targets.cells()))
    kernels = plan.targets.kernels_from(cell.study, dataset)
    inputs = [Path(layout.PREPARED.format(dataset=dataset)), *map(Path, kernels)]
    if missing := [str(path) for path in inputs if not path.is_file()]:
        # a run whose record is here is not made again for the sake of its inputs
        asked = f"-- {' '.join(missing)}" if Path(cell.path()).is_file() else f"-a {cell.algorithm}"
        command = f"grambench run {cell.study} -d {dataset} {asked}"
        raise DataError(f"{missing[0]}: no such file, which the run needs; make it: {command}")
    plan.use_compiled_code()
    # each block may take as long as a run that is not split
    seconds = sum(map(plan.resources.run_seconds, plan.resources.blocks(cell) or [cell]))
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "record.h5"
        step.main(plan.job(cell, output, inputs, seconds))
        new = records.read(output)
    lines, equal = _compare(stored, new, archived=arguments.reference)
    new_seconds, stored_seconds = (record.provenance.get("wall_seconds", math.nan) for record in (new, stored))
    count = sum(values.size for name, values in stored.numbers.items() if name != "rounds")
    of = f"reference results {archive.version_of(cell.study)}" if arguments.reference else "record here"
    # steps of a solver may differ where what the study is about does not
    main = next((name for name in MAIN if name in stored.metrics), "")
    same = f", with equal {main}" * (main in equal)
    verdict = f"different from the {of}{same}" if lines else f"equal: {count} numbers of the {of}"
    print(f"{arguments.run}: {verdict}; it took {new_seconds:.1f} s, and {stored_seconds:.1f} s when it was stored")
    # what may explain the differences comes before them
    print(*_other_differences(stored, new), *lines, sep="\n")
    return int(bool(lines))


def _other_differences(stored: "Record", new: "Record") -> Iterator[str]:
    """Yield the differences of settings and code, which may explain those of the numbers."""
    from grambench.results.merge import unlike

    if stored.status == new.status and (stored.settings, stored.orders) != (new.settings, new.orders):
        yield f"note: the stored record has different {unlike(stored, new) or 'number of repetitions'}"
        if stored.orders == "published" != new.orders:
            yield "note: the data here stand in for the authors' files, whose permutations the stored record has"
    then, now = (record.provenance.get("processor") for record in (stored, new))
    if then != now and provenance.rounding(stored.provenance) != provenance.rounding(new.provenance):
        depends = "last digits depend on it, and by them the steps of a solver and kernels with small weights"
        yield f"note: the stored record names another processor ({then}, here {now}): {depends}"
    if stored.code != new.code:
        revision = stored.provenance.get("revision", "unknown")
        yield f"note: other code or other packages wrote the stored record, those of revision {revision}"


def _compare(stored: "Record", new: "Record", *, archived: bool) -> tuple[list[str], list[str]]:
    """Return a table of the numbers that differ, or the failures, and the names of equal numbers; no lines if all are.

    Of an archived record, what it holds is compared up to rounding.
    """
    from grambench.results.archive import is_close
    from grambench.results.merge import unequal

    if (stored.status, new.status) != ("ok", "ok"):
        both = ((stored, "stored"), (new, "now"))
        return [f"  {time:6} {record.status}: {record.reason}".rstrip(" :") for record, time in both], []
    rows = [
        _row(name, then, now)
        for name, then, now in unequal(stored, new)
        if not archived or (name != "rounds" and then is not None and not (now is not None and is_close(now, then)))
    ]
    width = max((len(row[0]) for row in rows), default=0)
    titles = ("", "mean stored", "mean now", "at most apart", "values that differ")
    lines = [f"  {name:{width}}" + "".join(f" {value:>18}" for value in values) for name, *values in [titles, *rows]]
    shared = {key.removeprefix("metrics/") for key in stored.numbers.keys() & new.numbers.keys()}
    equal = sorted(name for name in shared - {row[0] for row in rows} if "/" not in name and name != "rounds")
    return [*lines, f"  equal: {', '.join(equal) or 'none'}"] if rows else [], equal


def _row(key: str, stored: "Floats | None", new: "Floats | None") -> tuple[str, ...]:
    """Return the row of a metric that differs: means, the largest difference, and the number of different values."""
    import numpy as np

    from grambench.results.statistics import Sample

    group, _, name = key.partition("/")
    title = name if group == "metrics" else f"{name} ({group})"
    finite = [None if values is None else values[np.isfinite(values)] for values in (stored, new)]
    means = ["none" if values is None else f"{Sample.of(values).mean:.8g}" for values in finite]
    if stored is None or new is None:
        return title, *means, "", ""
    if key == "rounds":
        return key, str(len(stored)), str(len(new)), "", ""
    if stored.shape != new.shape:
        return title, str(stored.shape), str(new.shape), "", ""
    unequal = ~((stored == new) | (np.isnan(stored) & np.isnan(new)))
    # NaN if a number is NaN in one record only
    largest = np.abs(stored[unequal] - new[unequal]).max()
    return title, *means, f"{largest:.3g}", f"{unequal.sum()} of {unequal.size}"
