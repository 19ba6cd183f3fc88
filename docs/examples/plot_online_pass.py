"""
Follow an online pass
=====================

An online algorithm sees one example after the other and predicts each label before it
is revealed. This example passes over two interleaved half-circles with OMKC(D,D) and
draws the learned classifier at four moments of the pass.
"""

# %%
# A stream of examples
# --------------------
# ``partial_fit`` takes the next examples of a stream. The kernels are Gaussians of five
# bandwidths.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

X, y = make_moons(400, noise=0.2, random_state=0)
kernels = [f"gaussian_sigma{sigma}" for sigma in (0.125, 0.25, 0.5, 1, 2)]
model = KernelClassifier("omkc_dd", kernels, random_state=0)
moments = [10, 40, 120, 400]

# %%
# Draw the classifier as it changes
# ---------------------------------
# The decision function of OMKC is a weighted vote of one Perceptron for each kernel.
# White marks the boundary, and crosses mark the examples of the stream that were
# misclassified when they arrived.

fig, axes = plt.subplots(1, 4, figsize=(8, 2.4), layout="constrained")
side = np.linspace(-2, 3, 60)
plane = np.column_stack([values.ravel() for values in np.meshgrid(side, side)])
start = 0
for ax, stop in zip(axes, moments, strict=True):
    model.partial_fit(X[start:stop], y[start:stop], classes=[0, 1])
    start = stop
    scores = model.decision_function(plane).reshape(60, 60)
    scores /= np.abs(scores).max()
    ax.contourf(
        side, side, scores, levels=np.linspace(-1, 1, 11), cmap="PuOr", alpha=0.4
    )
    for label, color in ((0, "C5"), (1, "#542788")):
        ax.scatter(*X[:stop][y[:stop] == label].T, s=6, color=color)
    ax.scatter(
        *X[:stop][model.trace_.mistakes].T,
        marker="x",
        s=22,
        color="black",
        linewidth=0.8,
    )
    ax.set(
        title=f"after {stop} examples",
        xticks=[],
        yticks=[],
        xlim=(-2, 3),
        ylim=(-1.7, 2.2),
    )
plt.show()

# %%
# Mistakes and weights along the pass
# -----------------------------------
# ``trace_`` has the mistakes and the weights of all kernels after each round.

rounds = np.arange(1, len(y) + 1)
fig, (mistakes, weights) = plt.subplots(1, 2, figsize=(8, 2.8), layout="constrained")
mistakes.plot(rounds, 100 * model.trace_.mistakes.cumsum() / rounds)
mistakes.set(
    title="Mistake rate so far", xlabel="examples seen", ylabel="mistakes in %", ylim=0
)
colors = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(kernels)))
for line, name, color in zip(model.trace_.weights.T, kernels, colors, strict=True):
    weights.plot(rounds, line, color=color, label=name.removeprefix("gaussian_sigma"))
weights.set(title="Weights of the kernels", xlabel="examples seen", ylabel="weight")
weights.legend(
    title="bandwidth", frameon=False, loc="center left", bbox_to_anchor=(1, 0.5)
)
plt.show()

# %%
# The figures show how the vote finds the two half-circles. The weight moves to the
# bandwidth whose Perceptron errs least often, and the mistake rate falls.
