"""The offline experiment: what is trained on what, what is evaluated again, and what a record says of it."""

import itertools
from dataclasses import asdict, replace
from functools import partial

import numpy as np
import pytest
from problems import DICTIONARY, blobs, of_classes, on_vectors_of, prepared, vectors
from specifications import make_run

from grambench import algorithms
from grambench.algorithms.checks import certified
from grambench.common import clock, memory
from grambench.common.errors import DataError
from grambench.config.metrics import WORK
from grambench.config.names import Tuning
from grambench.config.protocols import PREDICTIONS
from grambench.experiments import conformance, offline, training
from grambench.experiments.pools import Pools
from grambench.experiments.splits import splits
from grambench.kernels import pairs
from grambench.kernels.bases import all_pairs
from grambench.kernels.pixels import PixelPool
from grambench.solvers import leave_one_out, svm

MEASURED = {"seconds", "wall_seconds", "fit_seconds", "selection_seconds", "memory_mb"}


# --- vectors of two classes -------------------------------------------------------------------------------------------

PROTOCOLS = {
    "random_splits": {"repetitions": 2, "sizes": {"default": [40, 30, 50]}},
    "official_split": {"repetitions": 2, "validation": 0.4},
    "per_class_splits": {"repetitions": 2, "sizes": {"default": [15, 10, 10]}},
    "nested_cv": {"outer_folds": 2, "inner_folds": 2, "select": "none"},
}

asked = partial(on_vectors_of, PROTOCOLS)


@pytest.mark.parametrize("kind", PROTOCOLS)
@pytest.mark.parametrize(
    ("file", "tune"),
    [
        ("ca_1d", None),
        ("cr", Tuning("gamma", [0.01, 1.0, 100.0])),
        ("ca_nd", Tuning("regulariser", [0.0, 1e12], "alignment")),
        ("lp_mkl", Tuning("C", [0.1, 10.0])),
    ],
)
def test_test_examples_change_nothing_but_what_is_measured_on_them(file, tune, kind):
    data, run = vectors(), asked(file, kind, tune=tune)
    outcome = offline.outcome(run, data)
    ((split, _), *_) = splits(run, data)
    tested = np.isin(np.arange(120), split.test)
    labels = np.where(tested, -data.labels, data.labels).astype(np.int8)
    other = replace(
        data,
        features=np.where(tested[:, None], 2.0 * data.features, data.features),
        # The outer folds have the shares of the classes, so that their labels draw them.
        labels=data.labels if kind == "nested_cv" else labels,
    )
    changed = offline.outcome(run, other)
    measured = PREDICTIONS | {"alignment"}
    for name in set(outcome.metrics) - measured - MEASURED:
        assert np.array_equal(outcome.metrics[name][:, 0], changed.metrics[name][:, 0], equal_nan=True), name
    for name in measured & set(outcome.metrics):
        assert outcome.metrics[name][0, 0] != changed.metrics[name][0, 0], name
    assert np.array_equal(outcome.kernel_values["weight"][0, 0], changed.kernel_values["weight"][0, 0], equal_nan=True)


def measured(file, kind="random_splits", **parameters):
    run = asked(file, kind, points=[parameters])
    metrics = offline.outcome(run, vectors()).metrics
    return metrics["gap"][0, 0], metrics["converged"][0, 0], metrics["iterations"][0, 0]


@pytest.mark.parametrize("kind", PROTOCOLS)
@pytest.mark.parametrize(
    ("file", "parameters"),
    [("cr", {"gamma": 0.1, "gap": 0.01}), ("lp_mkl", {"C": 10.0, "p": 1.0, "gap": 0.01}), ("ca_1d", {})],
)
def test_a_record_says_whether_the_fit_converged(file, parameters, kind):
    gap, converged, iterations = measured(file, kind, **parameters)
    assert converged == 1.0 and iterations > 2
    cut = measured(file, kind, **parameters, iterations=1)
    assert cut[1] == 0.0 and cut[2] < iterations
    if file == "ca_1d":  # no bound on the best alignment is known
        assert np.isnan([gap, cut[0]]).all()
    else:
        assert gap <= 0.015 < cut[0]


def test_a_record_does_not_say_what_the_algorithm_does_not(monkeypatch):
    """An algorithm of one's own may know nothing of convergence."""
    assert np.isnan(measured("grid_uniform")[:2]).all()
    load = algorithms.load

    def silent(file):
        right = load(file)
        return replace(right, fit=lambda *given, **kw: replace(right.fit(*given, **kw), converged=None, certify=None))

    monkeypatch.setattr(algorithms, "load", silent)
    assert np.isnan(measured("cr")[:2]).all()


