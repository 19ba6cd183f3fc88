"""Certificates of optimality, computed from a returned fit and the Gram matrices alone, never by a solver.

Every bound here holds for any feasible arguments, however they were found. v_i = y_i alpha_i are signed coefficients of
the SVM, q_m = v'K_m v, and xi_i = max(0, 1 - y_i f(x_i)).
"""

from typing import Literal, NamedTuple

import numpy as np

from grambench.common.types import Floats, Labels

Loss = Literal["hinge", "squared"]

FEASIBILITY = 1e-9  # how far rounding may leave a point outside of its set, relative to its size
ROUNDING = 1e-14  # of a quadratic form, relative to its largest possible value
SMALLEST_MARGIN = 1e-6  # a smaller one may be a rounding error, which a longer w would make a margin of 1


class Certificate(NamedTuple):
    """How far a fit can be from the optimum.

    Attributes
    ----------
    kkt : float
        Largest violation of the SVM's optimality conditions at the learned kernel, in units of the margin.
    gap : float
        Relative gap between the value of the learning problem and a lower bound of it; for a fixed kernel, the SVM's
        duality gap. GMKL and localised MKL, whose problems are not convex, have that of the SVM at the learned kernel.
    """

    kkt: float
    gap: float


def svm(gram: Floats, labels: Labels, C: float, dual: Floats, bias: float, *, loss: Loss = "hinge") -> Certificate:
    """Certify an SVM at a fixed kernel.

    Parameters
    ----------
    gram : ndarray of float64 (n, n)
        Gram matrix K.
    labels : ndarray of int8 (n,)
        -1 or +1.
    C : float
        Weight of the loss.
    dual : ndarray of float64 (n,)
        Signed coefficients v; if they break their bounds or do not sum to 0 up to rounding, the gap is infinite.
    bias : float
        Offset of the decision function.
    loss : str
        "hinge": a C-SVC; "squared": an L2-SVM.
    """
    return _certify_svm(gram @ dual, labels, C, dual, bias, loss)


def group_norm(grams: Floats, labels: Labels, regularisation: float, q: float, alpha: Floats) -> Certificate:
    """Certify a solution of the group-norm problem of more than two classes (Orabona et al. 2010, (9)).

    Its dual maximises sum beta - ||theta(beta)||_{2,q}^2 / (2 lambda) over beta_iy >= 0 of the incorrect classes y,
    with a sum of at most 1/n for each example, where theta^k(beta) adds beta_iy at the correct class and subtracts it
    at y.

    Parameters
    ----------
    grams : ndarray of float64 (m, n, n)
        Gram matrices.
    labels : ndarray of int8 (n,)
        Classes, from 0.
    regularisation : float
        lambda.
    q : float
        Dual norm of p.
    alpha : ndarray of float64 (n, C)
        Coefficients of theta, w^k = (||theta^k|| / ||theta||_{2,q})^(q-2) theta^k / q.

    Returns
    -------
    Certificate
        The gap is the one between f(w) and the dual at the feasible point next to lambda / q alpha, on the ray from 0.
        kkt is the largest excess of an example's loss, at the w of that point, over the part that its beta explain.
    """
    n = len(labels)
    scores, norms = _scores_and_norms(grams, alpha)
    norm, weights = _group_norm(norms, q)
    primal = 0.5 * regularisation * (norm / q) ** 2
    primal += float(_multiclass_losses(np.einsum("k,kic->ic", weights / q, scores), labels).mean())
    beta, theta = _multiclass_dual_point(alpha * regularisation / q, labels)
    scores, norms = _scores_and_norms(grams, theta)
    norm, weights = _group_norm(norms, q)
    if norm == 0.0:
        return Certificate(1.0, _relative_gap(primal, 0.0))
    scale = min(regularisation * beta.sum() / norm**2, 1.0 / (n * beta.sum(axis=1).max()))
    lower = scale * beta.sum() - (scale * norm) ** 2 / (2.0 * regularisation)
    decision_values = np.einsum("k,kic->ic", weights * scale / regularisation, scores)
    violation = _unexplained_losses(decision_values, labels, beta, scale)
    return Certificate(float(violation.max()), _relative_gap(primal, lower))


