"""CA-1D on the three sines: the test error against how far the frequencies are off, and against C.

    snakemake --cores 2 results/datasets/dirichlet.h5 --config 'studies=[ca_dirichlet]'   # the data, once
    python benchmarks/ca_offset.py --out docs/papers/ca_offset.svg

On the draws of the study `ca_dirichlet`, each kernel with the C of the least validation error:

- CA-1D's kernel with the three of its frequencies that are nearest to the true ones at a multiple of their offsets from
  these, 0 is on them and 1 as it is, and all else kept: weights and further frequencies;
- the three true frequencies with equal weights, each moved up or down (by a coin) by one offset;
- both at every C in place of the chosen one;
- the frequencies that CA-1D finds among 2000 points that are evenly spread, where no chance is left.

The picture shows the first two.
"""

import argparse
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import matplotlib as mpl
import numpy as np
import yaml
from matplotlib.figure import Figure

from grambench import algorithms
from grambench.algorithms.fit import Fit
from grambench.common.layout import Cell
from grambench.datasets import store
from grambench.experiments.offline import Evaluator
from grambench.experiments.run import Run
from grambench.experiments.splits import splits
from grambench.experiments.training import Examples, Generators, fit, predicted, scores_of, svms
from grambench.kernels.pool import GridPool
from grambench.pipeline.plan import Plan
from grambench.report import drawing

TRUE = np.sqrt([2.0, 12.0, 60.0])
OFFSETS = [0.0, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08]
MULTIPLES = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0]
PRINTED = 2.3  # percent, of the three true frequencies: Section 3.1
FINE = 2000  # points evenly spread over [-10, 10]


def nearest(sigmas):
    """Return which of the frequencies are nearest to the true ones, (3,)."""
    return np.abs(np.subtract.outer(TRUE, sigmas)).argmin(axis=1)


def wrong(model, sample):
    """Return the share of examples that are misclassified."""
    return np.mean(predicted(scores_of(model.predictor, sample)) != sample.y_true)


def measure(evaluator, weights, sigmas):
    """Return the test error at the C of the least validation error, that C, and the test errors at all C; percent."""
    found = Fit(weights=weights, thetas=[np.array([sigma]) for sigma in sigmas])
    protocol = evaluator.run.offline
    held_out, test = evaluator.validation(evaluator.split.folds[0]).validation, evaluator.test()
    models = list(svms(found, evaluator.train(), protocol.values, steps=protocol.steps))
    values, errors = protocol.values, np.full(len(protocol.values), np.nan)
    errors[: len(models)] = [100.0 * wrong(model, test) for model in models]
    best = int(np.argmin([wrong(model, held_out) for model in models]))
    return errors[best], values[best], errors


def without_chance(run):
    """Return the three frequencies that CA-1D finds among evenly spread points."""
    x = np.linspace(-10.0, 10.0, FINE)[:, None]
    labels = np.where(np.sin(np.outer(TRUE, x)).sum(axis=0) >= 0.0, 1, -1).astype(np.int8)
    sample = Examples(GridPool(run.dictionary.between(x), {"": x}), labels, np.arange(FINE, dtype=np.int32))
    found = fit(algorithms.load(run.file), run.points[0], sample, np.random.default_rng(0))
    sigmas = np.concatenate(found.thetas)
    return sigmas[nearest(sigmas)]


