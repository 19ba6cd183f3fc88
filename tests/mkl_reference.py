"""Naive references of learned combinations, in the order of their papers' text; imports nothing from src."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma, gammaln
from scipy.stats import gamma, norm, truncnorm
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC


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


def kernel_stacking(grams, labels, parts, C=1.0):
    """Return the decision values of the training examples; a and b come from the SVMs of all other parts."""
    n = len(labels)
    values, unseen = np.zeros((2, n, len(grams)))
    for k, gram in enumerate(grams):
        values[:, k] = SVC(C=C, kernel="precomputed", tol=1e-5).fit(gram, labels).decision_function(gram)
        for part in parts:
            rest = [i for i in range(n) if i not in part]
            svm = SVC(C=C, kernel="precomputed", tol=1e-5).fit(gram[np.ix_(rest, rest)], labels[rest])
            unseen[part, k] = svm.decision_function(gram[np.ix_(part, rest)])
    return LogisticRegression().fit(unseen, labels).decision_function(values)


def gmkl_value(grams, labels, exponents, C=1.0, regulariser=1.0, norm="l1"):
    """Return T, the product of powers of kernels, and its SVM."""
    n = len(labels)
    kernel = np.ones((n, n))
    for gram, exponent in zip(grams, exponents, strict=True):
        kernel = kernel * (gram / gram[0, 0]) ** exponent
    svm = SVC(C=C, kernel="precomputed", tol=1e-10).fit(kernel, labels)
    dual = np.zeros(n)
    dual[svm.support_] = svm.dual_coef_[0]
    penalty = sum(exponents) if norm == "l1" else sum(exponent**2 for exponent in exponents) / 2
    return np.abs(dual).sum() - dual @ kernel @ dual / 2 + regulariser * penalty, kernel, svm


def gmkl(grams, labels, C=1.0, regulariser=1.0, norm="l1"):
    """Return the exponents and T at the minimum that SciPy reaches from equal exponents."""
    m = len(grams)

    def value(exponents):
        return gmkl_value(grams, labels, exponents, C, regulariser, norm)[0]

    options = {"ftol": 1e-15, "gtol": 1e-8, "maxiter": 500}
    found = minimize(value, np.full(m, 1.0 / m), bounds=[(0, None)] * m, method="L-BFGS-B", options=options)
    return {"weights": found.x, "objective": found.fun}


def group_lasso(features, labels, groups, penalty):
    """Return the value of logistic regression with a group lasso penalty at the minimum, by SciPy; w and b."""
    n, size = len(labels), features.shape[1] // groups

    def value(point):
        loss = np.mean([np.log1p(np.exp(-labels[i] * (features[i] @ point[:-1] + point[-1]))) for i in range(n)])
        return loss + penalty * sum(np.linalg.norm(point[g * size : (g + 1) * size]) for g in range(groups))

    # Powell's method needs no gradient, which a group at 0 does not have.
    options = {"xtol": 1e-9, "ftol": 1e-14, "maxiter": 100_000, "maxfev": 1_000_000}
    point = np.full(features.shape[1] + 1, 0.01)
    for _ in range(10):  # it may stop in a valley, and then goes on from there
        found = minimize(value, point, method="Powell", options=options)
        point = found.x
    return found.fun, found.x[:-1].reshape(groups, size), found.x[-1]


def makl(features, labels, frequencies, offsets, penalty):
    """Return the decision values of one group, whose kernel has these frequencies (d, D) and offsets (D,)."""
    D = len(offsets)
    random = np.sqrt(2 / D) * np.cos(features @ frequencies + offsets)
    _, w, b = group_lasso(random, labels, 1, penalty)
    return random @ w[0] + b


def localised_gate(features, coefficients):
    """Return eta, (n, m), of scaled features (n, d) and coefficients (m, d + 1)."""
    rows = []
    for x in features:
        exponentials = [np.exp(a[:-1] @ x + a[-1]) for a in coefficients]
        rows.append([value / sum(exponentials) for value in exponentials])
    return np.array(rows)


def localised_value(grams, eta, labels, C):
    """Return J of a gate, the SVM's dual with signs, and the decision values of the training examples."""
    kernel = sum(np.outer(gate, gate) * gram for gate, gram in zip(eta.T, grams, strict=True))
    svm = SVC(C=C, kernel="precomputed", tol=1e-10).fit(kernel, labels)
    v = np.zeros(len(labels))
    v[svm.support_] = svm.dual_coef_[0]
    return np.abs(v).sum() - v @ kernel @ v / 2, v, svm.decision_function(kernel)


