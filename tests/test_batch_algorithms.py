"""Every batch algorithm of the registry against its naive reference, and what must hold for all of them.

A new algorithm is compared without an entry here. `variants` takes settings that change its problem; the other lists
name algorithms with which a property does not hold, or holds too.
"""

import itertools

import batch_reference as reference
import fitting
import numba
import numpy as np
import pytest
from batch_reference import problem
from fitting import scores

from grambench import algorithms
from grambench.algorithms.fit import Expansion
from grambench.algorithms.oracle import Oracle, stratified_folds
from grambench.common.errors import SolverError
from grambench.kernels.pool import Stored
from grambench.solvers import lp_smo, meb, svm
from grambench.solvers.gradient_projection import MEMORY

COMPILED = not numba.config.DISABLE_JIT
compiled = pytest.mark.skipif(not COMPILED, reason="too many steps for the interpreter")
# no SVM on a weighted sum; each has a test file of its own
OTHERS = {"gmkl", "kernel_stacking", "localised_mkl", "mkboost"}
NAMES = [name for name in algorithms.names("batch") if "C" in algorithms.fields(name) and name not in OTHERS]
CROSS_VALIDATED = {"best_kernel_svm", "pwmk"}
SETTINGS = {
    "pwmk": [{"threshold": 0.0}, {"threshold": 0.7}, {"threshold": 1.0}],
    "rkl": [{"norm": "l1"}, {"norm": "l2"}, {"norm": "none"}],
    "klc": [{"norm": "l1"}, {"norm": "l2"}],
    "lp_mkl": [{"p": 4 / 3}, {"p": 2.0}],
    "uniform_svm": [{"combination": "mean"}, {"combination": "sum"}],
}
VARIANTS = [(name, settings) for name in NAMES for settings in SETTINGS.get(name, [{}])]
variants = pytest.mark.parametrize(
    ("name", "settings"), VARIANTS, ids=["-".join([name, *map(str, kw.values())]) for name, kw in VARIANTS]
)
# SILP keeps the lowest value so far; the others descend by themselves. lp_mkl's longer steps may rise once.
FALLING = {"simple_mkl", "silp", "rkl", "klc", "mkl_l2"}


def has_gap(name):
    return "gap" in algorithms.fields(name)


def fit(name, grams, labels, *, tight=None, **settings):
    """Fit; `tight` is the gap of an algorithm that has one."""
    if tight and has_gap(name):
        settings["gap"] = tight
    return fitting.fit(name, grams, labels, **settings)


def objective(fitted):
    return fitted.steps[-1].objective


def numbers(name):
    """How far the values of two ways to one optimum end apart: ten roots of the gap, or of the machines' 1e-3."""
    return 1e-3 if has_gap(name) else 1e-2


# --- against the references -------------------------------------------------------------------------------------------