def sparse_group_norm(
    grams: Floats, labels: Labels, regularisation: float, sparsity: float, q: float, alpha: Floats
) -> Certificate:
    """Certify a solution of the problem of UFO-MKL (Orabona and Jie 2011).

    Its dual maximises sum beta - ||v||_q^2 / (2 lambda) with v_k = max(0, ||theta^k(beta)|| - sparsity) over the beta
    of `group_norm`.

    Parameters
    ----------
    grams : ndarray of float64 (m, n, n)
        Gram matrices.
    labels : ndarray of int8 (n,)
        Classes, from 0.
    regularisation, sparsity : float
        The weights lambda and alpha of the two parts of the regulariser.
    q : float
        Dual norm of p.
    alpha : ndarray of float64 (n, C)
        Coefficients of theta, w^k = (v_k / ||v||_q)^(q-2) v_k / (lambda ||theta^k||) theta^k.

    Returns
    -------
    Certificate
        The gap is the one between f(w) and the dual at theta, or at the feasible point next to it, whose w is then
        certified. kkt is the largest excess of an example's loss over the part that its beta explain.
    """
    beta, theta = _multiclass_dual_point(alpha, labels)
    scores, norms = _scores_and_norms(grams, theta)
    rest = np.maximum(0.0, norms - sparsity)
    norm, shares = _group_norm(rest, q)
    # ||w^k||, whose sum of p-th powers is ||v||_q^q by a power of ||v||_q, as q = (q - 1) p.
    sizes = shares * rest / regularisation
    squared = norm**2 / regularisation
    weights = np.divide(sizes, norms, out=np.zeros_like(norms), where=norms > 0.0)
    decision_values = np.einsum("k,kic->ic", weights, scores)
    primal = 0.5 * squared + sparsity * sizes.sum() + _multiclass_losses(decision_values, labels).mean()
    violation = _unexplained_losses(decision_values, labels, beta, 1.0)
    return Certificate(float(violation.max()), _relative_gap(float(primal), float(beta.sum() - 0.5 * squared)))


def _scores_and_norms(grams: Floats, alpha: Floats) -> tuple[Floats, Floats]:
    """Return the scores of every kernel, (m, n, C), and ||theta^k||, (m,), of coefficients (n, C)."""
    scores = grams @ alpha
    return scores, np.sqrt(np.maximum(np.einsum("ic,kic->k", alpha, scores), 0.0))


def _group_norm(norms: Floats, q: float) -> tuple[float, Floats]:
    """Return the q-norm of the norms of m kernels, and (norms_k / q-norm)^(q-2), (m,)."""
    largest = norms.max() or 1.0
    total = float(((norms / largest) ** q).sum() ** (1.0 / q))
    return largest * total, (norms / largest / (total or 1.0)) ** (q - 2.0)


def _multiclass_losses(scores: Floats, labels: Labels) -> Floats:
    """Return the multi-class hinge losses, (n,), of scores (n, C)."""
    examples, rivals = np.arange(len(labels)), scores.copy()
    rivals[examples, labels] = -np.inf
    return np.asarray(np.maximum(0.0, 1.0 - scores[examples, labels] + rivals.max(axis=1)))


def _multiclass_dual_point(alpha: Floats, labels: Labels) -> tuple[Floats, Floats]:
    """Return the feasible beta (n, C) next to coefficients of theta (n, C), and the coefficients of its theta."""
    n, examples = len(labels), np.arange(len(labels))
    beta = np.maximum(-alpha, 0.0)
    beta[examples, labels] = 0.0
    sums = beta.sum(axis=1, keepdims=True)
    beta *= np.minimum(1.0, np.divide(1.0 / n, sums, out=np.ones_like(sums), where=sums > 0.0))
    theta = -beta
    theta[examples, labels] = beta.sum(axis=1)
    return beta, theta


def _unexplained_losses(scores: Floats, labels: Labels, beta: Floats, scale: float) -> Floats:
    """Return the loss of each example less the part that `scale` times its beta explain, (n,)."""
    slack = 1.0 - (scores[np.arange(len(labels)), labels][:, None] - scores)
    return np.asarray(_multiclass_losses(scores, labels) - len(labels) * scale * (beta * slack).sum(axis=1))


