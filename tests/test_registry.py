"""Every two-class algorithm, whatever its category: under every protocol, as a predictor, and what holds for all."""

import dataclasses
import functools
import itertools

import numpy as np
import pytest
from fitting import fit, scores
from problems import prepared
from specifications import KERNELS, make_run

from grambench import algorithms, experiments
from grambench.algorithms.fit import Expansion, Mixture
from grambench.common.errors import ConfigError
from grambench.config import protocols
from grambench.config.metrics import WORK
from grambench.config.protocols import PREDICTIONS
from grambench.experiments import conformance
from grambench.experiments.conformance import DICTIONARY, same
from grambench.experiments.outcome import SLOTS
from grambench.kernels.pool import GridPool, Stored

NAMES = [name for name in algorithms.names() if not algorithms.is_multiclass(name)]  # the others: test_classes
PROTOCOLS = {
    "online": {"repetitions": 2, "checkpoints": 6},
    "nested_cv": {"outer_folds": 2, "inner_folds": 2, "select": "C", "values": [0.1, 1.0]},
    "random_splits": {"repetitions": 2, "sizes": {"default": [30, 15, 15]}, "values": [0.1, 1.0]},
    "official_split": {"repetitions": 2, "validation": 0.3, "values": [0.1, 1.0]},
    "per_class_splits": {"repetitions": 2, "sizes": {"default": [0, 5, 0]}, "values": [0.1, 1.0]},
}
CURVES = {"objective_excess", "elapsed_seconds", "stage"}  # which a protocol yields beside its metrics
OTHER = {"single_kernel": {"kernel": 2}}  # what by default is no choice
FEW = {  # parameters under which those that take long take less
    "ca_nd": {"iterations": 2},
    "cr": {"gap": 0.1},
    "cr_dc": {"gap": 0.1},
    "gaussian_svm": {"widths": (1.0,), "folds": 2},
    "gradient_boosting": {"rounds": 5},
    "random_forest": {"trees": 5},
}
CONSTANT = {"majority"}
DRAWING = {"oks", "oks_loss", "som"}  # whose rounds are predicted by a kernel drawn for each, not by what is learned
# an algorithm that looks at a share of the order to come must look at as many examples in a shorter one
SHARES = {"perceptron_star": lambda rounds: {"validation": 4 / rounds}}


def problem(seed=0, n=60, integers=False):
    """Features, labels that overlap a little, and an order."""
    rng = np.random.default_rng(seed)
    features = rng.integers(-1, 2, size=(n, 3)).astype(float) if integers else rng.normal(size=(n, 3))
    labels = np.where(features[:, 0] + features[:, 1] ** 2 + 0.3 * rng.normal(size=n) > 0.7, 1, -1).astype(np.int8)
    return features, labels, rng.permutation(n).astype(np.int32)


def whole(features, kernels=KERNELS):
    """Return a pool of the kernels that an online study would have, and the family."""
    return conformance.Problem(features, None, None).pool(tuple(kernels))


@functools.cache
def learned(name):
    features, labels, order = problem()
    return fit(name, whole(features), labels, order)


def expands(name):
    """Say whether what is learned is an expansion in the training examples."""
    return isinstance(learned(name).predictor, Expansion | Mixture)


TRACED = [name for name in NAMES if learned(name).trace is not None]
UNTRACED = [name for name in NAMES if name not in TRACED]


def test_there_is_something_to_check():
    assert len(TRACED) >= 8 and len(UNTRACED) >= 15


