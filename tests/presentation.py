"""A small study with known numbers: two data sets with results, one failed cell, one data set that is unavailable."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from planted import shown

from grambench.config.study import Study
from grambench.datasets.formats.reader import ROWS_USED
from grambench.datasets.store import PreparedDataset, Unavailable
from grambench.results import collect
from grambench.results.characteristics import Characteristics, Prepared
from grambench.results.study import Results

ROOT = Path(__file__).parents[1]
KERNELS = ["polynomial_p1", "gaussian_sigma0.5"]
ALGORITHMS = ["perceptron", "omkc_dd", "omkc_ss"]
REPEATS, SIZE = 4, 40
IDENTITY = "settings.code"
REASON = "http example.org: <timeout> & 404_not found 100%"
MISTAKES = {("wdbc", "perceptron"): 10.0, ("wdbc", "omkc_dd"): 5.0, ("wdbc", "omkc_ss"): 5.2}
SPREAD = np.array([-1.5, -0.5, 0.5, 1.5])
THREE = ["mistake_percent", "support_vectors", "seconds"]
SHOWN = {"metrics": ["mistake_percent"], "algorithms": ALGORITHMS, "datasets": ["wdbc"]}

SETTINGS = {
    "name": "omkc",
    "title": "A <small> study",
    "paper": "Nobody & Co.",
    "url": "https://doi.org/10.1000/182",
    "claim": "A coin wins.",
    "protocol": {"kind": "online", "repetitions": REPEATS, "checkpoints": 4},
    "kernels": [{"family": "polynomial", "values": [1]}, {"family": "gaussian", "values": [0.5]}],
    "datasets": ["wdbc", "sonar", "splice"],
    "algorithms": {
        "perceptron": {},
        "omkc_dd": {"parameters": {"beta": 0.8}},
        "omkc_ss": {"parameters": {"beta": 0.8}},
    },
    "experts": "omkc_dd",
    "sweeps": {
        "beta": {
            "parameter": "beta",
            "label": "Discount",
            "values": [0.5, 0.8],
            "algorithms": ALGORITHMS[1:],
            "datasets": ["wdbc"],
        }
    },
    "published": {
        "runs": 20,
        "results": ["cells.csv", "times.csv"],
        "characteristics": {"item": "Data sets", "file": "kernels.csv"},
        "margins": {"mistake_percent": 1.5, "support_vectors": "10 %"},
        "chosen": [{"convention": "a coin", "algorithms": ["omkc_dd"], "datasets": ["wdbc"]}],
    },
    "tables": {
        "table2": shown("datasets", "Table 2"),
        "table3": shown("results", "Table 3", algorithms=ALGORITHMS, metrics=THREE, highlight=THREE[:1]),
        "table5": shown("times", "Table 5", remark="On a sundial.", algorithms=ALGORITHMS[1:]),
    },
    "figures": {
        "figure1": shown("curves", "Figure 1", **SHOWN | {"datasets": ["wdbc", "splice"]}),
        "figure2": shown("curves", "Figure 2", **SHOWN | {"metrics": THREE[1:2], "datasets": ["splice"]}),
        "figure3": shown(
            "curves", "Figure 3", **SHOWN | {"metrics": ["best_kernel_weight"], "algorithms": ["omkc_dd"]}
        ),
        "figure4": shown("sweep", "Figure 4", sweep="beta", **SHOWN | {"algorithms": ALGORITHMS[1:]}),
        "agreement": shown("agreement", "Agreement", metrics=THREE[:2]),
        "quantiles": shown("quantiles", "Sharpness"),
    },
}


STUDY = Study.model_validate(SETTINGS)


def runs() -> pd.DataFrame:
    rows = []
    for (dataset, algorithm), repetition in itertools.product(MISTAKES, range(REPEATS)):
        mistakes = MISTAKES[dataset, algorithm] + SPREAD[repetition]
        seconds = {"perceptron": 0.001, "omkc_dd": 0.02, "omkc_ss": 0.01}[algorithm]
        values = {"mistake_percent": mistakes, "support_vectors": 10 * mistakes, "seconds": seconds}
        values |= {f"updates:{kernel}": 3.0 + position for position, kernel in enumerate(KERNELS)}
        if algorithm != "perceptron":  # which does not tell
            values["converged"] = float(algorithm == "omkc_dd" or repetition > 0)
        rows += [(dataset, algorithm, "", np.nan, repetition, *item) for item in values.items()]
        if algorithm != "perceptron":
            rows += [(dataset, algorithm, "beta", b, repetition, "mistake_percent", mistakes - b) for b in (0.5, 0.8)]
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"])
    return table.assign(study="omkc", orders="published")


def cells() -> pd.DataFrame:
    rows = []
    for dataset, algorithm in itertools.product(["wdbc", "sonar", "splice"], ALGORITHMS):
        status, reason = {
            "wdbc": ("ok", ""),
            "sonar": ("timeout", "stopped after 5 s <limit>"),
            "splice": ("unavailable", f"splice is unavailable: {REASON}"),
        }[dataset]
        row = {"study": "omkc", "dataset": dataset, "algorithm": algorithm, "status": status, "reason": reason}
        row |= {"orders": "published" if status == "ok" else "", "random": "yes" if algorithm == "omkc_ss" else "no"}
        row |= {"wall_seconds": 1.5, "peak_resident_mb": 80.0, "identity": IDENTITY}
        rows.append(row | {"record": f"results/runs/omkc/{dataset}/{algorithm}.h5"})
        if dataset == "wdbc" and algorithm != "perceptron":
            rows.append(row | {"sweep": "beta", "record": f"results/runs/omkc/{dataset}/{algorithm}/beta.h5"})
    return collect.CELLS.frame(rows)


def curves() -> pd.DataFrame:
    rows = []
    for (dataset, algorithm), repetition, done in itertools.product(MISTAKES, range(REPEATS), (10, 20, 30, 40)):
        values = {"mistake_percent": 50 / done + repetition, "support_vectors": done + repetition}
        values |= {f"weight:{kernel}": 0.5 for kernel in KERNELS}
        rows += [("omkc", dataset, algorithm, repetition, done, *item) for item in values.items()]
    return pd.DataFrame(rows, columns=["study", "dataset", "algorithm", "repetition", "round", "metric", "result"])


def prepared() -> dict[str, PreparedDataset | Unavailable]:
    generator = np.random.default_rng(3)
    found: dict[str, PreparedDataset | Unavailable] = {"splice": Unavailable("splice", (REASON,))}
    for name in ("wdbc", "sonar"):
        features = generator.normal(size=(SIZE, 3))
        features[:, 0] = 0.0
        found[name] = PreparedDataset(
            name=name,
            features=features,
            labels=np.where(np.arange(SIZE) < 15, 1, -1).astype(np.int8),
            orders=None,
            source={
                "kind": "bundled",
                "files": [{"name": "a.csv", "sha256": "0" * 64}],
                ROWS_USED: "40 of 96; 56 lack",
            },
        )
    return found


def characteristics() -> Prepared:
    """Return the characteristics of the data sets."""
    return {
        name: loaded if isinstance(loaded, Unavailable) else Characteristics.of(loaded, loaded.content)
        for name, loaded in prepared().items()
    }


def published(folder: Path) -> dict[str, Path]:
    """Write three small files of published numbers."""
    texts = {
        "cells.csv": "table,dataset,algorithm,metric,mean,std,highlighted\n"
        "3,wdbc,perceptron,mistake_percent,10.0,1.29,0\n"
        "3,wdbc,omkc_dd,mistake_percent,5.5,1.3,1\n"
        "3,wdbc,omkc_ss,mistake_percent,15.0,1.3,1\n"
        "3,wdbc,omkc_dd,seconds,2.0,0.1,0\n"
        "3,sonar,omkc_dd,mistake_percent,30.0,1.0,0\n"
        "3,splice,omkc_dd,mistake_percent,31.0,1.0,0\n"
        "3,w5a,omkc_dd,mistake_percent,32.0,1.0,0\n",
        "times.csv": "table,dataset,algorithm,metric,mean,std\n"
        "5,wdbc,omkc_dd,seconds,2.0,\n"
        "5,wdbc,omkc_ds,seconds,1.9,\n"
        "5,wdbc,omkc_ss,seconds,1.0,\n"
        "5,wdbc,omkc_ss,seconds_ratio_percent,60.0,\n",
        "kernels.csv": "dataset,n,d,best_kernel\nwdbc,40,4,polynomial_p1\nsplice,1000,60,gaussian_sigma4\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: folder / name for name in texts}


def results() -> Results:
    return Results(STUDY, runs(), cells())
