"""Tests on means.

Most functions take mean, standard deviation and number of runs, because that is all that a paper prints. Only our own
runs can be compared in pairs. Standard deviations divide by n - 1. Figures of mean ranks compare many
algorithms on many data sets as in Demšar 2006 (JMLR 7), with Holm's correction. Claims on two algorithms over data sets
rest on harm and gain, `harm_and_gain`.
"""

import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.results.columns import ALL

BEST_LEVEL = 0.05
ROUNDING_SLACK = 1e-9
PRACTICAL = 1.0  # points of accuracy within which two algorithms are practically equal
MOST_FREEDOM = 1e9  # with which Student's t is a normal deviate
CERTAIN = 0.95  # probability from which on two algorithms are practically equal on a next data set
# Levels and quantiles of the prior of the degrees of freedom: 1 more than a gamma variable, whose shape is uniform in
# 0.5 to 5 and whose rate is uniform in 0.05 to 0.15.
FREEDOM = (
    (0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 0.99, 1.0),
    (1.0, 1.25, 2.04, 5.21, 9.82, 14.5, 19.4, 24.7, 30.8, 38.2, 48.3, 65.2, 95.0, 122.0, 380.0),
)
# Points of the unit cube, spread by the powers of the plastic number.
LATTICE = np.outer([0.8191725133961645, 0.6710436067037893, 0.5497004779019703], np.arange(1, 2049)) % 1.0

PairVerdict = Literal["better", "worse", "practically equal", "undecided"]


class Sample(NamedTuple):
    """Mean, sample standard deviation (NaN if unknown) and number of runs."""

    mean: float
    std: float
    runs: int

    @classmethod
    def of(cls, values: ArrayLike) -> "Sample":
        """Summarise the values of runs, but for NaN, of runs that lack the number; the deviation of one run is NaN."""
        array = np.asarray(values, dtype=np.float64)
        array = array[~np.isnan(array)]
        std = float(array.std(ddof=1)) if array.size > 1 else math.nan
        return cls(float(array.mean()) if array.size else math.nan, std, array.size)


