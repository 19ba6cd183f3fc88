"""The claims of the leaderboard of views: planted results that support each one, turn it round or decide nothing."""

import numpy as np
import pytest
from planted import CONFIGURATION, alike, answers, plain, results, verdicts
from scipy import stats

from grambench.claims.leaderboard_views import EXAMPLES

STUDY = CONFIGURATION.study("leaderboard_views")
NOISE = np.array([0.3, -0.2, 0.1, 0.0, -0.4, 0.2, 0.1, -0.1, 0.0, 0.0])
KERNELS = 3
SOURCES = STUDY.multisource
COLUMNS = [name for name in STUDY.datasets if not name.startswith("synthetic_") and name not in SOURCES]
SUPPORT = {
    "d1_centred": 80.0,
    "uniform_svm": 72.0,
    "uniform_svm_centred": 72.0,
    "best_kernel_svm": 65.0,
    "klc": 79.0,
    "view_stacking": 70.0,
}
DATASETS = {"synthetic_dense": {"d1_centred": 72.2}, "synthetic_xor": dict.fromkeys(SUPPORT, 51.0)}


NO_LEAD_ON_SOURCES, NO_LEAD_ON_COLUMNS = (
    {name: {"klc": 60.0, "d1_centred": 60.0} for name in names} for names in (SOURCES, COLUMNS)
)


def judged(spread=1.0, found=10, **changes):
    """Return the verdicts by claim; `changes` are accuracies by data set, and `found` draws find the relevant views."""
    rows, planted = [], {name: DATASETS.get(name, {}) | changes.get(name, {}) for name in STUDY.datasets}
    for dataset in STUDY.datasets:
        for place, (name, accuracy) in enumerate((SUPPORT | planted[dataset]).items()):
            rows += plain(dataset, name, "accuracy_percent", *(accuracy + spread * np.roll(NOISE, place)))
    for view in range(1, 21):
        weights = [1.0 if view in ((1, 2) if r < found else (1, 3)) else 0.01 for r in range(10)]
        for width in range(KERNELS):
            metric = f"weight:view_{view}/mediangaussian_sigma{width + 1}"
            rows += plain("synthetic_sparse", "d1_centred", metric, *weights)
    return verdicts(STUDY, rows)


def test_planted_answers_hold():
    found, planted = judged(), ("1a", "1b", "1c", "1d", "2a", "2b", "4")
    assert {claim: found[claim] for claim in planted} == dict.fromkeys(planted, "holds")


@pytest.mark.parametrize(
    ("claim", "changes", "verdict"),
    [
        ("1a", {"synthetic_sparse": {"d1_centred": 75.0}}, "fails"),
        ("1a", {"synthetic_sparse": {"d1_centred": 77.0}}, "undecided"),
        ("1b", {"synthetic_dense": {"d1_centred": 76.0}}, "fails"),
        ("1b", {"spread": 8.0}, "undecided"),
        ("1c", {"synthetic_xor": {"klc": 60.0}}, "fails"),
        ("1c", {"synthetic_xor": {"gram_mkl": 60.0}}, "fails"),
        ("1d", {"found": 8}, "fails"),
        ("1d", {"found": 9}, "holds"),
        ("2b", NO_LEAD_ON_COLUMNS, "holds"),
        ("4", NO_LEAD_ON_COLUMNS, "undecided"),
        ("2b", NO_LEAD_ON_SOURCES, "undecided"),
        ("4", NO_LEAD_ON_SOURCES, "holds"),
    ],
)
def test_other_results_give_another_answer(claim, changes, verdict):
    assert judged(**changes)[claim] == verdict


def test_sources_are_of_eight_collections_at_least():
    assert len({STUDY.collection(name) for name in SOURCES}) >= 8
    assert {"brca_5", "htad_7", "mfeat_10"} < {*SOURCES} and {"sonar", "pbmc68k_7"} < {*COLUMNS}
    assert {CONFIGURATION.dataset(name).views_are for name in COLUMNS} == {"columns"}


def test_sources_of_one_collection_have_one_vote():
    shared = {name: ("tumours" if name in ("brca_5", "kipan", "lgg") else name, 500) for name in STUDY.datasets}
    study = STUDY.model_copy(update={"populations": shared})
    rows = alike(study.datasets, {"uniform_svm": 72.0 + NOISE, "best_kernel_svm": 65.0 + NOISE})
    assert f"of {len(SOURCES) - 2} data sets" in answers(study, rows)["2a"].evidence


def test_the_synthetic_data_sets_are_as_large_as_the_intervals_assume():
    assert {CONFIGURATION.dataset(name).n for name in ("synthetic_sparse", "synthetic_dense")} == {EXAMPLES}


def test_splits_that_draw_a_small_part_of_a_data_set_have_narrower_intervals():
    rows = plain("sonar", "klc", "accuracy_percent", *(NOISE + 80.0))
    planted = results(STUDY, rows + plain("sonar", "d1", "accuracy_percent", *np.roll(NOISE, 1)))
    differences = NOISE - np.roll(NOISE, 1)
    for n, overlap in ((500, 1 / 3), (1000, 1 / 3), (50_000, 1 / 3 / 50)):
        value, low, high = planted.lead("sonar", "klc", "d1", "accuracy_percent", n=n)
        reach = stats.t.ppf(0.975, 9) * differences.std(ddof=1) * np.sqrt(0.1 + overlap / (1 - overlap))
        assert (value, low, high) == pytest.approx((80.0, 80.0 - reach, 80.0 + reach))


def test_claims_on_images_are_judged_on_their_own_board():
    study = CONFIGURATION.study("leaderboard_images")
    accuracies = {"uniform_svm": 80.0, "best_kernel_svm": 70.0, "d1": 79.9, "lp_beta": 85.0}
    rows = alike(study.datasets, {name: accuracy + NOISE for name, accuracy in accuracies.items()})
    expected = {"1a": "holds", "1b": "undecided", "1c": "undecided", "2a": "holds", "2b": "holds"}
    assert verdicts(study, rows) == expected
