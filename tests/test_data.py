"""What protocols hand out: features scaled by the training examples, pools of them and between them and others."""

import numpy as np
import pytest
from specifications import specification

from grambench.common.errors import DataError
from grambench.datasets.store import PreparedDataset
from grambench.experiments.data import Pools, dense, shuffled, standardised
from grambench.kernels.functions import Kernel
from grambench.kernels.grams import compute, inner_products


def test_features_get_zero_mean_and_unit_variance_of_the_training_examples():
    rng = np.random.default_rng(0)
    train, test = rng.normal(3.0, [1.0, 1e-6, 1e6], size=(40, 3)), rng.normal(size=(5, 3))
    known, unknown = standardised(train, test)
    np.testing.assert_allclose(known.mean(axis=0), 0.0, atol=1e-8)
    np.testing.assert_allclose(known.std(axis=0), 1.0)
    np.testing.assert_allclose(unknown, (test - train.mean(axis=0)) / train.std(axis=0))


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -7.3, 1e6 / 3, 1e-9, 1e15 / 3])
@pytest.mark.parametrize("n", [1, 3, 7, 1000])
def test_a_constant_feature_keeps_its_unit(value, n):
    """The mean of equal numbers may miss them by a rounding error, whose spread is no unit."""
    train = np.column_stack([np.full(n, value), np.arange(float(n))])
    known, unknown = standardised(train, np.array([[value, 0.0], [value + 2.0, 0.0]]))
    np.testing.assert_allclose(known[:, 0], 0.0, atol=1e-12 * max(abs(value), 1.0))
    np.testing.assert_allclose(unknown[:, 0], [0.0, value + 2.0 - value], atol=1e-12 * max(abs(value), 1.0))


def test_a_feature_that_hardly_varies_is_none_that_does_not():
    rng = np.random.default_rng(0)
    train = 1.0 + 1e-9 * rng.normal(size=(50, 1))
    (known,) = standardised(train)
    assert known.std() == pytest.approx(1.0)


def test_sparse_features_are_refused_and_orders_are_permutations_of_their_own():
    labels = np.array([-1, 1], dtype=np.int8)
    with pytest.raises(DataError, match="made: expected dense features, got sparse ones"):
        dense(PreparedDataset(name="made", features=object(), labels=labels, orders=None, source={}))
    seed = np.random.SeedSequence(3)
    assert sorted(shuffled(20, seed)) == list(range(20))
    assert np.array_equal(shuffled(20, seed), shuffled(20, np.random.SeedSequence(3)))
    assert not np.array_equal(shuffled(20, seed), np.random.default_rng(seed).permutation(20))


@pytest.mark.parametrize("trace", [None, 2.0])
def test_pools_are_scaled_by_the_training_examples_alone(trace):
    rng = np.random.default_rng(1)
    train, others = rng.normal(size=(12, 3)), rng.normal(size=(5, 3))
    asked = specification("uniform_svm", "nested_cv", protocol={"select": "C", "values": [1.0]})
    pools = Pools(asked, train, trace)
    known, between, among = pools.train(), pools.between(others), pools.among(others)
    assert (known.shape, between.shape, among.shape) == ((3, 12, 12), (3, 5, 12), (3, 5, 5))
    kernels = [Kernel.parse(name) for name in asked.kernels]
    whole = np.array(compute(inner_products(np.concatenate([train, others])), kernels))
    scales = np.array([1.0 if trace is None else trace / np.trace(gram[:12, :12]) for gram in whole])
    whole *= scales[:, None, None]
    np.testing.assert_allclose(known.grams(), whole[:, :12, :12], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(between.grams(), whole[:, 12:, :12], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(among.grams(), whole[:, 12:, 12:], rtol=1e-11, atol=1e-13)
    rows = np.array([3, 0])
    part = between.part(rows, np.array([1, 4, 7]))
    assert np.array_equal(np.array(part.grams()), np.asarray(between.grams())[:, rows][:, :, [1, 4, 7]])
    assert np.array_equal(part.features[""], others[rows])
