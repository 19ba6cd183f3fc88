"""How sharp the verdicts are: what they say to numbers that are known to differ, and to numbers that are known not to.

    python benchmarks/power.py [STUDY ...]
    python benchmarks/power.py --tails

level    each of our replications judged by the others as if it were published: how many are different (1 % should be)
power    the number of one algorithm judged as if it were another's, on the same data set, where the means of the two
         differ by more than twice the margin: how many are confirmed (none should be)
blunt    the same for all pairs of different algorithms: how many are not told apart, and by Welch's test on the printed
         means and deviations alone
tails    the level where single runs are normal, lognormal or Student's with 3 degrees of freedom: a published mean of
         as many runs as a study has, judged by 20 replications of the same truth and by Welch's test on one of them
"""

import argparse
import itertools
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from grambench.config.project import Configuration
from grambench.results import replications
from grambench.results.statistics import Sample, welch
from grambench.results.verdicts import LEVEL, judge

CONFIG = Path("config")
CASES, REPLICATIONS, SCALE = 20_000, 20, 10.0  # the deviation of a run is far above what printing rounds
RUNS = {1: "a single run", 5: "5 runs (RKL)", 20: "20 runs (OMKC)"}
DISTRIBUTIONS = {
    "normal": lambda rng, size: rng.normal(size=size),
    "lognormal": lambda rng, size: rng.lognormal(size=size),
    "t, 3 degrees": lambda rng, size: rng.standard_t(3, size=size),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", default=["omkc", "rkl"])
    parser.add_argument("--tails", action="store_true", help="the level under heavy tails, and nothing else")
    arguments = parser.parse_args()
    if arguments.tails:
        tails()
    for name in [] if arguments.tails else arguments.studies:
        study = Configuration(CONFIG).study(name)
        known = replications.read(CONFIG / "replications" / f"{name}.csv")
        numbers = pd.concat([pd.read_csv(CONFIG / "published" / file) for file in study.published.results])
        for metric in sorted(set(study.published.margins) & {key[2] for key in known}):
            own = {key: value.means for key, value in known.items() if key[2] == metric and np.ptp(value.means) > 0}
            print(f"{name}, {metric}: {len(own)} cells, deviation of a mean {deviation(own):.3g} (median)")
            print(f"  level  {said(level(study, own))}")
            far, near = pairs(study, own)
            print(f"  power  {said(far)}, of pairs that differ by more than two margins")
            print(f"  blunt  {said(near)}, of all pairs")
            print(
                f"         by Welch's test on the paper's table {said(printed(numbers, metric, study.published.runs))}"
            )


def tails():
    """Print how often numbers of one truth are different, for each distribution and number of runs."""
    print(f"{CASES} cases each: how many are different by {REPLICATIONS} replications, and by Welch's test")
    for (runs, said_so), (name, drawn) in itertools.product(RUNS.items(), DISTRIBUTIONS.items()):
        rng, different = np.random.default_rng(runs), Counter()
        for _ in range(CASES):
            values = 50.0 + SCALE * drawn(rng, (REPLICATIONS + 1, runs))
            published, ours = Sample.of(values[0]), Sample.of(values[1])
            again = values[1:].mean(axis=1)
            different["again"] += judge(published, ours, "accuracy_percent", None, again).verdict == "different"
            if runs > 1:
                different["welch"] += judge(published, ours, "accuracy_percent", None).verdict == "different"
        welch_said = f"{100 * different['welch'] / CASES:.1f} %" if runs > 1 else "none"
        print(f"  means over {said_so}, {name}: {100 * different['again'] / CASES:.1f} %, {welch_said}")


def deviation(own):
    return float(np.median([means.std(ddof=1) for means in own.values()]))


def level(study, own):
    """Judge every replication by the others."""
    verdicts = Counter()
    for (_, _, metric, _), means in own.items():
        for number, mean in enumerate(means):
            others = np.delete(means, number)
            verdicts[verdict(study, metric, mean, others)] += 1
    return verdicts


def pairs(study, own):
    """Judge the first replication of one algorithm by those of another: pairs far apart, and all."""
    far, all_pairs = Counter(), Counter()
    for (first, one), (second, other) in itertools.permutations(own.items(), 2):
        if (first[0], first[3]) == (second[0], second[3]):
            judged = verdict(study, first[2], one[0], other)
            all_pairs[judged] += 1
            if abs(one.mean() - other.mean()) > 2 * study.published.margin(first[2], one[0]):
                far[judged] += 1
    return far, all_pairs


def verdict(study, metric, mean, others):
    printed = Sample(mean, math.nan, study.published.runs)
    ours = Sample(others[0], math.nan, study.published.runs)
    return judge(printed, ours, metric, study.published.margin(metric, mean), others).verdict


def printed(numbers, metric, runs):
    """Compare every two algorithms of a data set by their printed means and deviations."""
    verdicts = Counter()
    chosen = numbers[(numbers["metric"] == metric) & numbers["std"].notna()].drop_duplicates(["dataset", "algorithm"])
    for _, rows in chosen.groupby("dataset"):
        for first, second in itertools.combinations(rows.itertuples(), 2):
            p = welch(Sample(first.mean, first.std, runs), Sample(second.mean, second.std, runs)).p_value
            verdicts["different" if p < LEVEL else "not told apart"] += 1
    return verdicts


def said(verdicts):
    total = verdicts.total()
    if not total:
        return "no cases"
    return f"{total} cases: " + ", ".join(f"{name} {100 * n / total:.1f} %" for name, n in verdicts.most_common())


if __name__ == "__main__":
    main()
