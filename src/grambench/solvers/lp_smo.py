"""Sequential minimal optimisation of the dual of lp-norm multiple-kernel learning (Vishwanathan et al. 2010, NIPS 23).

    maximise  D(v) = sum_i |v_i| - 1/2 ||q||_p*,   q_m = v'K_m v,   1/p + 1/p* = 1
    theta_m = (q_m / ||q||_p*)^(p* - 1)

over 0 <= y_i v_i <= C with sum v = 0, for p > 1. Its gradient is y - sum_m theta_m K_m v, so that a step changes all
K_m v and combines them, in O(m n). This takes longest where memory is read, the rows of the base kernels. Steps are
therefore taken in batches.

- During a batch, K_m v stays as it was, and rows of one combined kernel change the gradient, as in an SVM. The forms
  q_m are followed to first order in the changes of the batch, and theta follows the forms.
- After a batch, all K_m v are corrected for the coefficients that it changed, four rows at a time. A batch that went
  past the largest D on its way is shortened, and the next one has fewer steps.

Since the gradient is exact after each batch, the combined kernel is only a model. Its weights stay until the curvature
along a batch was too different, and most kernels with small weights are left out.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dgemv

from grambench.common.errors import SolverError
from grambench.common.lazy_numba import largest, njit
from grambench.common.types import Floats, Labels
from grambench.solvers import svm
from grambench.solvers.combination import Combination, CombinationRows, add_rows, row
from grambench.solvers.smo import CURVATURE_FLOOR, UNBOUNDED, masks, most_promising, steepest, transfer

FIRST_BATCH = 8  # steps
STEPS_AN_EXAMPLE = 200  # after which Newton's method is left to solve an ill-conditioned problem
# slopes of D at the end of a batch, relative to the start, for half and for twice as many steps in the next one
TOO_LONG, SHORT = -0.5, -0.3
OVERSHOT = -0.9  # of that slope: the batch is shortened
MISFIT = 0.25  # relative error of the model's curvature at which its weights are renewed
RESCALED = 0.05  # relative error of its scale at which it is corrected
OMITTED = 0.3  # share of the curvature that the model's kernels may leave out; half as much each time it is renewed
LEAST_REDUCTION, MOST_REDUCTION = 0.2, 0.01  # of the violation, by a batch with a bad and with a good model
BEARING = 8.0  # of the model, relative to how much the slope of D changed along the batch; at most 1
AIM = 0.4  # violation at which the last batch ends, relative to what is needed
IGNORED = 0.1  # change of the gradient by one weight that is put off, relative to the batch's tolerance
MOST_SHORTENINGS = 20  # of a step
STEP_OVERSHOT = -0.3  # slope at the end of a step, relative to the start, from which on it is shortened
NEGLIGIBLE = 1e-9  # relative size of a form that does not bend D
ROUNDING = 1e-12  # of a kernel's curvature along a batch, relative to its largest possible value
PATIENCE = 20  # batches without progress
PROGRESS, RISE = 0.1, 1e-10  # relative decrease of the least violation, or rise of D, that counts as progress


class Solution(NamedTuple):
    """Weights and an SVM trained with them, f(x) = sum_i dual_i K(theta)(x, x_i) + bias.

    Attributes
    ----------
    weights : ndarray of float64 (m,)
        theta, of p-norm 1.
    dual : ndarray of float64 (n,)
        Signed coefficients v_i = y_i alpha_i.
    bias : float
        Offset of the decision function.
    objectives : list of float
        SVM's value at theta after each batch or iteration, an upper bound of the optimum.
    converged : bool
        Whether the gap was reached.
    steps : int
        Number of steps.
    row_additions : int
        Additions of one array of n numbers to another, beyond those of steps.
    """

    weights: Floats
    dual: Floats
    bias: float
    objectives: list[float]
    converged: bool
    steps: int
    row_additions: int = 0


def train(
    combination: Combination,
    labels: Labels,
    C: float,
    p: float,
    *,
    gap: float,
    tolerance: float,
    max_batches: int,
    max_steps: int = svm.MAX_STEPS,
) -> Solution | None:
    """Learn the kernel weights and train the SVM; None if another method has to.

    That is if a kernel is indefinite, if rounding errors prevent progress, or if an ill-conditioned problem takes more
    than 200 steps an example.

    Parameters
    ----------
    combination : Combination
        Base Gram matrices; the solver changes its weights, which differ from theta afterwards.
    labels : ndarray of int8 (n,)
        -1 or +1.
    C : float
        Weight of the loss, positive and finite.
    p : float
        Norm of the constraint, above 1.
    gap : float
        Relative duality gap to reach.
    tolerance : float
        Largest difference of the gradients of a coefficient that can grow and one that can shrink.
    max_batches, max_steps : int
        Largest numbers of batches and of steps.

    Raises
    ------
    SolverError
        If the problem is not solved after `max_steps` steps.
    """
    diagonals, order, y = combination.diagonals, p / (p - 1.0), labels.astype(np.float64)
    m, n = diagonals.shape
    combination.reweight(np.full(m, m ** (-1.0 / p)))
    rows, most_steps = combination.rows, min(max_steps, STEPS_AN_EXAMPLE * n)
    lower, upper = np.where(y > 0.0, 0.0, -C), np.where(y > 0.0, C, 0.0)
    values, forms, images, weights = np.zeros(n), np.zeros(m), np.zeros((m, n)), rows.weights.copy()
    working = np.empty(n, dtype=np.int64), np.empty(m), np.empty(m), np.empty(m)
    largest, scales = np.abs(diagonals).max(axis=1), np.abs(diagonals).cumsum(axis=1)[:, -1] / n
    norm, dual, size = _weigh(forms, order, weights.copy()), 0.0, 0.0  # compiled once, for Python and compiled callers
    misfit, omitted, batch, steps, additions, idle, least = 1.0, OMITTED, FIRST_BATCH, 0, 0, 0, np.inf
    objectives, solution = list[float](), None
    while True:
        gradient = y - weights @ images
        bounds = lower, upper, *masks(values, lower, upper)
        bias, violation = _bias(gradient, *bounds[2:])
        objective = 0.5 * norm + C * _sum(np.maximum(y * (gradient - bias), 0.0))
        objectives.append(objective)
        allowed, excess = gap * objective, objective - dual
        is_solved = bool(excess <= allowed and violation <= tolerance)
        if is_solved or len(objectives) > max_batches:
            additions += int(rows.computed.sum()) * rows.used.size
            solution = Solution(weights, values, bias, objectives, is_solved, steps, additions)
            break
        if steps >= max_steps:
            raise SolverError(
                f"SVM: not within a gap of {gap} and {tolerance} of the optimality conditions after {steps} steps; "
                "scale the kernels, lower C, or raise the gap"
            )
        idle, least = 0 if violation < (1.0 - PROGRESS) * least else idle + 1, min(violation, least)
        if steps >= most_steps or idle > PATIENCE:
            break

        aim = AIM * (min(tolerance, violation * allowed / excess) if excess > allowed else tolerance)
        reduction = min(max(misfit, MOST_REDUCTION), LEAST_REDUCTION)
        end, target, limit = values.copy(), max(reduction * violation, aim), min(batch, most_steps - steps)
        theta, reach = (forms.copy(), weights.copy(), weights.copy()), np.abs(images).max(axis=1)
        count, added = _improve(rows, gradient, end, *bounds, images, reach, *theta, order, target, limit, *working)
        if count < 0:
            break
        curvatures, bend, changed = _move(rows.grams, largest, images, values, end, forms, weights, order)
        steps, additions = steps + count, additions + added + m * (abs(changed) + 4)
        if changed < 0:
            break
        batch = max(batch // 2, 1) if bend < TOO_LONG else min(2 * batch, most_steps) if bend > SHORT else batch
        forms, size, latest = np.maximum(_products(images, values), 0.0), _sum(np.abs(values)), dual
        norm = _weigh(forms, order, weights)
        dual = size - 0.5 * norm
        if dual > latest + RISE * abs(latest):
            idle = 0
        # Where D hardly bends, most coefficients go to their bounds, and the model matters little.
        curvatures, bearing = np.maximum(curvatures, 0.0), min(BEARING * (1.0 - bend), 1.0)
        misfit = bearing * _fit_scale(rows, weights, curvatures)
        # The first model has equal weights.
        if misfit > MISFIT or len(objectives) == 1:
            additions += int(rows.computed.sum()) * rows.used.size
            rows = _renew(rows, diagonals, weights, curvatures, scales, omitted)
            omitted *= 0.5
    # The computed rows belong to the model, whose weights differ from theta.
    rows.computed[:] = False
    return solution


def _sum(values: Floats) -> float:
    """Return the sum of numbers one after the other, whose last bits decide when a batch ends."""
    return float(values.cumsum()[-1])


def _bias(gradient: Floats, grow: Floats, shrink: Floats) -> tuple[float, float]:
    """Return the middle of the gradients between which the bias must lie, and their difference."""
    most, least = float((gradient + grow).max()), float((gradient + shrink).min())
    # With one class only, no coefficient can grow, or none can shrink.
    bias = least if most == -np.inf else most if least == np.inf else 0.5 * (most + least)
    return bias, most - least


def _products(images: Floats, values: Floats) -> Floats:
    # NumPy's own products differ in the last bits.
    return np.asarray(dgemv(1.0, images.T, values, trans=1))


def _move(
    grams: Floats,
    largest: Floats,
    images: Floats,
    values: Floats,
    end: Floats,
    forms: Floats,
    weights: Floats,
    order: float,
) -> tuple[Floats, float, int]:
    """Move v and all K_m v to the end of a batch, or to where D is largest on the way.

    Returns the forms of the changes, the slope of D at the end relative to the start, and the number of rows added to
    each K_m v, negative if a kernel is indefinite.
    """
    changes, size = end - values, _sum(np.abs(values))
    changed, before = np.flatnonzero(changes), _products(images, changes)
    add_rows(grams, changed, changes[changed], images)
    # Forms of the changes, with which q_m and D are known along the whole batch.
    curvatures, moved = _products(images, changes) - before, _sum(np.abs(changes))
    if (curvatures < -ROUNDING * largest * moved * (moved + size)).any():
        return curvatures, 0.0, -changed.size - 1
    share, bend = _share(_sum(np.abs(end)) - size, before, curvatures, forms, weights, order)
    if share == 1.0:
        values[changed] = end[changed]
        return curvatures, bend, changed.size
    changes *= share
    add_rows(grams, changed, (1.0 - 1.0 / share) * changes[changed], images)
    values += changes
    return curvatures, bend, 2 * changed.size


@njit(cache=True)
def _weigh(forms, order, weights):  # type: ignore[no-untyped-def]
    """Write theta for these q_m to `weights` and return ||q||_p*; equal weights if no form is positive."""
    most, total = largest(forms), 0.0
    if not most > 0.0:
        for k in range(forms.size):
            weights[k] = weights.size ** (1.0 / order - 1.0)
        return 0.0
    for k in range(forms.size):
        # Powers of a high order overflow.
        ratio = forms[k] / most if forms[k] > 0.0 else 0.0
        weights[k] = ratio ** (order - 1.0)
        total += ratio * weights[k]
    length = total ** (1.0 - 1.0 / order)
    for k in range(forms.size):
        weights[k] /= length
    return most * total ** (1.0 / order)


@njit(cache=True)
def _improve(  # type: ignore[no-untyped-def]
    rows,
    gradient,
    values,
    lower,
    upper,
    grow,
    shrink,
    images,
    reach,
    forms,
    weights,
    applied,
    order,
    tolerance,
    most,
    gains,
    new_forms,
    new_weights,
    slopes,
):
    """Take a batch of steps, `most` at most; return their number and row additions.

    The number is negative if the model is not concave. The gradient holds the
    weights that are `applied`; changes of others are put off. The last four arrays are working memory.
    """
    m, n, additions, diagonal = forms.size, values.size, 0, rows.diagonal
    for step in range(most):
        i, violation = steepest(gradient, grow, shrink)
        if i == n or not violation > tolerance:
            return step, additions
        row_i = row(rows, i)
        j = most_promising(gradient[i], diagonal[i], gradient, shrink, diagonal, row_i, 0.0, gains)
        if j == n:
            return -1, additions
        scale = abs(diagonal[i] + diagonal[j])
        curvature = diagonal[i] + diagonal[j] - 2.0 * row_i[j]
        if curvature < -UNBOUNDED * scale:
            return -1, additions
        floor = CURVATURE_FLOOR * scale
        curvature = floor if floor > curvature else curvature
        slack, other = upper[i] - values[i], values[j] - lower[j]
        slack = other if other < slack else slack
        for k in range(m):
            slopes[k] = images[k, i] - images[k, j]
        change = _step(
            gradient[i] - gradient[j], curvature, slack, slopes, forms, weights, new_forms, new_weights, order
        )
        transfer(values, i, j, change, lower, upper, grow, shrink)
        row_j = row(rows, j)
        for k in range(n):
            gradient[k] -= change * (row_i[k] - row_j[k])
        additions += 2
        for k in range(m):
            difference = weights[k] - applied[k]
            if abs(difference) * reach[k] > IGNORED * tolerance:
                for a in range(n):
                    gradient[a] -= difference * images[k, a]
                applied[k] = weights[k]
                additions += 1
    return most, additions


@njit(cache=True)
def _step(start, curvature, slack, slopes, forms, weights, new_forms, new_weights, order):  # type: ignore[no-untyped-def]
    """Return the change of a pair of coefficients, and update q and theta; new forms and weights are working memory.

    The derivative of D is `start`. It falls by the curvature of the model, and as theta follows the forms, whose
    derivatives are twice the slopes.
    """
    m, norm = forms.size, 0.0
    for k in range(m):
        norm += weights[k] * forms[k]
    first = second = 0.0
    for k in range(m):
        if forms[k] > NEGLIGIBLE * norm:
            first += weights[k] * slopes[k]
            second += weights[k] * slopes[k] * slopes[k] / forms[k]
    total = curvature
    if norm > 0.0:
        bend = 2.0 * (order - 1.0) * (second - first * first / norm)
        total += bend if bend > 0.0 else 0.0
    change = start / total if total > 0.0 else slack
    change = slack if slack < change else change
    # Weights of forms near 0 may jump, so that no shorter step is short enough.
    for _ in range(MOST_SHORTENINGS):
        for k in range(m):
            form = forms[k] + 2.0 * change * slopes[k]
            new_forms[k] = form if form > 0.0 else 0.0
        _weigh(new_forms, order, new_weights)
        slope = start - change * curvature
        for k in range(m):
            slope -= (new_weights[k] - weights[k]) * slopes[k]
        if not slope < STEP_OVERSHOT * start:
            break
        change *= start / (start - slope)
    for k in range(m):
        forms[k], weights[k] = new_forms[k], new_weights[k]
    return change


def _share(
    growth: float, before: Floats, curvatures: Floats, forms: Floats, weights: Floats, order: float
) -> tuple[float, float]:
    """Return the share of a batch after which D no longer rises, or 1, and the slope at its end relative to the start.

    Along a share t of it, sum |v| grows by t times the growth, and q_m by 2 t before_m + t^2 curvatures_m.
    """
    start = growth - weights @ before
    low, high, share, bend = 0.0, 1.0, 1.0, 0.0
    for trial in range(20):
        new_weights = np.empty(forms.size)
        _weigh(np.maximum(forms + share * (2.0 * before + share * curvatures), 0.0), order, new_weights)
        slope = growth - new_weights @ (before + share * curvatures)
        if trial == 0:
            bend = float(slope / start) if start > 0.0 else -np.inf
            if bend >= OVERSHOT:
                break
        elif abs(slope) <= 0.05 * start:
            break
        low, high = (share, high) if slope > 0.0 else (low, share)
        share = 0.5 * (low + high)
    return share, bend


def _fit_scale(rows: CombinationRows, weights: Floats, curvatures: Floats) -> float:
    """Correct the scale of the model by the curvatures along a batch; return its relative error that remains."""
    total, modelled = weights @ curvatures, rows.weights @ curvatures
    if not total > 0.0:
        return 0.0
    ratio = float(total / modelled) if modelled > 0.0 else 0.0
    if ratio > 0.0 and abs(ratio - 1.0) > RESCALED:
        rows.weights[:] *= ratio
        rows.diagonal[:] *= ratio
        for i in np.flatnonzero(rows.computed):
            rows.cache[i] *= ratio
    return float(np.abs(weights - rows.weights) @ curvatures / total)


def _renew(
    rows: CombinationRows, diagonals: Floats, weights: Floats, curvatures: Floats, scales: Floats, omitted: float
) -> CombinationRows:
    """Return a model of the largest of these weights.

    Kernels matter by their curvature along the latest batch, and by that of single coefficients, the `scales`.
    """
    total, size = float(weights @ curvatures), float(weights @ scales)
    if total > 0.0:
        shares: Floats = weights * (curvatures / total + scales / size)
        rows.weights[:], rows.computed[:] = 0.0, False
        remaining = _sum(shares)
        for k in np.argsort(-shares, kind="stable").tolist():
            if remaining <= omitted:
                break
            rows.weights[k] = weights[k]
            remaining -= shares[k]
        rows.weights[:] *= total / (rows.weights @ curvatures)
        rows.diagonal[:] = rows.weights @ diagonals
    return rows._replace(used=np.flatnonzero(rows.weights))
