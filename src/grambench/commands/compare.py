"""`grambench compare`: whether a learned combination of kernels helps on a file of one's own."""

import argparse
import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import add_dataset, init
from grambench.commands.project import configuration, find_root

if TYPE_CHECKING:
    from grambench.results.study import Results

# of the boards, what answers the question in a minute or two; --all runs every configuration
COMBINATIONS = ("simple_mkl", "simple_mkl_centred", "d2", "klc", "rkl", "easy_mkl", "cka")
OTHERS = ("uniform_svm", "best_kernel_svm", "view_stacking", "gaussian_svm", "logistic_regression")
TREES = ("random_forest", "gradient_boosting", "majority")
METRIC = "accuracy_percent"
PRACTICAL = 1.0  # points of accuracy within which two methods are practically equal
LEVEL = 0.05


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_dataset.describing_arguments(parser)
    parser.add_argument("--all", action="store_true", help="compare every configuration of the leaderboard")
    parser.add_argument("-c", "--cores", help="number of cores (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Compare learned combinations of kernels with other methods on a CSV file, and say whether they help."""
    from grambench.commands import run as running
    from grambench.datasets import describe

    name = arguments.name or describe.name_of(arguments.file)
    arguments.file = arguments.file.absolute()
    arguments.views = arguments.views and arguments.views.absolute()
    if find_root(Path.cwd()) is None:
        _enter_project(Path(f"{name}_comparison"))
    name, values = add_dataset.add(argparse.Namespace(**vars(arguments), study=None, replace=True))
    board = "leaderboard_views" if "views" in values else "leaderboard"
    entries = configuration().study(board).algorithms
    chosen = [entry for entry in (*COMBINATIONS, *OTHERS, *TREES) if entry in entries]
    call = argparse.Namespace(studies=[board], datasets=[name], algorithms=None if arguments.all else chosen)
    call.__dict__.update(demo=False, dry_run=False, verbose=False, cores=arguments.cores, snakemake=[])
    code = running.run(call)
    print(_answer(_read(board, name), name))
    print(f"go on: grambench open shows the report, grambench table {board} -d {name} all numbers")
    return code


def _enter_project(folder: Path) -> None:
    """Go to the folder of a project for this comparison, which is made unless an earlier call has made it."""
    if not (folder / "config/config.yaml").is_file():
        with contextlib.redirect_stdout(None):
            init.run(argparse.Namespace(folder=folder))
    print(f"project of this comparison: {folder.absolute()}")
    os.chdir(folder)


def _read(board: str, dataset: str) -> "Results":
    from grambench.common import layout
    from grambench.results.study import Results

    study = configuration().study(board).model_copy(update={"datasets": [dataset]})
    return Results.read(study, *(Path(path.format(study=board)) for path in (layout.RUNS, layout.CELLS)))


def _answer(results: "Results", dataset: str) -> str:
    """Return the answer in a sentence: the best combination beside the best method that learns no combination."""
    from grambench.results.statistics import resampled_difference

    means = {entry: results.sample(dataset, entry, METRIC).mean for entry in results.study.algorithms}
    ran = {entry: mean for entry, mean in means.items() if mean == mean}
    combinations = [entry for entry in ran if entry in COMBINATIONS]
    others = [entry for entry in ran if entry not in COMBINATIONS]
    if not combinations or not others:
        return "No answer: the runs failed; grambench failed names them"
    best, rival = (max(entries, key=lambda entry: ran[entry]) for entries in (combinations, others))
    protocol = results.study.protocol
    train, validation, test = protocol.counts(dataset, configuration().dataset(dataset).n)  # type: ignore[union-attr]
    values = [results.values(dataset, entry, METRIC) for entry in (rival, best)]
    difference = resampled_difference(*values, ratio=test / train)
    low, high = difference.value - difference.reach(LEVEL), difference.value + difference.reach(LEVEL)
    numbers = f"{results.title(best)} {ran[best]:.1f} %, {results.title(rival)} {ran[rival]:.1f} %"
    interval = f"difference {difference.value:+.1f} points, 95 % interval {low:+.1f} to {high:+.1f}"
    count = f"{len(values[0])} random splits of {train + validation + test} examples"
    return f"{_verdict(low, high)} Best learned combination and best other method: {numbers}; {interval}, {count}"


def _verdict(low: float, high: float) -> str:
    """Return what an interval of the difference in points says of the question whether combining helps."""
    if low > PRACTICAL:
        return "Yes, combining kernels helps."
    if high < -PRACTICAL:
        return "No, combining kernels does harm."
    if low >= -PRACTICAL and high <= PRACTICAL:
        return "No, it makes practically no difference."
    if low > 0.0:
        return "Probably: combining kernels helps, but by how much is undecided."
    return "Undecided: these examples do not tell."
