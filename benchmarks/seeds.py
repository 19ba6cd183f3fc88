"""One cell of a table with other random draws: whether a verdict is an accident of the seed."""

import argparse
import os
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", "results/.cache/numba/benchmarks")

import numpy as np
import pandas as pd

from grambench import algorithms, layout, matrices
from grambench.config.project import Configuration
from grambench.datasets import store
from grambench.experiments import online
from grambench.statistics import Sample, verdict, welch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", nargs="?", default="spambase")
    parser.add_argument("algorithm", nargs="?", default="omkc_ss")
    parser.add_argument("metric", nargs="?", default="support_vectors")
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    study = Configuration(Path("config")).study("omkc")
    published = pd.read_csv("config/published/omkc_tables_3_4.csv")
    cell = published[
        (published.dataset == arguments.dataset)
        & (published.algorithm == arguments.algorithm)
        & (published.metric == arguments.metric)
    ].iloc[0]
    printed = Sample(cell["mean"], cell["std"], study.published.runs)
    dataset = store.read(Path(layout.PREPARED.format(dataset=arguments.dataset)))
    paths = [layout.GRAM.format(dataset=arguments.dataset, kernel=kernel.name) for kernel in study.kernel_list()]
    pool = [matrices.open_matrix(Path(path)) for path in paths]
    settings = [algorithms.parameters(arguments.algorithm, study.algorithms[arguments.algorithm])]
    algorithm = algorithms.load(arguments.algorithm)
    everything = []
    for seed in range(arguments.seeds):
        orders = online.draw_orders(dataset.orders, len(dataset.labels), printed.runs, seed, dataset.name)
        result = online.run(
            algorithm, settings, pool, dataset.labels, orders, root=seed, dataset=dataset.name, curve_points=2
        )
        values = result.metrics[arguments.metric][0]
        everything.append(values)
        found, p_value = verdict(printed, Sample.of(values), arguments.metric)
        print(f"seed {seed:3}: {values.mean():9.2f} +- {values.std(ddof=1):8.2f}  p = {p_value:.3f}  {found}")
    pooled = Sample.of(np.concatenate(everything))
    print(f"all seeds: {pooled.mean:9.2f} +- {pooled.std:8.2f}  p = {welch(printed, pooled):.3f}")
    print(f"published: {printed.mean:9.2f} +- {printed.std:8.2f}")


if __name__ == "__main__":
    main()
