"""Counts of verdicts by study, metric and algorithm, with and without the numbers that have chosen a convention.

    python benchmarks/verdict_counts.py RESULTS [--studies NAME ...] [--algorithms NAME ...]

README.md and docs/papers quote them. A number that stands in two tables of its paper counts once. Beside the
verdicts of a metric stand the numbers that could be confirmed were there no difference at all (or are exact), those
that differ by no more than the margin, the median of what could be detected, and the root mean square of z.
"""

import argparse
from pathlib import Path

import pandas as pd

from grambench.results import reproduction
from grambench.results.verdicts import LEVEL, VERDICTS, normality

JUDGED = [verdict for verdict in VERDICTS if verdict not in ("speed-up", "unavailable")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--studies", nargs="+", help="all that are there when none is named")
    parser.add_argument("--algorithms", nargs="+", help="likewise")
    arguments = parser.parse_args()
    paths = sorted(arguments.results.glob("*/reproduction.csv"))
    if not paths:
        parser.error(
            f"{arguments.results}: no study has a reproduction.csv here; grambench run STUDY makes it, and "
            "grambench report that of the reference results in results/reference/files"
        )
    for path in paths:
        if arguments.studies and path.parent.name not in arguments.studies:
            continue
        # the report of the reference results writes it without a seal
        found = reproduction.TABLE.read(path)
        found = found[found["verdict"].isin(JUDGED) & (found["algorithm"] != "")]
        found = found.drop_duplicates(["dataset", "algorithm", "metric"])
        if arguments.algorithms:
            found = found[found["algorithm"].isin(arguments.algorithms)]
        other = found["item"].str.endswith(reproduction.VARIANTS)
        if found.empty:
            continue
        print(f"\n{path.parent.name}")
        for metric, part in found[~other].groupby("metric", sort=False):
            print(counted(part, part["algorithm"], str(metric)))
            print(sharpness(part))
        for metric, part in found[other].groupby("metric", sort=False):
            print(counted(part, part["algorithm"], f"{metric}, variants"))
        own = found[~other]
        fitted = own["chosen"].ne("").map({True: "have chosen a convention", False: "have not"})
        for metric, part in own.groupby("metric", sort=False):
            print(counted(part, fitted[part.index], str(metric)))
        tests = own["p_value"].notna().sum()
        print(f"{tests} tests, {LEVEL * tests:.1f} of them different by chance")
        print(deviates(own))
        different = own[own["verdict"] == "different"]
        cells = (f"{r.dataset} {r.algorithm} {r.metric} (z = {r.z:.1f})" for r in different.itertuples())
        print("different: " + ", ".join(cells))


def counted(part, by, name):
    table = pd.crosstab(by.rename(name), part["verdict"], margins=True, margins_name="together")
    return table.reindex(columns=JUDGED, fill_value=0).to_string()


def sharpness(part):
    possible = ((part["detectable"] <= part["margin"]) | (part["verdict"] == "exact")).sum()
    within = (part["difference"].abs() <= part["margin"]).sum()
    return (
        f"{possible} of {len(part)} could be confirmed, {within} are within the margin; "
        f"detectable {part['detectable'].median():.3g} (median); {deviates(part)}"
    )


def deviates(part):
    z = normality(reproduction.judged_by_replications(part)["z"])
    return f"{z.numbers} z, root mean square {z.rms:.2f}, Kolmogorov-Smirnov p = {z.p_value:.2g}"


if __name__ == "__main__":
    main()
