"""What a stagewise algorithm's searches maximise, as a function of the kernel's parameter (CA, Section B.1, Figure 3).

Iteration t of `grambench.algorithms.stagewise` looks for the largest <K_sigma, F'(K^(t-1))>. Here that is evaluated,
with its sign flipped as in the paper, at given sigma in the first iterations of every repetition, while the kernels
that the algorithm has chosen are added once more: what a search sees depends on the choices before it alone.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grambench import algorithms
from grambench.algorithms import stagewise
from grambench.algorithms.fit import continuous
from grambench.common.errors import ConfigError
from grambench.common.types import Floats, Labels
from grambench.datasets.store import PreparedDataset
from grambench.experiments.offline import Evaluator
from grambench.experiments.outcome import Outcome
from grambench.experiments.run import Run
from grambench.experiments.splits import splits
from grambench.experiments.training import Generators, fit_twice, learn_task
from grambench.kernels.pool import Continuous

ITERATIONS = 3  # that are shown


def outcome(run: Run, dataset: PreparedDataset, grams: Sequence[Floats] = ()) -> Outcome:
    """Evaluate the flipped objective at each value in the first iterations.

    Parameters
    ----------
    run : Run
        The run; its values are those of sigma.
    dataset : PreparedDataset
        The data set, with dense features of two classes.
    grams
        Not used.

    Returns
    -------
    Outcome
        search_objective_1, _2 and _3 (P, R): one point a sigma, NaN where the algorithm ended before that iteration.

    Raises
    ------
    ConfigError
        If the algorithm does not learn stagewise, or there are more than two classes.
    """
    algorithm, (point,), values = algorithms.load(run.file), run.points, run.numbers
    parameters = algorithms.parameters(run.file, point)
    if not isinstance(parameters, stagewise.Stopping):
        raise ConfigError(f"{run.file} does not learn stagewise, so that it has no searches to profile")
    if dataset.classes:
        raise ConfigError(f"{dataset.name}: expected two classes to profile a search, got {len(dataset.classes)}")
    heights = np.full((ITERATIONS, len(values), len(run.repetitions)), np.nan)
    for r, (split, seed) in enumerate(splits(run, dataset)):
        train = Evaluator(run, dataset, split).train()
        learned = (
            learn_task(algorithm, point, train, Generators(seed)) if r else fit_twice(algorithm, point, train, seed)
        )
        selected = learned.thetas or []
        for t, profile in enumerate(profiles(continuous(train.pool), train.labels, selected, parameters, values)):
            heights[t, :, r] = profile
    return Outcome({f"search_objective_{t}": height for t, height in enumerate(heights, start=1)})


def profiles(
    family: Continuous,
    labels: Labels,
    selected: list[Floats],
    stopping: stagewise.Stopping,
    values: Sequence[float],
) -> list[list[float]]:
    """Return the flipped objective at some values of sigma, a list for each of the first iterations.

    Parameters
    ----------
    family : Continuous
        Kernels on the n training examples.
    labels : ndarray of int8 (n,)
        -1 or +1.
    selected : list of ndarray
        The parameters that the algorithm selected.
    stopping : Stopping
        The algorithm's T, theta, eps and eta_max.
    values : sequence of float
        The values of sigma.
    """
    heights: list[list[float]] = []

    def search(slope: Floats) -> Floats:
        objective = family.objective(slope)
        heights.append([-objective(np.array([value]))[0] for value in values])
        return selected[len(heights) - 1]

    stagewise.learn(family, labels, search, replace(stopping, iterations=min(ITERATIONS, len(selected))))
    return heights
