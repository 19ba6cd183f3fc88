"""Counts of verdicts by study, metric and algorithm, with and without the numbers that have chosen a convention.

    python benchmarks/verdict_counts.py RESULTS [STUDY ...]

README.md and docs/reproduction.md quote them. A number that stands in two tables of its paper counts once.
"""

import sys
from pathlib import Path

import pandas as pd

from grambench.results import reproduction
from grambench.results.verdicts import LEVEL, VERDICTS, normality

JUDGED = [verdict for verdict in VERDICTS if verdict not in ("speed-up", "unavailable")]


def main():
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    for path in sorted(folder.glob("*/reproduction.csv")):
        if names and path.parent.name not in names:
            continue
        found = reproduction.read(path)
        found = found[found["verdict"].isin(JUDGED) & (found["algorithm"] != "")]
        found = found.drop_duplicates(["dataset", "algorithm", "metric"])
        other = found["item"].str.endswith(reproduction.VARIANTS)
        if found.empty:
            continue
        print(f"\n{path.parent.name}")
        for metric, part in found[~other].groupby("metric", sort=False):
            print(counted(part, part["algorithm"], str(metric)))
        for metric, part in found[other].groupby("metric", sort=False):
            print(counted(part, part["algorithm"], f"{metric}, other readings"))
        own = found[~other]
        fitted = own["chosen"].ne("").map({True: "have chosen a convention", False: "have not"})
        print(counted(own, fitted, "all"))
        tests = own["p_value"].notna().sum()
        z = normality(reproduction.judged_by_replications(own)["z"])
        print(f"{tests} tests, {LEVEL * tests:.1f} of them different by chance")
        print(f"{z.numbers} z, root mean square {z.rms:.2f}, Kolmogorov-Smirnov p = {z.p_value:.2g}")
        print("different: " + ", ".join(f"{r.dataset} {r.algorithm} {r.metric}" for r in different(own).itertuples()))


def counted(part, by, name):
    table = pd.crosstab(by.rename(name), part["verdict"], margins=True, margins_name="together")
    return table.reindex(columns=JUDGED, fill_value=0).to_string()


def different(found):
    return found[found["verdict"] == "different"]


if __name__ == "__main__":
    main()
