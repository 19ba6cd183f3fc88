"""Leave-one-out errors of least-squares SVMs in closed form (Cawley 2006, IJCNN).

An LS-SVM on a kernel K minimises 1/2 |w|^2 + C/2 sum_i (y_i - f(x_i))^2. With A = K + I/C, s = A^-1 1 and
H = A^-1 - s s' / sum(s), its coefficients are H y, and y_i - (H y)_i / H_ii is what an LS-SVM that was trained without
example i would score there. One inverse serves all classes.
"""

import numpy as np
from scipy.linalg import lapack

from grambench.common.errors import SolverError
from grambench.common.types import Floats, Labels


def error(gram: Floats, labels: Labels, C: float) -> float:
    """Return the share of examples that LS-SVMs, one-vs-rest, misclassify when they are trained without them.

    Parameters
    ----------
    gram : ndarray of float64 (n, n)
        The Gram matrix.
    labels : ndarray of int (n,)
        The classes.
    C : float
        Weight of the squared loss.

    Raises
    ------
    SolverError
        If K + I/C is not positive definite.
    """
    classes, numbers = np.unique(labels, return_inverse=True)
    factor, failed = lapack.dpotrf(gram + np.eye(len(gram)) / C, lower=True)
    if failed:
        raise SolverError("leave-one-out error: expected a positive definite Gram matrix, got another")
    inverse = np.tril(lapack.dpotri(factor, lower=True)[0])
    inverse += np.tril(inverse, -1).T
    sums = inverse.sum(axis=0)
    inverse -= np.outer(sums, sums) / sums.sum()
    targets = np.where(numbers[:, None] == np.arange(len(classes)), 1.0, -1.0)
    scores = targets - inverse @ targets / np.diagonal(inverse)[:, None]
    return float(np.mean(scores.argmax(axis=1) != numbers))
