"""
Your own algorithm in one file
==============================

An algorithm is a file with a docstring, a dataclass ``Parameters`` and a function
``fit``. This example writes such a file, uses it as an estimator, and compares it with
three algorithms of grambench.
"""

# %%
# The file
# --------
# This algorithm weights each kernel by a power of its alignment with the labels. It
# returns weights only, so the estimator trains an SVM on the learned kernel.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

SOURCE = '''"""Aligned mean: weights by the alignment with the labels."""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.fit import Fit


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """power: of the alignments; 0 is the plain mean."""

    power: float = 1.0


def fit(parameters, pool, labels, *, order, rng):
    """Return the weights."""
    y = labels.astype(float)
    aligned = [max(y @ gram @ y, 0) / np.linalg.norm(gram) for gram in pool.grams()]
    weights = np.array(aligned) ** parameters.power + 1e-9
    return Fit(weights=weights / weights.sum())
'''
file = Path(tempfile.mkdtemp()) / "mine.py"
_ = file.write_text(SOURCE, encoding="utf-8")

# %%
# Compare it
# ----------
# The path of the file is the name of the algorithm. All algorithms learn from the same
# 20 random splits.

X, y = load_breast_cancer(return_X_y=True)
splits = StratifiedShuffleSplit(20, train_size=100, test_size=200, random_state=0)
models = {
    f"mine, power {power}": KernelClassifier(str(file), power=power) for power in (1, 4)
}
models |= {
    "uniform SVM": KernelClassifier("uniform_svm"),
    "CKA": KernelClassifier("cka"),
    "RKL": KernelClassifier("rkl"),
}
errors = {
    name: 100
    * (1 - cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=splits))
    for name, model in models.items()
}

# %%
# Draw the test errors
# --------------------

fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
jitter = np.random.default_rng(0).uniform(-0.12, 0.12, 20)
for row, (name, values) in enumerate(errors.items()):
    color = "C5" if name.startswith("mine") else "C0"
    ax.scatter(values, row + jitter, s=14, color=color, alpha=0.5)
    ax.scatter(values.mean(), row, marker="|", s=420, color=color, linewidth=2.5)
ax.set_yticks(range(len(errors)), errors)
ax.invert_yaxis()
ax.set(
    title="Test error of 20 random splits; bars mark the means",
    xlabel="test error in %",
    xlim=0,
)
plt.show()

# %%
# The figure shows that the new algorithm (orange) is on a par with the others on these
# data. ``grambench try mine.py`` makes such a comparison with the protocol of the
# leaderboard.
