"""The claims of OBSCURE: planted results that turn them round."""

import pytest
from planted import CONFIGURATION, evidence, plain

from grambench.claims import obscure_caltech_39, obscure_caltech_figure3, obscure_flowers, obscure_mnist

STUDY, FIGURE_3 = map(CONFIGURATION.study, ("obscure_caltech_39", "obscure_caltech_figure3"))
CALTECH, ACCURACY = "caltech_102", "accuracy_percent"


def by_size(name, sweep, metric, values, full):
    """Return the rows of a sweep over sizes, whose last value is that of the plain run."""
    rows = [(CALTECH, name, sweep, size, 0, metric, value) for size, value in zip(full, values, strict=False)]
    return [*rows[: len(full) - 1], *(plain(CALTECH, name, metric, values[-1]) if len(values) == len(full) else [])]


@pytest.mark.parametrize(
    ("epochs", "verdict"), [([8, 5, 5, 3], "holds"), ([8, 3, 5, 2], "fails"), ([5] * 4, "fails"), ([], "undecided")]
)
def test_more_kernels_take_fewer_epochs(epochs, verdict):
    rows = by_size("obscure", "kernels", "epochs_near", epochs, [5, 10, 20, 39])
    answer = obscure_caltech_39.more_kernels_converge_faster(evidence(STUDY, rows))
    assert answer.verdict == verdict
    assert verdict == "undecided" or f"39: {epochs[-1]}" in answer.evidence


@pytest.mark.parametrize(("steps", "verdict"), [([20, 21, 22, 10], "holds"), ([20, 23, 20, 20], "fails")])
def test_almost_as_many_steps_are_no_more_by_a_tenth(steps, verdict):
    sizes = [5, 10, 20, 39]
    rows = [2 * kernels * count for kernels, count in zip(sizes, steps, strict=True)]
    given = evidence(STUDY, by_size("obscure_online", "kernels", "row_additions", rows, sizes))
    assert obscure_caltech_39.the_first_stage_takes_no_more_steps(given).verdict == verdict


@pytest.mark.parametrize(
    ("obscure", "rival", "verdicts"),
    [
        (
            [40, 50, 60],
            [41, 51, 61],
            {"it_is_close_to_lp_beta": "holds", "lp_beta_is_ahead": "holds", "it_beats_silp": "fails"},
        ),
        (
            [40, 50, 60],
            [39, 49, 62],
            {"it_is_close_to_lp_beta": "fails", "lp_beta_is_ahead": "fails", "it_beats_silp": "fails"},
        ),
        (
            [42, 52, 62],
            [40, 50, 60],
            {"it_is_close_to_lp_beta": "holds", "lp_beta_is_ahead": "fails", "it_beats_silp": "holds"},
        ),
        (
            [42],
            [40, 50, 60],
            dict.fromkeys(("it_is_close_to_lp_beta", "lp_beta_is_ahead", "it_beats_silp"), "undecided"),
        ),
    ],
)
def test_methods_are_compared_with_each_number_of_images(obscure, rival, verdicts):
    values = {"obscure": obscure, "lp_beta": rival, "silp": rival}
    rows = [row for name in values for row in by_size(name, "examples", ACCURACY, values[name], [5, 10, 15])]
    given = evidence(FIGURE_3, rows)
    for name, verdict in verdicts.items():
        assert getattr(obscure_caltech_figure3, name)(given).verdict == verdict


@pytest.mark.parametrize(
    ("seconds", "together", "faster"),
    [([1, 2, 4], "holds", "holds"), ([1, 2, 1], "fails", "holds"), ([3, 3, 5], "holds", "fails")],
)
def test_times_are_compared_with_each_number_of_images(seconds, together, faster):
    rows = by_size("lp_beta", "examples", "fit_seconds", [2.0, 8.0, 8.0], [5, 10, 15])
    given = evidence(FIGURE_3, rows + by_size("obscure", "examples", "fit_seconds", seconds, [5, 10, 15]))
    assert obscure_caltech_figure3.it_takes_as_long_as_lp_beta(given).verdict == together
    assert obscure_caltech_figure3.it_is_faster(given).verdict == faster


@pytest.mark.parametrize(("power", "verdict"), [(2.4, "holds"), (1.0, "fails"), (3.0, "fails")])
def test_the_exponent_of_silp_is_fitted(power, verdict):
    rows = by_size("silp", "examples", "fit_seconds", [n**power for n in (5, 10, 15)], [5, 10, 15])
    assert obscure_caltech_figure3.silp_grows_polynomially(evidence(FIGURE_3, rows)).verdict == verdict


@pytest.mark.parametrize(("values", "verdict"), [([100, 1, 1000], "holds"), ([1, 10, 100], "fails"), ([], "undecided")])
def test_a_choice_counts_by_splits(values, verdict):
    rows = plain(CALTECH, "obscure", "selected_C", *values)
    assert obscure_caltech_figure3.a_large_C_is_chosen(evidence(FIGURE_3, rows)).verdict == verdict


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "holds"), (1e-4, "undecided")])
def test_passes_of_less_than_ten_milliseconds_are_compared_by_work_only(factor, verdict):
    seconds = {1000: 1.0, 5000: 5.0, 20_000: 20.0, 60_000: 60.0}
    rows = []
    for name, n in obscure_mnist.SIZES.items():
        rows += plain(name, "obscure", "fit_seconds", factor * seconds[n])
        rows += plain(name, "obscure", "kernel_values", 1e-4 * seconds[n])
    given = evidence(STUDY, rows)
    assert obscure_mnist.time_is_linear(given).verdict == verdict
    assert obscure_mnist.work_is_linear(given).verdict == "holds"


def test_objectives_reached_in_less_than_ten_milliseconds_are_compared_by_epochs_only():
    rows = [
        ("flowers_17", name, 0, 1, metric, value)
        for name, epochs in (("obscure_100", 1.0), ("pegasos_100", 2.0))
        for metric, value in (("objective", 1.0), ("epochs", epochs), ("elapsed_seconds", 4e-3 * epochs))
    ]
    given = evidence(STUDY, curves=rows)
    assert obscure_flowers.obscure_converges_faster(given).verdict == "holds"
    assert obscure_flowers.obscure_converges_faster_in_time(given).verdict == "undecided"


def test_what_the_second_stage_gains_is_a_mean_over_the_repetitions():
    stages = [1, 1, 2]
    rows = [
        ("mnist_1000", algorithm, repetition, number, metric, values[number] if algorithm == "obscure" else 1)
        for algorithm in ("obscure", "obscure_online")
        for repetition, accuracies in enumerate([[80, 90, 90.1], [80, 88, 88.3]])
        for metric, values in (("stage", stages), ("accuracy_percent", accuracies))
        for number in range(3)
    ]
    answer = obscure_mnist.the_first_stage_comes_close(evidence(STUDY, curves=rows))
    assert answer == ("holds", "points that the second stage gains: 1000: +0.20")
