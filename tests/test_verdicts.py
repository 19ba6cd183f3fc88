"""Verdicts at their borders, against textbook formulas, and what the test finds where the truth is known."""

import math

import numpy as np
import pytest
from scipy import stats

from grambench.results.statistics import Sample
from grambench.results.verdicts import judge, judge_digits, judge_median, normality, prints_as, resampled_medians

PUBLISHED = Sample(26.0, 0.78, 20)
ROUNDED = 0.01 / math.sqrt(12.0)  # deviation of two decimals' rounding


def with_rounding(error, freedom, rounding=10 * ROUNDED):
    """Return a standard error with that of rounding, which has infinite degrees of freedom, and their degrees."""
    variance = error**2 + rounding**2
    return math.sqrt(variance), variance**2 / (error**4 / freedom)


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
    error, freedom = with_rounding(0.78 * math.sqrt(2 / 20), 38, ROUNDED)  # two samples with one deviation
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
    error, freedom = with_rounding(math.sqrt(0.4), 4)  # the published mean is one over 5 runs too
    assert judged.p_value == pytest.approx(t_tail(1.6 / error, freedom))
    assert judged.verdict == "compatible"
    assert judge(Sample(7.0, math.nan, 5), ours, "accuracy_percent", 1.0).verdict == "different"
    always = ours._replace(std=0.0)  # five times the same number are one, and what is rounded is not off by a tenth
    judged = judge(Sample(3.12, math.nan, 5), always, "accuracy_percent", 1.0)
    assert judged.p_value == pytest.approx(2 * stats.norm.sf(0.12 / (0.1 / math.sqrt(12.0)))) and judged.p_value < 1e-4
    assert judged.verdict == "different"


def test_a_published_single_run_borrows_our_deviation():
    single, ours = Sample(26.1, math.nan, 1), Sample(24.0, 1.0, 10)
    judged = judge(single, ours, "error_percent", 1.0)
    error, freedom = with_rounding(math.sqrt(1 + 1 / 10), 9)
    assert judged.p_value == pytest.approx(t_tail(2.1 / error, freedom))
    assert judged.verdict == "compatible"
    assert judge(Sample(3.0, math.nan, 1), Sample(4.2, 1.0, 10), "kernels_selected", None).verdict == "compatible"


def test_where_nothing_varies_and_nothing_is_known_there_is_no_test():
    assert judge(Sample(3.0, math.nan, 1), Sample(4.0, math.nan, 1), "error_percent", 1.0).verdict == "unavailable"


def test_a_mean_of_counts_has_the_variance_that_its_fraction_demands():
    published = Sample(3.8, math.nan, 5)
    judged = judge(published, Sample(4.0, 0.0, 5), "kernels_selected", None)
    assert judged.verdict == "compatible"  # 4, 4, 4, 4, 3 is 3.8
    error, freedom = with_rounding(np.std([4, 4, 4, 4, 3], ddof=1) / math.sqrt(5), 4)
    assert judged.p_value == pytest.approx(t_tail(0.2 / error, freedom))
    assert judge(published, Sample(5.0, 0.0, 5), "kernels_selected", None).verdict == "different"
    assert judge(Sample(4.0, math.nan, 5), Sample(5.0, 0.0, 5), "kernels_selected", None).verdict == "different"
    assert judge(published, Sample(5.0, 1.0, 5), "kernels_selected", None).verdict == "compatible"
    # our deviation in the place of an unknown one is still ours alone, with its degrees of freedom
    judged = judge(published, Sample(8.0, 2.0, 5), "kernels_selected", None)
    error, freedom = with_rounding(math.sqrt(1.6), 4)
    assert judged.p_value == pytest.approx(t_tail((8.0 - published.mean) / error, freedom))


REPLICATIONS = np.array([80.0, 80.4, 79.6, 80.2, 79.8, 80.1, 79.9, 80.3, 79.7, 80.0])


def test_replications_are_the_textbook_interval_of_one_more_of_them():
    published, ours = Sample(80.5, 3.0, 5), Sample.of([77.0, 83.0, 80.0, 82.0, 78.0])
    judged = judge(published, ours, "accuracy_percent", 1.5, REPLICATIONS)
    error, freedom = with_rounding(REPLICATIONS.std(ddof=1) * math.sqrt(1.1), 9)
    reach = stats.t.ppf(0.995, freedom) * error
    assert judged.difference == pytest.approx(-0.5)  # of the replications, whatever our one run gave
    assert (judged.low, judged.high) == (pytest.approx(-0.5 - reach), pytest.approx(-0.5 + reach))
    assert judged.p_value == pytest.approx(t_tail(0.5 / error, freedom))
    assert judged.z == pytest.approx(stats.norm.ppf(stats.t.cdf(0.5 / error, freedom)))  # the published one is higher
    assert (judged.verdict, judged.replications) == ("confirmed", 10)
    assert judge(published, ours, "accuracy_percent", 1.0, REPLICATIONS).verdict == "compatible"
    weak = judge(published, ours, "accuracy_percent", 1.5)
    assert (weak.verdict, weak.replications, math.isnan(weak.z)) == ("compatible", 0, True)
    assert weak.detectable > 5 * judged.detectable


