"""The claims of the field: planted results that support each one, turn it round, or leave it undecided."""

import re

import numpy as np
import pandas as pd
import pytest

from grambench import claims
from grambench.claims import Evidence, leaderboard
from grambench.config.study import Study
from grambench.results.study import Results

SETS = [f"set_{number}" for number in range(10)]
ONLINE = ["om2", "omkc_dd", "perceptron_u"]
ENTRIES = [
    *(leaderboard.UNIFORM, leaderboard.SINGLE, *leaderboard.KERNEL_LEARNING),
    *(*ONLINE, "gaussian_svm", "gradient_boosting"),
]
RUNS = ["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"]
CURVES = pd.DataFrame(columns=["dataset", "algorithm", "round", "metric", "result"])
STUDY = Study.model_validate(
    {
        "name": "leaderboard",
        "title": "Leaderboard",
        "paper": "Nobody",
        "protocol": {"kind": "random_splits", "repetitions": 1, "sizes": {"default": [5, 6, 7]}, "values": [1]},
        "dictionary": {"family": "gaussian", "low": 1, "high": 100, "count": 3, "spacing": "log"},
        "datasets": SETS,
        "algorithms": {name: {"algorithm": "ca_1d", "title": name.upper()} for name in ENTRIES},
    }
)
SUPPORT = dict.fromkeys(leaderboard.KERNEL_LEARNING, 86.0) | {
    "best_kernel_svm": 80.0,
    "uniform_svm": 82.0,
    "alignf": 84.0,
    "d1": 84.0,
    "gaussian_svm": 81.0,
    "gradient_boosting": 81.5,
    "om2": 84.5,
    "omkc_dd": 84.5,
    "perceptron_u": 80.5,
}


def evidence(gone=(), failed=(), work=None, **accuracies):
    """Return results in which the accuracies differ by as much on each data set, but for a little."""
    rows, cells = [], []
    for place, dataset in enumerate(SETS):
        for number, name in enumerate(ENTRIES):
            if name in gone:
                continue
            bad = name in failed
            status, reason = ("timeout", "stopped after 5 s") if bad else ("ok", "")
            cells.append((dataset, name, "", status, reason, "seeded"))
            if bad:
                continue
            accuracy = (SUPPORT | accuracies)[name] + 0.001 * ((place * (number + 3)) % 7)
            own = {"accuracy_percent": accuracy, "seconds": 0.1 if name in ONLINE else 5.0}
            own["operations"] = (work or {}).get(name, 1e3 if name in ONLINE else 1e6)
            rows += [(dataset, name, "", np.nan, 0, *item) for item in own.items()]
    columns = ["dataset", "algorithm", "sweep", "status", "reason", "orders"]
    results = Results(STUDY, pd.DataFrame(rows, columns=RUNS), pd.DataFrame(cells, columns=columns))
    return Evidence(results, CURVES)


def answers(given):
    return {claim.id: claim.test(given) for claim in leaderboard.CLAIMS}


def answer(claim, given):
    return next(each.test(given) for each in leaderboard.CLAIMS if each.id == claim)


def test_planted_numbers_support_every_claim():
    found = answers(evidence())
    assert {name: answer.verdict for name, answer in found.items()} == dict.fromkeys(found, "holds")
    text = "UNIFORM_SVM against BEST_KERNEL_SVM: better, with probabilities of "
    assert re.fullmatch(
        text + r"(1\.000|0\.99\d) better, 0\.00\d practically equal and 0\.000 worse; median difference \+2\.00 points "
        "on 10 data sets",
        found["1a"].evidence,
    )
    assert found["1c"].evidence.startswith("13 of 13 are better than UNIFORM_SVM (probabilities of")
    assert "+2.00), D2 (1.000, 0.000, 0.000; +4.00), LP_MKL" in found["1c"].evidence
    assert "0.001 of the work, 0.02 of the seconds" in found["4a"].evidence


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("1a", {"best_kernel_svm": 82.0}),
        ("1a", {"best_kernel_svm": 81.5}),
        ("1b", {"uniform_svm": 88.5}),
        ("1c", {"uniform_svm": 88.5}),
        ("1c", dict.fromkeys(leaderboard.LEARNED[:7], 80.0)),
        ("2a", {"alignf": 86.2}),
        ("2b", {"d1": 85.8}),
        ("3", {"d2": 82.0}),
        ("4a", {"lp_mkl": 86.6}),
        ("4b", {"omkc_dd": 81.9}),
        ("4c", {"uniform_svm": 82.6}),
        ("5a", {"gaussian_svm": 90.0}),
        ("5b", {"gaussian_svm": 90.0}),
        ("6a", {"gradient_boosting": 90.0}),
        ("6b", {"gradient_boosting": 86.0}),
    ],
)
def test_other_numbers_refute_a_claim(claim, change):
    assert answer(claim, evidence(**change)).verdict == "fails"


