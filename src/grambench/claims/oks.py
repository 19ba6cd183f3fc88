"""The claims of OKS (Yang et al. 2012), Empirical Studies.

The paper's features are not available, ours are of the same kind. Claims compare methods and kernels with each other,
and cite printed numbers for scale only. Kernels have the paper's numbers, 1 to 60.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from grambench.claims import Answer, Claim, Evidence, Share

Values = Mapping[str, Any]  # by task
Test = Callable[[Any], bool]  # of a value

PASCAL = ["pascal07_animal_vehicle", "pascal07_animal_person", "pascal07_person_vehicle"]
COREL = ["corel5k_sky_people", "corel5k_water_tree", "corel5k_sky_grass"]
TASKS = [*PASCAL, *COREL]
OTHERS = ["mutron", "om1", "om2", "alsvm", "musvm", "som_svm", "oks_svm"]  # than SIPMKL
ACCURACY, SECONDS, SHARE, PICKED = "accuracy_percent", "seconds", "kernel_share_percent", "selected_kernel"
STAGE = "fit_seconds"  # of two stages, the first
COMPARABLE, FAR_APART = 3.0, 10.0  # points
SMALL, FIRST_STAGE = 5.0, 2.0  # percent of MuSVM's time, with and without OKS's own SVM
TOUCHED = 3.0  # percent of the m n^2 kernel values
EXTREME = 5  # best and worst kernels that Figures 1 and 2 show
DENSE_SIFT = range(9, 17)
CHI_SQUARE_OF_DENSE_SIFT = (11, 15)
SIFT = [*range(9, 17), *range(29, 37)]
LAB = range(45, 49)
CHI_SQUARE = 2  # among the four kernels of each feature
HUE = [*range(1, 5), *range(21, 29)]


def _in_study(evidence: Evidence, tasks: list[str]) -> list[str]:
    return [name for name in tasks if name in evidence.results.study.datasets]


def _judge(
    evidence: Evidence, values: Values, test: Test, phrase: str, span: str = "", share: Share = "every"
) -> Answer:
    """Judge by a test of what each task has."""
    return Answer.by_values(values, test, _in_study(evidence, TASKS), share, phrase, span)


def oks_is_comparable(evidence: Evidence) -> Answer:
    """OKS-SVM is comparable to MuSVM (here: within 3 points of it in the mean over the tasks)."""
    return _comparable(evidence, "oks_svm", "musvm", " (printed: 0.8 in the mean)")


def oks_is_comparable_to_mkl(evidence: Evidence) -> Answer:
    """OKS-SVM is comparable to MKL (here: to SIPMKL, not OM-1 or OM-2; at most 3 points behind it in the mean)."""
    return _comparable(evidence, "oks_svm", "simplemkl")


def perceptron_is_good(evidence: Evidence) -> Answer:
    """OKS followed by Perceptron on the selected kernel performs well (here: within 3 points of OKS-SVM)."""
    return _comparable(evidence, "oks_perceptron", "oks_svm")


def _comparable(evidence: Evidence, method: str, rival: str, printed: str = "") -> Answer:
    behind = {name: row[rival] - row[method] for name, row in evidence.means([rival, method], ACCURACY, TASKS).items()}
    if not behind:
        return Answer.undecided("no task has both")
    mean = sum(behind.values()) / len(behind)
    text = f"behind by {mean:.1f} points in the mean over {len(behind)} tasks, {min(behind.values()):+.1f} to "
    text += f"{max(behind.values()):+.1f}{printed}"
    return Answer.of(mean <= COMPARABLE, text, enough=2 * len(behind) >= len(_in_study(evidence, TASKS)))


def oks_beats_som(evidence: Evidence) -> Answer:
    """OKS-SVM is better than SOM-SVM in every task."""
    means = evidence.means(["som_svm", "oks_svm"], ACCURACY, TASKS)
    lead = {name: row["oks_svm"] - row["som_svm"] for name, row in means.items()}
    return _judge(evidence, lead, lambda points: points > 0.0, "OKS-SVM is ahead", "(by {:+.1f} to {:+.1f} points)")


def oks_picks_dense_sift(evidence: Evidence) -> Answer:
    """OKS can quickly identify a good kernel (here: most picks are dense SIFT, 9 to 16, in most tasks)."""
    shares = _shares_of_dense_sift(evidence, "oks_svm")
    mean = sum(shares.values()) / len(shares) if shares else 0.0
    phrase = f"more than half of the picks are among 9 to 16 ({mean:.0f} % in all; printed: 28 of 30)"
    return _judge(evidence, shares, lambda share: share > 50.0, phrase, share="most")


def oks_picks_better_than_som(evidence: Evidence) -> Answer:
    """OKS selects better kernels than SOM (here: more of its picks are dense SIFT, 9 to 16, in most tasks)."""
    oks, som = (_shares_of_dense_sift(evidence, name) for name in ("oks_svm", "som_svm"))
    more = {name: share - som[name] for name, share in oks.items() if name in som}
    phrase, span = "more picks of OKS are among 9 to 16", "(by {:+.0f} to {:+.0f} points)"
    return _judge(evidence, more, lambda points: points > 0.0, phrase, span, "most")


def _shares_of_dense_sift(evidence: Evidence, method: str) -> dict[str, float]:
    """Return on each task the percentage of a method's picks that are kernels of dense SIFT."""
    picks = {name: evidence.results.values(name, method, PICKED) for name in TASKS}
    return {name: 100.0 * float(np.isin(numbers, DENSE_SIFT).mean()) for name, numbers in picks.items() if numbers.size}


