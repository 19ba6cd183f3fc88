"""
Time and error against the number of features
=============================================

A kernel can be approximated by features whose inner products are about its values. An
online algorithm on such features needs the same time for every example. This example
learns a combination of nine Gaussian kernels from a stream, with more and more features
a kernel, and compares it with the exact kernels.
"""

# %%
# A stream
# --------
# Two classes on a chessboard of squares. One label in twenty is wrong, so that no
# classifier makes fewer than 5 % mistakes in the long run.

import time

import matplotlib.pyplot as plt
import numpy as np

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

rng = np.random.default_rng(0)


def arrive(n):
    """Return the next examples of the stream and their classes."""
    X = rng.uniform(-2, 2, size=(n, 2))
    y = np.floor(X).sum(axis=1) % 2 == 0
    return X, y ^ (rng.uniform(size=n) < 0.05)


kernels = [f"gaussian_sigma{2.0**power:g}" for power in range(-5, 4)]
examples = 3000
X, y = arrive(examples)

# %%
# Exact kernels
# -------------
# The algorithm keeps every example that has changed a classifier, so the time of an
# example grows with the stream.


def seconds(model, X, y):
    """Let a model learn from examples, and return the processor time."""
    begun = time.process_time()
    model.partial_fit(X, y, classes=[False, True])
    return time.process_time() - begun


for method in (None, "fourier"):  # the first calls compile
    seconds(KernelClassifier("raker", kernels, approximation=method), X[:100], y[:100])
exact = KernelClassifier("raker", kernels)
exact_seconds = seconds(exact, X, y)
exact_error = 100 * exact.trace_.mistakes.mean()

# %%
# Features
# --------
# The same algorithm on 16 to 1024 Fourier features a kernel.

numbers = [16, 32, 64, 128, 256, 512, 1024]
errors, times = [], []
for number in numbers:
    model = KernelClassifier(
        "raker",
        kernels,
        approximation="fourier",
        n_components=number,
        random_state=0,
    )
    times.append(seconds(model, X, y))
    errors.append(100 * model.mistakes_ / model.n_samples_seen_)

# %%
# The picture
# -----------

fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for ax, values, line, label in (
    (left, errors, exact_error, "mistakes, %"),
    (right, times, exact_seconds, f"seconds for {examples} examples"),
):
    ax.plot(numbers, values, marker="o", label="Fourier features")
    ax.axhline(line, color="C1", label="exact kernels")
    ax.set(xscale="log", xlabel="features a kernel", ylabel=label)
right.set(yscale="log")
left.legend()
plt.show()

# %%
# The figure shows mistakes and time against the number of features. With more features
# the mistakes come near to the mistakes with exact kernels, which take over fifty times
# as long here.

# %%
# A longer stream
# ---------------
# With features the model can go on: the time of an example and the memory stay the
# same, and the share of mistakes, here of 43,000 examples, falls towards that of the
# wrong labels.

for _ in range(20):
    model.partial_fit(*arrive(2000))
round(model.mistakes_ / model.n_samples_seen_, 3)
