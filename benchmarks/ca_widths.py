"""CA-1D and CR on MNIST: the widths that each chooses, and what width and loss have to do with their errors.

    snakemake --cores 2 --config 'studies=[ca_mnist]'   # the data, once
    python benchmarks/ca_widths.py [--draws 10]

On the draws of the study `ca_mnist`, widths in units of the median distance between training examples. Three kernels:
CA-1D's, CR's (at the gamma of the least validation error), and a single Gaussian with the width, of ten, of the least
validation error. Each with two machines, tuned on the validation examples: hinge loss with a bias, which CA-1D is given
by the study, and squared loss without one, which is CR's.
"""

import argparse
import json
import os
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
import yaml

from grambench.algorithms.alignment import alignment
from grambench.algorithms.fit import Fit, continuous
from grambench.common import layout
from grambench.common.layout import Cell
from grambench.datasets import store
from grambench.experiments.offline import Evaluator
from grambench.experiments.run import Run
from grambench.experiments.splits import splits
from grambench.experiments.training import Generators, predicted, scores_of, svms
from grambench.pipeline.plan import Plan

WIDTHS = 0.25 * 2.0 ** (np.arange(10) / 3)  # in units of the median distance, 0.25 to 2
FINE = 0.25 * 2.0 ** (np.arange(61) / 15)  # 0.25 to 4
NAMES = (
    "CA-1D, mean by weight",
    "CR, mean by weight",
    "CA-1D, largest weight",
    "CR, largest weight",
    "largest alignment of one",
    "one width, hinge",
    "one width, squared",
    "median distance",
)
KERNELS, LOSSES = ("CA-1D's kernel", "CR's kernel", "one width"), ("hinge", "squared")


def wrong(model, sample):
    """Return the share of examples that are misclassified."""
    return float(np.mean(predicted(scores_of(model.predictor, sample)) != sample.y_true))


def hinge(run, found, samples):
    """Return the validation and test error of the SVM that the study trains on a kernel."""
    best = np.inf, np.inf
    for model in svms(found, samples[0], run.offline.values, steps=run.offline.steps):
        error = wrong(model, samples[1])
        if error < best[0]:
            best = error, wrong(model, samples[2])
    return best


def squared(gammas, found, samples):
    """Return the validation and test error of regularised least squares on a kernel, without a bias."""
    values, vectors = np.linalg.eigh(found.gram(samples[0].pool))
    between = [found.gram(sample.pool) @ vectors for sample in samples[1:]]
    target, best = vectors.T @ samples[0].labels.astype(float), (np.inf, np.inf)
    for gamma in gammas:
        scores = [gram @ (target / (np.maximum(values, 0.0) + gamma)) for gram in between]
        errors = [
            float(np.mean((f >= 0.0) != (s.labels > 0))) for f, s in zip(scores, samples[1:], strict=True)
        ]  # fmt: skip
        if errors[0] < best[0]:
            best = errors[0], errors[1]
    return best


def one_draw(runs, dataset, split, seed):
    """Return the widths as NAMES has them, and the errors in percent by kernel and loss, (3, 2)."""
    evaluators = {name: Evaluator(run, dataset, split) for name, run in runs.items()}
    run, evaluator = runs["ca_1d"], evaluators["ca_1d"]
    unit = run.dictionary._replace(unit="median").unit_of(dataset.features[split.train])
    fold = evaluator.validation(split.folds[0])
    samples = [fold.train, fold.validation, evaluator.test()]
    gammas = runs["cr"].tune.values
    found = {}
    for name in ("ca_1d", "cr"):
        stage = evaluators[name].select_and_train(runs[name].file, runs[name].points[0], Generators(seed))
        found[name] = replace(stage.learned.fits[0], predictor=None)
    singles = [Fit(weights=np.ones(1), thetas=[np.array([unit * width])]) for width in WIDTHS]
    one = [
        [hinge(run, single, samples) for single in singles],
        [squared(gammas, single, samples) for single in singles],
    ]
    picked = [min(range(len(WIDTHS)), key=lambda k: errors[k][0]) for errors in one]
    errors = [[hinge(run, fit, samples)[1], squared(gammas, fit, samples)[1]] for fit in found.values()]
    errors.append([column[k][1] for column, k in zip(one, picked, strict=True)])
    family = continuous(samples[0].pool)
    aligned = max(FINE, key=lambda width: alignment(family.gram(np.array([unit * width])), samples[0].labels))
    means = [float(fit.weights @ np.concatenate(fit.thetas)) / unit for fit in found.values()]
    heaviest = [float(fit.thetas[int(fit.weights.argmax())][0]) / unit for fit in found.values()]
    return [*means, *heaviest, aligned, *(WIDTHS[k] for k in picked), unit], 100.0 * np.array(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("tasks", nargs="*", help="all of the study where none is given")
    arguments = parser.parse_args()
    project = yaml.safe_load(Path("config/config.yaml").read_text()) | {"studies": ["ca_mnist"]}
    plan = Plan(project, Path("config"))
    everything = []
    columns = [f"{kernel}, {loss}" for kernel in KERNELS for loss in LOSSES]
    print(f"{'error in percent':20} " + " ".join(f"{column:>23}" for column in columns))
    for task in arguments.tasks or plan.studies["ca_mnist"].datasets:
        told = {name: json.loads(plan.specs.of_cell(Cell("ca_mnist", task, name)).spec) for name in ("ca_1d", "cr")}
        for settings in told.values():
            settings["protocol"]["repetitions"] = arguments.draws
        runs = {name: Run.from_dict(settings) for name, settings in told.items()}
        dataset = store.read(Path(layout.PREPARED.format(dataset=task)))
        made = [one_draw(runs, dataset, split, seed) for split, seed in splits(runs["ca_1d"], dataset)]
        widths, errors = np.array([row for row, _ in made]), np.array([each for _, each in made])
        everything.append((widths, errors))
        print(f"{task:20} " + " ".join(f"{each:23.2f}" for each in errors.mean(axis=0).ravel()), flush=True)
        print(f"{'':20} widths " + " ".join(f"{each:.2f}" for each in np.median(widths, axis=0)), flush=True)
    widths = np.concatenate([each for each, _ in everything])
    errors = np.stack([each.mean(axis=0) for _, each in everything])
    print(f"{'mean of the tasks':20} " + " ".join(f"{each:23.2f}" for each in errors.mean(axis=0).ravel()))
    for name, column in zip(NAMES, widths.T, strict=True):
        print(f"{name:24} median {np.median(column):8.2f}, quartiles {np.quantile(column, [0.25, 0.75]).round(2)}")
    for k, title in enumerate(columns):
        ahead = int((errors.reshape(len(errors), -1)[:, k] > errors[:, 1, 1]).sum())
        print(f"{title:24} behind CR itself on {ahead} of {len(errors)} tasks")


if __name__ == "__main__":
    main()
