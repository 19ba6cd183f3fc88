"""Published beside own numbers on a small study."""

import math
import re

import pandas as pd
import presentation
import pytest
from planted import CONFIGURATION, one

from grambench.common.errors import ConfigError, DataError
from grambench.config.study import Entry
from grambench.kernels.functions import Kernel
from grambench.results import reproduction
from grambench.results.study import Results


def test_one_row_a_published_number(compared):
    assert len(compared) == 7 + 4 + 6
    assert list(compared.columns) == reproduction.TABLE.names


def test_means_deviations_and_verdicts(compared):
    std = math.sqrt((1.5**2 + 0.5**2) * 2 / 3)
    exact = one(compared, dataset="wdbc", algorithm="perceptron", metric="mistake_percent")
    assert (exact.ours_mean, exact.ours_std) == (10.0, pytest.approx(std))
    assert (exact.verdict, exact.runs, exact.orders) == ("exact", 4, "published")
    near = one(compared, dataset="wdbc", algorithm="omkc_dd", metric="mistake_percent")
    assert near.verdict == "compatible" and near.difference == pytest.approx(-0.5)
    assert (near.margin, near.replications, near.chosen) == (1.5, 0, "a coin")
    assert near.detectable > near.margin and near.high > near.margin  # more than the margin would have been missed
    far = one(compared, dataset="wdbc", algorithm="omkc_ss", metric="mistake_percent")
    assert far.verdict == "different" and far.p_value < 0.01


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({"random": "no"}, "different", reproduction.FIXED),
        ({"random": "yes"}, "compatible", ""),
        ({"random": ""}, "compatible", ""),  # of an older version, which did not tell
        ({"random": "no", "orders": "seeded"}, "compatible", ""),
    ],
)
def test_only_what_leaves_something_to_chance_is_tested(tmp_path, changes, verdict, reason):
    """What draws nothing on published orders must print as published: 5.00 +- 1.29 against 5.50 +- 1.30."""
    published = presentation.STUDY.published.model_copy(update={"runs": presentation.REPEATS})
    study = presentation.STUDY.model_copy(update={"published": published})
    results = Results(study, presentation.runs(), presentation.cells().assign(**changes))
    table = reproduction.table(results, presentation.characteristics(), presentation.published(tmp_path))
    row = one(table, dataset="wdbc", algorithm="omkc_dd", metric="mistake_percent")
    assert (row.verdict, row.reason, row.difference) == (verdict, reason, pytest.approx(-0.5))
    assert math.isnan(row.p_value) if verdict == "different" else row.p_value > 0.01


def test_runs_without_spread_differ_by_rounding_alone_and_say_so(tmp_path):
    """All four make 5 mistakes, and 5.5 is printed without a deviation; where 5.0 is, nothing is said."""
    files, runs = presentation.published(tmp_path), presentation.runs()
    runs.loc[(runs["algorithm"] == "omkc_dd") & (runs["metric"] == "mistake_percent"), "result"] = 5.0
    for printed, verdict, reason in (("5.5", "different", reproduction.ROUNDED), ("5.0", "exact", "")):
        text = files["cells.csv"].read_text()
        files["cells.csv"].write_text(
            re.sub("omkc_dd,mistake_percent,5.*", f"omkc_dd,mistake_percent,{printed},,1", text)
        )
        results = Results(presentation.STUDY, runs, presentation.cells())
        table = reproduction.table(results, presentation.characteristics(), files)
        row = one(table, dataset="wdbc", algorithm="omkc_dd", metric="mistake_percent")
        assert (row.verdict, row.reason) == (verdict, reason)


SHIPPED = "dataset,algorithm,metric,orders,identity,means\n"
MEANS = "5 5.2 5.1 4.9 5.3 5.4 4.8 5.2 5.1 5"


def with_replications(folder, row):
    shipped = folder / "omkc.csv"
    shipped.write_text(SHIPPED + row + "\n")
    files = presentation.published(folder / "published")
    table = reproduction.table(presentation.results(), presentation.characteristics(), files, shipped)
    return one(table, dataset="wdbc", algorithm="omkc_dd", metric="mistake_percent")


def test_replications_sharpen_the_test(tmp_path):
    row = with_replications(tmp_path, f"wdbc,omkc_dd,mistake_percent,published,{presentation.IDENTITY},{MEANS}")
    assert (row.verdict, row.replications, row.reason) == ("confirmed", 10, "")
    assert row.difference == pytest.approx(-0.4) and -1.5 < row.low < row.high < 0.5
    assert row.z == pytest.approx(1.8, abs=0.3)  # the published one is higher


