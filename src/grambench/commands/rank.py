"""`grambench rank`: an algorithm among all reference configurations of a board."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import check, names, try_
from grambench.common import layout
from grambench.common.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from grambench.pipeline.trial import Made, Trial
    from grambench.report.ranking_page import Ranking

BOARD = "leaderboard"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    check.add_arguments(parser, "each run")
    board = f"a study with reference results (default: {BOARD})"
    names.add_argument(parser, names.studies, "-b", "--board", default=BOARD, metavar="STUDY", help=board)
    names.add_datasets(parser, "names of data sets (default: all of the board)")
    repetitions = "number of repetitions (default: all of the board)"
    parser.add_argument("-r", "--repetitions", type=int, metavar="N", help=repetitions)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="where the page, tables and figure go")


def run(arguments: argparse.Namespace) -> int:
    """Rank an algorithm, such as mine.py, among all configurations of a board, whose results need no run."""
    from grambench.pipeline.trial import ENTRY
    from grambench.report import ranking_page

    if not (made := make(arguments, try_.show_leaks)):
        print("not ranked: it uses labels or examples before it may know them")
        return 1
    _, ranked = made
    output = arguments.output or layout.RESULTS / "rank" / Path(arguments.algorithm).stem
    page = ranking_page.write(output, ranked, ENTRY)
    print(ranking_page.summary(ranked, ENTRY))
    print(f"page to mail: {page}; tables for a paper: {output}/ranks.tex, {output}/versus.tex")
    failed = [d for d in ranked.results.study.datasets if ranked.results.missing(d, ENTRY)]
    return int(bool(failed or ranked.left_out or not all(ranked.again.values())))


def make(
    arguments: argparse.Namespace, refuses: "Callable[[argparse.Namespace], bool]"
) -> "tuple[Trial, Ranking] | None":
    """Run an algorithm on a board, and return it with its ranking; None if `refuses` does, which says why."""
    from grambench.commands.project import read_plan
    from grambench.pipeline import ranking, trial

    plan = read_plan({"studies": [arguments.board]})
    plan.use_compiled_code()
    reference = ranking.read_reference(plan, arguments.board)
    most = plan.studies[arguments.board].protocol.repetitions
    repetitions = most if arguments.repetitions is None else arguments.repetitions
    if not 1 <= repetitions <= most:
        raise ConfigError(f"--repetitions: expected 1 to {most}, those of the reference results, got {repetitions}")
    datasets = arguments.datasets or reference.ran("dataset")
    ranking.check_datasets(plan, reference, datasets)
    if refuses(arguments):
        return None
    opponents, parameters = list(reference.study.algorithms), check.parse_parameters(arguments)
    spec = trial.Trial(arguments.algorithm, parameters, opponents, repetitions, arguments.board)
    print(f"{len(datasets)} data sets, {len(opponents)} reference configurations of {arguments.board}", flush=True)
    with try_.quiet():
        return spec, ranking.rank(plan, spec, reference, datasets, arguments.seconds, show)


def show(made: "Made") -> None:
    """Print a run in one line."""
    from grambench.pipeline.trial import ENTRY
    from grambench.results.statistics import Sample, printed

    cell, record = made.cell, made.record
    text = record.reason if record.status == "unavailable" else f"{record.status}: {record.reason}"
    if record.status == "ok":
        text = f"{printed(Sample.of(record.metrics['accuracy_percent'].ravel()), 'accuracy_percent')} % accuracy"
    name = cell.dataset if cell.algorithm == ENTRY else f"again: {cell.dataset}/{cell.algorithm}"
    print(f"{name:40} {text}", flush=True)
