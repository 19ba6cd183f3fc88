"""How much of what learned combinations gain on images is the choice of the kernel function.

    python benchmarks/image_families.py results

reads the study leaderboard_images. Where kernels are of several families, it prints the share of each family in the
weights, and runs the uniform SVM and lp-MKL with p = 1 on centred kernels again, on the kernels of one family: of the
largest share, chi-square on descriptors and Gaussian on blocks of pixels. This takes minutes.
"""

import argparse
import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import h5py
import pandas as pd

from grambench.datasets import store, views
from grambench.experiments import offline
from grambench.experiments.run import Run
from grambench.kernels.functions import Kernel
from grambench.results.statistics import bayesian_signed_rank
from grambench.results.study import WEIGHT

STUDY = "leaderboard_images"
LEARNED = ["d1_centred", "klc", "rkl", "d1"]
pd.set_option("display.width", 200)


def shares(runs, dataset):
    """Return the share of each family in the weights, by configuration."""
    some = runs[(runs["dataset"] == dataset) & runs["algorithm"].isin(LEARNED) & runs["metric"].str.startswith(WEIGHT)]
    family = some["metric"].str.removeprefix(WEIGHT).map(lambda name: Kernel.parse(name).family)
    sums = some.groupby(["algorithm", family])["result"].sum().unstack()
    return sums.div(sums.sum(axis="columns"), axis="index")


def accuracy(results, dataset, algorithm, family):
    """Return the mean accuracy of a configuration on the kernels of one family."""
    prepared = store.read(results / f"datasets/{dataset}.h5")
    if prepared.images:
        files = (results / "features" / dataset.partition("_")[0]).glob("*.h5")
        prepared = views.with_views(prepared, [file for file in files if "codebook" not in file.name])
    with h5py.File(results / f"runs/{STUDY}/{dataset}/{algorithm}.h5") as file:
        run = Run.from_dict(json.loads(file.attrs["settings"]))
    run = replace(run, kernels=[kernel for kernel in run.kernels if Kernel.parse(kernel).family == family])
    return float(offline.outcome(run, prepared).metrics["accuracy_percent"].mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    results = parser.parse_args().results
    runs = pd.read_parquet(results / STUDY / "runs.parquet")
    runs = runs[runs["sweep"] == ""]
    means = runs[runs["metric"] == "accuracy_percent"].groupby(["dataset", "algorithm"])["result"].mean().unstack()
    # one family is all there is on other data sets
    one = means[["uniform_svm", "d1_centred"]].copy()
    for dataset in means.index:
        table = shares(runs, dataset)
        if len(table.columns) == 1:
            continue
        print(f"\n{dataset}, % of the weights\n{(100 * table).round(0)}")
        family = table.loc["d1_centred"].idxmax()
        for algorithm in one.columns:
            one.loc[dataset, algorithm] = accuracy(results, dataset, algorithm, family)
        row = [f"{frame.loc[dataset, name]:.1f}" for name in one.columns for frame in (means, one)]
        print(
            f"accuracy on all kernels, on {family} alone: uniform SVM {row[0]}, {row[1]}; d1_centred {row[2]}, {row[3]}"
        )
    whole = (means["d1_centred"] - means["uniform_svm"])[one["uniform_svm"] != means["uniform_svm"]]
    part = (one["uniform_svm"] - means["uniform_svm"])[whole.index]
    print(f"\nof a mean gain of {whole.mean():.2f} points on these, {part.mean():.2f} come without learning weights")
    for name in LEARNED[:3]:
        first, second = means[name], one["uniform_svm"]
        median = (first - second).median()
        print(f"{name} against the uniform SVM on one family: {median:+.2f}, {bayesian_signed_rank(first, second)}")
    for first, second in combinations(LEARNED[:3], 2):
        print(f"{first} against {second}: {bayesian_signed_rank(means[first], means[second])}")


if __name__ == "__main__":
    main()
