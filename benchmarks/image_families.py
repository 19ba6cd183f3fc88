"""How much of what learned combinations gain on images is the choice of the kernel function.

    python benchmarks/image_families.py results

reads the study leaderboard_images. Where kernels are of several families, it prints the share of each family in the
weights, and runs the uniform SVM and lp-MKL with p = 1 on centred kernels again, on the kernels of one family: of the
largest share, chi-square on descriptors and Gaussian on blocks of pixels. This takes minutes. It ends with intervals of
mean differences, with one difference for each collection of images. `benchmarks/harm_and_gain.py` has all other pairs.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import h5py
import pandas as pd

from grambench.datasets import store, views
from grambench.experiments import offline
from grambench.experiments.run import Run
from grambench.kernels.functions import Kernel
from grambench.results.statistics import BEST_LEVEL, resampled_difference
from grambench.results.study import WEIGHT

STUDY = "leaderboard_images"
BEST = ["d1_centred", "klc", "rkl"]
LEARNED = [*BEST, "d1"]
COMBINATIONS = 16  # learned ones of the study, of which these are the best
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
    one, several = means[["uniform_svm", "d1_centred"]].copy(), []
    for dataset in means.index:
        table = shares(runs, dataset)
        if len(table.columns) == 1:
            continue
        several.append(dataset)
        print(f"\n{dataset}, % of the weights\n{(100 * table).round(0)}")
        family = table.loc["d1_centred"].idxmax()
        for algorithm in one.columns:
            one.loc[dataset, algorithm] = accuracy(results, dataset, algorithm, family)
        row = [f"{frame.loc[dataset, name]:.1f}" for name in one.columns for frame in (means, one)]
        print(
            f"accuracy on all kernels, on {family} alone: uniform SVM {row[0]}, {row[1]}; d1_centred {row[2]}, {row[3]}"
        )
    whole = (means["d1_centred"] - means["uniform_svm"])[several]
    part = (one["uniform_svm"] - means["uniform_svm"])[several]
    print(f"\nof a mean gain of {whole.mean():.2f} points on these, {part.mean():.2f} come without learning weights")
    for name in BEST:
        compare(f"{name} against the uniform SVM on one family", means[name], one["uniform_svm"], len(BEST))
        compare(f"{name} against the uniform SVM", means[name], means["uniform_svm"], COMBINATIONS)


def compare(what, first, second, count):
    """Print the mean difference over collections of a few, with its interval at 5 % and at 5 % divided by `count`."""
    differences = (first - second).groupby(first.index.str.partition("_").get_level_values(0)).mean()
    mean = resampled_difference(differences * 0.0, differences, overlap=0.0)
    plain, corrected = (mean.interval(level) for level in (BEST_LEVEL, BEST_LEVEL / count))
    ends = f"{plain[0]:+.2f} to {plain[1]:+.2f}, as the best of {count} {corrected[0]:+.2f} to {corrected[1]:+.2f}"
    print(f"{what}: {mean.value:+.2f} over {len(differences)} collections, {ends}")


if __name__ == "__main__":
    main()
