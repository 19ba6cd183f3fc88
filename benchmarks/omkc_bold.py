"""Which t-test gives the bold cells of Tables 3 and 4 of OMKC: two-sample or paired, at 5 %.

    python benchmarks/omkc_bold.py [RESULTS]

A bold cell is the best of its table's five algorithms on a data set, or not different from the best by "student
t-tests": the paper names neither a level nor whether they are paired. The two-sample test is of the printed means and
deviations, and of the runs of study omkc; the paired one is of the runs, which share their permutations. The runs are
those of the archive, unless a results folder with all of them is given.
"""

import sys
from pathlib import Path

import pandas as pd
from scipy import stats

from grambench.claims.omkc import MISTAKES, SETS, TABLE_3, TABLE_4

RUNS, LEVEL = 20, 0.05


def main(results):
    """Print how many of the 75 cells of each table each test gives, and its misses."""
    printed = pd.read_csv("config/published/omkc_tables_3_4.csv")
    printed = printed[printed["metric"] == MISTAKES].set_index(["table", "dataset", "algorithm"]).sort_index()
    runs = pd.read_parquet(results / "omkc/runs.parquet")
    runs = runs[(runs["metric"] == MISTAKES) & (runs["sweep"] == "")]
    values = runs.pivot_table(index=["dataset", "repetition"], columns="algorithm", values="result")
    for table, names in ((3, TABLE_3), (4, TABLE_4)):
        misses = {"two-sample, printed": [], "two-sample, runs": [], "paired, runs": []}
        for dataset in SETS:
            cells, of_runs = printed.loc[(table, dataset)].loc[names], values.loc[dataset][names]
            best, first = cells.loc[cells["mean"].idxmin()], of_runs[of_runs.mean().idxmin()]
            for name in names:
                mean, std = cells.loc[name, ["mean", "std"]]
                chances = [
                    stats.ttest_ind_from_stats(best["mean"], best["std"], RUNS, mean, std, RUNS).pvalue,
                    stats.ttest_ind(first, of_runs[name]).pvalue,
                    1.0 if name == first.name else stats.ttest_rel(first, of_runs[name]).pvalue,
                ]
                for missed, chance in zip(misses.values(), chances, strict=True):
                    if (chance >= LEVEL) != bool(cells.loc[name, "highlighted"]):
                        missed.append(f"{dataset} {name}")
        for test, missed in misses.items():
            cells = len(SETS) * len(names)
            print(f"Table {table}, {test}: {cells - len(missed)} of {cells}; not {', '.join(missed) or 'no cell'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if sys.argv[1:] else "reference"))