def oks_is_quick(evidence: Evidence) -> Answer:
    """OKS-SVM takes a small fraction of MuSVM's time (here: less than 5 percent; printed: 2.2 to 3.3)."""
    return _ratio(evidence, SECONDS, "seconds", SMALL)


def first_stage_is_quick(evidence: Evidence) -> Answer:
    """OKS selects in a small fraction of MuSVM's time (here: less than 2 percent; printed: 0.8 to 1.1)."""
    return _ratio(evidence, STAGE, "the selection", FIRST_STAGE)


def _ratio(evidence: Evidence, metric: str, phrase: str, limit: float) -> Answer:
    reference, means = evidence.means(["musvm"], SECONDS, TASKS), evidence.means(["oks_svm"], metric, TASKS)
    ratios = {name: 100.0 * means[name]["oks_svm"] / row["musvm"] for name, row in reference.items() if name in means}
    phrase = f"{phrase} of OKS-SVM below {limit:g} % of MuSVM's time"
    return _judge(evidence, ratios, lambda ratio: ratio < limit, phrase, "({:.1f} to {:.1f} %)")


def few_values_are_made(evidence: Evidence) -> Answer:
    """OKS avoids computing all the full kernel matrices (here: OKS-SVM needs under 3 percent of the 60 n^2 values)."""
    phrase = f"OKS-SVM makes less than {TOUCHED:g} % of the kernel values"
    return _made(evidence, ["oks_svm"], lambda share: share < TOUCHED, phrase)


def all_values_are_made(evidence: Evidence) -> Answer:
    """Cross-validation and MKL compute all kernel matrices (here: 80 percent or more of the 60 n^2 values)."""
    return _made(evidence, ["musvm", "simplemkl"], lambda share: share >= 80.0, "MuSVM and SIPMKL make 80 % or more")


def _made(evidence: Evidence, methods: list[str], test: Test, phrase: str) -> Answer:
    shares = {name: min(row.values()) for name, row in evidence.means(methods, SHARE, TASKS).items()}
    return _judge(evidence, shares, test, phrase, "({:.2f} to {:.2f} %)")


def simplemkl_is_slowest(evidence: Evidence) -> Answer:
    """SIPMKL is the slowest of the eight methods by far (here: by a factor of two at least)."""
    return _slower(evidence, ["simplemkl"], OTHERS, "SIPMKL is slowest by a factor of two", factor=2.0)


def one_epoch_is_slow(evidence: Evidence) -> Answer:
    """MuTron and OM-1 cost much (here: with one epoch each is slower than OM-2, SOM-SVM and OKS-SVM with two)."""
    return _slower(evidence, ["mutron", "om1"], ["om2", "som_svm", "oks_svm"], "both are slower than the three")


