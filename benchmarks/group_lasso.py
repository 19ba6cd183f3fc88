"""The group lasso of MAKL by L-BFGS beside accelerated proximal gradient descent (FISTA).

    python benchmarks/group_lasso.py [--rounds 3]

Random Fourier features of breast_cancer and digits (one class against the others), 500 examples, 200 features for each
of one or five widths, as on the leaderboards. Both stop at the same relative duality gap; FISTA checks it every ten
steps and restarts its momentum where it points uphill (O'Donoghue and Candes 2015). Processor seconds of one thread,
medians of rounds in turn. The ratio is FISTA's time in relation to ours.
"""

import argparse
import os
import time

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from scipy.spatial.distance import pdist
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.kernel_approximation import RBFSampler
from sklearn.preprocessing import scale

from grambench.solvers import certificates, group_lasso

WIDTHS = {"one width": (1.0,), "five widths": (0.25, 0.5, 1.0, 2.0, 4.0)}
SHARES = (0.6, 0.1, 0.01)
GAP = 1e-3


def fista(features, labels, groups, penalty, max_steps=100_000):
    """Return the number of steps until the gap is reached."""
    n, centre = len(labels), features.mean(axis=0)
    centred = np.column_stack([features - centre, np.ones(n)])
    wide = n < centred.shape[1]
    step = 4.0 * n / np.linalg.eigvalsh(centred @ centred.T if wide else centred.T @ centred)[-1]
    point = ahead = np.zeros(centred.shape[1])
    momentum = 1.0
    for count in range(1, max_steps + 1):
        gradient = -centred.T @ (labels * expit(-labels * (centred @ ahead))) / n
        moved = ahead - step * gradient
        by_group = moved[:-1].reshape(groups, -1)
        norms = np.linalg.norm(by_group, axis=1, keepdims=True)
        by_group *= np.maximum(0.0, 1.0 - step * penalty / np.maximum(norms, np.finfo(np.float64).tiny))
        if (ahead - moved) @ (moved - point) > 0.0:
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = moved + (momentum - 1.0) / following * (moved - point)
        point, momentum = moved, following
        if count % 10 == 0:
            coefficients, bias = point[:-1].reshape(groups, -1), point[-1] - centre @ point[:-1]
            if certificates.group_lasso(features, labels, penalty, coefficients, bias).gap <= GAP:
                return count
    raise SystemExit("FISTA does not reach the gap")


def ours(features, labels, groups, penalty):
    """Return the number of steps until the gap is reached."""
    solution = group_lasso.minimise(features, labels, groups, penalty, gap=GAP, max_steps=100_000)
    assert solution.gap <= GAP
    return solution.steps


def problems():
    """Yield name, standardised features (500, d) and labels."""
    rng = np.random.default_rng(0)
    for name, load, positive in (("breast_cancer", load_breast_cancer, 1), ("digits", load_digits, 3)):
        X, y = load(return_X_y=True)
        rows = rng.permutation(len(y))[:500]
        yield name, scale(X)[rows], np.where(y[rows] == positive, 1, -1).astype(np.int8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print(f"{'problem':28} {'lambda':>7} {'steps':>6} {'FISTA':>6} {'seconds':>8} {'FISTA':>7} {'ratio':>6}")
    for name, X, labels in problems():
        unit = pdist(X).mean()
        for title, widths in WIDTHS.items():
            samplers = [RBFSampler(gamma=0.5 / (w * unit) ** 2, n_components=200, random_state=0) for w in widths]
            features = np.hstack([sampler.fit_transform(X) for sampler in samplers])
            largest = group_lasso.largest_penalty(features, labels, len(widths))
            for share in SHARES:
                seconds, steps = {ours: [], fista: []}, {}
                for _ in range(rounds):
                    for solve, times in seconds.items():
                        begun = time.thread_time()
                        steps[solve] = solve(features, labels, len(widths), share * largest)
                        times.append(time.thread_time() - begun)
                mine, other = (np.median(seconds[solve]) for solve in (ours, fista))
                figures = f"{steps[ours]:6} {steps[fista]:6} {mine:8.4f} {other:7.4f} {other / mine:6.1f}"
                print(f"{name + ', ' + title:28} {share:7} {figures}", flush=True)


if __name__ == "__main__":
    main()
