"""Mistakes of OKS against the bound of its Theorem 3 (Yang et al. 2012), on the tasks of the study.

    python benchmarks/oks_bounds.py results corel5k_sky_people ...

Left: the sum over one pass of q_i z_i, over all kernels, as the theorem has it, averaged over seeds. Right: the
smallest over lambda in 2^-10 ... 2^10 of its bound, with the f that minimises hinge loss + |f|^2 / (2 lambda) for the
best kernel by that, found by L-BFGS on the dual; and the part that does not depend on f. In percent of the rounds.
"""

import sys
from pathlib import Path

import numpy as np
import yaml
from scipy.optimize import minimize

from grambench import features
from grambench.config.study import Study
from grambench.datasets import store, views
from grambench.experiments.data import shuffled
from grambench.experiments.seeds import seeds
from grambench.kernels.views import Viewed

SEEDS, DELTA = 20, 0.5
STEPS = 2.0 ** np.arange(-10, 11)


def mistakes(grams, labels, order, eta, rng):
    """Return the sum of q_i^t z_i^t of one pass of Algorithm 2; lambda changes no sign of a score, and so nothing."""
    m = len(grams)
    logs, scores, total = np.zeros(m), np.zeros((m, len(labels))), 0.0
    for t in order:
        q = np.exp(logs - logs.max())
        q /= q.sum()
        p = (1.0 - DELTA) * q + DELTA / m
        wrong = labels[t] * scores[:, t] <= 0.0
        total += float(q @ wrong)
        drawn = int(rng.choice(m, p=p))
        if wrong[drawn]:
            logs[drawn] -= eta / p[drawn]
            scores[drawn] += labels[t] / p[drawn] * grams[drawn][t]
    return total


def smallest_loss(gram, labels, step):
    """Return the minimum of the hinge loss + |f|^2 / (2 step), which is a machine without a bias at C = step."""
    signed = labels[:, None] * gram * labels

    def negative_dual(a):
        product = signed @ a
        return 0.5 * a @ product - a.sum(), product - 1.0

    found = minimize(
        negative_dual, np.zeros(len(labels)), jac=True, method="L-BFGS-B", bounds=[(0.0, step)] * len(labels)
    )
    return float(-found.fun / step)


def row(results, study, task):
    """Return the line of one task."""
    dataset = store.read(results / f"datasets/{task}.h5")
    kernels, found = study.kernel_list(), {}
    base = task.split("_")[0]
    for name in dict.fromkeys(features.descriptor(kernel.view) for kernel in kernels):
        found |= views.read(results / f"features/{base}/{name}.h5").of(dataset.images)
    train = ~dataset.test
    pool = Viewed(kernels, {view: values[train] for view, values in found.items()})
    grams, labels = list(pool.grams()), dataset.labels[train].astype(np.float64)
    m, T = len(grams), len(labels)
    eta = np.sqrt(2.0 * (1.0 - DELTA) * np.log(m) / (m * T))
    shared, _ = seeds(20130101, task, 0)
    made = []
    for number in range(SEEDS):
        made.append(mistakes(grams, labels, shuffled(T, shared), eta, np.random.default_rng(number)))
    fixed = eta * m * T / (2.0 * (1.0 - DELTA)) + np.log(m) / eta
    best = np.inf
    for step in STEPS:
        rest = step * m * T / (2.0 * DELTA)
        if fixed + rest < best:  # no loss is below 0
            best = min(best, fixed + rest + min(smallest_loss(gram, labels, step) for gram in grams))
    percent = 100.0 / T * np.array([np.mean(made), best, fixed])
    return f"{task:24} {T:6} {percent[0]:9.1f} {percent[1]:9.1f} {percent[2]:9.1f}"


def main(results, tasks):
    """Print a line a task."""
    study = Study.model_validate(yaml.safe_load(Path("config/studies/oks.yaml").read_text()))
    print(f"{'task':24} {'T':>6} {'mistakes':>9} {'bound':>9} {'its rest':>9}   (percent of T)")
    for task in tasks or study.datasets:
        print(row(results, study, task), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