class Difference(NamedTuple):
    """A difference of two means, its standard error and the error's degrees of freedom; NaN if unknown."""

    value: float
    error: float
    freedom: float

    @property
    def p_value(self) -> float:
        """The p-value of the t-test of equal means; without any variance, 1 for equal means and 0 for others."""
        # Not scipy.stats, which takes longer to load than a table takes to build.
        from scipy import special

        if self.error == 0.0:
            return float(abs(self.value) < ROUNDING_SLACK)
        return float(2.0 * special.stdtr(self.freedom, -abs(self.value / self.error)))

    def with_error(self, known: float) -> "Difference":
        """Return the difference with a further error of known size, by the formula of Welch and Satterthwaite.

        A known variance has no degrees of freedom to lose. Without any other error the difference counts as normal.
        """
        error = math.hypot(self.error, known)
        freedom = min(self.freedom * (error / self.error) ** 4, MOST_FREEDOM) if self.error else MOST_FREEDOM
        return self._replace(error=error, freedom=freedom)

    @property
    def normal_deviate(self) -> float:
        """The normal deviate that is as improbable as the difference, with its sign."""
        from scipy import special

        return math.copysign(float(special.ndtri(0.5 * self.p_value)), self.value)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the ends of the interval of the difference that the test does not reject."""
        return self.value - self.reach(level), self.value + self.reach(level)

    def reach(self, level: float) -> float:
        """Return the difference beyond which the test would reject: half of the interval of the difference."""
        from scipy import special

        return float(special.stdtrit(self.freedom, 1.0 - 0.5 * level)) * self.error


def welch(first: Sample, second: Sample) -> Difference:
    """Return by how much the second mean exceeds the first, for Welch's t-test; the two variances may differ.

    See `student` for a number whose variance is not known.
    """
    if math.isnan(first.std) or math.isnan(second.std):
        return student(first, second)
    shares = first.std**2 / first.runs, second.std**2 / second.runs
    error = math.sqrt(sum(shares))
    freedom = first.runs + second.runs - 2.0
    if error > 0.0:
        freedom = error**4 / (shares[0] ** 2 / (first.runs - 1) + shares[1] ** 2 / (second.runs - 1))
    return Difference(second.mean - first.mean, error, freedom)


def student(first: Sample, second: Sample) -> Difference:
    """Return by how much the second mean exceeds the first, for Student's t-test with a pooled variance.

    If the variance of one side is unknown, because it is a single run or the paper prints no standard deviation, it is
    taken to be the other side's. That side's runs alone then give the degrees of freedom.
    """
    value, runs = second.mean - first.mean, (first.runs, second.runs)
    if math.isnan(first.std):
        first, second = second, first
    if math.isnan(first.std) or second.runs < 1:
        return Difference(value, math.nan, math.nan)
    if math.isnan(second.std):
        variance, freedom = first.std**2, first.runs - 1
    else:
        freedom = first.runs + second.runs - 2
        variance = ((first.runs - 1) * first.std**2 + (second.runs - 1) * second.std**2) / freedom
    return Difference(value, math.sqrt(variance * sum(1 / count for count in runs)), freedom)


def resampled_difference(first: ArrayLike, second: ArrayLike, *, overlap: float) -> Difference:
    """Return by how much the second mean exceeds the first, for random splits of one data set that overlap.

    The differences of r splits are not independent. Nadeau and Bengio (2003, Machine Learning 52, section 3) take the
    correlation of two splits to be the share of test examples among those of training and test, o, and correct the
    variance by 1/r + o / (1 - o), where independent splits would have 1/r. If a split draws a part of the data set
    alone, o is that share times the part, the chance that two splits test the same example if no example selects.

    Parameters
    ----------
    first, second : array (r,)
        A metric in each split.
    overlap : float
        The share o, at least 0 and less than 1.
    """
    differences = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    differences = differences[~np.isnan(differences)]
    sample = Sample.of(differences)
    if sample.runs < 2:
        return Difference(sample.mean, math.nan, math.nan)
    std = sample.std if np.ptp(differences) >= ROUNDING_SLACK else 0.0
    correction = 1.0 / sample.runs + overlap / (1.0 - overlap)
    return Difference(sample.mean, std * math.sqrt(correction), sample.runs - 1.0)


def paired(first: ArrayLike, second: ArrayLike) -> float:
    """Return the p-value of the t-test on the differences of independent runs in pairs; NaN below two runs.

    Differences without any variance give a certain answer: 1 where they are 0, else 0.
    """
    return resampled_difference(first, second, overlap=0.0).p_value


def best_set(
    samples: Mapping[str, Sample], *, highest: bool = False, test: Callable[[str, str], float] | None = None
) -> set[str]:
    """Return the name with the best mean and all those that a test at 5 % cannot tell from it.

    With Student's test this is the highlighting of OMKC's tables (Section 5.2). Names without runs are never included.
    Of single runs, for which there is no test, the best alone is.

    Parameters
    ----------
    samples : dict of Sample
        The numbers to compare, by name.
    highest : bool
        Whether the best mean is the highest and not the lowest.
    test : callable, optional
        A function that returns the p-value for two names; Student's test by default.
    """
    means = {name: sample.mean for name, sample in samples.items() if sample.runs > 0}
    if not means:
        return set()
    best = (max if highest else min)(means, key=lambda name: means[name])
    p_value = test or (lambda name, other: student(samples[name], samples[other]).p_value)
    return {name for name, mean in means.items() if mean == means[best] or p_value(name, best) >= BEST_LEVEL}


class HarmAndGain(NamedTuple):
    """How one method does beside another over data sets, in points: where it harms, where it gains, and what to expect.

    Attributes
    ----------
    worse, within, better : int
        Data sets on which the 95 % interval of the difference lies beyond a point below 0, within a point, or beyond a
        point above 0. On all others it shows neither.
    below, above : int
        Data sets on which the mean difference, whatever its interval, is beyond a point below or above 0.
    votes : int
        The number of data sets; a collection of several counts as one.
    mean : Difference
        The mean difference over the data sets, for Student's t-test over them.
    next_worse, next_within, next_better : float
        Probabilities that the true difference on a next data set is in these regions, see `predict_next`.
    """

    worse: int
    within: int
    better: int
    below: int
    above: int
    votes: int
    mean: Difference
    next_worse: float
    next_within: float
    next_better: float

    def verdict(self, tests: float = 1.0) -> PairVerdict:
        """Return in which region the mean difference is shown to lie, at 5 % divided by the number of `tests`.

        "Practically equal" says more: a next data set is within a point with a probability of at least `CERTAIN`, no
        data set is shown to be beyond, and more are shown to be within than are beyond by their means. The model of the
        probability is led by data sets with precise differences; the counts are not.
        """
        shown_equal = self.within > self.below + self.above and not self.worse + self.better
        if self.next_within >= CERTAIN and shown_equal:
            return "practically equal"
        low, high = self.mean.interval(BEST_LEVEL / tests)
        return "better" if low > PRACTICAL else "worse" if high < -PRACTICAL else "undecided"

    def not_better(self, tests: float = 1.0) -> bool:
        """Return whether the mean difference is shown to be no more than a point, at 5 % divided by `tests`."""
        return self.mean.interval(BEST_LEVEL / tests)[1] <= PRACTICAL

    @property
    def brief(self) -> str:
        """Mean difference and 95 % interval; the three counts; the three probabilities."""
        low, high = self.mean.interval(BEST_LEVEL)
        _, counts, chances = self.texts.values()
        return f"{self.mean.value:+z.2f}, {low:+z.2f} to {high:+z.2f}; {counts}; {chances}"

    @property
    def texts(self) -> dict[str, str]:
        """The same as texts of a table, by their labels; the mean difference has one decimal."""
        low, high = self.mean.interval(BEST_LEVEL)
        return {
            "difference, 95 % interval": f"{self.mean.value:+z.1f} ({low:+z.1f} to {high:+z.1f})",
            "shown on data sets": f"{self.worse}, {self.within}, {self.better} of {self.votes}",
            "on a next data set": f"{self.next_worse:.2f}, {self.next_within:.2f}, {self.next_better:.2f}",
        }

    def __str__(self) -> str:
        low, high = self.mean.interval(BEST_LEVEL)
        counts = f"more than a point worse on {self.worse}, within a point on {self.within} and better on {self.better}"
        means = f"{self.below}, {self.votes - self.below - self.above} and {self.above}"
        mean = f"mean difference {self.mean.value:+z.2f} points, 95 % interval {low:+z.2f} to {high:+z.2f}"
        chances = f"{self.next_worse:.2f}, {self.next_within:.2f} and {self.next_better:.2f}"
        shown = f"shown {counts} of {self.votes} data sets, by the means alone {means}"
        return f"{shown}; {mean}; a next data set likewise with probabilities of {chances}"


@functools.cache
def harm_and_gain(differences: tuple[Difference, ...]) -> HarmAndGain:
    """Compare a method with another one over data sets.

    Parameters
    ----------
    differences : tuple of Difference
        By how many points it is ahead on each data set, at least two, by `resampled_difference`.
    """
    points = np.round([each.value for each in differences], 9)
    low, high = np.array([each.interval(BEST_LEVEL) for each in differences]).T
    counts = (high < -PRACTICAL, (low >= -PRACTICAL) & (high <= PRACTICAL), low > PRACTICAL)
    beyond = (*counts, points < -PRACTICAL, points > PRACTICAL)
    mean = resampled_difference(np.zeros(points.size), points, overlap=0.0)
    if not np.ptp(points):
        # Accuracies are shares of few examples, so that differences may be equal by chance. Their own errors count.
        mean = mean._replace(error=float(np.linalg.norm([each.error for each in differences])) / points.size)
    worse, within, better, below, above = (int(each.sum()) for each in beyond)
    return HarmAndGain(worse, within, better, below, above, points.size, mean, *predict_next(differences))


def predict_next(differences: Sequence[Difference]) -> tuple[float, float, float]:
    """Return the probabilities that a next data set is more than a point worse, within a point, more than one better.

    The hierarchical model of Corani, Benavoli, Demšar, Mangili and Zaffalon 2017 (Machine Learning 106): true
    differences of data sets are Student's t with unknown location, spread and degrees of freedom, and have the paper's
    priors. Two things differ. A deviation within a data set has Jeffreys' prior, so that its posterior is the corrected
    interval. The probabilities are those of the next data set's difference, and not of which region is the most likely.

    Each t is a mixture of normals. Location, logarithm of the spread, and fourth root of the level of the degrees of
    freedom in their prior lie on a lattice (Korobov), first over all that is possible and then over what is likely.
    """
    from scipy import special

    values, errors, freedom = np.array(differences).T
    # Below a twentieth of a point an error has no influence, and might be 0.
    errors = np.maximum(errors, PRACTICAL / 20)
    variances_of_noise, shares_of_noise = _normals(freedom, 5)
    spread = values.std() + errors.max()
    box = np.array([[values.min() - spread, values.max() + spread], np.log([PRACTICAL / 50, 20 * spread]), [0.0, 1.0]])
    for points in (512, 512, 512, 2048):
        lattice = box[:, :1] + np.ptp(box, axis=1)[:, None] * LATTICE[:, :points]
        location, scale, prior = lattice[0], np.exp(lattice[1]), np.interp(lattice[2] ** 4, *FREEDOM)
        variances, shares = _normals(prior, 7)
        variances *= scale[:, None] ** 2
        # The priors of the spread and of the level are flat, and the lattice is even in functions of them.
        likelihood = lattice[1] + 3.0 * np.log(lattice[2])
        for value, error in zip(values, errors[:, None] ** 2 * variances_of_noise, strict=True):
            total = variances[:, :, None] + error
            normal = np.exp(-0.5 * (value - location)[:, None, None] ** 2 / total) / np.sqrt(total)
            likelihood += np.log(normal @ shares_of_noise @ shares + np.finfo(float).tiny)
        weights = special.softmax(likelihood)
        centre = lattice @ weights
        half = np.maximum(5.0 * np.sqrt((lattice - centre[:, None]) ** 2 @ weights), np.ptp(box, axis=1) / 8)
        box = np.clip(centre + np.array([-half, half]), *box.T).T
    worse, better = (
        float(weights @ special.stdtr(prior, (sign * location - PRACTICAL) / scale)) for sign in (-1.0, 1.0)
    )
    return worse, 1.0 - worse - better, better


def _normals(freedom: Floats, count: int) -> tuple[Floats, Floats]:
    """Return variances (f, count) and shares (count,) of normals whose mixtures are close to Student's t."""
    from scipy import special

    # Gauss-Legendre over the fourth root of the level, since large variances make the tails.
    points, weights = np.polynomial.legendre.leggauss(count)
    roots = 0.5 * (points + 1.0)
    variances = 0.5 * freedom[:, None] / special.gammaincinv(0.5 * freedom[:, None], roots**4)
    return np.asarray(variances), 2.0 * weights * roots**3


