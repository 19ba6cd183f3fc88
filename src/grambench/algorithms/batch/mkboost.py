"""MKBoost: boosting of SVMs, each on one kernel that does best at its trial (Xia and Hoi 2013, IEEE TKDE 25).

Each trial draws examples by their weights, trains an SVM on each kernel, and keeps the one with the least weighted
error. Its mistakes gain weight for the next trial as in AdaBoost, and the kept classifiers vote.

Formula
-------
    f(x) = Σ_t α_t h_t(x) / Σ_t α_t,   h_t(x) = ±1 by the SVM of trial t,   α_t = 1/2 log((1 − ε_t) / ε_t)
    ε_t = min_k Σ_i D_t(i) [h_tk(x_i) ≠ y_i],   D_t+1(i) ∝ D_t(i) exp(−α_t y_i h_t(x_i)),   D_1(i) = 1/n

A trial draws sample · n examples by D_t, with replacement. With `base_kernels` = "all" (MKBoost-D1) it trains on each
kernel. With "drawn" (MKBoost-S1) it trains on kernel k with probability s_k / max_h s_h, and s_k then shrinks by the
factor β^ε_tk. The weight of a kernel is the share of its α_t.

Complexity
----------
At most m · trials SVMs on sample · n examples each, and O(n) for each of their support vectors.

Deviations
----------
ε_t counts as at least 1/(2n), so that α_t is finite. A trial whose ε_t is not below 1/2 has no vote and changes no
weight. If no trial has a vote, the SVMs of the last trial do. Votes are divided by their sum, so that one-vs-rest
compares scores of one scale.

The SVMs have one C for all trials and kernels. The numbers of trials and of drawn examples are ours, chosen for their
cost. The text of the paper's later version was not available; S1 is stated from general knowledge of it.

References
----------
Xia and Hoi (2013). MKBoost: a framework of multiple kernel boosting. IEEE Transactions on Knowledge and Data
Engineering 25, 1574-1586. DOI 10.1109/TKDE.2012.89
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Fit, Work
from grambench.algorithms.oracle import in_order
from grambench.algorithms.per_kernel import train_svm
from grambench.algorithms.settings import Cost
from grambench.common.parameters import at_least, within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool, stacked
from grambench.solvers.combination import Combination


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Cost):
    """Parameters of MKBoost.

    Attributes
    ----------
    trials : int
        Number of trials.
    sample : float
        Share of the examples that a trial draws.
    base_kernels : str
        "all" kernels at each trial, or kernels "drawn" by their errors so far.
    beta : float
        Base of the factor by which an error shrinks the probability that a kernel is drawn.
    """

    trials: Annotated[int, at_least(1)] = 20
    sample: Annotated[float, within("(0, 1]")] = 0.2
    base_kernels: Literal["all", "drawn"] = "all"
    beta: Annotated[float, within("(0, 1)")] = 0.5


@dataclass(frozen=True, slots=True)
class Votes:
    """f(x) = sum_t votes_t sign(sum_i dual_ti k_t(x, x_i) + bias_t), where the sign of 0 is 1.

    Attributes
    ----------
    votes : ndarray of float64 (T,)
        Weight of each classifier.
    kernels : ndarray of int (T,)
        Its kernel in the pool.
    dual : ndarray of float64 (T, n)
        Its coefficients.
    bias : ndarray of float64 (T,)
        Its offset.
    """

    votes: Floats
    kernels: NDArray[np.intp]
    dual: Floats
    bias: Floats

    @property
    def support(self) -> NDArray[np.intp]:
        """The support vectors of all classifiers."""
        return np.flatnonzero(self.dual.any(axis=0))

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        total, grams = np.zeros(pool.shape[1]), pool.grams()
        for k in np.unique(self.kernels).tolist():
            used = self.kernels == k
            total += signs(grams[k] @ self.dual[used].T + self.bias[used]) @ self.votes[used]
        return total


def signs(values: Floats) -> Floats:
    """Return 1 where a value is at least 0, else -1."""
    return np.where(values >= 0.0, 1.0, -1.0)


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Train the classifiers."""
    grams, n = stacked(pool), len(labels)
    m, work, sequence = len(grams), Work(kernel_values=grams.size), in_order(order, n)
    shares, chances, size = np.full(n, 1.0 / n), np.ones(m), max(1, round(parameters.sample * n))
    kept = []
    for _ in range(parameters.trials):
        drawn = rng.choice(sequence, size, p=shares[sequence])
        used = np.arange(m)
        if parameters.base_kernels == "drawn":
            used = np.flatnonzero(rng.random(m) <= chances / chances.max())
        best, best_error = None, np.inf
        for k in used.tolist():
            gram = np.ascontiguousarray(grams[k][np.ix_(drawn, drawn)])
            svm = train_svm(Combination.single(gram), labels[drawn], parameters.C, work)
            dual = np.bincount(drawn, svm.dual, n)
            support = np.flatnonzero(dual)
            predicted = signs(dual[support] @ grams[k][support] + svm.bias)
            work.row_additions += len(support)
            error = float(shares[predicted != labels].sum())
            chances[k] *= parameters.beta**error
            if error < best_error:
                best, best_error = (k, dual, svm.bias, predicted), error
        assert best is not None
        kernel, dual, bias, predicted = best
        error = max(best_error, 0.5 / n)
        vote = max(0.5 * np.log((1.0 - error) / error), 0.0)
        shares = shares * np.exp(-vote * labels * predicted)
        shares /= shares.sum()
        kept.append((vote, kernel, dual, bias))
    votes, kernels, duals, biases = (np.array(part) for part in zip(*kept, strict=True))
    if not votes.any():
        votes[-1] = 1.0
    votes /= votes.sum()
    predictor = Votes(votes, kernels, duals, biases)
    weights = np.bincount(kernels, votes, m).astype(np.float64)
    return Fit(weights=weights, predictor=predictor, work=work)
