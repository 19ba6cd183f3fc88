"""Losses and mistakes of OKS against the bounds of its Theorems 1 and 3 (Yang et al. 2012), on the study's six tasks.

    python benchmarks/oks_bounds.py results corel5k_sky_people ...

`grambench run oks` makes the features that it reads in the results folder. Theorem 3, Algorithm 2: left the sum over
one pass of q_i z_i, over all kernels, averaged over seeds; right the smallest over lambda in 2^-10 ... 2^10 of its
bound, with the f that minimises hinge loss + |f|^2 / (2 lambda), and best kernel, found by L-BFGS on the dual; and the
part that does not depend on f. Theorem 1, Algorithm 1 with the hinge loss in the unit ball (L = 2, G = 1): left the sum
of q_i l(f_i) at the lambda of the smallest bound; right that bound, for the best f of all in the place of the best in
the ball, which makes it smaller. All in percent of the rounds.
"""

import sys
from pathlib import Path

import numpy as np
import yaml
from scipy.optimize import minimize

from grambench import features
from grambench.config.study import Study
from grambench.datasets import store, views
from grambench.experiments.seeds import seeds
from grambench.experiments.splits import shuffled
from grambench.kernels.pools import BoundKernels

SEEDS, DELTA = 20, 0.5
LARGEST = 2.0  # L of Theorem 1: the hinge loss at a score of -1
STEPS = 2.0 ** np.arange(-10, 11)


def mistakes(grams, labels, order, eta, rng):
    """Return the sum of q_i^t z_i^t of one pass of Algorithm 2; lambda changes no sign of a score, and so nothing."""
    m = len(grams)
    logs, scores, total = np.zeros(m), np.zeros((m, len(labels))), 0.0
    for t in order:
        q = normalised(logs)
        p = (1.0 - DELTA) * q + DELTA / m
        wrong = labels[t] * scores[:, t] <= 0.0
        total += float(q @ wrong)
        drawn = int(rng.choice(m, p=p))
        if wrong[drawn]:
            logs[drawn] -= eta / p[drawn]
            scores[drawn] += labels[t] / p[drawn] * grams[drawn][t]
    return total


def losses(grams, labels, order, eta, step, rng):
    """Return the sum of q_i^t l(f_i^t) of one pass of Algorithm 1, hinge loss, f in the unit ball."""
    m = len(grams)
    logs, scores, norms, total = np.zeros(m), np.zeros((m, len(labels))), np.zeros(m), 0.0
    for t in order:
        q = normalised(logs)
        p = (1.0 - DELTA) * q + DELTA / m
        loss = np.maximum(0.0, 1.0 - labels[t] * scores[:, t])
        total += float(q @ loss)
        drawn = int(rng.choice(m, p=p))
        logs[drawn] -= eta * loss[drawn] / p[drawn]
        if loss[drawn] > 0.0:
            added = step * labels[t] / p[drawn]
            norms[drawn] += added * (2.0 * scores[drawn, t] + added * grams[drawn][t, t])
            scores[drawn] += added * grams[drawn][t]
            if norms[drawn] > 1.0:
                scores[drawn] /= np.sqrt(norms[drawn])
                norms[drawn] = 1.0
    return total


def perceptron(gram, labels, order):
    """Return the mistakes of one pass of the Perceptron, a score of 0 among them."""
    scores, wrong = np.zeros(len(labels)), 0
    for t in order:
        if labels[t] * scores[t] <= 0.0:
            scores += labels[t] * gram[t]
            wrong += 1
    return wrong


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
    pool = BoundKernels(kernels, {view: values[train] for view, values in found.items()}).train()
    grams, labels = list(pool.grams()), dataset.labels[train].astype(np.float64)
    m, T = len(grams), len(labels)
    shared, _ = seeds(20130101, task, 0)
    order = shuffled(T, shared)
    rests, best = [], np.inf  # what depends on lambda and f, of both bounds
    for step in STEPS:
        rest = step * m * T / (2.0 * DELTA)
        if rest >= best:  # and so will be the later ones, since no loss is below 0
            break
        rests.append(rest + min(smallest_loss(gram, labels, step) for gram in grams))
        best = min(rests)

    eta = np.sqrt(2.0 * (1.0 - DELTA) * np.log(m) / (m * T))
    fixed = eta * m * T / (2.0 * (1.0 - DELTA)) + np.log(m) / eta
    wrong = [mistakes(grams, labels, order, eta, np.random.default_rng(number)) for number in range(SEEDS)]

    smaller = eta / LARGEST  # which minimises Theorem 1's, whose terms with eta come to L times those of Theorem 3
    step = STEPS[rests.index(best)]
    lost = [losses(grams, labels, order, smaller, step, np.random.default_rng(number)) for number in range(SEEDS)]
    percent = 100.0 / T * np.array([np.mean(wrong), fixed + best, fixed, np.mean(lost), LARGEST * fixed + best])

    single = np.array([(perceptron(gram, labels, order), 2.0 * smallest_loss(gram, labels, 1.0)) for gram in grams])
    of_best = 100.0 / T * single[single[:, 1].argmin()]
    held = int(np.sum(single[:, 0] <= single[:, 1]))
    line = "".join(f"{each:9.1f}" for each in [*percent, *of_best])
    return f"{task:24} {T:6}{line} {held:6} of {m} {fixed / np.sqrt(T):8.2f}"


def normalised(logs):
    """Return q of Algorithms 1 and 2."""
    q = np.exp(logs - logs.max())
    return q / q.sum()


def main(results, tasks):
    """Print a line a task."""
    study = Study.model_validate(yaml.safe_load(Path("config/studies/oks.yaml").read_text()))
    print(f"{'task':24} {'T':>6} mistakes  bound 3 its rest   losses  bound 1    Perc.    bound   held  rest / sqrt(T)")
    for task in tasks or study.datasets:
        print(row(results, study, task), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
