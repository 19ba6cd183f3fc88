"""The claims of OBSCURE: planted results that turn them round."""

import pytest
from planted import CONFIGURATION, alike, evidence, plain

from grambench.claims import obscure_caltech as four_kernels
from grambench.claims import obscure_caltech_39, obscure_caltech_figure3, obscure_flowers, obscure_mnist

STUDY, FIGURE_3 = map(CONFIGURATION.study, ("obscure_caltech_39", "obscure_caltech_figure3"))
CALTECH, ACCURACY = "caltech_102", "accuracy_percent"
ROWS = "row_additions"
AT = {"p": [1.01, 1.1, 2.0], "kernels": [5, 10, 20, 39], "examples": [5, 10, 15]}


def swept(name, sweep, metric, values):
    """Return the rows of a sweep; if it is over sizes, its last value is that of the plain run."""
    plainly = values[len(AT[sweep]) - 1 :] if sweep != "p" else []
    rows = zip(AT[sweep], values[: len(values) - len(plainly)], strict=False)
    return [(CALTECH, name, sweep, at, 0, metric, v) for at, v in rows] + plain(CALTECH, name, metric, *plainly)


@pytest.mark.parametrize(
    ("claim", "sweep", "name", "metric", "values", "verdict"),
    [
        ("more_kernels_converge_faster", "kernels", "obscure", "epochs_near", [8, 5, 5, 3], "holds"),
        ("more_kernels_converge_faster", "kernels", "obscure", "epochs_near", [8, 3, 5, 2], "fails"),
        ("more_kernels_converge_faster", "kernels", "obscure", "epochs_near", [14, 12, 14, 10], "undecided"),
        ("more_kernels_converge_faster", "kernels", "obscure", "epochs_near", [], "undecided"),
        ("more_kernels_have_a_smaller_bound", "kernels", "obscure_online", "objective", [4, 3, 2, 1], "holds"),
        ("more_kernels_have_a_smaller_bound", "kernels", "obscure_online", "objective", [4, 3, 2, 5], "fails"),
        ("the_first_stage_takes_no_more_steps", "kernels", "obscure_online", ROWS, [50, 105, 200, 9], "holds"),
        ("the_first_stage_takes_no_more_steps", "kernels", "obscure_online", ROWS, [50, 115, 200, 9], "fails"),
        ("p_decides_the_sparsity", "p", "obscure", "kernels_selected", [1, 4, 4], "holds"),
        ("p_decides_the_sparsity", "p", "obscure", "kernels_selected", [2, 4, 4], "undecided"),
        ("p_decides_the_sparsity", "p", "obscure", "kernels_selected", [1, 4, 3], "fails"),
        ("the_smallest_p_is_best", "p", "obscure_online", ACCURACY, [52, 51, 50], "holds"),
        ("the_smallest_p_is_best", "p", "obscure_online", ACCURACY, [51, 51.05, 50], "undecided"),
        ("the_smallest_p_is_best", "p", "obscure_online", ACCURACY, [50, 51, 50], "fails"),
        ("it_converges_faster_for_large_p", "p", "obscure_online", "epochs", [9, 9, 8], "holds"),
        ("it_converges_faster_for_large_p", "p", "obscure_online", "epochs", [9, 8, 8], "fails"),
        ("it_converges_faster_for_large_p", "p", "obscure_online", "epochs", [9], "undecided"),
    ],
)
def test_a_sweep_decides(claim, sweep, name, metric, values, verdict):
    modules = (four_kernels, obscure_caltech_39)
    (test,) = (getattr(module, claim) for module in modules if hasattr(module, claim))
    assert test(evidence(STUDY, swept(name, sweep, metric, values))).verdict == verdict


@pytest.mark.parametrize(("online", "verdict"), [([51, 50, 90], "holds"), ([53, 50, 90], "fails"), ([50], "undecided")])
def test_one_value_of_p_does_not_decide_how_close_the_first_stage_is(online, verdict):
    rows = swept("obscure", "p", ACCURACY, [50, 51, 52]) + swept("obscure_online", "p", ACCURACY, online)
    assert four_kernels.the_first_stage_comes_close(evidence(STUDY, rows)).verdict == verdict


