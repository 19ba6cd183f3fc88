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
import contextlib
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
from problems import in_turn

from grambench import algorithms
from grambench.algorithms.alignment import alignment
from grambench.common.errors import SolverError
from grambench.common.layout import Cell
from grambench.datasets import store
from grambench.experiments.offline import Evaluator
from grambench.experiments.run import Run
from grambench.experiments.selection import Candidates
from grambench.experiments.splits import splits
from grambench.experiments.training import Generators, learn_task, scores_of
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
    told = {
        name: json.loads(plan.specs.of_cell(Cell("ca_mnist", dataset.name, name)).spec) for name in study.algorithms
    }
    specs = {name: Run.from_dict(settings) for name, settings in told.items()}
    split, seed = next(splits(specs["du"], dataset))
    searches = {name: [] for name in specs}

    def run(name):
        spec = specs[name]
        stage = Evaluator(spec, dataset, split).select_and_train(spec.file, spec.points[0], Generators(seed))
        searches[name].append(stage.fit_seconds.processor)

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
        spec = Run.from_dict(json.loads(plan.specs.of_cell(Cell(study, dataset, entry, sweep)).spec))
        made = store.read(path)
        split, seed = next(splits(spec, made))
        seconds = [_parts(spec, made, split, seed) for _ in range(rounds + 1)][1:]
        print(f"{f'{study}/{dataset}/{task}':44}", *(f"{each:9.4f}" for each in np.median(seconds, axis=0)))


def _parts(spec, dataset, split, seed):
    """Return the processor seconds of fits, machines and test."""
    algorithm, draws = algorithms.load(spec.file), Generators(seed)
    candidates = Candidates.of(algorithm, spec.points[-1], spec.tune, [], None)
    known = Evaluator(spec, dataset, split).train()
    begun = time.process_time()
    for settings in candidates.settings:
        with contextlib.suppress(SolverError):  # the selection skips it too
            learn_task(algorithm, settings, known, draws)
    fitted = time.process_time()
    evaluator = Evaluator(spec, dataset, split)
    stage = evaluator.select_and_train(spec.file, spec.points[-1], draws)
    whole = time.process_time()
    scores_of(stage.model.predictor, evaluator.test())
    among = evaluator.pools(split.train).among(split.test)
    alignment(stage.learned.fits[0].gram(among), dataset.labels[split.test])
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
