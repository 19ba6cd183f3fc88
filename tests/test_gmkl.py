"""Generalised MKL against a naive reference, and what must hold for it."""

import mkl_reference as reference
import numpy as np
import pytest
from fitting import fit, scores
from problems import labelled

from grambench.kernels.pool import Stored


def problem(seed, n=40, d=4):
    """Gaussian kernels on single features, the first two of which matter, and labels."""
    points, labels = labelled(seed, n, d, lambda x, noise: x[0] * x[1] + 0.2 * noise > 0)
    return np.exp(-0.5 * np.square(points[:, None] - points[None])).transpose(2, 0, 1).copy(), labels


@pytest.mark.parametrize("C", [0.5, 5.0])
@pytest.mark.parametrize("regulariser", [0.1, 1.0])
@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_objective_is_that_of_scipy(seed, C, regulariser, norm):
    grams, labels = problem(seed)
    ours = fit("gmkl", grams, labels, C=C, regulariser=regulariser, norm=norm, gap=1e-6, iterations=2000)
    theirs = reference.gmkl(grams, labels, C, regulariser, norm)
    assert ours.converged
    assert ours.steps[-1].objective == pytest.approx(theirs["objective"], rel=1e-4)
    np.testing.assert_allclose(ours.weights, theirs["weights"], atol=2e-2)


def test_its_svm_is_that_of_the_product():
    grams, labels = problem(4)
    fitted = fit("gmkl", 3.0 * grams, labels, C=2.0)
    _, kernel, svm = reference.gmkl_value(grams, labels, fitted.weights, C=2.0)
    np.testing.assert_allclose(scores(fitted, 3.0 * grams), svm.decision_function(kernel), atol=5e-3)
    some = np.ascontiguousarray(3.0 * grams[:, 5:9])
    np.testing.assert_allclose(scores(fitted, some), svm.decision_function(kernel[5:9]), atol=5e-3)
    assert fitted.certify().gap < 0.01 and len(fitted.predictor.support) == np.count_nonzero(fitted.predictor.dual)


def test_it_learns_the_exclusive_or_that_no_sum_learns():
    grams, labels = problem(5, n=400)
    train, test = np.arange(200), np.arange(200, 400)
    pools = [Stored(np.ascontiguousarray(grams[:, rows][:, :, train])) for rows in (train, test)]
    fits = {name: fit(name, pools[0], labels[train]) for name in ("gmkl", "simple_mkl")}
    correct = {name: np.mean((scores(fitted, pools[1]) > 0) == (labels[test] > 0)) for name, fitted in fits.items()}
    assert correct["gmkl"] > 0.8 > 0.6 > correct["simple_mkl"]
    assert fits["gmkl"].weights[:2].min() > 5.0 * fits["gmkl"].weights[2:].max()


def test_kernels_without_powers_take_no_part():
    grams, labels = problem(6)
    negative, uneven = np.outer(labels, labels).astype(float), grams[0] * np.outer(*[np.arange(1.0, 41.0)] * 2)
    alone, among = fit("gmkl", grams, labels), fit("gmkl", [negative, *grams, uneven], labels)
    np.testing.assert_array_equal(among.weights, [0.0, *alone.weights, 0.0])
    with pytest.raises(
        ValueError, match="expected a kernel with positive entries and a constant diagonal, as a Gaussian, got 2 others"
    ):
        fit("gmkl", [negative, uneven], labels)


def test_a_test_example_so_far_away_that_the_kernel_is_0():
    grams, labels = problem(7)
    fitted = fit("gmkl", grams, labels)
    values = scores(fitted, [np.zeros((1, 40))] * 4)
    assert values == pytest.approx([fitted.predictor.bias])