@pytest.mark.parametrize(
    ("row", "count", "reason"),
    [
        (f"seeded,{presentation.IDENTITY},{MEANS}", 0, ""),  # of other orders
        (f"published,other.code,5.02{MEANS[1:]}", 0, reproduction.STALE),
        (f"published,other.code,5.004{MEANS[1:]}", 10, ""),  # prints as 5.00, as ours
        (f"published,{presentation.IDENTITY},5{' 5' * 9}", 0, reproduction.ALIKE),
    ],
)
def test_replications_are_used_only_if_they_vary_and_are_of_what_gives_the_same_mean(tmp_path, row, count, reason):
    found = with_replications(tmp_path, f"wdbc,omkc_dd,mistake_percent,{row}")
    assert (found.replications, found.reason) == (count, reason)
    assert count or found.verdict == "compatible"


def test_a_damaged_table_of_replications_is_named(tmp_path):
    with pytest.raises(DataError, match=r"omkc\.csv: expected a file of grambench"):
        with_replications(tmp_path, "wdbc,omkc_dd,mistake_percent,published,x,five")


def test_seconds_are_a_speed_up(compared):
    row = one(compared, item="Table 3", algorithm="omkc_dd", metric="seconds")
    assert row.verdict == "speed-up" and row.speed_up == pytest.approx(2.0 / 0.02)
    ratio = one(compared, algorithm="omkc_ss", metric="seconds_ratio_percent")
    assert ratio.ours_mean == pytest.approx(50.0) and ratio.published_mean == 60.0


def test_ratios_need_a_table_of_times(tmp_path):
    study = presentation.STUDY.model_copy(update={"tables": {}})
    results = Results(study, presentation.runs(), presentation.cells())
    table = reproduction.table(results, presentation.characteristics(), presentation.published(tmp_path))
    ratio = one(table, metric="seconds_ratio_percent")
    assert (ratio.verdict, ratio.reason) == ("unavailable", "no table of times names the algorithm to compare with")


def test_what_is_missing_says_why(compared):
    failed = one(compared, dataset="sonar")
    assert (failed.verdict, failed.reason) == ("unavailable", "timeout: stopped after 5 s <limit>")
    assert presentation.REASON in one(compared, item="Table 3", dataset="splice").reason
    assert one(compared, dataset="w5a").reason == "not part of this run"
    assert one(compared, item="Table 5", algorithm="omkc_ds", metric="seconds").reason == "not part of this run"


def test_heads_of_the_tables(compared):
    assert one(compared, dataset="wdbc", metric="n").verdict == "exact"
    dimension = one(compared, dataset="wdbc", metric="d")
    assert (dimension.verdict, dimension.ours_mean, dimension.published_mean) == ("different", 3.0, 4.0)
    best = one(compared, dataset="wdbc", metric="best_kernel")
    assert (best.verdict, best.ours) == ("exact", "linear")
    assert one(compared, dataset="splice", metric="best_kernel").verdict == "unavailable"
    assert set(compared[compared["metric"].isin(["n", "d", "best_kernel"])]["item"]) == {"Data sets"}


def test_another_best_kernel_is_different(tmp_path):
    files = presentation.published(tmp_path)
    text = files["kernels.csv"].read_text()
    files["kernels.csv"].write_text(text.replace("polynomial_p1", "gaussian_sigma0.5"))
    table = reproduction.table(presentation.results(), presentation.characteristics(), files)
    row = one(table, dataset="wdbc", metric="best_kernel")
    assert row.verdict == "different"
    assert row.reason == "the published one makes 4.0 mistakes a run, ours 3.0"


def test_all_published_kernels_are_understood():
    heads = pd.read_csv(presentation.ROOT / "config/published/omkc_best_kernel.csv")
    pool = [kernel.name for kernel in CONFIGURATION.study("omkc").kernel_list()]
    assert {Kernel.parse(name).name for name in heads["best_kernel"]} <= set(pool)


def test_an_unknown_published_kernel_is_refused(tmp_path):
    files = presentation.published(tmp_path)
    files["kernels.csv"].write_text("dataset,n,d,best_kernel\nwdbc,40,4,linear kernel\n")
    with pytest.raises(ConfigError, match="unknown kernel 'linear kernel'"):
        reproduction.table(presentation.results(), presentation.characteristics(), files)


def test_titles_come_from_the_study_or_the_docstrings():
    study = presentation.STUDY
    entries = study.algorithms | {"mine": Entry(algorithm="omkc_dd", title="Mine"), "slow": Entry(algorithm="om2")}
    results = Results(study.model_copy(update={"algorithms": entries}), presentation.runs(), presentation.cells())
    names = ["omkc_dd", "mine", "slow", "no_such_algorithm"]
    assert [results.title(name) for name in names] == ["OMKC(D,D)", "Mine", "OM-2", "no_such_algorithm"]
