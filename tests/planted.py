"""The shipped configuration, and results with planted numbers, for tests of what is made of them."""

from pathlib import Path

import numpy as np
import pandas as pd

from grambench.claims import Evidence, load_claims
from grambench.config.project import Configuration
from grambench.results.study import Results

CONFIG = Path(__file__).parents[1] / "config"
CONFIGURATION = Configuration(CONFIG)
RUNS = ["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"]
CELLS = ["dataset", "algorithm", "sweep", "status", "reason", "orders"]
CURVES = ["dataset", "algorithm", "repetition", "round", "metric", "result"]


def shown(kind, title="Shown", **settings):
    """Return the settings of a table or a figure."""
    return {"kind": kind, "title": title, "caption": "As planted"} | settings


def plain(dataset, algorithm, metric, *values):
    """Return the rows of a plain run, a value a repetition."""
    return [(dataset, algorithm, "", np.nan, repetition, metric, value) for repetition, value in enumerate(values)]


def results(study, rows=(), cells=()):
    runs = pd.DataFrame(rows, columns=RUNS).astype({"value": float, "repetition": int, "result": float})
    return Results(study, runs, pd.DataFrame(cells, columns=CELLS))


def evidence(study, rows=(), cells=(), curves=()):
    typed = pd.DataFrame(curves, columns=CURVES).astype({"repetition": int, "round": int, "result": float})
    return Evidence(results(study, rows, cells), typed)


def alike(datasets, values, metric="accuracy_percent"):
    """Return the rows of plain runs that have the same values on each data set, by algorithm."""
    return [row for dataset in datasets for name in values for row in plain(dataset, name, metric, *values[name])]


def answers(study, *planted):
    """Return what all claims of a study say to planted results, see `evidence`, by their ids."""
    given = evidence(study, *planted)
    return {claim.id: claim.test(given) for claim in load_claims(study.name)}


def verdicts(study, *planted):
    """Return the verdicts of all claims of a study on planted results."""
    return {name: answer.verdict for name, answer in answers(study, *planted).items()}


def one(table, **wanted):
    """Return the one row of a table that has some values."""
    chosen = table[np.logical_and.reduce([table[name] == value for name, value in wanted.items()])]
    assert len(chosen) == 1, chosen
    return chosen.iloc[0]
