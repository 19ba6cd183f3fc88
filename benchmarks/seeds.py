"""Cells of a table with other orders or parts and other random draws: whether a verdict is an accident of the seed.

z is that of the published mean among the means of the seeds, which differ by all that the seed decides.
"""

import argparse
import json
import os
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")

import numpy as np
import pandas as pd
import yaml

from grambench import experiments
from grambench.common import layout
from grambench.common.layout import Cell
from grambench.datasets import store
from grambench.experiments.run import Run
from grambench.kernels import matrices
from grambench.pipeline.plan import Plan
from grambench.results.statistics import Sample, welch
from grambench.results.verdicts import judge


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", nargs="?", default="omkc")
    parser.add_argument("dataset", nargs="?", default="spambase")
    parser.add_argument("algorithm", nargs="?", default="omkc_ss")
    parser.add_argument("metric", nargs="?", default="support_vectors")
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    cell = (arguments.study, arguments.dataset, arguments.algorithm)
    project = yaml.safe_load(Path("config/config.yaml").read_text()) | {"studies": [arguments.study]}
    study = Plan(project, Path("config")).studies[arguments.study]
    printed = published(study, *cell[1:], arguments.metric)
    everything = []
    for seed in range(arguments.seeds):
        values = run(Plan(project | {"seed": seed}, Path("config")), *cell).metrics[arguments.metric][0]
        everything.append(values)
        found = judge(printed, Sample.of(values), arguments.metric, None)
        said = f"p = {found.p_value:.3f}  {found.verdict}"
        print(f"seed {seed:3}: {values.mean():9.2f} +- {values.std(ddof=1):8.2f}  {said}", flush=True)
    pooled = Sample.of(np.concatenate(everything))
    means = np.array([values.mean() for values in everything])
    if len(means) > 1:
        z = (printed.mean - means.mean()) / means.std(ddof=1)
        beyond = np.count_nonzero(np.abs(means - means.mean()) >= abs(printed.mean - means.mean()))
        print(
            f"means of seeds: {means.mean():.2f} +- {means.std(ddof=1):.2f}, from {means.min():.2f} to "
            f"{means.max():.2f}; published z = {z:+.2f}, as far or farther {beyond} of {len(means)}"
        )
    print(f"all seeds: {pooled.mean:9.2f} +- {pooled.std:8.2f}  p = {welch(printed, pooled).p_value:.3f}")
    print(f"published: {printed.mean:9.2f} +- {printed.std:8.2f}")


def published(study, dataset, algorithm, metric):
    numbers = pd.concat([pd.read_csv(f"config/published/{name}") for name in study.published.results])
    names = [dataset, study.algorithms[algorithm].variant_of or algorithm, metric]
    row = numbers[(numbers[["dataset", "algorithm", "metric"]] == names).all(axis=1)].iloc[0]
    return Sample(row["mean"], row["std"], study.published.runs)


def run(plan, study, dataset, algorithm):
    asked = Run.from_dict(json.loads(plan.specs.of_cell(Cell(study, dataset, algorithm)).spec))
    prepared = store.read(Path(layout.PREPARED.format(dataset=dataset)))
    grams = [matrices.open_matrix(Path(path)) for path in plan.targets.grams(study, dataset)]
    return experiments.load(asked.experiment)(asked, prepared, grams)


if __name__ == "__main__":
    main()
