"""Dirichlet kernels of degree one: 1 + 2 cos(sigma ||x - x'||) (CA, Section 3.1; Afkanpour et al. 2013).

Positive semi-definite for examples with one feature. The cosine of a difference is made of those of its two terms, so
that a sum of r kernels is one matrix product of rank 2r, and so are the values of an objective at r frequencies.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from grambench.common.errors import DataError
from grambench.common.types import Floats
from grambench.kernels.continuous import Objective

STEPS_PER_LOBE = 4


class Family:
    """Dirichlet kernels of some examples."""

    spacing: ClassVar[str] = "linear"
    precision: ClassVar[float] = 1e-6  # of a frequency: a hundredth shifts the phase at the ends of the range

    def __init__(self, left: Floats, right: Floats | None = None) -> None:
        if left.shape[1] != 1:
            raise DataError(f"Dirichlet kernels need examples with one feature, got {left.shape[1]}")
        self.left = left[:, 0]
        self.right = self.left if right is None else right[:, 0]
        self._scanned: tuple[Floats, Floats] | None = None

    def gram(self, parameter: Floats) -> Floats:
        """Return K_sigma, (n, t), for sigma of (1,)."""
        left, right = parameter[0] * self.left, parameter[0] * self.right
        gram = np.outer(np.cos(left), np.cos(right)) + np.outer(np.sin(left), np.sin(right))
        return 1.0 + 2.0 * gram

    def mixture(self, weights: Floats, parameters: Sequence[Floats]) -> Floats:
        """Return sum_i weights_i K_sigma_i, (n, t), for weights that are not negative."""
        sigmas, roots = np.concatenate(parameters), np.sqrt(2.0 * np.tile(weights, 2))[:, None]
        left = roots * _waves(sigmas, self.left)
        right = left if self.right is self.left else roots * _waves(sigmas, self.right)
        mixture: Floats = left.T @ right  # of an array with itself symmetric to the last digit
        mixture += weights.sum()
        return mixture

    def objective(self, weights: Floats) -> Objective:
        """Return sigma -> (<W, K_sigma>_F, its derivative (1,)), for sigma of (1,)."""
        total = _total(weights)

        def evaluate(sigma: Floats) -> tuple[float, Floats]:
            waves = _waves(sigma, self.left)
            sums = waves @ weights
            if weights.ndim == 1:
                sums = np.outer(sums, weights)
            slope = 2.0 * float(sums[1] @ (self.left * waves[0]) - sums[0] @ (self.left * waves[1]))
            return total + 2.0 * float(np.vdot(sums, waves)), np.array([2.0 * slope])

        return evaluate

    def values(self, weights: Floats, points: Floats) -> Floats:
        """Return <W, K_sigma>_F at all sigmas of (p,)."""
        if self._scanned is None or not np.array_equal(self._scanned[0], points):  # every search scans the same points
            self._scanned = points, _waves(points, self.left)
        waves = self._scanned[1]
        sums = waves @ weights
        parts = np.square(sums) if weights.ndim == 1 else np.einsum("ij,ij->i", sums, waves)
        values: Floats = _total(weights) + 2.0 * parts.reshape(2, -1).sum(axis=0)
        return values

    def scan(self, low: float, high: float) -> Floats:
        """Return frequencies; an objective's lobes are pi wide for a largest distance of one."""
        span = float(np.ptp(self.left))
        return np.linspace(low, high, 1 + int(np.ceil(STEPS_PER_LOBE * span * (high - low) / np.pi)))


def _waves(sigmas: Floats, examples: Floats) -> Floats:
    """Return the cosines at all frequencies, then the sines, (2r, n)."""
    phases = np.outer(sigmas, examples)
    return np.concatenate([np.cos(phases), np.sin(phases)])


def _total(weights: Floats) -> float:
    """Return the sum of W, or of cc'."""
    total = float(weights.sum())
    return total if weights.ndim == 2 else total**2
