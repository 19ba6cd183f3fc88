"""Naive references of the batch algorithms, in the order of their pseudo-code; imports nothing from src.

Every function takes (grams, labels, **parameters) and returns a dictionary with the kernel weights, the objective in
the algorithm's own terms, and the decision values of the training examples. Machines are scikit-learn's SVC, balls
quadratic programs of SciPy's SLSQP: for a dozen examples, to about seven digits, since LIBSVM rounds K to single
precision.
"""

import math

import numpy as np
from scipy.optimize import linprog, minimize, minimize_scalar
from sklearn.svm import SVC


def problem(seed, n=14, d=3, noise=0.3):
    """Three Gaussian kernels and two polynomials of mean diagonal 1 of a noisy problem, and its labels (int8)."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, d))
    labels = np.where(points[:, 0] * points[:, 1] + noise * rng.normal(size=n) > 0, 1, -1).astype(np.int8)
    labels[:2] = 1, -1
    distances = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    inner = points @ points.T
    grams = [np.exp(-distances / (2 * s * s)) for s in (0.3, 1.0, 3.0)] + [(inner + 1) ** p for p in (1, 2)]
    return np.array([gram * n / np.trace(gram) for gram in grams]), labels


def combine(grams, weights):
    total = np.zeros_like(grams[0])
    for weight, gram in zip(weights, grams, strict=True):
        total = total + weight * gram
    return total


def svc(gram, labels, C):
    """Return (signed dual, bias, value) of the C-SVC, max sum alpha - 1/2 v'Kv."""
    machine = SVC(C=C, kernel="precomputed", tol=1e-11, cache_size=1).fit(gram, labels)
    dual = np.zeros(len(labels))
    dual[machine.support_] = machine.dual_coef_[0]
    return dual, float(machine.intercept_[0]), float(np.abs(dual).sum() - 0.5 * dual @ gram @ dual)


def l2_svm(gram, labels, C):
    """Return (signed dual, bias, value) of the hard-margin machine on K + I/C."""
    return svc(gram + np.eye(len(labels)) / C, labels, 1e8)


def ball(gram):
    """Return (beta, squared radius) of the minimum enclosing ball."""
    n = len(gram)
    scale = np.abs(np.diagonal(gram)).max()
    diagonal, unit = np.diagonal(gram) / scale, gram / scale
    solution = minimize(
        lambda beta: beta @ unit @ beta - beta @ diagonal,
        np.full(n, 1.0 / n),
        jac=lambda beta: 2 * unit @ beta - diagonal,
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda beta: beta.sum() - 1, "jac": lambda beta: np.ones(n)},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return solution.x, -scale * float(solution.fun)


def forms(grams, vector):
    return [float(vector @ gram @ vector) for gram in grams]


def radii(grams, beta):
    return [float(beta @ np.diagonal(gram) - beta @ gram @ beta) for gram in grams]


def answer(grams, labels, weights, objective, dual, bias):
    return {"weights": list(weights), "objective": objective, "values": combine(grams, weights) @ dual + bias}


def uniform_svm(grams, labels, C=1.0, combination="mean"):
    weights = [1.0 / len(grams) if combination == "mean" else 1.0] * len(grams)
    dual, bias, value = svc(combine(grams, weights), labels, C)
    return answer(grams, labels, weights, value, dual, bias)


def hits(grams, labels, C, parts):
    """How many examples each kernel predicts correctly; a part is a list of the examples that are held out."""
    right = [0] * len(grams)
    for part in parts:
        kept = [i for i in range(len(labels)) if i not in set(part)]
        for k, gram in enumerate(grams):
            dual, bias, _ = svc(gram[np.ix_(kept, kept)], labels[kept], C)
            for i in part:
                score = sum(gram[i, j] * v for j, v in zip(kept, dual, strict=True)) + bias
                right[k] += (1 if score >= 0 else -1) == labels[i]
    return right


def best_kernel_svm(grams, labels, C=1.0, parts=()):
    """The kernel with the fewest errors over the given parts."""
    right = hits(grams, labels, C, parts)
    best = right.index(max(right))
    weights = [float(k == best) for k in range(len(grams))]
    dual, bias, value = svc(grams[best], labels, C)
    return answer(grams, labels, weights, value, dual, bias)


