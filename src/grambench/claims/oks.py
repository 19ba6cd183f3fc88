"""The claims of OKS (Yang et al. 2012), Empirical Studies.

The paper's features are not available, ours are of the same kind. Claims compare methods and kernels with each other,
and cite printed numbers for scale only. Kernels have the paper's numbers, 1 to 60.
"""

from grambench.claims import Answer, Claim, Evidence

PASCAL = ["pascal07_animal_vehicle", "pascal07_animal_person", "pascal07_person_vehicle"]
COREL = ["corel5k_sky_people", "corel5k_water_tree", "corel5k_sky_grass"]
TASKS = [*PASCAL, *COREL]
METHODS = ["mutron", "om1", "om2", "alsvm", "musvm", "simplemkl", "som_svm", "oks_svm"]
ACCURACY, SECONDS, SHARE, PICKED = "accuracy_percent", "seconds", "kernel_share_percent", "selected_kernel"
COMPARABLE = 3.0  # points
SMALL = 5.0  # percent of MuSVM's time
FIRST_STAGE = 2.0  # percent of MuSVM's time, without the SVM
TOUCHED = 3.0  # percent of the m n^2 kernel values
EXTREME = 5  # best and worst kernels that Figures 1 and 2 show
DENSE_SIFT = range(9, 17)
CHI_SQUARE_OF_DENSE_SIFT = (11, 15)
SIFT = [*range(9, 17), *range(29, 37)]
LAB = range(45, 49)
HUE = [*range(1, 5), *range(21, 29)]


def _in_study(evidence: Evidence, tasks: list[str]) -> list[str]:
    return [name for name in tasks if name in evidence.results.study.datasets]


def oks_is_comparable(evidence: Evidence) -> Answer:
    """OKS-SVM is comparable to MuSVM (here: within 3 points of it in the mean over the tasks)."""
    tasks = _in_study(evidence, TASKS)
    means = evidence.means(["musvm", "oks_svm"], ACCURACY, tasks)
    behind = {name: row["musvm"] - row["oks_svm"] for name, row in means.items()}
    if not behind:
        return Answer.undecided("no task has both")
    mean = sum(behind.values()) / len(behind)
    text = f"behind by {mean:.1f} points in the mean over {len(behind)} tasks, {min(behind.values()):+.1f} to "
    text += f"{max(behind.values()):+.1f} (printed: 0.8 in the mean)"
    return Answer.of(mean <= COMPARABLE, text, enough=2 * len(behind) >= len(tasks))


def oks_beats_som(evidence: Evidence) -> Answer:
    """OKS-SVM is better than SOM-SVM in every task."""
    tasks = _in_study(evidence, TASKS)
    means = evidence.means(["som_svm", "oks_svm"], ACCURACY, tasks)
    lead = {name: row["oks_svm"] - row["som_svm"] for name, row in means.items()}
    span = "(by {:+.1f} to {:+.1f} points)"
    return Answer.by_values(lead, lambda points: points > 0.0, tasks, "every", "OKS-SVM is ahead", span)


def oks_picks_dense_sift(evidence: Evidence) -> Answer:
    """OKS can quickly identify a good kernel (here: most picks are dense SIFT, 9 to 16, in most tasks)."""
    tasks = _in_study(evidence, TASKS)
    shares = {}
    for name in tasks:
        picks = evidence.results.values(name, "oks_svm", PICKED)
        if picks.size:
            shares[name] = float(sum(int(pick) in DENSE_SIFT for pick in picks)) / picks.size
    mean = 100.0 * sum(shares.values()) / len(shares) if shares else 0.0
    phrase = f"more than half of the picks are among 9 to 16 ({mean:.0f} % in all; printed: 28 of 30)"
    return Answer.by_values(shares, lambda share: share > 0.5, tasks, "most", phrase)


def oks_is_quick(evidence: Evidence) -> Answer:
    """OKS-SVM takes a small fraction of MuSVM's time (here: less than 5 percent; printed: 2.2 to 3.3)."""
    return _ratio(evidence, SECONDS, "seconds", SMALL)


def first_stage_is_quick(evidence: Evidence) -> Answer:
    """OKS itself takes less than 2 percent of MuSVM's time (asked here; printed: 0.8 to 1.1)."""
    return _ratio(evidence, "fit_seconds", "the selection", FIRST_STAGE)


def _ratio(evidence: Evidence, metric: str, phrase: str, limit: float) -> Answer:
    tasks = _in_study(evidence, TASKS)
    reference, means = evidence.means(["musvm"], SECONDS, tasks), evidence.means(["oks_svm"], metric, tasks)
    ratios = {name: 100.0 * means[name]["oks_svm"] / row["musvm"] for name, row in reference.items() if name in means}
    phrase = f"{phrase} of OKS-SVM below {limit:g} % of MuSVM's time"
    return Answer.by_values(ratios, lambda ratio: ratio < limit, tasks, "every", phrase, "({:.1f} to {:.1f} %)")


