"""Tests on means, and the verdict on a number that stands beside a published one.

Everything works on (mean, standard deviation, number of runs), because that is all that a paper prints. Standard
deviations are those of a sample (ddof = 1).
"""

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

Verdict = Literal["exact", "consistent", "different", "speed-up", "unavailable"]
VERDICTS: tuple[Verdict, ...] = ("exact", "consistent", "different", "speed-up", "unavailable")

BEST_LEVEL = 0.05
VERDICT_LEVEL = 0.01
DECIMALS = {"mistake_percent": 2, "support_vectors": 1, "seconds": 3, "seconds_ratio_percent": 1, "n": 0, "d": 0}
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

    Without any variance the answer is certain: 1 for equal means, 0 for different ones. Where one side is a single
    run its variance is unknown, and Student's test, which borrows the other side's, stands in.
    """
    if min(first.runs, second.runs) < 2:
        return student(first, second)
    if math.isnan(first.std) or math.isnan(second.std):  # one side is a mean alone, taken as exact
        known = second if math.isnan(first.std) else first
        return _p_value(first._replace(std=0.0), known, equal_variances=False) if known.std >= 0 else math.nan
    return _p_value(first, second, equal_variances=False)


def student(first: Sample, second: Sample) -> float:
    """Return the p-value of Student's two-sample t-test of equal means with a pooled variance; NaN below three runs."""
    if min(first.runs, second.runs) < 1 or first.runs + second.runs < 3:
        return math.nan
    return _p_value(
        first._replace(std=0.0 if first.runs == 1 else first.std),
        second._replace(std=0.0 if second.runs == 1 else second.std),
        equal_variances=True,
    )


def _p_value(first: Sample, second: Sample, *, equal_variances: bool) -> float:
    if first.std == 0 and second.std == 0:
        return float(math.isclose(first.mean, second.mean, rel_tol=1e-12, abs_tol=1e-12))
    return float(stats.ttest_ind_from_stats(*first, *second, equal_var=equal_variances).pvalue)


def best_set(samples: Mapping[str, Sample], level: float = BEST_LEVEL) -> set[str]:
    """Return the name with the lowest mean and all those that Student's t-test cannot tell from it.

    This is the highlighting of the paper's tables (OMKC, Section 5.2). Names without runs never belong to it.
    """
    known = {name: sample for name, sample in samples.items() if sample.runs > 0}
    if not known:
        return set()
    best = min(known.values(), key=lambda sample: sample.mean)
    return {name for name, sample in known.items() if sample.mean == best.mean or not student(sample, best) < level}


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
        A key of DECIMALS, which says how precisely the paper prints it.

    Returns
    -------
    verdict : str
        "exact": mean and standard deviation both print as the published ones. "consistent": Welch's t-test does not
        reject equal means at 1 %, or the means differ by no more than half the published standard deviation.
        "different": neither. "unavailable": there are no runs.
    p_value : float
        Of Welch's t-test; NaN where there is none.
    """
    if ours.runs == 0:
        return "unavailable", math.nan
    p_value = welch(published, ours)
    decimals = DECIMALS[metric]
    if prints_as(ours.mean, published.mean, decimals) and prints_as(ours.std, published.std, decimals):
        return "exact", p_value
    if p_value >= VERDICT_LEVEL or abs(ours.mean - published.mean) <= 0.5 * published.std:
        return "consistent", p_value
    return "different", p_value


def printed(sample: Sample, metric: str, *, fine: bool = False) -> str:
    """Return "mean ± std" as the paper prints it, or the mean alone where there is no standard deviation.

    Parameters
    ----------
    sample : Sample
        The number.
    metric : str
        A key of DECIMALS.
    fine : bool
        Whether small seconds get more decimals than the paper's three, so that the mean keeps two significant digits.
    """
    decimals = DECIMALS[metric]
    if fine and metric == "seconds" and sample.mean > 0:
        decimals = max(decimals, 1 - math.floor(math.log10(sample.mean)))
    numbers = [sample.mean, sample.std] if math.isfinite(sample.std) else [sample.mean]
    return " ± ".join(f"{number:.{decimals}f}" for number in numbers)
