"""The claims of OMKC on planted results, and on those of a small study."""

import math
from dataclasses import replace

import numpy as np
import planted
import presentation
import pytest

from grambench import claims
from grambench.claims import Evidence, omkc
from grambench.config.study import Entry


def test_the_claims_of_omkc_speak_of_the_data_sets_of_the_study():
    study = planted.CONFIGURATION.study("omkc")
    assert [*omkc.SETS, "sonar"] == study.datasets
    assert set(omkc.TIMED_SETS) == set(study.datasets)


def evidence(means, metric="mistake_percent"):
    """Return results with given means: {data set: {algorithm: mean}}, all of 20 repetitions with the same spread."""
    spread = np.tile([-1.0, 1.0], 10) * math.sqrt(19 / 20)
    rows = [
        row
        for dataset, algorithms in means.items()
        for algorithm, mean in algorithms.items()
        for row in planted.plain(dataset, algorithm, metric, *(mean + spread))
    ]
    return planted.evidence(presentation.STUDY, rows, presentation.cells(), presentation.curves())


def table_3(winners):
    return {
        name: dict.fromkeys(omkc.TABLE_3, 20.0) | {winner: 10.0}
        for name, winner in zip(omkc.SETS, winners, strict=False)
    }


@pytest.mark.parametrize(
    ("winners", "expected"),
    [
        (["omkc_dd"] * 12 + ["om2"] * 3, "holds"),
        (["omkc_dd"] * 11 + ["om2"] * 4, "fails"),
        (["omkc_dd"] * 8, "holds"),
        (["omkc_dd"] * 7, "undecided"),
        ([], "undecided"),
    ],
)
def test_claim_on_a_number_of_data_sets(winners, expected):
    answer = omkc.best_of_table_3(evidence(table_3(winners)))
    assert answer.verdict == expected
    if expected == "fails":
        assert answer.evidence == "OMKC(D,D) is best or tied on 11 of 15: not on a3a, spambase, mushrooms, w5a"


def test_one_counterexample_refutes_a_claim_on_every_data_set():
    means = {name: {"omkc_sd": 5.0, "omkc_dd": 6.0} for name in omkc.SETS[:9]}
    assert omkc.stochastic_update_is_faster(evidence(means, metric="row_additions")).verdict == "holds"
    few = {"wdbc": {"omkc_sd": 7.0, "omkc_dd": 6.0}}
    answer = omkc.stochastic_update_is_faster(evidence(few, metric="row_additions"))
    told = "OMKC(S,D) adds fewer rows on 0 of 1: not on wdbc; 14 of 15 not available; in seconds on 0 of 0"
    assert answer == ("fails", told)


def test_named_data_sets_are_all_needed():
    worse = {"perceptron": 10.0, "perceptron_u": 20.0}
    two = {"wdbc": worse, "breast": worse}
    assert omkc.uniform_exceptions(evidence(two)).verdict == "undecided"
    assert omkc.uniform_exceptions(evidence(two | {"spambase": worse})).verdict == "holds"
    slightly = {"perceptron": 10.0, "perceptron_u": 10.1}  # worse, but not significantly
    assert omkc.uniform_exceptions(evidence({"wdbc": slightly})).verdict == "fails"


@pytest.mark.parametrize(("times", "expected"), [(12.04, "holds"), (9.0, "fails")])
def test_twelve_times(times, expected):
    means = {"ionosphere": {"omkc_dd": times * 100, "om2": 100.0}}
    assert omkc.twelve_times_the_vectors(evidence(means, metric="support_vectors")).verdict == expected


def small(**changes):
    """Return the small study of presentation.py, changed."""
    return Evidence(replace(presentation.results(), **changes), presentation.curves())


def test_theorem_1_is_checked_in_every_run():
    bound = 2 * (math.log(1 / 0.8) * 3 + math.log(2)) / 0.2
    most = math.floor(bound)
    answer = omkc.theorem_1(small())
    used = round(6.5 * presentation.SIZE / 100)
    assert answer.verdict == "holds"
    assert f"4 of 4 runs; at most {100 * used / bound:.0f} %" in answer.evidence
    runs = presentation.runs()
    broken = (runs["algorithm"] == "omkc_dd") & (runs["metric"] == "mistake_percent") & (runs["repetition"] == 2)
    runs.loc[broken & (runs["sweep"] == ""), "result"] = 100 * (most + 1) / presentation.SIZE
    answer = omkc.theorem_1(small(runs=runs))
    assert answer.verdict == "fails" and "wdbc run 2" in answer.evidence


@pytest.mark.parametrize("change", [{"sweeps": {}, "figures": {}}, {"algorithms": {"omkc_dd": Entry()}}])
def test_claims_survive_a_study_without_sweeps_or_parameters(change):
    table = claims.table("omkc", small(study=presentation.STUDY.model_copy(update=change))).set_index("claim")
    assert table.loc["12a" if "sweeps" in change else "13", "verdict"] == "undecided"


def test_best_beta_is_read_from_the_sweep():
    answer = omkc.best_beta_of_dd(small())
    assert answer.verdict == "holds" and "wdbc 0.8" in answer.evidence


def test_every_claim_answers():
    table = claims.table("omkc", small())
    assert set(table["verdict"]) <= {"holds", "fails", "undecided"}
    assert {int("".join(filter(str.isdigit, claim))) for claim in table["claim"]} == set(range(1, 14))
