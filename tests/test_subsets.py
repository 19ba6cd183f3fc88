"""Kernels on subsets of features that are never stored: their sums against NumPy in 64 bits, and lp_mkl on them."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from fitting import fit
from kernel_pools import on_subsets
from problems import prepared
from sklearn.base import clone
from specifications import make_run

from grambench import FeatureSubsets, KernelClassifier, RandomSubsets
from grambench.common import memory
from grambench.common.errors import DataError
from grambench.experiments import offline
from grambench.experiments.run import Run
from grambench.experiments.splits import splits
from grambench.kernels import subsets
from grambench.kernels.pool import Stored
from grambench.solvers import certificates, lp_fixed_point

LISTS = [[0], [1, 3], [0, 1, 2, 3, 4], [4, 2, 0]]
MANY = RandomSubsets(n_subsets=16, n_widths=20, size=3)  # 320 kernels, more than lp_mkl stores


def examples(n, d=5, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def problem(n=60, d=6, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n) > 0.0, 1, -1).astype(np.int8)
    return X, y


def plain(kernels, train, test=None):
    """Return all Gram matrices, (m, t, n), by the definition."""
    others = train if test is None else test
    grams = []
    for columns in kernels.select(train.shape[1]):
        among = np.square(train[:, None, columns] - train[None, :, columns]).sum(axis=2)
        unit = among.sum() / max(len(train) * (len(train) - 1), 1) or 1.0
        distances = np.square(others[:, None, columns] - train[None, :, columns]).sum(axis=2)
        grams += [np.exp(-distances / (2.0 * width**2 * unit)) for width in kernels.widths()]
    return np.array(grams)


@pytest.mark.compiled
@pytest.mark.parametrize("n", [1, 2, 3, 8, 33, 70])
@pytest.mark.parametrize("n_widths", [1, 4, 7])
def test_sums_equal_those_of_gram_matrices(n, n_widths):
    kernels, X, rng = FeatureSubsets(LISTS, n_widths), examples(n), np.random.default_rng(n)
    pool, grams = on_subsets(kernels, X), plain(kernels, X)
    weights, v = rng.random(len(grams)), rng.standard_normal(n)
    weights[::3] = 0.0
    v[1::4] = 0.0
    mixture = pool.mixture(weights)
    np.testing.assert_allclose(np.stack(list(pool.grams())), grams, atol=1e-13)
    np.testing.assert_allclose(mixture, np.tensordot(weights, grams, 1), atol=2e-6 * weights.sum())
    np.testing.assert_array_equal(mixture, mixture.T)
    forms = np.einsum("i,mij,j->m", v, grams, v)
    np.testing.assert_allclose(pool.quadratic_forms(v), forms, atol=2e-6 * np.abs(v).sum() ** 2)
    np.testing.assert_array_equal(pool.diagonal(), Stored(grams).diagonal())


def test_sums_of_more_examples_than_a_tile_has_pairs():
    kernels, X = FeatureSubsets(LISTS[:2], 3), examples(1100)
    pool, v = on_subsets(kernels, X), np.random.default_rng(0).standard_normal(1100)
    grams = np.stack(list(pool.grams()))
    np.testing.assert_allclose(pool.mixture(np.ones(6)), grams.sum(axis=0), atol=1e-5)
    forms = np.einsum("i,mij,j->m", v, grams, v, optimize=True)
    np.testing.assert_allclose(pool.quadratic_forms(v), forms, rtol=1e-4)


def test_test_examples_and_parts_have_units_of_the_training_examples():
    kernels, X, others = FeatureSubsets(LISTS, 6), examples(20), examples(7, seed=3)
    pool, weights = on_subsets(kernels, X), np.random.default_rng(0).random(24)
    between, expected = on_subsets(kernels, X, others, basis=pool), plain(kernels, X, others)
    np.testing.assert_allclose(between.mixture(weights), np.tensordot(weights, expected, 1), atol=1e-5)
    np.testing.assert_allclose(np.stack(list(between.grams())), expected, atol=1e-13)
    rows, columns = np.array([5, 1]), np.array([2, 3, 19])
    part = between.part(rows, columns)
    np.testing.assert_allclose(part.grams()[7], expected[7][np.ix_(rows, columns)], atol=1e-13)
    np.testing.assert_allclose(between.values(7, rows, columns), expected[7][np.ix_(rows, columns)], atol=1e-13)
    same = pool.part(columns, columns)
    assert same.test is None
    np.testing.assert_allclose(same.mixture(weights), pool.mixture(weights)[np.ix_(columns, columns)], atol=1e-5)
    with pytest.raises(ValueError, match="expected kernels among training examples, got kernels of test examples"):
        between.quadratic_forms(np.ones(7))


def test_forms_of_wide_kernels_do_not_cancel():
    X, v = examples(80), np.random.default_rng(0).standard_normal(80)
    v -= v.mean()
    kernels = FeatureSubsets(LISTS, n_widths=2, widest=1000.0)
    forms = np.einsum("i,mij,j->m", v, plain(kernels, X), v)
    assert forms.max() < 1e-3
    np.testing.assert_allclose(on_subsets(kernels, X).quadratic_forms(v), forms, rtol=1e-3)


@pytest.mark.parametrize("scale", [1e-150, 1e-10, 1.0, 1e10, 1e150])
def test_the_scale_of_features_does_not_matter(scale):
    X, weights = examples(15), np.ones(24)
    expected = on_subsets(FeatureSubsets(LISTS, 6), X).mixture(weights)
    np.testing.assert_allclose(on_subsets(FeatureSubsets(LISTS, 6), scale * X).mixture(weights), expected, atol=1e-4)


def test_constant_features_give_kernels_of_ones():
    X = examples(10)
    X[:, 1] = 7.0
    pool = on_subsets(FeatureSubsets([[1]], 3), X)
    np.testing.assert_array_equal(pool.mixture(np.ones(3)), np.full((10, 10), 3.0))
    assert not on_subsets(FeatureSubsets([[1]], 3), np.ones((4, 2))).mixture(np.zeros(3)).any()


def test_far_test_examples_and_very_narrow_or_wide_kernels_stay_finite():
    X = examples(10)
    X[:, 0] *= 1e-15
    for widest in (1e-20, 1e-8, 1.0, 1e30):
        pool = on_subsets(FeatureSubsets([[0], [1]], 3, widest), X)
        far = on_subsets(pool.kernels, X, np.full((1, 5), 1e300), basis=pool)
        assert np.isfinite(pool.mixture(np.ones(6))).all()
        assert np.isfinite(pool.quadratic_forms(np.arange(10.0))).all()
        assert (far.mixture(np.ones(6)) == 0.0).all() or widest == 1e30


@pytest.mark.parametrize("p", [1.05, 4 / 3, 2.0, 8.0])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_the_objective_is_that_of_stored_matrices(p, C):
    X, y = problem()
    pool = on_subsets(MANY, X)
    stored = Stored(np.stack(list(pool.grams())))
    ours, theirs = fit("lp_mkl", pool, y, p=p, C=C, gap=1e-3), fit("lp_mkl", stored, y, p=p, C=C, gap=1e-3)
    assert ours.converged
    assert ours.steps[-1].objective == pytest.approx(theirs.steps[-1].objective, rel=2e-3)
    assert ours.certify().gap <= 1.1e-3
    assert ours.certify().kkt <= 1e-4
    # the bound holds for the kernels in 64 bits too
    dual, bias = ours.predictor.dual, ours.predictor.bias
    exact = certificates.mkl(np.stack(stored.grams()), y, C, ours.weights, dual, bias, p=p)
    assert exact.gap == pytest.approx(ours.certify().gap, abs=2e-5)
    np.testing.assert_allclose(ours.predictor.scores(pool), stored.mixture(ours.weights) @ dual + bias, atol=1e-4)
    assert ours.work.kernel_values > 0


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("easy_mkl", {}),
        ("easy_mkl", {"regulariser": 0.01}),
        ("easy_mkl", {"regulariser": 1.0}),
        ("uniform_svm", {"C": 10.0}),
        ("uniform_svm", {"combination": "sum"}),
    ],
)
def test_algorithms_on_sums_equal_those_on_stored_matrices(algorithm, settings, monkeypatch):
    monkeypatch.setattr(subsets, "LARGEST_STACK", 0)
    X, y = problem()
    pool = on_subsets(MANY, X)
    stored = Stored(np.stack(list(pool.grams())))
    ours, theirs = fit(algorithm, pool, y, **settings), fit(algorithm, stored, y, **settings)
    np.testing.assert_allclose(ours.weights, theirs.weights, rtol=1e-3, atol=1e-6 * theirs.weights.max())
    np.testing.assert_allclose(ours.certify(), theirs.certify(), atol=2e-3)  # twice the solver's tolerance
    margins = [model.predictor.scores(kernels) for model, kernels in ((ours, pool), (theirs, stored))]
    np.testing.assert_allclose(*margins, atol=1e-4 * np.abs(margins[1]).max())
    assert ours.work.kernel_values > 0
    same = fit(algorithm, pool, np.ones_like(y), **settings)
    assert (same.predictor.scores(pool) > 0.0).all()


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_rkl_on_sums_reaches_the_same_gap(C, monkeypatch):
    monkeypatch.setattr(subsets, "LARGEST_STACK", 0)
    X, y = problem()
    pool = on_subsets(MANY, X)
    grams = np.stack(list(pool.grams()))
    ours, theirs = fit("rkl", pool, y, C=C), fit("rkl", Stored(grams), y, C=C)
    assert ours.converged
    assert ours.steps[-1].objective == pytest.approx(theirs.steps[-1].objective, rel=1e-2)
    assert ours.certify().gap <= 0.0101  # of the last iterate, beside the default gap of .01
    np.testing.assert_allclose(ours.predictor.scores(pool), theirs.predictor.scores(Stored(grams)), atol=0.1)


def test_one_norm_selects_few_kernels():
    X, y = problem()
    ours = fit("lp_mkl", on_subsets(MANY, X), y, p=1.0, C=1.0, gap=0.05)
    assert ours.converged
    assert ours.certify().gap <= 0.0501
    assert np.count_nonzero(ours.weights > 0.01) < 40


def test_the_number_of_kernels_decides_between_the_solvers(monkeypatch):
    calls, train = [], lp_fixed_point.train

    def counted(pool, *arguments, **keywords):
        calls.append(pool.shape[0])
        return train(pool, *arguments, **keywords)

    monkeypatch.setattr(lp_fixed_point, "train", counted)
    X, y = problem()
    for kernels in (MANY, RandomSubsets(n_subsets=5)):
        fit("lp_mkl", on_subsets(kernels, X), y, p=2.0)
    fit("lp_mkl", Stored(plain(MANY, X)), y, p=2.0)
    assert calls == [320]


def test_one_class_only_and_too_few_iterations():
    X, y = problem()
    pool = on_subsets(MANY, X)
    same = fit("lp_mkl", pool, np.ones_like(y))
    assert (same.predictor.bias, same.predictor.dual.any(), same.converged) == (1.0, False, True)
    cut = fit("lp_mkl", pool, y, p=4 / 3, gap=1e-4, iterations=2)
    assert (cut.converged, len(cut.steps)) == (False, 2)
    with pytest.raises(ValueError, match="refine: only a grid"):
        fit("lp_mkl", pool, y, refine=2)


def test_a_step_that_raises_the_objective_is_taken_back():
    extrapolation, forms = lp_fixed_point._Extrapolation(3, 2.0), np.array([3.0, 2.0, 1.0])
    extrapolation.advance(10.0, extrapolation.weights(), forms)
    first = extrapolation._log_weights
    extrapolation.advance(9.0, extrapolation.weights(), forms[::-1])
    extrapolation.advance(11.0, extrapolation.weights(), forms)
    np.testing.assert_allclose(extrapolation._log_weights, first + extrapolation._plain_steps[-1])


def test_certificates_of_sums_equal_those_of_matrices():
    X, y = problem(n=30)
    grams, rng = plain(FeatureSubsets([[0], [1]], 4), X), np.random.default_rng(0)
    weights = rng.random(8)
    weights /= np.linalg.norm(weights)
    alpha = rng.random(30)
    dual = np.where(y > 0, alpha / alpha[y > 0].sum(), -alpha / alpha[y < 0].sum())
    sums = np.tensordot(weights, grams, 1), np.einsum("i,mij,j->m", dual, grams, dual)
    for C, scale, factor in ((1.0, 1.0, 1.0), (1.0, 2.0, 1.0), (1e-3, 1.0, 1.0), (1.0, 1.0, -1.0)):
        theta = scale * factor * weights
        expected = certificates.mkl(grams, y, C, theta, dual, 0.1, p=2.0)
        mixed = certificates.mkl_of_sums(scale * factor * sums[0] @ dual, sums[1], y, C, theta, dual, 0.1, p=2.0)
        np.testing.assert_allclose(mixed, expected, rtol=1e-9)


def test_an_estimator_learns_and_predicts_as_on_stored_matrices():
    X, y = problem(n=90)
    settings = {"p": 4 / 3, "C": 10.0, "gap": 1e-4}
    model = KernelClassifier("lp_mkl", MANY, **settings).fit(X[:60], y[:60])
    grams, others = plain(MANY, X[:60]), plain(MANY, X[:60], X[60:])
    stored = KernelClassifier("lp_mkl", "precomputed", scale=False, **settings).fit(grams, y[:60])
    np.testing.assert_allclose(model.decision_function(X[60:]), stored.decision_function(others), atol=0.05)
    assert model.kernel_weights_.shape == (320,)
    assert len(set(model.kernels_)) == 320
    assert model.certificate_.gap <= 1.2e-4
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()
    again = clone(model).fit(X[:60], y[:60])
    np.testing.assert_array_equal(again.kernel_weights_, model.kernel_weights_)


def test_an_estimator_learns_more_than_two_classes_and_other_algorithms_take_few_kernels():
    X, y = problem(n=60)
    three = np.where(X[:, 3] > 0.7, 5, y)
    model = KernelClassifier("lp_mkl", MANY, p=2.0).fit(X, three)
    assert model.kernel_weights_.shape == (3, 320)
    assert model.score(X, three) > 0.8
    few = KernelClassifier("uniform_svm", FeatureSubsets([[0], [1, 2]], 3)).fit(X, y)
    assert few.kernels_[-1] == "gaussian_1+2_width0.7071"
    KernelClassifier("omkc_dd", FeatureSubsets([[0]], 3)).fit(X, y)


@pytest.mark.parametrize("algorithm", ["simple_mkl", "omkc_dd"])
def test_more_kernels_than_memory_holds_are_refused(algorithm, monkeypatch):
    monkeypatch.setattr(subsets, "LARGEST_STACK", 2**20)
    X, y = problem()
    message = "expected Gram matrices of at most .* GiB, got 320 of 60 x 60, .* GiB; take fewer kernels, or easy_mkl"
    with pytest.raises(ValueError, match=message):
        KernelClassifier(algorithm, MANY).fit(X, y)


def test_random_subsets_are_distinct_and_depend_on_the_seed_alone():
    kernels = RandomSubsets(n_subsets=200, size=3, seed=4)
    columns = [tuple(subset) for subset in kernels.select(12)]
    assert len(set(columns)) == 200
    assert all(len(set(subset)) == 3 and max(subset) < 12 for subset in columns)
    assert columns == [tuple(subset) for subset in kernels.select(12)]
    assert columns != [tuple(subset) for subset in RandomSubsets(n_subsets=200, size=3).select(12)]
    assert len(RandomSubsets(n_subsets=220, size=3).select(12)) == 220
    fewer = RandomSubsets(n_subsets=50, size=3, seed=4).select(12)
    assert columns[:50] == [tuple(subset) for subset in fewer]
    many = RandomSubsets(n_subsets=3000, size=3, seed=4).select(60)
    np.testing.assert_array_equal(many[:900], RandomSubsets(n_subsets=900, size=3, seed=4).select(60))
    np.testing.assert_allclose(RandomSubsets(n_widths=3, widest=4.0).widths(), [4.0, 8**0.5, 2.0])
    with pytest.raises(ValueError, match="n_subsets must be a whole number of at least 1, got 0"):
        RandomSubsets(n_subsets=0)


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        (RandomSubsets(n_subsets=5, size=9), "size: expected at most 6, the number of features, got 9"),
        (RandomSubsets(n_subsets=21, size=3), "n_subsets: expected at most 20, the subsets of 3 of 6 features, got 21"),
        (FeatureSubsets([]), "subsets: expected at least one subset of features, got none"),
        (FeatureSubsets([[0, 6]]), r"subsets: expected lists of column numbers from 0 to 5, got \[0, 6\]"),
        (FeatureSubsets([[]]), r"subsets: expected lists of column numbers from 0 to 5, got \[\]"),
        (FeatureSubsets([[0.5]]), r"subsets: expected lists of column numbers from 0 to 5, got \[0.5\]"),
        (FeatureSubsets([1]), "subsets: expected lists of column numbers from 0 to 5, got 1"),
        (FeatureSubsets([[1, 1]]), r"subsets: expected distinct column numbers, got \[1, 1\]"),
    ],
)
def test_subsets_that_do_not_exist_are_refused_in_one_line(kernels, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message) as error:
        KernelClassifier("lp_mkl", kernels).fit(X, y)
    assert "\n" not in str(error.value)


def test_features_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="subsets of features: expected finite features, got"):
        on_subsets(MANY, np.full((4, 6), np.nan))


# --- in studies -------------------------------------------------------------------------------------------------------


def study_run(file="easy_mkl", **changes):
    protocol = {"repetitions": 2, "sizes": {"default": [40, 20, 30]}, "values": [1.0], "refit": True}
    changes = {"kernels": [], "subsets": RandomSubsets(n_subsets=8, n_widths=5, size=2)} | changes
    return make_run(file, "random_splits", protocol=protocol, **changes)


def dataset(**changes):
    X, y = problem(n=90)
    return prepared(**{"features": X, "labels": y} | changes)


def test_a_run_learns_from_subsets_that_each_repetition_draws():
    run, data = study_run(), dataset()
    assert Run.from_dict(run.to_dict()) == run
    outcome = offline.outcome(run, data)
    assert outcome.kernel_values == {}
    for r, (split, seed) in enumerate(splits(run, data)):
        kernels = offline._subsets(run, 0, seed)
        pool = on_subsets(kernels, data.features[split.train])
        model = fit("easy_mkl", pool, data.labels[split.train])
        test = on_subsets(kernels, pool.train, data.features[split.test], basis=pool)
        errors = (model.predictor.scores(test) >= 0.0) != (data.labels[split.test] > 0)
        assert outcome.metrics["error_percent"][0, r] == pytest.approx(100.0 * errors.mean())
        assert kernels.select(6)[0].tolist() != run.subsets.select(6)[0].tolist() or kernels.seed != run.subsets.seed
    again = offline.outcome(run, data)
    np.testing.assert_array_equal(again.metrics["error_percent"], outcome.metrics["error_percent"])
    assert len({offline._subsets(run, 0, seed).seed for _, seed in splits(run, data)}) == 2


def test_a_sweep_over_their_number_takes_the_first():
    sweep = {"sweep": "k", "values": [5, 20, 40], "points": [{}] * 3, "size": "kernels"}
    swept, data = offline.outcome(study_run(**sweep), dataset()), dataset()
    plain = offline.outcome(study_run(), data)
    for name in ("error_percent", "auc_percent", "gap"):
        np.testing.assert_array_equal(swept.metrics[name][2], plain.metrics[name][0])
    assert len(set(swept.metrics["auc_percent"][:, 0])) == 3
    run = study_run(**sweep)
    _, seed = next(splits(run, data))
    few, most = (offline._subsets(run, p, seed).select(6) for p in (1, 2))
    np.testing.assert_array_equal(few, most[:4])


def test_sparse_features_have_no_subsets():
    from scipy import sparse

    with pytest.raises(DataError, match="made: expected dense features, got sparse ones"):
        offline.outcome(study_run(), dataset(features=sparse.csr_array(problem(n=90)[0])))


@pytest.mark.skipif(not memory.RESET.exists(), reason="no Linux")
def test_the_growth_of_memory_is_that_of_its_peak():
    before, start = memory.peak(), memory.reset_peak()
    block = np.ones(2**24)  # 128 MiB: up to 32 MiB may reuse freed memory, which is resident already
    del block
    assert 112.0 < memory.growth(start) < 192.0
    assert memory.growth(memory.reset_peak()) < 64.0
    assert memory.peak() >= max(before, start + 112.0)


@pytest.mark.skipif(not memory.RESET.exists(), reason="no Linux")
def test_the_growth_of_memory_is_that_of_each_repetition_where_freed_memory_is_kept():
    code = """
from grambench.common import memory
import numpy as np
memory.keep_freed()
for _ in range(3):
    start = memory.reset_peak()
    sum(np.ones((500, 500)) for _ in range(8)), [np.ones((500, 500)) for _ in range(20)]
    print(memory.growth(start))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    # 20 arrays of 1.9 MiB
    assert all(36.0 < float(growth) < 60.0 for growth in found), found


def test_other_systems_have_no_growth(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "RESET", tmp_path / "missing" / "file")
    assert np.isnan(memory.growth(memory.reset_peak()))
