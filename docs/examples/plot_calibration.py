"""
Calibrate probabilities
=======================

The algorithms return scores, not probabilities. ``CalibratedClassifierCV`` of scikit-
learn learns a map from scores to probabilities by cross-validation. This example checks
the probabilities with a reliability diagram.
"""

# %%
# Data with noise in the labels
# -----------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.datasets import make_classification
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

X, y = make_classification(
    2400, 10, n_informative=4, flip_y=0.15, class_sep=0.8, random_state=0
)
X, X_test, y, y_test = train_test_split(X, y, train_size=400, random_state=0)

# %%
# Three ways to a probability
# ---------------------------
# The scores themselves are no probabilities, even if they are scaled to [0, 1]. Platt
# scaling fits a sigmoid, and isotonic regression fits a step function.

classifier = KernelClassifier("easy_mkl")
scores = classifier.fit(X, y).decision_function(X_test)
probabilities = {"scores scaled to [0, 1]": (scores - scores.min()) / np.ptp(scores)}
for method, title in (
    ("sigmoid", "Platt scaling"),
    ("isotonic", "isotonic regression"),
):
    model = CalibratedClassifierCV(classifier, method=method, cv=3).fit(X, y)
    probabilities[title] = model.predict_proba(X_test)[:, 1]

# %%
# Reliability
# -----------
# Of the examples with a predicted probability of 0.8, 80 % should be positive.

fig, ax = plt.subplots(figsize=(5.4, 4.6), layout="constrained")
ax.plot([0, 1], [0, 1], color="C2", linestyle=":", label="perfectly calibrated")
for (title, p), marker, color in zip(
    probabilities.items(), "^os", ["C3", "C0", "C1"], strict=True
):
    share, mean = calibration_curve(y_test, p, n_bins=8, strategy="quantile")
    ax.plot(
        mean,
        share,
        marker=marker,
        color=color,
        label=f"{title} (Brier score {brier_score_loss(y_test, p):.3f})",
    )
ax.set(
    title="Reliability diagram",
    xlabel="predicted probability",
    ylabel="share of positives",
    aspect="equal",
)
ax.legend(frameon=False, loc="upper left", fontsize=8)
plt.show()

# %%
# The figure shows that calibrated probabilities lie near the diagonal, and the scaled
# scores far from it. The Brier score is the mean squared error of the probabilities;
# smaller is better.
