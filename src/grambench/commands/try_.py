"""`grambench try`: an algorithm beside a few others, in seconds; the short form of `grambench rank`."""

import argparse
import shutil

from grambench.commands import rank

DATASETS = ("ionosphere", "votes84")  # both are bundled
OPPONENTS = ("uniform_svm", "best_kernel_svm", "rkl", "omkc_dd", "gaussian_svm")
REPETITIONS = 5


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    rank.add_arguments(parser, DATASETS, OPPONENTS, REPETITIONS)


def run(arguments: argparse.Namespace) -> int:
    """Compare an algorithm, such as mine.py, with a few others on few data sets, in seconds and without a file."""
    from grambench.report import ranking_page, renderings
    from grambench.report.tables.matrix import paper_table

    if not (made := rank.make(arguments, rank.show_leaks)):
        return rank.refuse()
    _, ranked = made
    results = ranked.results
    table = paper_table(results, ranking_page.METRIC, list(results.study.algorithms), results.study.datasets)
    print(renderings.text(table, shutil.get_terminal_size().columns))
    print(ranking_page.summary(ranked))
    return rank.exit_code(ranked)
