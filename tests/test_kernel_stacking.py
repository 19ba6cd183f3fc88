"""Kernel stacking against a naive reference, and what must hold for it."""

import mkl_reference as reference
import numpy as np
import pytest
from batch_reference import problem
from fitting import fit, scores

from grambench.algorithms.fit import Work
from grambench.algorithms.oracle import stratified_folds
from grambench.algorithms.per_kernel import cross_validated_scores
from grambench.solvers import svm
from grambench.solvers.combination import Combination


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_equals_the_reference(C, seed):
    grams, labels = problem(seed, n=40)
    fitted = fit("kernel_stacking", grams, labels, seed=seed, C=C)
    parts = stratified_folds(labels, 3, np.random.default_rng(seed))
    expected = reference.kernel_stacking(grams, labels, [part.tolist() for part in parts], C)
    # The SVMs stop at 1e-3 of the margin, and the regression multiplies what they leave open.
    np.testing.assert_allclose(scores(fitted, grams), expected, rtol=0, atol=1e-2 * np.abs(expected).max())


def test_a_kernel_without_the_labels_counts_little():
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(200) < 0.5, 1, -1).astype(np.int8)
    signal, noise = labels + rng.normal(size=200), rng.normal(size=(200, 30))
    grams = np.stack([np.outer(signal, signal), noise @ noise.T])
    of_signal, of_noise = np.matvec(grams, fit("kernel_stacking", grams, labels).predictor.dual)
    assert np.std(of_noise) < 0.2 * np.std(of_signal)


def test_few_examples_of_a_class_mean_fewer_folds():
    grams, labels = problem(1)
    for n_positive, svms in ((2, 3), (1, 1)):
        few = np.concatenate([np.flatnonzero(labels == 1)[:n_positive], np.flatnonzero(labels == -1)])
        fitted = fit("kernel_stacking", np.ascontiguousarray(grams[:, few][:, :, few]), labels[few])
        assert fitted.work.svm_calls == svms * len(grams)
        assert not fitted.weights.any()


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e-12, 1e-18])
def test_scores_of_left_out_examples_are_precise_on_kernels_of_any_size(size):
    """The solver's own scores have rounding errors of the size of the labels."""
    rng = np.random.default_rng(6)
    features = rng.standard_normal((60, 3))
    labels = np.where(features[:, 0] + 0.3 * rng.standard_normal(60) > 0, 1, -1).astype(np.int8)
    gram = size * np.exp(-np.square(features[:, None] - features[None]).sum(axis=2))
    folds = [np.arange(fold, 60, 3) for fold in range(3)]
    values = cross_validated_scores(gram, labels, 1.0, folds, Work())
    for fold in folds:
        some = np.isin(np.arange(60), fold, invert=True)
        trained = svm.train(Combination.single(gram), labels, 1.0, examples=some)
        expected = gram[fold] @ trained.dual + trained.bias
        np.testing.assert_allclose(values[fold], expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max())
