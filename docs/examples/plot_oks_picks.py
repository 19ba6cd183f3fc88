"""
The kernels that OKS selects
============================

OKS draws one kernel in each round, trains only its classifier, and at the end selects
the kernel with the largest weight. This example makes 40 passes with different seeds,
and compares how often each kernel is selected with how well it does alone.
"""

# %%
# Nine bandwidths
# ---------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
sigmas = 2.0 ** np.arange(-2, 7)
kernels = [f"gaussian_sigma{sigma:g}" for sigma in sigmas]

# %%
# Selections
# ----------
# The seed determines the order of the examples and the draws.

seeds = range(40)
picks = np.zeros(len(kernels), dtype=int)
for seed in seeds:
    model = KernelClassifier("oks", kernels, random_state=seed).fit(X, y)
    picks[model.trace_.weights[-1].argmax()] += 1

# %%
# Each kernel alone
# -----------------
# ``perceptron`` passes over the examples with one kernel. Its mistake rate shows which
# bandwidths are suitable.

rates = [
    np.mean(
        [
            KernelClassifier("perceptron", name, random_state=s)
            .fit(X, y)
            .trace_.mistakes.mean()
            for s in range(5)
        ]
    )
    for name in kernels
]

# %%
# Compare
# -------

positions = range(len(sigmas))
fig, axes = plt.subplots(2, 1, figsize=(6.4, 4.4), sharex=True, layout="constrained")
axes[0].bar_label(axes[0].bar(positions, picks), padding=2)
axes[0].set(
    title=f"How often OKS selects each kernel, {len(seeds)} seeds",
    ylabel="selections",
    ylim=(0, picks.max() + 4),
)
axes[1].set_xticks(positions, [f"{sigma:g}" for sigma in sigmas])
axes[1].plot(positions, 100 * np.array(rates), "o-", color="C5")
axes[1].set(
    title="Mistakes of a Perceptron with this kernel alone",
    xlabel="bandwidth of the Gaussian",
    ylim=(0, 13),
)
axes[1].set_ylabel("mistakes in %")
plt.show()

# %%
# The figure shows that OKS selects the bandwidths with few mistakes most often, but not
# always the best one: it has seen each kernel in a small share of the rounds.
