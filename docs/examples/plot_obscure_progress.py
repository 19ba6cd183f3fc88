"""
The progress of OBSCURE
=======================

OBSCURE learns several classes and the weights of kernels at once. Its online stage
finds a good start, and its second stage minimises the objective by stochastic steps.
This example compares it with Pegasos, which has no such start.
"""

# %%
# Kernels on handwritten digits
# -----------------------------
# Algorithms can be called directly, too: ``fit`` takes parameters, a pool of kernels,
# labels and the order of the examples. For a multi-class algorithm, the labels are
# class numbers.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import train_test_split

from grambench import algorithms
from grambench.kernels.pool import Stored

plt.style.use("tableau-colorblind10")

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(
    X / 16, y.astype(np.int8), train_size=500, random_state=0, stratify=y
)
gammas = [0.01, 0.03, 0.1, 0.3, 1]
pool = Stored(np.stack([rbf_kernel(X, gamma=gamma) for gamma in gammas]))
test_pool = Stored(np.stack([rbf_kernel(X_test, X, gamma=gamma) for gamma in gammas]))

# %%
# Record states
# -------------
# A fit has ``states``, each with the objective and a predictor. Both algorithms pass 30
# times over the examples.

order = np.arange(len(y), dtype=np.int32)
settings = {"obscure": {"online": 5, "batch": 25}, "pegasos": {"epochs": 30}}
curves = {}
for name, passes in settings.items():
    parameters = algorithms.parameters(name, {"p": 1.1, "C": 10.0, **passes})
    fit = algorithms.load(name).fit(
        parameters, pool, y, order=order, rng=np.random.default_rng(0)
    )
    errors = [
        100 * np.mean(state.predictor.scores(test_pool).argmax(axis=1) != y_test)
        for state in fit.states
    ]
    curves[name] = (
        [state.epochs for state in fit.states],
        [state.objective for state in fit.states],
        errors,
    )

# %%
# Draw objective and test error
# -----------------------------

fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
for (name, (epochs, objectives, errors)), marker in zip(
    curves.items(), "os", strict=True
):
    axes[0].plot(epochs, objectives, marker=marker, label=algorithms.title(name))
    axes[1].plot(epochs, errors, marker=marker, label=algorithms.title(name))
for ax in axes:
    ax.axvline(5, color="C2", linestyle=":")
axes[1].annotate(
    "end of the online\nstage of OBSCURE", (5, 5), xytext=(6, 4.6), color="C3"
)
axes[0].set(
    title="Objective",
    xlabel="passes over the examples",
    ylabel="objective",
    yscale="log",
)
axes[1].set(
    title="Test error",
    xlabel="passes over the examples",
    ylabel="test error in %",
    ylim=0,
)
axes[1].legend(frameon=False)
plt.show()

# %%
# The figure shows the value of the online stage: after it, OBSCURE descends within a
# bound and needs fewer passes than Pegasos for the same objective. The test errors of
# the two algorithms are alike after ten passes.
