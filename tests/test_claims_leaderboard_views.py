"""The claims of the leaderboard of views: planted results that support each one, turn it round or decide nothing."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from grambench import claims
from grambench.claims import Evidence
from grambench.claims.leaderboard_views import EXAMPLES
from grambench.config.project import Configuration
from grambench.results.study import Results

STUDY = Configuration(Path(__file__).parents[1] / "config").study("leaderboard_views")
NOISE = np.array([0.3, -0.2, 0.1, 0.0, -0.4, 0.2, 0.1, -0.1, 0.0, 0.0])
KERNELS = 3
SUPPORT = {
    "d1_centred": 80.0,
    "uniform_svm": 72.0,
    "uniform_svm_centred": 72.0,
    "best_kernel_svm": 65.0,
    "klc": 79.0,
    "view_stacking": 70.0,
}
DATASETS = {"synthetic_dense": {"d1_centred": 72.2}, "synthetic_xor": dict.fromkeys(SUPPORT, 51.0)}


def judged(spread=1.0, found=10, **changes):
    """Return the verdicts by claim; `changes` are accuracies by data set, and `found` draws find the relevant views."""
    rows, planted = [], {name: DATASETS.get(name, {}) | changes.get(name, {}) for name in STUDY.datasets}
    for dataset in STUDY.datasets:
        for place, (name, accuracy) in enumerate((SUPPORT | planted[dataset]).items()):
            for r, noise in enumerate(np.roll(NOISE, place)):
                rows.append((dataset, name, "", np.nan, r, "accuracy_percent", accuracy + spread * noise))
    for r in range(10):
        for view in range(1, 21):
            weight = 1.0 if view in ((1, 2) if r < found else (1, 3)) else 0.01
            for width in range(KERNELS):
                metric = f"weight:view_{view}/mediangaussian_sigma{width + 1}"
                rows.append(("synthetic_sparse", "d1_centred", "", np.nan, r, metric, weight))
    runs = pd.DataFrame(rows, columns=["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"])
    cells = pd.DataFrame(columns=["dataset", "algorithm", "sweep", "status", "reason"])
    table = claims.table(STUDY.name, Evidence(Results(STUDY, runs, cells), pd.DataFrame()))
    return table.set_index("claim")["verdict"].to_dict()


def test_planted_answers_hold():
    found = judged()
    assert {claim: found[claim] for claim in ("1a", "1b", "1c", "1d", "2a", "2b")} == dict.fromkeys(
        ("1a", "1b", "1c", "1d", "2a", "2b"), "holds"
    )


@pytest.mark.parametrize(
    ("claim", "changes", "verdict"),
    [
        ("1a", {"synthetic_sparse": {"d1_centred": 75.0}}, "fails"),
        ("1a", {"synthetic_sparse": {"d1_centred": 77.0}}, "undecided"),
        ("1b", {"synthetic_dense": {"d1_centred": 76.0}}, "fails"),
        ("1b", {"spread": 8.0}, "undecided"),
        ("1c", {"synthetic_xor": {"klc": 60.0}}, "fails"),
        ("1d", {"found": 8}, "fails"),
        ("1d", {"found": 9}, "holds"),
    ],
)
def test_other_results_give_another_answer(claim, changes, verdict):
    assert judged(**changes)[claim] == verdict


def test_the_synthetic_data_sets_are_as_large_as_the_intervals_assume():
    project = Configuration(Path(__file__).parents[1] / "config")
    assert {project.dataset(name).n for name in ("synthetic_sparse", "synthetic_dense")} == {EXAMPLES}


def test_splits_that_draw_a_small_part_of_a_data_set_have_narrower_intervals():
    rows = [
        ("sonar", name, "", np.nan, r, "accuracy_percent", noise + 80.0 * (name == "klc"))
        for name, place in (("klc", 0), ("d1", 1))
        for r, noise in enumerate(np.roll(NOISE, place))
    ]
    runs = pd.DataFrame(rows, columns=["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"])
    results = Results(STUDY, runs, pd.DataFrame())
    differences = NOISE - np.roll(NOISE, 1)
    for n, overlap in ((500, 1 / 3), (1000, 1 / 3), (50_000, 1 / 3 / 50)):
        value, low, high = results.lead("sonar", "klc", "d1", "accuracy_percent", n=n)
        reach = stats.t.ppf(0.975, 9) * differences.std(ddof=1) * np.sqrt(0.1 + overlap / (1 - overlap))
        assert (value, low, high) == pytest.approx((80.0, 80.0 - reach, 80.0 + reach))


def test_without_results_nothing_is_judged():
    empty = Results(
        STUDY,
        pd.DataFrame(columns=["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"]),
        pd.DataFrame(columns=["dataset", "algorithm", "sweep", "status", "reason"]),
    )
    table = claims.table(STUDY.name, Evidence(empty, pd.DataFrame()))
    assert set(table["verdict"]) == {"undecided"}


def test_claims_on_images_are_judged_on_their_own_board():
    study = Configuration(Path(__file__).parents[1] / "config").study("leaderboard_images")
    accuracies = {"uniform_svm": 80.0, "best_kernel_svm": 70.0, "d1": 79.9, "lp_beta": 85.0}
    rows = [
        (dataset, name, "", np.nan, r, "accuracy_percent", accuracy + noise)
        for dataset in study.datasets
        for name, accuracy in accuracies.items()
        for r, noise in enumerate(NOISE)
    ]
    runs = pd.DataFrame(rows, columns=["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"])
    cells = pd.DataFrame(columns=["dataset", "algorithm", "sweep", "status", "reason"])
    table = claims.table(study.name, Evidence(Results(study, runs, cells), pd.DataFrame()))
    assert table.set_index("claim")["verdict"].to_dict() == {
        "1a": "holds",
        "1b": "undecided",
        "1c": "undecided",
        "2a": "holds",
        "2b": "holds",
    }