def _certify_svm(scores: Floats, labels: Labels, C: float, dual: Floats, bias: float, loss: Loss) -> Certificate:
    norm = float(dual @ scores)
    alpha = labels * dual
    if not (np.isfinite(bias) and _is_feasible(alpha, dual, C if loss == "hinge" else np.inf)):
        return Certificate(np.inf, np.inf)
    slack = 1.0 - labels * (scores + bias)
    primal = _primal_bound(norm, labels * (scores + bias), C, loss)
    lower = alpha.sum() - 0.5 * norm - (0.5 * float(dual @ dual) / C if loss == "squared" else 0.0)
    return Certificate(_largest_violation(slack, alpha, C, loss), _relative_gap(primal, lower))


def mkl(
    grams: Floats,
    labels: Labels,
    C: float,
    weights: Floats,
    dual: Floats,
    bias: float,
    *,
    p: float,
    bound: Floats | None = None,
) -> Certificate:
    """Certify a solution of multiple-kernel learning under ||theta||_p <= 1, theta >= 0.

    The value is P = 1/2 v'K(theta)v + C sum_i xi_i, and the bound D = sum_i alpha_i - 1/2 ||(q_m)_m||_p* with
    1/p + 1/p* = 1 (Kloft et al. 2011, JMLR 12, Section 3.2); for p = 1, the norm is the largest q_m
    (Rakotomamonjy et al. 2008, JMLR 9, Section 3.4).

    Parameters
    ----------
    grams : ndarray of float64 (m, n, n)
        Base Gram matrices.
    labels, C, dual, bias
        See `svm`.
    weights : ndarray of float64 (m,)
        theta.
    p : float
        At least 1.
    bound : ndarray of float64 (n,), optional
        Other feasible coefficients from which D is computed, if they give a better bound than the SVM's.
    """
    scores, forms = np.tensordot(weights, grams, 1) @ dual, _quadratic_forms(grams, dual)
    other = None if bound is None else (bound, _quadratic_forms(grams, bound))
    return mkl_of_sums(scores, forms, labels, C, weights, dual, bias, p=p, bound=other)


def mkl_of_sums(
    scores: Floats,
    forms: Floats,
    labels: Labels,
    C: float,
    weights: Floats,
    dual: Floats,
    bias: float,
    *,
    p: float,
    bound: tuple[Floats, Floats] | None = None,
) -> Certificate:
    """Certify as `mkl` does, from sums over the Gram matrices, where these are too many to be stored or read again.

    Parameters
    ----------
    scores : ndarray of float64 (n,)
        K(theta) v.
    forms : ndarray of float64 (m,)
        q_m of the dual.
    labels, C, weights, dual, bias, p
        See `mkl`.
    bound : tuple of ndarray of float64 (n,) and (m,), optional
        See `mkl`; the coefficients and their q_m.
    """
    inner = _certify_svm(scores, labels, C, dual, bias, "hinge")
    other, other_forms = bound or (dual, forms)
    is_feasible = np.isfinite(inner.gap) and _is_feasible(labels * other, other, C)
    if not is_feasible or weights.min() < 0 or np.linalg.norm(weights, p) > 1 + FEASIBILITY:
        return Certificate(inner.kkt, np.inf)
    primal = _primal_bound(float(weights @ forms), labels * (scores + bias), C, "hinge")
    lower = np.abs(other).sum() - 0.5 * _norm(other_forms, np.inf if p == 1 else p / (p - 1))
    return Certificate(inner.kkt, _relative_gap(primal, lower))


def images(grams: Floats, dual: Floats) -> Floats:
    """Return K_m v of every kernel, (m, n), from the rows where v is not 0."""
    support = np.flatnonzero(dual)
    return np.array([dual[support] @ gram[support] for gram in grams])


def rkl(
    grams: Floats, labels: Labels, C: float, weights: Floats, dual: Floats, bias: float, centre: Floats
) -> Certificate:
    """Certify a solution of radius-based kernel learning (RKL, Gai et al. 2010, eq. 9).

    The paper calls its problem not convex. Since g(a theta) = g(theta), however, it is equivalent to minimising the
    SVM's value, which is convex in theta, over the convex set r^2(theta) <= 1. Any alpha in [0, C]^n with sum 0 of
    y_i alpha_i and any beta of the simplex therefore give the bound

        g(theta) >= sum_i alpha_i - 1/2 max_m q_m(alpha) / rho_m(beta),   rho_m = sum_i beta_i K_m,ii - beta'K_m beta,

    of every theta >= 0: with theta scaled to r^2 = 1, sum_m theta_m rho_m(beta) <= 1. The bound is tight at
    local optima too, so every local optimum is a global one.

    Parameters
    ----------
    grams, labels, C, weights
        See `mkl`; the weights may have any scale.
    dual : ndarray of float64 (n,)
        Coefficients of the decision function, v = y alpha / r^2.
    bias : float
        Offset of the decision function.
    centre : ndarray of float64 (n,)
        beta, coefficients of the centre of an enclosing ball.
    """
    sums = np.tensordot(weights, grams, 1), _quadratic_forms(grams, dual), _radii(grams, centre)
    largest = np.array([np.abs(np.diagonal(gram)).max() for gram in grams])
    return rkl_of_sums(*sums, largest, labels, C, weights, dual, bias, centre)