def pwmk(grams, labels, C=1.0, threshold=1.0, parts=()):
    """Weights by accuracies over the given parts, each less a share of the lowest; equal ones if none is left."""
    accuracies = [right / len(labels) for right in hits(grams, labels, C, parts)]
    above = [accuracy - threshold * min(accuracies) for accuracy in accuracies]
    weights = [value / sum(above) if sum(above) > 0 else 1 / len(above) for value in above]
    dual, bias, value = svc(combine(grams, weights), labels, C)
    return answer(grams, labels, weights, value, dual, bias)


def simple_mkl(grams, labels, C=1.0, gap=1e-7):
    """Rakotomamonjy et al. 2008, Algorithm 1."""
    m = len(grams)

    def J(weights):
        return svc(combine(grams, weights), labels, C)

    d = [1.0 / m] * m
    for _ in range(200):
        dual, bias, value = J(d)
        q = forms(grams, dual)
        if max(q) - sum(d[k] * q[k] for k in range(m)) <= 2 * gap * value:  # eq. 14
            break
        gradient = [-0.5 * q[k] for k in range(m)]  # eq. 11
        mu = d.index(max(d))
        D = [0.0] * m  # eq. 12
        for k in range(m):
            if k != mu and not (d[k] == 0 and gradient[k] - gradient[mu] > 0):
                D[k] = gradient[mu] - gradient[k]
        D[mu] = -sum(D)
        lowest, d_new, D_new = value, d, D
        while True:
            d, D = d_new, D_new
            shrinking = [k for k in range(m) if D[k] < 0]
            if not shrinking:
                step = 0.0
                break
            step, nu = min((-d[k] / D[k], k) for k in shrinking)
            d_new = [max(d[k] + step * D[k], 0.0) for k in range(m)]
            d_new[nu] = 0.0
            reached = J(d_new)[2]
            if reached >= lowest:
                break
            lowest = reached
            D_new = [0.0 if k == nu else D[k] for k in range(m)]
            mu = d_new.index(max(d_new))
            D_new[mu] -= sum(D_new)
        if step > 0:
            search = minimize_scalar(
                lambda t: J([max(d[k] + t * D[k], 0.0) for k in range(m)])[2],  # noqa: B023
                bounds=(0, step),
                method="bounded",
                options={"xatol": 1e-9 * step},
            )
            d = [max(d[k] + search.x * D[k], 0.0) for k in range(m)]
            d = [weight / sum(d) for weight in d]
    return answer(grams, labels, d, value, dual, bias)


