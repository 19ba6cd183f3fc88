"""What a stagewise algorithm's searches maximise, as a function of the kernel's parameter (CA, Section B.1, Figure 3).

Iteration t of `grambench.algorithms.stagewise` looks for the largest <K_sigma, F'(K^(t-1))>. Here that is evaluated,
with its sign flipped as in the paper, at given sigma in the first iterations of every repeat, while the kernels
that the algorithm has chosen are added once more: what a search sees depends on the choices before it alone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.algorithms import stagewise
from grambench.algorithms.learned_kernel import Dictionary
from grambench.common.errors import ConfigError
from grambench.datasets.store import PreparedDataset
from grambench.experiments.blocks import repeats
from grambench.experiments.holdout import draws
from grambench.experiments.outcome import Outcome
from grambench.kernels import continuous
from grambench.kernels.continuous import KernelFamily, Objective

Floats = NDArray[np.float64]

ITERATIONS = 3  # that are shown


def outcome(settings: Mapping[str, Any], dataset: PreparedDataset) -> Outcome:
    """Run what a run's settings ask for.

    Parameters
    ----------
    settings : dict
        See grambench.pipeline.plan.Plan.run_spec; the values are those of sigma.
    dataset : PreparedDataset
        The data set, with dense features.

    Returns
    -------
    Outcome
        search_objective_1, _2 and _3 (P, R): one point a sigma, NaN where the algorithm ended before that iteration.

    Raises
    ------
    ConfigError
        If the algorithm does not learn stagewise.
    """
    algorithm, (point,), values = algorithms.load(settings["file"]), settings["points"], settings["values"]
    parameters = algorithms.parameters(settings["file"], point)
    if not isinstance(parameters, stagewise.Stopping):
        raise ConfigError(f"{settings['file']} does not learn stagewise, so that it has no searches to profile")
    family = continuous.load(settings["dictionary"]["family"])
    heights = np.full((ITERATIONS, len(values), len(repeats(settings))), np.nan)
    for r, draw in enumerate(draws(settings, dataset)):
        dictionary = Dictionary.on(draw.train, family, settings["dictionary"])
        kernel = algorithm.fit(parameters, dictionary, draw.train_labels, rng=np.random.default_rng(draw.seed))
        for t, profile in enumerate(
            profiles(dictionary.family, draw.train_labels, kernel.parameters, parameters, values)
        ):
            heights[t, :, r] = profile
    return Outcome({f"search_objective_{t}": height for t, height in enumerate(heights, start=1)})


def profiles(
    family: KernelFamily,
    labels: NDArray[np.int8],
    chosen: list[Floats],
    stopping: stagewise.Stopping,
    values: list[float],
) -> list[list[float]]:
    """Return the flipped objective at some values of sigma, a list for each of the first iterations.

    Parameters
    ----------
    family : KernelFamily
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

    def search(objective: Objective) -> Floats:
        found.append([-objective(np.array([value]))[0] for value in values])
        return chosen[len(found) - 1]

    stagewise.learn(family, labels, search, replace(stopping, iterations=min(ITERATIONS, len(chosen))))
    return found
