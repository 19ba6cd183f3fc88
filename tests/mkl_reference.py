"""Naive references of EasyMKL and CKA, in the order of their papers' text; imports nothing from src."""

import numpy as np
from scipy.optimize import minimize


def nearest(gram, labels, share):
    """Return gamma, which minimises (1 - share) gamma'YKY gamma + share ||gamma||^2, over a simplex for each class."""
    n = len(labels)
    Q = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            Q[i, j] = (1 - share) * labels[i] * gram[i][j] * labels[j] + (share if i == j else 0.0)
    start = np.array([1.0 / np.count_nonzero(labels == label) for label in labels])
    unit = start @ Q @ start  # SLSQP stops by absolute changes
    solution = minimize(
        lambda gamma: gamma @ Q @ gamma / unit,
        start,
        jac=lambda gamma: 2 * Q @ gamma / unit,
        bounds=[(0, 1)] * n,
        constraints=[{"type": "eq", "fun": lambda gamma, y=label: gamma[labels == y].sum() - 1.0} for label in (-1, 1)],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    return solution.x, solution.fun * unit


def easy_mkl(grams, labels, regulariser):
    """Return the weights of the given kernels, the objective of the second problem, and the decision values."""
    scales = [len(labels) / np.trace(gram) for gram in grams]
    scaled = [scale * gram for scale, gram in zip(scales, grams, strict=True)]
    gamma, _ = nearest(sum(scaled), labels, regulariser)
    forms = [sum(gamma[i] * labels[i] * gram[i] @ (labels * gamma) for i in range(len(labels))) for gram in scaled]
    eta = [form / sum(forms) for form in forms]
    kernel = sum(weight * gram for weight, gram in zip(eta, scaled, strict=True))
    gamma, objective = nearest(kernel, labels, regulariser)
    scores = kernel @ (labels * gamma)
    points = [gamma[labels == label] @ scores[labels == label] for label in (-1, 1)]  # w'c of both points
    weights = [weight * scale for weight, scale in zip(eta, scales, strict=True)]
    return {"weights": np.array(weights), "objective": objective, "values": scores - sum(points) / 2}


def cka(grams, labels):
    """Return the weights: alignments of the centred matrices with yy', which sum to one."""
    n = len(labels)
    centre = np.eye(n) - np.full((n, n), 1.0 / n)
    target = np.outer(labels, labels).astype(float)
    found = []
    for gram in grams:
        K = centre @ gram @ centre
        found.append(max(0.0, np.sum(K * target) / np.sqrt(np.sum(K * K))))
    return np.array(found) / sum(found)


def single_kernel(grams, labels, kernel=0):
    """Weights: all on one kernel."""
    return [float(k == kernel) for k in range(len(grams))]
