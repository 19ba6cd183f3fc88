"""Dirichlet kernels of degree one: 1 + 2 cos(sigma ||x - x'||) (CA, Section 3.1; Afkanpour et al. 2013).

The kernels are positive semi-definite for examples with one feature. The cosine of a difference is a sum of products
of cosines and sines. A sum of r kernels is therefore one matrix product of rank 2r, and so are the values of an
objective at r frequencies.
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
    # A relative error of 0.01 of a frequency would shift the phase at the ends of the range.
    precision: ClassVar[float] = 1e-6

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
        # The product of an array with itself is symmetric to the last bit.
        mixture: Floats = left.T @ right
        mixture += weights.sum()
        return mixture

    def objective(self, weights: Floats) -> Objective:
        """Return the function sigma -> (<W, K_sigma>_F, its derivative (1,)), for sigma of (1,)."""
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
        """Return <W, K_sigma>_F at sigmas (p,)."""
        # Every search scans the same points.
        if self._scanned is None or not np.array_equal(self._scanned[0], points):
            self._scanned = points, _waves(points, self.left)
        waves = self._scanned[1]
        sums = waves @ weights
        parts = np.square(sums) if weights.ndim == 1 else np.einsum("ij,ij->i", sums, waves)
        return np.asarray(_total(weights) + 2.0 * parts.reshape(2, -1).sum(axis=0))

    def scan(self, low: float, high: float) -> Floats:
        """Return frequencies; the lobes of an objective are pi wide if the largest distance is 1."""
        span = float(np.ptp(self.left))
        return np.linspace(low, high, 1 + int(np.ceil(STEPS_PER_LOBE * span * (high - low) / np.pi)))


def _waves(sigmas: Floats, examples: Floats) -> Floats:
    """Return the cosines at all frequencies, followed by the sines, (2r, n)."""
    phases = np.outer(sigmas, examples)
    return np.concatenate([np.cos(phases), np.sin(phases)])


def _total(weights: Floats) -> float:
    """Return the sum of W, or of cc'."""
    total = float(weights.sum())
    return total if weights.ndim == 2 else total**2
