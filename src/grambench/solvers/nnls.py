"""Non-negative quadratic programs, by the Lawson-Hanson method of SciPy."""

import numpy as np

from grambench.common.types import Floats

RANK = 1e-12  # eigenvalues below this share of the largest count as 0
ASYMMETRY = 1e-8  # of the largest entry: what rounding may leave


def minimise(matrix: Floats, linear: Floats) -> Floats:
    """Minimise 1/2 x'Mx - b'x over x >= 0.

    Parameters
    ----------
    matrix : ndarray of float64 (m, m)
        M, symmetric, positive semi-definite.
    linear : ndarray of float64 (m,)
        b, in the range of M; the component outside of it is ignored.

    Returns
    -------
    ndarray of float64 (m,)

    Raises
    ------
    ValueError
        If M is not symmetric, not finite or indefinite.
    """
    # imported late: it takes longer to import than a whole study to check
    from scipy.linalg import eigh
    from scipy.optimize import nnls

    if not (np.isfinite(matrix).all() and np.isfinite(linear).all()):
        raise ValueError("non-negative quadratic program: expected finite entries")
    if np.abs(matrix - matrix.T).max() > ASYMMETRY * np.abs(matrix).max():
        raise ValueError("non-negative quadratic program: expected a symmetric matrix")
    diagonal = np.diagonal(matrix)
    # Variables are scaled to a unit diagonal, so none counts as 0 for its scale.
    units = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    values, vectors = eigh(matrix / units / units[:, None])
    if values[0] < -ASYMMETRY * np.abs(values).max():
        raise ValueError(f"non-negative quadratic program: expected no negative eigenvalue, got {values[0]:g}")
    keep = values > RANK * values[-1]
    if not keep.any():
        return np.zeros(len(linear))
    roots = np.sqrt(values[keep])
    factor = roots[:, None] * vectors[:, keep].T  # M = F'F, and b = F'c
    target = (vectors[:, keep].T @ (linear / units)) / roots
    return np.asarray(nnls(factor, target)[0] / units)