def friedman(means: pd.DataFrame) -> tuple[float, float]:
    """Return statistic and p-value of Friedman's test that all algorithms (columns) do as well on the data sets (rows).

    Both are NaN below three algorithms or two data sets, and if all algorithms tie on every data set. Means that are
    equal to nine decimals tie.
    """
    from scipy import stats

    means = means.round(9)
    if means.shape[0] < 2 or means.shape[1] < 3 or not np.ptp(means.to_numpy(), axis=1).any():
        return math.nan, math.nan
    test = stats.friedmanchisquare(*(means[name].to_numpy() for name in means))
    return float(test.statistic), float(test.pvalue)


def signed_rank(first: ArrayLike, second: ArrayLike) -> float:
    """Return the exact p-value of Wilcoxon's signed-rank test on means over data sets.

    Under the hypothesis each data set's sign is a fair coin. The distribution of the sum of ranks follows by adding one
    data set after the other. Equal differences share their mean rank; for them, scipy's exact test enumerates all signs
    and takes seconds. Differences of 0 take the lowest ranks and count for neither side (Pratt 1959).
    """
    # a board has thousands of pairs, and columns of pandas take longer to subtract
    differences = np.round(np.subtract(np.asarray(first), np.asarray(second)), 9)
    _, places, counts = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    # Mean ranks are whole or half numbers.
    doubled = (2 * np.cumsum(counts) - counts + 1)[places]
    chances = _sums_of_ranks(tuple(np.sort(doubled[differences != 0.0]).tolist()))
    observed = int(doubled[differences > 0.0].sum())
    tail = min(chances[: observed + 1].sum(), chances[observed:].sum())
    return min(1.0, 2.0 * float(tail))


