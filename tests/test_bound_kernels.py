"""The same name is the same kernel in a study, an estimator and a stream, for every family and storage."""

import dataclasses

import numpy as np
import pytest
from problems import prepared
from specifications import make_run

from grambench.estimators import KernelClassifier
from grambench.estimators.kernels import bind
from grambench.experiments.pools import Pools, full_pool
from grambench.kernels.bases import all_pairs
from grambench.kernels.functions import FAMILIES, WIDTH, FunctionFamily, Kernel
from grambench.kernels.grams import compute, inner_products
from grambench.kernels.labels import kernel_label
from grambench.kernels.pool import stacked
from grambench.kernels.streamed import VectorKernels
from grambench.kernels.subsets import RandomSubsets

# More training examples than the sample of a median, whose median therefore differs from that of all pairs.
N, TRAIN, TEST = 330, np.arange(300), np.arange(300, 330)
RNG = np.random.default_rng(0)
VECTORS = np.abs(RNG.normal(1.0, 2.0, size=(N, 6)))
COLUMNS = {"left": np.array([0, 3, 1]), "right": np.array([5, 2])}
COUNTS = {view: RNG.integers(0, 200, size=(N, d), dtype=np.uint8) for view, d in (("left", 12), ("right", 7))}
NAMES = [f"{family}_{kind.symbol}2" for family, kind in FAMILIES.items()]
PIXELS = ["polynomial_p1", "unitpolynomial_p2", "meangaussian_s2"]
VIEWS = ("left", "right")


