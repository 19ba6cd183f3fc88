"""Tests on means against textbook formulas, and the verdicts at their borders."""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from grambench.results.statistics import (
    Difference,
    Sample,
    alike,
    best_set,
    harm_and_gain,
    holm,
    paired,
    pairwise,
    pareto_front,
    predict_next,
    printed,
    resampled_difference,
    signed_rank,
    student,
    welch,
)


def t_tail(t, degrees):
    return 2 * stats.t.sf(abs(t), degrees)


FIRST, SECOND = Sample(16.07, 1.42, 20), Sample(17.2, 0.9, 12)


@pytest.mark.parametrize(("test", "equal"), [(welch, False), (student, True)])
def test_p_values_are_scipys(test, equal):
    expected = stats.ttest_ind_from_stats(*FIRST, *SECOND, equal_var=equal).pvalue
    assert test(FIRST, SECOND).p_value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("test", [welch, student])
def test_without_variance_the_answer_is_certain(test):
    assert test(Sample(3.0, 0.0, 20), Sample(3.0, 0.0, 20)).p_value == 1.0
    assert test(Sample(3.0, 0.0, 20), Sample(3.1, 0.0, 20)).p_value == 0.0


def test_one_side_without_variance_is_a_one_sample_test():
    t = (5.0 - 4.0) / (2.0 / math.sqrt(10))
    assert welch(Sample(4.0, 0.0, 20), Sample(5.0, 2.0, 10)).p_value == pytest.approx(t_tail(t, 9), rel=1e-6)


def test_a_single_run_borrows_the_other_variance():
    t = 3.0 / (2.0 * math.sqrt(1 + 1 / 20))
    assert welch(Sample(10.0, 2.0, 20), Sample.of([13.0])).p_value == pytest.approx(t_tail(t, 19), rel=1e-6)
    assert math.isnan(student(Sample.of([1.0]), Sample.of([2.0])).p_value)


def test_sample_is_the_mean_and_the_deviation_with_ddof_1():
    assert Sample.of([1.0, 2.0, 6.0]) == (3.0, pytest.approx(math.sqrt((4 + 1 + 9) / 2)), 3)
    assert Sample.of([]).runs == 0


def test_runs_that_lack_a_number_do_not_count():
    lacking = [math.nan, 1.0, 3.0]
    assert Sample.of(lacking) == Sample.of([1.0, 3.0]) and Sample.of(lacking[:1]).runs == 0
    assert resampled_difference(lacking, [2.0, 2.0, 6.0], overlap=0.1) == resampled_difference(
        [1.0, 3.0], [2.0, 6.0], overlap=0.1
    )


def test_best_set_holds_the_best_and_its_ties():
    samples = {"best": Sample(10, 1, 20), "tied": Sample(10.3, 1, 20), "worse": Sample(12, 1, 20)}
    assert best_set(samples | {"failed": Sample.of([])}) == {"best", "tied"}
    assert best_set({"failed": Sample.of([])}) == set()
    assert best_set({"a": Sample(1, 0, 20), "b": Sample(1, 0, 20), "c": Sample(2, 0, 20)}) == {"a", "b"}
    assert best_set({"a": Sample.of([1.0]), "b": Sample.of([2.0])}) == {"a"}, "there is no test of single runs"


def test_best_set_of_the_published_numbers_is_the_published_bold():
    """The paper's own highlighting, recomputed from its printed means: six cells of 150 differ."""
    cells = pd.read_csv(Path(__file__).parents[1] / "config/published/omkc_tables_3_4.csv")
    mistakes = cells[cells["metric"] == "mistake_percent"]
    agree = []
    for _, block in mistakes.groupby(["table", "dataset"]):
        samples = {row.algorithm: Sample(row.mean, row.std, 20) for row in block.itertuples()}
        agree += [(row.algorithm in best_set(samples)) == bool(row.highlighted) for row in block.itertuples()]
    assert (sum(agree), len(agree)) == (144, 150)


def test_printed_like_the_paper():
    assert printed(Sample(26.0, 0.7, 20), "mistake_percent") == "26.00 ± 0.70"
    assert printed(Sample(0.004, 0.0, 20), "seconds") == "0.004 ± 0.000"
    assert printed(Sample(0.000451, 0.00029, 20), "seconds", fine=True) == "0.00045 ± 0.00029"
    assert printed(Sample(98.6, math.nan, 20), "seconds_ratio_percent") == "98.6"
    assert printed(Sample(0.000123, 0.00001, 5), "gap") == "1.2e-04 ± 1.0e-05"
    assert printed(Sample(12.0, 1.0, 8), "seconds", "all") == "12 ± 1"
    assert printed(Sample(0.0312, 0.004, 8), "seconds", "all", fine=True) == "0.031 ± 0.004"
    assert printed(Sample(0.0000312, math.nan, 1), "fit_seconds", fine=True) == "0.000031"
    assert printed(Sample(12345.4, 20.0, 10), "solver_steps") == "12,345 ± 20"
    assert printed(Sample(2.51e8, math.nan, 1), "kernel_values") == "2.5e+08"
    assert printed(Sample(0.0, 0.0, 10), "kernel_values") == "0 ± 0"
    assert printed(Sample(77.25 + 1e-14, math.nan, 10), "accuracy_percent") == "77.2"  # as 77.25 is