def one_update_saves_time(evidence: Evidence) -> Answer:
    """OKS saves time as it updates one classifier a step (here: OKS-SVM is faster than MuTron, OM-1 and OM-2)."""
    return _slower(evidence, ["mutron", "om1", "om2"], ["oks_svm"], "those that update all kernels are slower")


def _slower(evidence: Evidence, slow: list[str], fast: list[str], phrase: str, factor: float = 1.0) -> Answer:
    """Judge whether the fastest of the slow methods takes at least `factor` times the seconds of all fast ones."""
    means = evidence.means([*slow, *fast], SECONDS, TASKS)
    factors = {name: min(row[each] for each in slow) / max(row[each] for each in fast) for name, row in means.items()}
    return _judge(evidence, factors, lambda value: value >= factor, phrase, "({:.1f} to {:.1f})")


def mkl_scales_worse(evidence: Evidence) -> Answer:
    """MKL does not scale well to many examples (here: SIPMKL's time grows with a higher power of n than OKS-SVM's)."""
    sizes = evidence.curves.query("algorithm == 'oks_svm'").groupby("dataset")["round"].max()
    means = evidence.means(["simplemkl", "oks_svm"], SECONDS, [task for task in TASKS if task in sizes])
    if 2 * len(means) < len(TASKS) or sizes[[*means]].nunique() < 2:
        return Answer.undecided("not enough tasks with times and different sizes")
    logs = np.log([[row["simplemkl"], row["oks_svm"]] for row in means.values()])
    (mkl, oks), _ = np.polyfit(np.log(sizes[[*means]]), logs, 1)
    return Answer.of(mkl > oks, f"powers of n over {len(means)} tasks: SIPMKL {mkl:.2f}, OKS-SVM {oks:.2f}")


