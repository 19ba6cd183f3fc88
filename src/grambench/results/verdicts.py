"""The verdict on a number that stands beside a published one: whether it was tested, and how sharply.

A published mean is one draw of what its paper leaves to chance. Where a study's runs were made again often enough,
the means of those replications (`grambench.results.replications`) say where it might have been; where not, the
deviations of single runs do, by Welch's test, which takes runs to be independent. A number that a test does not reject
is confirmed only where no difference beyond the margin that the study declares is possible. Where nothing is left to
chance there is no test: a number prints as published, or it is different.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.results.statistics import ROUNDING_SLACK, Difference, Sample, welch_difference

Verdict = Literal["exact", "confirmed", "compatible", "different", "speed-up", "unavailable"]
VERDICTS: tuple[Verdict, ...] = ("exact", "confirmed", "compatible", "different", "speed-up", "unavailable")

LEVEL = 0.01
LEAST = 3  # replications that tell of a deviation
RESAMPLES = 10_000
RESAMPLING_SEED = 2013


class Judged(NamedTuple):
    """A verdict and what it rests on.

    Attributes
    ----------
    verdict : str
        "different": a test rejects equal means at 1 %, or nothing is left to chance and our number does not print as
        published. "exact": neither, and our mean and, where it is published, the standard deviation print as published.
        "confirmed": not exact, but the 99 % interval of the difference lies within the margin. "compatible": the
        interval is wider. "unavailable": there is nothing to test with.
    p_value : float
        Of the test; NaN where there is none.
    difference, low, high : float
        Ours less the published one, of the replications where there are any, and its 99 % interval.
    z : float
        Where the published number lies among replications: the normal deviate that is as improbable as its t, positive
        where it is higher than theirs; NaN without.
    rank_p_value : float
        That of its rank among them, whatever their distribution; no verdict rests on it. NaN without.
    replications : int
        Means that the test rests on; 0 without.
    detectable : float
        The least difference that the test would have rejected.
    """

    verdict: Verdict
    p_value: float = math.nan
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    z: float = math.nan
    rank_p_value: float = math.nan
    replications: int = 0
    detectable: float = math.nan


def prints_as(value: float, published: float, decimals: int) -> bool:
    """Return whether `value`, printed with so many decimals, reads as `published`; a tie may be rounded either way."""
    return abs(value - published) <= 0.5 * 10.0**-decimals + ROUNDING_SLACK


def judge_digits(published: Sample, ours: Sample, metric: str) -> Judged:
    """Judge our number by what it prints alone, which is all there is to judge where nothing is left to chance."""
    decimals = METRICS[metric].decimals
    same = prints_as(ours.mean, published.mean, decimals)
    same = same and (math.isnan(published.std) or prints_as(ours.std, published.std, decimals))
    return Judged("exact" if same else "different", difference=ours.mean - published.mean)


def judge(
    published: Sample, ours: Sample, metric: str, margin: float | None, replications: Floats | None = None
) -> Judged:
    """Judge our number against the published one.

    Parameters
    ----------
    published, ours : Sample
        The two numbers.
    metric : str
        A key of METRICS, which says how precisely the paper prints it.
    margin : float or None
        The difference that would matter; None where the study declares none, so that nothing is confirmed.
    replications : ndarray of float64 (R,), optional
        Means as ours with other draws, ours among them. Where all are the same nothing was drawn: they tell nothing.
    """
    if ours.runs == 0:
        return Judged("unavailable")
    decimals = METRICS[metric].decimals
    rounded = 10.0**-decimals / math.sqrt(12.0)  # deviation of what rounding adds to a printed number
    if replications is not None and len(replications) >= LEAST and np.ptp(replications) > ROUNDING_SLACK:
        found, count = replicated(published.mean, replications), len(replications)
        ranked = rank_p_value(published.mean, replications, decimals)
    else:
        found, count, ranked = welch_difference(_with_least_variance(published, ours, metric), ours), 0, math.nan
    found = found._replace(error=math.hypot(found.error, rounded))
    reach = found.reach(LEVEL)
    low, high = found.value - reach, found.value + reach
    z = -found.normal_deviate if count else math.nan  # of the published number, where the difference is of ours
    verdict = _weighed(found.p_value, low, high, margin, judge_digits(published, ours, metric).verdict == "exact")
    return Judged(verdict, found.p_value, found.value, low, high, z, ranked, count, reach)


def replicated(published: float, replications: Floats) -> Difference:
    """Return by how much the mean of replications differs from a published number that would be one more of them.

    Student's t has one degree of freedom less than there are replications: their deviation is not known any better.
    """
    sample = Sample.of(replications)
    error = sample.std * math.sqrt(1.0 + 1.0 / sample.runs)
    return Difference(sample.mean - published, error, sample.runs - 1)


def rank_p_value(published: float, replications: Floats, decimals: int) -> float:
    """Return how often one of R + 1 equals has a rank as extreme as the published number; ties count as extreme."""
    slack = 0.5 * 10.0**-decimals + ROUNDING_SLACK
    beyond = min(np.sum(replications <= published + slack), np.sum(replications >= published - slack))
    return min(1.0, float(2 * (1 + beyond) / (1 + len(replications))))


def _weighed(p_value: float, low: float, high: float, margin: float | None, same: bool) -> Verdict:
    """Return the verdict of a test and an interval on a number, and of whether it prints as published."""
    if p_value < LEVEL:
        return "different"
    if same or math.isnan(p_value):
        return "exact" if same else "unavailable"
    return "confirmed" if margin is not None and -margin <= low and high <= margin else "compatible"


def judge_median(published: float, ours: float, medians: Floats, metric: str, margin: float | None) -> Judged:
    """Judge our median rank over data sets against the published one, of which no deviation is known.

    A t-test has no place here: medians of a few ranks are whole or half numbers, and far from normal. The published
    median is one study's and ours another's; so the question is how far two studies lie apart that draw anew.

    Parameters
    ----------
    published : float
        As printed.
    ours : float
        Over the same number of data sets, or fewer.
    medians : ndarray of float64 (b,)
        Of studies that draw anew (`resampled_medians`), an even number; none where nothing tells how ours varies.
    metric : str
        A key of METRICS, which says how precisely the paper prints it.
    margin : float or None
        The difference that would matter.
    """
    if not medians.size:
        return Judged("unavailable")
    first, second = np.split(medians, 2)
    apart, difference = np.abs(first - second), ours - published
    p_value = float((1 + np.sum(apart >= abs(difference) - ROUNDING_SLACK)) / (1 + apart.size))
    reach = float(np.quantile(apart, 1.0 - LEVEL, method="inverted_cdf"))
    same = prints_as(ours, published, METRICS[metric].decimals)
    verdict = _weighed(p_value, difference - reach, difference + reach, margin, same)
    return Judged(verdict, p_value, difference, difference - reach, difference + reach, detectable=reach)


def resampled_medians(errors: Sequence[Floats], *, datasets: bool) -> Floats:
    """Return the median ranks of algorithms in studies that draw anew, by the bootstrap.

    Parameters
    ----------
    errors : sequence of ndarray of float64 (r, a)
        For each data set the errors of a algorithms on the same r draws of examples.
    datasets : bool
        Whether data sets are drawn anew as well as examples.

    Returns
    -------
    ndarray of float64 (b, a)
        The same for the same errors; b is 0 where there is a single data set, whose rank is no median, or a single draw
        of one, which does not tell how it varies.
    """
    from scipy import stats

    if len(errors) < 2 or min(len(values) for values in errors) < 2:
        return np.empty((0, 0))
    rng = np.random.default_rng(RESAMPLING_SEED)
    ranks = []
    for values in errors:
        mean, r = values.mean(axis=0), len(values)
        spread = math.sqrt(r / (r - 1)) * (values - mean)  # r resampled values vary less than r new ones, by this
        means = mean + spread[rng.integers(r, size=(RESAMPLES, r))].mean(axis=1)
        ranks.append(stats.rankdata(np.round(means, 9), axis=1))
    found = np.stack(ranks, axis=1)
    if datasets:
        chosen = rng.integers(len(errors), size=found.shape[:2])
        found = np.take_along_axis(found, chosen[:, :, None], axis=1)
    return np.asarray(np.median(found, axis=1), dtype=np.float64)


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


class Normality(NamedTuple):
    """How the z of many numbers are spread: how many, their root mean square, and a test that they are normal."""

    numbers: int
    rms: float
    p_value: float


def normality(deviates: ArrayLike) -> Normality:
    """Compare z with the standard normal distribution that they have where nothing differs, by Kolmogorov and Smirnov.

    The p-value takes them to be independent, which the numbers of one data set are not: it is too small, not too large.
    """
    from scipy import stats

    known = np.asarray(deviates, dtype=np.float64)
    known = known[np.isfinite(known)]
    if not known.size:
        return Normality(0, math.nan, math.nan)
    return Normality(known.size, math.sqrt(float(np.mean(known**2))), float(stats.kstest(known, "norm").pvalue))