def test_paired_is_scipys_and_sharper_than_student():
    first, second = np.array([90.0, 80.0, 95.0, 70.0, 85.0]), np.array([89.0, 78.0, 95.5, 69.0, 82.0])
    assert paired(first, second) == pytest.approx(stats.ttest_rel(first, second).pvalue)
    assert paired(first, second) < 0.2 < student(Sample.of(first), Sample.of(second)).p_value


def test_paired_without_variance_is_certain():
    values = [90.1, 80.2, 95.3]
    assert paired(values, values) == 1.0
    assert paired(values, [value + 0.1 for value in values]) == 0.0
    assert math.isnan(paired([1.0], [2.0]))


def test_best_set_may_prefer_the_highest_and_another_test():
    samples = {"best": Sample(90, 1, 5), "close": Sample(89.9, 1, 5), "worse": Sample(80, 1, 5)}
    assert best_set(samples, highest=True) == {"best", "close"}
    told_apart = {"close": 0.001, "worse": 0.2}
    assert best_set(samples, highest=True, test=lambda name, best: told_apart[name]) == {"best", "worse"}


def test_overlapping_splits_have_a_larger_error_than_independent_ones():
    """Nadeau and Bengio 2003: 1/r + test / training examples in place of 1/r."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 12))
    found = resampled_difference(first, second, overlap=1 / 3)
    differences = second - first
    assert found.value == pytest.approx(differences.mean())
    assert found.error == pytest.approx(differences.std(ddof=1) * np.sqrt(1 / 12 + 0.5))
    assert found.freedom == 11


def brute_force(values, errors, freedoms):
    """The hierarchical model on plain grids, its inner integral by the probabilities of small cells."""
    rng = np.random.default_rng(0)
    prior = 1 + rng.gamma(rng.uniform(0.5, 5, 1_000_000), 1 / rng.uniform(0.05, 0.15, 1_000_000))
    # Few degrees of freedom make the tails, so that levels near 0 are finer.
    points, shares = np.polynomial.legendre.leggauss(10)
    roots = (points + 1) / 2
    spread = np.std(values) + errors.max()
    edges = np.linspace(values.min() - 8 * errors.max(), values.max() + 8 * errors.max(), 401)
    middles = (edges[1:, None] + edges[:-1, None]) / 2
    own = stats.t.pdf(middles, freedoms, values, errors)
    locations = np.median(values) + spread * np.linspace(-2, 2, 41)
    logs, chances = [], []
    for freedom, share in zip(np.quantile(prior, roots**4), shares * roots**3, strict=True):
        for scale in np.geomspace(0.02, 20 * spread, 20):
            cells = np.diff(special.stdtr(freedom, (edges - locations[:, None]) / scale), axis=1)
            logs.append(np.log(cells @ own + 1e-300).sum(axis=1) + np.log(scale * share))
            chances.append([special.stdtr(freedom, (sign * locations - 1) / scale) for sign in (-1, 1)])
    weights = np.exp(np.array(logs) - np.max(logs))
    worse, better = np.einsum("sl,sbl->b", weights / weights.sum(), np.array(chances))
    return worse, 1 - worse - better, better


def differences(values, errors, freedom=9.0):
    return tuple(Difference(*map(float, each), freedom) for each in zip(values, errors, strict=True))


@pytest.mark.parametrize(
    ("values", "errors"),
    [
        ([2.3, 1.1, 3.4, 0.7, 2.9, 2.8, 1.5, 2.2], [0.5, 0.9, 0.4, 0.8, 0.6, 0.3, 0.7, 1.0]),
        ([0.3, -0.5, 0.1, 0.8, -0.2, 0.0], [0.6] * 6),
        ([-2.4, 0.2, -0.6, 0.1, -1.3, -0.1, 0.4, -4.0, 0.3, -0.2], [0.3, 0.9, 0.5, 0.2, 1.2, 0.4, 0.6, 0.8, 0.3, 0.5]),
        ([0.0, 0.0, 0.2, 0.0, -0.1, 0.1, 0.3, 0.2, -0.2, -0.3, -0.2, 0.0, -4.0, -2.5, 3.5], [0.3] * 15),
    ],
)
def test_probabilities_of_a_next_data_set_are_those_of_the_model(values, errors):
    found = predict_next(differences(values, errors))
    assert found == pytest.approx(brute_force(np.array(values), np.array(errors), 9.0), abs=0.005)
    mirrored = predict_next(differences(-np.array(values), errors))
    assert mirrored == pytest.approx(found[::-1], abs=0.005)


def test_three_points_worse_on_8_of_45_data_sets_is_not_practically_equal():
    """The Bayesian signed-rank test gives a probability of .97 to practically equal here."""
    rng = np.random.default_rng(1)
    values = rng.normal(0.0, 0.3, 45)
    values[:8] -= 3.0
    compared = harm_and_gain(differences(values, np.full(45, 0.4)))
    assert (compared.worse, compared.better, compared.below, compared.votes) == (8, 0, 8, 45)
    assert compared.next_within < 0.9 and compared.verdict() == "undecided" and compared.not_better()
    alike = harm_and_gain(differences(values[8:], np.full(37, 0.2)))
    assert alike.verdict() == "practically equal"


def test_one_data_set_that_is_shown_to_be_beyond_a_point_is_enough_against_equal():
    values = np.append(np.zeros(60), 1.6)
    compared = harm_and_gain(differences(values, np.full(61, 0.2)))
    assert compared.next_within > 0.95 and compared.better == 1 and compared.verdict() != "practically equal"


def test_differences_that_are_equal_by_chance_show_no_equality():
    low, high = harm_and_gain(differences([0.0, 0.0], [3.0, 4.0], freedom=4.0)).mean.interval(0.05)
    assert (low, high) == pytest.approx(2.5 * np.array([-1, 1]) * stats.t.ppf(0.975, 1))


def test_the_best_of_several_is_judged_by_a_wider_interval():
    compared = harm_and_gain(differences([1.2, 3.0, 2.0, 1.6, 2.6, 1.4, 2.2], np.full(7, 0.3)))
    low, high = compared.mean.interval(0.05)
    assert (low, high) == pytest.approx(stats.ttest_1samp([1.2, 3.0, 2.0, 1.6, 2.6, 1.4, 2.2], 0).confidence_interval())
    assert (compared.verdict(), compared.verdict(13)) == ("better", "undecided")


def test_holm_is_the_hand_computed_case():
    """0.01 x 4, 0.02 x 3, 0.03 x 2, and 0.04 x 1, which may not fall below the one before."""
    np.testing.assert_allclose(holm([0.04, 0.01, 0.03, 0.02]), [0.06, 0.04, 0.06, 0.06])
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(holm([0.5, 0.9]), [1.0, 1.0])
    assert holm([]).size == 0


def test_signed_ranks_are_exact_with_ties_and_zeros():
    assert signed_rank([1.0, 2.0], [1.0, 2.0]) == 1.0
    differences = np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
    assert signed_rank(differences, np.zeros(6)) == pytest.approx(2 / 2**6)  # all of one sign
    assert signed_rank([*differences, 0.0], np.zeros(7)) == pytest.approx(2 / 2**6)
    values = np.array([-1.0, 1.0, 1.0, 2.0, -3.0, 4.0, 4.0, 0.0])
    ranks = stats.rankdata(np.abs(values))[values != 0]
    sums = [np.dot(ranks, signs) for signs in itertools.product((0, 1), repeat=7)]
    observed = ranks[values[values != 0] > 0].sum()
    assert signed_rank(values, np.zeros(8)) == pytest.approx(2 * np.mean(np.array(sums) >= observed))
    for size in (7, 20, 35):
        values = np.random.default_rng(size).normal(0.3, 1.0, size)
        assert signed_rank(values, np.zeros(size)) == pytest.approx(stats.wilcoxon(values, method="exact").pvalue)


def test_every_pair_has_one_corrected_p_value_in_both_orders():
    generator = np.random.default_rng(0)
    means = pd.DataFrame(generator.normal(size=(20, 3)) + np.array([0.0, 0.1, 3.0]), columns=["a", "b", "c"])
    found = pairwise(means)
    raw = [stats.wilcoxon(means[one], means[other]).pvalue for one, other in (("a", "b"), ("a", "c"), ("b", "c"))]
    np.testing.assert_allclose([found["a", "b"], found["a", "c"], found["c", "b"]], holm(raw))
    assert found["a", "b"] == found["b", "a"] > 0.05 > found["a", "c"]


def test_bars_lie_over_neighbours_of_which_no_two_differ():
    apart = {("a", "c"), ("a", "d"), ("b", "d"), ("a", "e"), ("b", "e"), ("c", "e"), ("d", "e")}
    p_values = dict.fromkeys(itertools.permutations("abcde", 2), 0.5)
    p_values |= {pair: 0.01 for x, y in apart for pair in ((x, y), (y, x))}
    assert alike("abcde", p_values) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert alike("abc", dict.fromkeys(itertools.permutations("abc", 2), 0.5)) == [("a", "b", "c")]
    skipped = dict.fromkeys(itertools.permutations("abc", 2), 0.5) | {("a", "b"): 0.01, ("b", "a"): 0.01}
    assert alike("abc", skipped) == [("b", "c")]  # a and c are alike, but a bar over them would pass over b


def test_the_front_holds_what_nothing_beats_in_both():
    points = {"cheap": (1.0, 9.0), "good": (5.0, 1.0), "same": (5.0, 1.0), "middle": (3.0, 4.0)}
    beaten = {"dear": (6.0, 1.0), "bad": (3.0, 5.0), "both": (9.0, 9.0)}
    assert pareto_front(points | beaten) == ["cheap", "middle", "good", "same"]
    assert pareto_front({}) == []