@pytest.mark.parametrize(
    ("obscure", "rival", "close", "ahead", "beats"),
    [
        ([40, 50, 60], [41, 51, 61], "holds", "holds", "fails"),
        ([40, 50, 60], [39, 49, 63], "fails", "fails", "fails"),
        ([42, 52, 62], [40, 50, 60], "holds", "fails", "holds"),
        ([42], [40, 50, 60], *["undecided"] * 3),
    ],
)
def test_methods_are_compared_with_each_number_of_images(obscure, rival, close, ahead, beats):
    values = {"obscure": obscure, "lp_beta": rival, "silp": rival, "uniform_svm": rival}
    rows = [row for name in values for row in swept(name, "examples", ACCURACY, values[name])]
    given = evidence(FIGURE_3, rows + swept("best_kernel", "examples", ACCURACY, [30, 40, 62]))
    assert obscure_caltech_figure3.it_is_close_to_lp_beta(given).verdict == close
    assert obscure_caltech_figure3.lp_beta_is_ahead(given).verdict == ahead
    assert obscure_caltech_figure3.it_beats_silp(given).verdict == beats
    assert obscure_caltech_figure3.it_beats_the_mean_kernel(given).verdict == beats
    stronger = evidence(FIGURE_3, rows + swept("best_kernel", "examples", ACCURACY, [80, 80, 120]))
    assert obscure_caltech_figure3.it_is_close_to_lp_beta(stronger).verdict == "undecided"
    assert obscure_caltech_figure3.lp_beta_is_ahead(stronger).verdict == "undecided"


@pytest.mark.parametrize(
    ("five", "verdict"),
    [
        ((60, 61, 63), "holds"),
        ((54, 53, 55), "undecided"),  # Welch's test, which knows no overlap of splits, has p = .02
        ((40, 41, 43), "fails"),
        ((60,), "undecided"),
    ],
)
def test_five_kernels_are_told_from_all_by_a_test_for_splits_that_overlap(five, verdict):
    rows = plain(CALTECH, "silp", ACCURACY, 50, 51, 52) + plain(CALTECH, "silp_five", ACCURACY, *five)
    assert obscure_caltech_figure3.five_kernels_are_better_for_silp(evidence(FIGURE_3, rows)).verdict == verdict


@pytest.mark.parametrize(
    ("single", "sizes", "verdict"), [(93.0, 2, "holds"), (93.0, 1, "undecided"), (93.5, 1, "fails")]
)
def test_the_better_svm_counts_on_two_of_three_sizes(single, sizes, verdict):
    names = obscure_mnist.SIZES[:sizes]
    rows = [
        (name, "single_kernel", "single", at, 0, ACCURACY, value)
        for name in names
        for at, value in enumerate((90.0, single))
    ]
    rows += alike(names, {"uniform_svm": [92.0], "obscure": [93.0]})
    assert obscure_mnist.it_reaches_the_svms(evidence(STUDY, rows)).verdict == verdict


@pytest.mark.parametrize(("values", "verdict"), [([100, 1, 1000], "holds"), ([1, 10, 100], "fails"), ([], "undecided")])
def test_a_choice_counts_by_splits(values, verdict):
    rows = plain(CALTECH, "obscure", "selected_C", *values)
    assert obscure_caltech_figure3.a_large_C_is_chosen(evidence(FIGURE_3, rows)).verdict == verdict


def test_objectives_reached_in_less_than_ten_milliseconds_are_compared_by_epochs_only():
    rows = [
        ("flowers_17", name, 0, 1, metric, value)
        for name, epochs in (("obscure_100", 1.0), ("pegasos_100", 2.0))
        for metric, value in (("objective", 1.0), ("epochs", epochs), ("elapsed_seconds", 4e-3 * epochs))
    ]
    given = evidence(STUDY, curves=rows)
    assert obscure_flowers.obscure_converges_faster(given).verdict == "holds"
    assert obscure_flowers.obscure_converges_faster_in_time(given).verdict == "undecided"


@pytest.mark.parametrize(
    ("simple_mkl", "splits", "verdict"), [(79.0, 10, "holds"), (79.5, 10, "fails"), (79.0, 9, "undecided")]
)
def test_a_two_layer_method_says_nothing_about_mkl(simple_mkl, splits, verdict):
    accuracies = dict.fromkeys(("obscure", "lp_beta"), 90.0) | {"silp": 78.0, "simple_mkl": simple_mkl}
    accuracies |= {"uniform_svm": 77.0, "best_kernel_svm": 70.0}
    rows = alike(["flowers_17"], {name: [mean] * splits for name, mean in accuracies.items()})
    assert obscure_flowers.the_mean_kernel_is_hard_to_beat(evidence(STUDY, rows)).verdict == verdict
