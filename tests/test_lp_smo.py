"""The direct solver of lp-norm MKL against Newton's method on the weights, and with input that it must refuse."""

import itertools

import numba
import numpy as np
import pytest
from batch_reference import problem
from fitting import fit

from grambench.algorithms.batch import lp_mkl
from grambench.common.errors import SolverError
from grambench.solvers import lp_smo
from grambench.solvers.combination import Combination

pytestmark = pytest.mark.compiled

only_compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too many steps for the interpreter")
GAP = 1e-4
KERNELS = {
    "five": lambda grams: grams,
    "one": lambda grams: grams[:1],
    "copies": lambda grams: np.concatenate([grams, grams[1:3]]),
    "zero and constant": lambda grams: np.concatenate([np.zeros_like(grams[:1]), np.full_like(grams[:1], 0.4), grams]),
    "scales": lambda grams: grams * np.array([1e3, 1.0, 1e-3, 1.0, 1.0])[:, None, None],
}


def learn(grams, labels, *, direct, monkeypatch, **settings):
    """Fit by the direct solver, or else by Newton's method, which p outside of the rule has."""
    monkeypatch.setattr(lp_mkl, "DIRECT", (1.05, 4.0) if direct else (0.0, 0.0))
    return fit("lp_mkl", np.ascontiguousarray(grams), labels, gap=GAP, **settings)


def train(grams, labels, C=1.0, p=2.0, gap=GAP, **settings):
    settings = {"tolerance": 0.5 * gap, "max_batches": 500} | settings
    return lp_smo.train(Combination(grams), labels, C, p, gap=gap, **settings)


def dual_value(grams, dual, p):
    forms = np.maximum(np.einsum("i,mij,j->m", dual, grams, dual), 0.0)
    return np.abs(dual).sum() - 0.5 * np.linalg.norm(forms, p / (p - 1.0))


@only_compiled
@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("p", [1.05, 4 / 3, 2.0, 4.0])
@pytest.mark.parametrize("C", [1e-4, 1.0, 100.0, 1e5])
def test_reaches_the_optimum_of_newtons_method(kernels, p, C, monkeypatch):
    grams, labels = problem(1, n=60)
    grams = KERNELS[kernels](grams)
    ours, newtons = (learn(grams, labels, direct=way, monkeypatch=monkeypatch, C=C, p=p) for way in (True, False))
    assert ours.converged
    assert ours.certify().gap <= GAP * (1.0 + 1e-9)
    assert ours.certify().kkt <= GAP
    # both values lie above the optimum, by the gap at most
    assert ours.steps[-1].objective == pytest.approx(newtons.steps[-1].objective, rel=2.0 * GAP)


@pytest.mark.parametrize("p", [1.05, 1.5, 2.0, 4.0])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_solution_is_feasible_and_its_weights_belong_to_it(p, C):
    grams, labels = problem(2, n=24)
    solution = train(grams, labels, C, p)
    alpha = labels * solution.dual
    assert alpha.min() >= 0.0
    assert alpha.max() <= C
    assert abs(solution.dual.sum()) <= 1e-12 * alpha.sum()
    forms = np.einsum("i,mij,j->m", solution.dual, grams, solution.dual)
    weights = forms ** (1.0 / (p - 1.0))
    np.testing.assert_allclose(solution.weights, weights / np.linalg.norm(weights, p), rtol=1e-9, atol=1e-12)
    # the last value is an upper bound of the optimum, D a lower one
    lower = dual_value(grams, solution.dual, p)
    assert lower <= solution.objectives[-1] <= lower / (1.0 - GAP) * (1.0 + 1e-12)


@pytest.mark.parametrize(("p", "is_direct"), [(1.0, False), (1.04, False), (1.05, True), (4.0, True), (4.1, False)])
def test_the_norm_decides_between_the_solvers(p, is_direct, monkeypatch):
    calls = []
    monkeypatch.setattr(lp_mkl.lp_smo, "train", lambda *arguments, **keywords: calls.append(p))
    grams, labels = problem(0)
    fit("lp_mkl", grams, labels, p=p)
    assert bool(calls) is is_direct


@pytest.mark.parametrize("p", [1.5, 2.0])
def test_an_indefinite_kernel_is_left_to_newtons_method(p, monkeypatch):
    grams, labels = problem(0, n=20)
    indefinite = np.concatenate([grams, -grams[:1]])
    assert train(indefinite, labels, p=p) is None
    first, second = (learn(indefinite, labels, direct=way, monkeypatch=monkeypatch, p=p) for way in (True, False))
    np.testing.assert_array_equal(first.weights, second.weights)
    np.testing.assert_array_equal(first.predictor.dual, second.predictor.dual)


def test_too_many_steps_are_an_error_and_too_many_batches_are_reported():
    grams, labels = problem(1, n=24)
    whole = train(grams, labels)
    assert whole.converged
    with pytest.raises(SolverError, match=r"SVM: not within a gap of .* after \d+ steps; scale the kernels, lower C"):
        train(grams, labels, max_steps=whole.steps // 2)
    cut = train(grams, labels, max_batches=1)
    assert not cut.converged
    assert len(cut.objectives) == 2
    assert dual_value(grams, cut.dual, 2.0) < dual_value(grams, whole.dual, 2.0)


def test_every_batch_raises_the_dual_and_the_same_input_gives_the_same_bits():
    grams, labels = problem(3, n=40)
    values = [0.0]
    for batches in range(1, 12):
        values.append(dual_value(grams, train(grams, labels, C=10.0, max_batches=batches).dual, 2.0))
    assert all(later >= earlier * (1.0 - 1e-12) for earlier, later in itertools.pairwise(values))
    first, second = train(grams, labels, C=10.0), train(grams, labels, C=10.0)
    assert (first.dual == second.dual).all()
    assert first.objectives == second.objectives
