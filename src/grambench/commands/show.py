"""`grambench show`: one record as text."""

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from grambench.commands import names
from grambench.common import layout

if TYPE_CHECKING:
    from grambench.common.types import Floats
    from grambench.results.records import Record

SHOWN_KERNELS = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    names.add_run(parser)
    names.add_results(parser, layout.RESULTS)


def run(arguments: argparse.Namespace) -> int:
    """Print one record: settings, numbers and provenance, or why the run failed."""
    from grambench.results import records
    from grambench.results.reading import as_written

    path = layout.located(arguments.results, names.find_cell(arguments.run, arguments.results).path())
    with as_written(path):
        lines = list(_describe(records.read(path)))
    print(*lines, sep="\n")
    return 0


def _describe(record: "Record") -> Iterator[str]:
    """Yield the lines that describe a record."""
    yield f"{record.study}: {record.algorithm} on {record.dataset}: {record.status}"
    if record.reason:
        yield f"  {record.reason}"
    yield from (f"  | {line}" for line in record.detail.splitlines())
    settings = {name: value for name, value in record.settings.items() if name not in ("values", "points")}
    values, points = record.settings.get("values", []), record.settings.get("points", [])
    settings["parameters"] = points[0] if points else {}
    yield from _section("Settings", settings)
    numbers: dict[str, Any] = {}
    for name, table in record.metrics.items():
        for p, repetitions in enumerate(table):
            numbers[f"{name} at {values[p]:g}" if values else name] = _summary(repetitions)
    kernels = record.settings.get("kernels", [])
    for name, tables in record.kernel_values.items():
        means = tables[0].mean(axis=0)
        # an algorithm that learns its kernels has no names for them
        if len(means) == len(kernels):
            # algorithms have weights of different scales
            is_weight = name == "weight" and abs(means).sum() > 0
            means = 100 * means / abs(means).sum() if is_weight else means
            largest = sorted(zip(means, kernels, strict=True), reverse=True)[:SHOWN_KERNELS]
            label = "weights in % of their sum" if is_weight else f"{name} of kernels"
            numbers[label] = ", ".join(f"{kernel} {mean:.4g}" for mean, kernel in largest)
    yield from _section("Numbers: mean, standard deviation, repetitions", numbers)
    yield from _section("Provenance", record.provenance)


def _summary(repetitions: "Floats") -> str:
    """Return the mean, the standard deviation and the number of repetitions."""
    deviation = f"{repetitions.std(ddof=1):10.4g}" if len(repetitions) > 1 else f"{'':10}"
    return f"{repetitions.mean():12.6g} {deviation} {len(repetitions):5}"


def _section(title: str, values: dict[str, Any]) -> Iterator[str]:
    """Yield a heading, and a line for each value that is not empty."""
    shown = {name: value for name, value in values.items() if value not in ("", None, [], {})}
    if shown:
        yield from ("", title)
    width = max(map(len, shown), default=0)
    for name, value in shown.items():
        yield f"  {name:{width}}  {value if isinstance(value, str) else json.dumps(value)}"