# --- every pair -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernels", [KERNELS, []], ids=["kernels", "grid"])
@pytest.mark.parametrize("kind", PROTOCOLS)
@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_runs_under_every_protocol(name, kind, kernels):
    features, labels, _ = problem()
    data = prepared(features, labels, test=np.arange(len(labels)) % 3 == 0)
    settings = {"protocol": PROTOCOLS[kind], "dictionary": DICTIONARY, "points": [OTHER.get(name, {})]}
    asked = make_run(name, kind, kernels=kernels, **settings)
    stored = list(whole(features).grams()) if kernels and asked.protocol.stored else []
    outcome = experiments.load(asked.experiment)(asked, data, stored)
    assert outcome.origin == "seeded"
    known = learned(name)
    svm = known.predictor is None
    tuned = "C" in algorithms.load(name).parameters.__dataclass_fields__
    unknown = set()
    if kind == "online":
        expected = {"mistake_percent", "support_vectors", "seconds", "wall_seconds", *WORK} | PREDICTIONS
        assert np.isfinite(outcome.kernel_values["updates"]).all() == (known.trace is not None)
        assert {len(values[0, 0]) for values in outcome.curves.values()} == {6} == {len(outcome.rounds)}
        if known.trace is not None:
            assert all(np.isfinite(curve).all() for curve in outcome.curves.values())
        elif not svm and not expands(name) and not hasattr(known.predictor, "support"):
            unknown = {"support_vectors"}
    else:
        expected = asked.protocol.yields - CURVES
        weights = outcome.kernel_values["weight"]
        assert np.isfinite(weights[..., 0]).all() and (np.nan_to_num(weights) >= 0.0).all()
        assert not kernels or weights.shape[2] in (len(kernels), SLOTS)
        unknown = {"selected_value", "objective", "epochs", "epochs_near"}  # nested cross-validation selects C
        selected = svm or (kind == "nested_cv" and tuned)
        if not selected:
            unknown |= {"selected_C"}
        if asked.protocol.refit and not selected:  # nothing is compared, and validation examples are trained on
            unknown |= {"validation_error_percent"}
        if not svm and not expands(name) and not hasattr(known.predictor, "support"):
            unknown |= {"support_vectors"}
        if known.certify is None:
            unknown |= {"gap", "kkt"}
        if known.converged is None:
            unknown |= {"converged"}
        if not known.weights.any():
            unknown |= {"alignment", "kernels_selected"}
        if not kernels:
            unknown |= {"kernel_share_percent"}
    assert set(outcome.metrics) == expected
    for metric, values in outcome.metrics.items():
        assert values.shape == (1, 2)
        assert np.isfinite(values).all() == (metric not in unknown), metric
    if kind == "online":
        np.testing.assert_allclose(outcome.metrics["error_percent"], outcome.metrics["mistake_percent"])
    correct = outcome.metrics["accuracy_percent"].mean()
    assert (40.0 if name in CONSTANT else 55.0) < correct <= 100.0  # without looking, half of them
    assert outcome.metrics["operations"].min() > 0 or known.work.kernel_values == 0


SIDES = list(protocols.KINDS), list(conformance.EXAMPLES), [2, 5]


def half_of_the_cases(number, name):
    """Return cases of an algorithm that have every pair of a protocol, a kind of examples and a number of classes.

    The next algorithm has the others; one that is for vectors alone has all. `grambench check` runs all cases.
    """
    cases, number = conformance.cases(name), number % 2
    if algorithms.needs(name):
        return cases
    return [case for case in cases if sum(map(list.index, SIDES, case)) % 2 == number]


CASES = [
    (name, case)
    for number, name in enumerate(algorithms.names())
    for case in half_of_the_cases(number, name)
    if name not in NAMES or case[1:] != ("vectors", 2)  # these: above
]


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda value: str(value).replace(", ", "-").replace(" ", "_"))
def test_every_algorithm_runs_on_every_kind_of_examples_with_two_and_five_classes(name, case):
    outcome = conformance.run_case(name, FEW.get(name, {}), case)
    classes = case.classes if case.classes > 2 else 0
    assert all(np.isfinite(outcome.metrics[metric]).all() for metric in PREDICTIONS)
    if case.protocol != "online":
        kernels = len(conformance.EXAMPLES[case.examples])
        assert outcome.kernel_values["weight"].shape[:2] == (1, 2)
        assert outcome.kernel_values["weight"].shape[2] in (kernels, SLOTS)
        assert [values.shape[2:] for values in outcome.class_values.values()] == [(classes, classes)] * bool(classes)
        assert (outcome.metrics["candidates_failed"] == 0.0).all()


def test_the_matrix_has_every_protocol_kind_of_examples_and_number_of_classes():
    everything = set(itertools.product(*SIDES))
    for number, name in enumerate(algorithms.names()):
        found = {tuple(case) for case in conformance.cases(name)}
        half = half_of_the_cases(number, name)
        for sides in itertools.combinations(range(3), 2):  # what half of them leaves out is no pair
            pairs = [{tuple(case[side] for side in sides) for case in cases} for cases in (found, half)]
            assert pairs[0] == pairs[1], name
        if algorithms.needs(name):
            assert found == {case for case in everything if case[1] == "vectors"}, name
        else:
            assert found == everything, name
    assert {algorithms.needs(name) for name in algorithms.names()} == {"", "family", "features"}


# --- predictors -------------------------------------------------------------------------------------------------------


def random_pool(seed, n):
    """Return a pool of random Gram matrices."""
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(3, n, n))
    return Stored([root @ root.T for root in roots])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["random", "integers"])
