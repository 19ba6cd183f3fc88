"""Proposition 4 of RKL: a solution of eq. 9 solves the convex problem of eq. 23 for some C1 and C2, or does it not.

    python benchmarks/rkl_proposition_4.py               # the paper's data sets, outer fold 1 of the study rkl
    python benchmarks/rkl_proposition_4.py heart sonar

The study's data sets are prepared first (`grambench run rkl`). Of RKL without norm, solved to a gap of 1e-5, lines have

- hinge: the relative distance of theta* from the optimum of

      min_theta  W(theta; C2) + C1 r^2(theta),   C2 = C / r^2(theta*),   C1 = ||w*||^2 / (2 r^2(theta*)),

  by a dual bound: sum_i alpha_i with the alpha of the SVM at theta*, scaled until q_m(alpha) <= 2 C1 rho_m(beta) for
  every kernel m. W is the optimal value of the SVM with the hinge loss of eq. 9;
- squares: eq. 23 prints the squared slacks. Stationarity then needs q_m(alpha) / rho_m(beta) to be equal for all
  kernels with a weight, alpha from the SVM with squared hinge loss. The column has the largest ratio over the smallest
  one, at the C2 where they differ least, of 49 from 1e-6 to 1e6 times C / r^2. 1 means that some C1 and C2 exist.
"""

import argparse
import json
import os
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")

import numpy as np
import yaml

from grambench.algorithms.batch import rkl
from grambench.common import layout
from grambench.common.layout import Cell
from grambench.datasets import store
from grambench.experiments.offline import Evaluator
from grambench.experiments.run import Run
from grambench.experiments.splits import splits
from grambench.kernels.pool import Stored, stacked
from grambench.pipeline.plan import Plan
from grambench.solvers import certificates, meb, svm
from grambench.solvers.combination import Combination

C_VALUES = (0.1, 1.0, 10.0, 100.0)
FACTORS = np.geomspace(1e-6, 1e6, 49)
SHARE = 1e-3  # of the kernel with the largest share of the trace, from which on a kernel has a weight
PRECISION = 1e-7


def forms_and_radii(grams, dual, centre):
    """Return q_m = v'K_m v and rho_m = sum_i beta_i K_m,ii - beta'K_m beta."""
    image = certificates.images(grams, centre)
    forms = certificates.images(grams, dual) @ dual
    return forms, np.array([np.diagonal(gram) @ centre for gram in grams]) - image @ centre


def check(grams, labels, C):
    """Return both numbers of a data set at a C, with the number of kernels that have a weight."""
    parameters = rkl.Parameters(C=C, norm="none", gap=1e-5, iterations=5000)
    fitted = rkl.fit(parameters, Stored(grams), labels, order=None, rng=None)
    combination = Combination(grams)
    combination.reweight(fitted.weights)
    ball = meb.enclose(combination, tolerance=PRECISION)
    C2 = C / ball.squared_radius
    trained = svm.train(combination, labels, C2, tolerance=PRECISION)
    forms, radii = forms_and_radii(grams, trained.dual, ball.dual)
    C1 = fitted.weights @ forms / (2.0 * ball.squared_radius)
    scale = min(1.0, 1.0 / np.sqrt((forms / (2.0 * C1 * radii)).max()))
    bound = scale * np.abs(trained.dual).sum()
    distance = 1.0 - bound / (trained.objective + C1 * ball.squared_radius)
    shares = fitted.weights * np.trace(grams, axis1=1, axis2=2)
    used, spreads = shares >= SHARE * shares.max(), []
    for factor in FACTORS:
        squared = svm.train(combination, labels, factor * C2, loss="squared", tolerance=1e-4)
        forms, _ = forms_and_radii(grams[used], squared.dual, ball.dual)
        ratios = forms / radii[used]
        spreads.append(ratios.max() / ratios.min())
    return distance, min(spreads), int(used.sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="*")
    arguments = parser.parse_args()
    plan = Plan(yaml.safe_load(Path("config/config.yaml").read_text()) | {"studies": ["rkl"]}, Path("config"))
    print(f"{'data set':14} {'C':>5} {'kernels':>7} {'hinge':>9} {'squares':>8}")
    for name in arguments.datasets or plan.studies["rkl"].datasets:
        run = Run.from_dict(json.loads(plan.specs.of_cell(Cell("rkl", name, "rkl_none")).spec))
        dataset = store.read(Path(layout.PREPARED.format(dataset=name)))
        train = Evaluator(run, dataset, next(splits(run, dataset))[0]).train()
        grams = np.ascontiguousarray(stacked(train.pool))
        for C in C_VALUES:
            distance, spread, kernels = check(grams, train.labels, C)
            print(f"{name:14} {C:5g} {kernels:7} {distance:9.1e} {spread:8.3f}", flush=True)


if __name__ == "__main__":
    main()
