"""The split protocol: what is chosen by what, what is run again, and how much of the kernels is made."""

from dataclasses import replace

import numpy as np
import pytest
from fitting import UNSEEDED, unsteady
from specifications import specification

from grambench import algorithms
from grambench.common.errors import ContractError, DataError
from grambench.datasets.store import PreparedDataset
from grambench.experiments import split
from grambench.experiments.split import Examples

GOOD, NOISE = "good/chisquare_s1", "noise/polynomial_p1"
KERNELS = [NOISE, "noise/chisquare_s1", GOOD]


def dataset(n=120, seed=0, share=0.3):
    """Histograms whose first half is heavier in one class, and others that tell nothing."""
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(n) < 0.5, 1, -1).astype(np.int8)
    heavy = np.where(labels[:, None] > 0, [6.0] * 4 + [2.0] * 4, [2.0] * 4 + [6.0] * 4)
    views = {"good": rng.poisson(heavy).astype(np.uint16), "noise": rng.poisson(4.0, (n, 8)).astype(np.uint16)}
    return PreparedDataset(
        name="made",
        features=np.empty((n, 0)),
        labels=labels,
        orders=None,
        source={},
        images=tuple(map(str, range(n))),
        test=rng.random(n) < share,
        views=views,
    )


def asked(file="single_kernel", *, protocol=(), kernels=KERNELS, parameters=(), **changes):
    points = [algorithms.resolved(file, dict(parameters))]
    defaults = {"repetitions": 3, "values": [0.1, 10.0], "validation": 0.25, "checkpoints": 5}
    return specification(
        file, "official_split", protocol=defaults | dict(protocol), kernels=kernels, points=points, **changes
    )


TUNE = {"parameter": "kernel", "values": [0.0, 1.0, 2.0], "by": "error"}


def test_the_best_kernel_by_validation_is_trained_on_the_whole_training_part():
    found = split.outcome(asked(tune=TUNE), dataset())
    assert found.metrics["selected_kernel"].tolist() == [[3.0] * 3]
    assert found.metrics["selected_value"].tolist() == [[2.0] * 3]
    assert (found.metrics["accuracy_percent"] > 80.0).all()
    assert set(found.metrics["selected_C"].ravel()) <= {0.1, 10.0}
    assert (found.kernel_values["weight"] == [0.0, 0.0, 1.0]).all()


def test_what_is_tested_changes_nothing_that_is_chosen():
    data = dataset()
    other = replace(data, labels=np.where(data.test, -data.labels, data.labels))
    other.views["good"][data.test] = 1
    first, second = (split.outcome(asked(tune=TUNE), each) for each in (dataset(), other))
    for name in ("selected_kernel", "selected_C", "validation_error_percent", "kernel_values"):
        assert np.array_equal(first.metrics[name], second.metrics[name])
    assert not np.array_equal(first.metrics["accuracy_percent"], second.metrics["accuracy_percent"])


def test_the_parts_are_disjoint_and_the_same_for_every_algorithm():
    data = dataset()
    parts = Examples.of(asked(), data)
    assert sorted([*parts.train, *parts.test]) == list(range(120))
    assert not data.test[parts.train].any()
    assert sorted([*parts.known, *parts.held]) == list(range(len(parts.train)))
    assert len(parts.held) == round(0.25 * len(parts.train))
    again = Examples.of(asked("oks"), data)
    assert np.array_equal(parts.held, again.held)
    assert np.array_equal(parts.order, again.order)


def test_what_draws_nothing_is_run_once(monkeypatch):
    measured = []
    original = split._measured

    def counted(*arguments):
        measured.append(arguments[-1])
        return original(*arguments)

    monkeypatch.setattr(split, "_measured", counted)
    split.outcome(asked(tune=TUNE), dataset())
    assert measured == [0, 0, 0]  # the first two on a few examples
    measured.clear()
    found = split.outcome(asked("oks", then="single_kernel"), dataset())
    assert measured == [0, 0, 0, 1, 2]
    assert len(set(found.metrics["kernel_values"].ravel())) > 1


@pytest.mark.parametrize("source", UNSEEDED)
def test_a_fit_that_is_another_each_time_is_no_number(source, monkeypatch):
    another = unsteady("uniform_svm", source)
    split.outcome(asked("uniform_svm"), dataset())
    monkeypatch.setattr(algorithms, "load", lambda name: another)
    with pytest.raises(ContractError, match=r"^uniform_svm: expected the same weights from two fits with the same"):
        split.outcome(asked("uniform_svm"), dataset())


def test_what_draws_from_spawned_numbers_is_run_in_every_repeat(monkeypatch):
    right = algorithms.load("uniform_svm")

    def fit(parameters, pool, labels, *, order, rng):
        (own,) = rng.spawn(1)
        return replace(right.fit(parameters, pool, labels, order=order, rng=rng), weights=own.dirichlet(np.ones(3)))

    monkeypatch.setattr(algorithms, "load", lambda name: replace(right, fit=fit))
    found = split.outcome(asked("uniform_svm"), dataset())
    assert len(np.unique(found.kernel_values["weight"][..., 0])) == 3


def test_a_block_of_repeats_has_the_numbers_of_the_whole():
    drawn = {"file": "oks", "then": "single_kernel", "protocol": {"repetitions": 6}}
    whole, block = (split.outcome(asked(**drawn, block=numbers), dataset()) for numbers in (None, [3, 5]))
    for metric in whole.metrics.keys() - {"seconds", "fit_seconds"}:
        assert np.array_equal(whole.metrics[metric][:, 3:], block.metrics[metric], equal_nan=True), metric
    assert np.array_equal(whole.curves["weights"][:, 3:], block.curves["weights"])
    assert not np.array_equal(whole.curves["weights"][:, :3], block.curves["weights"])


def test_the_second_stage_makes_the_selected_kernel_and_no_other():
    kernels = [f"{view}/polynomial_p{degree}" for view in ("noise", "good") for degree in (1, 2)]
    found = split.outcome(asked("oks", then="single_kernel", kernels=kernels), dataset(400))
    share = found.metrics["kernel_share_percent"]
    assert (share >= 25.0).all()
    assert (share < 50.0).all()  # the rest is what OKS has asked for


def test_a_pass_leaves_its_weights():
    data = dataset()
    found = split.outcome(asked("oks", then="perceptron"), data)
    assert found.rounds[-1] == 2 * (~data.test).sum()
    assert found.curves["weights"].shape == (1, 3, len(found.rounds), 3)
    np.testing.assert_allclose(found.curves["weights"].sum(axis=-1), 1.0)


def test_a_batch_algorithm_of_all_kernels_gets_its_c():
    found = split.outcome(asked("uniform_svm", tune={"parameter": "C", "values": [0.1, 1.0], "by": "error"}), dataset())
    assert set(found.metrics["selected_value"].ravel()) <= {0.1, 1.0}
    assert (found.metrics["kernel_share_percent"] >= 100.0).all()


def test_data_without_a_split_are_refused():
    with pytest.raises(DataError, match="made: expected a data set with a split of its own, got one without"):
        split.outcome(asked(), replace(dataset(), test=None))
