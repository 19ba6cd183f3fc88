"""Centred alignment of Gram matrices with the labels (Cortes et al. 2010; CA, Section 2, Afkanpour et al. 2013).

A(K, yy') = <K_c, y_c y_c'>_F / (||K_c||_F ||y_c y_c'||_F) with K_c = C K C, y_c = C y and C = I - 11'/n.
"""

import numpy as np

from grambench.common.types import Floats, Labels

CENTRING, ALIGNMENT = 3, 5  # passes over a Gram matrix, n row additions each; an alignment centres


def centred(gram: Floats) -> Floats:
    """Return C K C for a symmetric K (n, n)."""
    means = gram.mean(axis=0)
    result: Floats = gram - means
    result -= (means - means.mean())[:, None]
    return result


def centred_labels(labels: Labels) -> Floats:
    """Return y_c = C y, (n,)."""
    y = labels.astype(np.float64)
    y -= y.mean()
    return y


def scaled_to_one(weights: Floats) -> Floats:
    """Return weights scaled to sum to one; equal weights if all of them are 0."""
    total = weights.sum()
    return weights / total if total > 0.0 else np.full(len(weights), 1.0 / len(weights))


def alignment(gram: Floats, labels: Labels) -> float:
    """Return the centred alignment of K (n, n) with yy'; 0 for a constant K or a single class.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([-1, -1, 1, 1])
    >>> round(alignment(np.outer(y, y), y), 12), alignment(np.ones((4, 4)), y)
    (1.0, 0.0)
    """
    y, centre = centred_labels(labels), centred(gram)
    scale = np.linalg.norm(centre) * (y @ y)
    return float(y @ centre @ y / scale) if scale > 0.0 else 0.0
