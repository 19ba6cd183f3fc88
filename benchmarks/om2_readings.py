"""OM-2 on w5a, whose published support vectors do not come out: the bookkeeping of Jie et al., and variants.

    snakemake --cores 2 results/datasets/w5a.h5 --config 'studies=[omkc]'   # the data, once
    python benchmarks/om2_readings.py [--orders 5]

Every reading keeps one row of coefficients for each class, as Jie et al. do: a step adds to the row of the right class
and takes from the best other one, of equal scores the first; an example with a margin of 0 or less is a mistake, one of
at most 1 is added with a step of 1. `om2`, which has one row for both classes, comes first. w5a's features are 0 and 1,
so that kernel values are functions of small whole numbers and no Gram matrix is needed.
"""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")

import numpy as np
from numba import njit

from grambench.datasets import store

Q = 1001.0  # of p = 1.001
POWERS, WIDTHS = np.array([1, 2, 3]), 2.0 ** np.arange(-6, 7)
READINGS = {
    "one row for both classes": {"rows": 1},
    "one row a class": {},
    "one row a class, classes swapped": {"swapped": True},
    "added at margins below 1": {"strict": True},
    "single precision": {"single": True},
    "shortened step": {"slope": 16.0 ** (-2.0 / Q)},
    "exponent 99 of the norms": {"exponent": 99.0},
    "exponent 1600": {"exponent": 1600.0},
    "exponent 1998, of squared norms": {"exponent": 1998.0},
    "exponent 9999": {"exponent": 9999.0},
    "without the Gaussians": {"left_out": slice(3, 16)},
    "without (x.x')^3": {"left_out": slice(2, 3)},
    "the widest Gaussian alone": {"left_out": slice(0, 15)},
}


@njit(cache=True)
def scores(inner, squares, support, rows, count, i, polynomials, gaussians, single, out):
    """Write s_k(x_i, c) of every kernel and class, summed over the support vectors in their order."""
    out[:] = 0.0
    for s in range(count):
        product = np.int64(inner[support[s], i])
        distance = squares[support[s]] + squares[i] - 2 * product
        for k in range(out.shape[1]):
            value = polynomials[k, product] if k < 3 else gaussians[k - 3, distance]
            for c in range(len(out)):
                out[c, k] += rows[c, s] * value
                if single:
                    out[c, k] = np.float32(out[c, k])


@njit(cache=True)
def play(inner, squares, labels, order, polynomials, gaussians, classes, exponent, slope, swapped, strict, single):
    """Return mistakes, support vectors, and the rounds that the cubic kernel and the widest Gaussian have led."""
    m = len(polynomials) + len(gaussians)
    support, rows, count = np.empty(order.size, np.int64), np.zeros((classes, order.size)), 0
    squared, w, own = np.full(m, 2.0**-52), np.ones(m), np.empty((classes, m))
    mistakes = cubic = widest = 0
    for i in order:
        scores(inner, squares, support, rows, count, i, polynomials, gaussians, single, own)
        right = int((labels[i] > 0) != swapped) if classes == 2 else 0
        gains = own[right] - own[1 - right] if classes == 2 else 2.0 * labels[i] * own[0]
        if classes == 2:
            values = np.zeros(2)
            for k in range(m):
                values += own[:, k] * w[k]
            margin = values[right] - values[1 - right]
        else:
            margin = 0.0
            for k in range(m):
                margin += w[k] * gains[k]
        mistakes += margin <= 0.0
        cubic += np.argmax(w) == 2
        widest += np.argmax(w) == m - 1
        if margin < 1.0 or (margin == 1.0 and not strict):
            step = min(1.0, 1.0 - slope * margin)
            for k in range(m):
                diagonal = polynomials[k, squares[i]] if k < 3 else gaussians[k - 3, 0]
                squared[k] += 2.0 * step * gains[k] + 2.0 * step * step * diagonal
                if single:
                    squared[k] = np.float32(squared[k])
            support[count] = i
            rows[right, count] = step if classes == 2 else step * labels[i]
            if classes == 2:
                rows[1 - right, count] = -step
            count += 1
            norms = np.sqrt(np.maximum(squared, 0.0))
            total = norms.max() * ((norms / norms.max()) ** Q).sum() ** (1.0 / Q)
            w[:] = (norms / total) ** exponent / Q
    return mistakes, count, cubic, widest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--readings", type=int, default=len(READINGS), help="the first so many")
    arguments = parser.parse_args()
    path = Path("results/datasets/w5a.h5")
    if not path.is_file():
        sys.exit(f"{path} is missing: snakemake --cores 2 {path} --config 'studies=[omkc]'")
    dataset = store.read(path)
    if dataset.orders is None:
        sys.exit(f"{path}: the published orders are needed, which come with the authors' files")
    features = dataset.features.astype(np.float32)
    inner = (features @ features.T).astype(np.uint8)
    squares = np.diag(inner).astype(np.int64)
    whole = np.arange(2 * squares.max() + 1)
    polynomials = whole[: squares.max() + 1] ** POWERS[:, None].astype(float)
    gaussians = np.exp(-whole / (2.0 * WIDTHS[:, None] ** 2))
    n, labels = len(squares), dataset.labels.astype(float)
    for title, changed in list(READINGS.items())[: arguments.readings]:
        kept = [polynomials.copy(), gaussians.copy()]
        for k in range(*changed.get("left_out", slice(0)).indices(16)):
            kept[k >= 3][k if k < 3 else k - 3] = 0.0
        if changed.get("single"):
            kept[1] = kept[1].astype(np.float32).astype(float)
        settings = (
            changed.get("rows", 2), changed.get("exponent", Q - 2.0), changed.get("slope", 0.0),
            changed.get("swapped", False), changed.get("strict", False), changed.get("single", False),
        )  # fmt: skip
        made = np.array(
            [play(inner, squares, labels, order, *kept, *settings) for order in dataset.orders[: arguments.orders]],
            dtype=float,
        )
        rates, vectors = 100.0 * made[:, 0] / n, made[:, 1]
        spread = f"+- {vectors.std(ddof=1):5.1f}" if len(made) > 1 else ""
        print(
            f"{title:34} mistakes {rates.mean():5.2f} %, support vectors {vectors.mean():7.1f} {spread}; leads: "
            f"(x.x')^3 {made[:, 2].mean() / n:.2f}, widest Gaussian {made[:, 3].mean() / n:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