@variants
@pytest.mark.parametrize("C", [0.3, 3.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_equals_the_reference(name, settings, C, seed):
    grams, labels = problem(seed)
    ours = fit(name, grams, labels, seed=seed, C=C, tight=1e-8, **settings)
    extra = dict(settings)
    if name in CROSS_VALIDATED:
        extra["parts"] = [part.tolist() for part in stratified_folds(labels, 3, np.random.default_rng(seed))]
    theirs = getattr(reference, name)(grams, labels, C=C, **extra)
    # a gap of 1e-8; the plain machines stop at 1e-3 of the margin, which costs less than a thousandth of that
    assert objective(ours) == pytest.approx(theirs["objective"], rel=1e-7 if has_gap(name) else 1e-5)
    # ||f - f*||^2 / 2 is at most the gap of an objective of about 15
    values = scores(ours, grams)
    np.testing.assert_allclose(values, theirs["values"], rtol=0, atol=1e-3 if has_gap(name) else 2e-3)
    if has_gap(name):
        np.testing.assert_allclose(
            ours.weights / ours.weights.sum(), theirs["weights"] / np.sum(theirs["weights"]), atol=1e-3
        )


# --- what holds for all -----------------------------------------------------------------------------------------------


@variants
@pytest.mark.parametrize("seed", range(3))
def test_a_fit_is_certified(name, settings, seed):
    grams, labels = problem(seed, n=30)
    fitted = fit(name, grams, labels, **settings)
    assert isinstance(fitted.predictor, Expansion)
    assert fitted.weights.any()
    assert isinstance(fitted.predictor.bias, float)
    assert (labels * fitted.predictor.dual >= 0).all()
    # the gap asked for, and again a tenth for the machine and a tenth for the ball
    gap = getattr(algorithms.load(name).parameters(**settings), "gap", 0.01)
    assert -1e-12 <= fitted.certify().gap <= 1.2 * gap
    assert fitted.certify().kkt <= 1.001e-3


@variants
def test_calls_are_counted_and_objectives_fall(name, settings, monkeypatch):
    counts = {"svm": 0, "meb": 0}

    def counted(key, function):
        def call(*arguments, **keywords):
            counts[key] += 1
            return function(*arguments, **keywords)

        return call

    # the direct solution of the lp problem counts as one SVM
    for module, function, key in ((svm, "train", "svm"), (lp_smo, "train", "svm"), (meb, "enclose", "meb")):
        monkeypatch.setattr(module, function, counted(key, getattr(module, function)))
    grams, labels = problem(3, n=30)
    fitted = fit(name, grams, labels, tight=1e-5, **settings)
    assert (fitted.work.svm_calls, fitted.work.meb_calls) == (counts["svm"], counts["meb"])
    assert fitted.work.svm_calls > 0
    assert fitted.steps
    steps = fitted.steps
    for k in range(1, len(steps)):
        assert steps[k].svm_calls > steps[k - 1].svm_calls or name == "lp_mkl"
        assert steps[k].meb_calls >= steps[k - 1].meb_calls
        if name in FALLING:
            window = MEMORY if name in ("klc", "rkl", "mkl_l2") else 1
            assert steps[k].objective <= max(step.objective for step in steps[max(k - window, 0) : k])
    assert fitted.steps[-1].svm_calls <= fitted.work.svm_calls
    if name in FALLING | {"lp_mkl"}:
        assert len(fitted.steps) > 2
        assert objective(fitted) < fitted.steps[0].objective


@variants
def test_a_fit_tells_whether_it_has_reached_its_gap(name, settings):
    grams, labels = problem(3, n=30)
    fitted = fit(name, grams, labels, tight=1e-3, **settings)
    if not has_gap(name):
        assert fitted.converged is None
        return
    assert fitted.converged is True
    assert fitted.certify().gap <= 1.5e-3  # the machine's own tolerance shows in it
    for iterations in (1, 2):
        cut = fit(name, grams, labels, iterations=iterations, tight=1e-9, **settings)
        assert cut.converged is False
        assert len(cut.steps) <= iterations + 1  # the start counts as one
        assert np.isfinite(cut.certify().kkt)
        assert cut.certify().gap > 1e-9


@variants
def test_one_kernel_is_the_machine_on_it(name, settings):
    grams, labels = problem(6, n=30)
    for k in (1, 4):
        fitted = fit(name, grams[k : k + 1], labels, tight=1e-6, **settings)
        gram = fitted.weights[0] * grams[k]
        if name != "rkl" or settings["norm"] != "none":
            assert fitted.weights[0] == pytest.approx(1.0, abs=1e-12)
        if name == "klc":
            dual, bias, _ = reference.l2_svm(gram, labels, 1.0)
        else:
            dual, bias, _ = reference.svc(gram, labels, 1.0 / reference.ball(gram)[1] if name == "rkl" else 1.0)
        np.testing.assert_allclose(scores(fitted, grams[k : k + 1]), gram @ dual + bias, atol=numbers(name))


@variants
def test_equal_kernels_are_as_good_as_one(name, settings):
    grams, labels = problem(6, n=30)
    one = fit(name, grams[1:2], labels, tight=1e-6, **settings)
    four = fit(name, np.repeat(grams[1:2], 4, axis=0), labels, tight=1e-6, **settings)
    factor = four.weights.sum() / one.weights.sum()  # of the kernel that comes out
    # of equal kernels, an l1 norm or the best of them makes this kernel; an lp norm, four of weight 4^(-1/p)
    orders = {"mkl_l2": 2.0, "lp_mkl": settings.get("p"), "klc": {"l1": 1.0, "l2": 2.0}.get(settings.get("norm"))}
    expected = 4 ** (1 - 1 / orders[name]) if name in orders else {"sum": 4.0}.get(settings.get("combination"), 1.0)
    if name != "rkl":
        assert factor == pytest.approx(expected, rel=1e-6)
    if name == "rkl" or expected == 1.0:
        assert objective(four) == pytest.approx(objective(one), rel=2e-6 if name in FALLING else 1e-5)
        np.testing.assert_allclose(scores(four, np.repeat(grams[1:2], 4, axis=0)), scores(one, grams[1:2]), atol=2e-3)
    else:
        expected_fit = fit("klc" if name == "klc" else "uniform_svm", expected * grams[1:2], labels, tight=1e-6)
        assert objective(four) == pytest.approx(objective(expected_fit), rel=1e-5)


def clear(grams, labels):
    """Two kernels, the second of which every part of the examples prefers."""
    return np.array([grams[4], 30.0 * np.outer(labels, labels) + grams[0]])


@compiled
@variants
def test_negated_labels_negate_the_decision(name, settings):
    grams, labels = problem(9, n=30)
    if name in CROSS_VALIDATED:
        # The folds change as well, so that PWMK has but one kernel.
        grams = clear(grams, labels)[1 if name == "pwmk" else 0 :]
    before = fit(name, grams, labels, tight=1e-8, **settings)
    after = fit(name, grams, (-labels).astype(np.int8), tight=1e-8, **settings)
    assert objective(after) == pytest.approx(objective(before), rel=numbers(name) ** 2)
    np.testing.assert_allclose(scores(after, grams), -scores(before, grams), rtol=0, atol=numbers(name))


# --- relations between them -------------------------------------------------------------------------------------------


@compiled
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(2))
def test_three_ways_to_the_l1_problem_and_two_to_the_l2(C, seed):
    """Each is within its own gap above the same optimum."""
    grams, labels = problem(seed, n=30)
    values = {
        "simple_mkl": objective(fit("simple_mkl", grams, labels, C=C, gap=1e-6)),
        "silp": objective(fit("silp", grams, labels, C=C, gap=1e-6)),
        "lp_mkl": objective(fit("lp_mkl", grams, labels, C=C, p=1.0, gap=1e-3)),  # for p = 1 it creeps
    }
    lowest = min(values.values())
    assert max(values["simple_mkl"], values["silp"]) <= lowest * (1 + 2e-6)
    assert values["lp_mkl"] <= lowest * (1 + 2e-3)
    sphere = fit("mkl_l2", grams, labels, C=C, gap=1e-6)
    two = fit("lp_mkl", grams, labels, C=C, p=2.0, gap=1e-6)
    assert objective(sphere) == pytest.approx(objective(two), rel=2e-6)
    np.testing.assert_allclose(sphere.weights, two.weights, rtol=0, atol=5e-3)
    assert objective(two) < lowest  # the l2 ball holds the simplex


@compiled
def test_lp_norms_end_at_the_sum():
    grams, labels = problem(2, n=30)
    values = [objective(fit("lp_mkl", grams, labels, p=p, gap=1e-6)) for p in (1.01, 1.5, 2.0, 8.0, 1e6)]
    assert all(later < earlier for earlier, later in itertools.pairwise(values))
    total = fit("uniform_svm", grams, labels, combination="sum")
    last = fit("lp_mkl", grams, labels, p=1e6, gap=1e-6)
    np.testing.assert_allclose(last.weights, 1.0, rtol=0, atol=1e-4)  # 5^(-1e-6), and forms that differ by 10^3
    assert objective(last) == pytest.approx(objective(total), rel=1e-4)


@compiled
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_lp_norms_near_1_stop_at_any_scale(scale):
    """The dual norm is of order 101, whose powers leave the range of numbers."""
    grams, labels = problem(2, n=30)
    fitted = fit("lp_mkl", scale * grams, labels, C=1 / scale, p=1.01, gap=1e-3)
    assert 1 < len(fitted.steps) < 500
    assert fitted.certify().gap <= 1.2e-3
    assert scale * objective(fitted) == pytest.approx(
        objective(fit("lp_mkl", grams, labels, p=1.01, gap=1e-3)), rel=2e-3
    )


def test_silp_needs_few_linear_programs():
    """With the precision that HiGHS has by itself it would not see the gap close, and go on to the limit."""
    grams, labels = problem(0, n=30)
    fitted = fit("silp", grams, labels, gap=1e-8)
    assert fitted.certify().gap <= 1.2e-8
    assert len(fitted.steps) < 40


def test_best_kernel_takes_the_best():
    grams, labels = problem(0, n=60)
    worse, perfect = clear(grams, labels)
    chosen = fit("best_kernel_svm", np.array([worse, perfect, perfect, worse]), labels)
    assert chosen.weights.tolist() == [0, 1, 0, 0]  # the first of equal ones
    assert chosen.work.svm_calls == 3 * 4 + 1


def test_pwmk_gives_the_least_accurate_kernel_what_the_threshold_leaves():
    grams, labels = problem(0, n=60)
    worse, perfect = clear(grams, labels)
    pool = np.array([worse, perfect, worse])
    assert fit("pwmk", pool, labels).weights.tolist() == [0.0, 1.0, 0.0]
    accuracies = fit("pwmk", pool, labels, threshold=0.0).weights
    assert 0.5 < accuracies[0] / accuracies[1] < 1.0  # of two classes, between chance and all
    half = fit("pwmk", pool, labels, threshold=0.5).weights
    np.testing.assert_allclose(half, (accuracies - 0.5 * accuracies[0]) / (1.0 - 1.5 * accuracies[0]), rtol=1e-12)
    assert fit("pwmk", pool[::2], labels).weights.tolist() == [0.5, 0.5]


def test_pwmk_draws_its_folds_along_the_order():
    """The same weights, bit for bit, whatever the numbers of the examples, and though the order holds some of them."""
    grams, labels = problem(0, n=61)
    rng = np.random.default_rng(0)
    order, shuffle = rng.permutation(61).astype(np.int32)[:40], rng.permutation(61)
    moved, position = np.ascontiguousarray(grams[:, shuffle][:, :, shuffle]), np.argsort(shuffle).astype(np.int32)
    settings = {"threshold": 0.5, "C": 3.0}
    rest = np.setdiff1d(np.arange(61), order)
    order = np.concatenate([order, rest]).astype(np.int32)
    first = fitting.fit("pwmk", grams, labels, order, **settings).weights
    assert fitting.fit("pwmk", moved, labels[shuffle], position[order], **settings).weights.tolist() == first.tolist()
    assert fitting.fit("pwmk", grams, labels, order[:40], **settings).weights.tolist() == first.tolist()
    assert fitting.fit("pwmk", grams, labels, order, seed=1, **settings).weights.tolist() != first.tolist()


@pytest.mark.parametrize("name", ["bemkl", "easy_mkl", "gram_mkl", "hsic_lasso", "memo"])
def test_a_kernels_scale_changes_nothing_but_its_weight(name):
    grams, labels = problem(1)
    factors = np.array([1e-3, 1.0, 7.0, 1e4, 0.5])
    rescaled = factors[:, None, None] * grams
    plain, scaled = (fit(name, pool, labels, tight=1e-6) for pool in (grams, rescaled))
    weights, units = scaled.weights * factors, np.trace(grams, axis1=1, axis2=2) / len(labels)
    if name == "hsic_lasso":  # whose weights sum to one whatever the scales are
        weights /= weights.sum()
    elif name != "bemkl":
        assert plain.weights @ units == pytest.approx(1.0)
    tolerance = {"rtol": 1e-3, "atol": 1e-4} if has_gap(name) else {"rtol": 1e-6, "atol": 1e-9}
    np.testing.assert_allclose(weights, plain.weights, **tolerance)
    if plain.predictor:
        np.testing.assert_allclose(scores(scaled, rescaled), scores(plain, grams), rtol=1e-6, atol=1e-9)


# --- RKL's propositions -----------------------------------------------------------------------------------------------

TIGHT = 1e-7  # f is off by the root of 2 g gap at most, 2e-3; where g is smooth in theta, by that of its square


@compiled
@pytest.mark.parametrize("C", [0.3, 3.0])
@pytest.mark.parametrize("norm", ["l1", "l2", "none"])
def test_rkl_is_invariant(C, norm):
    grams, labels = problem(5, n=30)
    plain = fit("rkl", grams, labels, C=C, norm="l1", gap=TIGHT / 100)
    assert plain.certify().gap <= 1.2 * TIGHT / 100
    assert np.count_nonzero(plain.weights) > 1  # not a corner
    values = scores(plain, grams)
    scales = [
        np.ones(5),  # Proposition 2: the norm
        np.full(5, 1e-3),  # Proposition 1: the learned kernel's scale
        np.full(5, 1e3),
        np.array([1.0, 10.0, 0.1, 100.0, 1e-3]),  # Proposition 3: the base kernels'
        10.0 ** np.array([-6.0, 6, 0, -3, 3]),
    ]
    for scale in scales:
        scaled = np.ascontiguousarray(grams * scale[:, None, None])
        fitted = fit("rkl", scaled, labels, C=C, norm=norm, gap=TIGHT)
        assert fitted.certify().gap <= 1.2 * TIGHT
        assert objective(fitted) == pytest.approx(objective(plain), rel=2 * TIGHT)
        np.testing.assert_allclose(scores(fitted, scaled), values, rtol=0, atol=2e-5)
        kernel = fitted.weights * scale
        np.testing.assert_allclose(kernel / kernel.sum(), plain.weights, rtol=0, atol=2e-5)
        if norm != "none":
            assert np.linalg.norm(fitted.weights, {"l1": 1, "l2": 2}[norm]) == pytest.approx(1.0, abs=1e-12)


# --- published values -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def breast_cancer():
    """The 20 kernels of SimpleMKL and RKL, of unit trace."""
    from sklearn.datasets import load_breast_cancer

    features, target = load_breast_cancer(return_X_y=True)
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    inner = features @ features.T
    squares = np.diagonal(inner)
    distances = np.maximum(squares[:, None] + squares - 2 * inner, 0)
    grams = [np.exp(-distances / (2 * s * s)) for s in (0.5, 1, 2, 5, 7, 10, 12, 15, 17, 20)]
    grams += [(inner + 1) ** d for d in range(1, 11)]
    return np.array([gram / np.trace(gram) for gram in grams]), np.where(target == 1, 1, -1).astype(np.int8)


@compiled
@pytest.mark.parametrize(("C", "value"), [(100.0, 10386.890), (1000.0, 30840.411), (10000.0, 31400.147)])
def test_simple_mkls_objective_on_breast_cancer(breast_cancer, C, value):
    fitted = fit("simple_mkl", *breast_cancer, C=C, gap=1e-4)
    assert fitted.certify().gap <= 1.1e-4
    assert value * (1 - 1e-7) <= objective(fitted) <= value * (1 + 1e-4)  # printed to three decimals


@compiled
@pytest.mark.parametrize(("p", "value"), [(4 / 3, 16.9968), (2.0, 14.46131)])
def test_lp_mkls_dual_on_breast_cancer(breast_cancer, p, value):
    grams, labels = breast_cancer
    n = len(labels)
    fitted = fit("lp_mkl", n * grams, labels, C=100 / n, p=p, gap=1e-5)
    assert fitted.certify().gap <= 1.1e-5
    assert objective(fitted) == pytest.approx(value, rel=1.2e-5)  # the gap, and half of the last digit printed


# --- input that nobody should give them -------------------------------------------------------------------------------


def attempt(name, grams, labels, **settings):
    """Return a fit, or None for an error that says what is wrong."""
    try:
        return fit(name, grams, labels, **settings)
    except (ValueError, SolverError) as error:
        assert str(error)
        assert not isinstance(error, np.linalg.LinAlgError)
        return None


@variants
def test_two_examples(name, settings):
    grams, labels = problem(0)
    two = np.ascontiguousarray(grams[:, :2, :2])
    if name in CROSS_VALIDATED:
        with pytest.raises(ValueError, match="expected a class with at least 2 examples, got one of each class"):
            fit(name, two, labels[:2])
        return
    fitted = fit(name, two, labels[:2], **settings)
    values = scores(fitted, two)
    assert values[0] > 0 > values[1]
    assert fitted.certify().gap <= 0.011


@variants
def test_one_example(name, settings):
    fitted = attempt(name, np.ones((5, 1, 1)), np.array([-1], dtype=np.int8), **settings)
    assert (fitted is None) == (name in {"rkl", *CROSS_VALIDATED})  # no radius; nothing to hold out
    if fitted is not None:
        assert scores(fitted, np.ones((5, 1, 1))).tolist() == [-1.0]


@variants
@pytest.mark.parametrize("value", [0.0, 0.1, 1.0, 1e12 / 3])
def test_identical_examples(name, settings, value):
    """Nothing can be told apart: the larger class, or for RKL, that there is no radius."""
    labels = np.array([1] * 9 + [-1] * 5, dtype=np.int8)
    grams = np.full((3, 14, 14), value)
    if name == "rkl":
        with pytest.raises(SolverError, match="radius 0"):
            fit(name, grams, labels, **settings)
        return
    values = scores(fit(name, grams, labels, **settings), grams)
    assert np.ptp(values) <= 4e-15 * (1 + value)  # coefficients up to 1, their sum 0 up to rounding
    # the hinge's b is 1, the squared hinge's the mean label
    assert values[0] == pytest.approx(4 / 14 if name == "klc" else 1.0, abs=1e-3 + 4e-15 * value)


def test_rkl_gives_a_constant_kernel_no_weight():
    """It changes neither the ball nor the SVM, so that any weight of it would be an optimum."""
    grams, labels = problem(2, n=30)
    constant = np.full((2, *grams.shape[1:]), 0.3)
    constant[1] = 0.0
    fitted, alone = (fit("rkl", pool, labels, gap=1e-6) for pool in (np.concatenate([grams, constant]), grams))
    assert fitted.weights[-2:].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(fitted.weights[:-2], alone.weights, atol=1e-3)


@compiled
@variants
@pytest.mark.parametrize("idle", [0.0, 0.37])
def test_a_kernel_that_tells_nothing_apart(name, settings, idle):
    """A zero or constant kernel among the others: the same decision as without it, wherever weights have no price."""
    grams, labels = problem(1, n=30)
    more = np.concatenate([np.full((1, 30, 30), idle), grams])
    fitted = fit(name, more, labels, tight=1e-6, **settings)
    assert fitted.certify().gap <= 1.2e-6 or not has_gap(name)
    assert (fitted.weights >= 0).all()
    if name in {"simple_mkl", "silp", "rkl", "lp_mkl", "mkl_l2"}:
        without = fit(name, grams, labels, tight=1e-6, **settings)
        assert objective(fitted) == pytest.approx(objective(without), rel=3e-6)
        np.testing.assert_allclose(scores(fitted, more), scores(without, grams), rtol=0, atol=1e-2)


@variants
def test_a_kernel_near_constant(name, settings):
    """A Gaussian so wide that its entries differ in the ninth digit; RKL makes it as useful as any."""
    grams, labels = problem(1, n=30)
    wide = np.array([1 - 1e-9 * (1 - grams[1] / grams[1].max()), grams[0]])
    fitted = fit(name, wide, labels, **settings)
    assert fitted.certify().gap <= 0.012
    assert np.isfinite(scores(fitted, wide)).all()


@variants
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_entries_that_are_not_finite(name, settings, bad):
    grams, labels = problem(0)
    grams[3, 2, 5] = bad
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(ValueError, match=r"Gram matrix \d: expected finite entries, got \d+ that are not"),
    ):
        fit(name, grams, labels, **settings)


