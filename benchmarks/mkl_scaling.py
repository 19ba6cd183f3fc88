"""Seconds of the kernel-learning algorithms against the number of examples and of kernels.

    python benchmarks/mkl_scaling.py [--quick] [--problems 3]

Two Gaussian classes with Gaussian kernels of five widths on all features, then on single ones (SimpleMKL's choice), so
that more kernels are not copies of the same. Every kernel has trace n and C = 1: an example then weighs the same
against the margin whatever n is, and the share of support vectors stays. Gap 0.01 throughout. Medians over problems
that differ in their draws (the iterations needed vary), each solved by all algorithms in turn on one thread after a
warm-up; Gram matrices are not counted. Exponents are slopes of the logarithms by least squares. Writes
results/benchmarks/mkl_scaling.svg and .png.
"""

import argparse
import os
from functools import partial
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import matplotlib as mpl
import numpy as np
import psutil
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator
from problems import fit, seconds, synthetic

from grambench import algorithms
from grambench.report import figures

GAP = {"C": 1.0, "gap": 0.01}
SETTINGS = {
    "rkl": GAP,
    "simple_mkl": GAP,
    "klc": GAP,
    "silp": GAP,
    "lp_mkl": {**GAP, "p": 2.0},
    "mkl_l2": GAP,
    "uniform_svm": {"C": 1.0},
}
LOOKS = {  # Okabe and Ito's colours, and marks for whom they do not help
    "rkl": ("#D55E00", "o-"),
    "simple_mkl": ("#0072B2", "s-"),
    "klc": ("#CC79A7", "D-"),
    "silp": ("#E69F00", "^-"),
    "lp_mkl": ("#56B4E9", "P-"),
    "mkl_l2": ("#009E73", "v--"),  # the same problem as lp-norm MKL with p = 2, and often the same seconds
    "uniform_svm": ("#000000", "X-"),
}
SIZES, KERNELS = [250, 500, 1000, 2000, 4000], 20
COUNTS, EXAMPLES = [5, 10, 20, 40, 80, 160], 500
APART = 0.062  # of a panel's height, between two labels


def fit_all(n, m, seed):
    """Return the seconds of each algorithm on one problem."""
    pool, labels = synthetic(n, m, np.random.default_rng([n, seed]))
    taken = []
    for name, settings in SETTINGS.items():
        taken.append(seconds(partial(fit, name, settings, pool, labels, seed=seed)))
    return taken


def measure(n, m, problems):
    """Return the median seconds of each algorithm, NaN where memory does not suffice, and print them."""
    needed = 8 * n * n * (m + 4)
    if needed > 0.9 * psutil.virtual_memory().available:
        print(f"{n:5} {m:7}  skipped: {needed / 2**30:.1f} GiB of memory are not there", flush=True)
        return [np.nan] * len(SETTINGS)
    taken = np.median([fit_all(n, m, seed) for seed in range(problems)], axis=0)
    print(f"{n:5} {m:7} " + "".join(f"{value:12.4f}" for value in taken), flush=True)
    return taken


def slope(x, y):
    """Return the exponent of a power law, by least squares on the logarithms."""
    known = np.isfinite(y)
    return np.polyfit(np.log(np.array(x)[known]), np.log(y[known]), 1)[0] if known.sum() > 1 else np.nan


def spread(heights):
    """Return heights in [0, 1] moved apart as little as their order allows."""
    order = np.argsort(heights)
    placed = np.array(heights, dtype=float)
    for _ in range(200):
        for low, high in pairwise(order):
            if (short := APART - (placed[high] - placed[low])) > 0:
                placed[low] -= 0.5 * short
                placed[high] += 0.5 * short
    return placed


def panel(axes, x, table, low, high, *, symbol, label, title):
    """Draw seconds, (points, algorithms), against x, each line named with its exponent at its end."""
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set(xscale="log", yscale="log", xlabel=label, xlim=(x[0] / 1.08, x[-1] * 1.08))
    axes.xaxis.set_major_locator(FixedLocator(x))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(low, high)
    last = np.flatnonzero(np.isfinite(table[:, 0]))[-1]
    heights = spread(np.log(table[last] / low) / np.log(high / low))
    for name, column, height in zip(SETTINGS, table.T, heights, strict=True):
        colour, look = LOOKS[name]
        axes.plot(x, column, look, color=colour, markersize=5, markeredgecolor="white", markeredgewidth=0.5)
        axes.annotate(
            rf"{algorithms.title(name)}  ${symbol}^{{{slope(x, column):.1f}}}$",
            (x[last], column[last]),
            xytext=(1.04, height),
            textcoords="axes fraction",
            va="center",
            color="#222222",
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 1.0, "shrinkA": 1, "shrinkB": 4},
            annotation_clip=False,
        )


def draw(sizes, by_size, counts, by_count, folder):
    with mpl.rc_context(figures.STYLE):
        canvas = Figure(figsize=(10.4, 4.3), layout="constrained")
        left, right = canvas.subplots(1, 2)
        low, high = (function([function(by_size), function(by_count)]) for function in (np.nanmin, np.nanmax))
        low, high = low / 1.6, high * 1.6  # of both panels
        panel(left, sizes, by_size, low, high, symbol="n", label="examples n", title=f"{KERNELS} kernels")
        panel(right, counts, by_count, low, high, symbol="m", label="kernels m", title=f"{EXAMPLES} examples")
        left.set_ylabel("seconds of a fit, one thread")
        folder.mkdir(parents=True, exist_ok=True)
        figures.save(canvas, folder / "mkl_scaling.svg", folder / "mkl_scaling.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="up to 1000 examples and 40 kernels")
    parser.add_argument("--out", type=Path, default=Path("results/benchmarks"))
    arguments = parser.parse_args()
    sizes = [n for n in SIZES if n <= 1000] if arguments.quick else SIZES
    counts = [m for m in COUNTS if m <= 40] if arguments.quick else COUNTS
    fit_all(50, 5, 0)  # compiles
    print("    n kernels " + "".join(f"{name:>12}" for name in SETTINGS))
    by_size = np.array([measure(n, KERNELS, arguments.problems) for n in sizes])
    by_count = np.array([measure(EXAMPLES, m, arguments.problems) for m in counts])
    for symbol, x, table in (("n", sizes, by_size), ("m", counts, by_count)):
        exponents = "".join(f"{slope(x, column):12.2f}" for column in table.T)
        print(f"exponent of {symbol} {exponents}")
    draw(sizes, by_size, counts, by_count, arguments.out)
    print(f"wrote {arguments.out}/mkl_scaling.svg and .png")


if __name__ == "__main__":
    main()
