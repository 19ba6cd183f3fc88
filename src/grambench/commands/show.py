"""`grambench show`: one record as text."""

import argparse
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import names, project
from grambench.common import layout
from grambench.common.errors import unknown_name
from grambench.common.layout import Cell

if TYPE_CHECKING:
    from grambench.report.record import Part
    from grambench.results.records import Record

WIDEST = 30  # characters of a column of text; what stands right of a longer text begins behind it


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    names.add_run(parser)
    archived = "the record of the reference results, though there is one here"
    parser.add_argument("--reference", action="store_true", help=archived)
    parser.add_argument("--repetitions", action="store_true", help="each repetition beside their mean and deviation")
    names.add_results(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one record: settings, numbers, published ones beside them, and provenance, or why the run failed."""
    from grambench.report.record import describe
    from grambench.results.reading import as_written

    width = shutil.get_terminal_size().columns
    with as_written(Path(arguments.run)):
        record, source = _read(arguments.run, arguments.results, reference=arguments.reference)
        described = describe(record)
        parts = [*described[:1], *_published(record), *described[1:]]
        lines = [line for part in parts for line in _table(part, width, arguments.repetitions)]
        lines = [source, *_heading(record), *lines]
    print(*lines, sep="\n")
    return 0


def _published(record: "Record") -> "Iterator[Part]":
    """Yield the published numbers beside those of a plain run of a study of the configuration."""
    from grambench.report import tables
    from grambench.report.record import Part
    from grambench.report.record_page import published_numbers
    from grambench.results import collect, reproduction
    from grambench.results.study import Results

    name, folder = record.study, project.configuration()
    if record.settings.get("sweep") or name not in folder.names("studies") or not folder.study(name).published:
        return
    runs, _, cells = collect.tables({Cell(name, record.dataset, record.algorithm).path(): record})
    targets = project.read_plan({"studies": [name], "datasets": None, "algorithms": {}}).targets
    published = {path.name: path for path in map(Path, targets.published(name))}
    results = Results(targets.studies[name], runs, cells)
    table = reproduction.table(results, {}, published, *map(Path, targets.shipped(name)))
    # what needs other runs, such as a ratio of times, has no number here
    mine = table[
        (table["dataset"] == record.dataset) & (table["algorithm"] == record.algorithm) & (table["ours"] != "")
    ]
    head = {"label": "Metric", "item": "Place", "published": "Published", "ours": "Ours", "verdict": "Verdict"}
    head |= {"evidence": "99 % interval of the difference"}
    rows = [tuple(row[name] for name in head) for row in published_numbers(tables.comparison(mine))]
    if rows:
        yield Part("Published numbers", tuple(head.values()), rows)


def _read(run: str, results: Path, *, reference: bool) -> tuple["Record", str]:
    """Return the record of a run, from the archive unless a results folder has it, and where it is from."""
    from grambench.results import archive, records

    made, study = names.runs(results), run.partition("/")[0]
    is_archived = study in archive.studies()
    if reference and not is_archived:
        raise unknown_name("study of the reference results", study, archive.studies())
    if reference or (run not in made and is_archived):
        found = {
            str(Cell(study, each.dataset, each.algorithm, each.settings.get("sweep", ""))): each
            for each in archive.read_records(study).values()
        }
        if run not in found:
            # a data set of one's own is in the results alone
            beside = [name for name in made if name.split("/")[:2] == run.split("/")[:2] and not reference]
            raise unknown_name(f"record of {results if beside else archive.folder_of(study)}", run, beside or found)
        return found[run], f"reference results {archive.version_of(study)}"
    source = f"record of {results}" + "; --reference shows that of the reference results" * is_archived
    return records.read(layout.located(results, names.find_cell(run, results).path())), source


def _heading(record: "Record") -> Iterator[str]:
    sweep = f", sweep {record.settings['sweep']}" if record.settings.get("sweep") else ""
    yield f"{record.study}: {record.algorithm} on {record.dataset}{sweep}: {record.status}"
    if record.reason:
        yield f"  {record.reason}"
    yield from (f"  | {line}" for line in record.detail.splitlines())


def _table(part: "Part", width: int, each: bool) -> Iterator[str]:
    """Yield the lines of a part; a wide table of numbers is turned round.

    Of repetitions there are only mean and deviation, unless `each` of them is to be seen: then in several tables below
    each other where one would be too wide.
    """
    from grambench.report.renderings import fitting, sizes

    every = each or not part.foot
    rows: list[Sequence[str]] = [*(part.rows if every else ()), *part.foot]
    rows = [part.head, *rows] if part.head else rows
    wide = part.numbers and sum(sizes(rows)) > width
    tables = [rows] if not wide else fitting(rows, width) if part.foot and every else [list(zip(*rows, strict=True))]
    yield from ("", f"{part.title} ({len(part.rows)})" if part.foot else part.title)
    for table in tables:
        first, *others = sizes(table)
        for label, *texts in table:
            sized = [(text, size - 2) for text, size in zip(texts, others, strict=True)]
            cells = [text.rjust(size) if part.numbers else text.ljust(min(size, WIDEST)) for text, size in sized]
            line = "  ".join([f"  {label:{first - 2}}", *cells]).rstrip()
            yield from [line] if part.numbers else textwrap.wrap(line, width, subsequent_indent=" " * (first + 2))
    if part.note:
        yield f"  {part.note}"
