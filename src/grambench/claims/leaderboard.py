"""What the field says of kernel learning, on a leaderboard of many algorithms on many data sets.

The papers say it of their own data sets and pools; here all algorithms share them. Mean accuracies over the data sets
are compared by the Bayesian signed-rank test, with a region of practical equivalence of one point. An algorithm is
better than another one, worse, or practically equal to it, if this has a probability of at least .95; otherwise the
comparison is undecided. A claim that it beats the other holds if it is better, and fails if the probability that it is
not is at least .95. A comparison needs half of the data sets that it speaks of, and six; otherwise it is not judged,
and says why.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grambench.claims import Answer, Claim, Evidence, list_names
from grambench.results.statistics import Posterior, bayesian_signed_rank

UNIFORM, SINGLE = "uniform_svm", "best_kernel_svm"
SUMS = ["d1", "d2", "lp_mkl", "mkl_l2", "klc", "rkl", "easy_mkl", "cka", "alignf"]  # weighted sums of kernels
CENTRED_SUMS = ["d1_centred", "d2_centred"]
LEARNED = [*SUMS, *CENTRED_SUMS, "gmkl", "localised_mkl"]
KERNEL_LEARNING = [*LEARNED, "ca_1d", "ca_nd", "cr", "cr_dc"]
ACCURACY, SECONDS, WORK = "accuracy_percent", "seconds", "operations"
LEAST = 6  # data sets of a comparison; the test alone would decide on four, which say little of others
NEAR = 2.0  # points
CHEAP = 0.01  # share of the work


class Duel(NamedTuple):
    """Points that one algorithm is ahead of another on each data set, and the test; or why it is not judged."""

    points: dict[str, float]
    posterior: Posterior | None
    reason: str = ""

    @property
    def median(self) -> float:
        """By how many points it is ahead on the median data set."""
        return float(np.median(list(self.points.values())))

    @property
    def verdict(self) -> str:
        """The verdict on the first algorithm, or "not judged"."""
        return self.posterior.verdict if self.posterior else "not judged"

    @property
    def may_be_better(self) -> bool:
        """Whether it is not excluded that the first algorithm is better."""
        return not (self.posterior and self.posterior.not_better)


def _duel(evidence: Evidence, first: str, second: str, datasets: list[str] | None = None) -> Duel:
    """Compare two configurations on the study's data sets, or on some of them."""
    datasets = evidence.results.study.datasets if datasets is None else datasets
    means = evidence.means([first, second], ACCURACY, datasets)
    points = {name: row[first] - row[second] for name, row in means.items()}
    if 2 * len(points) < len(datasets) or len(points) < LEAST:
        return Duel(points, None, _explain_missing(evidence, [first, second], datasets, len(points)))
    return Duel(points, bayesian_signed_rank(list(points.values()), np.zeros(len(points))))


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


def beats(evidence: Evidence, first: str, second: str, datasets: list[str] | None = None) -> Answer:
    """Judge whether one configuration beats another."""
    duel, title = _duel(evidence, first, second, datasets), evidence.results.title
    if duel.posterior is None:
        return Answer.undecided(f"not judged: {duel.reason}")
    better, equal, worse = duel.posterior
    text = f"{title(first)} against {title(second)}: {duel.verdict}, with probabilities of {better:.3f} better, "
    text += f"{equal:.3f} practically equal and {worse:.3f} worse; "
    text += f"median difference {duel.median:+.2f} points on {len(duel.points)} data sets"
    holds = duel.verdict == "better"
    return Answer.of(holds, text, enough=holds or not duel.may_be_better)


def beat(
    evidence: Evidence, configurations: Sequence[str], rival: str, *, most: bool, datasets: list[str] | None = None
) -> Answer:
    """Judge whether most of some configurations beat another one, or whether any does; those that the study has.

    The claim fails if it would fail with all those that are undecided or not judged as well.
    """
    available = [name for name in configurations if name in evidence.results.study.algorithms]
    duels = {name: _duel(evidence, name, rival, datasets) for name in available or configurations}
    if not any(duel.posterior for duel in duels.values()):
        return Answer.undecided(f"not judged: {next(iter(duels.values())).reason}")
    better = sum(duel.verdict == "better" for duel in duels.values())
    text = f"{better} of {len(duels)} are better than {evidence.results.title(rival)}"
    text += " (probabilities of better, practically equal and worse; median difference in points)"
    for verdict in ("better", "practically equal", "worse", "undecided", "not judged"):
        names = [_describe(evidence, name, duel) for name, duel in duels.items() if duel.verdict == verdict]
        text += f"; {verdict}: {list_names(names)}" if names else ""
    needed = len(duels) // 2 + 1 if most else 1
    possible = sum(duel.may_be_better for duel in duels.values())
    return Answer.of(better >= needed, text, enough=better >= needed or possible < needed)


def _describe(evidence: Evidence, name: str, duel: Duel) -> str:
    """Return an algorithm with its probabilities and its median difference, or with why it is not judged."""
    title = evidence.results.title(name)
    if duel.posterior is None:
        return f"{title} ({duel.reason})"
    better, equal, worse = duel.posterior
    return f"{title} ({better:.3f}, {equal:.3f}, {worse:.3f}; {duel.median:+.2f})"


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