def rkl_of_sums(
    gram: Floats,
    forms: Floats,
    radii: Floats,
    largest: Floats,
    labels: Labels,
    C: float,
    weights: Floats,
    dual: Floats,
    bias: float,
    centre: Floats,
) -> Certificate:
    """Certify as `rkl` does, from sums over the Gram matrices, where these are too many to be stored.

    Parameters
    ----------
    gram : ndarray of float64 (n, n)
        K(theta).
    forms, radii : ndarray of float64 (m,)
        q_m of the dual, and rho_m of the centre.
    largest : ndarray of float64 (m,)
        Largest absolute value of the diagonal of each kernel.
    labels, C, weights, dual, bias, centre
        See `rkl`.
    """
    least, most = _squared_radius(gram, centre)
    if weights.min() < 0 or not _is_on_simplex(centre) or least <= 0:
        return Certificate(np.inf, np.inf)
    at_kernel = svm(gram, labels, C / least, dual, bias)
    if not np.isfinite(at_kernel.gap):
        return at_kernel
    alpha = least * np.abs(dual)
    # The ratio is 0 for a kernel that is constant up to rounding, and infinite if only rho_m is 0.
    flat = np.where(forms > ROUNDING * largest * np.abs(dual).sum() ** 2, np.inf, 0.0)
    ratios = least**2 * np.divide(forms, radii, out=flat, where=radii > ROUNDING * largest)
    primal = _primal_bound(most * float(dual @ gram @ dual), labels * (gram @ dual + bias), C, "hinge")
    return Certificate(at_kernel.kkt, _relative_gap(primal, alpha.sum() - 0.5 * ratios.max()))


def radius_margin(
    grams: Floats,
    labels: Labels,
    C: float,
    weights: Floats,
    dual: Floats,
    bias: float,
    centre: Floats,
    *,
    norm: Literal["l1", "l2"],
) -> Certificate:
    """Certify a stationary point of R^2(K + I/C) ||w||^2 / 2 (Chapelle et al. 2002, Section 4).

    The problem is not convex, so no gap to the optimum is known. The gap returned here is the largest decrease of the
    objective's linear model within the constraint on the weights, relative to the objective. It is 0 at stationary
    points only. The l2 sphere is not convex: there the model is that of the objective at theta / ||theta||, and the
    decrease is taken within the ball. The relative gaps of the SVM and the MEB count if they are larger.

    Parameters
    ----------
    grams, labels, C, weights
        See `mkl`.
    dual, bias
        Coefficients and offset of the L2-SVM with this C.
    centre : ndarray of float64 (n,)
        beta, coefficients of the centre of the MEB for K(theta) + I/C.
    norm : str
        "l1" or "l2": the constraint ||theta|| = 1.
    """
    gram = np.tensordot(weights, grams, 1)
    at_kernel = svm(gram, labels, C, dual, bias, loss="squared")
    size = np.linalg.norm(weights, 1 if norm == "l1" else 2)
    off_constraint = weights.min() < 0 or abs(size - 1.0) > FEASIBILITY
    if not np.isfinite(at_kernel.gap) or off_constraint or not _is_on_simplex(centre):
        return Certificate(at_kernel.kkt, np.inf)
    radius, most = _squared_radius(gram + np.eye(len(gram)) / C, centre)
    value = np.abs(dual).sum() - 0.5 * (dual @ gram @ dual + (dual @ dual) / C)
    gradient = value * _radii(grams, centre) - 0.5 * radius * _quadratic_forms(grams, dual)
    along = float(gradient @ weights)
    tangent = gradient - along * weights
    decrease = along - gradient.min() if norm == "l1" else np.linalg.norm(np.minimum(tangent, 0.0))
    total = radius * value
    # With one class only, all of them are 0.
    relative = float(decrease / total) if total > 0 else 0.0
    return Certificate(at_kernel.kkt, max(relative, _relative_gap(most, radius), at_kernel.gap))