@pytest.mark.parametrize(("file", "known"), [("uniform_svm", True), ("random_forest", False), ("majority", False)])
def test_kernels_are_counted_where_some_were_learned(file, known):
    points = [{"trees": 5}] if file == "random_forest" else [{}]
    found = offline.outcome(asked(file, points=points), vectors()).metrics["kernels_selected"]
    assert np.isfinite(found).all() if known else np.isnan(found).all()


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_record_has_every_metric_that_its_protocol_yields(kind):
    """All but those of its curves."""
    run = asked("cka", kind)
    outcome = offline.outcome(run, vectors())
    curves = {"objective_excess", "elapsed_seconds", "stage"}
    assert set(outcome.metrics) == run.protocol.yields - curves
    assert set(outcome.metrics) >= PREDICTIONS | {*WORK}
    without = offline.outcome(replace(run, aligns=False), vectors())
    assert set(without.metrics) == set(outcome.metrics) - {"alignment"}


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_memory_is_measured_where_the_protocol_yields_it(kind, monkeypatch):
    resets, original = [], memory.reset_peak
    monkeypatch.setattr(memory, "reset_peak", lambda: resets.append(1) or original())
    run = asked("ca_1d", kind)
    offline.outcome(run, vectors())
    assert bool(resets) == ("memory_mb" in run.offline.yields)


# --- what is selected, and trained again ------------------------------------------------------------------------------

GOOD, NOISE = "good/chisquare_s1", "noise/polynomial_p1"
KERNELS = [NOISE, "noise/chisquare_s1", GOOD]


def images(n=120):
    """Return histograms whose first half is heavier in one class, and others that tell nothing."""
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(n) < 0.5, 1, -1)
    heavy = np.where(labels[:, None] > 0, [6.0] * 4 + [2.0] * 4, [2.0] * 4 + [6.0] * 4)
    views = {"good": rng.poisson(heavy).astype(np.uint16), "noise": rng.poisson(4.0, (n, 8)).astype(np.uint16)}
    images = tuple(map(str, range(n)))
    return prepared(np.empty((n, 0)), labels, images=images, test=rng.random(n) < 0.3, views=views)


def on_images(file="single_kernel", kind="official_split", *, protocol=(), kernels=KERNELS, parameters=(), **changes):
    points = [algorithms.resolved(file, dict(parameters))]
    settings = {"values": [0.1, 10.0]} | PROTOCOLS[kind] | dict(protocol)
    if kind == "official_split":
        settings = {"repetitions": 3, "validation": 0.25, "checkpoints": 5, "values": [0.1, 10.0]} | dict(protocol)
    return make_run(file, kind, protocol=settings, kernels=kernels, points=points, **{"tune": None} | changes)


TUNE = Tuning("kernel", [0.0, 1.0, 2.0])


def test_the_best_kernel_by_validation_is_trained_on_the_whole_training_part():
    found = offline.outcome(on_images(tune=TUNE), images())
    assert found.metrics["selected_kernel"].tolist() == [[3.0] * 3]
    assert found.metrics["selected_value"].tolist() == [[2.0] * 3]
    assert (found.metrics["accuracy_percent"] > 80.0).all()
    assert set(found.metrics["selected_C"].ravel()) <= {0.1, 10.0}
    assert (found.kernel_values["weight"] == [0.0, 0.0, 1.0]).all()


def test_what_draws_nothing_is_run_once(monkeypatch):
    evaluated = []
    original = offline.Evaluator.evaluate

    def counted(evaluator, point, draws):
        evaluated.append((len(evaluator.split.train), draws.new().bit_generator.seed_seq.entropy[-1]))
        draws._used.clear()
        return original(evaluator, point, draws)

    monkeypatch.setattr(offline.Evaluator, "evaluate", counted)
    data = images()
    whole = np.count_nonzero(~data.test)
    offline.outcome(on_images(tune=TUNE), data)
    assert [number for _, number in evaluated] == [0, 0]  # the first on a few examples
    assert evaluated[0][0] < evaluated[1][0] == whole
    evaluated.clear()
    found = offline.outcome(on_images("oks", then="single_kernel"), data)
    assert [number for _, number in evaluated] == [0, 0, 1, 2]
    assert len(set(found.metrics["kernel_values"].ravel())) > 1
    evaluated.clear()
    shipped = algorithms.load("uniform_svm")
    outside = replace(shipped, fit=lambda *given, **keywords: shipped.fit(*given, **keywords))
    monkeypatch.setattr(algorithms, "load", lambda name: outside)
    offline.outcome(on_images(tune=TUNE), data)
    assert [number for _, number in evaluated] == [0, 0, 0]  # of an algorithm from outside, the first two on a few
    assert evaluated[0][0] == evaluated[1][0] < evaluated[2][0]


