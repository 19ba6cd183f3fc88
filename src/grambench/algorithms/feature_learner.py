"""An online algorithm that learns as a stream: on features that approximate its kernels, or with a budget.

This is the pass of a study and what an estimator learns by `partial_fit`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.algorithms.bounded import BLOCK
from grambench.algorithms.experts import blocks
from grambench.algorithms.streaming import Basis
from grambench.common.types import Approximation, Floats, Settings
from grambench.kernels.approximation import FeatureMap
from grambench.kernels.functions import Kernel
from grambench.kernels.streamed import LARGEST, VectorKernels, VectorSource

SAMPLE = 1000  # examples of the first call from which units, scales and landmarks are taken


class FeatureLearner:
    """The states of an online algorithm, one for two classes, or one for each class one-vs-rest.

    Parameters
    ----------
    algorithm : str
        Name of the algorithm.
    settings : dict
        Its parameters.
    kernels : sequence of m Kernels
        Kernels on vectors, or on groups of their columns.
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
    columns : mapping of ndarray of int
        Positions of the columns by view.

    Attributes
    ----------
    mistakes, examples : int
        How many examples were misclassified before their label was used, and how many were learned.
    landmarks : int
        The number of landmarks of Nystroem features, 0 without such features.
    """

    def __init__(
        self,
        algorithm: str,
        settings: Settings,
        kernels: Sequence[Kernel],
        examples: Floats,
        classes: int,
        *,
        method: Approximation | None,
        n_components: int,
        scale: bool,
        seed: int,
        columns: Mapping[str, Any] = {},
    ) -> None:
        start = algorithms.load(algorithm).start
        if start is None:
            able = [name for name in algorithms.names("online") if algorithms.learns_from_features(name)]
            expected = f"expected an algorithm that learns on features, one of {', '.join(able)}"
            raise ValueError(f"approximation: {expected}, got {algorithm}")
        if method is not None and settings.get("budget"):
            raise ValueError(
                f"budget: expected 0 with an approximation, which has no support vectors, got {settings['budget']}"
            )
        parameters = algorithms.parameters(algorithm, settings)
        rng = np.random.default_rng([seed, 2])
        sample = examples[np.sort(rng.permutation(len(examples))[:SAMPLE])]
        count = 1 if classes == 2 else classes
        self._vectors = VectorKernels(kernels, sample, scale=scale, columns=columns)
        self._map: FeatureMap | None = None
        if method is not None:
            self._map, self._vectors.limit = FeatureMap(self._vectors, sample, method, n_components, rng), LARGEST
        self.landmarks = 0 if self._map is None else self._map.landmarks
        values = (int(getattr(parameters, "budget", 0)) + BLOCK) * examples.shape[1]
        self._multiplications: int = values if self._map is None else self._map.multiplications
        bases: list[Basis] = [
            VectorSource(self._vectors) if self._map is None else self._map.starts for _ in range(count)
        ]
        self._states = [start(parameters, basis, np.random.default_rng(seed)) for basis in bases]
        self._zero_is_mistake = algorithms.zero_is_mistake(algorithm)
        self.mistakes = self.examples = 0

    @property
    def weights(self) -> Floats:
        """Weights of the kernels, (m,), or (C, m) one-vs-rest."""
        return np.array([state.weights for state in self._states]).squeeze(0 if len(self._states) == 1 else ())

    @property
    def updates(self) -> NDArray[np.int64]:
        """Updates of each kernel's classifiers, (m,)."""
        return np.asarray(np.sum([state.updates for state in self._states], axis=0))

    def largest_product(self, count: int) -> int:
        """Return the multiplications of the largest matrix product for some examples, which are taken in blocks."""
        return min(count, BLOCK) * self._multiplications

    def _blocks(self, examples: Floats) -> Iterator[tuple[slice, Any]]:
        """Yield slices of examples and what the states learn from: features, or the examples themselves."""
        # Examples that are too large are refused before anything is learned.
        self._vectors.check(examples)
        if self._map is not None:
            return self._map.blocks(examples)
        return ((rows, examples[rows]) for rows in blocks(len(examples), BLOCK))

    def learn(self, examples: Floats, numbers: NDArray[np.intp]) -> Floats:
        """Learn from examples in turn.

        Parameters
        ----------
        examples : ndarray of float64 (n, d)
            The examples.
        numbers : ndarray of int (n,)
            Their class numbers.

        Returns
        -------
        ndarray of float64 (n,) or (n, C)
            The scores of each example before its label was used.
        """
        scores = np.empty((len(examples), len(self._states)))
        for rows, features in self._blocks(examples):
            for place, state in enumerate(self._states):
                positive = numbers[rows] == (place if len(self._states) > 1 else 1)
                scores[rows, place] = state.block(features, np.where(positive, 1, -1).astype(np.int8))
        scores = self._one_column(scores)
        self.mistakes += int(np.count_nonzero(self.predicted(scores, numbers) != numbers))
        self.examples += len(numbers)
        return scores

    def predicted(self, scores: Floats, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the predicted class numbers of a pass, (n,), from the scores and the true numbers of its examples.

        A score of exactly 0 is the second of two classes, as in studies, or the wrong one if the algorithm's file
        declares ZERO_IS_MISTAKE.
        """
        if scores.ndim == 2:
            return np.asarray(scores.argmax(axis=1))
        return np.where(self._zero_is_mistake & (scores == 0.0), 1 - numbers, scores >= 0.0)

    def scores(self, examples: Floats) -> Floats:
        """Return the scores of examples, (t,) for two classes, else (t, C)."""
        values = np.empty((len(examples), len(self._states)))
        for rows, features in self._blocks(examples):
            for place, state in enumerate(self._states):
                values[rows, place] = state.scores(features)
        return self._one_column(values)

    def _one_column(self, scores: Floats) -> Floats:
        """Return scores (t, 1) of two classes as (t,), and others as they are."""
        return scores[:, 0] if len(self._states) == 1 else scores