def regularised_risk(gram: Floats, y: Floats, gamma: float, weights: Floats, c: Floats, largest: float) -> Certificate:
    """Certify a kernel of least regularised risk in a convex hull (CR, Argyriou et al. 2005).

    The value at f = sum_i c_i k(x_i, .) is ||y - Kc||^2 / gamma + c'Kc. For any a, 2 a'y - gamma a'a - a'K'a bounds
    the risk of a kernel K' from below, and no a'K'a of the hull is larger than that of one of its corners. Here a is
    c, scaled to give the best bound, which is above 0.

    Parameters
    ----------
    gram : ndarray of float64 (n, n)
        Gram matrix K of the learned kernel.
    y : ndarray of float64 (n,)
        -1 or +1.
    gamma : float
        Weight of the regulariser.
    weights : ndarray of float64 (r,)
        Weights of the corners in K; if one is negative or they do not sum to 1 up to rounding, the gap is infinite.
    c : ndarray of float64 (n,)
        Coefficients of f.
    largest : float
        Largest c'K'c over all corners K'.
    """
    image = gram @ c
    residual, norm = y - image, float(c @ image)
    kkt = float(np.abs(residual - gamma * c).max())
    if not _is_on_simplex(weights):
        return Certificate(kkt, np.inf)
    value = float(residual @ residual) / gamma + norm
    curvature = gamma * float(c @ c) + max(largest, norm)
    return Certificate(kkt, _relative_gap(value, float(c @ y) ** 2 / curvature if curvature > 0.0 else 0.0))


def hulls(gram: Floats, labels: Labels, share: float, dual: Floats) -> Certificate:
    """Certify the nearest points of two convex hulls (EasyMKL, Aiolli and Donini 2015), between two classes.

    The value is P = gamma'Q gamma with Q = (1 - share) YKY + share I, the squared distance of the points that gamma
    weighs. Along the line between them the hulls are at least sum_y min_{y_i = y} (Q gamma)_i / sqrt(P) apart, whose
    square is the bound.

    Parameters
    ----------
    gram : ndarray of float64 (n, n)
        Gram matrix K.
    labels : ndarray of int8 (n,)
        -1 or +1; both occur.
    share : float
        lambda.
    dual : ndarray of float64 (n,)
        Y gamma; if a class does not sum to 1 up to rounding, the gap is infinite.
    """
    points = labels * dual
    classes = [labels == label for label in (-1, 1)]
    if not (points.min() >= 0.0 and all(abs(points[members].sum() - 1.0) <= FEASIBILITY for members in classes)):
        return Certificate(np.inf, np.inf)
    image = (1.0 - share) * labels * (gram @ dual) + share * points  # Q gamma
    value = float(points @ image)
    if value <= 0.0:
        # The hulls meet.
        return Certificate(0.0, 0.0)
    distance = sum(float(image[members].min()) for members in classes)
    spread = max(float(image[members & (points > 0.0)].max() - image[members].min()) for members in classes)
    return Certificate(2.0 * spread / value, _relative_gap(value, max(distance, 0.0) ** 2 / value))


