"""
RKL is invariant to the scaling of kernels
==========================================

SimpleMKL and similar algorithms prefer kernels with large values: multiplying a kernel
by ten makes it attractive, though it carries the same information. RKL divides by the
radius of the minimum enclosing ball, which cancels the factor.
"""

# %%
# Two kernels, one of them scaled
# -------------------------------
# A kernel on the relevant features is fixed, and a kernel on two features of noise is
# multiplied by a factor. ``scale=False`` keeps the estimator from scaling the kernels
# itself.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from grambench import KernelClassifier
from grambench.solvers import meb
from grambench.solvers.combination import Combination

plt.style.use("tableau-colorblind10")

rng = np.random.default_rng(0)
n = 900
y = np.repeat([-1, 1], n // 2)
relevant = rng.normal(size=(n, 2)) + 0.8 * y[:, None]
noise = rng.normal(size=(n, 2))
grams = np.stack([rbf_kernel(relevant, gamma=0.5), rbf_kernel(noise, gamma=0.5)])
train = rng.permutation(n)[: n // 6]
test = np.setdiff1d(np.arange(n), train)

# %%
# Learn with each factor
# ----------------------
# The share of a kernel in the combination is its weight times its factor, since both
# kernels have a unit diagonal.

factors = np.geomspace(0.01, 1000, 16)
titles = {"rkl": "RKL", "simple_mkl": "SimpleMKL"}
share = {name: [] for name in titles}
error = {name: [] for name in titles}
for factor in factors:
    scaled = grams * np.array([1, factor])[:, None, None]
    for name in titles:
        model = KernelClassifier(name, scaled, scale=False, C=1, gap=1e-4).fit(
            train, y[train]
        )
        parts = model.kernel_weights_ * [1, factor]
        share[name].append(parts[1] / parts.sum())
        error[name].append(100 * (1 - model.score(test, y[test])))

# %%
# Compare
# -------

fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
for values, ax, label in (
    (share, axes[0], "share of the noise"),
    (error, axes[1], "test error in %"),
):
    for (name, title), marker in zip(titles.items(), "os", strict=True):
        ax.plot(factors, values[name], marker=marker, label=title)
    ax.set(xscale="log", xlabel="factor of the kernel on noise", ylabel=label)
axes[0].set_title("Share of the noise in the learned kernel")
axes[1].set(title="Test error", ylim=(0, 30))
axes[0].legend(frameon=False)
plt.show()

# %%
# The figure shows that SimpleMKL learns noise as soon as the kernel on noise is large,
# whereas RKL learns the same kernel and has the same test error for every factor.

# %%
# Choose one of two kernels
# -------------------------
# Section 2.1 of the paper (equation 6) has a smaller example: one of two kernels is
# chosen, both of which separate the training examples. Here the first is the good one,
# a kernel on the relevant features, and the second one is so narrow that it separates
# any labels. The first is multiplied by a factor. For each factor, the figure shows the
# value of the SVM without errors, half the squared norm of its weights, and the same
# value times the squared radius of the minimum enclosing ball. The lower value chooses
# the kernel.

apart = rng.normal(size=(60, 2)) + 4 * np.repeat([-1, 1], 30)[:, None]
labels = np.repeat([-1, 1], 30)
wide, narrow = rbf_kernel(apart, gamma=0.1), rbf_kernel(apart, gamma=10)


def values(gram):
    """Return the SVM's value, and its product with the squared radius."""
    svm = SVC(kernel="precomputed", C=1e9, tol=1e-6).fit(gram, labels)
    # The value of an SVM without errors is half of the sum of its coefficients.
    value = np.abs(svm.dual_coef_).sum() / 2
    ball = meb.enclose(Combination.single(gram), tolerance=1e-6)
    return value, value * ball.squared_radius


factors = np.geomspace(0.01, 100, 17)
scaled = np.array([values(factor * wide) for factor in factors])
fixed = values(narrow)

# %%
# Compare the choices
# -------------------

fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
for ax, column, other, title in zip(
    axes, scaled.T, fixed, ("Margin alone", "Margin and radius"), strict=True
):
    ax.plot(factors, column, marker="o", label="wide kernel, scaled")
    ax.axhline(other, color="C1", label="narrow kernel")
    ax.set(xscale="log", yscale="log", xlabel="factor of the wide kernel", title=title)
axes[0].set_ylabel("value to minimise")
axes[0].legend(frameon=False)
plt.show()

# %%
# The figure shows that by the margin alone, the factor of the wide kernel decides which
# one is chosen, though the kernel is the same. With the radius its value does not
# change, and it is chosen at every factor.
