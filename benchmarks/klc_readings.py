"""KL-C on single cells of RKL's Table 1, over several partitions: what could stand behind the published accuracies.

    python benchmarks/klc_readings.py [colon_cancer:l1 colon_cancer:l2 wpbc:l2 ionosphere:l2] [--partitions 8]

Each reading changes one thing in KL-C as the study runs it. Its predictions are made with b, without it, and with -b in
its place; C is chosen by predictions of the same kind. z is that of the published mean among the means of partitions.
"""

import argparse
import json
import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
import yaml
from seeds import published

from grambench.algorithms.oracle import PRECISION, Oracle
from grambench.common import layout
from grambench.common.layout import Cell
from grambench.datasets import store
from grambench.experiments import splits
from grambench.experiments.offline import Evaluator
from grambench.experiments.run import Run
from grambench.pipeline.plan import Plan
from grambench.solvers.gradient_projection import Slope, Value, minimise
from grambench.solvers.projections import PROJECTIONS

CELLS = ["colon_cancer:l1", "colon_cancer:l2", "wpbc:l2", "ionosphere:l2"]
KINDS = {"without b": 0.0, "with b": 1.0, "with -b": -1.0}
PLAIN = {
    "trace": 1.0,
    "scaled": "",
    "stratified": True,
    "ridge": 1.0,
    "ball": True,
    "gap": 0.01,
    "iterations": 500,
    "machine": "squared",
}
READINGS = {
    "as in the study": {},
    "unit trace on four parts of five": {"trace": 1.25},
    "trace n": {"trace": "n"},
    "features scaled on all examples": {"scaled": "all"},
    "features as they come": {"scaled": "none"},
    "parts without regard to classes": {"stratified": False},
    "I / 2C": {"ridge": 0.5},
    "I / 4C": {"ridge": 0.25},
    "I / 10C": {"ridge": 0.1},
    "radius of K": {"ball": False},
    "eq. 10 as printed: both": {"ridge": 0.5, "ball": False},
    "gap 0.1": {"gap": 0.1},
    "gap 0.001": {"gap": 0.001},
    "gap 0.0001": {"gap": 0.0001},
    "equal weights": {"iterations": 0},
    "one step": {"iterations": 1},
    "five steps": {"iterations": 5},
    "C-SVC on the kernel found": {"machine": "hinge"},
}


def any_folds(labels, folds, rng):
    """Return parts without regard to classes."""
    return [np.sort(part) for part in np.array_split(rng.permutation(len(labels)), folds)]


def learn(pool, labels, C, norm, how):
    """Return the weights, and dual and bias of the machine: KL-C's, but for what is changed."""
    oracle, ridge = Oracle(pool, labels), how["ridge"] / C
    tolerance = PRECISION * min(how["gap"], 0.01)

    def evaluate(weights):
        ball = oracle.enclose(weights, ridge=ridge if how["ball"] else 0.0, tolerance=tolerance)
        machine = oracle.train_svm(weights, 1.0 / ridge, loss="squared", tolerance=tolerance)
        value = ball.squared_radius * machine.objective

        def slope():
            forms, radii = oracle.forms_and_radii(machine.dual, ball.dual)
            gradient = machine.objective * radii - 0.5 * ball.squared_radius * forms
            if norm == "l1":
                decrease = gradient @ weights - gradient.min()
            else:
                decrease = np.linalg.norm(np.minimum(gradient - (gradient @ weights) * weights, 0.0))
            return Slope(gradient, decrease / value if value > 0 else 0.0)

        return Value(value, slope)

    m = len(oracle.grams)
    weights = PROJECTIONS[norm](np.full(m, 1.0 / m))
    if how["iterations"]:
        weights = minimise(
            evaluate, PROJECTIONS[norm], weights, gap=how["gap"], iterations=how["iterations"], record=oracle.record
        )
    loss, weight = (how["machine"], C) if how["machine"] == "hinge" else ("squared", 1.0 / ridge)
    if how["machine"] == "hinge":
        oracle._svm_dual = None  # its coefficients have a bound
    machine = oracle.train_svm(weights, weight, loss=loss, tolerance=tolerance)
    return weights, machine.dual, machine.bias


