"""What the field says of kernel learning, on a leaderboard of many algorithms on many data sets.

The papers say it of their own data sets and pools; here all algorithms share them. "Beats" compares mean accuracies
over the data sets by Wilcoxon's signed-rank test at 5 % (Demšar 2006), with Holm's correction where several algorithms
are asked the same. A comparison needs half of the data sets that it speaks of, and as many as the test needs to tell
anything apart; otherwise it is not judged, and says why.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grambench.claims import Answer, Claim, Evidence, list_names
from grambench.results.statistics import BEST_LEVEL, holm, signed_rank

UNIFORM, SINGLE = "uniform_svm", "best_kernel_svm"
LEARNED = [  # simple_mkl, silp and d1 solve one problem, the l1 norm's, by three descents
    *("simple_mkl", "silp", "d1", "d2", "lp_mkl", "mkl_l2"),
    *("klc", "rkl", "easy_mkl", "cka", "alignf"),
]
CONTINUOUS = ["ca_1d", "ca_nd", "cr", "cr_dc"]
KERNEL_LEARNING = [*LEARNED, *CONTINUOUS]
ACCURACY, SECONDS, WORK = "accuracy_percent", "seconds", "operations"
LEAST = 6  # data sets below which Wilcoxon's test cannot tell two algorithms apart at 5 %
NEAR = 2.0  # points
CHEAP = 0.01  # share of the work


class Duel(NamedTuple):
    """Points that one algorithm is ahead of another on each data set, and the p-value; or why it is not judged."""

    points: dict[str, float]
    p_value: float
    reason: str = ""

    @property
    def median(self) -> float:
        """By how many points it is ahead on the median data set."""
        return float(np.median(list(self.points.values())))

    def beats(self, p_value: float) -> bool:
        """Return whether it is ahead, at a p-value that may be a corrected one."""
        return self.median > 0.0 and p_value < BEST_LEVEL


def _duel(evidence: Evidence, first: str, second: str, datasets: list[str] | None = None) -> Duel:
    """Compare two configurations on the study's data sets, or on some of them."""
    datasets = evidence.results.study.datasets if datasets is None else datasets
    means = evidence.means([first, second], ACCURACY, datasets)
    points = {name: row[first] - row[second] for name, row in means.items()}
    if 2 * len(points) < len(datasets) or len(points) < LEAST:
        return Duel(points, np.nan, _explain_missing(evidence, [first, second], datasets, len(points)))
    return Duel(points, signed_rank(list(points.values()), np.zeros(len(points))))


def _explain_missing(evidence: Evidence, names: Sequence[str], datasets: list[str], available: int) -> str:
    """Return why configurations cannot be compared."""
    results = evidence.results
    if unknown := [name for name in names if name not in results.study.algorithms]:
        return f"the study has no configuration {list_names(unknown)}"
    parts = [f"{available} of {len(datasets)} data sets have both, {LEAST} and half of them are needed"]
    for name in names:
        # The first data set without a result stands for all of them.
        reasons = [reason for dataset in datasets if (reason := results.missing(dataset, name))]
        parts += [f"{results.title(name)}: {reason}" for reason in reasons[:1]]
    return "; ".join(parts)


def _beats(evidence: Evidence, first: str, second: str, datasets: list[str] | None = None) -> Answer:
    """Judge whether one configuration beats another."""
    duel = _duel(evidence, first, second, datasets)
    if duel.reason:
        return Answer.undecided(f"not judged: {duel.reason}")
    title = evidence.results.title
    ahead = sum(points > 0.0 for points in duel.points.values())
    text = f"{title(first)} is ahead of {title(second)} on {ahead} of {len(duel.points)} data sets, "
    text += f"by {duel.median:+.2f} points on the median one, p = {duel.p_value:.2g}"
    return Answer.of(duel.beats(duel.p_value), text)


