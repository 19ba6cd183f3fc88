"""Tests on means, and the verdict on a number that stands beside a published one.

Most works on (mean, standard deviation, number of runs), because that is all that a paper prints; only runs of ours can
be compared in pairs. Standard deviations are those of a sample (ddof = 1). Many algorithms on many data sets are
compared as in Demšar 2006 (JMLR 7), with Holm's correction.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from grambench.config.metrics import METRICS

Verdict = Literal["exact", "consistent", "different", "speed-up", "unavailable"]
VERDICTS: tuple[Verdict, ...] = ("exact", "consistent", "different", "speed-up", "unavailable")

BEST_LEVEL = 0.05
VERDICT_LEVEL = 0.01
RESAMPLES = 10_000
RESAMPLING_SEED = 2013
ROUNDING_SLACK = 1e-9


class Sample(NamedTuple):
    """What is known of a number: mean, sample standard deviation (NaN where unknown) and number of runs."""

    mean: float
    std: float
    runs: int

    @classmethod
    def of(cls, values: ArrayLike) -> "Sample":
        """Summarise the values of all runs; of a single run the standard deviation is NaN."""
        array = np.asarray(values, dtype=np.float64)
        std = float(array.std(ddof=1)) if array.size > 1 else math.nan
        return cls(float(array.mean()) if array.size else math.nan, std, array.size)


def welch(first: Sample, second: Sample) -> float:
    """Return the p-value of Welch's t-test of equal means; the two variances may differ.

    Without any variance the answer is certain: 1 for equal means, 0 for different ones. See `student` for a number
    whose variance is not known.
    """
    if _unknown(first, second):
        return student(first, second)
    shares = first.std**2 / first.runs, second.std**2 / second.runs
    error = math.sqrt(sum(shares))
    if error == 0:
        return _certain(first, second)
    freedom = error**4 / (shares[0] ** 2 / (first.runs - 1) + shares[1] ** 2 / (second.runs - 1))
    return _two_sided((first.mean - second.mean) / error, freedom)


def student(first: Sample, second: Sample) -> float:
    """Return the p-value of Student's two-sample t-test of equal means with a pooled variance.

    Where the variance of one side is not known, because it is a single run or because the paper prints no standard
    deviation, it is taken to be the other side's. That side's runs alone then give the degrees of freedom.
    """
    if math.isnan(first.std):
        first, second = second, first
    if math.isnan(first.std) or second.runs < 1:
        return math.nan
    if math.isnan(second.std):
        variance, freedom = first.std**2, first.runs - 1
    else:
        freedom = first.runs + second.runs - 2
        variance = ((first.runs - 1) * first.std**2 + (second.runs - 1) * second.std**2) / freedom
    if variance == 0:
        return _certain(first, second)
    return _two_sided((first.mean - second.mean) / math.sqrt(variance * (1 / first.runs + 1 / second.runs)), freedom)


def _unknown(first: Sample, second: Sample) -> bool:
    """Tell whether one of two variances is not known."""
    return math.isnan(first.std) or math.isnan(second.std)


def _certain(first: Sample, second: Sample) -> float:
    """Return 1 for equal means and 0 for different ones, where nothing varies."""
    return float(math.isclose(first.mean, second.mean, rel_tol=1e-12, abs_tol=1e-12))


def _two_sided(t: float, freedom: float) -> float:
    """Return the probability that Student's t is as far from 0 as `t`."""
    from scipy import special  # not stats, which takes a second to load: longer than a table takes to build

    return float(2.0 * special.stdtr(freedom, -abs(t)))


def paired(first: ArrayLike, second: ArrayLike) -> float:
    """Return the p-value of the t-test on the differences of runs that share their examples; NaN below two runs.

    Differences without any variance give a certain answer: 1 where they are 0, else 0.
    """
    differences = np.subtract(first, second)
    if differences.size < 2:
        return math.nan
    if np.ptp(differences) < ROUNDING_SLACK:
        return float(abs(differences[0]) < ROUNDING_SLACK)
    t = differences.mean() / (differences.std(ddof=1) / math.sqrt(differences.size))
    return _two_sided(t, differences.size - 1)


