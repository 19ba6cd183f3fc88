"""What OMKC's published numbers say about conventions that the paper leaves out: each choice beside its rivals.

For every choice this counts, over the data sets whose published orders are at hand, the cells (mistakes and support
vectors, mean and standard deviation) that are exact, compatible or, by Welch's test, different. docs/papers/omkc.md
quotes it.
"""

import argparse
import os
from collections import Counter
from pathlib import Path
from unittest.mock import patch

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")

import numpy as np
import pandas as pd
from numba import njit

from grambench.algorithms.scores import vote
from grambench.common import layout
from grambench.config.project import Configuration
from grambench.datasets import store
from grambench.kernels import grams, matrices
from grambench.results.statistics import Sample
from grambench.results.verdicts import judge

LARGE = 5000  # examples, from which on the default leaves a data set out, and Gram matrices are not made a second time


@njit(cache=True)
def expert(gram, labels, order, lanes):
    """Predictions of one kernel's Perceptron whose scores are summed in a number of lanes."""
    scores = np.zeros((lanes, labels.size))
    positive = np.empty(order.size, np.bool_)
    count = 0
    for t in range(order.size):
        i = order[t]
        half = lanes // 2
        total = 0.0
        if lanes == 1:
            total = scores[0, i]
        else:  # (0 + 1 + ...) of the lower half and of the upper half
            low = high = 0.0
            for k in range(half):
                low += scores[k, i]
                high += scores[half + k, i]
            total = low + high
        positive[t] = total >= 0.0
        if positive[t] != (labels[i] > 0):
            scores[count % lanes] += labels[i] * gram[i]
            count += 1
    return positive


@njit(cache=True)
def combine(positive, labels, uniforms, smoothed, weighted):
    """OMKC(D,S) with kernels drawn by p (smoothed) or q, the vote weighted by q or plain."""
    rounds, m = positive.shape
    w = np.ones(m)
    counts = np.zeros(m)
    mistakes = 0
    drawn = np.zeros(m, np.bool_)
    for t in range(rounds):
        q = w / w.max()
        drawn = uniforms[t] < (0.99 * q + 0.01 / m if smoothed else q)
        vote = 0.0
        for k in range(m):
            if drawn[k]:
                vote += (q[k] if weighted else 1.0) * (1.0 if positive[t, k] else -1.0)
        mistakes += (vote >= 0.0) != (labels[t] > 0)
        for k in range(m):
            if positive[t, k] != (labels[t] > 0):
                w[k] *= 0.8
                counts[k] += 1
    return mistakes, (counts * drawn).sum()


@njit(cache=True)
def hedge(positive, labels, normalised):
    """OMKC(D,D) from its experts' predictions, the vote with weights as they are or divided by their sum."""
    rounds, m = positive.shape
    w = np.full(m, 1.0 / m)
    mistakes = 0
    for t in range(rounds):
        theta = w / w.sum() if normalised else w
        mistakes += (vote(theta, positive[t]) >= 0.0) != (labels[t] > 0)
        for k in range(m):
            if positive[t, k] != (labels[t] > 0):
                w[k] *= 0.8
    return mistakes


@njit(cache=True)
def om2(pool, labels, order, q, shortened):
    """OM-2 with norm parameter q, and the step 1 or the one of Jie et al."""
    m, n = len(pool), labels.size
    scores, squared, w = np.zeros((m, n)), np.full(m, 2.0**-52), np.ones(m)
    mistakes = updates = 0
    for i in order:
        y = labels[i]
        margin = 2.0 * y * (w * scores[:, i]).sum()
        mistakes += margin <= 0.0
        if margin <= 1.0:
            updates += 1
            eta = min(1.0, 1.0 - margin / m ** (2.0 / q)) if shortened else 1.0
            for k in range(m):
                squared[k] += 4.0 * eta * y * scores[k, i] + 2.0 * eta**2 * pool[k][i, i]
                scores[k] += eta * y * pool[k][i]
            norms = np.sqrt(np.maximum(squared, 0.0))
            total = norms.max() * ((norms / norms.max()) ** q).sum() ** (1.0 / q)
            w = (norms / total) ** (q - 2.0) / q
    return mistakes, updates


def wrong_of(positive, labels, orders):
    """Mistakes of all experts together, run by run."""
    pairs = zip(positive, orders, strict=True)
    return np.array([(p != (labels[o] > 0)[:, None]).sum() for p, o in pairs])


