"""Invariance: how much decision values change when base kernels are multiplied by a factor.

RKL proves that its own do not change (Gai et al. 2010, Propositions 1 to 3) and does not measure it. For every split,
hyperparameters are selected for the reference, which is trained with the kernels as they are. Then the configuration is
trained with the same hyperparameters on kernels multiplied by each factor: all of them, or the one with the largest
weight in the reference, on which the most depends.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grambench import algorithms
from grambench.algorithms.checks import certified
from grambench.common.errors import ConfigError
from grambench.common.types import Floats
from grambench.datasets.store import PreparedDataset
from grambench.experiments.offline import Evaluator
from grambench.experiments.outcome import Outcome
from grambench.experiments.run import Run
from grambench.experiments.splits import splits
from grambench.experiments.training import Examples, Generators, fit_twice, learn_task, scores_of
from grambench.kernels.pool import Stored, stacked


def outcome(run: Run, dataset: PreparedDataset, grams: Sequence[Floats] = ()) -> Outcome:
    """Compare decision values at each factor with those of the reference.

    Parameters
    ----------
    run : Run
        The run; its values are factors.
    dataset : PreparedDataset
        The data set.
    grams
        Not used.

    Returns
    -------
    Outcome
        decision_change (P, R): the largest change of a test example's decision value, relative to the range of
        the reference's decision values; one point a factor.

    Raises
    ------
    ConfigError
        If there is no reference.
    """
    if run.reference is None:
        raise ConfigError("a sweep that scales kernels needs a reference")
    algorithm, (point,) = algorithms.load(run.file), run.points
    changes = np.empty((len(run.values), len(run.repetitions)))
    gaps = np.empty_like(changes)
    for r, (split, seed) in enumerate(splits(run, dataset)):
        evaluator, generators = Evaluator(run, dataset, split), Generators(seed)
        train, test = evaluator.train(), evaluator.test()
        if r == 0:
            fit_twice(algorithm, point, train, seed)
        trained = evaluator.select_and_train(run.reference.file, run.reference.parameters, generators)
        settings, parameter = point, run.tune.parameter if run.tune else ""
        if parameter in point and parameter in trained.selection.settings:
            settings = point | {parameter: trained.selection.settings[parameter]}
        before = scores_of(trained.model.predictor, test)
        largest = np.arange(len(run.kernels)) == np.argmax(trained.learned.weights)
        for p, factor in enumerate(run.numbers):
            factors = np.where(largest, factor, 1.0) if run.scaled == "one" else np.full(len(largest), factor)
            learned = learn_task(algorithm, settings, _scaled(train, factors), generators)
            model = next(learned.models([trained.selection.C]))
            after = scores_of(model.predictor, _scaled(test, factors))
            changes[p, r] = np.abs(after - before).max() / (np.ptp(before) or 1.0)  # a constant has a range of 0
            gaps[p, r] = certified(learned.fits[0]).gap
    return Outcome({"decision_change": changes, "gap": gaps})


def _scaled(sample: Examples, factors: Floats) -> Examples:
    """Return a sample with each base kernel multiplied by its factor."""
    return replace(sample, pool=Stored(factors[:, None, None] * stacked(sample.pool)))
