"""`grambench rank`: an algorithm among all reference configurations of a board."""

import argparse
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import check, names
from grambench.common import layout
from grambench.common.errors import ConfigError, unknown_name

if TYPE_CHECKING:
    from grambench.pipeline.trial import Trial
    from grambench.report.ranking_page import Ranking
    from grambench.results.records import Record

BOARD = "leaderboard"
TUNE = "'{rate: [0.1, 0.5, 1]}'"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_arguments(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="where the page, tables and figure go")


def add_arguments(
    parser: argparse.ArgumentParser,
    datasets: Sequence[str] = (),
    opponents: Sequence[str] = (),
    repetitions: int | None = None,
) -> None:
    """Add the arguments that `try` has too, with their defaults: none of them stands for all of the board."""

    def default(names: Sequence[str]) -> str:
        return f"(default: {' '.join(names) or 'all of the board'})"

    check.add_arguments(parser, "each run")
    add_protocol(parser)
    names.add_datasets(
        parser, f"data sets of the board, grambench list datasets {BOARD} names them {default(datasets)}", datasets
    )
    against = f"reference configurations to compare with, or all {default(opponents)}"
    chosen = opponents or None
    names.add_argument(
        parser, names.opponents, "-a", "--against", nargs="*", metavar="NAME", default=chosen, help=against
    )
    number = f"number of repetitions (default: {repetitions or 'all of the board'})"
    parser.add_argument("-r", "--repetitions", type=int, metavar="N", default=repetitions, help=number)


def add_protocol(parser: argparse.ArgumentParser) -> None:
    """Add the arguments `--board` and `--tune`."""
    board = f"a study with reference results (default: {BOARD})"
    names.add_argument(parser, names.studies, "-b", "--board", default=BOARD, metavar="STUDY", help=board)
    tune = f"values of parameters to select from on validation examples, such as {TUNE}; C has the board's"
    parser.add_argument("-t", "--tune", default="{}", metavar="YAML", help=tune)


def run(arguments: argparse.Namespace) -> int:
    """Rank an algorithm, such as mine.py, among all configurations of a board, whose results need no run."""
    from grambench.commands.project import writable
    from grambench.report import ranking_page

    output = writable(arguments.output or layout.RESULTS / "rank" / Path(arguments.algorithm).stem)
    if not (made := make(arguments, show_leaks)):
        return refuse()
    _, ranked = made
    page = ranking_page.write(output, ranked)
    print(ranking_page.summary(ranked))
    files = "accuracies.tex, ranks_short.tex, ranks.tex, versus.tex; figure: ranks.pdf, ranks.svg"
    print(f"page to mail: {page}; tables for a paper, beside it: {files}")
    return exit_code(ranked)


def refuse() -> int:
    """Say that an algorithm is not ranked, since it leaks, raises or never ends; return the exit code."""
    print("not ranked: it does not pass the checks for leaks; grambench check makes all checks")
    return 1


def exit_code(ranked: "Ranking") -> int:
    """Return 0 if there is a result on each data set, and reference runs that were made again are alike; else 1."""
    failed = [dataset for dataset in ranked.results.study.datasets if ranked.results.missing(dataset, ranked.algorithm)]
    return int(bool(failed or ranked.left_out or ranked.unexplained))


def make(
    arguments: argparse.Namespace, refuses: Callable[[argparse.Namespace], bool]
) -> "tuple[Trial, Ranking] | None":
    """Run an algorithm on a board, and return it with its ranking; None if `refuses` does, which says why."""
    from grambench.commands.project import configuration, read_plan
    from grambench.pipeline import ranking, trial

    if arguments.board not in names.studies():
        raise unknown_name("board", arguments.board, ranking.boards(configuration()))
    plan = read_plan({"studies": [arguments.board]})
    plan.use_compiled_code()
    reference = ranking.read_reference(plan, arguments.board)
    most = plan.studies[arguments.board].protocol.repetitions
    repetitions = most if arguments.repetitions is None else arguments.repetitions
    if not 1 <= repetitions <= most:
        raise ConfigError(f"--repetitions: expected 1 to {most}, those of the reference results, got {repetitions}")
    of_reference = f"of the reference results of {arguments.board}"
    datasets = names.known(f"data set {of_reference}", arguments.datasets or None, reference.ran("dataset"))
    if images := [name for name in datasets if plan.targets.dataset(name).descriptors]:
        expected = f"{arguments.board}: expected data sets of vectors"
        raise ConfigError(f"{expected}, {images[0]} has images; grambench run takes them")
    against = None if arguments.against == ["all"] else arguments.against
    if unranked := {*(against or ())} & {*reference.ran("algorithm")} - {*reference.study.algorithms}:
        remedy = f"grambench table {arguments.board} --results reference -a {min(unranked)} shows its results"
        raise ConfigError(f"{min(unranked)} is not ranked, as another solver or pool of a configuration; {remedy}")
    opponents = names.known(f"configuration {of_reference}", against, reference.study.algorithms)
    parameters, tune = check.parse_parameters(arguments), _parse_tune(arguments.tune)
    if refuses(arguments):
        return None
    spec = trial.Trial(arguments.algorithm, parameters, tune, opponents, repetitions, arguments.board)
    print(f"{arguments.board}: reference configurations: {len(opponents)}, data sets: {len(datasets)}", flush=True)
    quiet()
    return spec, ranking.rank(plan, spec, reference, datasets, arguments.seconds, show)


def _parse_tune(text: str) -> dict[str, list[float]]:
    """Return the values of each hyperparameter; raise ConfigError unless they are lists of numbers."""
    values = check.parse_mapping("--tune", text, TUNE)
    try:
        tune = {name: [float(value) for value in listed] for name, listed in values.items()}
        if all(tune.values()):
            return tune
    except (TypeError, ValueError):
        pass
    raise ConfigError(f"--tune: expected a list of numbers for each name, such as {TUNE}, got {text}")


def show_leaks(arguments: argparse.Namespace) -> bool:
    """Print the faults of the checks of an algorithm for leaks, and return whether there are any."""
    from grambench.experiments.conformance import IMPORTED

    faults: dict[str, str] = {}
    parameters = check.parse_parameters(arguments)
    check.run_checks(arguments.algorithm, parameters, arguments.seconds, faults.__setitem__, check.LEAKS)
    if fault := faults.pop(IMPORTED):
        raise ConfigError(f"{arguments.algorithm}: cannot be imported: {fault}")
    found = {title: fault for title, fault in faults.items() if fault}
    if len(found) > len({*found.values()}) == 1:  # a fault of every fit, which is no leak
        print(next(iter(found.values())), flush=True)
    else:
        for title, fault in found.items():
            print(f"leaks: {title}: {fault}", flush=True)
    return bool(found)


def quiet() -> None:
    """Silence messages on sources of data without an answer; a row says if no source answered."""
    logging.getLogger("grambench").setLevel(logging.ERROR)


def show(record: "Record") -> None:
    """Print the record of a run in one line."""
    from grambench.pipeline.trial import ENTRY
    from grambench.results.statistics import Sample, printed

    text = record.reason if record.status == "unavailable" else f"{record.status}: {record.reason}"
    text += " (--seconds)" * (record.status == "timeout")
    if record.status == "ok":
        text = f"{printed(Sample.of(record.metrics['accuracy_percent'].ravel()), 'accuracy_percent')} % accuracy"
    name = record.dataset if record.algorithm == ENTRY else f"again: {record.dataset}/{record.algorithm}"
    print(f"{name:40} {text}", flush=True)