def test_what_draws_from_spawned_numbers_is_run_in_every_repeat(monkeypatch):
    right = algorithms.load("uniform_svm")

    def fit(parameters, pool, labels, *, order, rng):
        (own,) = rng.spawn(1)
        return replace(right.fit(parameters, pool, labels, order=order, rng=rng), weights=own.dirichlet(np.ones(3)))

    monkeypatch.setattr(algorithms, "load", lambda name: replace(right, fit=fit))
    found = offline.outcome(on_images("uniform_svm"), images())
    assert len(np.unique(found.kernel_values["weight"][..., 0])) == 3


@pytest.mark.parametrize("kind", ["random_splits", "official_split", "per_class_splits"])
def test_a_block_of_repeats_has_the_numbers_of_the_whole(kind):
    drawn = {"file": "oks", "kind": kind, "then": "single_kernel", "protocol": {"repetitions": 6}}
    whole, block = (offline.outcome(on_images(**drawn, block=numbers), images()) for numbers in (None, [3, 5]))
    for metric in whole.metrics.keys() - MEASURED:
        assert np.array_equal(whole.metrics[metric][:, 3:], block.metrics[metric], equal_nan=True), metric
    assert not np.array_equal(whole.metrics["kernel_values"][:, :3], block.metrics["kernel_values"])
    if kind == "official_split":
        assert np.array_equal(whole.curves["weights"][:, 3:], block.curves["weights"])
        assert not np.array_equal(whole.curves["weights"][:, :3], block.curves["weights"])


def test_the_second_stage_makes_the_selected_kernel_and_no_other():
    kernels = [f"{view}/polynomial_p{degree}" for view in ("noise", "good") for degree in (1, 2)]
    found = offline.outcome(on_images("oks", then="single_kernel", kernels=kernels), images(400))
    share = found.metrics["kernel_share_percent"]
    assert (share >= 25.0).all()
    assert (share < 50.0).all()  # the rest is what OKS has asked for


def test_a_pass_leaves_its_weights():
    data = images()
    found = offline.outcome(on_images("oks", then="perceptron"), data)
    assert found.rounds[-1] == 2 * (~data.test).sum()
    assert found.curves["weights"].shape == (1, 3, len(found.rounds), 3)
    np.testing.assert_allclose(found.curves["weights"].sum(axis=-1), 1.0)


# --- more than two classes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("of", "kernels"), [("alone", [[0, 1], [2]]), ("without", [[2], [0, 1]])])
def test_a_sweep_over_views_has_the_kernels_of_one_view_or_of_all_others(of, kernels):
    data, drawn = images(), {"sizes": {"default": [15, 10, 10]}}
    point = algorithms.resolved("uniform_svm", {})
    run = on_images("uniform_svm", "per_class_splits", protocol=drawn, values=[1, 2], size=of)
    run = replace(run, points=[point] * 2)
    found = offline.outcome(run, data)
    for p, used in enumerate(kernels):
        alone = [KERNELS[k] for k in used]
        expected = offline.outcome(on_images("uniform_svm", "per_class_splits", protocol=drawn, kernels=alone), data)
        assert np.array_equal(found.metrics["accuracy_percent"][p], expected.metrics["accuracy_percent"][0])
        assert np.array_equal(np.flatnonzero(found.kernel_values["weight"][p, 0]), used)


def test_the_points_of_a_sweep_over_views_share_kernels(monkeypatch):
    data, drawn = images(), {"sizes": {"default": [15, 10, 10]}}
    data = replace(data, views=data.views | {"third": data.views["noise"]})
    run = on_images("uniform_svm", "per_class_splits", protocol=drawn, kernels=[*KERNELS, "third/chisquare_s1"])
    views, matrix = [], pairs.matrix
    monkeypatch.setattr(pairs, "matrix", lambda *sides: views.append(sides) or matrix(*sides))
    offline.outcome(run, data)
    once = len(views)
    offline.outcome(replace(run, values=[1, 2, 3], size="without", points=run.points * 3), data)
    assert len(views) == 2 * once