def test_what_prints_as_published_is_not_exact_where_replications_reject_it():
    """Our one run agrees with the paper by accident: 20 replications put such numbers near 82."""
    published, ours = Sample(80.0, 1.0, 5), Sample(80.04, 1.04, 5)
    replications = 82.0 + np.linspace(-0.9, 0.9, 20)
    assert judge(published, ours, "accuracy_percent", 1.0).verdict == "exact"
    judged = judge(published, ours, "accuracy_percent", 1.0, replications)
    assert judged.p_value < 0.01 and judged.difference == pytest.approx(2.0)
    assert judged.verdict == "different"
    near = judge(published, ours, "accuracy_percent", 1.0, replications - 1.9)
    assert near.p_value > 0.01 and near.verdict == "exact"


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        (Sample(12.61, 0.45, 20), "exact"),
        (Sample(12.6149, 0.4549, 20), "exact"),
        (Sample(12.66, 0.45, 20), "different"),  # Welch's test would call it compatible, and with a margin confirmed
        (Sample(12.61, 0.46, 20), "different"),
    ],
)
def test_where_nothing_is_left_to_chance_only_the_printed_number_will_do(ours, expected):
    published = Sample(12.61, 0.45, 20)
    judged = judge_digits(published, ours, "mistake_percent")
    assert (judged.verdict, judged.difference) == (expected, pytest.approx(ours.mean - 12.61))
    assert math.isnan(judged.p_value) and math.isnan(judged.low) and judged.replications == 0
    assert judge(published, ours, "mistake_percent", 0.6).verdict == ("exact" if expected == "exact" else "confirmed")


@pytest.mark.parametrize(("published", "least"), [(70.0, 2 / 11), (79.6, 4 / 11), (80.0, 1.0), (80.34, 6 / 11)])
def test_a_rank_among_replications_is_two_sided_and_ties_count_against_it(published, least):
    """Of 10 replications none, the least (which prints the same), half, and two lie beyond."""
    judged = judge(Sample(published, 1.0, 5), Sample(80.2, 1.0, 5), "accuracy_percent", 1.0, REPLICATIONS)
    assert judged.rank_p_value == pytest.approx(least)
    assert math.isnan(judge(Sample(published, 1.0, 5), Sample(80.2, 1.0, 5), "accuracy_percent", 1.0).rank_p_value)


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


def studies(rng, datasets, draws, algorithms=5, sets=7):
    """Return the errors of one more study (list of (draws, algorithms)): on the same data sets, or on others."""
    difficulty = rng if datasets else np.random.default_rng(4)
    means = difficulty.normal(20.0, 0.4, size=(sets, algorithms)) + 0.2 * np.arange(algorithms)
    return [row + rng.normal(0.0, 1.0, size=(draws, algorithms)) for row in means]


def median_ranks(errors):
    ranks = [np.argsort(np.argsort(values.mean(axis=0))) + 1 for values in errors]
    return np.median(ranks, axis=0)


@pytest.mark.parametrize("datasets", [False, True])
def test_resampled_medians_vary_as_those_of_other_studies(datasets):
    rng = np.random.default_rng(8)
    true = np.array([median_ranks(studies(rng, datasets, 10)) for _ in range(300)])
    deviations = [resampled_medians(studies(rng, datasets, 10), datasets=datasets).std(axis=0).mean() for _ in range(8)]
    assert np.mean(deviations) == pytest.approx(true.std(axis=0).mean(), rel=0.2)


@pytest.mark.parametrize("datasets", [False, True])
def test_the_level_of_the_test_on_medians(datasets):
    """Of pairs of studies that differ by their draws alone at most 1 in 100 is called different."""
    rng, different = np.random.default_rng(2), []
    for _ in range(15):
        errors, published = studies(rng, datasets, 10), median_ranks(studies(rng, datasets, 10))
        resampled = resampled_medians(errors, datasets=datasets)
        for ours, theirs, medians in zip(median_ranks(errors), published, resampled.T, strict=True):
            different.append(judge_median(theirs, ours, medians, "median_rank", 1.0).verdict == "different")
    assert np.mean(different) <= 0.02


def test_resampling_is_the_same_for_the_same_errors_and_needs_two_draws():
    errors = studies(np.random.default_rng(1), False, 3)
    assert np.array_equal(resampled_medians(errors, datasets=True), resampled_medians(errors, datasets=True))
    for few in ([], [*errors, errors[0][:1]]):
        assert resampled_medians(few, datasets=False).size == 0


@pytest.mark.parametrize(
    ("published", "margin", "expected", "p_value"),
    [
        (2.0, 1.0, "exact", 1.0),
        (3.0, 1.0, "compatible", 0.24),
        (3.0, 3.0, "confirmed", 0.24),
        (4.0, 3.0, "compatible", 0.04),
        (5.0, 5.0, "different", 0.0),
    ],
)
def test_verdict_on_a_median(published, margin, expected, p_value):
    """Of two studies that draw anew 24 of 100 lie one rank or more apart, 4 of 100 two."""
    apart = np.repeat([0.0, 1.0, 2.0], [7600, 2000, 400])
    medians = np.r_[np.full(apart.size, 2.0), 2.0 + apart]
    judged = judge_median(published, 2.0, medians, "median_rank", margin)
    assert (judged.verdict, judged.p_value) == (expected, pytest.approx(p_value, abs=1e-3))
    assert (judged.difference, judged.detectable) == (2.0 - published, 2.0)
    assert judge_median(published, 2.0, np.zeros(0), "median_rank", margin).verdict == "unavailable"
    # first on each of our data sets: whether another study's median may be another one is not known
    alike = judge_median(published, 2.0, np.full(100, 2.0), "median_rank", margin)
    assert alike.verdict == ("exact" if published == 2.0 else "unavailable")


def test_the_z_of_numbers_that_do_not_differ_are_normal():
    rng = np.random.default_rng(3)
    found = normality(np.r_[rng.normal(size=500), np.nan])
    assert found.numbers == 500 and 0.9 < found.rms < 1.1 and found.p_value > 0.01
    assert normality(rng.normal(scale=2.0, size=500)).p_value < 1e-6
    assert normality([]).numbers == 0