def localised_mkl(grams, features, labels, coefficients, C=1.0):
    """Return J, its gradient as the paper's double sum, and the decision values of the training examples."""
    (m, n, _), d = grams.shape, features.shape[1]
    eta = localised_gate(features, coefficients)
    value, v, values = localised_value(grams, eta, labels, C)
    gradient = np.zeros((m, d + 1))
    for k in range(m):
        for i in range(n):
            for j in range(n):
                for other in range(m):
                    part = 0.5 * v[i] * v[j] * eta[i, other] * grams[other, i, j] * eta[j, other]
                    same = float(other == k)
                    gradient[k] -= part * (same - eta[i, k]) * np.append(features[i], 1.0)
                    gradient[k] -= part * (same - eta[j, k]) * np.append(features[j], 1.0)
    return value, gradient, values


def bemkl(grams, labels, iterations, sigma=0.1, margin=1.0, sparsity=0.0):
    """Return E[f] of the training examples, the weights, and the variational bound after each iteration."""
    scaled = [gram * len(labels) / np.trace(gram) for gram in grams]
    P, N, variance = len(grams), len(labels), sigma**2
    prior = (10.0**-sparsity, 10.0**sparsity)  # shape and scale
    of_lambda = of_gamma = of_omega = None
    mean_lambda, e, b, of_be = np.ones(N), np.ones(P), 0.0, np.eye(P + 1)
    f = (1.0 + margin) * labels
    G = np.array([f] * P)
    bounds = []
    for _ in range(iterations):
        # q(a)
        of_a = np.linalg.inv(np.diag(mean_lambda) + sum(K @ K for K in scaled) / variance)
        a = of_a @ sum(K @ g for K, g in zip(scaled, G, strict=True)) / variance
        aa = np.outer(a, a) + of_a
        # q(lambda)
        of_lambda = np.full(N, 1.5), 1.0 / (1.0 + np.diagonal(aa) / 2)
        mean_lambda = of_lambda[0] * of_lambda[1]
        # q(G), whose columns share a covariance
        ee, eb = np.outer(e, e) + of_be[1:, 1:], e * b + of_be[0, 1:]
        of_G = np.linalg.inv(np.eye(P) / variance + ee)
        for i in range(N):
            G[:, i] = of_G @ (np.array([K[i] @ a for K in scaled]) / variance + e * f[i] - eb)
        GG = G @ G.T + N * of_G
        # q(gamma), q(omega)
        of_gamma = 1.5, 1.0 / (1.0 + (b**2 + of_be[0, 0]) / 2)
        of_omega = np.full(P, prior[0] + 0.5), 1.0 / (1.0 / prior[1] + np.diagonal(ee) / 2)
        # q(b, e)
        inverse = np.zeros((P + 1, P + 1))
        inverse[0, 0] = of_gamma[0] * of_gamma[1] + N
        inverse[0, 1:] = inverse[1:, 0] = G.sum(axis=1)
        inverse[1:, 1:] = np.diag(of_omega[0] * of_omega[1]) + GG
        of_be = np.linalg.inv(inverse)
        b, *e = of_be @ np.append(f.sum(), G @ f)
        e = np.array(e)
        # q(f)
        values = e @ G + b
        low = np.where(labels > 0, margin - values, -np.inf)
        high = np.where(labels > 0, np.inf, -margin - values)
        f = values + truncnorm.mean(low, high)
        squares = truncnorm.var(low, high) + f**2
        weights = [weight * len(labels) / np.trace(gram) for weight, gram in zip(e, grams, strict=True)]

        # the bound: E[log p] of each factor of the model, and the entropies of those of the approximation
        def of_precision(shape, scale, prior):
            log = digamma(shape) + np.log(scale)
            density = (prior[0] - 1) * log - shape * scale / prior[1] - prior[0] * np.log(prior[1]) - gammaln(prior[0])
            return np.sum(density + gamma.entropy(shape, scale=scale))

        def of_normal(square, shape, scale):
            return np.sum((digamma(shape) + np.log(scale) - np.log(2 * np.pi) - shape * scale * square) / 2)

        def entropy(covariance):
            return np.linalg.slogdet(2 * np.pi * np.e * covariance)[1] / 2

        ee, eb = np.outer(e, e) + of_be[1:, 1:], e * b + of_be[0, 1:]
        bound = of_precision(*of_lambda, (1.0, 1.0)) + of_normal(np.diagonal(aa), *of_lambda) + entropy(of_a)
        bound += of_precision(*of_gamma, (1.0, 1.0)) + of_normal(b**2 + of_be[0, 0], *of_gamma)
        bound += of_precision(*of_omega, prior) + of_normal(np.diagonal(ee), *of_omega) + entropy(of_be)
        errors = np.trace(GG) - 2 * sum(g @ K @ a for K, g in zip(scaled, G, strict=True))
        errors += sum(np.trace(K @ aa @ K) for K in scaled)
        bound += -N * P * np.log(2 * np.pi * variance) / 2 - errors / (2 * variance) + N * entropy(of_G)
        errors = squares.sum() - 2 * f @ values + np.sum(ee * GG) + 2 * eb @ G.sum(axis=1) + N * (b**2 + of_be[0, 0])
        bound += -N * np.log(2 * np.pi) / 2 - errors / 2
        # the entropy of a normal variable that is cut off: its density is that of the whole one over the rest
        bound += np.sum(norm.logcdf(labels * values - margin) + np.log(2 * np.pi) / 2)
        bound += (squares - 2 * f * values + values**2).sum() / 2
        bounds.append(bound)
    return values, np.array(weights), bounds