@pytest.mark.parametrize(
    ("rival", "verdict", "word"),
    [(84.0, "holds", "better"), (85.5, "fails", "practically equal"), (90.0, "fails", "worse")],
)
def test_the_evidence_has_the_verdict_on_the_pair(rival, verdict, word):
    judged = answer("2a", evidence(alignf=rival))
    assert judged.verdict == verdict
    assert f"CA_1D against ALIGNF: {word}, with probabilities" in judged.evidence
    assert f"median difference {86.0 - rival:+.2f} points on 10 data sets" in judged.evidence


def test_work_decides_and_not_seconds():
    judged = answer("4a", evidence(work={"om2": 2e4}))
    assert judged.verdict == "fails" and "near and cheap on 0 of 10" in judged.evidence


def test_some_may_beat_a_rival_where_most_do_not():
    planted = evidence(**dict.fromkeys(leaderboard.LEARNED[:7], 80.0))
    some, most = answer("1b", planted), answer("1c", planted)
    assert (some.verdict, most.verdict) == ("holds", "fails")
    assert some.evidence.startswith("6 of 13 are better")
    assert "; worse: D1 (0.000, 0.000, 1.000; -2.00), D2" in some.evidence


def shifted(points, datasets, **accuracies):
    """Return results in which CA-1D has other accuracies on some data sets."""
    planted = evidence(**accuracies)
    runs = planted.results.runs
    near = (runs["algorithm"] == "ca_1d") & (runs["metric"] == "accuracy_percent")
    runs.loc[near & runs["dataset"].isin(datasets), "result"] += points
    return planted


def test_ahead_on_half_of_the_data_sets_and_behind_on_the_others_is_undecided():
    judged = answer("2a", shifted(-4.0, SETS[::2]))
    assert judged.verdict == "undecided" and ": undecided, with probabilities" in judged.evidence


def test_a_claim_fails_where_equal_and_worse_are_all_that_is_left():
    """The pair is undecided between practically equal and worse, and the claim that it is better is not."""
    judged = answer("2a", shifted(-1.9, SETS[:6], alignf=86.0))
    assert judged.verdict == "fails" and ": undecided, with probabilities of 0.000 better" in judged.evidence


@pytest.mark.parametrize("claim", [claim.id for claim in leaderboard.CLAIMS])
def test_nothing_at_hand_is_undecided_with_a_reason(claim):
    judged = answer(claim, evidence(gone=ENTRIES))
    assert judged.verdict == "undecided" and "not part of this run" in judged.evidence


def test_a_missing_configuration_is_named():
    study = STUDY.model_copy(update={"algorithms": {"rkl": STUDY.algorithms["rkl"]}})
    given = evidence()
    bare = Evidence(Results(study, given.results.runs.iloc[:0], given.results.cells.iloc[:0]), CURVES)
    found = answers(bare)
    assert {answer.verdict for answer in found.values()} == {"undecided"}
    assert found["5a"].evidence == "not judged: the study has no configuration gaussian_svm"


def test_a_failed_rival_says_why():
    planted = evidence(failed=["gaussian_svm"])
    judged = answer("5a", planted)
    assert judged.verdict == "undecided"
    assert "GAUSSIAN_SVM: timeout: stopped after 5 s" in judged.evidence
    assert answer("6a", planted).verdict == "holds"


def test_a_failed_algorithm_counts_as_one_that_may_be_better():
    planted = evidence(failed=["cka"], uniform_svm=88.5)
    some, most = answer("1b", planted), answer("1c", planted)
    assert (some.verdict, most.verdict) == ("undecided", "fails")
    assert "not judged: CKA (0 of 10 data sets have both" in some.evidence


def test_fewer_than_six_data_sets_are_not_judged():
    def on(count):
        study, planted = STUDY.model_copy(update={"datasets": SETS[:count]}), evidence()
        cells, runs = planted.results.cells, planted.results.runs
        runs, cells = (table[table["dataset"].isin(SETS[:count])] for table in (runs, cells))
        return answer("2a", Evidence(Results(study, runs, cells), CURVES))

    assert on(5).evidence == "not judged: 5 of 5 data sets have both, 6 and half of them are needed"
    assert on(6).verdict == "holds"


def test_every_claim_states_itself_and_its_source():
    table = claims.table("leaderboard", evidence())
    assert table["claim"].is_unique and table["statement"].str.len().min() > 20
    assert table["section"].str.len().min() > 10
