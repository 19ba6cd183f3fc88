"""
Minimum enclosing balls in two dimensions
=========================================

RKL divides the margin of an SVM by the radius of the minimum enclosing ball (MEB) of
the examples in feature space. This example computes the ball of points in the plane,
for the linear kernel and for two Gaussian kernels.
"""

# %%
# Compute the ball
# ----------------
# The solver takes a Gram matrix. It returns the squared radius and the coefficients of
# the centre, which are zero for all points inside the ball.

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from grambench.solvers import meb
from grambench.solvers.combination import Combination

plt.style.use("tableau-colorblind10")

rng = np.random.default_rng(3)
points = np.vstack(
    [rng.normal([-1.2, 0], 0.5, (20, 2)), rng.normal([1.3, 0.6], 0.4, (20, 2))]
)
# Each kernel with the function that returns k(x, x).
kernels = {
    "linear kernel": (linear_kernel, lambda x: (x**2).sum(axis=1)),
    "Gaussian, wide": (partial(rbf_kernel, gamma=0.1), lambda x: np.ones(len(x))),
    "Gaussian, narrow": (partial(rbf_kernel, gamma=0.8), lambda x: np.ones(len(x))),
}

# %%
# Draw what the ball encloses
# ---------------------------
# The squared distance of a point x from the centre c in feature space is k(x, x) - 2
# k(x, c) + k(c, c). Its level set at the squared radius is the surface of the ball, as
# it appears in the plane.

side = np.linspace(-3.1, 3.1, 200)
plane = np.column_stack([values.ravel() for values in np.meshgrid(side, side)])
fig, axes = plt.subplots(
    1, 3, figsize=(8, 3), sharex=True, sharey=True, layout="constrained"
)
for ax, (title, (kernel, diagonal)) in zip(axes, kernels.items(), strict=True):
    gram = kernel(points, points)
    ball = meb.enclose(Combination.single(gram), tolerance=1e-8)
    distances = (
        diagonal(plane)
        - 2 * kernel(plane, points) @ ball.dual
        + ball.dual @ gram @ ball.dual
    )
    surface = distances.reshape(200, 200) - ball.squared_radius
    ax.contourf(side, side, surface, levels=[-10, 0], colors=["C0"], alpha=0.15)
    ax.contour(side, side, surface, levels=[0], colors=["C0"])
    ax.scatter(*points.T, s=12, color="C3")
    support = ball.dual > 1e-6
    ax.scatter(
        *points[support].T, s=60, facecolor="none", edgecolor="C5", linewidth=1.5
    )
    ax.set(
        title=f"{title}\nradius {ball.squared_radius**0.5:.2f}",
        xlabel="feature 1",
        aspect="equal",
    )
axes[0].set_ylabel("feature 2")
fig.suptitle("Minimum enclosing balls; rings mark the points on the surface")
plt.show()

# %%
# The figure shows that the linear kernel gives the smallest circle around the points. A
# wide Gaussian kernel gives nearly the same shape, and a narrow one a region that
# follows the points.
