"""The verdict on our number compared with a published one, and how precise the comparison is.

A published mean is one draw of what its paper leaves to chance. If a study was run again often enough, the means of
those replications (`grambench.results.replications`) show how far it may vary. Otherwise the deviations of single runs
do, by Welch's test, which takes runs to be independent. A number that a test does not reject is confirmed only if its
interval excludes all differences beyond the margin that the study declares. If nothing is left to chance there is no
test: a number prints as published, or it is different.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.results.statistics import ROUNDING_SLACK, Difference, Sample, welch

Verdict = Literal["exact", "confirmed", "compatible", "different", "speed-up", "unavailable"]
VERDICTS: tuple[Verdict, ...] = ("exact", "confirmed", "compatible", "different", "speed-up", "unavailable")

LEVEL = 0.01
LEAST = 3  # replications needed to estimate a deviation
RESAMPLES = 50_000  # with fewer, chance would decide where p is close to LEVEL
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
        The p-value of the test; NaN without a test.
    difference, low, high : float
        Our number (the mean of the replications if any) less the published one, and its 99 % interval.
    z : float
        Position of the published number among replications: the normal deviate that is as improbable as its t,
        positive if it is higher than they are; NaN without replications.
    rank_p_value : float
        The p-value of its rank among replications, whatever their distribution; NaN without replications. No verdict
        rests on it.
    replications : int
        Number of means that the test rests on; 0 without replications.
    detectable : float
        The difference beyond which the test would have rejected.
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
    """Return whether `value` rounds to `published` at so many decimals; a tie may be rounded either way."""
    return abs(value - published) <= 0.5 * 10.0**-decimals + ROUNDING_SLACK


def judge_digits(published: Sample, ours: Sample, metric: str) -> Judged:
    """Judge our number by its printed digits alone, for numbers that leave nothing to chance."""
    decimals = METRICS[metric].decimals
    exact = prints_as(ours.mean, published.mean, decimals)
    exact = exact and (math.isnan(published.std) or prints_as(ours.std, published.std, decimals))
    return Judged("exact" if exact else "different", difference=ours.mean - published.mean)


def judge(
    published: Sample, ours: Sample, metric: str, margin: float | None, replications: Floats | None = None
) -> Judged:
    """Judge our number against the published one.

    Parameters
    ----------
    published, ours : Sample
        The published number and ours.
    metric : str
        A key of METRICS, which says how precisely the paper prints it.
    margin : float or None
        The difference that would matter; without one nothing is confirmed.
    replications : ndarray of float64 (R,), optional
        Our mean and those of other draws. They are not used if all are the same, since then nothing was drawn.
    """
    if ours.runs == 0:
        return Judged("unavailable")
    decimals = METRICS[metric].decimals
    # Rounding a printed number adds a uniform error.
    rounding = 10.0**-decimals / math.sqrt(12.0)
    if replications is not None and len(replications) >= LEAST and np.ptp(replications) > ROUNDING_SLACK:
        difference, count = replicated(published.mean, replications), len(replications)
        rank_p = rank_p_value(published.mean, replications, decimals)
    else:
        difference, count, rank_p = welch(_with_least_variance(published, ours, metric), ours), 0, math.nan
    difference = difference.with_error(rounding)
    value, p_value, reach = difference.value, difference.p_value, difference.reach(LEVEL)
    # The difference is ours less the published number; z is the deviate of the published number.
    z = -difference.normal_deviate if count else math.nan
    exact = judge_digits(published, ours, metric).verdict == "exact"
    verdict = _decide(p_value, value - reach, value + reach, margin, exact)
    return Judged(verdict, p_value, value, value - reach, value + reach, z, rank_p, count, reach)


def replicated(published: float, replications: Floats) -> Difference:
    """Return by how much the mean of replications differs from a published number that would be one more of them.

    Student's t has one degree of freedom less than the number of replications, which alone estimate the deviation.
    """
    sample = Sample.of(replications)
    error = sample.std * math.sqrt(1.0 + 1.0 / sample.runs)
    return Difference(sample.mean - published, error, sample.runs - 1)


def rank_p_value(published: float, replications: Floats, decimals: int) -> float:
    """Return how often one of R + 1 equals has a rank as extreme as the published number; ties count as extreme."""
    slack = 0.5 * 10.0**-decimals + ROUNDING_SLACK
    beyond = min(np.sum(replications <= published + slack), np.sum(replications >= published - slack))
    return min(1.0, float(2 * (1 + beyond) / (1 + len(replications))))


def _decide(p_value: float, low: float, high: float, margin: float | None, exact: bool) -> Verdict:
    """Return the verdict from a test, an interval and whether the number prints as published (`exact`)."""
    if p_value < LEVEL:
        return "different"
    if exact or math.isnan(p_value):
        return "exact" if exact else "unavailable"
    return "confirmed" if margin is not None and -margin <= low and high <= margin else "compatible"


def judge_median(published: float, ours: float, medians: Floats, metric: str, margin: float | None) -> Judged:
    """Judge our median rank over data sets against the published one, whose deviation is unknown.

    A t-test does not apply: medians of a few ranks are whole or half numbers, and far from normal. The published median
    is one study's and ours another's, so the test asks how far two resampled studies lie apart.

    Parameters
    ----------
    published : float
        The printed median rank.
    ours : float
        Our median rank over the same number of data sets, or fewer.
    medians : ndarray of float64 (b,)
        Median ranks of an even number of resampled studies (`resampled_medians`); empty if none could be resampled.
    metric : str
        A key of METRICS, which says how precisely the paper prints it.
    margin : float or None
        The difference that would matter.
    """
    if not medians.size:
        return Judged("unavailable")
    first, second = np.split(medians, 2)
    distances, difference = np.abs(first - second), ours - published
    exact = prints_as(ours, published, METRICS[metric].decimals)
    if not distances.any():  # an algorithm with one rank on all our data sets does not show how far others' would vary
        return Judged("exact" if exact else "unavailable", difference=difference)
    p_value = float((1 + np.sum(distances >= abs(difference) - ROUNDING_SLACK)) / (1 + distances.size))
    reach = float(np.quantile(distances, 1.0 - LEVEL, method="inverted_cdf"))
    verdict = _decide(p_value, difference - reach, difference + reach, margin, exact)
    return Judged(verdict, p_value, difference, difference - reach, difference + reach, detectable=reach)


def resampled_medians(errors: Sequence[Floats], *, datasets: bool) -> Floats:
    """Return the median ranks of algorithms in studies resampled by the bootstrap.

    Parameters
    ----------
    errors : sequence of ndarray of float64 (r, a)
        For each data set, the errors of `a` algorithms on the same `r` random splits.
    datasets : bool
        Whether data sets are resampled as well as random splits.

    Returns
    -------
    ndarray of float64 (b, a)
        The result is deterministic. b is 0 for a single data set, whose rank is no median, and if a data set has a
        single split, which does not show how its errors vary.
    """
    from scipy import stats

    if len(errors) < 2 or min(len(values) for values in errors) < 2:
        return np.empty((0, 0))
    rng = np.random.default_rng(RESAMPLING_SEED)
    ranks = []
    for values in errors:
        mean, r = values.mean(axis=0), len(values)
        # The variance of r resampled values is too small by the factor (r - 1) / r.
        deviations = math.sqrt(r / (r - 1)) * (values - mean)
        means = mean + deviations[rng.integers(r, size=(RESAMPLES, r))].mean(axis=1)
        ranks.append(stats.rankdata(np.round(means, 9), axis=1))
    stacked = np.stack(ranks, axis=1)
    if datasets:
        resampled = rng.integers(len(errors), size=stacked.shape[:2])
        stacked = np.take_along_axis(stacked, resampled[:, :, None], axis=1)
    return np.asarray(np.median(stacked, axis=1), dtype=np.float64)


def _with_least_variance(published: Sample, ours: Sample, metric: str) -> Sample:
    """Return a published mean of whole numbers, printed without a deviation, with a lower bound of the deviation.

    The bound is the least deviation that whole numbers of such a mean can have: five counts with a mean of 3.8 deviate
    by 0.45 or more. A single run has no such bound, and one below our deviation tells nothing.
    """
    if not (METRICS[metric].counted and math.isnan(published.std) and published.runs > 1):
        return published
    fraction = published.mean % 1.0
    least = math.sqrt(fraction * (1.0 - fraction) * published.runs / (published.runs - 1))
    return published if ours.runs > 1 and least <= ours.std else published._replace(std=least)


class Normality(NamedTuple):
    """Spread of the z of many numbers: their count, their root mean square, and the p-value of a normality test."""

    numbers: int
    rms: float
    p_value: float


def normality(deviates: ArrayLike) -> Normality:
    """Compare z with the standard normal distribution, which they have if nothing differs, by Kolmogorov and Smirnov.

    The p-value takes them to be independent. The numbers of one data set are not, so it is too small, not too large.
    """
    from scipy import stats

    z = np.asarray(deviates, dtype=np.float64)
    z = z[np.isfinite(z)]
    if not z.size:
        return Normality(0, math.nan, math.nan)
    return Normality(z.size, math.sqrt(float(np.mean(z**2))), float(stats.kstest(z, "norm").pvalue))
