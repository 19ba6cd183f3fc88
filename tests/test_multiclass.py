"""Algorithms of more than two classes, against loops that keep nothing and compute everything anew."""

import math

import fitting
import numpy as np
import pytest
from programs import load

from grambench.kernels.pool import Stored
from grambench.solvers import certificates


@pytest.fixture(scope="module")
def solve():
    return load("benchmarks/group_norm_dual.py").solve


def problem(n=28, classes=4, m=3, t=15, seed=0):
    """Return Gram matrices (m, n, n), cross ones (m, t, n) and labels (n,) of overlapping clusters."""
    rng = np.random.default_rng(seed)
    labels = (np.arange(n + t) % classes).astype(np.int8)
    x = rng.normal(size=(n + t, 5)) + 1.5 * rng.normal(size=(classes, 5))[labels]
    squares = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    grams = np.stack([unit @ unit.T, *(np.exp(-squares / width) for width in (2.0, 8.0, 20.0, 50.0)[: m - 1])])
    return np.ascontiguousarray(grams[:, :n, :n]), np.ascontiguousarray(grams[:, n:, :n]), labels[:n]


class OnDemand(Stored):
    """Stored values that are handed out a few at a time."""

    def partners(self):
        grams, named = self._grams, []

        class Listed:
            def append(self, example):
                named.append(example)

            def values(self, example, first):
                return np.stack([gram[example, named[first:]] for gram in grams])

        return Listed()


def fit(name, grams, labels, *, kind=Stored, **settings):
    return fitting.fit(name, kind(grams), labels, **settings)


class Naive:
    """theta by its coefficients; everything is computed anew from Gram matrices."""

    def __init__(self, grams, labels, q, C):
        self.grams, self.labels, self.q, self.lam = grams, labels, q, 1.0 / (C * len(labels))
        self.alpha, self.updates = np.zeros((len(labels), labels.max() + 1)), 0

    def norms(self, alpha):
        return np.array([math.sqrt(max(np.sum(alpha * (gram @ alpha)), 0.0)) for gram in self.grams])

    def group(self, norms):
        largest = max(norms.max(), 1e-300)
        return largest * np.sum((norms / largest) ** self.q) ** (1 / self.q)

    def weights(self):
        norms = self.norms(self.alpha)
        return (norms / self.group(norms)) ** (self.q - 2) / self.q if norms.any() else np.zeros(len(norms))

    def scores(self, grams=None):
        grams = self.grams if grams is None else grams
        return sum(w * (gram @ self.alpha) for w, gram in zip(self.weights(), grams, strict=True))

    def margin(self, i):
        scores, y = self.scores()[i], self.labels[i]
        others = [(score, -c) for c, score in enumerate(scores) if c != y]
        best, c = max(others)
        return scores[y] - best, -c

    def objective(self):
        losses = [max(0.0, 1.0 - self.margin(i)[0]) for i in range(len(self.labels))]
        return self.lam / 2 * (self.group(self.norms(self.alpha)) / self.q) ** 2 + np.mean(losses)

    def add(self, i, wrong, step):
        self.alpha[i, self.labels[i]] += step
        self.alpha[i, wrong] -= step
        self.updates += 1


def naive_obscure(grams, labels, rng, p, C, eta, online, batch):
    naive = Naive(grams, labels, p / (p - 1), C)
    q, lam, order = naive.q, naive.lam, np.arange(len(labels), dtype=np.int32)
    for _ in range(online):
        made = 0
        for i in rng.permutation(order):
            margin, wrong = naive.margin(i)
            if margin < 1:
                naive.add(i, wrong, eta)
                made += 1
        if not made:
            break
    radius, s, t = math.sqrt(2 * naive.objective() / lam), 0.0, 0
    for _ in range(batch):
        for i in rng.permutation(order):
            t += 1
            margin, wrong = naive.margin(i)
            length = 0.0
            if margin < 1:
                length = naive.group(np.sqrt(2 * naive.grams[:, i, i]))
            d = lam * t + s
            inner = lam / q * naive.group(naive.norms(naive.alpha)) + length
            s += 0.5 * (math.sqrt(d * d + q * inner**2 / radius**2) - d)
            rate = q / (lam * t + s)
            naive.alpha *= 1 - lam * rate / q
            if margin < 1:
                naive.add(i, wrong, rate)
            norm = naive.group(naive.norms(naive.alpha))
            naive.alpha *= min(1.0, q * radius / norm)
    return naive