def best_set(
    samples: Mapping[str, Sample], *, highest: bool = False, test: Callable[[str, str], float] | None = None
) -> set[str]:
    """Return the name with the best mean and all those that a test at 5 % cannot tell from it.

    With Student's test this is the highlighting of OMKC's tables (Section 5.2). Names without runs never belong to it.

    Parameters
    ----------
    samples : dict of Sample
        The numbers to choose from.
    highest : bool
        Whether the best mean is the highest and not the lowest.
    test : callable, optional
        The p-value for two names; of Student's test where it is left out.
    """
    known = {name: sample for name, sample in samples.items() if sample.runs > 0}
    if not known:
        return set()
    best = (max if highest else min)(known, key=lambda name: known[name].mean)
    p_value = test or (lambda name, other: student(known[name], known[other]))
    return {
        name
        for name, sample in known.items()
        if sample.mean == known[best].mean or not p_value(name, best) < BEST_LEVEL
    }


def friedman(means: pd.DataFrame) -> tuple[float, float]:
    """Return statistic and p-value of Friedman's test that all algorithms (columns) do as well on the data sets (rows).

    NaN below three algorithms or two data sets, and where no data set tells any two of them apart.
    """
    from scipy import stats

    if means.shape[0] < 2 or means.shape[1] < 3 or not np.ptp(means.to_numpy(), axis=1).any():
        return math.nan, math.nan
    answer = stats.friedmanchisquare(*(means[name].to_numpy() for name in means))
    return float(answer.statistic), float(answer.pvalue)


def signed_rank(first: ArrayLike, second: ArrayLike) -> float:
    """Return the exact p-value of Wilcoxon's signed-rank test on means over data sets.

    Under the hypothesis each data set's sign is a fair coin, so the distribution of the sum of ranks follows by adding
    one data set after the other. Equal differences share their mean rank, which scipy's exact test does not allow (it
    goes through all signs, some seconds a test); those of 0 take the lowest ranks and count for neither (Pratt 1959).
    """
    from scipy import stats

    differences = np.round(np.subtract(first, second), 9)
    doubled = np.rint(2 * stats.rankdata(np.abs(differences))).astype(np.int64)  # mean ranks are whole or half numbers
    chances = np.ones(1)
    for rank in doubled[differences != 0.0]:
        chances = 0.5 * (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0)))
    observed = int(doubled[differences > 0.0].sum())
    tail = min(chances[: observed + 1].sum(), chances[observed:].sum())
    return min(1.0, 2.0 * float(tail))


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
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
    found = {pair: float(p) for pair, p in zip(pairs, corrected, strict=True)}
    return found | {(second, first): p for (first, second), p in found.items()}


def alike(order: Sequence[str], p_values: Mapping[tuple[str, str], float]) -> list[tuple[str, ...]]:
    """Return the longest runs of neighbours, in an order by mean rank, of which a test tells no two apart at 5 %.

    A bar over a run then says what it seems to say of everything beneath it. A clique that skips an algorithm in the
    middle has no such bar.
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


def pareto_front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the names of those points that no other is at most as high as in both numbers and lower in one.

    They are in the order of the first number.
    """
    order = sorted(points, key=lambda name: points[name])
    front: list[str] = []
    for name in order:
        best = points[front[-1]] if front else (math.nan, math.inf)
        if points[name][1] < best[1] or points[name] == best:
            front.append(name)
    return front


def prints_as(value: float, published: float, decimals: int) -> bool:
    """Return whether `value`, printed with so many decimals, reads as `published`; a tie may be rounded either way."""
    return abs(value - published) <= 0.5 * 10.0**-decimals + ROUNDING_SLACK


