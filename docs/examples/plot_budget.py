"""
An online pass with a budget
============================

Without a bound, an online algorithm stores every example that it has misclassified. A
``budget`` bounds the support vectors of each kernel: a full classifier forgets its
oldest one. This example measures what a budget costs in mistakes.
"""

# %%
# Several budgets
# ---------------
# The data are handwritten digits, odd against even ones. All passes have the same
# order, as they have the same seed.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

X, y = load_digits(return_X_y=True)
y = y % 2
kernels = [f"mediangaussian_sigma{sigma}" for sigma in (0.25, 0.5, 1, 2)]
traces = {
    budget: KernelClassifier("omkc_dd", kernels, budget=budget, random_state=0)
    .fit(X, y)
    .trace_
    for budget in (0, 10, 25, 50)
}

# %%
# Mistakes and memory
# -------------------
# A budget of 0 is no bound. ``trace_.support_vectors`` counts the support vectors of
# all four kernels.

styles = {
    0: ("C2", 4),
    10: ("C5", 1.5),
    25: ("C1", 1.5),
    50: ("C0", 1.5),
}  # color and width
rounds = np.arange(1, len(y) + 1)
fig, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for budget, trace in traces.items():
    color, width = styles[budget]
    label = f"budget {budget}" if budget else "no budget"
    axes[0].plot(
        rounds,
        100 * trace.mistakes.cumsum() / rounds,
        color=color,
        linewidth=width,
        label=label,
    )
    axes[1].plot(rounds, trace.support_vectors, color=color, linewidth=width)
axes[0].set(
    title="Mistake rate so far",
    xlabel="examples seen",
    ylabel="mistakes in %",
    ylim=(0, 45),
)
axes[1].set(
    title="Support vectors of all kernels",
    xlabel="examples seen",
    ylabel="support vectors",
    ylim=0,
)
axes[0].legend(frameon=False, ncols=2)
plt.show()

# %%
# The figure shows that a budget of 50 examples a kernel costs three percentage points
# of mistakes and saves most of the support vectors. With a budget of 10, the
# classifiers forget what they have learned, and the mistake rate stays high.
