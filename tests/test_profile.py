"""The objective of CA-1D's searches as a function of the bandwidth, against its definition."""

import numpy as np
import pytest
from problems import labelled, prepared
from specifications import make_run

from grambench.algorithms.alignment import centred, centred_labels
from grambench.algorithms.parametric import ca_1d
from grambench.algorithms.stagewise import step
from grambench.common.errors import ConfigError
from grambench.experiments import profile
from grambench.experiments.splits import splits
from grambench.kernels import search
from grambench.kernels.continuous import gaussian
from grambench.kernels.dictionary import FamilyRange
from grambench.kernels.pool import Continuous

VALUES = [0.2, 0.5, 1.0, 3.0, 10.0]


def asked(file="ca_1d", **point):
    return make_run(
        file,
        "random_splits",
        protocol={"repetitions": 2, "sizes": {"default": [40, 5, 5]}, "values": [1.0]},
        points=[point],
        values=VALUES,
        kernels=[],
        dictionary=FamilyRange("gaussian", 0.2, 20.0, [0.2, 20.0]),
        seed=3,
    )


def dataset():
    return prepared(*labelled(1, 80, 2, lambda x, noise: x[0] ** 2 + 0.2 * noise > 0.7))


def training(split):
    """Return the training examples of a split and their labels."""
    made = dataset()
    return made.features[split.train], made.labels[split.train]


def by_definition(train, labels):
    """Return -<K_sigma, F'(K)> for K of each iteration, everything formed; K grows by what CA-1D chooses."""
    family, y = gaussian.Family(train), centred_labels(labels)
    target = np.outer(y, y)
    points = family.scan(0.2, 20.0)
    gram, heights, before = 1e-10 * centred(np.eye(40)), [], 0.0
    while True:
        norm, ideal = np.linalg.norm(gram), np.linalg.norm(target)
        reached = np.vdot(gram, target) / (norm * ideal)
        if heights and reached <= before + 1e-3:
            return heights
        before = reached
        slope = (target - np.vdot(gram, target) / norm**2 * gram) / (norm * ideal)
        heights.append([-np.vdot(family.gram(np.array([value])), slope) for value in VALUES])
        chosen = search.line(family.objective(slope), points, family.precision)[0]
        added = centred(family.gram(np.array([chosen])))
        gram = gram + step(gram, added, y, 1.0) * added


def test_profiles_are_the_flipped_objective_of_each_iteration():
    found = profile.outcome(asked(), dataset()).metrics
    assert list(found) == ["search_objective_1", "search_objective_2", "search_objective_3"]
    for r, (split, _) in enumerate(splits(asked(), dataset())):
        expected = by_definition(*training(split))
        assert len(expected) >= 2
        for heights, known in zip(found.values(), expected, strict=False):
            assert heights.shape == (len(VALUES), 2)
            np.testing.assert_allclose(heights[:, r], known, rtol=1e-6, atol=1e-6 * np.abs(known).max())


def test_nothing_is_known_of_iterations_that_did_not_take_place():
    found = profile.outcome(asked(iterations=2), dataset()).metrics
    assert np.isfinite(found["search_objective_2"]).all()
    assert np.isnan(found["search_objective_3"]).all()


def test_the_searches_are_replayed_whatever_was_chosen():
    (split, _), _ = splits(asked(), dataset())
    train, labels = training(split)
    family, stopping = Continuous(gaussian.Family, train, 0.2, 20.0, np.zeros(0)), ca_1d.Parameters()
    first = profile.profiles(family, labels, [np.array([1.0])], stopping, VALUES)
    more = profile.profiles(family, labels, [np.array([1.0]), np.array([5.0])], stopping, VALUES)
    assert len(first) == 1 and first[0] == more[0]


def test_only_stagewise_algorithms_have_such_searches():
    with pytest.raises(ConfigError, match="alignf does not learn stagewise"):
        profile.outcome(asked("alignf"), dataset())


def test_more_than_two_classes_are_refused():
    data = prepared(np.zeros((60, 2)), np.arange(60) % 3, classes=("a", "b", "c"))
    with pytest.raises(ConfigError, match="made: expected two classes to profile a search, got 3"):
        profile.outcome(asked(), data)
