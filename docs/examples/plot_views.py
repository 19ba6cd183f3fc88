"""
Learn the weights of kernels on views
=====================================

Multiple-kernel learning gives each kernel a weight. This example generates four views
of the same examples, of which only two carry information on the class, and compares the
weights that four algorithms give to a kernel on each view.
"""

# %%
# Four views
# ----------
# The first view separates the classes by a line, the second one by a circle. The other
# two views are noise.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

rng = np.random.default_rng(0)
n = 400
y = np.repeat([-1, 1], n // 2)
line = rng.normal(size=(n, 2)) + 0.7 * y[:, None]
angle, radius = (
    rng.uniform(0, 2 * np.pi, n),
    np.where(y > 0, 1.5, 2.5) + rng.normal(scale=0.5, size=n),
)
circle = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
views = {
    "line": line,
    "circle": circle,
    "noise A": rng.normal(size=(n, 2)),
    "noise B": rng.normal(size=(n, 3)),
}

# %%
# One kernel a view
# -----------------
# Kernels can be an array of Gram matrices (m, n, n). X then holds the indices of the
# examples.

grams = np.stack(
    [rbf_kernel(view, gamma=0.5 / view.shape[1]) for view in views.values()]
)
train = rng.permutation(n)[: n // 4]
test = np.setdiff1d(np.arange(n), train)

algorithms = {
    "uniform_svm": "Uniform SVM",
    "cka": "CKA",
    "simple_mkl": "SimpleMKL",
    "rkl": "RKL",
}
weights, accuracy = {}, {}
for name in algorithms:
    model = KernelClassifier(name, kernels=grams).fit(train, y[train])
    weights[name], accuracy[name] = model.kernel_weights_, model.score(test, y[test])

# %%
# The weights
# -----------
# A kernel that is relevant should get a large weight, and noise a small one.

fig, axes = plt.subplots(
    1, 4, figsize=(8, 2.6), sharex=True, sharey=True, layout="constrained"
)
for ax, (name, title) in zip(axes, algorithms.items(), strict=True):
    bars = ax.barh(list(views), weights[name], color=["C0", "C0", "C2", "C2"])
    ax.bar_label(bars, fmt="%.2f", padding=3)
    ax.set(title=f"{title}\n{accuracy[name]:.0%} correct", xlabel="weight", xlim=(0, 1))
axes[0].invert_yaxis()
fig.suptitle("Weights of the kernels on informative views (dark) and on noise (grey)")
plt.show()

# %%
# The figure shows that the three learned combinations move weight from the noise to the
# informative views. The titles have the accuracy on the test examples.
