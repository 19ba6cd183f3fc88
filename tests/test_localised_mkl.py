"""Localised MKL against a naive reference, and what must hold for it."""

import mkl_reference as reference
import numpy as np
import pytest
from batch_reference import problem as few
from fitting import fit, scores

from grambench import algorithms
from grambench.algorithms.batch.localised_mkl import Inputs, Objective
from grambench.kernels.pool import Stored


def problem(seed, n=14):
    """Five kernels of a noisy problem, features of mean 0 and variance 1, and labels."""
    grams, labels = few(seed, n=n)
    features = np.random.default_rng(seed).normal(size=(n, 3))  # the points of the kernels
    return grams, (features - features.mean(axis=0)) / features.std(axis=0), labels


def objective(grams, features, labels, C, gap=1e-7):
    parameters = algorithms.load("localised_mkl").parameters(C=C, gap=gap)
    return Objective(grams, np.column_stack([features, np.ones(len(labels))]), labels, parameters)


@pytest.mark.parametrize("C", [0.3, 3.0])
@pytest.mark.parametrize("spread", [0.01, 1.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_objective_and_gradient_equal_the_reference_and_differences(seed, spread, C):
    grams, features, labels = problem(seed)
    ours, gate = objective(grams, features, labels, C), spread * np.random.default_rng(seed).normal(size=(5, 4))
    value = ours.evaluate(gate.ravel())
    theirs, gradient, _ = reference.localised_mkl(grams, features, labels, gate, C)
    assert value.objective == pytest.approx(theirs, rel=1e-6)
    found = value.slope().gradient.reshape(5, 4)
    np.testing.assert_allclose(found, gradient, atol=1e-4 * np.abs(gradient).max())
    for place in range(20):
        move = 1e-4 * np.eye(20)[place].reshape(5, 4)
        gates = (reference.localised_gate(features, gate + sign * move) for sign in (1, -1))
        high, low = (reference.localised_value(grams, eta, labels, C)[0] for eta in gates)
        assert found.ravel()[place] == pytest.approx((high - low) / 2e-4, abs=2e-3 * np.abs(gradient).max())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_descent_ends_where_the_gradient_is_short(seed):
    """Other descents may end elsewhere: J has several minima, and plateaus where the gate is nearly 0 or 1."""
    grams, features, labels = problem(seed, n=20)
    pool = Stored(grams, features={"": features})
    ours = fit("localised_mkl", pool, labels, C=0.5, gap=1e-4, iterations=1000, seed=seed)
    value, gradient, _ = reference.localised_mkl(grams, features, labels, ours.predictor.coefficients, 0.5)
    assert ours.converged and value == pytest.approx(ours.steps[-1].objective, rel=1e-4)
    assert value < ours.steps[0].objective
    assert np.linalg.norm(gradient) <= 2e-4 * value  # 1e-4, and what the SVM's precision leaves open


def test_a_constant_feature_keeps_its_scale():
    """Rounding gives 60 times 0.1 a mean beside 0.1, which is no unit."""
    inputs = Inputs.of(np.column_stack([np.arange(60.0), np.full(60, 0.1)]))
    assert inputs.of_examples(np.array([[0.0, 0.6]]))[0, 1] == pytest.approx(0.5)


@pytest.mark.compiled
def test_its_svm_is_that_of_the_gated_kernel():
    grams, features, labels = problem(4, n=30)
    moved = 3.0 * features + 5.0  # the gate scales its inputs
    fitted = fit("localised_mkl", Stored(grams, features={"": moved}), labels, C=2.0)
    _, _, values = reference.localised_mkl(grams, features, labels, fitted.predictor.coefficients, 2.0)
    np.testing.assert_allclose(scores(fitted, Stored(grams, features={"": moved})), values, atol=5e-3)
    some = Stored(np.ascontiguousarray(grams[:, 3:9]), features={"": moved[3:9]})
    np.testing.assert_allclose(scores(fitted, some), values[3:9], atol=5e-3)
    assert not fitted.weights.any()  # a mean of the gate is no weight of a kernel
    assert fitted.certify().gap < 0.01


def test_a_kernel_for_each_half_of_the_space():
    """One kernel matters where the first feature is positive, another where it is negative; no sum knows where."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(400, 3))
    labels = np.where(np.where(features[:, 0] > 0, features[:, 1], features[:, 2]) > 0, 1, -1).astype(np.int8)
    grams = np.stack([np.outer(features[:, k], features[:, k]) for k in (1, 2)])
    train, test = np.arange(200), np.arange(200, 400)
    pools = [
        Stored(np.ascontiguousarray(grams[:, rows][:, :, train]), features={"": features[rows]})
        for rows in (train, test)
    ]
    fits = {name: fit(name, pools[0], labels[train], C=100.0) for name in ("localised_mkl", "simple_mkl")}
    correct = {name: np.mean((scores(found, pools[1]) > 0) == (labels[test] > 0)) for name, found in fits.items()}
    assert correct["localised_mkl"] > 0.9 > 0.8 > correct["simple_mkl"]