def beat(evidence: Evidence, configurations: Sequence[str], rival: str, *, most: bool) -> Answer:
    """Judge whether most of some configurations beat another one, or whether any does."""
    duels = {name: _duel(evidence, name, rival) for name in configurations}
    judged = {name: duel for name, duel in duels.items() if not duel.reason}
    not_judged = [f"{evidence.results.title(name)} ({duel.reason})" for name, duel in duels.items() if duel.reason]
    if not judged:
        return Answer.undecided(f"not judged: {next(iter(duels.values())).reason}")
    fewest = min(len(duel.points) for duel in judged.values())
    if len(judged) * 2.0 ** (1 - fewest) >= BEST_LEVEL:  # the smallest of p-values, corrected
        return Answer.undecided(f"not judged: {fewest} data sets are too few for {len(judged)} tests at once")
    corrected = dict(zip(judged, holm([duel.p_value for duel in judged.values()]), strict=True))
    ahead = [name for name, duel in judged.items() if duel.beats(corrected[name])]
    behind = [name for name, duel in judged.items() if duel.median < 0.0 and corrected[name] < BEST_LEVEL]
    text = f"{len(ahead)} of {len(judged)} beat {evidence.results.title(rival)}: {_points(evidence, judged, ahead)}"
    text += f"; {len(behind)} are beaten by it: {_points(evidence, judged, behind)}"
    text += f"; not judged: {'; '.join(not_judged)}" if not_judged else ""
    if most:
        return Answer.of(2 * len(ahead) > len(judged), text, enough=2 * len(judged) >= len(duels))
    return Answer.of(bool(ahead), text, enough=bool(ahead) or not not_judged)


def _points(evidence: Evidence, duels: dict[str, Duel], names: list[str]) -> str:
    return list_names([f"{evidence.results.title(name)} {duels[name].median:+.2f}" for name in names])


def many_beat_one(evidence: Evidence) -> Answer:
    """Multiple kernels instead of a single one are useful (here: the uniform mean beats the best kernel)."""
    return _beats(evidence, UNIFORM, SINGLE)


def some_learned_beat_uniform(evidence: Evidence) -> Answer:
    """At least one learned combination of kernels beats their uniform mean (here: of those listed)."""
    return beat(evidence, LEARNED, UNIFORM, most=False)


def most_learned_beat_uniform(evidence: Evidence) -> Answer:
    """Learned combinations of kernels beat their uniform mean in general (here: most of those listed do)."""
    return beat(evidence, LEARNED, UNIFORM, most=True)


def continuous_beats_grid_in_two_stages(evidence: Evidence) -> Answer:
    """Continuous families of kernels beat finite sets (here: by alignment, CA-1D on Gaussians beats DA on the pool)."""
    return _beats(evidence, "ca_1d", "alignf")


def continuous_beats_grid_in_one_stage(evidence: Evidence) -> Answer:
    """Continuous families of kernels beat finite sets (here: by risk, CR on Gaussians beats D1 on the pool)."""
    return _beats(evidence, "cr", "d1")


def dense_beats_sparse(evidence: Evidence) -> Answer:
    """Sparsity hurts where all kernels matter: the l1 norm is worse than the l2 norm.

    (Here: where their uniform mean is at least as accurate as the best one of them.)
    """
    datasets = evidence.results.study.datasets
    means = evidence.means([UNIFORM, SINGLE], ACCURACY, datasets)
    if not means:
        return Answer.undecided(f"not judged: {_explain_missing(evidence, [UNIFORM, SINGLE], datasets, 0)}")
    matter = [name for name, row in means.items() if row[UNIFORM] >= row[SINGLE]]
    answer = _beats(evidence, "d2", "d1", matter)
    return answer._replace(evidence=f"all kernels matter on {len(matter)} of {len(means)}; {answer.evidence}")


def om2_is_near_and_cheap(evidence: Evidence) -> Answer:
    """OM-2 comes within 2 points of lp-norm MKL in one pass, at a hundredth of the cost.

    (Here: on most data sets. The cost is the number of kernel evaluations and of entries of rows added.)
    """
    return _near_and_cheap(evidence, "om2", "lp_mkl")


def omkc_is_near_and_cheap(evidence: Evidence) -> Answer:
    """OMKC(D,D) comes within 2 points of SimpleMKL in one pass, at a hundredth of the cost (here: judged as 4a)."""
    return _near_and_cheap(evidence, "omkc_dd", "simple_mkl")


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
        text += f", {np.median(times):.2g} of the seconds"
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


SURVEY = "Gönen and Alpaydın 2011, JMLR 12, abstract"
CLEAR = "Afkanpour et al. 2013, Section 1: a clear advantage"
DISPUTED = "disputed by Gai et al. 2010 and Orabona et al. 2010, Section 1 of both"
GRID = "Afkanpour et al. 2013, Section 3.2"
NORMS = "after Cortes et al. 2009, UAI, on regression, and Kloft et al. 2011, JMLR 12"
ONLINE = "asked here: the papers compare online algorithms with each other"
RIVALS = "asked here: the papers compare kernel learning with itself"

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
]