def test_stored_distances_are_not_computed_again(monkeypatch):
    data, kernels = images(), [*KERNELS, "good/gaussian_sigma1"]
    sources = [(view, base) for view in data.views for base in ("chisquare", "inner")]
    stored = replace(data, pairs={(view, base): all_pairs(data.views[view], base) for view, base in sources})
    run = on_images("uniform_svm", "per_class_splits", kernels=kernels, protocol={"sizes": {"default": [15, 10, 10]}})
    sizes, matrix = [], pairs.matrix
    monkeypatch.setattr(pairs, "matrix", lambda *sides: sizes.append(len(sides[1].scales)) or matrix(*sides))
    offline.outcome(run, stored)
    computed = len(sizes)
    offline.outcome(run, data)
    assert computed < len(sizes) - computed


@pytest.mark.parametrize(
    "file", ["obscure", "pegasos", "ufo_mkl", "om2_multiclass", "lp_beta", "uniform_svm", "silp", "cka", "om2"]
)
def test_every_algorithm_meets_many_classes(file):
    outcome = offline.outcome(of_classes(file), blobs())
    confusion = outcome.class_values["confusion"]
    assert confusion.shape == (1, 2, 3, 3)
    assert (confusion.sum(axis=3) == 8).all()
    accuracy = 100 * np.trace(confusion, axis1=2, axis2=3) / 24
    assert np.allclose(outcome.metrics["accuracy_percent"], accuracy)
    assert np.allclose(outcome.metrics["error_percent"], 100 - accuracy)
    assert (accuracy > 70).all()
    assert outcome.kernel_values["weight"].shape == (1, 2, 3)
    assert np.isnan(outcome.metrics["selected_C"]).all() == (file != "cka")


@pytest.mark.parametrize("refit", [True, False])
def test_the_certificate_of_one_vs_rest_is_the_worst_of_the_classes(refit):
    data = blobs()
    run = of_classes("lp_mkl", {"refit": refit}, points=[{"p": 1.5, "C": 10.0, "gap": 0.01}])
    outcome = offline.outcome(run, data)
    split, _ = next(splits(run, data))
    train = split.train if refit else split.folds[-1].train
    pool, gaps = Pools(run, data, train).train, []
    for number in range(3):
        labels = np.where(data.labels[train] == number, 1, -1).astype(np.int8)
        sample = training.Examples(pool, labels, np.arange(len(labels), dtype=np.int32))
        rng = np.random.default_rng(0)
        fit = training.fit(algorithms.load("lp_mkl"), run.points[0], sample, rng)
        gaps.append(certified(fit).gap)
    assert len(set(gaps)) == 3
    assert outcome.metrics["gap"][0, 0] == max(gaps)


def test_a_certificate_takes_no_time_of_the_fit(monkeypatch):
    times = iter([1.0, 2.0, 30.0, 31.0])
    monkeypatch.setattr(clock.time, "process_time", lambda: next(times))
    begun = clock.now()
    with clock.paused():
        pass
    assert (clock.now() - begun).processor == pytest.approx(2.0)  # rounded with the pauses of earlier tests


def test_fewer_kernels_are_among_the_more():
    data, sizes = blobs(), [1, 2, 3]
    swept = {"points": [{}] * 3, "values": sizes, "sweep": "kernels", "size": "kernels"}
    outcome = offline.outcome(of_classes("uniform_svm", **swept), data)
    used = outcome.kernel_values["weight"] > 0.0
    assert used.sum(axis=2).tolist() == [[size, size] for size in sizes]
    assert (used[0] <= used[1]).all()
    other = offline.outcome(of_classes("obscure", **swept), data)
    assert ((other.kernel_values["weight"] > 0.0) <= used).all(), "algorithms were given other kernels"


def test_fewer_training_examples_are_tested_on_the_same_ones():
    data, sizes = blobs(), [4, 10]
    swept = {"points": [{}] * 2, "values": sizes, "sweep": "examples", "size": "examples"}
    outcome = offline.outcome(of_classes("lp_beta", **swept), data)
    assert (outcome.metrics["support_vectors"][0] <= 12).all()
    assert (outcome.class_values["confusion"].sum(axis=3) == 8).all()
    with pytest.raises(DataError, match="toy: the sweep asks for 11 training examples a class, one has 10"):
        offline.outcome(of_classes("lp_beta", **swept | {"values": [4, 11]}), data)


