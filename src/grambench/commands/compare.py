"""`grambench compare`: whether a learned combination of kernels helps on a file of one's own."""

import argparse
import contextlib
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grambench.commands import add_dataset, init
from grambench.commands.project import SETTINGS, check_root, configuration, find_root, read_results
from grambench.common.errors import ConfigError, DataError

if TYPE_CHECKING:
    from grambench.config.study import Study
    from grambench.results.study import Results

# always compared: without one of them, a combination might be called a help beside weak rivals alone. Boosting is the
# tree method because the forest takes as long on ten classes, and three times as long on two (config/costs.csv)
REQUIRED = ("uniform_svm", "best_kernel_svm", "gaussian_svm", "kernel_stacking", "gradient_boosting", "d1")
# what follows as far as --minutes allows, a combination and another method in turn; then all others, the quickest first
FURTHER = (
    *("easy_mkl", "random_forest", "d2", "logistic_regression", "rkl", "view_stacking", "d1_centred"),
    *("k_nearest_neighbours", "klc", "mlp", "cka", "linear_svm", "uniform_svm_centred", "majority"),
)
METRIC = "accuracy_percent"
MINUTES = 1.0
FIXED_SECONDS = 25.0  # of Gram matrices, collecting and the report
LEAST = 0.3  # seconds of any repetition, and of one that was too short to be in config/costs.csv
# a quarter of the examples is for the test: 10 of all and, on average, 2 of each class
LEAST_EXAMPLES = 40
LEAST_OF_CLASS = 8
KINDS = ("equal weights", "learned weights", "no combination")
# combinations whose weights are equal; and what works on kernels, and combines none of them
EQUAL = ("uniform_svm", "grid_uniform", "perceptron_u")
UNCOMBINED = ("best_kernel_svm", "single_kernel", "best_alignment", "perceptron", "perceptron_star", "kernel_stacking")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_dataset.describing_arguments(parser)
    parser.set_defaults(study=None, replace=False, drop_leaks=True)
    minutes = f"compare the configurations of the leaderboard that are expected to fit (default: {MINUTES:g})"
    parser.add_argument("--minutes", type=_parse_minutes, default=MINUTES, help=minutes)
    parser.add_argument("-c", "--cores", help="number of cores (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Compare learned combinations of kernels with other methods on a file, and say whether they help."""
    from grambench.commands import run as running
    from grambench.datasets import describe
    from grambench.datasets.formats.reader import MISSING_VALUES, ROWS_USED

    cores = running.count_cores(arguments.cores)
    arguments.file = arguments.file.absolute()
    arguments.views = arguments.views and arguments.views.absolute()
    if inside := find_root(Path.cwd()) is not None:
        check_root()
    folder = Path() if inside else Path(f"{arguments.name or describe.name_of(arguments.file)}_comparison")
    name, values, remarks, write = add_dataset.prepare(arguments, folder)
    _check_examples(arguments.file, values)
    if not (folder / SETTINGS).is_file():
        with contextlib.redirect_stdout(None):
            init.run(argparse.Namespace(folder=folder))
    write()
    if not inside:
        print(f"project of this comparison: {folder.absolute()}")
        os.chdir(folder)
    board = add_dataset.board_of(values)
    chosen, left_out, seconds = _fitting(board, name, (60.0 * arguments.minutes - FIXED_SECONDS) * cores)
    minutes = f"{math.ceil((seconds / cores + FIXED_SECONDS) / 60)} min on {cores} core{'s' * (cores > 1)}"
    without = f"; --minutes {arguments.minutes:g} leaves out {', '.join(left_out)}" * bool(left_out)
    print(f"{len(chosen)} configurations, about {minutes}{without}", flush=True)
    if values["d"] == 0:
        print("stored kernels have no features: methods that learn from features are not compared", flush=True)
    call = argparse.Namespace(studies=[board], datasets=[name], algorithms=chosen)
    call.__dict__.update(demo=False, dry_run=False, verbose=False, cores=arguments.cores, snakemake=[])
    code = running.run(call)
    results = read_results(configuration().study(board).model_copy(update={"datasets": [name]}))
    print(_answer(results, name, values["n"], chosen, [*chosen, *left_out]))
    for remark in remarks:
        if remark.startswith((ROWS_USED, MISSING_VALUES)):
            print(f"{remark[:1].upper()}{remark[1:]}.")
    print(f"go on: grambench open shows the report, grambench table {board} -d {name} all numbers")
    return code


def _parse_minutes(text: str) -> float:
    """Return a number of minutes; raise ConfigError for one that is not above 0."""
    with contextlib.suppress(ValueError):
        if 0.0 < (minutes := float(text)) < math.inf:
            return minutes
    raise ConfigError(f"--minutes: expected a number above 0, got {text!r:.60}")


def _check_examples(file: Path, values: dict[str, Any]) -> None:
    """Raise DataError for a file of fewer examples than can say anything, given the values of its description."""
    n, classes = values["n"], values["sources"][0]["reader"].get("classes")
    # of several classes, the smallest has at most the mean
    fewest = n // len(classes) if classes else min(values["positives"], n - values["positives"])
    if n < LEAST_EXAMPLES or fewest < LEAST_OF_CLASS:
        expected = f"expected at least {LEAST_EXAMPLES} examples, and {LEAST_OF_CLASS} of each class"
        raise DataError(f"{file}: {expected}, got {n} and {fewest}: too few to compare methods on")


def _fitting(board: str, dataset: str, seconds: float) -> tuple[list[str], list[str], float]:
    """Return the configurations to compare in these seconds of one core, the others, and the seconds of the first.

    Those of REQUIRED are compared in any case, but on stored kernels none that learns from features. The largest
    measured cost of each on the data sets of the board is taken to grow with the classes, the examples and the
    features, or the square of the examples and the views for kernels.
    """
    from grambench import algorithms

    project, study = configuration(), configuration().study(board)
    stored = bool(project.dataset(dataset).stored_kernels)

    def work(name: str, entry: str) -> float:
        described = project.dataset(name)
        n, classes = min(described.n, getattr(study.protocol, "most", described.n)), len(described.classes or "1")
        # stored kernels have no features, and the majority is a baseline that needs none
        return n * classes * (max(1, described.d) if _is_baseline(study, entry) else n * len(described.view_names()))

    def seconds_of(entry: str) -> float:
        measured = [(cost, name) for (of, name, task), cost in project.costs.items() if (of, task) == (board, entry)]
        cost, name = max(measured, default=(LEAST, dataset))
        return study.protocol.repetitions * max(LEAST, cost * work(dataset, entry) / work(name, entry))

    # entries with `datasets` are run on these alone, as those on a second pool are
    able = [entry for entry, settings in study.algorithms.items() if not settings.datasets]
    able = [entry for entry in able if not (stored and algorithms.needs(study.file(entry)))]
    expected = {entry: seconds_of(entry) for entry in able}
    chosen = [entry for entry in REQUIRED if entry in expected]
    for entry in [*FURTHER, *sorted(expected, key=lambda entry: expected[entry])]:
        if entry in expected and entry not in chosen and sum(expected[name] for name in [*chosen, entry]) <= seconds:
            chosen.append(entry)
    return chosen, [entry for entry in expected if entry not in chosen], sum(expected[entry] for entry in chosen)


def _answer(results: "Results", dataset: str, n: int, compared: Sequence[str], able: Sequence[str] = ()) -> str:
    """Return whether to combine kernels, and to learn their weights, by the results of the compared configurations.

    Those that can learn from the data set are `able`, by default all of the study.
    """
    study, repetitions = results.study, results.study.protocol.repetitions
    able = able or [entry for entry, settings in study.algorithms.items() if not settings.datasets]
    finished = [entry for entry in compared if results.values(dataset, entry, METRIC).size == repetitions]
    required = [entry for entry in REQUIRED if entry in able and entry not in finished]
    if failed := ", ".join(map(results.title, required)):
        return f"No answer: no result of {failed}; grambench failed names the runs"
    equal, learned, others = ([entry for entry in finished if _kind(study, entry) == kind] for kind in KINDS)
    helps = _sentence(results, dataset, n, "combining kernels", equal + learned, others)
    learning = _sentence(results, dataset, n, "learning the weights", learned, equal)
    counts = f"--minutes left out {len(able) - len(compared)} of {len(able)} configurations"
    splits = f"Mean accuracies on {repetitions} random splits"
    return f"{helps[0].upper()}{helps[1:]}.\nAmong combinations, {learning}.\n{splits}; {counts}."


def _sentence(
    results: "Results", dataset: str, n: int, question: str, first: Sequence[str], second: Sequence[str]
) -> str:
    """Return whether the best of the first configurations is better than the best of the second, with the numbers.

    The truly best are unknown. The interval covers their difference whichever they are, by Bonferroni's correction. Its
    lower end is the largest lead that one of the first has over all of the second, each at the level of 5 % divided by
    the number of the first. Its upper end is that of the second over the first.
    """
    from grambench.results.statistics import BEST_LEVEL

    def lead(one: str, other: str, choices: int) -> tuple[float, float, float]:
        level = BEST_LEVEL / choices
        return results.lead(dataset, one, other, METRIC, n=n, level=level) or (math.nan, -math.inf, math.inf)

    def describe(entry: str, compared: Sequence[str]) -> str:
        return f"{results.title(entry)}{f' (best of {len(compared)})' * (len(compared) > 1)} {means[entry]:.1f} %"

    means = {entry: results.sample(dataset, entry, METRIC).mean for entry in (*first, *second)}
    best, rival = max(first, key=lambda entry: means[entry]), max(second, key=lambda entry: means[entry])
    low = max(min(lead(one, other, len(first))[1] for other in second) for one in first)
    high = min(max(lead(one, other, len(second))[2] for one in first) for other in second)
    shown = f"{describe(best, first)}, {describe(rival, second)}"
    interval = f"difference {means[best] - means[rival]:+.1f} points, 95 % interval {low:+.1f} to {high:+.1f}"
    return f"{_verdict(question, low, high)}: {shown}; {interval}"


def _is_baseline(study: "Study", entry: str) -> bool:
    """Return whether a configuration learns from vectors without the kernels of the study."""
    from grambench import algorithms

    return algorithms.category_of(study.file(entry)) == "baselines"


def _kind(study: "Study", entry: str) -> str:
    """Return which of KINDS a configuration is."""
    if study.file(entry) in EQUAL:
        return KINDS[0]
    return KINDS[2] if study.file(entry) in UNCOMBINED or _is_baseline(study, entry) else KINDS[1]


def _verdict(question: str, low: float, high: float) -> str:
    """Return what an interval of the difference in points says of the question whether something helps."""
    from grambench.results.statistics import PRACTICAL

    if low > PRACTICAL:
        return f"{question} helps"
    if low >= -PRACTICAL and high <= PRACTICAL:
        return f"{question} makes practically no difference"
    if high <= PRACTICAL:
        return f"{question} does not help"
    if low > 0.0:
        return f"{question} probably helps, but by how much is undecided"
    return f"whether {question} helps is undecided"