def verdict(published: Sample, ours: Sample, metric: str) -> tuple[Verdict, float]:
    """Judge our number against the published one.

    Parameters
    ----------
    published, ours : Sample
        The two numbers.
    metric : str
        A key of METRICS, which says how precisely the paper prints it.

    Returns
    -------
    verdict : str
        "exact": the mean and, where it is published, the standard deviation print as published. "consistent": Welch's
        t-test does not reject equal means at 1 %, or the means differ by no more than half the published standard
        deviation. "different": neither. "unavailable": there are no runs.
    p_value : float
        Of Welch's t-test; NaN where there is none.
    """
    if ours.runs == 0:
        return "unavailable", math.nan
    p_value = welch(_with_least_variance(published, ours, metric), ours)
    decimals = METRICS[metric].decimals
    same_std = math.isnan(published.std) or prints_as(ours.std, published.std, decimals)
    if same_std and prints_as(ours.mean, published.mean, decimals):
        return "exact", p_value
    if p_value >= VERDICT_LEVEL or abs(ours.mean - published.mean) <= 0.5 * published.std:
        return "consistent", p_value
    return "different", p_value


def median_interval(values: ArrayLike) -> tuple[float, float]:
    """Return the 99 % bootstrap interval of a median: what it might have been on other data sets of the same kind.

    10000 times as many values are drawn with replacement; the ends are medians that occur, 0.5 % of them below the
    lower and 0.5 % above the upper one. It is the same for the same values, in whatever order.
    """
    known: NDArray[np.float64] = np.sort(np.asarray(values, dtype=np.float64))
    drawn = np.random.default_rng(RESAMPLING_SEED).choice(known, size=(RESAMPLES, known.size))
    tails = [VERDICT_LEVEL / 2, 1.0 - VERDICT_LEVEL / 2]
    low, high = np.quantile(np.median(drawn, axis=1), tails, method="inverted_cdf")
    return float(low), float(high)


def median_verdict(published: float, values: ArrayLike, metric: str) -> Verdict:
    """Judge our median over data sets against the published one, of which no deviation is known.

    A t-test has no place here: medians of a few ranks are whole or half numbers, and far from normal. Data sets are the
    only source of chance that is left in a rank, and other ones could have been chosen, as some of ours are; so the
    question is which medians resampled data sets give. The published median would vary as well, by the same reasoning,
    which the interval leaves out: the verdict is strict.

    Parameters
    ----------
    published : float
        As printed.
    values : array
        Ours on each data set.
    metric : str
        A key of METRICS, which says how precisely the paper prints it.

    Returns
    -------
    verdict : str
        "exact": our median prints as published. "consistent": the published one lies in `median_interval`.
        "different": it does not. "unavailable": there are not even two data sets, without which there is no interval.
    """
    known = np.asarray(values, dtype=np.float64)
    if known.size < 2:
        return "unavailable"
    if prints_as(float(np.median(known)), published, METRICS[metric].decimals):
        return "exact"
    low, high = median_interval(known)
    return "consistent" if low <= published <= high else "different"


def _with_least_variance(published: Sample, ours: Sample, metric: str) -> Sample:
    """Return a mean of whole numbers, printed without a deviation, with what is known of it.

    It is the least that whole numbers of such a mean can have, or ours where that is larger: five counts with a mean of
    3.8 deviate by 0.45 or more. A single run says nothing of the kind.
    """
    if not (METRICS[metric].counted and math.isnan(published.std) and published.runs > 1):
        return published
    part = published.mean % 1.0
    least = math.sqrt(part * (1.0 - part) * published.runs / (published.runs - 1))
    return published._replace(std=max(least, ours.std) if ours.runs > 1 else least)


def printed(sample: Sample, metric: str, *, fine: bool = False, decimals: int | None = None) -> str:
    """Return "mean ± std" as the paper prints it, or the mean alone where there is no standard deviation.

    Parameters
    ----------
    sample : Sample
        The number.
    metric : str
        A key of METRICS.
    fine : bool
        Whether small seconds get more decimals than the paper's, so that the mean keeps two significant digits.
    decimals : int or None
        How precisely, where it is not as the metric says.
    """
    decimals = METRICS[metric].decimals if decimals is None else decimals
    style = "e" if METRICS[metric].scientific else "f"
    grouped = "," if METRICS[metric].thousands else ""
    if fine and metric.endswith("seconds") and sample.mean > 0:
        decimals = max(decimals, 1 - math.floor(math.log10(sample.mean)))
    numbers = [sample.mean, sample.std] if math.isfinite(sample.std) else [sample.mean]
    texts = (f"{number:{grouped}.{decimals}{style}}" if number or style == "f" else "0" for number in numbers)
    return " ± ".join(texts)