def test_fewer_validation_examples_are_the_first_of_them():
    """Half of the error of 2 examples is a whole number, and all 30 select as a plain run does."""
    found = offline.outcome(asked(points=[{}] * 2, values=[2, 30], sweep="fewer", size="validation"), vectors())
    whole = offline.outcome(asked(), vectors())
    assert set(found.metrics["validation_error_percent"][0]) <= {0.0, 50.0, 100.0}
    for name in ("validation_error_percent", "selected_C", "error_percent"):
        assert np.array_equal(found.metrics[name][1], whole.metrics[name][0]), name


def test_one_kernel_of_each_group_of_views_is_learned_from():
    data = blobs(blocks=True)
    kernels = [f"block_{block}/{kernel}" for block in (1, 2) for kernel in ("polynomial_p1", "meangaussian_s1")]
    run = of_classes("uniform_svm", kernels=kernels, best_of=[["block_1"], ["block_2"]])
    used = offline.outcome(run, data).kernel_values["weight"][0] > 0.0
    for (split, _), selected in zip(splits(run, data), used, strict=True):
        grams = Pools(run, data, split.train).train.grams()
        errors = [leave_one_out.error(gram, data.labels[split.train], 10.0) for gram in grams]
        assert [selected[:2].argmax(), selected[2:].argmax()] == [np.argmin(errors[:2]), np.argmin(errors[2:])]
        assert selected.sum() == 2


def test_curves_follow_the_states_of_the_last_fit():
    outcome = offline.outcome(of_classes(points=[{"online": 3, "batch": 4}]), blobs())
    curves = outcome.curves
    assert outcome.rounds.tolist() == [1, 2, 3, 4, 5]
    assert curves["epochs"][0, 0].tolist() == [1, 2, 3, 5, 7]
    assert curves["stage"][0, 0].tolist() == [1, 1, 1, 2, 2]
    assert np.array_equal(curves["accuracy_percent"][..., -1], outcome.metrics["accuracy_percent"])
    assert np.array_equal(curves["objective"][..., -1], outcome.metrics["objective"])
    assert (np.diff(curves["elapsed_seconds"]) > 0).all()
    near = curves["objective"][0] <= 1.5 * curves["objective"][0].min(axis=1, keepdims=True)
    first = curves["epochs"][0][np.arange(len(near)), near.argmax(axis=1)]
    assert np.array_equal(outcome.metrics["epochs_near"][0], first)


def test_blocks_of_pixels_are_made_when_they_are_asked_for(monkeypatch):
    data = blobs(blocks=True)
    kernels = ["block_1/polynomial_p1", "block_2/meangaussian_s1"]
    monkeypatch.setattr(PixelPool, "grams", lambda self: pytest.fail("a Gram matrix was asked for"))
    outcome = offline.outcome(of_classes(kernels=kernels), data)
    assert (outcome.metrics["accuracy_percent"] > 60).all()


# --- refit, validation error and steps under every protocol -----------------------------------------------------------


@pytest.mark.parametrize("kind", ["random_splits", "official_split", "per_class_splits"])
@pytest.mark.parametrize(("file", "tune"), [("pegasos", Tuning("C", [0.1, 10.0])), ("cka", None), ("om2", None)])
def test_refit_is_a_setting_of_every_protocol_with_validation_examples(file, tune, kind):
    """Candidates are compared as without it; an algorithm that selects nothing is trained on more examples."""
    data = images()
    plain, again = (
        offline.outcome(on_images(file, kind, protocol={"refit": refit}, tune=tune), data).metrics
        for refit in (False, True)
    )
    assert np.isfinite(plain["validation_error_percent"]).all()
    if file != "om2":
        for name in ("selected_C", "selected_value", "validation_error_percent", "candidates_failed", "selection_tied"):
            assert np.array_equal(plain[name], again[name], equal_nan=True), name
    else:  # nothing is compared, and the validation examples are among the training ones
        assert np.isnan(again["validation_error_percent"]).all()
    assert (plain["row_additions"] + plain["kernel_values"] != again["row_additions"] + again["kernel_values"]).all()


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_steps_limit_the_svms_of_the_selection_only(kind, monkeypatch):
    train, calls = svm.train, []

    def recorded(combination, labels, C, *, start, max_steps):
        calls.append((len(labels), max_steps))
        return train(combination, labels, C, start=start, max_steps=max_steps)

    monkeypatch.setattr(svm, "train", recorded)
    settings = {"values": [1e-6, 1e6], "steps": 300, "refit": True}
    run = asked("cka", kind, protocol=settings, kernels=["polynomial_p1"])
    found = offline.outcome(run, vectors())
    assert (found.metrics["selected_C"] == 1e-6).all()
    assert (found.metrics["candidates_failed"] == 1.0).all()
    final = max(n for n, _ in calls)
    assert {steps for n, steps in calls if n == final} == {svm.MAX_STEPS}
    assert 300 in {steps for n, steps in calls if n < final}