def right(sample, weights, dual, bias):
    """Return the number of right predictions of each kind, (3,)."""
    scores = sum(w * (gram @ dual) for w, gram in zip(weights, sample.pool.grams(), strict=True) if w)
    return np.array([np.sum((scores + kind * bias >= 0.0) == (sample.labels > 0)) for kind in KINDS.values()])


def measure(spec, dataset, norm, how):
    """Return right predictions in cross-validation and accuracies, each by part, C and kind, (parts, Cs, 3)."""
    inner, outer = [], []
    for split, _ in splits.splits(spec, dataset):
        evaluator = Evaluator(spec, dataset, split)
        folds = [evaluator.validation(fold) for fold in split.folds]
        pairs = [*((fold.train, fold.validation) for fold in folds), (evaluator.train(), evaluator.test())]
        for C in spec.offline.values:
            counted = [right(test, *learn(train.pool, train.labels, C, norm, how)) for train, test in pairs]
            inner.append(np.sum(counted[:-1], axis=0))
            outer.append(100.0 * counted[-1] / len(split.test))
    shape = (-1, len(spec.offline.values), len(KINDS))
    return np.reshape(inner, shape), np.reshape(outer, shape)


def line(title, printed, values, parts, note=""):
    """Print mean and deviation of the means of partitions, and what the published mean is among them."""
    means = values.reshape(-1, parts).mean(axis=1)
    spread = means.std(ddof=1) if len(means) > 1 else np.nan
    within = values.reshape(-1, parts).std(axis=1, ddof=1).mean()
    z = (printed.mean - means.mean()) / spread if spread > 1e-9 else np.nan
    print(
        f"  {title:44} {means.mean():5.1f} +- {spread:3.1f}  (parts +- {within:4.1f})  z {z:+5.1f}  {note}", flush=True
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="*", default=CELLS)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--readings", nargs="*", default=list(READINGS))
    arguments = parser.parse_args()
    project = yaml.safe_load(Path("config/config.yaml").read_text()) | {"studies": ["rkl"]}
    plan = Plan(project, Path("config"))
    study = plan.studies["rkl"]
    for cell in arguments.cells:
        name, norm = cell.split(":")
        printed = published(study, name, f"klc_{norm}", "accuracy_percent")
        dataset = store.read(Path(layout.PREPARED.format(dataset=name)))
        print(f"{name}, {norm}: published {printed.mean} +- {printed.std}")
        for reading in arguments.readings:
            how = PLAIN | READINGS[reading]
            told = json.loads(plan.specs.of_cell(Cell("rkl", name, f"klc_{norm}")).spec)
            parts = told["protocol"]["outer_folds"]
            told["protocol"]["trace"] = len(dataset.labels) if how["trace"] == "n" else how["trace"]
            told["block"] = [0, parts * arguments.partitions - 1]
            with ExitStack() as stack:
                examples = dataset
                if how["scaled"] == "all":
                    spread = dataset.features.std(axis=0)
                    scaled = (dataset.features - dataset.features.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
                    examples = replace(dataset, features=scaled)
                told["protocol"]["standardise"] = not how["scaled"]
                if not how["stratified"]:
                    stack.enter_context(patch.object(splits, "stratified_folds", any_folds))
                inner, outer = measure(Run.from_dict(told), examples, norm, how)
            values, everyone = np.array(told["protocol"]["values"]), np.arange(len(inner))
            for kind, title in enumerate(KINDS):
                best = inner[:, :, kind].argmax(axis=1)
                note = f"C {np.exp(np.log(values[best]).mean()):.2g}"
                line(f"{reading}, {title}", printed, outer[everyone, best, kind], parts, note)
            if READINGS[reading]:
                continue
            last = len(values) - 1 - inner[:, ::-1, 0].argmax(axis=1)
            line("the last of equal C, without b", printed, outer[everyone, last, 0], parts)
            chosen = {
                "first": inner[:, :, 1].argmax(axis=1),
                "last": len(values) - 1 - inner[:, ::-1, 1].argmax(axis=1),
            }
            for title, best in chosen.items():
                line(f"C chosen with b, {title} of equals, without b", printed, outer[everyone, best, 0], parts)
            for k, C in enumerate(values):
                line(f"C = {C:g}, without b", printed, outer[:, k, 0], parts)


if __name__ == "__main__":
    main()
