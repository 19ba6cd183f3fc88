"""What the field says of kernel learning, on a leaderboard of many algorithms on many data sets.

The papers say it of their own data sets and pools; here all algorithms share them. Two algorithms are compared over the
data sets by harm and gain (`grambench.results.statistics.harm_and_gain`). One beats the other if the interval of the
mean difference of accuracies lies beyond one point. A claim that it does fails if the interval lies below one point,
and is undecided otherwise.

A claim on some or most of k algorithms is judged at 5 % divided by k - r + 1, where r of them are needed (Benjamini and
Heller 2008, Biometrics 64): by k for the best of k, with Bonferroni. It fails if k - r + 1 of them do not beat the
rival, at 5 % divided by r. A comparison needs half of the data sets that it speaks of, and six; otherwise it is not
judged, and says why. A collection of data sets counts as one.

Claims 7a to 7c are on two pools of kernels. What moves accuracy more is judged by the interval of the mean difference
over the data sets, with 0 in the place of a point: distances have no sign, so that neither pool is better.
"""

from collections.abc import Sequence

import numpy as np

from grambench.claims import Answer, Claim, Evidence, list_names
from grambench.results.statistics import BEST_LEVEL, HarmAndGain, resampled_difference

UNIFORM, SINGLE = "uniform_svm", "best_kernel_svm"
SUMS = ["d1", "d2", "lp_mkl", "mkl_l2", "klc", "rkl", "easy_mkl", "cka", "alignf"]  # weighted sums of kernels
CENTRED_SUMS = ["d1_centred", "d2_centred"]
RECENT_SUMS = ["bemkl", "memo", "gram_mkl", "pwmk"]
LEARNED = [*SUMS, *CENTRED_SUMS, "gmkl", "localised_mkl", *RECENT_SUMS, "mkboost"]
FEATURES = "features"  # the second pool
POOLED = ["d1", "d1_centred", "d2", "lp_mkl", "easy_mkl", "cka", "rkl"]  # the learned sums that are run on both pools
KERNEL_LEARNING = [*LEARNED, "ca_1d", "ca_nd", "cr", "cr_dc"]
ACCURACY, SECONDS, WORK = "accuracy_percent", "seconds", "operations"
LEAST = 6  # data sets of a comparison; the test alone would decide on four, which say little of others
NEAR = 2.0  # points
CHEAP = 0.01  # share of the work
ABOUT = "mean difference, 95 % interval; data sets shown to be worse, within a point, better; a next data set likewise"


def _compare(evidence: Evidence, first: str, second: str, datasets: list[str] | None = None) -> HarmAndGain | str:
    """Compare two configurations on the study's data sets, or on some of them; or return why they are not compared."""
    study = evidence.results.study
    if unknown := [name for name in (first, second) if name not in study.algorithms]:
        return f"the study has no configuration {list_names(unknown)}"
    datasets = study.datasets if datasets is None else datasets
    count = len({study.collection(name) for name in datasets})
    compared = evidence.results.compare(first, second, ACCURACY, datasets) if datasets else None
    if compared is None or compared.votes < LEAST or 2 * compared.votes < count:
        return _explain_missing(evidence, [first, second], datasets, compared.votes if compared else 0, count)
    return compared


def _explain_missing(
    evidence: Evidence, names: Sequence[str], datasets: list[str], available: int, count: int | None = None
) -> str:
    """Return why configurations cannot be compared."""
    results = evidence.results
    parts = [
        f"{available} of {count or len(datasets)} data sets have two repetitions of both, "
        f"{LEAST} and half of them are needed"
    ]
    for name in names:
        # The first data set without a result stands for all of them.
        reasons = [reason for dataset in datasets if (reason := results.missing(dataset, name))]
        parts += [f"{results.title(name)}: {reason}" for reason in reasons[:1]]
    return "; ".join(parts)


def beats(evidence: Evidence, first: str, second: str, datasets: list[str] | None = None) -> Answer:
    """Judge whether one configuration beats another."""
    compared, title = _compare(evidence, first, second, datasets), evidence.results.title
    if isinstance(compared, str):
        return Answer.undecided(f"not judged: {compared}")
    verdict = compared.verdict()
    text = f"{title(first)} against {title(second)}: {verdict}; {compared}"
    return Answer.of(verdict == "better", text, enough=verdict == "better" or compared.not_better())


