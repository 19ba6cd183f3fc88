"""Every two-class algorithm, whatever its category: under every protocol, as a predictor, and what holds for all."""

import dataclasses
import functools
import itertools
import json

import numpy as np
import pytest
from fitting import fit, scores
from specifications import KERNELS, make_run

from grambench import algorithms
from grambench.algorithms.fit import Expansion, Mixture
from grambench.config import protocols
from grambench.config.metrics import WORK
from grambench.config.protocols import PREDICTIONS
from grambench.datasets import store
from grambench.experiments import conformance
from grambench.experiments.conformance import DICTIONARY, same
from grambench.kernels import grams, matrices
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import GridPool, Stored
from grambench.pipeline.job import Job
from grambench.pipeline.steps import fit as step
from grambench.results import records

NAMES = [name for name in algorithms.names() if not algorithms.is_multiclass(name)]  # the others: test_classes
PROTOCOLS = {
    "online": {"repetitions": 2, "checkpoints": 6},
    "nested_cv": {"outer_folds": 2, "inner_folds": 2, "select": "C", "values": [0.1, 1.0]},
    "random_splits": {"repetitions": 2, "sizes": {"default": [30, 15, 15]}, "values": [0.1, 1.0]},
    "official_split": {"repetitions": 2, "validation": 0.3, "values": [0.1, 1.0]},
    "per_class_splits": {"repetitions": 2, "sizes": {"default": [0, 5, 0]}, "values": [0.1, 1.0]},
}
CURVES = {"objective_excess", "elapsed_seconds", "stage"}  # which a protocol yields beside its metrics
OTHER = {"random_forest": {"trees": 20}, "single_kernel": {"kernel": 2}}  # what by default takes long, or is no choice
FEW = {  # parameters under which those that take long take less
    "ca_nd": {"iterations": 2},
    "cr": {"gap": 0.1},
    "cr_dc": {"gap": 0.1},
    "gaussian_svm": {"widths": (1.0,), "folds": 2},
    "gradient_boosting": {"trees": 5},
    "random_forest": {"trees": 5},
}
CONSTANT = {"majority", "gradient_boosting"}  # the leaves of the latter hold 20 examples, of which there are 30
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
    values = grams.compute(grams.inner_products(features), [Kernel.parse(name) for name in kernels])
    return Stored(values, features={"": features}, family=DICTIONARY.between(features))


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


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A prepared data set, and its Gram matrices in files."""
    folder = tmp_path_factory.mktemp("prepared")
    features, labels, _ = problem()
    data = store.PreparedDataset(
        name="made",
        features=features,
        labels=labels,
        orders=None,
        source={"kind": "none"},
        test=np.arange(len(labels)) % 3 == 0,
    )
    store.write(folder / "made.h5", data)
    stored = {}
    for name in KERNELS:
        stored[name] = folder / f"{name}.h5"
        matrices.write_gram(stored[name], grams.inner_products(features), Kernel.parse(name))
    return folder / "made.h5", stored


def run(prepared, output, name, kind, kernels):
    """Run an algorithm as the workflow does, in this process, and return the record."""
    data, stored = prepared
    asked = make_run(
        name, kind, protocol=PROTOCOLS[kind], kernels=kernels, dictionary=DICTIONARY, points=[OTHER.get(name, {})]
    )
    files = [stored[kernel] for kernel in kernels] if asked.protocol.stored else []
    step.main(Job(json.dumps(asked.to_dict()), "code", [output], [data, *files]))
    return asked, records.read(output)


@pytest.mark.parametrize("kernels", [KERNELS, []], ids=["kernels", "grid"])
@pytest.mark.parametrize("kind", PROTOCOLS)
@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_runs_under_every_protocol(name, kind, kernels, prepared, tmp_path):
    asked, record = run(prepared, tmp_path / "record.h5", name, kind, kernels)
    assert (record.status, record.reason, record.orders) == ("ok", "", "seeded")
    known = learned(name)
    svm = known.predictor is None
    tuned = "C" in algorithms.load(name).parameters.__dataclass_fields__
    unknown = set()
    if kind == "online":
        expected = {"mistake_percent", "support_vectors", "seconds", "wall_seconds", *WORK} | PREDICTIONS
        assert np.isfinite(record.kernel_values["updates"]).all() == (known.trace is not None)
        assert {len(values[0, 0]) for values in record.curves.values()} == {6} == {len(record.rounds)}
        if known.trace is not None:
            assert all(np.isfinite(curve).all() for curve in record.curves.values())
        elif not svm and not expands(name) and not hasattr(known.predictor, "support"):
            unknown = {"support_vectors"}
    else:
        expected = asked.protocol.yields - CURVES
        weights = record.kernel_values["weight"]
        assert np.isfinite(weights[..., 0]).all() and (np.nan_to_num(weights) >= 0.0).all()
        unknown = {"selected_value", "objective", "epochs"}  # nested cross-validation selects C
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
    assert set(record.metrics) == expected
    for metric, values in record.metrics.items():
        assert values.shape == (1, 2)
        assert np.isfinite(values).all() == (metric not in unknown), metric
    if kind == "online":
        np.testing.assert_allclose(record.metrics["error_percent"], record.metrics["mistake_percent"])
    correct = record.metrics["accuracy_percent"].mean()
    assert (40.0 if name in CONSTANT else 55.0) < correct <= 100.0  # without looking, half of them
    assert record.metrics["operations"].min() > 0 or known.work.kernel_values == 0


@pytest.mark.parametrize(
    ("name", "case"),
    [(name, case) for name in algorithms.names() for case in conformance.cases(name)],
    ids=lambda value: str(value).replace(", ", "-").replace(" ", "_"),
)
def test_every_algorithm_runs_every_case(name, case):
    """Under every protocol, on vectors, views and pixel blocks, with two and with five classes."""
    outcome = conformance.run_case(name, FEW.get(name, {}), case)
    classes = case.classes if case.classes > 2 else 0
    assert all(np.isfinite(outcome.metrics[metric]).all() for metric in PREDICTIONS)
    if case.protocol != "online":
        kernels = len(conformance.EXAMPLES[case.examples])
        assert outcome.kernel_values["weight"].shape[:2] == (1, 2)
        assert outcome.kernel_values["weight"].shape[2] in (kernels, 50)  # 50 of a continuous family
        assert [values.shape[2:] for values in outcome.class_values.values()] == [(classes, classes)] * bool(classes)
        assert (outcome.metrics["candidates_failed"] == 0.0).all()


def test_the_matrix_has_every_protocol_kind_of_examples_and_number_of_classes():
    everything = set(itertools.product(protocols.KINDS, ("vectors", "views", "pixels"), (2, 5)))
    for name in algorithms.names():
        found = {tuple(case) for case in conformance.cases(name)}
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