LABELS = np.tile([-1, 1], N // 2)


def made(features=VECTORS, **changes):
    return prepared(features, LABELS, **changes)


VIEWED = made(features=np.empty((N, 0)), views=COUNTS, images=tuple(map(str, range(N))))
# storage: the data set, and the names of kernels on it; vectors have no chi-square distances
STORAGES = {
    "vectors": (made(), [name for name in NAMES if not name.startswith("chisquare")]),
    "groups of columns": (made(columns=COLUMNS), [f"{view}/{name}" for view in VIEWS for name in NAMES]),
    "descriptors": (VIEWED, [f"{view}/{name}" for view in VIEWS for name in NAMES]),
    "pixels": (dataclasses.replace(VIEWED, images=()), [f"{view}/{name}" for view in VIEWS for name in PIXELS]),
}
BY_NAME = [(storage, name) for storage, (_, names) in STORAGES.items() for name in names]


def offline(dataset, kernels, trace=300.0, **changes):
    settings = {"values": [1.0], "trace": trace, **changes}
    return Pools(make_run("uniform_svm", "official_split", protocol=settings, kernels=kernels), dataset, TRAIN)


def in_words(name):
    view, _, kernel = name.rpartition("/")
    return kernel, {view: COLUMNS[view]} if view else {}


@pytest.mark.parametrize(("storage", "name"), BY_NAME)
def test_an_online_and_an_offline_study_have_the_same_kernel(storage, name):
    dataset, _ = STORAGES[storage]
    run = make_run("om2", "online", protocol={"stored": False}, kernels=[name])
    on_train = {view: values[TRAIN] for view, values in dataset.views.items()}
    first = dataclasses.replace(dataset, features=dataset.features[TRAIN], views=on_train)
    assert np.array_equal(stacked(full_pool(run, first, ())), stacked(offline(dataset, [name], None).train))


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize(("storage", "name"), [case for case in BY_NAME if case[0] in ("vectors", "groups of columns")])
def test_an_estimator_has_the_kernel_of_a_study(storage, name, center):
    pools, (kernel, columns) = offline(STORAGES[storage][0], [name], center=center), in_words(name)
    bound = bind(kernel, VECTORS[TRAIN], True, columns, center)
    assert bound.names == [name]
    assert np.array_equal(stacked(bound.train()), stacked(pools.train))
    assert np.array_equal(stacked(bound.between(VECTORS[TEST])), stacked(pools.between(TEST)))


@pytest.mark.parametrize(("storage", "name"), [case for case in BY_NAME if case[0] in ("vectors", "groups of columns")])
def test_a_stream_has_the_kernel_of_a_study(storage, name):
    kernel, (_, columns) = Kernel.parse(name), in_words(name)
    if kernel.family == "chisquare":
        with pytest.raises(ValueError, match="expected kernels of inner products"):
            VectorKernels([kernel], VECTORS[TRAIN], scale=True, columns=columns)
        return
    made = VectorKernels([kernel], VECTORS[TRAIN], scale=True, columns=columns)
    rows, train = (made.of_kernel(0, made.with_norms(VECTORS[rows])) for rows in (TEST, TRAIN))
    expected = stacked(offline(STORAGES[storage][0], [name]).between(TEST))[0]
    np.testing.assert_allclose(made.values(0, rows, train), expected, rtol=1e-10)


@pytest.mark.parametrize("name", [name for name in STORAGES["vectors"][1] if not Kernel.parse(name).unit])
def test_stored_matrices_are_those_of_a_study_without_them(name):
    (stored,) = compute(inner_products(VECTORS[TRAIN]), [Kernel.parse(name)])
    assert np.array_equal(stored, stacked(offline(made(), [name], None).train)[0])


@pytest.mark.parametrize("name", STORAGES["descriptors"][1])
def test_stored_distances_of_images_give_the_same_kernel(name):
    pairs = {(view, base): all_pairs(COUNTS[view], base) for view in COUNTS for base in ("inner", "chisquare")}
    with_pairs = offline(dataclasses.replace(VIEWED, pairs=pairs), [name])
    without = offline(VIEWED, [name])
    assert np.array_equal(stacked(with_pairs.train), stacked(without.train))
    assert np.array_equal(stacked(with_pairs.between(TEST)), stacked(without.between(TEST)))
    some = np.array([3, 1]), np.array([0, 4, 2])
    expected = stacked(without.between(TEST))[0][np.ix_(*some)]
    assert np.array_equal(with_pairs.between(TEST).values(0, *some), expected)


def test_subsets_of_features_are_the_same_in_an_estimator():
    subsets, settings = RandomSubsets(n_subsets=4, n_widths=3, size=2), {"values": [1.0]}
    run = make_run("uniform_svm", "official_split", protocol=settings, kernels=[], subsets=subsets)
    pools, bound = Pools(run, made(), TRAIN), bind(subsets, VECTORS[TRAIN], True, {})
    assert np.array_equal(stacked(bound.train()), stacked(pools.train))
    assert np.array_equal(stacked(bound.between(VECTORS[TEST])), stacked(pools.between(TEST)))


def test_an_estimator_has_the_kernels_of_compare():
    """The study of compare is leaderboard_views, on a file with groups of columns."""
    kernels = [f"mediangaussian_sigma{value}" for value in (0.5, 1, 2)]
    names = [f"{view}/{kernel}" for view in COLUMNS for kernel in kernels]
    pools = offline(made(columns=COLUMNS), names, standardise=True)
    bound = bind(kernels, pools.train.features[""], True, COLUMNS)
    assert bound.names == names
    assert np.array_equal(stacked(bound.train()), stacked(pools.train))


def test_a_median_of_a_view_is_one_of_a_sample():
    """Studies have taken it so; that of vectors is over all pairs."""
    names = [f"{view}mediangaussian_sigma2" for view in ("", "all/")]
    dataset = made(columns={"all": np.arange(6)})
    vectors, view = (stacked(offline(dataset, [name]).train)[0] for name in names)
    assert not np.allclose(vectors, view, rtol=1e-6)
    np.testing.assert_allclose(vectors, view, rtol=0.2)


def cauchy(squared, width, out):
    np.divide(1.0, 1.0 + squared / width**2, out=out)


def test_a_new_family_of_squared_distances_is_not_taken_for_a_gaussian(monkeypatch):
    monkeypatch.setitem(FAMILIES, "cauchy", FunctionFamily(cauchy, "sigma", WIDTH, "squared"))
    squared = np.square(VECTORS[TEST][:, None] - VECTORS[TRAIN][None]).sum(axis=2)
    expected = 1.0 / (1.0 + squared / 4.0)
    streamed = VectorKernels([Kernel("cauchy", 2.0)], VECTORS[TRAIN], scale=False)
    tests, trained = (streamed.of_kernel(0, streamed.with_norms(VECTORS[rows])) for rows in (TEST, TRAIN))
    np.testing.assert_allclose(streamed.values(0, tests, trained), expected, atol=1e-12)
    model = KernelClassifier("uniform_svm", ["cauchy_sigma2", "gaussian_sigma1"]).fit(VECTORS[TRAIN], LABELS[TRAIN])
    with monkeypatch.context() as patch:  # each kernel by itself, as for families that are not summed in one loop
        patch.setattr(model, "_kernel_sum", None)
        one_by_one = model.decision_function(VECTORS[TEST])
    np.testing.assert_allclose(model.decision_function(VECTORS[TEST]), one_by_one, atol=1e-10)
    assert np.abs(one_by_one).max() > 0.1
    assert kernel_label("view/cauchy_sigma2") == "view: cauchy, sigma = 2"
