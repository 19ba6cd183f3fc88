"""What a stagewise algorithm's searches maximise, as a function of the kernel's parameter (CA, Section B.1, Figure 3).

Iteration t of `grambench.algorithms.stagewise` looks for the largest <K_sigma, F'(K^(t-1))>. Here that is evaluated,
with its sign flipped as in the paper, at given sigma in the first iterations of every repeat, while the kernels
that the algorithm has chosen are added once more: what a search sees depends on the choices before it alone.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grambench import algorithms
from grambench.algorithms import stagewise
from grambench.algorithms.fit import Floats, Labels, continuous
from grambench.common.errors import ConfigError
from grambench.datasets.store import PreparedDataset
from grambench.experiments import learner
from grambench.experiments.data import Pools, Sample
from grambench.experiments.holdout import draws
from grambench.experiments.outcome import Outcome
from grambench.experiments.specification import Specification
from grambench.kernels.pool import Continuous

ITERATIONS = 3  # that are shown


def outcome(specification: Specification, dataset: PreparedDataset, grams: Sequence[Floats] = ()) -> Outcome:
    """Run what is asked for.

    Parameters
    ----------
    specification : Specification
        The run; the values are those of sigma.
    dataset : PreparedDataset
        The data set, with dense features.
    grams
        Not used.

    Returns
    -------
    Outcome
        search_objective_1, _2 and _3 (P, R): one point a sigma, NaN where the algorithm ended before that iteration.

    Raises
    ------
    ConfigError
        If the algorithm does not learn stagewise.
    """
    algorithm, (point,), values = algorithms.load(specification.file), specification.points, specification.values
    parameters = algorithms.parameters(specification.file, point)
    if not isinstance(parameters, stagewise.Stopping):
        raise ConfigError(f"{specification.file} does not learn stagewise, so that it has no searches to profile")
    heights = np.full((ITERATIONS, len(values), len(specification.repeats)), np.nan)
    for r, draw in enumerate(draws(specification, dataset)):
        pool = Pools(specification, draw.train).train()
        fit = (learner.fit if r else learner.fit_twice)(
            algorithm, point, Sample(pool, draw.train_labels, draw.order), draw.seed
        )
        chosen = fit.thetas or []
        for t, profile in enumerate(profiles(continuous(pool), draw.train_labels, chosen, parameters, values)):
            heights[t, :, r] = profile
    return Outcome({f"search_objective_{t}": height for t, height in enumerate(heights, start=1)})


def profiles(
    family: Continuous,
    labels: Labels,
    chosen: list[Floats],
    stopping: stagewise.Stopping,
    values: list[float],
) -> list[list[float]]:
    """Return the flipped objective at some values of sigma, a list for each of the first iterations.

    Parameters
    ----------
    family : Continuous
        Kernels on the n training examples.
    labels : ndarray of int8 (n,)
        -1 or +1.
    chosen : list of ndarray
        The parameters that the algorithm has found.
    stopping : Stopping
        The algorithm's T, theta, eps and eta_max.
    values : list of float
        Of sigma.
    """
    found: list[list[float]] = []

    def search(slope: Floats) -> Floats:
        objective = family.objective(slope)
        found.append([-objective(np.array([value]))[0] for value in values])
        return chosen[len(found) - 1]

    stagewise.learn(family, labels, search, replace(stopping, iterations=min(ITERATIONS, len(chosen))))
    return found
