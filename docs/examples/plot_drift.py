"""
Data that change over time
==========================

An online algorithm can learn a combination of kernels while the data change. This
example learns a stream whose classes change twice. It compares how soon three
algorithms make few mistakes again, and how soon the weights of the kernels follow.
"""

# %%
# A stream that changes
# ---------------------
# Two classes on a chessboard. Its squares have sides of length 2, in the second third
# of the stream .5, and then 2 again. One label in twenty is wrong, so that no
# classifier makes fewer than 5 % mistakes in the long run.

import matplotlib.pyplot as plt
import numpy as np

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

rng = np.random.default_rng(0)
n = 24_000
side = np.repeat([2, 0.5, 2], n // 3)
X = rng.uniform(-2, 2, size=(n, 2))
y = np.floor(X / side[:, None]).sum(axis=1) % 2 == 0
y ^= rng.uniform(size=n) < 0.05

# %%
# Three algorithms
# ----------------
# In Raker the weight of a kernel decreases exponentially with the losses of its
# classifier since the first example. In OMKC it falls by a factor at each mistake.
# AdaRaker runs Rakers that started at different times, and weights them by their
# losses.
#
# ``partial_fit`` learns the stream in chunks. After each chunk the example notes the
# mistakes in it, and the weight of the narrow kernel, which suits the small squares.

algorithms = {"raker": "Raker", "adaraker": "AdaRaker", "omkc_dd": "OMKC(D,D)"}
kernels = ["gaussian_sigma0.125", "gaussian_sigma0.5", "gaussian_sigma2"]
chunk = 500
mistakes = {name: [] for name in algorithms}
weights = {name: [] for name in algorithms}
for name in algorithms:
    model = KernelClassifier(name, kernels, approximation="fourier", random_state=0)
    before = 0
    for start in range(0, n, chunk):
        rows = slice(start, start + chunk)
        model.partial_fit(X[rows], y[rows], classes=[False, True])
        mistakes[name].append(100 * (model.mistakes_ - before) / chunk)
        weights[name].append(model.kernel_weights_[0])
        before = model.mistakes_

# %%
# Follow the changes
# ------------------

fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
ends = np.arange(chunk, n + 1, chunk)
for ax, values, label in (
    (left, mistakes, f"mistakes in {chunk} examples, %"),
    (right, weights, "weight of the narrow kernel"),
):
    for name, title in algorithms.items():
        ax.plot(ends, values[name], label=title)
    for change in (n // 3, 2 * n // 3):
        ax.axvline(change, color="black", linestyle=":")
    ax.set(xlabel="examples", ylabel=label)
fig.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3)
plt.show()

# %%
# The figure shows mistakes and the weight of the narrow kernel over time. The dotted
# lines are the changes.
#
# AdaRaker gives the narrow kernel most of the weight within 1500 examples of the first
# change, and almost none within 500 of the second. Its weight drops for a moment
# when new Rakers start. OMKC needs over 4000 examples, since its weights still contain
# the mistakes that the narrow kernel made before. When the large squares return, it
# stays with the narrow kernel and makes more mistakes. Raker never changes its weights
# here, and guesses in the second part.

# %%
# What it costs
# -------------
# AdaRaker learns each example with several Rakers, and the youngest have learned
# little. While nothing changes it therefore makes more mistakes than Raker. Mistakes
# in the last 4000 examples before the first change, in percent:

for name, title in algorithms.items():
    print(f"{title}: {np.mean(mistakes[name][8:16]):.1f}")
