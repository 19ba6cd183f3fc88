"""Small data sets of the tests of experiments."""

import numpy as np
from specifications import make_run

from grambench.datasets.store import PreparedDataset
from grambench.kernels.dictionary import FamilyRange

GRID = [0.5, 1.0, 2.0, 4.0]
DICTIONARY = FamilyRange("gaussian", 0.2, 20.0, GRID)
NAMES = ("ant", "bee", "cat")
KERNELS = ["polynomial_p1", "meangaussian_s0.5", "meangaussian_s2"]


def prepared(features, labels, **changes):
    """Return a data set of examples (n, d) and their labels."""
    settings = {"name": "made", "orders": None, "source": {}} | changes
    return PreparedDataset(features=features, labels=np.asarray(labels, dtype=np.int8), **settings)


def labelled(seed, n, d, rule):
    """Return normal features (n, d), and labels by a rule of these and of normal noise (n,)."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, d))
    return features, np.where(rule(features.T, rng.normal(size=n)), 1, -1).astype(np.int8)


def in_a_ring(n, seed=0, d=3):
    """Return normal features (n, d), and numbers of two classes, of which the second surrounds the first."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    return X, (np.hypot(X[:, 0], X[:, 1]) > 1.2).astype(int)


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


def on_vectors_of(protocols, file="ca_1d", kind="random_splits", protocol=(), **changes):
    """Return a run on `vectors` under one of some protocols, by default on a grid."""
    settings = {"values": [0.01, 1.0, 100.0]} | protocols[kind] | dict(protocol)
    return make_run(file, kind, protocol=settings, **{"kernels": [], "dictionary": DICTIONARY, "tune": None} | changes)