# --- every setting under every protocol, on every kind of examples ----------------------------------------------------

SETTINGS = {
    "then": ("oks", {"then": "single_kernel"}),
    "then a pass": ("cka", {"then": "perceptron"}),
    "alignment": ("lp_mkl", {"tune": Tuning("p", [1.0, 2.0], "alignment")}),
    "a value and C": ("pegasos", {"tune": Tuning("p", [1.1, 2.0], also={"C": [0.1, 1.0]})}),
    "a value and C of two classes": ("lp_mkl", {"tune": Tuning("p", [1.0, 2.0], also={"C": [0.1, 1.0]})}),
    "an SVM of its own C": ("single_kernel", {"tune": Tuning("kernel", [0.0, 1.0, 2.0])}),
}


def of_case(file, case, **changes):
    """Return a run of a case of the matrix that conformance checks run."""
    settings = {"kernels": list(conformance.EXAMPLES[case.examples]), "tune": None}
    return make_run(file, case.protocol, protocol=asdict(conformance.PROTOCOLS[case.protocol]), **settings | changes)


SIDES = list(PROTOCOLS), list(conformance.EXAMPLES), [2, 5], list(SETTINGS)
# half of all cases, which have every three values of different sides
CASES = [case for case in itertools.product(*SIDES) if sum(map(list.index, SIDES, case)) % 2 == 0]


@pytest.mark.parametrize(("kind", "examples", "classes", "setting"), CASES)
def test_every_setting_goes_with_every_protocol_and_kind_of_examples(kind, examples, classes, setting):
    file, changes = SETTINGS[setting]
    case = conformance.Case(kind, examples, classes)
    data = conformance.dataset(case)
    dictionary = DICTIONARY if examples == "vectors" else None
    run = of_case(file, case, dictionary=dictionary, **changes)
    metrics = offline.outcome(run, data).metrics
    assert all(np.isfinite(metrics[name]).all() for name in PREDICTIONS)
    if run.tune is None:
        assert np.isnan(metrics["selected_value"]).all()
        return
    assert np.isin(metrics["selected_value"], run.tune.values).all()
    assert np.isfinite(metrics["validation_error_percent"]).all()
    C_values = run.tune.also.get("C") or (run.protocol.values if file == "single_kernel" else [np.nan])
    assert np.isin(np.nan_to_num(metrics["selected_C"]), np.nan_to_num(C_values)).all()


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_continuous_family_goes_with_every_protocol(kind, classes):
    case = conformance.Case(kind, "vectors", classes)
    for kernels in ([], ["polynomial_p1"]):
        run = of_case("ca_1d", case, kernels=kernels, dictionary=DICTIONARY)
        outcome = offline.outcome(run, conformance.dataset(case))
        assert outcome.kernel_values["parameter"].shape[2] == 50
        found = outcome.kernel_values["parameter"][np.isfinite(outcome.kernel_values["parameter"])]
        assert ((found >= 0.2) & (found <= 20.0)).all() and len(found) >= 2
        assert np.isfinite(outcome.metrics["selected_C"]).all()


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_two_classes_are_the_same_for_an_algorithm_of_many(kind):
    """Labels -1 and +1 are class 0 and class 1; the score of class 1 less that of class 0 is the only one."""
    case = conformance.Case(kind, "vectors", 2)
    run, data = of_case("obscure", case), conformance.dataset(case)
    numbered = replace(data, labels=((data.labels + 1) // 2).astype(np.int8), classes=("no", "yes"))
    found, expected = (offline.outcome(run, each).metrics for each in (data, numbered))
    for name in ("error_percent", "balanced_accuracy_percent", "macro_f1_percent", "support_vectors", "kernel_values"):
        np.testing.assert_allclose(found[name], expected[name], err_msg=name)