def numpy_exponential(features, kernels):
    """Gram matrices with np.exp instead of the C library's."""
    with patch("grambench.kernels.functions._inv_boxcox", lambda: lambda values, _, out=None: np.exp(values, out=out)):
        return grams.compute(grams.inner_products(features), kernels)


def variants(dataset, pool, kernels):
    """Yield (question, choice, algorithm, mistakes, support vectors); arrays over the 20 orders."""
    labels, orders, m = dataset.labels, dataset.orders, len(pool)
    for lanes in (4, 1, 2, 8):
        positive = [np.stack([expert(g, labels, order, lanes) for g in pool], 1) for order in orders]
        wrong = np.array([p != (labels[o] > 0)[:, None] for p, o in zip(positive, orders, strict=True)])
        tenth = int(0.1 * len(labels) + 0.5)
        best = wrong[:, :tenth].sum(1).argmin(1)
        chosen = wrong.sum(1)[np.arange(len(orders)), best]
        yield "order of summation", f"{lanes} lanes", "perceptron_star", chosen, chosen
        if lanes == 4:
            kept = positive
    for normalised in (False, True):
        mistakes = np.array([hedge(p, labels[o], normalised) for p, o in zip(kept, orders, strict=True)])
        choice = "divided by their sum" if normalised else "as they are"
        yield "weights of OMKC(D,D)", choice, "omkc_dd", mistakes, wrong_of(kept, labels, orders)
    if len(labels) < LARGE:
        fast = numpy_exponential(dataset.features, kernels)
        positive = [np.stack([expert(g, labels, order, 4) for g in fast], 1) for order in orders]
        mistakes = np.array([hedge(p, labels[o], False) for p, o in zip(positive, orders, strict=True)])
        yield "exp of OMKC(D,D)", "NumPy's on this processor", "omkc_dd", mistakes, wrong_of(positive, labels, orders)
    rng = np.random.default_rng(0)
    for smoothed in (True, False):
        for weighted in (True, False):
            results = [
                combine(p, labels[o], rng.random(p.shape), smoothed, weighted)
                for p, o in zip(kept, orders, strict=True)
            ]
            choice = f"drawn by {'p' if smoothed else 'q'}, {'weighted by q' if weighted else 'plain vote'}"
            yield "OMKC(D,S)", choice, "omkc_ds", *np.array(results).T
    for q, shortened in (
        (1001.0, False),
        (1001.0, True),
        (2 * np.log(m), True),
        (2 * np.log(m), False),
        (101.0, False),
    ):
        results = [om2(tuple(pool), labels, order, q, shortened) for order in orders]
        choice = f"q = {q:.4g}, {'shortened step' if shortened else 'step 1'}"
        yield "OM-2", choice, "om2", *np.array(results).T


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="*", help="all with n < 5000 when none is given")
    parser.add_argument("--results", type=Path, default=Path())
    arguments = parser.parse_args()
    configuration = Configuration(Path("config"))
    study = configuration.study("omkc")
    published = pd.read_csv("config/published/omkc_tables_3_4.csv").drop_duplicates(["dataset", "algorithm", "metric"])
    published = published.set_index(["dataset", "algorithm", "metric"])
    names = arguments.datasets or [d for d in study.datasets if configuration.dataset(d).n < LARGE and d != "sonar"]
    verdicts = Counter()
    for name in names:
        dataset = store.read(arguments.results / layout.PREPARED.format(dataset=name))
        if isinstance(dataset, store.Unavailable) or dataset.orders is None:
            continue
        paths = [layout.GRAM.format(dataset=name, kernel=kernel.name) for kernel in study.kernel_list()]
        pool = [matrices.open_matrix(arguments.results / path) for path in paths]
        for question, choice, algorithm, mistakes, vectors in variants(dataset, pool, study.kernel_list()):
            for metric, values in (
                ("mistake_percent", 100.0 * mistakes / len(dataset.labels)),
                ("support_vectors", vectors.astype(float)),
            ):
                cell = published.loc[(name, algorithm, metric)]
                judged = judge(Sample(cell["mean"], cell["std"], 20), Sample.of(values), metric, None)
                verdicts[question, choice, judged.verdict] += 1
    for question, choice in dict.fromkeys((q, c) for q, c, _ in verdicts):
        counts = [verdicts[question, choice, v] for v in ("exact", "compatible", "different")]
        print(f"{question:20} {choice:32} exact {counts[0]:3}  compatible {counts[1]:3}  different {counts[2]:3}")


if __name__ == "__main__":
    main()