def silp(grams, labels, C=1.0, gap=1e-7):
    """Sonnenburg et al. 2006, Algorithm 1: add the machine's constraint, solve the linear program, until they agree."""
    m = len(grams)
    beta, theta = [1.0 / m] * m, 0.0
    rows, rights = [], []
    while True:
        dual, bias, value = svc(combine(grams, beta), labels, C)
        if abs(1 - theta / value) <= gap:
            break
        rows.append([-0.5 * q for q in forms(grams, dual)] + [-1.0])  # S(alpha) <= theta
        rights.append(-float(np.abs(dual).sum()))
        solution = linprog(
            [0.0] * m + [1.0],
            A_ub=rows,
            b_ub=rights,
            A_eq=[[1.0] * m + [0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * m + [(None, None)],
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        beta, theta = list(solution.x[:m]), solution.x[m]
    return answer(grams, labels, beta, value, dual, bias)


def lp_mkl(grams, labels, C=1.0, p=2.0, iterations=60):
    """Kloft et al. 2011, Algorithm 1."""
    m = len(grams)
    theta = [(1.0 / m) ** (1.0 / p)] * m  # line 2
    for _ in range(iterations):  # line 3
        dual, bias, value = svc(combine(grams, theta), labels, C)  # line 4
        norms = [theta[k] * math.sqrt(max(q, 0.0)) for k, q in enumerate(forms(grams, dual))]  # line 5
        total = sum(norm ** (2 * p / (p + 1)) for norm in norms) ** (1 / p)
        theta = [norm ** (2 / (p + 1)) / total for norm in norms]  # line 6, eq. 21
    dual, bias, value = svc(combine(grams, theta), labels, C)
    return answer(grams, labels, theta, value, dual, bias)


def mkl_l2(grams, labels, C=1.0):
    """The value of the machine by gradient projection onto the sphere with the Armijo rule."""

    def evaluate(theta):
        dual, bias, value = svc(combine(grams, theta), labels, C)
        return value, [-0.5 * q for q in forms(grams, dual)], dual, bias

    theta, (value, _, dual, bias) = gradient_projection(evaluate, sphere, sphere([1.0] * len(grams)))
    return answer(grams, labels, theta, value, dual, bias)


def klc(grams, labels, C=1.0, norm="l1"):
    """Chapelle et al. 2002: R^2 ||w||^2 / 2 with the kernel K + I/C, by gradient projection."""
    n = len(labels)

    def evaluate(theta):
        gram = combine(grams, theta)
        dual, bias, value = l2_svm(gram, labels, C)
        beta, r2 = ball(gram + np.eye(n) / C)
        gradient = [value * r - 0.5 * r2 * q for r, q in zip(radii(grams, beta), forms(grams, dual), strict=True)]
        return r2 * value, gradient, dual, bias

    project = simplex if norm == "l1" else sphere
    theta, (value, _, dual, bias) = gradient_projection(evaluate, project, project([1.0 / len(grams)] * len(grams)))
    return answer(grams, labels, theta, value, dual, bias)


def rkl_value(grams, labels, theta, C):
    """Return (g(theta), its gradient, dual / r^2, bias): Gai et al. 2010, eq. 16, 17, 21 and 22."""
    gram = combine(grams, theta)
    beta, r2 = ball(gram)
    alpha, bias, value = svc(gram / r2, labels, C)
    quadratic = float(alpha @ gram @ alpha)
    gradient = [
        -q / (2 * r2) + quadratic / (2 * r2 * r2) * r
        for q, r in zip(forms(grams, alpha), radii(grams, beta), strict=True)
    ]
    return value, gradient, alpha / r2, bias


def rkl(grams, labels, C=1.0, norm="l1"):
    """Gai et al. 2010, Section 5."""
    project = {"l1": simplex, "l2": sphere, "none": lambda theta: [max(t, 0.0) for t in theta]}[norm]
    theta, (value, _, dual, bias) = gradient_projection(
        lambda theta: rkl_value(grams, labels, theta, C), project, project([1.0 / len(grams)] * len(grams))
    )
    return answer(grams, labels, theta, value, dual, bias)


def gradient_projection(evaluate, project, theta, iterations=300, shortest=1e-7):
    """Bertsekas 1999, 2.3: the Armijo rule along the projection arc, each iteration from twice the last step."""
    found, step = evaluate(theta), 1.0
    for _ in range(iterations):
        step *= 2.0
        while True:
            trial = project([t - step * g for t, g in zip(theta, found[1], strict=True)])
            promised = sum(g * (t - s) for g, t, s in zip(found[1], theta, trial, strict=True))
            reached = evaluate(trial)
            if reached[0] <= found[0] - 0.1 * promised:
                break
            step *= 0.5
            if step < shortest:
                return theta, found
        moved = max(abs(t - s) for t, s in zip(theta, trial, strict=True))
        theta, found = trial, reached
        if moved < shortest:
            break
    return theta, found


def simplex(vector):
    """Duchi et al. 2008, Figure 1."""
    mu = sorted(vector, reverse=True)
    rho = max(j for j in range(1, len(mu) + 1) if mu[j - 1] - (sum(mu[:j]) - 1) / j > 0)
    theta = (sum(mu[:rho]) - 1) / rho
    return [max(v - theta, 0.0) for v in vector]


def sphere(vector):
    """Negative values set to 0, then divided by the norm."""
    positive = [max(v, 0.0) for v in vector]
    norm = math.sqrt(sum(v * v for v in positive))
    return [v / norm for v in positive]
