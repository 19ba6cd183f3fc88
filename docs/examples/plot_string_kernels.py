"""
Kernels of sequences, from your code or another package
=======================================================

A kernel needs no features: a function that compares two sequences, graphs or trees is
enough. This example computes spectrum kernels of DNA sequences in five lines, learns
their weights, and stores them for ``grambench compare``.
"""

# %%
# Sequences with a motif
# ----------------------
# Half of the sequences have a donor site of splicing, GTAAGT, at a random place. In
# most of them one letter of it is changed. All other letters are random.

import collections
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

rng = np.random.default_rng(0)
n, length, motif = 400, 40, "GTAAGT"
sequences, y = [], np.repeat([0, 1], n // 2)
for label in y:
    letters = rng.choice(list("ACGT"), length)
    if label:
        place = rng.integers(length - len(motif))
        letters[place : place + len(motif)] = list(motif)
        letters[place + rng.integers(len(motif))] = rng.choice(list("ACGT"))
    sequences.append("".join(letters))
sequences[0], sequences[-1]

# %%
# The spectrum kernel
# -------------------
# Two sequences are alike if they share many words of k letters (Leslie, Eskin and Noble
# 2002). The kernel is the inner product of their numbers of each word.


def spectrum(k):
    """Return the kernel values between all sequences."""
    words = [[s[i : i + k] for i in range(len(s) - k + 1)] for s in sequences]
    counts = [collections.Counter(of_sequence) for of_sequence in words]
    known = sorted(set().union(*counts))
    table = np.array([[count[word] for word in known] for count in counts], float)
    return table @ table.T


grams = np.stack([spectrum(k) for k in range(1, 7)])

# %%
# Learn their weights
# -------------------
# ``kernels`` is the array of matrices, and X has the row numbers of the examples. Every
# matrix is divided by its trace, so that weights can be compared.

scaled = grams / np.trace(grams, axis1=1, axis2=2)[:, None, None] * n
train, test = train_test_split(np.arange(n), stratify=y, random_state=0)
alone = [
    KernelClassifier("uniform_svm", kernels=gram[None]).fit(train, y[train])
    for gram in scaled
]
learned = {
    name: KernelClassifier(name, kernels=scaled).fit(train, y[train])
    for name in ("uniform_svm", "simple_mkl", "easy_mkl")
}
{name: round(model.score(test, y[test]), 3) for name, model in learned.items()}

# %%
# Store them for a comparison
# ---------------------------
# A file of NumPy with the matrices and the labels is a data set. ``grambench compare
# splice.npz --label y`` compares all combinations on it, on several splits.

path = Path(tempfile.mkdtemp()) / "splice.npz"
np.savez(path, y=y, **{f"spectrum {k}": gram for k, gram in enumerate(grams, 1)})
[f"{name}: {array.shape}" for name, array in np.load(path).items()]

# %%
# The picture
# -----------

words = [f"k = {k}" for k in range(1, 7)]
fig, (left, right) = plt.subplots(
    1, 2, figsize=(8, 2.8), sharey=True, layout="constrained"
)
scores = [100 * model.score(test, y[test]) for model in alone]
left.barh(words, scores, color="C0")
left.axvline(100 * learned["uniform_svm"].score(test, y[test]), color="grey")
left.set(xlabel="accuracy on the test sequences, %", title="Each kernel alone")
for shift, name in ((-0.2, "simple_mkl"), (0.2, "easy_mkl")):
    weights = learned[name].kernel_weights_ / learned[name].kernel_weights_.sum()
    right.barh(np.arange(6) + shift, weights, height=0.35, label=name)
right.set(xlabel="share of the weights", title="Learned combinations")
right.legend()
left.invert_yaxis()
plt.show()

# %%
# The figure shows how well each length of words separates the two classes. The grey
# line is the uniform mean of all kernels. The right side has the share of each kernel
# in the weights of two learned combinations.
