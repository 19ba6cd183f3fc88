"""`grambench compare`: whether a learned combination of kernels helps on a file of one's own."""

import argparse
import contextlib
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import add_dataset, init
from grambench.commands.project import configuration, find_root

if TYPE_CHECKING:
    from grambench.results.study import Results

# what is compared first, in this order; others of the board follow, the quickest first
COMBINATIONS = ("d1", "d1_centred", "d2", "klc", "rkl", "easy_mkl", "cka")
OTHERS = ("uniform_svm", "best_kernel_svm", "view_stacking", "gaussian_svm", "logistic_regression")
TREES = ("random_forest", "gradient_boosting", "majority")
METRIC = "accuracy_percent"
MINUTES = 1.0
FIXED_SECONDS = 25.0  # of Gram matrices, collecting and the report
UNMEASURED = 1.0  # seconds of a repetition on the most examples, where it was too short to be in config/costs.csv
LEAST = 0.3  # seconds of any repetition
# what works on kernels, and learns no combination of them
FIXED = (
    "uniform_svm",
    "best_kernel_svm",
    "grid_uniform",
    "perceptron",
    "perceptron_u",
    "perceptron_star",
    "kernel_stacking",
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_dataset.describing_arguments(parser)
    parser.add_argument(
        "--minutes",
        type=float,
        default=MINUTES,
        help=f"compare the configurations of the leaderboard that are expected to fit (default: {MINUTES:g})",
    )
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
    cores = int(arguments.cores or os.cpu_count() or 1)
    chosen, left_out = _fitting(board, name, (60.0 * arguments.minutes - FIXED_SECONDS) * cores)
    without = f"; left out: {', '.join(left_out)}" if left_out else ""
    count = f"{len(chosen)} of {len(chosen) + len(left_out)} configurations"
    print(f"{count} fit in {arguments.minutes:g} min on {cores} core{'s' * (cores > 1)} (--minutes){without}")
    call = argparse.Namespace(studies=[board], datasets=[name], algorithms=chosen)
    call.__dict__.update(demo=False, dry_run=False, verbose=False, cores=arguments.cores, snakemake=[])
    code = running.run(call)
    print(_answer(_read(board, name), name, configuration().dataset(name).n))
    print(f"go on: grambench open shows the report, grambench table {board} -d {name} all numbers")
    return code


def _fitting(board: str, dataset: str, seconds: float) -> tuple[list[str], list[str]]:
    """Return the configurations whose runs are expected to take these seconds of one core, and the others.

    The best-known combination and the uniform mean are compared in any case. Costs are those measured on the data sets
    of the leaderboards, which grow with the square of the examples and with the classes.
    """
    project, study = configuration(), configuration().study(board)
    described, protocol = project.dataset(dataset), study.protocol
    most = getattr(protocol, "most", None) or described.n
    scale = (min(described.n, most) / most) ** 2 * max(1, len(described.classes or ()))
    typical = dict.fromkeys(study.algorithms, UNMEASURED)
    for (name, _, task), cost in project.costs.items():
        if name.startswith("leaderboard") and task in typical:
            typical[task] = max(typical[task], cost)
    expected = {entry: protocol.repetitions * max(LEAST, cost * scale) for entry, cost in typical.items()}
    first = [entry for entry in (*COMBINATIONS, *OTHERS, *TREES) if entry in typical]
    chosen = [COMBINATIONS[0], OTHERS[0]]
    left = seconds - sum(expected[entry] for entry in chosen)
    for entry in [*first, *sorted(typical, key=lambda entry: expected[entry])]:
        if entry not in chosen and expected[entry] <= left:
            chosen.append(entry)
            left -= expected[entry]
    return chosen, [entry for entry in typical if entry not in chosen]


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


def _answer(results: "Results", dataset: str, n: int) -> str:
    """Return the answer in a sentence: the best learned combination beside the best method that learns none."""
    means = {entry: results.sample(dataset, entry, METRIC).mean for entry in results.study.algorithms}
    best, rival = (
        max((entry for entry in means if _learns(results, entry) == learns), key=lambda entry: _number(means[entry]))
        for learns in (True, False)
    )
    if (lead := results.lead(dataset, best, rival, METRIC, n=n)) is None:
        return "No answer: the runs failed; grambench failed names them"
    value, low, high = lead
    numbers = f"{results.title(best)} {means[best]:.1f} %, {results.title(rival)} {means[rival]:.1f} %"
    interval = f"difference {value:+.1f} points, 95 % interval {low:+.1f} to {high:+.1f}"
    count = f"{results.sample(dataset, best, METRIC).runs} random splits"
    return f"{_verdict(low, high)} Best learned combination and best other method: {numbers}; {interval}, {count}"


def _learns(results: "Results", entry: str) -> bool:
    """Return whether a configuration learns a combination of kernels."""
    from grambench import algorithms

    file = results.study.file(entry)
    return file not in FIXED and algorithms.category_of(file) != "baselines"


def _number(value: float) -> float:
    """Return a mean, or less than any other where there is none."""
    return -math.inf if math.isnan(value) else value


def _verdict(low: float, high: float) -> str:
    """Return what an interval of the difference in points says of the question whether combining helps."""
    from grambench.results.statistics import PRACTICAL

    if low > PRACTICAL:
        return "Yes, combining kernels helps."
    if high < -PRACTICAL:
        return "No, combining kernels does harm."
    if low >= -PRACTICAL and high <= PRACTICAL:
        return "No, it makes practically no difference."
    if low > 0.0:
        return "Probably: combining kernels helps, but by how much is undecided."
    return "Undecided: these examples do not tell."
