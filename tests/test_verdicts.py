"""Verdicts at their borders, against textbook formulas, and what the test finds where the truth is known."""

import math

import numpy as np
import pytest
from scipy import stats

from grambench.results.statistics import Sample
from grambench.results.verdicts import judge, judge_median, median_interval, normality, prints_as

PUBLISHED = Sample(26.0, 0.78, 20)
ROUNDED = 0.01 / math.sqrt(12.0)  # deviation of two decimals' rounding


def t_tail(t, freedom):
    return 2.0 * stats.t.sf(abs(t), freedom)


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        (Sample(26.0, 0.78, 20), "exact"),
        (Sample(26.0049, 0.7751, 20), "exact"),
        (Sample(26.0051, 0.78, 20), "compatible"),  # prints as 26.01
        (Sample(26.0, 0.786, 20), "compatible"),  # prints as 0.79
        (Sample(27.9, 1.17, 20), "different"),
        (Sample.of([]), "unavailable"),
    ],
)
def test_verdict_on_single_runs(ours, expected):
    assert judge(PUBLISHED, ours, "mistake_percent", 0.3).verdict == expected


def test_confirmed_is_what_no_difference_beyond_the_margin_is_left_to():
    ours = Sample(26.1, 0.78, 20)
    reach = judge(PUBLISHED, ours, "mistake_percent", 0.3).detectable
    freedom = 38  # of two samples with one deviation
    error = math.hypot(0.78 * math.sqrt(2 / 20), ROUNDED)
    assert reach == pytest.approx(stats.t.ppf(0.995, freedom) * error)
    for margin, expected in (
        (0.1 + reach + 1e-9, "confirmed"),
        (0.1 + reach - 1e-9, "compatible"),
        (None, "compatible"),
    ):
        assert judge(PUBLISHED, ours, "mistake_percent", margin).verdict == expected


def test_a_small_difference_that_a_sharp_test_sees_is_different_within_the_margin_too():
    sharp = judge(PUBLISHED._replace(runs=100), Sample(26.38, 0.01, 20), "mistake_percent", 1.0)
    assert sharp.p_value < 0.01 and sharp.low > -1.0 and sharp.high < 1.0
    assert sharp.verdict == "different"


def test_verdict_depends_on_the_decimals_of_the_metric():
    published, ours = Sample(128.5, 4.4, 20), Sample(128.54, 4.44, 20)
    assert judge(published, ours, "support_vectors", 1.0).verdict == "exact"
    assert judge(published, ours, "mistake_percent", 1.0).verdict == "compatible"


def test_ties_may_be_rounded_either_way():
    assert prints_as(0.125, 0.12, 2) and prints_as(0.125, 0.13, 2)
    assert not prints_as(0.1251, 0.12, 2)


def test_a_published_mean_without_deviation_borrows_ours():
    ours = Sample(3.0, 1.0, 5)
    assert judge(Sample(3.04, math.nan, 5), ours, "accuracy_percent", 1.0).verdict == "exact"  # all that is printed
    judged = judge(Sample(4.6, math.nan, 5), ours, "accuracy_percent", 1.0)
    # the published mean is one over 5 runs too, with what rounding adds; 4 degrees of freedom
    error = math.hypot(math.sqrt(0.4), 0.1 / math.sqrt(12.0))
    assert judged.p_value == pytest.approx(t_tail(1.6 / error, 4))
    assert judged.verdict == "compatible"
    assert judge(Sample(7.0, math.nan, 5), ours, "accuracy_percent", 1.0).verdict == "different"
    always = ours._replace(std=0.0)  # what is rounded cannot be off by two tenths
    assert judge(Sample(3.2, math.nan, 5), always, "accuracy_percent", 1.0).verdict == "different"


def test_a_published_single_run_borrows_our_deviation():
    single, ours = Sample(26.1, math.nan, 1), Sample(24.0, 1.0, 10)
    judged = judge(single, ours, "error_percent", 1.0)
    error = math.hypot(math.sqrt(1 + 1 / 10), 0.1 / math.sqrt(12.0))
    assert judged.p_value == pytest.approx(t_tail(2.1 / error, 9))
    assert judged.verdict == "compatible"
    assert judge(Sample(3.0, math.nan, 1), Sample(4.2, 1.0, 10), "kernels_selected", None).verdict == "compatible"


def test_where_nothing_varies_and_nothing_is_known_there_is_no_test():
    assert judge(Sample(3.0, math.nan, 1), Sample(4.0, math.nan, 1), "error_percent", 1.0).verdict == "unavailable"


def test_a_mean_of_counts_has_the_variance_that_its_fraction_demands():
    published = Sample(3.8, math.nan, 5)
    judged = judge(published, Sample(4.0, 0.0, 5), "kernels_selected", None)
    assert judged.verdict == "compatible"  # 4, 4, 4, 4, 3 is 3.8
    error = math.hypot(np.std([4, 4, 4, 4, 3], ddof=1) / math.sqrt(5), 0.1 / math.sqrt(12.0))
    assert judged.p_value == pytest.approx(t_tail(0.2 / error, 4))
    assert judge(published, Sample(5.0, 0.0, 5), "kernels_selected", None).verdict == "different"
    assert judge(Sample(4.0, math.nan, 5), Sample(5.0, 0.0, 5), "kernels_selected", None).verdict == "different"
    assert judge(published, Sample(5.0, 1.0, 5), "kernels_selected", None).verdict == "compatible"