@functools.cache
def _sums_of_ranks(ranks: tuple[int, ...]) -> Floats:
    """Return the probability of each sum of ranks, from 0; all pairs of algorithms without ties have the same."""
    chances = np.zeros(sum(ranks) + 1)
    chances[0] = 1.0
    for rank in ranks:
        chances *= 0.5
        chances[rank:] += chances[: chances.size - rank].copy()
    return chances


def holm(p_values: ArrayLike) -> Floats:
    """Return p-values corrected for their number by Holm's step-down method (Holm 1979, Scand. J. Statist. 6)."""
    raw = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(raw, kind="stable")
    stepped = np.maximum.accumulate(raw[order] * np.arange(raw.size, 0, -1))
    corrected = np.empty_like(raw)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def pairwise(means: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return Holm's corrected p-value of the signed-rank test for every two algorithms (columns), in both orders."""
    pairs = list(itertools.combinations(map(str, means.columns), 2))
    corrected = holm([signed_rank(means[first], means[second]) for first, second in pairs])
    p_values = {pair: float(p) for pair, p in zip(pairs, corrected, strict=True)}
    return p_values | {(second, first): p for (first, second), p in p_values.items()}


def alike(order: Sequence[str], p_values: Mapping[tuple[str, str], float]) -> list[tuple[str, ...]]:
    """Return the longest runs of neighbours, in an order by mean rank, in which no two differ by a test at 5 %.

    A bar over such a run is correct for every algorithm beneath it. A clique that skips an algorithm in the middle gets
    no bar.
    """
    names, runs, covered = tuple(order), [], 0
    for start in range(len(names)):
        end = start + 1
        while end < len(names) and all(p_values[name, names[end]] >= BEST_LEVEL for name in names[start:end]):
            end += 1
        if end > max(covered, start + 1):
            runs.append(names[start:end])
        covered = max(covered, end)
    return runs


def groups_alike(means: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return the runs of `alike` of algorithms (columns in an order by mean rank); all if Friedman finds no difference.

    Of two algorithms, the test of the pair says all.
    """
    names = tuple(map(str, means.columns))
    differ = len(names) == 2 or friedman(means)[1] < BEST_LEVEL
    return alike(names, pairwise(means)) if differ else [names]


def pareto_front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the names of the points that no other point dominates, in the order of the first number.

    A point dominates another if it is at most as high in both numbers and lower in one.
    """
    front: list[str] = []
    for name in sorted(points, key=lambda name: points[name]):
        best = points[front[-1]] if front else (math.nan, math.inf)
        if points[name][1] < best[1] or points[name] == best:
            front.append(name)
    return front


def printed(sample: Sample, metric: str, dataset: str = "", *, fine: bool = False) -> str:
    """Return "mean ± std" as the paper prints it, or the mean alone where there is no standard deviation.

    Seconds of all data sets together have no decimals, as in CA's Table 2.

    Parameters
    ----------
    sample : Sample
        The number.
    metric : str
        A key of METRICS.
    dataset : str
        The data set, or ALL.
    fine : bool
        Whether small seconds get more decimals than the paper's, so that the mean keeps two significant digits.
    """
    decimals = 0 if dataset == ALL and metric == "seconds" else METRICS[metric].decimals
    style = "e" if METRICS[metric].scientific else "f"
    grouped = "," if METRICS[metric].thousands else ""
    if fine and metric.endswith("seconds") and sample.mean > 0:
        decimals = max(decimals, 1 - math.floor(math.log10(sample.mean)))
    numbers = [sample.mean, sample.std] if math.isfinite(sample.std) else [sample.mean]
    # a mean may lie halfway, where the order of a sum would decide
    numbers = [round(number, 9) if style == "f" else number for number in numbers]
    texts = (f"{number:{grouped}.{decimals}{style}}" if number or style == "f" else "0" for number in numbers)
    return " ± ".join(texts)
