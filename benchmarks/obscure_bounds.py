"""Steps, R and distances from the optimum of OBSCURE against the bounds of its Theorems 1 and 2, on 1000 digits.

    OPENBLAS_NUM_THREADS=1 python benchmarks/obscure_bounds.py

Theorem 2: steps of the first stage until a pass makes none, and the R that it returns, of a u that separates all
examples with a margin of 1; ours is what a dual solver finds at C = 10^4, scaled to that margin: any u gives a bound, a
shorter one a smaller. Theorem 1: f(w) of problem (9) minus its optimum after the second stage, which holds for draws of
one example at a time with a probability of 1 - delta; we pass over the examples in drawn orders, once. The optimum is a
dual solver's lower bound, so that the distance is what it can be at most.
"""

import numpy as np
from group_norm_dual import solve
from obscure import fitted, problem

from grambench.algorithms.group_norm import dual_norm
from grambench.solvers import group_norm

N, ETA, DELTA = 1000, 2.0, 0.1
ONLINE, BATCH = 1000, 100  # passes
POWERS = (1.05, 1.1, 1.25)  # p at most 2 ln m / (2 ln m - 1), 1.32 for eight kernels


def separating(grams, labels, q):
    """Return ||u||_{2,p} of a u that has a margin of 1 on every example."""
    regularisation = 1.0 / (1e4 * len(labels))
    beta = solve(grams, labels, regularisation, q, passes=300).beta
    alpha = -beta
    alpha[np.arange(len(labels)), labels] = beta.sum(axis=1)
    by_kernel = np.stack([gram @ alpha for gram in grams])
    squares = np.einsum("ic,kic->k", alpha, by_kernel)
    scores = np.einsum("k,kic->ic", group_norm.shares(squares, q), by_kernel) / regularisation
    margin = group_norm.margins(scores, labels).min()
    if margin <= 0.0:
        raise SystemExit(f"expected a u that separates the examples, got one with a margin of {margin:.3g}")
    return group_norm.norm(squares, q) / regularisation / margin


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
    print(f"Theorem 1, delta = {DELTA}, after {BATCH} passes\n    p     C  distance    bound  optimum")
    for p in POWERS:
        for C in (1, 10, 100, 1000):
            q, regularisation = dual_norm(p), 1.0 / (C * N)
            states = fitted("obscure", pool, labels, p=p, C=C, eta=ETA, online=ONLINE, batch=BATCH).states
            first = next(state for state in reversed(states) if state.stage == 1)
            bound = distance_bound(q, m, regularisation, np.sqrt(2.0 * first.objective / regularisation), BATCH * N)
            lower = solve(grams, labels, regularisation, q, passes=300).lower
            print(f" {p:4} {C:5} {states[-1].objective - lower:9.1e} {bound:8.3g} {lower:8.1e}")


if __name__ == "__main__":
    main()
