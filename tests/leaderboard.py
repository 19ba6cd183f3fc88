"""A leaderboard with known numbers: twelve algorithms on eight data sets in ten repetitions, and one failed run.

The accuracies of an algorithm lie a fixed number of points below the best of its data set, so that their order is
known; the repetitions of a data set share their noise, as paired repetitions do.
"""

import itertools
from dataclasses import replace

import numpy as np
from planted import plain, shown
from planted import results as planted_results

from grambench.config.study import Study
from grambench.results import collect

REPEATS = 10
BEST = {  # accuracy of the best algorithm on each data set
    "banana": 89.5,
    "diabetes": 77.0,
    "german": 75.5,
    "heart": 84.0,
    "ringnorm": 98.4,
    "sonar": 82.0,
    "thyroid": 95.8,
    "waveform": 90.1,
}
BEHIND = {  # points behind the best, seconds, kernel values
    "rkl": (0.0, 8.0, 2e8),
    "simple_mkl": (0.2, 12.0, 3e8),
    "d2": (0.5, 5.0, 1e8),
    "gradient_boosting": (0.5, 0.4, 0.0),
    "d1": (1.0, 6.0, 1e8),
    "uniform_svm": (1.2, 0.6, 2e7),
    "gaussian_svm": (1.4, 0.9, 1e7),
    "om2": (2.0, 0.2, 8e6),
    "omkc_ss": (3.0, 0.05, 9e5),
    "perceptron_u": (4.5, 0.03, 8e5),
    "linear_svm": (8.0, 0.02, 1e5),
    "majority": (25.0, 0.001, 0.0),
}
FAILED = ("waveform", "simple_mkl")
REASON = "stopped after 1800 s"
FILES = {
    "d1": ("lp_mkl", "D1"),
    "d2": ("lp_mkl", "D2"),
    "gradient_boosting": ("ca_1d", "Gradient boosting"),  # any file that a holdout study takes
    "gaussian_svm": ("ca_nd", "Gaussian SVM"),
    "linear_svm": ("cr", "Linear SVM"),
    "majority": ("cr_dc", "Majority class"),
}
SHOWN = {"algorithms": list(BEHIND), "metrics": ["accuracy_percent"]}
RANKS = ["mean_rank", "accuracy_percent", "balanced_accuracy_percent", "seconds", "kernel_values"]
SETTINGS = {
    "name": "leaderboard",
    "title": "A small leaderboard",
    "paper": "Nobody",
    "protocol": {"kind": "random_splits", "repetitions": REPEATS, "sizes": {"default": [50, 60, 70]}, "values": [1]},
    "dictionary": {"family": "gaussian", "low": 1, "high": 100, "count": 3, "spacing": "log"},
    "datasets": list(BEST),
    "algorithms": {
        name: dict(zip(("algorithm", "title"), FILES[name], strict=True)) if name in FILES else {} for name in BEHIND
    },
    "tables": {
        "matrix": shown("matrix", "Accuracy", **SHOWN),
        "pairs": shown("pairs", "Pairs", **SHOWN),
        "ranks": shown(
            "ranks", "Ranks", rows="algorithms", by="accuracy_percent", algorithms=list(BEHIND), metrics=RANKS
        ),
    },
    "figures": {
        "critical": shown("critical_difference", "Ranks", **SHOWN),
        "dots": shown("dots", "Dots", datasets=list(BEST), **SHOWN),
        "heatmap": shown("heatmap", "Losses", **SHOWN),
        "panels": shown("panels", "Panels", **SHOWN),
        "pareto": shown("pareto", "Cost", **SHOWN),
        "work": shown("pareto", "Work", cost="kernel_values", **SHOWN),
    },
}


def study(**changes):
    return Study.model_validate(SETTINGS | changes)


def accuracies(dataset, algorithm):
    """Return the accuracies of all repetitions: noise that is shared, and a little of its own that sums to 0."""
    place = list(BEST).index(dataset), list(BEHIND).index(algorithm)
    shared = np.random.default_rng(place[0]).normal(0.0, 2.0, REPEATS)
    own = np.random.default_rng(place).normal(0.0, 0.25, REPEATS)
    return BEST[dataset] - BEHIND[algorithm][0] + shared - shared.mean() + own - own.mean()


def results(gone=()):
    """Return the results, without the cells of `gone`."""
    rows, cells = [], []
    for dataset, algorithm in itertools.product(BEST, BEHIND):
        if (dataset, algorithm) in gone:
            continue
        cell = {"study": "leaderboard", "dataset": dataset, "algorithm": algorithm, "wall_seconds": 1.0}
        cell |= {"record": f"results/runs/leaderboard/{dataset}/{algorithm}.h5"}
        if (dataset, algorithm) == FAILED:
            cells.append(cell | {"status": "timeout", "reason": REASON})
            continue
        cells.append(cell | {"status": "ok", "orders": "seeded"})
        _, seconds, values = BEHIND[algorithm]
        slow = 1.0 + 0.5 * list(BEST).index(dataset)
        accuracy = accuracies(dataset, algorithm)
        own = {"seconds": seconds * slow, "kernel_values": values * slow, "row_additions": values / 10}
        own = {name: [value] * REPEATS for name, value in (own | {"kernels_selected": 3.0}).items()}
        own |= {"accuracy_percent": accuracy, "balanced_accuracy_percent": accuracy - 1.0}
        own |= {"solver_steps": 1000.0 + np.arange(REPEATS)}
        rows += [row for name, numbers in own.items() for row in plain(dataset, algorithm, name, *numbers)]
    return replace(planted_results(study(), rows), cells=collect.CELLS.frame(cells))
