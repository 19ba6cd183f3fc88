"""MAKL: multiple approximate kernel learning, a group lasso on random Fourier features (Bektaş et al. 2022).

Random features approximate a Gaussian kernel on each group of features, such as a view. A logistic regression with a
group lasso penalty selects the groups, so that its cost grows linearly with the examples.

Formula
-------
    z_g(x) = √(2/D) cos(W_g x_g + u),   W_g normal with variance 1/σ_g²,   z_g(x)'z_g(x') ≈ exp(−‖x_g − x'_g‖²/(2σ_g²))
    minimise  1/n Σ_i log(1 + exp(−y_i f(x_i))) + λ Σ_g ‖w_g‖,   f(x) = Σ_g w_g'z_g(x) + b

σ_g is the mean distance of training examples in group g, times a width. λ is a share of the smallest λ at which all
w_g are 0. No kernel of the pool is used, and no work is counted.

Complexity
----------
O(n d D) for the features, with n examples of d features, and O(n G D) for each step of the solver, with G groups.

Deviations
----------
The groups are the views of a data set, or all features where there are none, each with every width of `widths`; the
paper's groups are gene sets with one width. scikit-learn's RBFSampler draws the features. The authors' package
has a cosine and a sine for each frequency, D = 100 of them, hence D = 200 here. It standardises features; a study does
that before.

The authors call the R package grplasso. Here L-BFGS solves a smooth form of the problem, certified by its duality gap.
A group whose coefficients are a thousandth of the largest ones is left out if the gap allows.

References
----------
Bektaş, Ak and Gönen (2022). Fast and interpretable genomic data analysis using multiple approximate kernel learning.
Bioinformatics 38, i77-i83. DOI 10.1093/bioinformatics/btac241

Rahimi and Recht (2007). Random features for large-scale kernel machines. Advances in Neural Information Processing
Systems 20.
"""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from grambench.algorithms.fit import Fit
from grambench.algorithms.on_features import check_both_classes, draw_seed, to_dense, views_of
from grambench.algorithms.settings import WIDTHS
from grambench.common.parameters import Checked, at_least, within
from grambench.common.types import Floats, Labels, Order
from grambench.kernels.pool import Pool
from grambench.solvers import certificates

NEEDS = "features"
ROUNDING = 1e-12  # of the smallest lambda at which all coefficients are 0, for features of at most sqrt(2)
SAMPLE = 1000  # training examples that the mean distance is taken over, as in the authors' package


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters(Checked):
    """Parameters of MAKL.

    Attributes
    ----------
    regulariser : float
        lambda, in (0, 1), as a share of the smallest one at which all coefficients are 0.
    widths : sequence of float
        Widths of each group's kernels, in units of the mean distance.
    components : int
        D, the number of random features of a kernel.
    gap : float
        Relative duality gap to stop at.
    iterations : int
        Largest number of steps of the solver.
    """

    regulariser: Annotated[float, within("(0, 1)")] = 0.6
    widths: Annotated[tuple[float, ...], WIDTHS] = (1.0,)
    components: Annotated[int, at_least(1)] = 200
    gap: Annotated[float, within("(0, 1)")] = 0.001
    iterations: Annotated[int, at_least(1)] = 10_000


@dataclass(frozen=True, slots=True)
class OnRandomFeatures:
    """f(x) = sum_g coefficients_g'z_g(x) + bias.

    Attributes
    ----------
    samplers : list of G pairs
        View and fitted sampler of each group.
    coefficients : ndarray of float64 (G, D)
        w.
    bias : float
        b.
    """

    samplers: list[tuple[str, Any]]
    coefficients: Floats
    bias: float

    def scores(self, pool: Pool) -> Floats:
        """Return f(x), (t,)."""
        views, values = views_of(pool), np.full(pool.shape[1], self.bias)
        for g in np.flatnonzero(self.coefficients.any(axis=1)).tolist():
            view, sampler = self.samplers[g]
            values += sampler.transform(to_dense(views[view])) @ self.coefficients[g]
        return values


def _mean_distance(features: Floats) -> float:
    """Return the mean distance of examples from each other, or 1 if they are equal."""
    from scipy.spatial.distance import pdist

    return float(pdist(features).mean()) if len(features) > 1 and np.ptp(features, axis=0).any() else 1.0


def fit(parameters: Parameters, pool: Pool, labels: Labels, *, order: Order, rng: np.random.Generator) -> Fit:
    """Draw the random features and train the regression."""
    # scikit-learn and SciPy take long to import.
    from sklearn.kernel_approximation import RBFSampler

    from grambench.solvers import group_lasso

    check_both_classes(labels)
    views = {view: to_dense(values) for view, values in views_of(pool).items()}
    samplers = [
        (view, RBFSampler(gamma=0.5 / (width * unit) ** 2, n_components=parameters.components, random_state=seed))
        for view, values in views.items()
        for unit in [_mean_distance(values[rng.permutation(len(values))[:SAMPLE]])]
        for width in parameters.widths
        for seed in [draw_seed(rng)]
    ]
    features = np.hstack([sampler.fit_transform(views[view]) for view, sampler in samplers])
    largest = group_lasso.largest_penalty(features, labels, len(samplers))
    penalty = parameters.regulariser * max(largest, ROUNDING)
    solution = group_lasso.minimise(
        features, labels, len(samplers), penalty, gap=parameters.gap, max_steps=parameters.iterations
    )
    groups = [f"{view}{'/' if view else ''}gaussian_width{width:g}" for view in views for width in parameters.widths]
    return Fit(
        weights=np.zeros(pool.shape[0]),
        norms=dict(zip(groups, np.linalg.norm(solution.coefficients, axis=1).tolist(), strict=True)),
        predictor=OnRandomFeatures(samplers, solution.coefficients, solution.bias),
        converged=solution.gap <= parameters.gap,
        certify=partial(certificates.group_lasso, features, labels, penalty, solution.coefficients, solution.bias),
    )
