"""Kernel matrices by row indices: scaled by the training examples alone, whatever kind of examples they are."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from kernel_pools import on_views
from problems import prepared
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from specifications import KERNELS, make_run

from grambench.common.errors import DataError
from grambench.experiments.pools import Pools, full_pool
from grambench.kernels.dictionary import FamilyRange
from grambench.kernels.functions import Kernel
from grambench.kernels.grams import compute, inner_products
from grambench.kernels.pixels import PixelPool
from grambench.kernels.pool import SubPool, entries, stacked
from grambench.kernels.pools import BoundKernels

LABELS = np.tile(np.array([-1, 1], dtype=np.int8), 501)
DICTIONARY = FamilyRange("gaussian", 0.1, 10.0, [0.5, 2.0])


def vectors(features, **changes):
    return prepared(np.asarray(features, dtype=float), LABELS[: len(features)], **changes)


def asked(kind="nested_cv", protocol=(), **changes):
    settings = {
        "nested_cv": {"select": "C", "values": [1.0]},
        "random_splits": {"sizes": {"default": [4, 4, 4]}, "values": [1.0]},
        "official_split": {"values": [1.0]},
        "per_class_splits": {"sizes": {"default": [2, 2, 2]}, "values": [1.0]},
    }[kind]
    return make_run("uniform_svm", kind, protocol=settings | dict(protocol), **changes)


def standardised(train, others):
    """Return the vectors of training and other examples as their pools have them."""
    rows = np.concatenate([train, others])
    pools = Pools(asked("random_splits", protocol={"standardise": True}), vectors(rows), np.arange(len(train)))
    known, unknown = pools.train, pools.between(np.arange(len(train), len(rows)))
    return known.features[""], unknown.features[""]


def test_missing_values_are_filled_and_standardised_by_the_training_examples_alone():
    rng = np.random.default_rng(0)
    rows = rng.normal(3.0, [1.0, 5.0, 2.0, 1.0], size=(40, 4))
    rows[rng.random(rows.shape) < 0.3] = np.nan
    rows[:25, 3], rows[30, 3] = np.nan, 7.0  # no training example has this value
    train, test = rows[:25], rows[25:]
    known, unknown = standardised(train, test)
    reference = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()).fit(train)
    np.testing.assert_allclose(known, reference.transform(train))
    np.testing.assert_allclose(unknown, reference.transform(test))
    assert (known[:, 3] == 0.0).all() and unknown[5, 3] == 7.0
    # other test examples change no training example
    np.testing.assert_array_equal(standardised(train, 100.0 + test)[0], known)
    raw = Pools(asked("random_splits"), vectors(rows), np.arange(25)).between(np.arange(25, 40)).features[""]
    np.testing.assert_array_equal(raw, reference[0].transform(test))
    # of other training examples, other medians
    others = Pools(asked("random_splits"), vectors(rows), np.arange(15, 40)).train.features[""]
    np.testing.assert_array_equal(others, np.where(np.isnan(rows[15:]), np.nanmedian(rows[15:], axis=0), rows[15:]))


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -7.3, 1e6 / 3, 1e-9, 1e15 / 3])
@pytest.mark.parametrize("n", [1, 3, 7, 1000])
def test_a_constant_feature_keeps_its_unit(value, n):
    """The mean of equal numbers may miss them by a rounding error, whose spread is no unit."""
    train = np.column_stack([np.full(n, value), np.arange(float(n))])
    known, unknown = standardised(train, np.array([[value, 0.0], [value + 2.0, 0.0]]))
    np.testing.assert_allclose(known[:, 0], 0.0, atol=1e-12 * max(abs(value), 1.0))
    np.testing.assert_allclose(unknown[:, 0], [0.0, value + 2.0 - value], atol=1e-12 * max(abs(value), 1.0))


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-145])
def test_a_feature_whose_squares_vanish_is_standardised(scale):
    train = np.column_stack([np.random.default_rng(0).normal(2.0, size=50), np.zeros(50)])
    np.testing.assert_allclose(standardised(scale * train, train[:1])[0], standardised(train, train[:1])[0])


def test_a_feature_that_hardly_varies_is_none_that_does_not():
    rng = np.random.default_rng(0)
    train = 1.0 + 1e-9 * rng.normal(size=(50, 1))
    known, _ = standardised(train, train[:1])
    assert known.std() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kind", "protocol", "scales"),
    [
        ("random_splits", {}, False),
        ("random_splits", {"standardise": True}, True),
        ("nested_cv", {}, True),
        ("nested_cv", {"standardise": False}, False),
        ("official_split", {"standardise": True}, True),
        ("official_split", {}, False),
    ],
)
def test_vectors_are_standardised_where_the_protocol_says_so(kind, protocol, scales):
    rows = np.random.default_rng(0).normal(5.0, 3.0, size=(20, 2))
    found = Pools(asked(kind, protocol), vectors(rows), np.arange(10)).train.features[""]
    expected = (rows[:10] - rows[:10].mean(axis=0)) / rows[:10].std(axis=0) if scales else rows[:10]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("trace", [None, 2.0])
def test_pools_are_scaled_by_the_training_examples_alone(trace):
    rng = np.random.default_rng(1)
    train, others = rng.normal(size=(12, 3)), rng.normal(size=(5, 3))
    features = np.concatenate([train, others])
    run = asked("random_splits", protocol={"trace": trace})
    pools, rows = Pools(run, vectors(features), np.arange(12)), np.arange(12, 17)
    known, between, among = pools.train, pools.between(rows), pools.among(rows)
    assert (known.shape, between.shape, among.shape) == ((3, 12, 12), (3, 5, 12), (3, 5, 5))
    kernels = [Kernel.parse(name) for name in run.kernels]
    expected = np.array(compute(inner_products(features), kernels))
    scales = np.array([1.0 if trace is None else trace / np.trace(gram[:12, :12]) for gram in expected])
    expected *= scales[:, None, None]
    np.testing.assert_allclose(known.grams(), expected[:, :12, :12], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(between.grams(), expected[:, 12:, :12], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(among.grams(), expected[:, 12:, 12:], rtol=1e-11, atol=1e-13)
    rows = np.array([3, 0])
    part = between.part(rows, np.array([1, 4, 7]))
    assert np.array_equal(np.array(part.grams()), np.asarray(between.grams())[:, rows][:, :, [1, 4, 7]])
    assert np.array_equal(part.features[""], others[rows])


@pytest.mark.parametrize("kind", ["nested_cv", "random_splits", "official_split"])
def test_pools_of_a_family_have_its_grid_and_the_units_of_the_training_examples(kind):
    rng = np.random.default_rng(1)
    features = rng.normal(size=(17, 3))
    run = asked(kind, kernels=[], dictionary=DICTIONARY._replace(unit="median"))
    train, rows = np.arange(12), np.arange(12, 17)
    pools = Pools(run, vectors(features), train)
    used = pools.train.features[""]
    known = used if kind == "nested_cv" else features[:12]
    distances = np.square(known[:, None] - known[None]).sum(axis=2)
    median = np.sqrt(np.median(distances[np.triu_indices(12, 1)]))
    assert [float(theta[0]) for theta in pools.train.thetas] == pytest.approx([0.5 * median, 2.0 * median])
    assert (pools.train.shape, pools.between(rows).shape, pools.among(rows).shape) == (
        (2, 12, 12),
        (2, 5, 12),
        (2, 5, 5),
    )
    expected = [np.exp(-distances / (factor * median) ** 2) for factor in (0.5, 2.0)]
    np.testing.assert_allclose(pools.train.grams(), expected, rtol=1e-9)


def test_kernels_are_computed_once_for_the_same_rows():
    rng = np.random.default_rng(1)
    pools = Pools(asked("random_splits"), vectors(rng.normal(size=(17, 3))), np.arange(12))
    assert pools.between(np.arange(12, 17)) is pools.between(np.arange(12, 17))
    assert pools.between(np.arange(12, 16)) is not pools.between(np.arange(12, 17))


# --- views and pixel blocks -------------------------------------------------------------------------------------------


def views(pixels=False):
    rng = np.random.default_rng(2)
    blocks = {view: rng.integers(1, 200, size=(20, 4), dtype=np.uint8) for view in ("left", "right")}
    images = () if pixels else tuple(map(str, range(20)))
    return vectors(np.empty((20, 0)), views=blocks, images=images)


ON_VIEWS = ["left/unitpolynomial_p1", "right/unitpolynomial_p2"]


@pytest.mark.parametrize("kind", ["nested_cv", "random_splits", "official_split", "per_class_splits"])
@pytest.mark.parametrize("pixels", [False, True])
def test_views_are_at_norm_1_under_every_protocol(pixels, kind):
    data, train, rows = views(pixels), np.arange(12), np.arange(12, 17)
    pools = Pools(asked(kind, kernels=ON_VIEWS), data, train)
    assert isinstance(pools.train, PixelPool) == pixels
    units = [block / np.linalg.norm(block, axis=1, keepdims=True) for block in data.views.values()]
    scale = (12 / 20) / 12 if kind == "nested_cv" else 1.0  # each kernel has the trace n on n examples
    for pool, some, others in (
        (pools.train, train, train),
        (pools.between(rows), rows, train),
        (pools.among(rows), rows, rows),
    ):
        linear = [(unit[some] @ unit[others].T + 1.0) / 2.0 for unit in units]
        expected = [scale * linear[0], scale * linear[1] ** 2]
        np.testing.assert_allclose(np.array(list(pool.grams())), expected, rtol=1e-6)


def test_vectors_are_at_norm_1_under_the_protocol_that_scales_them():
    features = np.random.default_rng(2).normal(size=(20, 4))
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    for kind, rows in (("per_class_splits", unit[:12]), ("official_split", features[:12])):
        pool = Pools(asked(kind, kernels=["gaussian_sigma2"]), vectors(features), np.arange(12)).train
        (gram,) = pool.grams()
        squares = np.square(rows[:, None] - rows[None]).sum(axis=2)
        np.testing.assert_allclose(gram, np.exp(-squares / 8.0), rtol=1e-6)


def test_views_that_a_data_set_does_not_have_are_named():
    with pytest.raises(DataError, match=r"made: expected a view 'top', got views \['left', 'right'\]"):
        Pools(asked("official_split", kernels=["top/unitpolynomial_p1"]), views(), np.arange(12))
    with pytest.raises(DataError, match=r"made: expected vectors, got views \['left', 'right'\]"):
        Pools(asked("official_split"), views(), np.arange(12))


# --- pools of whole data sets -----------------------------------------------------------------------------------------


def test_an_online_pass_reads_stored_matrices_of_vectors():
    run = make_run("om2", "online")
    features = np.random.default_rng(2).normal(size=(20, 4))
    stored = compute(inner_products(features), [Kernel.parse(name) for name in KERNELS])
    pool = full_pool(run, vectors(features), stored)
    assert np.array_equal(np.array(list(pool.grams())), np.array(stored))
    assert pool.family is None and np.array_equal(pool.features[""], features)


def test_an_online_pass_has_the_grid_of_a_family_where_there_are_no_kernels():
    features = np.random.default_rng(2).normal(size=(20, 4))
    pool = full_pool(make_run("om2", "online", kernels=[], dictionary=DICTIONARY), vectors(features), ())
    assert pool.shape == (2, 20, 20)
    assert [float(theta[0]) for theta in pool.thetas] == DICTIONARY.grid
    with pytest.raises(ValueError, match="expected kernels or a dictionary, got neither"):
        full_pool(make_run("om2", "online", kernels=[]), vectors(features), ())


def test_a_family_beside_kernels_goes_with_vectors_and_views():
    """Experiments and estimators get both from the same classes."""
    features, kernels = np.random.default_rng(2).normal(size=(12, 4)), [Kernel.parse("polynomial_p1")]
    for pools, others in (
        (BoundKernels(kernels, features, DICTIONARY), features[:3]),
        (BoundKernels(kernels, {"": features}, DICTIONARY), {"": features[:3]}),
    ):
        for pool in (pools.train(), pools.between(others), pools.among(others)):
            assert pool.shape[0] == 1 and len(pool.family.grid) == 2


def test_stacked_gram_matrices_are_the_ones_that_a_pool_keeps():
    """A second copy of sixty Gram matrices would take gigabytes."""
    rng = np.random.default_rng(0)
    views = {name: rng.random((12, 3)) for name in ("a", "b")}
    kernels = [Kernel("polynomial", 1.0, view="a"), Kernel("polynomial", 2.0, view="b")]
    whole = on_views(kernels, views)
    for pool in (whole, whole.part(np.arange(8), np.arange(12))):
        separate = np.stack(list(pool.grams()))
        stack = stacked(pool)
        assert np.array_equal(stack, separate)
        assert np.shares_memory(stack, stacked(pool))
        assert all(np.shares_memory(stack[k], pool.grams()[k]) for k in range(2))
        assert not stack.flags.writeable and not pool.grams()[1].flags.writeable
    subset = SubPool(whole, kernels=[1, 0])
    assert np.array_equal(stacked(subset), stacked(whole)[::-1])
    for known in ((), (0,), (1,)):
        computed = on_views(kernels, views)
        for k in known:
            computed.grams()[k]
        assert np.array_equal(stacked(computed), stacked(whole)) and computed.computed == whole.computed
        assert np.shares_memory(stacked(computed), computed.grams()[1])


@pytest.mark.parametrize("columns", [[3], [0, 2, 2, 5], list(range(30)), []])
def test_entries_are_those_of_rows_and_columns(columns):
    gram = np.random.default_rng(0).normal(size=(20, 30))
    rows, columns = np.array([4, 1, 1, 19]), np.array(columns, dtype=np.intp)
    assert np.array_equal(entries(gram, rows, columns), gram[np.ix_(rows, columns)])
    columns.flags.writeable = False
    out = np.empty((4, len(columns)))
    assert entries(gram, rows, columns, out) is out and np.array_equal(out, gram[np.ix_(rows, columns)])


@pytest.mark.parametrize(("rows", "columns"), [([20], [0]), ([0], [-1]), ([0], [30])])
def test_entries_outside_of_a_matrix_are_refused(rows, columns):
    with pytest.raises(IndexError, match="indices of the matrix"):
        entries(np.zeros((20, 30)), np.array(rows), np.array(columns))


# --- groups of columns ------------------------------------------------------------------------------------------------

GROUPS = ["shape/mediangaussian_sigma1", "colour/meanpolynomial_p2", "shape/polynomial_p1"]


def grouped(n=40):
    features = np.random.default_rng(6).normal(2.0, 3.0, size=(n, 5))
    columns = {"shape": np.array([0, 3]), "colour": np.array([1, 2, 4])}
    return replace(vectors(features), columns=columns), features


@pytest.mark.parametrize("standardise", [False, True])
def test_kernels_on_groups_of_columns_are_those_of_vectors_with_these_columns(standardise):
    dataset, features = grouped()
    train, test = np.arange(25), np.arange(25, 40)
    run = asked("official_split", {"standardise": standardise, "trace": 7.0}, kernels=GROUPS)
    pools = Pools(run, dataset, train)
    for k, name in enumerate(GROUPS):
        view, _, kernel = name.partition("/")
        part = vectors(features[:, dataset.columns[view]])
        alone = Pools(
            asked("official_split", {"standardise": standardise, "trace": 7.0}, kernels=[kernel]), part, train
        )
        np.testing.assert_allclose(pools.train.grams()[k], alone.train.grams()[0], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(
            pools.between(test).grams()[k], alone.between(test).grams()[0], rtol=1e-11, atol=1e-13
        )
    assert set(pools.train.features) == {"", "shape", "colour"}
    assert pools.between(test).features[""].shape == (15, 5)


def test_kernels_on_single_features_are_those_of_vectors_with_this_feature():
    dataset, features = grouped()
    train = np.arange(25)
    kernels = ["gaussian_sigma1", *(f"feature_{k}/mediangaussian_sigma1" for k in range(1, 6))]
    pools = Pools(asked("official_split", {"standardise": True}, kernels=kernels), dataset, train)
    for k, gram in enumerate(pools.train.grams()[1:]):
        run = asked("official_split", {"standardise": True}, kernels=["mediangaussian_sigma1"])
        alone = Pools(run, vectors(features[:, [k]]), train)
        np.testing.assert_allclose(gram, alone.train.grams()[0], rtol=1e-12, atol=1e-14)
    with pytest.raises(DataError, match="made: expected a view 'feature_6', got"):
        Pools(asked("official_split", kernels=["feature_6/gaussian_sigma1"]), dataset, train)


# --- centred kernels --------------------------------------------------------------------------------------------------


def centred_naively(features, train, others, kernel, trace):
    """Return the centred values between examples and training examples, by their feature vectors."""
    rows = np.concatenate([train, others])
    pools = Pools(asked("official_split", kernels=[kernel]), vectors(features), rows)
    values, vectors_ = np.linalg.eigh(np.asarray(pools.train.grams()[0]))
    points = vectors_ * np.sqrt(np.maximum(values, 0.0))
    points -= points[: len(train)].mean(axis=0)
    gram = points @ points.T
    factor = 1.0 if trace is None else trace / np.trace(gram[: len(train), : len(train)])
    return factor * gram


@pytest.mark.parametrize("trace", [None, 3.0])
@pytest.mark.parametrize("kernel", ["gaussian_sigma2", "polynomial_p2"])
def test_centred_kernels_have_feature_vectors_of_mean_zero(kernel, trace):
    features = np.random.default_rng(8).normal(1.0, 1.0, size=(30, 2))
    train, others = np.arange(20), np.arange(20, 30)
    pools = Pools(asked("official_split", {"center": True, "trace": trace}, kernels=[kernel]), vectors(features), train)
    expected = centred_naively(features, train, others, kernel, trace)
    size = np.abs(expected).max()
    np.testing.assert_allclose(pools.train.grams()[0], expected[:20, :20], atol=1e-7 * size)
    np.testing.assert_allclose(pools.between(others).grams()[0], expected[20:, :20], atol=1e-7 * size)
    np.testing.assert_allclose(pools.among(others).grams()[0], expected[20:, 20:], atol=1e-7 * size)
    np.testing.assert_allclose(pools.train.grams()[0].mean(axis=0), 0.0, atol=1e-12 * size)


def test_a_kernel_that_is_constant_on_the_training_examples_is_zero_when_it_is_centred():
    features = np.ones((20, 2))
    features[10:] = np.random.default_rng(0).normal(size=(10, 2))
    asked_for = asked("official_split", {"center": True, "trace": 1.0}, kernels=["gaussian_sigma1"])
    pools = Pools(asked_for, vectors(features), np.arange(10))
    for pool in (pools.train, pools.between(np.arange(10, 20)), pools.among(np.arange(10, 20))):
        assert not pool.grams()[0].any()


def test_pools_are_freed_with_their_last_reference():
    x = np.random.default_rng(0).standard_normal((20, 4))
    vectors = BoundKernels([Kernel("gaussian", 1.0)], x, trace=1.0)
    views = BoundKernels([Kernel("gaussian", 1.0, "first")], {"first": x}, trace=1.0)
    gc.disable()
    try:
        pools = [views, vectors, views.train(), vectors.train(), views.between({"first": x}), vectors.between(x)]
        for pool in pools[2:]:
            list(pool.grams())
        references = [weakref.ref(one) for one in pools]
        del views, vectors, pools, pool
        assert [reference() for reference in references] == [None] * 6
    finally:
        gc.enable()