def beat(
    evidence: Evidence, configurations: Sequence[str], rival: str, *, most: bool, datasets: list[str] | None = None
) -> Answer:
    """Judge whether most of some configurations beat another one, or whether any does; those that the study has.

    The claim fails if it would fail with all those that are undecided or not judged as well.
    """
    available = [name for name in configurations if name in evidence.results.study.algorithms] or configurations
    answers = {name: _compare(evidence, name, rival, datasets) for name in available}
    compared = {name: each for name, each in answers.items() if not isinstance(each, str)}
    if not compared:
        return Answer.undecided(f"not judged: {answers[available[0]]}")
    needed = len(available) // 2 + 1 if most else 1
    spare = len(available) - needed + 1
    verdicts = {name: compared[name].verdict(spare) if name in compared else "not judged" for name in available}
    better = list(verdicts.values()).count("better")
    text = f"{better} of {len(available)} are better than {evidence.results.title(rival)}, at 5 % divided by {spare} ("
    text += f"{ABOUT})"
    for verdict in ("better", "practically equal", "worse", "undecided", "not judged"):
        names = [name for name in available if verdicts[name] == verdict]
        texts = [getattr(answers[name], "brief", answers[name]) for name in names]
        titled = [f"{evidence.results.title(name)} ({text})" for name, text in zip(names, texts, strict=True)]
        text += f"; {verdict}: {list_names(titled)}" if names else ""
    possible = len(available) - sum(each.not_better(needed) for each in compared.values())
    return Answer.of(better >= needed, text, enough=better >= needed or possible < needed)


def many_beat_one(evidence: Evidence) -> Answer:
    """Multiple kernels instead of a single one are useful (here: the uniform mean beats the best kernel)."""
    return beats(evidence, UNIFORM, SINGLE)


def some_learned_beat_uniform(evidence: Evidence) -> Answer:
    """At least one learned combination of kernels beats their uniform mean (here: of those listed)."""
    return beat(evidence, LEARNED, UNIFORM, most=False)


def most_learned_beat_uniform(evidence: Evidence) -> Answer:
    """Learned combinations of kernels beat their uniform mean in general (here: most of those listed do)."""
    return beat(evidence, LEARNED, UNIFORM, most=True)


def continuous_beats_grid_in_two_stages(evidence: Evidence) -> Answer:
    """Continuous families of kernels beat finite sets (here: by alignment, CA-1D on Gaussians beats DA on the pool)."""
    return beats(evidence, "ca_1d", "alignf")


def continuous_beats_grid_in_one_stage(evidence: Evidence) -> Answer:
    """Continuous families of kernels beat finite sets (here: by risk, CR on Gaussians beats D1 on the pool)."""
    return beats(evidence, "cr", "d1")


def dense_beats_sparse(evidence: Evidence) -> Answer:
    """Sparsity hurts where all kernels matter: the l1 norm is worse than the l2 norm.

    (Here: where their uniform mean is at least as accurate as the best one of them.)
    """
    datasets = evidence.results.study.datasets
    means = evidence.means([UNIFORM, SINGLE], ACCURACY, datasets)
    if not means:
        return Answer.undecided(f"not judged: {_explain_missing(evidence, [UNIFORM, SINGLE], datasets, 0)}")
    matter = [name for name, row in means.items() if row[UNIFORM] >= row[SINGLE]]
    answer = beats(evidence, "d2", "d1", matter)
    return answer._replace(evidence=f"all kernels matter on {len(matter)} of {len(means)}; {answer.evidence}")


def om2_is_near_and_cheap(evidence: Evidence) -> Answer:
    """OM-2 comes within 2 points of lp-norm MKL in one pass, at a hundredth of the cost.

    (Here: on most data sets. The cost is the number of kernel evaluations and of entries of rows added.)
    """
    return _near_and_cheap(evidence, "om2", "lp_mkl")


def omkc_is_near_and_cheap(evidence: Evidence) -> Answer:
    """OMKC(D,D) comes within 2 points of l1-norm MKL in one pass, at a hundredth of the cost (here: judged as 4a)."""
    return _near_and_cheap(evidence, "omkc_dd", "d1")


def perceptron_is_near_and_cheap(evidence: Evidence) -> Answer:
    """Perceptron(u) comes within 2 points of the uniform SVM at a hundredth of the cost (here: judged as 4a)."""
    return _near_and_cheap(evidence, "perceptron_u", UNIFORM)


def _near_and_cheap(evidence: Evidence, online: str, batch: str) -> Answer:
    datasets = evidence.results.study.datasets
    accuracy, work, seconds = (
        evidence.means([online, batch], metric, datasets) for metric in (ACCURACY, WORK, SECONDS)
    )
    available = [name for name in datasets if name in accuracy and name in work and work[name][batch] > 0.0]
    if not available:
        return Answer.undecided(f"not judged: {_explain_missing(evidence, [online, batch], datasets, 0)}")
    behind = {name: accuracy[name][batch] - accuracy[name][online] for name in available}
    share = {name: work[name][online] / work[name][batch] for name in available}
    hits = {name: behind[name] <= NEAR and share[name] <= CHEAP for name in available}
    medians = [np.median([*values.values()]) for values in (behind, share)]
    text = "medians: {:.2f} points behind, {:.2g} of the work".format(*medians)
    if times := [seconds[name][online] / seconds[name][batch] for name in available if name in seconds]:
        text += f", {np.median(times):.2g} of the seconds on the {len(times)} where both are measured"
    return Answer.by_share(hits, datasets, "most", "near and cheap").adding(text)


def some_beat_gaussian(evidence: Evidence) -> Answer:
    """Kernel learning beats a tuned Gaussian SVM (here: at least one of the learned kernels does)."""
    return beat(evidence, KERNEL_LEARNING, "gaussian_svm", most=False)


