"""The claims of OBSCURE: planted results that turn them round."""

import numpy as np
import pytest
from planted import CONFIGURATION, evidence, plain

from grambench.claims import obscure_caltech_39, obscure_flowers, obscure_mnist

STUDY = CONFIGURATION.study("obscure_caltech_39")


@pytest.mark.parametrize(
    ("accuracies", "verdict"),
    [([40, 50, 55, 60], "holds"), ([40, 50, 45, 60], "fails"), ([np.nan] * 4, "undecided"), ([], "undecided")],
)
def test_more_kernels_have_more_accuracy(accuracies, verdict):
    rows = [
        ("caltech_102", "obscure", "kernels", count, repetition, "accuracy_percent", accuracy + repetition)
        for count, accuracy in zip((39, 20, 10, 5), accuracies[::-1], strict=False)
        for repetition in range(2)
    ]
    answer = obscure_caltech_39.more_kernels_are_more_accurate(evidence(STUDY, rows))
    assert answer.verdict == verdict
    if verdict != "undecided":
        assert "5: 40.5" in answer.evidence


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
