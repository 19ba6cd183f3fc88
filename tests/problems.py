"""Small data sets of the tests of experiments."""

import numpy as np
from specifications import make_run

from grambench.datasets.store import PreparedDataset

NAMES = ("ant", "bee", "cat")
KERNELS = ["polynomial_p1", "meangaussian_s0.5", "meangaussian_s2"]


def prepared(features, labels, **changes):
    """Return a data set of examples (n, d) and their labels."""
    settings = {"name": "made", "orders": None, "source": {}} | changes
    return PreparedDataset(features=features, labels=np.asarray(labels, dtype=np.int8), **settings)


def vectors(classes=2, n=120):
    """Return vectors of two or three classes that overlap, with a split of their own."""
    rng = np.random.default_rng(0)
    features = rng.normal(3.0, 2.0, size=(n, 3))
    value = (features[:, 0] - 3.0) ** 2 + rng.normal(size=n)
    labels = np.where(value > 3.0, 1, -1) if classes == 2 else np.argsort(np.argsort(value)) * 3 // n
    return prepared(features, labels, classes=NAMES if classes == 3 else (), test=np.arange(n) % 3 == 0)


def blobs(blocks=False, **changes):
    """Return three classes that are easy to tell apart, as vectors or as two blocks of pixels."""
    labels = np.arange(90) % 3
    features, views = np.random.default_rng(0).normal(size=(90, 6)) + 2.5 * np.eye(3, 6)[labels] + 3.0, {}
    if blocks:
        features = np.clip(40 * features, 0, 255).astype(np.uint8)
        views = {"block_1": features[:, :3].copy(), "block_2": features[:, 3:].copy()}
    return prepared(features, labels, name="toy", classes=NAMES, views=views, **changes)


def of_classes(file="obscure", protocol=(), **changes):
    """Return a run on `blobs`."""
    settings = {"repetitions": 2, "sizes": {"default": [10, 5, 8]}, "refit": False, "values": [0.1, 1.0, 10.0]}
    changes = {"study": "s", "dataset": "toy", "seed": 1, "classes": list(NAMES), "kernels": KERNELS} | changes
    return make_run(file, "per_class_splits", protocol=settings | dict(protocol), **changes)