def group_lasso(features: Floats, labels: Labels, penalty: float, coefficients: Floats, bias: float) -> Certificate:
    """Certify a logistic regression with a group lasso penalty.

    The value is P = 1/n sum_i log(1 + exp(-y_i f(x_i))) + lambda sum_g ||w_g||. Any p in [0, 1]^n with sum 0 of y_i p_i
    and ||sum_i p_i y_i z_gi|| <= n lambda gives the bound D = 1/n sum_i H(p_i), H the entropy. The p here are the
    probabilities of the other class, shortened until they satisfy both.

    Parameters
    ----------
    features : ndarray of float64 (n, G p)
        Features, group by group.
    labels : ndarray of int8 (n,)
        -1 or +1; both occur.
    penalty : float
        lambda.
    coefficients : ndarray of float64 (G, p)
        w.
    bias : float
        b.

    Returns
    -------
    Certificate
        kkt is the largest violation of the optimality conditions of a group, relative to lambda.
    """
    n, norms = len(labels), np.linalg.norm(coefficients, axis=1)
    margins = labels * (features @ coefficients.ravel() + bias)
    value = float(np.logaddexp(0.0, -margins).mean() + penalty * norms.sum())
    # log(1 + exp(-t)) without overflow; the probability of the other class is exp(-log(1 + exp(t))).
    p = np.exp(-np.logaddexp(0.0, margins))
    pull = (features.T @ (labels * p)).reshape(coefficients.shape) / n
    direction = coefficients / np.where(norms > 0.0, norms, 1.0)[:, None]
    excess = np.linalg.norm(pull - penalty * direction, axis=1) - np.where(norms > 0.0, 0.0, penalty)
    sums = [p[labels == label].sum() for label in (-1, 1)]
    for label, total in zip((-1, 1), sums, strict=True):
        p[labels == label] *= min(sums) / total if total > 0.0 else 0.0
    pull = (features.T @ (labels * p)).reshape(coefficients.shape) / n
    p *= min(1.0, penalty / max(float(np.linalg.norm(pull, axis=1).max()), ROUNDING))
    lower = -float(np.mean(_xlogx(p) + _xlogx(1.0 - p)))
    return Certificate(float(max(excess.max(), 0.0)) / penalty, _relative_gap(value, lower))


def _xlogx(values: Floats) -> Floats:
    return values * np.log(np.where(values > 0.0, values, 1.0))


def _is_feasible(alpha: Floats, dual: Floats, box: float) -> bool:
    edge = FEASIBILITY * np.abs(dual).max(initial=0.0)
    return bool(alpha.min() >= -edge and alpha.max() <= box * (1 + FEASIBILITY) and abs(dual.sum()) <= len(dual) * edge)


def _largest_violation(slack: Floats, alpha: Floats, C: float, loss: Loss) -> float:
    """Return the largest gain, in units of the margin, from growing or shrinking one coefficient."""
    box = C if loss == "hinge" else np.inf
    gain = slack if loss == "hinge" else slack - alpha / C
    grows = gain[alpha < box * (1 - FEASIBILITY)].max(initial=0.0)
    shrinks = -gain[alpha > 0.0].min(initial=0.0)
    return float(max(grows, shrinks))


def _primal_bound(norm: float, margins: Floats, C: float, loss: Loss) -> float:
    """Return an upper bound of the SVM's value from its decision values: the least objective of s f over s >= 1.

    Examples a little inside of the margin cost a large C more than the whole problem is worth; a slightly longer w
    avoids this cost. The candidate factors are those at which an example reaches the margin.
    """
    factors = np.append(1.0, 1.0 / margins[(margins > SMALLEST_MARGIN) & (margins < 1.0)])
    xi = np.maximum(1.0 - factors[:, None] * margins, 0.0)
    losses = C * xi.sum(axis=1) if loss == "hinge" else 0.5 * C * (xi * xi).sum(axis=1)
    return float((0.5 * norm * factors**2 + losses).min())


def _is_on_simplex(centre: Floats) -> bool:
    return bool(centre.min() >= 0 and abs(centre.sum() - 1.0) <= FEASIBILITY)


def _squared_radius(gram: Floats, centre: Floats) -> tuple[float, float]:
    """Return bounds of the smallest ball's squared radius: the dual value of a centre, and its farthest example's."""
    diagonal, image = np.diagonal(gram), gram @ centre
    inner = float(centre @ image)
    return float(centre @ diagonal) - inner, float((diagonal - 2.0 * image).max()) + inner


def _norm(forms: Floats, order: float) -> float:
    """Return the norm of some order; forms are scaled to at most 1, since powers of a high order overflow."""
    largest = forms.max()
    return float(largest * np.linalg.norm(np.maximum(forms, 0.0) / largest, order)) if largest > 0 else 0.0


def _quadratic_forms(grams: Floats, vector: Floats) -> Floats:
    return np.array([vector @ gram @ vector for gram in grams])


def _radii(grams: Floats, centre: Floats) -> Floats:
    return np.array([centre @ np.diagonal(gram) - centre @ gram @ centre for gram in grams])


def _relative_gap(upper: float, lower: float) -> float:
    if upper == lower:
        return 0.0
    return float((upper - lower) / abs(upper)) if upper else np.inf