REPLICATIONS = np.array([80.0, 80.4, 79.6, 80.2, 79.8, 80.1, 79.9, 80.3, 79.7, 80.0])


def test_replications_are_the_textbook_interval_of_one_more_of_them():
    published, ours = Sample(80.5, 3.0, 5), Sample.of([77.0, 83.0, 80.0, 82.0, 78.0])
    judged = judge(published, ours, "accuracy_percent", 1.5, REPLICATIONS)
    error = math.hypot(REPLICATIONS.std(ddof=1) * math.sqrt(1.1), 0.1 / math.sqrt(12.0))
    reach = stats.t.ppf(0.995, 9) * error
    assert judged.difference == pytest.approx(-0.5)  # of the replications, whatever our one run gave
    assert (judged.low, judged.high) == (pytest.approx(-0.5 - reach), pytest.approx(-0.5 + reach))
    assert judged.p_value == pytest.approx(t_tail(0.5 / error, 9))
    assert judged.z == pytest.approx(stats.norm.ppf(stats.t.cdf(0.5 / error, 9)))  # the published one is higher
    assert (judged.verdict, judged.replications) == ("confirmed", 10)
    assert judge(published, ours, "accuracy_percent", 1.0, REPLICATIONS).verdict == "compatible"
    weak = judge(published, ours, "accuracy_percent", 1.5)
    assert (weak.verdict, weak.replications, math.isnan(weak.z)) == ("compatible", 0, True)
    assert weak.detectable > 5 * judged.detectable


def test_replications_that_are_all_the_same_tell_nothing():
    ours = Sample(80.0, 1.0, 5)
    published = Sample(80.2, 1.0, 5)
    for useless in (np.full(20, 80.0), REPLICATIONS[:2]):
        assert judge(published, ours, "accuracy_percent", 5.0, useless) == judge(
            published, ours, "accuracy_percent", 5.0
        )


def test_level_and_power_where_the_truth_is_known():
    """Of 4000 numbers without a difference 1 in 100 is different; of those off by two margins none is confirmed."""
    rng = np.random.default_rng(5)
    drawn = rng.normal(80.0, 0.1, size=(4000, 20))
    ours = Sample(80.0, 0.7, 5)

    def share(offset, verdict):
        published = [Sample(row[0] + offset, 0.6, 5) for row in drawn]
        found = [judge(p, ours, "accuracy_percent", 1.0, row[1:]) for p, row in zip(published, drawn, strict=True)]
        return np.mean([each.verdict == verdict for each in found])

    assert 0.005 < share(0.0, "different") < 0.015
    assert share(2.0, "confirmed") == 0.0
    assert share(0.0, "confirmed") > 0.9


def test_the_interval_of_a_median_is_that_of_resampled_medians():
    """Against all resamples of five values, which can be listed."""
    values = np.array([1.0, 2.0, 2.5, 4.0, 7.0])
    medians = np.sort(np.median(values[np.stack(np.meshgrid(*[range(5)] * 5), axis=-1).reshape(-1, 5)], axis=1))
    tail = int(0.005 * len(medians))
    assert median_interval(values) == (medians[tail], medians[-tail - 1])
    assert median_interval(values) == median_interval(values[::-1])
    assert median_interval([3.0, 3.0, 3.0]) == (3.0, 3.0)
    many = np.r_[np.full(20, 1.0), np.full(100, 4.0), np.full(20, 9.0)]
    assert median_interval(many) == (4.0, 4.0)


@pytest.mark.parametrize(
    ("published", "ranks", "margin", "expected"),
    [
        (2.0, [1, 2, 2, 3], 1.0, "exact"),
        (4.5, [4, 5, 4, 5], 1.0, "exact"),
        (3.0, [1, 2, 2, 3], 1.0, "compatible"),  # from 1 to 3
        (3.0, [1, 2, 2, 3], 2.0, "confirmed"),
        (4.0, [1, 2, 2, 3], 5.0, "different"),
        (2.0, [2], 1.0, "unavailable"),
        (2.0, [], 1.0, "unavailable"),
    ],
)
def test_verdict_on_a_median(published, ranks, margin, expected):
    assert judge_median(published, ranks, "median_rank", margin).verdict == expected


def test_the_z_of_numbers_that_do_not_differ_are_normal():
    rng = np.random.default_rng(3)
    found = normality(np.r_[rng.normal(size=500), np.nan])
    assert found.numbers == 500 and 0.9 < found.rms < 1.1 and found.p_value > 0.01
    assert normality(rng.normal(scale=2.0, size=500)).p_value < 1e-6
    assert normality([]).numbers == 0
