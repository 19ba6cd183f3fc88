"""Chi-square distances d(x, y) = sum_j (x_j - y_j)^2 / (x_j + y_j) between rows that sum to one.

Divisions are slow, so the four terms of a quad of features are brought to one denominator. No term is negative, so that
nothing cancels, equal rows have distance 0, and the relative error is that of the additions. A quad in which one row
has only zeros contributes the sum of the other row, without a division.
"""

import numpy as np

from grambench.common.lazy_numba import njit
from grambench.common.types import Floats
from grambench.kernels.pairs import ABREAST, DEPTH, QUAD, PairFunction, ScaledRows, matrix, padded, scaled, totals

# Added to each denominator, so that two zeros do not divide by 0. It vanishes in rounding beside a feature above 1e-24,
# which keeps the distance symmetric to the last bit. The product of four such numbers does not underflow.
TINY = 1e-40


def histograms(features: Floats) -> ScaledRows:
    """Return histograms (n, d) whose rows sum to one; raise ValueError if a feature is negative."""
    if features.dtype.kind != "u" and features.size and features.min() < 0:
        raise ValueError(f"chi-square distances are of histograms, expected no negative feature, got {features.min()}")
    return scaled(features, 1)


def pairwise(x: Floats, y: Floats | None = None) -> Floats:
    """Return the distances (a, b) between histograms x (a, d) and y (b, d), by default x, scaled to a sum of 1."""
    return matrix(DISTANCES, histograms(x), None if y is None else histograms(y))


@njit(cache=True, error_model="numpy")
def sum_of_distances(features, scales, offset):  # type: ignore[no-untyped-def]
    """Return the sum of the distances between scaled rows i and (i + offset) mod n of features (n, d)."""
    n, d = features.shape
    # Sums by feature let the loop vectorise; one sum would have to be added in order.
    terms = np.zeros(d)
    for i in range(n):
        x, y, scale_x, scale_y = features[i], features[(i + offset) % n], scales[i], scales[(i + offset) % n]
        for j in range(d):
            p, q = x[j] * scale_x, y[j] * scale_y
            terms[j] += (p - q) * (p - q) / ((p + TINY) + q)
    return terms.sum()


@njit(cache=True, error_model="numpy")
def _quad(x0, x1, x2, x3, y0, y1, y2, y3):  # type: ignore[no-untyped-def]
    """Return the contribution of four features to a distance, if neither row has only zeros."""
    s0, s1, s2, s3 = (x0 + TINY) + y0, (x1 + TINY) + y1, (x2 + TINY) + y2, (x3 + TINY) + y3
    d0, d1, d2, d3 = x0 - y0, x1 - y1, x2 - y2, x3 - y3
    s01, s23 = s0 * s1, s2 * s3
    d01, d23 = d0 * d0 * s1 + d1 * d1 * s0, d2 * d2 * s3 + d3 * d3 * s2
    return (d01 * s23 + d23 * s01) / (s01 * s23)


@njit(cache=True, error_model="numpy")
def _distances(rows: Floats, columns: Floats) -> Floats:
    """Return the distances between rows (a, D) and columns (D, b), (a, b)."""
    d, b = columns.shape
    sums = np.empty((d // QUAD, b))
    for q in range(d // QUAD):
        y0, y1, y2, y3 = columns[QUAD * q], columns[QUAD * q + 1], columns[QUAD * q + 2], columns[QUAD * q + 3]
        for k in range(b):
            sums[q, k] = (y0[k] + y1[k]) + (y2[k] + y3[k])
    values = np.zeros((len(rows), b))
    for first in range(0, d // QUAD, DEPTH):
        for i in range(len(rows)):
            out = values[i]
            for q in range(first, min(first + DEPTH, d // QUAD)):
                j, sum_y = QUAD * q, sums[q]
                x0, x1, x2, x3 = rows[i, j], rows[i, j + 1], rows[i, j + 2], rows[i, j + 3]
                sum_x = (x0 + x1) + (x2 + x3)
                if sum_x == 0.0:
                    for k in range(b):
                        out[k] += sum_y[k]
                    continue
                y0, y1, y2, y3 = columns[j], columns[j + 1], columns[j + 2], columns[j + 3]
                for k in range(b):
                    # The quotient is computed even where it is not used: a branch would keep the loop from vectorising.
                    term = _quad(x0, x1, x2, x3, y0[k], y1[k], y2[k], y3[k])
                    out[k] += sum_x if sum_y[k] == 0.0 else term
    return values


@njit(cache=True, error_model="numpy")
def _row_distances(left, left_scales, i, features, scales, columns):  # type: ignore[no-untyped-def]
    row = padded(left, left_scales, i)
    d, count = features.shape[1], len(row) // QUAD
    # The features of a quad lie in four arrays, so that the loop over quads vectorises.
    x0, x1, x2, x3 = row[0::QUAD].copy(), row[1::QUAD].copy(), row[2::QUAD].copy(), row[3::QUAD].copy()
    sums = (x0 + x1) + (x2 + x3)
    values, other, terms = np.zeros(len(columns)), np.zeros(len(row)), np.zeros((ABREAST, count))
    for first in range(0, len(columns), ABREAST):
        part = columns[first : first + ABREAST]
        for k in range(len(part)):
            counts, scale, out = features[part[k]], scales[part[k]], terms[k]
            for j in range(d):
                other[j] = counts[j] * scale
            for q in range(count):
                y0, y1, y2, y3 = other[QUAD * q], other[QUAD * q + 1], other[QUAD * q + 2], other[QUAD * q + 3]
                sum_y = (y0 + y1) + (y2 + y3)
                # The quotient is computed even where it is not used: a branch would keep the loop from vectorising.
                term = _quad(x0[q], x1[q], x2[q], x3[q], y0, y1, y2, y3)
                term = sums[q] if sum_y == 0.0 else term
                out[q] = sum_y if sums[q] == 0.0 else term
        totals(terms, values[first : first + ABREAST])
    return values


DISTANCES = PairFunction(_distances, _row_distances)
