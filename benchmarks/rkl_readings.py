"""What RKL's Section 6 leaves open: the trace of the Gram matrices, their mean or sum, and KL-C's bias."""

import os
from pathlib import Path

os.environ.setdefault("NUMBA_CACHE_DIR", ".cache/benchmarks")

import json

import pandas as pd
import yaml
from seeds import published

from grambench.common import layout
from grambench.common.layout import Cell
from grambench.datasets import store
from grambench.experiments import offline
from grambench.experiments.run import Run
from grambench.pipeline.plan import Plan
from grambench.results.statistics import Sample
from grambench.results.verdicts import judge

READINGS = [  # entry, trace of the Gram matrix of all examples, what it is
    ("unif", 1.0, "mean of the kernels, unit trace on all examples"),
    ("unif", 1.25, "mean of the kernels, unit trace on four parts of five"),
    ("unif_sum", 1.0, "sum of the kernels, unit trace on all examples"),
    ("klc_l1", 1.0, "KL-C l1"),
    ("klc_l1_unbiased", 1.0, "KL-C l1, predictions without b"),
    ("klc_l2", 1.0, "KL-C l2"),
    ("klc_l2_unbiased", 1.0, "KL-C l2, predictions without b"),
]


def main():
    project = yaml.safe_load(Path("config/config.yaml").read_text()) | {"studies": ["rkl"]}
    plan = Plan(project, Path("config"))
    study = plan.studies["rkl"]
    rows = []
    for entry, trace, reading in READINGS:
        for name in study.datasets:
            spec = json.loads(plan.specs.of_cell(Cell("rkl", name, entry)).spec)
            spec["protocol"]["trace"] = trace
            outcome = offline.outcome(Run.from_dict(spec), store.read(Path(layout.PREPARED.format(dataset=name))))
            ours = Sample.of(outcome.metrics["accuracy_percent"][0])
            printed = published(study, name, entry, "accuracy_percent")
            judged = judge(printed, ours, "accuracy_percent", None).verdict
            rows.append((reading, name, judged))
            print(
                f"{reading:55} {name:13} {printed.mean:5.1f} +- {printed.std:4.1f}  "
                f"{ours.mean:5.1f} +- {ours.std:4.1f}  {judged}",
                flush=True,
            )
    table = pd.DataFrame(rows, columns=["reading", "dataset", "verdict"])
    print(pd.crosstab(table.reading, table.verdict).reindex([reading for *_, reading in READINGS]).to_string())


if __name__ == "__main__":
    main()
