"""PWMK: each kernel weighted by the accuracy of its own SVM (Tanabe et al. 2008).

Each kernel has its own SVM, whose accuracy in cross-validation sets the kernel's weight. The weights therefore do not
account for how the kernels overlap.

Formula
-------
    η_k = (π_k − δ) / Σ_h (π_h − δ),   π_k the accuracy of the C-SVC on K_k in cross-validation,   δ = threshold · min π

The folds are stratified and random. If all π_k − δ are 0, all weights are equal.

Complexity
----------
m · folds SVMs on n (1 − 1/folds) examples each, and one on all. They read O(m n²) kernel values.

Deviations
----------
The text of the paper was not available. The formula is that of MKLpy's documentation (Lauriola and Aiolli 2020), which
has δ as a share of the lowest accuracy. Here the share is 1 by default, and the least accurate kernel has no weight.
With δ = 0 the weights are nearly those of the uniform SVM.

References
----------
Tanabe, Ho, Nguyen and Kawasaki (2008). Simple but effective methods for combining kernels in computational biology.
IEEE International Conference on Research, Innovation and Vision for the Future, 71-78.

Lauriola and Aiolli (2020). MKLpy: a python-based framework for multiple kernel learning. arXiv 2007.09982.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from grambench.algorithms.alignment import scaled_to_one
from grambench.algorithms.fit import Fit
from grambench.algorithms.oracle import Oracle, cross_validated_hits, in_order
from grambench.algorithms.settings import CrossValidated
from grambench.common.parameters import within
from grambench.common.types import Labels, Order
from grambench.kernels.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(CrossValidated):
    """Parameters of PWMK.

    Attributes
    ----------
    threshold : float
        The accuracy that has no weight, as a share of the lowest accuracy of a kernel.
    """

    threshold: Annotated[float, within("[0, 1]")] = 1.0


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Compute the weights and train the SVM."""
    oracle, sequence = Oracle(pool, labels), in_order(order, len(labels))
    hits = cross_validated_hits(oracle.grams, labels, parameters, sequence, rng, oracle.work)
    return oracle.fit_svm(scaled_to_one(hits - parameters.threshold * hits.min()), parameters.C)
