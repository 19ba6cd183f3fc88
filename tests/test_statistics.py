"""Tests on means against textbook formulas, and the verdicts at their borders."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats

from grambench.results.statistics import (
    Posterior,
    Sample,
    bayesian_signed_rank,
    best_set,
    paired,
    printed,
    resampled_difference,
    student,
    welch,
)


def t_tail(t, degrees):
    """Two-sided tail of Student's t by integrating its density."""
    scale = special.gamma((degrees + 1) / 2) / (math.sqrt(degrees * math.pi) * special.gamma(degrees / 2))
    density = lambda x: scale * (1 + x * x / degrees) ** (-(degrees + 1) / 2)  # noqa: E731
    return 2 * integrate.quad(density, abs(t), np.inf)[0]


FIRST, SECOND = Sample(16.07, 1.42, 20), Sample(17.2, 0.9, 12)


def test_welch_is_the_textbook_formula():
    a, b = FIRST.std**2 / 20, SECOND.std**2 / 12
    degrees = (a + b) ** 2 / (a**2 / 19 + b**2 / 11)
    assert welch(FIRST, SECOND) == pytest.approx(t_tail((16.07 - 17.2) / math.sqrt(a + b), degrees), rel=1e-6)


def test_student_is_the_textbook_formula():
    pooled = (19 * FIRST.std**2 + 11 * SECOND.std**2) / 30
    t = (16.07 - 17.2) / math.sqrt(pooled * (1 / 20 + 1 / 12))
    assert student(FIRST, SECOND) == pytest.approx(t_tail(t, 30), rel=1e-6)


@pytest.mark.parametrize("test", [welch, student])
def test_without_variance_the_answer_is_certain(test):
    assert test(Sample(3.0, 0.0, 20), Sample(3.0, 0.0, 20)) == 1.0
    assert test(Sample(3.0, 0.0, 20), Sample(3.1, 0.0, 20)) == 0.0


def test_one_side_without_variance_is_a_one_sample_test():
    t = (5.0 - 4.0) / (2.0 / math.sqrt(10))
    assert welch(Sample(4.0, 0.0, 20), Sample(5.0, 2.0, 10)) == pytest.approx(t_tail(t, 9), rel=1e-6)


def test_a_single_run_borrows_the_other_variance():
    t = 3.0 / (2.0 * math.sqrt(1 + 1 / 20))
    assert welch(Sample(10.0, 2.0, 20), Sample.of([13.0])) == pytest.approx(t_tail(t, 19), rel=1e-6)
    assert math.isnan(student(Sample.of([1.0]), Sample.of([2.0])))


def test_sample_is_the_mean_and_the_deviation_with_ddof_1():
    assert Sample.of([1.0, 2.0, 6.0]) == (3.0, pytest.approx(math.sqrt((4 + 1 + 9) / 2)), 3)
    assert Sample.of([]).runs == 0


def test_best_set_holds_the_best_and_its_ties():
    samples = {"best": Sample(10, 1, 20), "tied": Sample(10.3, 1, 20), "worse": Sample(12, 1, 20)}
    assert best_set(samples | {"failed": Sample.of([])}) == {"best", "tied"}
    assert best_set({"failed": Sample.of([])}) == set()
    assert best_set({"a": Sample(1, 0, 20), "b": Sample(1, 0, 20), "c": Sample(2, 0, 20)}) == {"a", "b"}


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


def test_paired_is_the_textbook_formula():
    first, second = np.array([90.0, 80.0, 95.0, 70.0, 85.0]), np.array([89.0, 78.0, 95.5, 69.0, 82.0])
    differences = first - second
    t = differences.mean() / (differences.std(ddof=1) / math.sqrt(5))
    assert paired(first, second) == pytest.approx(t_tail(t, 4))
    assert paired(first, second) < 0.2 < student(Sample.of(first), Sample.of(second))


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


def test_tiny_numbers_are_printed_with_an_exponent():
    assert printed(Sample(0.000123, 0.00001, 5), "gap") == "1.2e-04 ± 1.0e-05"


def test_decimals_may_be_others_than_the_metrics():
    assert printed(Sample(12.0, 1.0, 8), "seconds", decimals=0) == "12 ± 1"
    assert printed(Sample(0.0312, 0.004, 8), "seconds", decimals=0, fine=True) == "0.031 ± 0.004"
    assert printed(Sample(0.0000312, math.nan, 1), "fit_seconds", fine=True) == "0.000031"


