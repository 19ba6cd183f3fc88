"""`grambench compare`: whether a learned combination of kernels helps on a file of one's own."""

import argparse
import contextlib
import math
import os
import shlex
from pathlib import Path

from grambench.commands import add_dataset, init, names
from grambench.commands.project import SETTINGS, check_root, configuration, find_root, read_plan, read_results
from grambench.common.errors import ConfigError

# what follows as far as --minutes allows: a combination and another method in turn; then all others, the quickest first
FURTHER = (
    *("easy_mkl", "random_forest", "d2", "view_stacking", "rkl", "k_nearest_neighbours", "d1_centred"),
    *("mlp", "klc", "linear_svm", "cka", "uniform_svm_centred"),
)
MINUTES = 1.0
FIXED_SECONDS = 25.0  # of Gram matrices, collecting and the report
LEAST = 40, 8  # examples, and of each class: a quarter is for the test, 10 of all and, on average, 2 of each class


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_dataset.describing_arguments(parser)
    parser.set_defaults(study=None, replace=False, drop_leaks=True, least=LEAST, studies=[*add_dataset.BOARDS])
    names.add_algorithms(parser, "configurations of the leaderboard that are compared in any case")
    fitting = "compare the configurations of the leaderboard that are expected to fit"
    minutes = f"{fitting}, with 0 none beside those of every call and -a (default: {MINUTES:g})"
    parser.add_argument("--minutes", type=_parse_minutes, default=MINUTES, help=minutes)
    parser.add_argument("-c", "--cores", help="number of cores (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Compare learned combinations of kernels with other methods on a file, and say whether they help."""
    from grambench.commands import run as running
    from grambench.datasets import describe
    from grambench.datasets.formats.reader import MISSING_VALUES, ROWS_USED
    from grambench.report.answer import METRIC, answer
    from grambench.report.table_data import TableData

    cores = running.count_cores(arguments.cores)
    arguments.file = arguments.file.absolute()
    arguments.views = arguments.views and arguments.views.absolute()
    if inside := find_root(Path.cwd()) is not None:
        check_root()
    folder = Path() if inside else Path(f"{arguments.name or describe.name_of(arguments.file)}_comparison")
    name, values, remarks, write = add_dataset.prepare(arguments, folder)
    board = add_dataset.board_of(values)
    existing = names.entries(argparse.Namespace(studies=[board]))
    wanted = names.known(f"configuration of {board}", arguments.algorithms or [], existing)
    if not (folder / SETTINGS).is_file():
        with contextlib.redirect_stdout(None):
            init.run(argparse.Namespace(folder=folder))
    write()
    if not inside:
        print(f"project of this comparison: {folder.absolute()}")
        os.chdir(folder)
    limit = (60.0 * arguments.minutes - FIXED_SECONDS) * cores
    chosen, left_out, seconds, earlier = _fitting(board, name, wanted, limit)
    minutes = f"{math.ceil((seconds / cores + FIXED_SECONDS) / 60)} min on {cores} core{'s' * (cores > 1)}"
    without = f"; --minutes {arguments.minutes:g} leaves out {', '.join(left_out)}" * bool(left_out)
    of_earlier = f" ({earlier} of earlier calls)" * bool(earlier)
    print(f"{len(chosen)} configurations{of_earlier}, about {minutes}{without}", flush=True)
    if values["d"] == 0:
        print("stored kernels have no features: methods that learn from features are not compared", flush=True)
    call = argparse.Namespace(studies=[board], datasets=[name], algorithms=chosen)
    call.__dict__.update(demo=False, dry_run=False, verbose=False, cores=arguments.cores, snakemake=[])
    code = running.run(call, brief=True)
    results = read_results(configuration().study(board).model_copy(update={"datasets": [name]}))
    lines = answer(results.study, results, name, values["n"], values["d"])
    means = {entry: results.sample(name, entry, METRIC).mean for entry in wanted}
    if numbers := [f"{results.title(entry)} {mean:.1f} %" for entry, mean in means.items() if math.isfinite(mean)]:
        lines.append(f"Named by -a: {', '.join(numbers)}.")
    lines += TableData(results=results, prepared={}, reproduction={}).failures([name], chosen)
    shown = [remark for remark in remarks if remark.startswith((ROWS_USED, MISSING_VALUES))]
    print(*lines, *(f"{remark[:1].upper()}{remark[1:]}." for remark in shown), sep="\n")
    there = "" if inside else f"cd {shlex.quote(str(folder))}; "
    print(f"go on: {there}grambench open shows the report, grambench table {board} -d {name} all numbers")
    return code


def _parse_minutes(text: str) -> float:
    """Return a number of minutes; raise ConfigError for one below 0."""
    with contextlib.suppress(ValueError):
        if 0.0 <= (minutes := float(text)) < math.inf:
            return minutes
    raise ConfigError(f"--minutes: expected a number from 0, got {text!r:.60}")


def _fitting(board: str, dataset: str, wanted: list[str], seconds: float) -> tuple[list[str], list[str], float, int]:
    """Return the configurations to compare in these processor seconds, the others, and the seconds of the first.

    The fourth is how many of the first an earlier call has run.
    Those of REQUIRED and those that are wanted are compared in any case, but on stored kernels none that learns from
    features. So are those with nothing left to run: a second call must not answer from fewer than the first. It raises
    ConfigError for one that is wanted and cannot be compared.
    """
    from grambench.pipeline.expected import pending
    from grambench.report.answer import REQUIRED, able

    plan = read_plan({"studies": [board], "datasets": [dataset], "algorithms": {}})
    resources, slowness = plan.resources, plan.resources.slowness()
    expected = dict.fromkeys(able(plan.studies[board], plan.targets.dataset(dataset).d), 0.0)
    for cell in pending(plan):
        if cell.algorithm in expected:
            expected[cell.algorithm] += slowness * resources.processor_seconds(cell)
    # entries on a second pool, and on stored kernels those that learn from features, are not compared
    wanted = names.known(f"configuration on {dataset}", wanted, expected)
    chosen = list(dict.fromkeys([*(entry for entry in REQUIRED if entry in expected), *wanted]))
    chosen += [entry for entry, cost in expected.items() if not cost and entry not in chosen]
    for entry in [*FURTHER, *sorted(expected, key=lambda entry: expected[entry])]:
        if entry in expected and entry not in chosen and sum(expected[name] for name in [*chosen, entry]) <= seconds:
            chosen.append(entry)
    left_out = [entry for entry in expected if entry not in chosen]
    costs = [expected[entry] for entry in chosen]
    return chosen, left_out, sum(costs), costs.count(0.0)
