"""
Precomputed kernels in a grid search
====================================

Kernels that are expensive to compute can be computed once and passed as an array.
Cross-validation then splits the indices of the examples. This example selects the
algorithm and C by a grid search of scikit-learn.
"""

# %%
# Compute the kernels once
# ------------------------
# The data are three cultivars of wine. Each kernel reads one group of features.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.preprocessing import scale

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

X, y = load_wine(return_X_y=True)
X = scale(X)[:, :5]  # five features only, which makes the task harder
grams = np.stack(
    [
        linear_kernel(X),
        rbf_kernel(X, gamma=0.1),
        rbf_kernel(X, gamma=1),
        laplacian_kernel(X),
    ]
)
examples = np.arange(len(y))

# %%
# Search
# ------
# ``kernels=grams`` fixes the kernels, and X is the array of indices.

algorithms = {"uniform_svm": "Uniform SVM", "simple_mkl": "SimpleMKL", "rkl": "RKL"}
grid = {"algorithm": list(algorithms), "C": [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]}
folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=3, random_state=0)
search = GridSearchCV(KernelClassifier(kernels=grams), grid, cv=folds).fit(examples, y)
print(f"best: {search.best_params_}, {search.best_score_:.1%} correct")

# %%
# Draw the results
# ----------------

fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
results = search.cv_results_
for (name, title), marker, color in zip(
    algorithms.items(), "os^", ["C3", "C1", "C0"], strict=True
):
    rows = np.flatnonzero(results["param_algorithm"] == name)
    costs = results["param_C"][rows].astype(float)
    ax.plot(
        costs,
        100 * results["mean_test_score"][rows],
        marker=marker,
        color=color,
        label=title,
    )
best = search.best_params_
ax.scatter(
    best["C"],
    100 * search.best_score_,
    s=220,
    facecolor="none",
    edgecolor="C5",
    linewidth=2,
    label="selected",
)
ax.set(
    xscale="log",
    xlabel="C",
    ylabel="accuracy in %",
    title="Accuracy in cross-validation, three times three folds",
)
ax.legend(frameon=False)
plt.show()

# %%
# The figure shows the accuracy of each candidate; the ring marks the one that the
# search selects.