@pytest.mark.parametrize("name", [name for name in TRACED if name not in DRAWING])
def test_a_predictor_scores_the_next_example_as_the_longer_pass_does(name, kind, seed):
    """Bit for bit; on integers, where scores cancel to 0, the order of additions decides."""
    features, labels, order = problem(seed, integers=True)
    n = len(labels)
    pool = random_pool(seed, n) if kind == "random" else whole(features)
    settings = SHARES.get(name, lambda rounds: {})
    longer = fit(name, pool, labels, order, seed=seed, **settings(n)).trace.scores
    for rounds in (4, 5, 9, 20, 37, n - 1):
        shorter = fit(name, pool, labels, order[:rounds], seed=seed, **settings(rounds))
        coming = pool.part(order[rounds : rounds + 1], np.arange(n))
        assert scores(shorter, coming).tobytes() == longer[rounds : rounds + 1].tobytes(), rounds
        assert same(shorter.trace.scores, longer[:rounds])


def test_scores_do_cancel():
    features, labels, order = problem(0, integers=True)
    trace = fit("perceptron", whole(features, ["polynomial_p1"]), labels, order).trace
    assert np.count_nonzero(trace.scores[5:] == 0.0) > 5


@pytest.mark.parametrize("grid", [False, True])
@pytest.mark.parametrize("name", [name for name in UNTRACED if expands(name)])
def test_a_predictor_is_the_sum_that_it_says(name, grid):
    """On the training examples and on others, against sums over kernels by their definition."""
    features, labels, _ = problem(3, n=80)
    known, others = features[:50], features[50:]
    pools = GridPool(DICTIONARY.between(known)), GridPool(DICTIONARY.between(known, others))
    if not grid:
        both = whole(features)
        rows = np.arange(80)
        pools = both.part(rows[:50], rows[:50]), both.part(rows[50:], rows[:50])
    fitted = fit(name, pools[0], labels[:50])
    for pool, examples in zip(pools, (known, others), strict=True):
        kernels = list(pool.grams())
        if fitted.thetas is not None:
            difference = examples[:, None] - known[None]
            kernels = [np.exp(-((difference / theta) ** 2).sum(axis=2)) for theta in fitted.thetas]
        machine = fitted.predictor
        values = [
            sum(
                w * float(v) * float(k)
                for w, gram in zip(fitted.weights, kernels, strict=True)
                for v, k in zip(machine.dual, gram[t], strict=True)
            )
            for t in range(len(examples))
        ]
        np.testing.assert_allclose(scores(fitted, pool), np.array(values) + machine.bias, rtol=1e-9, atol=1e-9)


# --- what holds for all -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", conformance.CHECKS[:-1], ids=lambda check: check.test.__name__)  # protocols: above
@pytest.mark.parametrize("name", algorithms.names())
def test_every_algorithm_passes_the_checks_for_those_from_outside(name, check):
    check.test(name, OTHER.get(name, {}) if name != "single_kernel" else {})  # one pool has a single kernel


@pytest.mark.parametrize("name", NAMES)
def test_work_is_counted(name):
    fitted = learned(name)
    assert sum(dataclasses.astuple(fitted.work)) > 0 or fitted.predictor is None or not fitted.weights.any()


REFUSING = {*algorithms.names("baselines"), "ca_1d", "ca_nd", "kernel_stacking", "makl"} - {"majority"}


@pytest.mark.parametrize("label", [-1, 1])
@pytest.mark.parametrize("name", UNTRACED)
def test_one_class_is_predicted_or_refused_in_one_line(name, label):
    features, labels, _ = problem()
    pool, labels = whole(features), np.full_like(labels, label)
    if name in REFUSING:
        with pytest.raises(ValueError, match=r"expected (training )?examples of (both|two) classes, got"):
            fit(name, pool, labels)
        return
    fitted = fit(name, pool, labels)
    assert np.isfinite(fitted.weights).all()
    if fitted.predictor is not None and name not in {"cr", "cr_dc"}:  # which shrink the labels
        assert (scores(fitted, pool) == label).all()
        assert fitted.certify is None or (fitted.certify().kkt == 0.0 and fitted.certify().gap <= 0.01)


# --- parameters -------------------------------------------------------------------------------------------------------