def draw_figure(by_offset, by_multiple, mean_offset, points, path):
    with mpl.rc_context(drawing.style()):
        canvas = Figure(figsize=(6.4, 4.0), layout="constrained")
        axes = canvas.subplots()
        axes.axhline(PRINTED, color="#777777", linestyle=":", linewidth=1.2)
        axes.annotate(
            "printed for the three true frequencies", (0.099, PRINTED), xytext=(0, 3), textcoords="offset points",
            ha="right", color="#555555",
        )  # fmt: skip
        for table, x, colour, look, label in (
            (by_offset, OFFSETS, "#0072B2", "s-", "three frequencies, equal weights"),
            (by_multiple, mean_offset * np.array(MULTIPLES), "#D55E00", "o-", "CA-1D's kernel, its three moved"),
        ):
            axes.errorbar(
                x, table.mean(axis=0), table.std(axis=0, ddof=1), fmt=look, color=colour, capsize=3, markersize=5,
                label=label,
            )  # fmt: skip
        axes.plot(*points.T, "x", color="#000000", markersize=5, label="CA-1D as it is, one draw each")
        axes.set(
            xlabel="offset of the frequencies, mean of the three", ylabel="test error, percent",
            xlim=(-0.002, 0.1), ylim=(0.0, None),
        )  # fmt: skip
        axes.legend(loc="upper left")
        path.parent.mkdir(parents=True, exist_ok=True)
        canvas.savefig(path, metadata={"Date": None, "Creator": None} if path.suffix == ".svg" else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("results/benchmarks/ca_offset.svg"))
    arguments = parser.parse_args()
    path = Path("results/datasets/dirichlet.h5")
    if not path.is_file():
        sys.exit(f"{path} is missing: snakemake --cores 2 {path} --config 'studies=[ca_dirichlet]'")
    project = yaml.safe_load(Path("config/config.yaml").read_text()) | {"studies": ["ca_dirichlet"]}
    plan = Plan(project, Path("config"))
    run, dataset = (
        Run.from_dict(json.loads(plan.specs.of_cell(Cell("ca_dirichlet", "dirichlet", "ca_1d")).spec)),
        store.read(path),
    )
    algorithm = algorithms.load(run.file)
    by_offset, by_multiple, by_c, chosen, offsets = [], [], [], [], []
    for number, (split, seed) in enumerate(splits(run, dataset)):
        evaluator = Evaluator(run, dataset, split)
        found = fit(algorithm, run.points[0], evaluator.train(), Generators(seed).new())
        sigmas = np.concatenate(found.thetas)
        three = nearest(sigmas)
        offset = sigmas[three] - TRUE
        row, c = [], {}
        for multiple in MULTIPLES:
            moved = sigmas.copy()
            moved[three] = TRUE + multiple * offset
            error, best, errors = measure(evaluator, found.weights, moved)
            row.append(error)
            c[multiple] = best, errors
        by_multiple.append(row)
        signs = np.random.default_rng(number).choice([-1.0, 1.0], size=3)
        equal = [measure(evaluator, np.full(3, 1 / 3), TRUE + each * signs) for each in OFFSETS]
        by_offset.append([error for error, *_ in equal])
        by_c.append([equal[0][2], c[0.0][1], c[1.0][1]])
        chosen.append([equal[0][1], c[0.0][0], c[1.0][0]])
        offsets.append(offset)
        print(
            f"draw {number}: offsets {offset.round(3)}, weights {found.weights[three].round(2)}, "
            f"{len(sigmas)} kernels; CA-1D {row[MULTIPLES.index(1.0)]:.1f} %, three moved onto the true ones "
            f"{row[0]:.1f} %, true ones alone {by_offset[-1][0]:.1f} %",
            flush=True,
        )
    by_offset, by_multiple, by_c = np.array(by_offset), np.array(by_multiple), np.array(by_c)
    away = np.abs(np.array(offsets))
    print(f"offsets: mean {away.mean():.4f}, of each {away.mean(axis=0).round(4)}, largest {away.max(axis=0).round(4)}")
    print(f"signed: mean of each {np.mean(offsets, axis=0).round(4)} +- {np.std(offsets, axis=0, ddof=1).round(4)}")
    print(f"of {FINE} evenly spread points: {(without_chance(run) - TRUE).round(4)}")
    for title, places, table in (("multiple", MULTIPLES, by_multiple), ("offset", OFFSETS, by_offset)):
        for place, column in zip(places, table.T, strict=True):
            print(f"{title} {place:5}: {column.mean():5.2f} +- {column.std(ddof=1):.2f} %")
    print("mean error in percent at each C, of the draws with a machine there; how many have one, how many choose it")
    print(f"{'C':>9} {'true three':>15} {'CA-1D, moved':>15} {'CA-1D':>15}")
    for k, value in enumerate(run.offline.values):
        cells = []
        for j in range(3):
            column = by_c[:, j, k]
            mean = np.nanmean(column) if np.isfinite(column).any() else np.nan
            cells.append(f"{mean:7.2f} ({np.isfinite(column).sum():2}, {sum(row[j] == value for row in chosen):2})")
        print(f"{value:9g} " + " ".join(cells))
    points = np.column_stack([away.mean(axis=1), by_multiple[:, MULTIPLES.index(1.0)]])
    draw_figure(by_offset, by_multiple, away.mean(), points, arguments.out)


if __name__ == "__main__":
    main()
