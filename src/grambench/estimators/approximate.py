"""An online algorithm on features that approximate its kernels, or with a budget: what an estimator has learned."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.algorithms.bounded import blocks
from grambench.algorithms.streaming import Basis
from grambench.common.types import Floats, Settings
from grambench.estimators import kernels as kernel_input
from grambench.kernels.approximation import FeatureMap, Method
from grambench.kernels.streamed import VectorKernels, VectorSource

SAMPLE = 1000  # examples of the first call from which units, scales and landmarks are taken


class FeatureLearner:
    """The states of an online algorithm, one for two classes, or one for each class one-vs-rest.

    Parameters
    ----------
    algorithm : str
        Name of the algorithm.
    settings : dict
        Its parameters.
    kernels : object
        The kernels, by name, as an estimator gets them.
    examples : ndarray of float64 (n, d)
        The first examples; up to 1000 of them, drawn at random, give units, scales and landmarks.
    classes : int
        The number of classes.
    method : str or None
        See FeatureMap; None for an algorithm with a budget, which stores its support vectors.
    n_components, scale
        See FeatureMap.
    seed : int
        Controls all draws.

    Attributes
    ----------
    names : list of str
        Names of the kernels.
    mistakes, examples : int
        Examples so far, and how many of them were misclassified before their label was used.
    """

    def __init__(
        self,
        algorithm: str,
        settings: Settings,
        kernels: Any,
        examples: Floats,
        classes: int,
        *,
        method: Method | None,
        n_components: int,
        scale: bool,
        seed: int,
    ) -> None:
        start = algorithms.load(algorithm).start
        if start is None:
            able = [name for name in algorithms.names("online") if algorithms.load(name).start]
            raise ValueError(f"approximation: expected an online algorithm, one of {', '.join(able)}, got {algorithm}")
        if method is not None and settings.get("budget"):
            raise ValueError(
                f"budget: expected 0 with an approximation, which has no support vectors, got {settings['budget']}"
            )
        parameters, named = algorithms.parameters(algorithm, settings), kernel_input.named(kernels)
        self.names = [kernel.name for kernel in named]
        rng = np.random.default_rng([seed, 2])
        sample = examples[np.sort(rng.permutation(len(examples))[:SAMPLE])]
        count = 1 if classes == 2 else classes
        self._map = None if method is None else FeatureMap(named, sample, method, n_components, scale=scale, rng=rng)
        self._vectors = VectorKernels(named, sample, scale=scale)
        bases: list[Basis] = [
            VectorSource(self._vectors) if self._map is None else self._map.starts for _ in range(count)
        ]
        self._states = [start(parameters, basis, np.random.default_rng(seed)) for basis in bases]
        self.mistakes = self.examples = 0

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,), or (C, m) one-vs-rest."""
        return np.array([state.weights for state in self._states]).squeeze(0 if len(self._states) == 1 else ())

    def _blocks(self, examples: Floats) -> Iterator[tuple[slice, Any]]:
        """Yield slices of examples and what the states learn from: features, or the examples themselves."""
        if self._map is not None:
            return self._map.blocks(examples)
        return ((rows, examples[rows]) for rows in blocks(len(examples)))

    def learn(self, examples: Floats, numbers: NDArray[np.intp]) -> None:
        """Learn from examples in turn, with their class numbers, (n,)."""
        if self._map is None:
            # Examples that are too large are refused before anything is learned.
            self._vectors.with_norms(examples)
        for rows, features in self._blocks(examples):
            targets = numbers[rows]
            scores = np.empty((len(targets), len(self._states)))
            for place, state in enumerate(self._states):
                positive = targets == (place if len(self._states) > 1 else 1)
                scores[:, place] = state.block(features, np.where(positive, 1, -1).astype(np.int8))
            self.mistakes += int(np.count_nonzero(_predicted(scores) != targets))
            self.examples += len(targets)

    def scores(self, examples: Floats) -> Floats:
        """Return the scores of examples, (t,) for two classes, else (t, C)."""
        values = np.empty((len(examples), len(self._states)))
        for rows, features in self._blocks(examples):
            for place, state in enumerate(self._states):
                values[rows, place] = state.scores(features)
        return values[:, 0] if len(self._states) == 1 else values


def _predicted(scores: Floats) -> NDArray[np.intp]:
    """Return class numbers: a score of exactly 0 is the second of two classes, as in studies."""
    return scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] >= 0.0).astype(np.intp)