WRONG = {  # by field: values that every algorithm with this parameter refuses
    "C": (0.0, -1.0, np.nan, np.inf),
    "alpha": (0.0,),
    "bandwidth": (0.0, np.inf),
    "base_kernels": ("some",),
    "beta": (0.0, 1.2),
    "budget": (-1, 2.5, np.inf, np.nan),
    "combination": ("median",),
    "components": (0,),
    "delta": (0, 1.1),
    "depth": (0,),
    "epochs": (0,),
    "epsilon": (0.0,),
    "eta": (0.0, -1.0),
    "folds": (0, 1),
    "gain": (0.0,),
    "gamma": (0.0, np.inf),
    "gap": (0.0, 1.0, np.nan),
    "hidden": (0,),
    "horizon": ("both",),
    "iterations": (0, -1),
    "k": (0,),
    "kernel": (-1,),
    "leaf": (0,),
    "leaves": (1,),
    "learning_rate": (0.0, -1.0),
    "longest": (0.0,),
    "loss": ("0-1",),
    "margin": (-1.0,),
    "max_features": (0.0, 1.5),
    "norm": ("l3", ""),
    "nu": (0.0, 1.0),
    "p": (0.5, np.nan, np.inf),
    "passes": (0,),
    "patience": (0,),
    "radius": (0.0,),
    "refine": (0, -2),
    "regulariser": (-1.0, np.nan),
    "rounds": (0,),
    "sample": (0.0, 1.1),
    "select": ("best",),
    "sigma": (0.0, np.inf),
    "sparsity": (-0.1,),
    "step": (0.0, np.inf, "short"),
    "steps": (0,),
    "theta": (-1.0, np.nan, np.inf),
    "threshold": (-0.1, 1.1, np.nan),
    "tolerance": (0.0, np.nan),
    "trees": (0,),
    "trials": (0,),
    "validation": (0.0, 1.5),
    "values": ((-1.0,), (np.inf,)),
    "when_full": ("random",),
    "widths": ((), (0.0,)),
}
UNCHECKED = {"bias", "bounded"}  # whether something is done
TOGETHER = {"online", "batch"}  # passes of OBSCURE, checked together below
FIELDS = [(name, field) for name in algorithms.names() for field in algorithms.fields(name)]


@pytest.mark.parametrize(("name", "field"), [case for case in FIELDS if case[1] not in UNCHECKED | TOGETHER])
def test_every_parameter_is_checked_and_a_wrong_one_gives_one_line(name, field):
    assert field in WRONG, f"add to WRONG the values that {field!r} must refuse"
    for value in WRONG[field]:
        with pytest.raises(ConfigError, match=f"^{name}: {field} must ") as caught:
            algorithms.parameters(name, {field: value})
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("omkc_ss", {"bta": 0.5}, "unknown parameter of omkc_ss 'bta': did you mean beta"),
        ("lp_mkl", {"gap": [0.1, 1]}, r"lp_mkl: gap: expected a number, got \[0.1, 1\]"),
        ("majority", {"foo": 1}, "unknown parameter of majority 'foo': there is none$"),
        ("omkc_dq", {}, "unknown algorithm 'omkc_dq': did you mean omkc_s"),
        ("oks", {"delta": [0.5, 1.0]}, r"oks: delta must hold a value in \(0, 1\) for each pass, got \(0.5, 1.0\)"),
        ("oks", {"delta": []}, r"oks: delta must hold a value in \(0, 1\) for each pass, got \(\)"),
        ("om2", {"p": 1.0}, r"om2: p must lie in \(1, 2\], got 1.0"),
        ("om2", {"step": "shortened", "margin": 1.5}, "om2: margin must be at most 1 where steps are shortened"),
        ("obscure", {"p": 1.0}, r"obscure: p must lie in \(1, 2\], got 1.0"),
        ("obscure", {"online": 0, "batch": 0}, "obscure: .* at least one in all, got 0, 0"),
        ("om2_multiclass", {"p": 3.0}, r"om2_multiclass: p must lie in \(1, 2\], got 3.0"),
        ("easy_mkl", {"regulariser": 1.5}, r"easy_mkl: regulariser must lie in \(0, 1\], got 1.5"),
        ("easy_mkl", {"regulariser": 0.0}, r"easy_mkl: regulariser must lie in \(0, 1\], got 0.0"),
        ("makl", {"regulariser": 1.0}, r"makl: regulariser must lie in \(0, 1\), got 1.0"),
    ],
)
def test_wrong_settings_give_one_line(name, settings, message):
    with pytest.raises(ConfigError, match=f"^{message}") as caught:
        algorithms.parameters(name, settings)
    assert "\n" not in str(caught.value)


def test_values_may_be_as_yaml_has_them():
    assert algorithms.parameters("oks", {"delta": [0.5, 0.2]}) == algorithms.load("oks").parameters()
    hash(algorithms.parameters("som", {"delta": [0.3]}))
