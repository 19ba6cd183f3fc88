"""
The alignment landscape of a continuous kernel
==============================================

CA-1D learns a kernel from a continuous family instead of a grid: it adds one kernel
after the other, each with the bandwidth that raises the alignment with the labels most.
This example draws the alignment as a function of the bandwidth.
"""

# %%
# Data with two scales
# --------------------
# The class depends on a coarse wave and on a fine one.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from grambench import KernelClassifier
from grambench.algorithms.alignment import alignment

plt.style.use("tableau-colorblind10")

rng = np.random.default_rng(1)
X = rng.uniform(0, 1, (400, 1))
y = np.where(
    np.sin(2 * np.pi * X[:, 0]) + 1.3 * np.sin(20 * np.pi * X[:, 0]) > 0, 1, -1
)

# %%
# The landscape, and what CA-1D selects
# -------------------------------------
# Each kernel of the family is ``k(x, x') = exp(-‖x - x'‖²/σ²)``. The names of the
# learned kernels have their σ.

squared = euclidean_distances(X, squared=True)
sigmas = np.geomspace(0.003, 3, 200)
landscape = [alignment(np.exp(-squared / sigma**2), y) for sigma in sigmas]

family = {"family": "gaussian", "low": 0.003, "high": 3.0, "count": 9, "spacing": "log"}
model = KernelClassifier("ca_1d", family, gain=1e-3).fit(X, y)
selected = np.array(
    [float(name.removeprefix("gaussian(").removesuffix(")")) for name in model.kernels_]
)
combined = sum(
    w * np.exp(-squared / s**2)
    for s, w in zip(selected, model.kernel_weights_, strict=True)
)

# %%
# Draw both
# ---------

fig, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
ax.plot(sigmas, landscape, label="one kernel")
grid = np.geomspace(0.003, 3, 9)
ax.plot(
    grid,
    [alignment(np.exp(-squared / s**2), y) for s in grid],
    "o",
    mfc="white",
    color="C3",
    label="a grid of nine",
)
ax.axhline(
    alignment(combined, y), color="C1", linestyle="--", label="combination of CA-1D"
)
area = 600 * model.kernel_weights_
ax.scatter(
    selected,
    np.interp(selected, sigmas, landscape),
    area,
    color="C1",
    alpha=0.7,
    label="kernels of CA-1D",
)
ax.set(
    xscale="log",
    xlabel="bandwidth σ",
    ylabel="alignment with the labels",
    ylim=(0, 0.24),
)
ax.set_title("Alignment of Gaussian kernels with the labels")
legend = ax.legend(frameon=False, loc="upper left", ncols=2)
legend.legend_handles[-1].set_sizes([60])
plt.show()

# %%
# The figure shows two maxima, one for each scale of the data. CA-1D combines narrow and
# wide kernels; the area of a disc is proportional to the weight of its kernel. Their
# combination has a larger alignment than any single kernel.