@compiled
@variants
@pytest.mark.parametrize("scales", [[1e12, 1, 1e-12, 1e-12, 1e12], [1e-12] * 5, [1e12] * 5, [1e-12, 1e12, 1, 1, 1]])
def test_kernels_of_mixed_scales(name, settings, scales, monkeypatch):
    """A certified fit or a solver that gave up; a non-separable kernel at 1e12 has C 1e12 times too large for it."""
    monkeypatch.setitem(svm.train.__kwdefaults__, "max_steps", svm.MAX_STEPS // 10)  # it gives up sooner
    grams, labels = problem(0, n=30)
    mixed = grams * np.array(scales)[:, None, None]
    fitted = attempt(name, mixed, labels, **settings)
    if fitted is None:
        assert max(scales) == 1e12
        assert name in {"simple_mkl", "silp", *CROSS_VALIDATED}
        return
    assert (fitted.weights >= 0).all()
    assert np.isfinite(fitted.weights).all()
    assert fitted.certify().kkt <= 1.001e-3
    assert fitted.certify().gap <= 0.012
    if name == "rkl":  # Proposition 3 at the default gap of 1 %
        plain = fit(name, grams, labels, **settings)
        assert objective(fitted) == pytest.approx(objective(plain), rel=0.01)


@compiled
@variants
def test_an_indefinite_kernel_ends(name, settings):
    grams, labels = problem(0, n=20)
    indefinite = np.concatenate([grams, -grams[:1]])
    fitted = attempt(name, indefinite, labels, iterations=50, **settings) if name in FALLING | {"lp_mkl"} else None
    if fitted is not None:
        assert (fitted.weights >= 0).all()
        assert np.isfinite([*fitted.weights, *fitted.predictor.dual, fitted.predictor.bias]).all()


@variants
def test_malformed_input_is_refused(name, settings):
    grams, labels = problem(0)
    for wrong in (labels * 2, (labels > 0).astype(np.int8), labels[:-1]):
        with pytest.raises(ValueError, match=r"labels: expected \d+ of -1 or \+1"):
            fit(name, grams, wrong, **settings)
    with pytest.raises(ValueError, match="at least one kernel, got none"):
        fit(name, grams[:0], labels, **settings)


# --- parameters -------------------------------------------------------------------------------------------------------


def test_the_oracle_starts_from_its_last_solutions(monkeypatch):
    """Section 5 of Gai et al.: a small move of theta takes few steps."""
    steps = []
    for module, name in ((svm, "train"), (meb, "enclose")):
        solve = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *a, solve=solve, **k: steps.append((found := solve(*a, **k)).steps) or found
        )
    grams, labels = problem(0, n=30)
    oracle = Oracle(Stored(grams), labels)
    weights = np.full(5, 0.2)
    for moved in (weights, weights, weights * [1, 1, 1, 1, 1.01]):
        oracle.train_svm(moved, 1.0, tolerance=1e-6)
        oracle.enclose(moved, tolerance=1e-6)
    machine, ball, machine_again, ball_again, machine_near, ball_near = steps
    assert machine_again == ball_again == 0
    assert machine_near < machine
    assert ball_near < ball


def test_parts_are_stratified():
    rng = np.random.default_rng(0)
    labels = np.array([1] * 10 + [-1] * 7, dtype=np.int8)
    parts = stratified_folds(labels, 3, rng)
    assert sorted(np.concatenate(parts)) == list(range(17))
    assert [int((labels[part] > 0).sum()) for part in parts] == [4, 3, 3]  # the first parts take what is left over
    assert [int((labels[part] < 0).sum()) for part in parts] == [3, 2, 2]
    assert any(
        not np.array_equal(part, other) for part, other in zip(parts, stratified_folds(labels, 3, rng), strict=True)
    )