def most_beat_gaussian(evidence: Evidence) -> Answer:
    """Kernel learning beats a tuned Gaussian SVM in general (here: most of the learned kernels do)."""
    return beat(evidence, KERNEL_LEARNING, "gaussian_svm", most=True)


def some_beat_boosting(evidence: Evidence) -> Answer:
    """Kernel learning beats gradient boosting (here: at least one of the learned kernels does)."""
    return beat(evidence, KERNEL_LEARNING, "gradient_boosting", most=False)


def most_beat_boosting(evidence: Evidence) -> Answer:
    """Kernel learning beats gradient boosting in general (here: most of the learned kernels do)."""
    return beat(evidence, KERNEL_LEARNING, "gradient_boosting", most=True)


def pool_moves_more_than_weights(evidence: Evidence) -> Answer:
    """Which kernels are offered moves accuracy more than how they are weighted.

    (Here: from the pool of the study to that of single features, beside from the uniform mean to other weights.)
    """
    names, datasets = [UNIFORM, *POOLED, SINGLE], _with_features(evidence)
    both = [*names, *map(on_features, names)]
    if unknown := [name for name in both if name not in evidence.results.study.algorithms]:
        return Answer.undecided(f"not judged: the study has no configuration {list_names(unknown)}")
    count = len({evidence.results.study.collection(name) for name in datasets})
    pool, weights = evidence.results.moved_by_pool(names, FEATURES, ACCURACY, datasets)
    if len(pool) < LEAST or 2 * len(pool) < count:
        return Answer.undecided(f"not judged: {_explain_missing(evidence, both, datasets, len(pool), count)}")
    low, high = resampled_difference(weights, pool, overlap=0.0).interval(BEST_LEVEL)
    text = f"the pool moves accuracy by {pool.mean():.2f} points, the weights by {weights.mean():.2f}: difference "
    text += f"{(pool - weights).mean():+z.2f}, 95 % interval {low:+z.2f} to {high:+z.2f} over {len(pool)} data sets"
    more = int(np.count_nonzero(pool > weights))
    return Answer.of(low > 0.0, f"{text}; the pool more on {more}", enough=low > 0.0 or high <= 0.0)


def sparse_beats_uniform_on_features(evidence: Evidence) -> Answer:
    """On all features and each single one, the l1 norm beats the uniform mean."""
    return beats(evidence, on_features("d1"), on_features(UNIFORM), _with_features(evidence))


def some_learned_beat_uniform_on_features(evidence: Evidence) -> Answer:
    """On all features and each single one, at least one learned combination beats the mean (here: of those listed)."""
    learned = [on_features(name) for name in POOLED]
    return beat(evidence, learned, on_features(UNIFORM), most=False, datasets=_with_features(evidence))


def on_features(name: str) -> str:
    """Return the name of a configuration on the pool of single features."""
    return f"{name}_{FEATURES}"


def _with_features(evidence: Evidence) -> list[str]:
    """Return the data sets on which configurations have the pool of single features."""
    study = evidence.results.study
    entry = study.algorithms.get(on_features(UNIFORM))
    return [name for name in study.datasets if name in ((entry and entry.datasets) or study.datasets)]


SURVEY = "Gönen and Alpaydın 2011, JMLR 12, abstract"
CLEAR = "Afkanpour et al. 2013, Section 1: a clear advantage"
DISPUTED = "disputed by Gai et al. 2010 and Orabona et al. 2010, Section 1 of both"
GRID = "Afkanpour et al. 2013, Section 3.2"
NORMS = "after Cortes et al. 2009, UAI, on regression, and Kloft et al. 2011, JMLR 12"
ONLINE = "asked here: the papers compare online algorithms with each other"
RIVALS = "asked here: the papers compare kernel learning with itself"
POOLS = "asked here: the papers compare weights on pools of their own"
SINGLE_FEATURES = "asked here, on a pool after Rakotomamonjy et al. 2008, JMLR 9"

CLAIMS = [
    Claim("1a", SURVEY, many_beat_one),
    Claim("1b", CLEAR, some_learned_beat_uniform),
    Claim("1c", DISPUTED, most_learned_beat_uniform),
    Claim("2a", GRID, continuous_beats_grid_in_two_stages),
    Claim("2b", GRID, continuous_beats_grid_in_one_stage),
    Claim("3", NORMS, dense_beats_sparse),
    Claim("4a", ONLINE, om2_is_near_and_cheap),
    Claim("4b", ONLINE, omkc_is_near_and_cheap),
    Claim("4c", ONLINE, perceptron_is_near_and_cheap),
    Claim("5a", RIVALS, some_beat_gaussian),
    Claim("5b", RIVALS, most_beat_gaussian),
    Claim("6a", RIVALS, some_beat_boosting),
    Claim("6b", RIVALS, most_beat_boosting),
    Claim("7a", POOLS, pool_moves_more_than_weights),
    Claim("7b", SINGLE_FEATURES, sparse_beats_uniform_on_features),
    Claim("7c", SINGLE_FEATURES, some_learned_beat_uniform_on_features),
]
