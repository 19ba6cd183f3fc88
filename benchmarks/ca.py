"""The algorithms of CA: seconds of everything on MNIST beside DU's, of a gradient, and of the parts of some runs.

    snakemake --cores 2 results/datasets/mnist_3_8.h5 --config 'studies=[ca_mnist]'   # the data, once
    python benchmarks/ca.py [--task mnist_3_8] [--rounds 5]

First table: from the features of one draw (500 training and 1000 validation examples) to the tuned machine, medians of
rounds in which all algorithms take their turn on one thread, their ratio to DU's, and the paper's ratio (Table 2). The
search is the time of one fit. Second table: one gradient in all 784 bandwidths against one Gram matrix of the same
kernel, and the peak of memory allocated by the gradient. Third table, of the data sets of CELLS that are there:
processor seconds of the first draw of a run by what they are for, fits at all values of the tuned parameter, their
machines with their errors on the validation examples, and what is measured on the test examples.
"""

import argparse
import json
import os
import sys
import time
import tracemalloc
from functools import partial
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from grambench.experiments.data import Pools, Sample
from grambench.experiments.specification import Specification
from problems import in_turn

from grambench import algorithms
from grambench.algorithms.alignment import alignment
from grambench.common.layout import Cell
from grambench.datasets import store
from grambench.experiments import holdout
from grambench.kernels import continuous
from grambench.pipeline.plan import Plan

PAPER = {"ca_1d": 12, "cr": 377, "da": 31, "d1": 57, "d2": 58, "du": 10}  # Table 2, seconds

CELLS = (  # study, data set, entry, sweep: where the time of the five studies goes
    ("ca_eleven", "german", "ca_nd", ""),
    ("ca_eleven", "splice_raetsch", "ca_nd", ""),
    ("ca_letter", "letter_b_d", "ca_nd", ""),
    ("ca_relevance", "relevance_1", "ca_nd", ""),
    ("ca_dirichlet", "dirichlet", "cr", ""),
    ("ca_eleven", "waveform", "cr", ""),
    ("ca_mnist", "mnist_1_7", "cr_dc", ""),
    ("ca_mnist", "mnist_1_7", "d1", ""),
    ("ca_dirichlet", "dirichlet", "d1", "resolution"),
)


def prepared(task):
    path = Path(f"results/datasets/{task}.h5")
    if not path.is_file():
        sys.exit(f"{path} is missing: snakemake --cores 2 {path} --config 'studies=[ca_mnist]'")
    return store.read(path)


def algorithms_in_turn(dataset, rounds):
    """Print the seconds of one draw, algorithm by algorithm."""
    plan = Plan({"studies": ["ca_mnist"]}, Path("config"))
    study = plan.studies["ca_mnist"]
    told = {name: json.loads(plan.specs.run_spec(Cell("ca_mnist", dataset.name, name))) for name in study.algorithms}
    specs = {name: Specification(**settings) for name, settings in told.items()}
    draw = next(holdout.draws(specs["du"], dataset))
    searches = {name: [] for name in specs}

    def run(name):
        spec = specs[name]
        pools = Pools(spec, draw.train, spec.protocol["trace"])
        tuned = holdout.tune(algorithms.load(spec.file), spec.points[0], spec, draw, pools)
        searches[name].append(tuned.candidate.seconds)

    rows = in_turn([partial(run, name) for name in specs], rounds)
    reference = rows[list(specs).index("du")]
    print(f"{dataset.name:20} {'seconds':>9} {'/ DU':>7} {'paper':>7} {'search':>9}")
    for name, row in zip(specs, rows, strict=True):
        ratio = np.median(row / reference)
        paper = f"{PAPER[name] / PAPER['du']:7.1f}" if name in PAPER else f"{'':7}"
        print(f"{name:20} {np.median(row):9.4f} {ratio:7.2f} {paper} {np.median(searches[name]):9.4f}")


def gradient(dataset, rounds):
    """Print what one gradient costs where every feature has its bandwidth."""
    features = dataset.features[:500]
    family = continuous.load("gaussian")(features)
    weights = np.random.default_rng(0).normal(size=(500, 500))
    weights += weights.T
    objective, sigma = family.objective(weights), np.full(features.shape[1], 3000.0)
    slope, gram = in_turn([partial(objective, sigma), partial(family.gram, sigma)], rounds)
    tracemalloc.start()
    objective(sigma)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"\nn = 500, d = {features.shape[1]}")
    print(f"one gradient         {1e3 * np.median(slope):9.2f} ms, {np.median(slope / gram):.2f} Gram matrices")
    print(f"one Gram matrix      {1e3 * np.median(gram):9.2f} ms")
    print(f"allocated at most    {peak / 2**20:9.1f} MiB")


def parts(rounds):
    """Print the processor seconds of the parts of some runs, at the last point of their sweep."""
    plan = Plan({"studies": sorted({study for study, *_ in CELLS})}, Path("config"))
    print(f"\n{'':44} {'fits':>9} {'machines':>9} {'test':>9}")
    for study, dataset, entry, sweep in CELLS:
        path, task = Path(f"results/datasets/{dataset}.h5"), f"{entry}/{sweep}".rstrip("/")
        if not path.is_file():
            continue
        spec = Specification(**json.loads(plan.specs.run_spec(Cell(study, dataset, entry, sweep))))
        draw, algorithm = next(holdout.draws(spec, store.read(path))), algorithms.load(spec.file)
        seconds = [_parts(spec, draw, algorithm) for _ in range(rounds + 1)][1:]
        print(f"{f'{study}/{dataset}/{task}':44}", *(f"{each:9.4f}" for each in np.median(seconds, axis=0)))


def _parts(spec, draw, algorithm):
    """Return the processor seconds of fits, machines and test."""
    pools = Pools(spec, draw.train, spec.protocol["trace"])
    known = Sample(pools.train(), draw.train_labels, draw.order)
    begun = time.process_time()
    holdout.candidates(algorithm, spec.points[-1], spec.tune, known, draw.seed)
    fitted = time.process_time()
    pools = Pools(spec, draw.train, spec.protocol["trace"])
    tuned = holdout.tune(algorithm, spec.points[-1], spec, draw, pools)
    whole = time.process_time()
    tuned.machine.predictor.scores(pools.between(draw.test))
    alignment(tuned.candidate.fit.gram(pools.among(draw.test)), draw.test_labels)
    return fitted - begun, whole - fitted - (fitted - begun), time.process_time() - whole


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="mnist_3_8")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    begun = time.time()
    dataset = prepared(arguments.task)
    algorithms_in_turn(dataset, arguments.rounds)
    gradient(dataset, 10 * arguments.rounds)
    parts(arguments.rounds)
    print(f"in all {time.time() - begun:.0f} s")


if __name__ == "__main__":
    main()
