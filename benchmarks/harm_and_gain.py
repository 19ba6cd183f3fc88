"""Where the configurations of a study harm and where they gain beside one of them, over its data sets.

    python benchmarks/harm_and_gain.py reference leaderboard uniform_svm

reads runs.parquet and cells.csv in reference/leaderboard, and prints a Markdown table with a row for each
configuration: the mean difference of accuracies with its 95 % interval; on how many data sets it is shown to be more
than a point worse, within a point, and better, by the interval and by the mean alone; and the probabilities of these
for a next data set.
Rows are sorted by the mean difference. Several data sets of one collection have one vote. `-a` names some
configurations, as the study's file does, `--without synthetic_` leaves data sets out by prefix, and `--sources` all
whose views are not sources. `--best-of 13` judges the best of 13: the interval of the mean difference is then at
5 % divided by 13.
"""

import argparse
from pathlib import Path

from grambench.commands import names
from grambench.common import layout
from grambench.config.project import Configuration
from grambench.results.statistics import BEST_LEVEL
from grambench.results.study import Results

HEAD = (
    "| configuration | mean difference | interval | shown worse, within, better | by the means | "
    "next data set worse, within, better | verdict |"
)


def row(title, compared, best_of):
    """Return a row of the table."""
    low, high = compared.mean.interval(BEST_LEVEL / best_of)
    shown = f"{compared.worse}, {compared.within}, {compared.better} of {compared.votes}"
    means = f"{compared.below}, {compared.votes - compared.below - compared.above}, {compared.above}"
    chances = f"{compared.next_worse:.2f}, {compared.next_within:.2f}, {compared.next_better:.2f}"
    numbers = (f"{compared.mean.value:+.2f}", f"{low:+.2f} to {high:+.2f}", shown, means, chances)
    return f"| {' | '.join((title, *numbers, compared.verdict(best_of)))} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("study")
    parser.add_argument("rival")
    parser.add_argument("-a", "--algorithms", nargs="+")
    parser.add_argument("-d", "--datasets", nargs="+", help="data sets (default: all of the study)")
    parser.add_argument("--without", default=" ", help="prefix of data sets that are left out")
    parser.add_argument("--sources", action="store_true", help="only data sets whose views were measured apart")
    parser.add_argument("--best-of", type=float, default=1.0)
    parser.add_argument("--metric", default="accuracy_percent")
    given = parser.parse_args()
    study = Configuration(Path("config")).study(given.study)
    files = (layout.located(given.results, path.format(study=study.name)) for path in (layout.RUNS, layout.CELLS))
    results = Results.read(study, *files)
    datasets = [name for name in given.datasets or study.datasets if not name.startswith(given.without)]
    datasets = [name for name in datasets if name in study.multisource or not given.sources]
    pairs = [(name, results.compare(name, given.rival, given.metric, datasets)) for name in study.algorithms]
    wanted = names.known("configuration", given.algorithms, study.algorithms)
    compared = [(name, each) for name, each in pairs if name in wanted and name != given.rival and each]
    print(f"beside {results.title(given.rival)}\n\n{HEAD}\n|---|---:|---:|---:|---:|---:|---|")
    for name, each in sorted(compared, key=lambda pair: -pair[1].mean.value):
        print(row(results.title(name), each, given.best_of))


if __name__ == "__main__":
    main()