def few_values_are_made(evidence: Evidence) -> Answer:
    """OKS avoids computing all the full kernel matrices (here: OKS-SVM needs under 3 percent of the 60 n^2 values)."""
    tasks = _in_study(evidence, TASKS)
    shares = {name: row["oks_svm"] for name, row in evidence.means(["oks_svm"], SHARE, tasks).items()}
    phrase = f"OKS-SVM makes less than {TOUCHED:g} % of the kernel values"
    return Answer.by_values(shares, lambda share: share < TOUCHED, tasks, "every", phrase, "({:.2f} to {:.2f} %)")


def simplemkl_is_slowest(evidence: Evidence) -> Answer:
    """SIPMKL is the slowest of the eight methods by far (here: by a factor of two at least)."""
    tasks = _in_study(evidence, TASKS)
    factors = {
        name: row["simplemkl"] / max(seconds for method, seconds in row.items() if method != "simplemkl")
        for name, row in evidence.means(METHODS, SECONDS, tasks).items()
    }
    phrase = "SIPMKL is slowest by a factor of two"
    return Answer.by_values(factors, lambda factor: factor >= 2.0, tasks, "every", phrase, "({:.1f} to {:.1f})")


def _ranked(evidence: Evidence, tasks: list[str]) -> dict[str, list[int]]:
    """Return the kernels of each task by their own test accuracy, the best first, in the paper's numbers."""
    names = [kernel.name for kernel in evidence.results.study.kernel_list()]
    ranking = {}
    for task in _in_study(evidence, tasks):
        alone = evidence.results.by_kernel("each_kernel", task, "one_kernel", ACCURACY)
        if len(alone):
            ranked = alone.sort_values(ascending=False, kind="stable").index
            ranking[task] = [1 + names.index(name) for name in ranked]
    return ranking


def dense_sift_is_best(evidence: Evidence) -> Answer:
    """On Pascal07 the best kernel is 11 or 15, a chi-square of dense SIFT (here: first or second)."""
    ranked = _ranked(evidence, PASCAL)
    best = "; ".join(f"{name}: {', '.join(map(str, kernels[:EXTREME]))}" for name, kernels in ranked.items())
    hits = {name: bool({*kernels[:2]} & {*CHI_SQUARE_OF_DENSE_SIFT}) for name, kernels in ranked.items()}
    phrase = f"11 or 15 among the best two (best five: {best})"
    return Answer.by_share(hits, _in_study(evidence, PASCAL), "every", phrase)


def sift_is_good(evidence: Evidence) -> Answer:
    """On Pascal07 good kernels are those of SIFT (here: four of the best five, dense or Harris; printed: 9 to 16)."""
    ranked = _ranked(evidence, PASCAL)
    hits = {name: len({*kernels[:EXTREME]} & {*SIFT}) >= EXTREME - 1 for name, kernels in ranked.items()}
    return Answer.by_share(hits, _in_study(evidence, PASCAL), "every", "four of the best five kernels are of SIFT")


def lab_is_bad(evidence: Evidence) -> Answer:
    """On Pascal07 bad kernels are 45 to 48, colour histograms in Lab (here: one is among the worst five)."""
    return _worst(evidence, PASCAL, LAB, "45 to 48")


def hue_is_bad(evidence: Evidence) -> Answer:
    """On Corel5k bad kernels are words of hue, 1 to 4 and 21 to 28 (here: one is among the worst five)."""
    return _worst(evidence, COREL, HUE, "1 to 4 and 21 to 28")


def _worst(evidence: Evidence, tasks: list[str], bad: list[int] | range, numbers: str) -> Answer:
    ranked = _ranked(evidence, tasks)
    worst = "; ".join(f"{name}: {', '.join(map(str, kernels[-EXTREME:]))}" for name, kernels in ranked.items())
    hits = {name: bool({*kernels[-EXTREME:]} & {*bad}) for name, kernels in ranked.items()}
    phrase = f"one of {numbers} among the worst five (worst five: {worst})"
    return Answer.by_share(hits, _in_study(evidence, tasks), "every", phrase)


CLAIMS = [
    Claim("1a", "Empirical Studies", oks_is_comparable),
    Claim("1b", "Empirical Studies", oks_beats_som),
    Claim("1c", "Empirical Studies", oks_picks_dense_sift),
    Claim("2a", "Tables 1 and 2", oks_is_quick),
    Claim("2b", "Tables 1 and 2", simplemkl_is_slowest),
    Claim("2c", "Introduction", few_values_are_made),
    Claim("2d", "asked here", first_stage_is_quick),
    Claim("3a", "Figure 1", dense_sift_is_best),
    Claim("3b", "Figure 1", sift_is_good),
    Claim("3c", "Figure 1", lab_is_bad),
    Claim("3d", "Figure 2", hue_is_bad),
]