def mkboost(grams, labels, rng, C=1.0, trials=20, sample=0.2, beta=None):
    """Return the votes of the kernels and the decision values; S1 with a beta, else D1."""
    n, m = len(labels), len(grams)
    D, s = np.full(n, 1.0 / n), np.ones(m)
    values, votes, total = np.zeros(n), np.zeros(m), 0.0
    for _ in range(trials):
        drawn = rng.choice(n, max(1, round(sample * n)), p=D)
        kernels = range(m) if beta is None else [k for k, u in enumerate(rng.random(m)) if u <= s[k] / max(s)]
        found = []
        for k in kernels:
            if len(set(labels[drawn])) == 1:
                h = np.full(n, labels[drawn[0]])
            else:
                svm = SVC(C=C, kernel="precomputed", tol=1e-8).fit(grams[k][np.ix_(drawn, drawn)], labels[drawn])
                h = np.where(svm.decision_function(grams[k][:, drawn]) >= 0, 1, -1)
            errors = [i for i in range(n) if h[i] != labels[i]]
            found.append((D[errors].sum(), k, h))
        for error, k, _ in found:
            s[k] *= 1.0 if beta is None else beta**error
        error, k, h = min(found, key=lambda each: each[0])
        error = max(error, 1 / (2 * n))
        if error < 0.5:
            alpha = np.log((1 - error) / error) / 2
            votes[k] += alpha
            values += alpha * h
            total += alpha
            D = D * np.exp(-alpha * labels * h)
            D = D / D.sum()
    return votes / total, values / total