def bad_kernels_waste_time(evidence: Evidence) -> Answer:
    """Cross-validation wastes time on very bad kernels (here: on the worse half it spends more than on the better)."""
    shares = {}
    for task, alone in _alone(evidence, TASKS).items():
        seconds = evidence.results.by_kernel("each_kernel", task, "one_kernel", SECONDS).reindex(alone.index)
        shares[task] = 100.0 * float(seconds[len(alone) // 2 :].sum() / seconds.sum())
    phrase, span = "the worse half of the kernels takes more than half of the seconds", "({:.0f} to {:.0f} %)"
    return _judge(evidence, shares, lambda share: share > 50.0, phrase, span, "most")


def _alone(evidence: Evidence, tasks: list[str]) -> dict[str, pd.Series]:
    """Return the test accuracy of each kernel by itself in each task, by its name, the best first."""
    found = {task: evidence.results.by_kernel("each_kernel", task, "one_kernel", ACCURACY) for task in tasks}
    return {task: alone.sort_values(ascending=False, kind="stable") for task, alone in found.items() if len(alone)}


def dense_sift_is_best(evidence: Evidence) -> Answer:
    """On Pascal07 best is 11 or 15, chi-square of dense SIFT (here: first or second; form partly chosen by print)."""
    return _extreme(evidence, PASCAL, slice(2), CHI_SQUARE_OF_DENSE_SIFT, 1, "11 or 15 among the best two")


def sift_is_good(evidence: Evidence) -> Answer:
    """On Pascal07 good kernels are 9 to 16, dense SIFT (here: four of the best five are of SIFT, dense or Harris)."""
    return _extreme(evidence, PASCAL, slice(EXTREME), SIFT, EXTREME - 1, "four of the best five kernels are of SIFT")


def lab_is_bad(evidence: Evidence) -> Answer:
    """On Pascal07 bad kernels are 45 to 48, colour histograms in Lab (here: three are among the worst five)."""
    return _extreme(evidence, PASCAL, slice(-EXTREME, None), LAB, 3, "three of 45 to 48 among the worst five")


def hue_is_bad(evidence: Evidence) -> Answer:
    """On Corel5k bad kernels are words of hue, 1 to 4 and 21 to 28 (here: three are among the worst five)."""
    return _extreme(evidence, COREL, slice(-EXTREME, None), HUE, 3, "three of them among the worst five")


def _extreme(
    evidence: Evidence, tasks: list[str], places: slice, numbers: Iterable[int], least: int, phrase: str
) -> Answer:
    """Judge whether `least` of the kernels in some places, from the best to the worst, have one of the numbers."""
    names, alone = [kernel.name for kernel in evidence.results.study.kernel_list()], _alone(evidence, tasks)
    found = {task: [1 + names.index(name) for name in ranked.index[places]] for task, ranked in alone.items()}
    listed = "; ".join(f"{name}: {', '.join(map(str, kernels))}" for name, kernels in found.items())
    hits = {name: len({*kernels} & {*numbers}) >= least for name, kernels in found.items()}
    return Answer.by_share(hits, _in_study(evidence, tasks), "every", f"{phrase} ({listed})")


def kernels_differ(evidence: Evidence) -> Answer:
    """Much depends on the kernel (here: the best and the worst are 10 points apart in every task)."""
    gaps = {task: float(alone.iloc[0] - alone.iloc[-1]) for task, alone in _alone(evidence, TASKS).items()}
    return _judge(evidence, gaps, lambda gap: gap >= FAR_APART, "they are 10 points apart", "({:.1f} to {:.1f})")


def chi_square_is_good(evidence: Evidence) -> Answer:
    """Chi-square is one of the best kernels of images (here: of four first or second, always; see 3a on forms)."""
    names = [kernel.name for kernel in evidence.results.study.kernel_list()]
    means = {task: alone[names].to_numpy().reshape(-1, 4).mean(0) for task, alone in _alone(evidence, TASKS).items()}
    places = {task: 1 + int((forms > forms[CHI_SQUARE]).sum()) for task, forms in means.items()}
    return _judge(evidence, places, lambda place: place <= 2, "chi-square is first or second", "(place {} to {})")


def last_weights_are_preferable(evidence: Evidence) -> Answer:
    """Weights of the last round select better than a random round's (here: the expected accuracy of a kernel drawn)."""
    curves, gains = evidence.curves[evidence.curves["algorithm"] == "oks_svm"], {}
    for task, alone in _alone(evidence, TASKS).items():
        weights = curves[(curves["dataset"] == task) & curves["metric"].str.startswith("weight:")]
        drawn = weights["result"] * weights["metric"].str.removeprefix("weight:").map(alone)
        if len(drawn):
            expected = drawn.groupby(weights["round"]).sum() / weights["repetition"].nunique()
            gains[task] = float(expected.iloc[-1] - expected.mean())
    return _judge(evidence, gains, lambda gain: gain > 0, "they have more", "(by {:+.1f} to {:+.1f} points)", "most")


CLAIMS = [
    Claim("1a", "Empirical Studies", oks_is_comparable),
    Claim("1b", "Tables 1 and 2", oks_beats_som),
    Claim("1c", "Empirical Studies", oks_picks_dense_sift),
    Claim("1d", "Empirical Studies", oks_is_comparable_to_mkl),
    Claim("1e", "Empirical Studies", oks_picks_better_than_som),
    Claim("1f", "Empirical Studies", perceptron_is_good),
    Claim("2a", "Tables 1 and 2", oks_is_quick),
    Claim("2b", "Tables 1 and 2", simplemkl_is_slowest),
    Claim("2c", "Introduction", few_values_are_made),
    Claim("2d", "Tables 1 and 2", first_stage_is_quick),
    Claim("2e", "Introduction", all_values_are_made),
    Claim("2f", "Empirical Studies", one_epoch_is_slow),
    Claim("2g", "Abstract", one_update_saves_time),
    Claim("2i", "Introduction", mkl_scales_worse),
    Claim("2j", "Introduction", bad_kernels_waste_time),
    Claim("3a", "Figure 1", dense_sift_is_best),
    Claim("3b", "Figure 1", sift_is_good),
    Claim("3c", "Figure 1", lab_is_bad),
    Claim("3d", "Figure 2", hue_is_bad),
    Claim("3e", "Abstract", kernels_differ),
    Claim("3f", "Introduction", chi_square_is_good),
    Claim("4", "Corollary 2", last_weights_are_preferable),
]