def test_overlapping_splits_have_a_larger_error_than_independent_ones():
    """Nadeau and Bengio 2003: 1/r + test / training examples in place of 1/r."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 12))
    found = resampled_difference(first, second, overlap=1 / 3)
    differences = second - first
    assert found.value == pytest.approx(differences.mean())
    assert found.error == pytest.approx(differences.std(ddof=1) * np.sqrt(1 / 12 + 0.5))
    assert found.freedom == 11
    independent = resampled_difference(first, second, overlap=0.0)
    assert independent.p_value == pytest.approx(stats.ttest_rel(second, first).pvalue)


BAYCOMP = {  # SignedRankTest.probs(differences, zeros, rope=1, nsamples=400000, random_state=0) of baycomp 1.0.3
    "ahead": ([2.1, 0.4, 3.0, -0.2, 1.8, 1.1, 2.6, 0.9, 1.7, 2.2], (0.9385075, 0.0614925, 0.0)),
    "alike": ([0.3, -0.5, 0.1, 0.8, -0.2, 0.0, 0.4, -0.9, 0.2, 1.3, -0.1, 0.6], (0.0000025, 0.9999975, 0.0)),
    "mixed": ([4.2, -3.1, 0.6, 2.7, -1.9, 0.2, -5.0, 3.3, 1.4], (0.46154, 0.3239, 0.21456)),
    "border": ([1.0, 1.0, -1.0, 2.0, 0.5, 1.0, 3.0], (0.460225, 0.539775, 0.0)),
    "behind": ([-1.2, -0.7, -2.9, -1.6, 0.3, -0.9, -2.2, -1.4], (0.0, 0.2132425, 0.7867575)),
}


@pytest.mark.parametrize(("differences", "probabilities"), BAYCOMP.values(), ids=BAYCOMP)
def test_probabilities_over_data_sets_are_those_of_baycomp(differences, probabilities):
    """The standard error of a share of 50,000 draws is .0022 at most; four of them are allowed."""
    ours = bayesian_signed_rank(differences, np.zeros(len(differences)))
    assert ours == pytest.approx(probabilities, abs=0.009)
    assert sum(ours) == pytest.approx(1.0)


def test_two_algorithms_change_places_and_every_call_gives_the_same():
    differences = np.array(BAYCOMP["mixed"][0])
    ours = bayesian_signed_rank(80.0 + differences, np.full(9, 80.0))
    assert tuple(bayesian_signed_rank(np.full(9, 80.0), 80.0 + differences)) == tuple(reversed(ours))
    assert bayesian_signed_rank(80.0 + differences, np.full(9, 80.0)) == ours
    assert bayesian_signed_rank(80.0 + differences, np.full(9, 80.0), seed=1) != ours


def test_a_draw_is_what_the_definition_says():
    """Loops over the pairs of data sets, the prior's among them, with the same weights."""
    differences, draws = [2.5, -0.5, 1.5, -4.0], 200
    weights = np.random.default_rng(3).dirichlet([0.5, 1, 1, 1, 1], draws)
    wins = [0, 0, 0]
    for of_draw in weights.tolist():
        shares = [0.0, 0.0, 0.0]
        for w, z in zip(of_draw, [0.0, *differences], strict=True):
            for v, y in zip(of_draw, [0.0, *differences], strict=True):
                mean = (z + y) / 2
                if abs(mean) == 1.0:
                    shares[1] += w * v / 2
                    shares[0 if mean > 0 else 2] += w * v / 2
                else:
                    shares[0 if mean > 1.0 else 2 if mean < -1.0 else 1] += w * v
        wins[shares.index(max(shares))] += 1
    assert bayesian_signed_rank(differences, np.zeros(4), draws=draws, seed=3) == tuple(win / draws for win in wins)


@pytest.mark.parametrize(
    ("posterior", "verdict", "not_better"),
    [
        ((0.95, 0.05, 0.0), "better", False),
        ((0.0, 0.95, 0.05), "practically equal", True),
        ((0.0, 0.05, 0.95), "worse", True),
        ((0.949, 0.051, 0.0), "undecided", False),
        ((0.01, 0.6, 0.39), "undecided", True),
    ],
)
def test_a_verdict_needs_a_probability_of_95_percent(posterior, verdict, not_better):
    assert (Posterior(*posterior).verdict, Posterior(*posterior).not_better) == (verdict, not_better)


def test_the_median_alone_decides_nothing():
    """A median of two points with as many losses as gains is undecided; a width of 0 leaves no room for equal."""
    assert bayesian_signed_rank([2.0, 2.1, -2.0, -2.1, 2.2], np.zeros(5)).verdict == "undecided"
    assert bayesian_signed_rank(np.full(8, 0.5), np.zeros(8)).verdict == "practically equal"
    assert bayesian_signed_rank(np.full(8, 0.5), np.zeros(8), rope=0.0).verdict == "better"
