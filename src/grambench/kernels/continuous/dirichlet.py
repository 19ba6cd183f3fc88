"""Dirichlet kernels of degree one: 1 + 2 cos(sigma ||x - x'||) (CA, Section 3.1; Afkanpour et al. 2013).

Positive semi-definite for examples with one feature.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import DataError
from grambench.kernels.continuous import Objective

Floats = NDArray[np.float64]

STEPS_PER_LOBE = 4


class Family:
    """Dirichlet kernels of some examples."""

    spacing: ClassVar[str] = "linear"
    precision: ClassVar[float] = 1e-6  # of a frequency: a hundredth shifts the phase at the ends of the range

    def __init__(self, left: Floats, right: Floats | None = None) -> None:
        others = left if right is None else right
        if left.shape[1] != 1:
            raise DataError(f"Dirichlet kernels need examples with one feature, got {left.shape[1]}")
        self.left, self.right = left[:, 0], others[:, 0]

    def gram(self, parameter: Floats) -> Floats:
        """Return K_sigma, (n, t), for sigma of (1,): the cosine of a difference by those of its two terms."""
        left, right = parameter[0] * self.left, parameter[0] * self.right
        gram = np.outer(np.cos(left), np.cos(right)) + np.outer(np.sin(left), np.sin(right))
        return 1.0 + 2.0 * gram

    def objective(self, weights: Floats) -> Objective:
        """Return sigma -> (<W, K_sigma>_F, its derivative (1,)), for sigma of (1,)."""
        total = float(weights.sum())

        def evaluate(sigma: Floats) -> tuple[float, Floats]:
            waves = np.stack([np.cos(sigma[0] * self.left), np.sin(sigma[0] * self.left)])
            sums = waves @ weights  # cos(a - b) = cos a cos b + sin a sin b
            value = float(np.vdot(sums, waves))
            slope = 2.0 * float(sums[1] @ (self.left * waves[0]) - sums[0] @ (self.left * waves[1]))
            return total + 2.0 * value, np.array([2.0 * slope])

        return evaluate

    def scan(self, low: float, high: float) -> Floats:
        """Return frequencies; an objective's lobes are pi wide for a largest distance of one."""
        span = float(np.ptp(self.left))
        return np.linspace(low, high, 1 + int(np.ceil(STEPS_PER_LOBE * span * (high - low) / np.pi)))
