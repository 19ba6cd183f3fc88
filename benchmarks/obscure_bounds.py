"""Steps, R and distances from the optimum of OBSCURE against the bounds of its Theorems 1 and 2, on 1000 digits.

    OPENBLAS_NUM_THREADS=1 python benchmarks/obscure_bounds.py

Theorem 2: steps of the first stage until a pass makes none, and the R that it returns, of a u that separates all
examples with a margin of 1; ours is what a dual solver finds at C = 10^4, scaled to that margin: any u gives a bound, a
shorter one a smaller. Theorem 1: f(w) of problem (9) minus its optimum after the second stage, which holds for draws of
one example at a time with a probability of 1 - delta; we pass over the examples in drawn orders, once. The optimum is a
dual solver's lower bound, so that the distance is what it can be at most.

Beside them: R against the norm of the optimum (equation 10), what eta does to the first stage (Section 3.2), and both
stages at p = 2 against those on the sum of the kernels (Section 2.2).
"""

import numpy as np
from group_norm_dual import solve
from obscure import fitted, problem

from grambench.algorithms.group_norm import dual_norm
from grambench.kernels.pool import Stored
from grambench.solvers import group_norm

N, ETA, DELTA = 1000, 2.0, 0.1
ONLINE, BATCH = 1000, 100  # passes
POWERS = (1.05, 1.1, 1.25)  # p at most 2 ln m / (2 ln m - 1), 1.32 for eight kernels


def length_and_margin(beta, grams, labels, regularisation, q):
    """Return ||w||_{2,p} of a dual solver's solution, and its least margin."""
    alpha = -beta
    alpha[np.arange(len(labels)), labels] = beta.sum(axis=1)
    by_kernel = np.stack([gram @ alpha for gram in grams])
    squares = np.einsum("ic,kic->k", alpha, by_kernel)
    scores = np.einsum("k,kic->ic", group_norm.shares(squares, q), by_kernel) / regularisation
    return group_norm.norm(squares, q) / regularisation, group_norm.margins(scores, labels).min()


def separating(grams, labels, q):
    """Return ||u||_{2,p} of a u that has a margin of 1 on every example."""
    regularisation = 1.0 / (1e4 * len(labels))
    beta = solve(grams, labels, regularisation, q, passes=300).beta
    length, margin = length_and_margin(beta, grams, labels, regularisation, q)
    if margin <= 0.0:
        raise SystemExit(f"expected a u that separates the examples, got one with a margin of {margin:.3g}")
    return length / margin


def distance_bound(q, kernels, regularisation, radius, steps):
    """Return the bound of Theorem 1."""
    c = np.sqrt(2.0) * kernels ** (1.0 / q) + regularisation * radius
    factor = c * np.sqrt(q) * np.sqrt(1.0 + np.log(steps))
    return factor / DELTA * min(factor / (regularisation * steps), 4.0 * radius / np.sqrt(steps))


def main():
    pool, _, labels, _ = problem(N)
    grams = np.stack(list(pool.grams()))
    m = len(grams)
    print("Theorem 2\n    p    steps    bound        R    bound")
    for p in POWERS:
        q = dual_norm(p)
        last = fitted("obscure", pool, labels, p=p, C=1.0, eta=ETA, online=ONLINE, batch=0).states[-1]
        if last.epochs == ONLINE:
            raise SystemExit(f"expected a pass without a step, got none in {ONLINE} at p = {p}")
        length, spread = separating(grams, labels, q), m ** (2.0 / q)
        steps, radius = 2.0 * q * (1.0 / ETA + spread) * length**2, 2.0 * (1.0 + ETA * spread) * length
        found = np.sqrt(2.0 * N * last.objective)
        print(f" {p:4} {last.updates:8} {steps:8.0f} {found:8.1f} {radius:8.1f}")
    print(f"Theorem 1, delta = {DELTA}, after {BATCH} passes, and R by equation (10) after one pass and after all")
    print("    p     C  distance    bound  optimum    R of one   R of all  ||w*||")
    for p in POWERS:
        for C in (1, 10, 100, 1000):
            q, regularisation = dual_norm(p), 1.0 / (C * N)
            states = fitted("obscure", pool, labels, p=p, C=C, eta=ETA, online=ONLINE, batch=BATCH).states
            first = next(state for state in reversed(states) if state.stage == 1)
            one, every = (np.sqrt(2.0 * state.objective / regularisation) for state in (states[0], first))
            bound = distance_bound(q, m, regularisation, every, BATCH * N)
            best = solve(grams, labels, regularisation, q, passes=300)
            length, _ = length_and_margin(best.beta, grams, labels, regularisation, q)
            distance = states[-1].objective - best.lower
            print(
                f" {p:4} {C:5} {distance:9.1e} {bound:8.3g} {best.lower:8.1e} {one:11.1f} {every:10.1f} {length:7.1f}"
            )
    print("p = 1.05: the first stage until a pass makes no step, by eta\n  eta    steps        R")
    for eta in (0.1, 0.5, 2.0, 8.0, 32.0):
        last = fitted("obscure", pool, labels, p=1.05, C=1.0, eta=eta, online=ONLINE, batch=0).states[-1]
        print(f" {eta:4} {last.updates:8} {np.sqrt(2.0 * N * last.objective):8.1f}")
    both = [fitted("obscure", each, labels, p=2.0, C=10.0) for each in (pool, Stored(grams.sum(axis=0, keepdims=True)))]
    several, summed = (fit.train_scores for fit in both)
    print(f"p = 2: scores differ from those on the sum by {np.abs(several - summed).max() / np.abs(several).max():.1e}")


if __name__ == "__main__":
    main()
