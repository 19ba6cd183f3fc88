"""
Read results with pandas
========================

grambench writes its results as tables that pandas reads. This example reads two tables
that come with the package: the numbers of a paper (Hoi et al. 2013, on OMKC) and the
means of repeated runs of this benchmark.
"""

# %%
# Read the tables
# ---------------
# ``located`` returns the path of a file that comes with the package. Each row of the
# second table has the means of several runs, separated by blanks.

import matplotlib.pyplot as plt
import pandas as pd

from grambench.common.shipped import located

plt.style.use("tableau-colorblind10")

key = ["dataset", "algorithm", "metric"]
published = pd.read_csv(located("config/published/omkc_tables_3_4.csv"))
replicated = pd.read_csv(located("config/replications/omkc.csv"))
print(published[[*key, "mean", "std"]].head(3))

# %%
# Join them
# ---------
# One algorithm, one metric, and one row a data set.

algorithm, metric = "omkc_ss", "mistake_percent"
runs = (
    replicated.query("orders == 'published'")
    .set_index(key)["means"]
    .str.split()
    .explode()
    .astype(float)
)
spread = runs.groupby(level=key).agg(["min", "max", "count"])
table = (
    published.set_index(key)[["mean", "std"]]
    .join(spread, how="inner")
    .xs((algorithm, metric), level=key[1:])
)
table = table.sort_values("mean")
print(table.round(2))

# %%
# Draw the difference
# -------------------
# The difference of our means from the published number, in percentage points. OMKC(S,S)
# draws at random, so that the mean of 20 permutations differs from run to run.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.hlines(
    table.index,
    table["min"] - table["mean"],
    table["max"] - table["mean"],
    linewidth=5,
    color="C4",
)
ax.plot(
    [0] * len(table), table.index, "|", markersize=14, markeredgewidth=2, color="C5"
)
ax.set(xlabel="our mean less the published one, in percentage points")
ax.set_title(
    "OMKC(S,S): range of our mistake rates (blue)\nand the published one (bar at 0)"
)
ax.grid(axis="x", alpha=0.3)
plt.show()

# %%
# The figure shows for which data sets the published mistake rate lies in the range of
# our runs.