def naive_pegasos(grams, labels, rng, p, C, epochs):
    naive, t = Naive(grams, labels, p / (p - 1), C), 0
    for _ in range(epochs):
        for i in rng.permutation(np.arange(len(labels), dtype=np.int32)):
            t += 1
            margin, wrong = naive.margin(i)
            naive.alpha *= 1 - 1 / t
            if margin < 1:
                naive.add(i, wrong, naive.q / (naive.lam * t))
    return naive


def naive_om2(grams, labels, q, passes):
    naive = Naive(grams, labels, q, 1.0)
    for _ in range(passes):
        for i in range(len(labels)):
            margin, wrong = naive.margin(i)
            if margin < 1:
                naive.add(i, wrong, min(1.0, 1.0 - margin / len(grams) ** (2 / q)))
    return naive


class NaiveUFO(Naive):
    """w^k from theta and the number of examples so far."""

    def __init__(self, grams, labels, q, C, sparsity):
        super().__init__(grams, labels, q, C)
        self.sparsity, self.t = sparsity, 0

    def weights(self):
        norms = self.norms(self.alpha)
        v = np.maximum(0.0, norms - self.sparsity * self.t)
        if not v.any():
            return np.zeros(len(v))
        return np.array(
            [
                (part / self.group(v)) ** (self.q - 2) * part / (self.lam * self.t * norm) if part else 0.0
                for part, norm in zip(v, norms, strict=True)
            ]
        )

    def penalty(self, norms):
        """Return the regulariser of w from the norms of its kernels."""
        p = self.q / (self.q - 1)
        return self.lam / 2 * np.sum(norms**p) ** (2 / p) + self.sparsity * np.sum(norms)

    def objective(self):
        losses = [max(0.0, 1.0 - self.margin(i)[0]) for i in range(len(self.labels))]
        return self.penalty(self.weights() * self.norms(self.alpha)) + np.mean(losses)


def naive_ufo(grams, labels, rng, p, C, sparsity, epochs):
    q = p / (p - 1) if p else max(2.0, 2 * math.log(len(grams)))
    naive = NaiveUFO(grams, labels, q, C, sparsity)
    for _ in range(epochs):
        for i in rng.permutation(np.arange(len(labels), dtype=np.int32)):
            margin, wrong = naive.margin(i)
            naive.t += 1
            if margin < 1:
                naive.add(i, wrong, 1.0)
    return naive


