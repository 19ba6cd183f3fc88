"""EasyMKL and the best combination by alignment beside MKLpy's, on breast_cancer: 569 examples, the 20 kernels of RKL.

    python benchmarks/easy_mkl.py [--rounds 5]

MKLpy (Lauriola and Aiolli, PyPI) is not a dependency: `pip install MKLpy` into an environment of its own and put that
one's site-packages at the end of PYTHONPATH; without it there is nothing to compare. Both get kernels of mean diagonal
1 and the same lambda, that of MKLpy's final machine translated, since it multiplies lambda by n+ n- / n. MKLpy's
alignment allows weights below 0, so that it is compared on kernels that have none. Medians of rounds in turn, on one
thread.
"""

import argparse
import os
import sys

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from problems import breast_cancer, in_turn

from grambench import algorithms
from grambench.kernels.pool import Stored

SHARES = (0.5, 0.1, 0.02, 0.005)
LIMIT = 1 / 3  # of MKLpy's time


def ours(name, grams, labels, **settings):
    algorithm, order = algorithms.load(name), np.arange(len(labels), dtype=np.int32)
    parameters = algorithms.parameters(name, settings)
    return algorithm.fit(parameters, Stored(grams), labels, order=order, rng=np.random.default_rng(0))


def translated(share, labels):
    """Return the lambda of MKLpy's KOMD that weighs the identity as `share` does."""
    ratio = share / (1 - share) * len(labels) / (np.count_nonzero(labels > 0) * np.count_nonzero(labels < 0))
    return float(ratio / (1 + ratio))  # cvxopt takes no NumPy numbers


def compare(title, plain, other, rounds, differences):
    mine, theirs = np.median(in_turn([plain, other], rounds), axis=1)
    late = "" if mine <= LIMIT * theirs else "  OVER"
    print(f"{title:24} {1e3 * mine:9.1f} {1e3 * theirs:9.1f} {mine / theirs:7.3f}{late}  {differences}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    try:
        import torch
        from MKLpy.algorithms import CKA, EasyMKL
        from MKLpy.algorithms.komd import KOMD
    except ImportError as error:
        sys.exit(f"nothing to compare with: {error}")
    torch.set_num_threads(1)
    grams, labels = breast_cancer()
    grams = len(labels) * grams
    tensors, target = [torch.tensor(gram) for gram in grams], torch.tensor(labels.astype(np.int64))
    print("                           ours ms  MKLpy ms   ratio  largest differences")
    for share in SHARES:

        def easy(share=share):
            model = EasyMKL(lam=share, learner=KOMD(lam=translated(share, labels)))
            return model.fit(tensors, target)

        fit, model = ours("easy_mkl", grams, labels, regulariser=share), easy()
        weights = model.solution.weights.numpy()
        values = np.ravel(model.decision_function(tensors))
        scores = fit.predictor.scores(Stored(grams))
        told = f"weights {np.abs(fit.weights - weights).max():.1e} of {weights.max():.2f}, "
        told += f"decision values {np.abs(scores - values).max():.1e} of {np.abs(values).max():.2f}, "
        told += f"certificate {fit.certify().gap:.1e}"
        compare(
            f"EasyMKL lambda = {share:g}",
            lambda s=share: ours("easy_mkl", grams, labels, regulariser=s),
            easy,
            rounds,
            told,
        )
    best = max((pair for pair in pairs(grams, labels)), key=lambda pair: pair[0])[1]
    few = [tensors[k] for k in best]
    weights = CKA().combine_kernels(few, target).weights.numpy()
    found = ours("alignf", grams[list(best)], labels).weights
    told = f"weights {np.abs(found - weights / weights.sum()).max():.1e} on kernels {best}; time on all 20"
    compare(
        "alignf (CKA in MKLpy)",
        lambda: ours("alignf", grams, labels),
        lambda: CKA().combine_kernels(tensors, target),
        rounds,
        told,
    )


def pairs(grams, labels):
    """Yield (the lesser weight, indices) of the best combination of the first kernel and another."""
    for other in range(1, len(grams)):
        yield ours("alignf", grams[[0, other]], labels).weights.min(), (0, other)


if __name__ == "__main__":
    main()