def same(fitted, naive, grams, cross):
    scores = naive.scores(cross)
    assert fitted.states[-1].updates == naive.updates
    assert np.allclose(fitted.predictor.scores(Stored(cross)), scores, rtol=1e-9, atol=1e-11)
    assert np.array_equal(fitted.predictor.scores(Stored(grams)).argmax(axis=1), naive.scores().argmax(axis=1))
    norms = naive.norms(naive.alpha) * naive.weights()
    assert np.allclose(fitted.weights, norms / norms.sum(), rtol=1e-9, atol=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("p", [1.01, 1.05, 1.5, 2.0])
@pytest.mark.parametrize(("C", "online", "batch"), [(1, 3, 4), (100, 2, 3), (10, 0, 5), (1000, 30, 0)])
def test_obscure_is_the_algorithm_as_printed(p, C, online, batch):
    grams, cross, labels = problem()
    naive = naive_obscure(grams, labels, np.random.default_rng(5), p, C, 2.0, online, batch)
    for kind in (Stored, OnDemand):
        fitted = fit("obscure", grams, labels, kind=kind, p=p, C=C, online=online, batch=batch, seed=5)
        same(fitted, naive, grams, cross)
        assert fitted.states[-1].objective == pytest.approx(naive.objective(), rel=1e-10)


@pytest.mark.compiled
@pytest.mark.parametrize("p", [1.05, 2.0])
@pytest.mark.parametrize("C", [1, 100])
def test_pegasos_is_descent_with_steps_of_one_by_lambda_t(p, C):
    grams, cross, labels = problem(seed=1)
    fitted = fit("pegasos", grams, labels, p=p, C=C, epochs=4, seed=2)
    naive = naive_pegasos(grams, labels, np.random.default_rng(2), p, C, 4)
    same(fitted, naive, grams, cross)
    assert fitted.states[-1].objective == pytest.approx(naive.objective(), rel=1e-10)


@pytest.mark.compiled
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(("p", "m"), [(None, 2), (None, 5), (1.05, 3), (2.0, 3)])
@pytest.mark.parametrize(("C", "sparsity"), [(1, 0.0), (100, 0.01), (10, 0.1)])
def test_ufo_mkl_is_the_algorithm_as_printed(classes, p, m, C, sparsity):
    grams, cross, labels = problem(classes=classes, m=m, seed=3)
    naive = naive_ufo(grams, labels, np.random.default_rng(4), p, C, sparsity, 5)
    for kind in (Stored, OnDemand):
        fitted = fit("ufo_mkl", grams, labels, kind=kind, p=p, C=C, sparsity=sparsity, epochs=5, seed=4)
        same(fitted, naive, grams, cross)
        assert fitted.states[-1].objective == pytest.approx(naive.objective(), rel=1e-10)


def test_sparsity_leaves_kernels_out():
    grams, _, labels = problem(n=60, m=5)
    counts = [np.count_nonzero(fit("ufo_mkl", grams, labels, sparsity=a).weights) for a in (0.0, 0.03, 0.1, 2.0)]
    assert counts[0] == 5 and counts[0] > counts[1] >= counts[2] > counts[3] == 0


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [Stored, OnDemand])
@pytest.mark.parametrize(("m", "passes"), [(2, 1), (5, 2)])
def test_om2_shortens_its_steps(kind, m, passes):
    grams, cross, labels = problem(m=m, seed=2)
    fitted = fit("om2_multiclass", grams, labels, kind=kind, passes=passes)
    same(fitted, naive_om2(grams, labels, max(2.0, 2 * math.log(m)), passes), grams, cross)


@pytest.mark.parametrize("name", ["obscure", "pegasos", "om2_multiclass", "ufo_mkl"])
def test_other_names_of_the_classes_give_other_columns(name):
    grams, cross, labels = problem(classes=3)
    permutation = np.array([2, 0, 1], dtype=np.int8)  # under which, of an example of class 0, class 1 stays the first
    order = np.arange(len(labels), dtype=np.int32)
    seed = next(each for each in range(99) if labels[np.random.default_rng(each).permutation(order)[0]] == 0)
    one, other = (
        fit(name, grams, each, seed=seed).predictor.scores(Stored(cross)) for each in (labels, permutation[labels])
    )
    assert np.allclose(one, other[:, permutation], rtol=1e-12, atol=1e-14)


def test_om2_of_two_classes_is_om2():
    grams, cross, labels = problem(classes=2, m=5)
    order = np.random.default_rng(3).permutation(len(labels)).astype(np.int32)
    many = fit("om2_multiclass", grams, labels, order=order, passes=2)
    signs = np.where(labels == 1, 1, -1).astype(np.int8)
    two = fit("om2", grams, signs, order=order, p=None, step="shortened", passes=2)
    scores = many.predictor.scores(Stored(cross))
    assert np.allclose(scores[:, 1], two.predictor.scores(Stored(cross)), rtol=1e-9)
    assert np.allclose(scores[:, 0], -scores[:, 1], rtol=1e-12)
    assert many.states[-1].updates == two.trace.updates[0]


def test_the_first_stage_ends_where_a_pass_makes_no_step():
    grams, _, labels = problem(classes=2, n=20)
    fitted = fit("obscure", grams, labels, p=2.0, online=500, batch=0)
    assert fitted.states[-1].epochs < 500
    assert fitted.states[-1].training_error == 0.0


@pytest.mark.parametrize("p", [1.1, 2.0])
def test_certificates_bracket_the_optimum_and_close_as_the_descent_goes_on(solve, p):
    grams, _, labels = problem(n=30, classes=3)
    gaps, best = [], solve(grams, labels, 1 / 30, p / (p - 1), gap=1e-5, passes=20_000)
    for epochs in (3, 30, 1000):
        fitted = fit("pegasos", grams, labels, p=p, C=1, epochs=epochs)
        gaps.append(fitted.certify().gap)
        lower = (1 - gaps[-1]) * fitted.states[-1].objective
        assert lower <= best.upper * (1 + 1e-9)
        assert fitted.states[-1].objective >= best.lower * (1 - 1e-9)
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.01


@pytest.mark.parametrize("sparsity", [0.0, 0.05, 0.15])
@pytest.mark.parametrize("p", [1.1, 2.0])
def test_certificates_of_ufo_mkl_close_as_it_goes_on(p, sparsity):
    grams, _, labels = problem(n=30, classes=3)
    bounds, gaps = [], []
    for epochs in (3, 30, 1000):
        fitted = fit("ufo_mkl", grams, labels, p=p, C=1, sparsity=sparsity, epochs=epochs)
        certificate, objective = fitted.certify(), fitted.states[-1].objective
        gaps.append(certificate.gap)
        bounds.append(((1 - certificate.gap) * objective, objective))
        assert certificate.kkt >= -1e-12
    assert gaps[0] > gaps[1] > gaps[2] > 0 and gaps[2] < 0.01
    # No lower bound is above any objective.
    assert max(lower for lower, _ in bounds) <= min(upper for _, upper in bounds)


def test_certificates_of_any_coefficients_are_no_larger_than_the_optimum(solve):
    grams, _, labels = problem(n=30, classes=3)
    best = solve(grams, labels, 1 / 30, 3.0, gap=1e-5, passes=20_000)
    rng = np.random.default_rng(0)
    for _ in range(20):
        naive = Naive(grams, labels, 3.0, 1.0)
        naive.alpha = alpha = rng.normal(size=(30, 3))  # no dual point
        gap = certificates.group_norm(grams, labels, 1 / 30, 3.0, alpha).gap
        assert gap > 0 and (1 - gap) * naive.objective() <= best.upper
        # That of UFO-MKL is of the feasible point beside them; without sparsity the problem is that of OBSCURE.
        naive = NaiveUFO(grams, labels, 3.0, 1.0, 0.0)
        beta = np.maximum(-alpha / 30, 0)
        beta[np.arange(30), labels] = 0
        beta /= np.maximum(1, 30 * beta.sum(axis=1, keepdims=True))
        naive.alpha, naive.t = -beta, 1
        naive.alpha[np.arange(30), labels] = beta.sum(axis=1)
        gap = certificates.sparse_group_norm(grams, labels, 1 / 30, 0.0, 3.0, alpha / 30).gap
        assert gap > 0 and (1 - gap) * naive.objective() <= best.upper


def test_states_are_kept_at_growing_distances_and_count_on():
    grams, _, labels = problem()
    states = fit("obscure", grams, labels, C=1, online=6, batch=40).states
    assert [state.epochs for state in states] == [1, 2, 3, 5, 6, 9, 14, 21, 32, 46]
    assert [state.stage for state in states] == [1] * 5 + [2] * 5
    for name in ("rounds", "updates", "seconds"):
        values = [getattr(state, name) for state in states]
        assert values == sorted(values)
    assert states[-1].work.kernel_values == 3 * 28 * states[-1].updates


def test_labels_are_class_numbers():
    grams, _, labels = problem()
    with pytest.raises(ValueError, match="labels must be class numbers from 0"):
        fit("obscure", grams, (labels - 1).astype(np.int8))
    with pytest.raises(ValueError, match="expected kernels among 27 examples"):
        fit("obscure", grams, labels[1:])
