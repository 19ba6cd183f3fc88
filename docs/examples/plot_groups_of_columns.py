"""
Groups of columns in a CSV file
===============================

The columns of a table often come in groups: the genes of a pathway, the questions of a
scale, the readings of one instrument. This example gives each group a kernel of its
own, learns the weights of the kernels, and compares them with what each group tells
alone and with what is lost without it.
"""

# %%
# A table and its groups
# ----------------------
# The table has 30 measurements of cell nuclei, and a second table says which column
# belongs to which group. With files of your own, read both with ``pandas.read_csv``;
# ``grambench compare my.csv --label target --views groups.csv`` makes the whole
# comparison below in one command, on several splits and with more methods.

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from grambench import KernelClassifier

plt.style.use("tableau-colorblind10")

table = load_breast_cancer(as_frame=True).frame
groups = pd.read_csv(
    io.StringIO(
        """column,group
mean radius,size
mean perimeter,size
mean area,size
mean texture,texture
texture error,texture
worst texture,texture
mean smoothness,outline
mean concavity,outline
mean concave points,outline
mean symmetry,outline
radius error,errors
area error,errors
smoothness error,errors
symmetry error,errors"""
    )
)

X, y = table[groups["column"]], table["target"]
train, test, y_train, y_test = train_test_split(X, y, train_size=150, random_state=0)
groups.groupby("group", sort=False)["column"].apply(", ".join)

# %%
# One kernel a group
# ------------------
# ``views`` has the columns of each group, by position or by name. Each kernel is on
# each group; here there is one, a Gaussian whose width is the median distance.

places = {name: np.flatnonzero(groups["group"] == name) for name in groups["group"]}


def fitted(algorithm, names):
    """Return a classifier on the kernels of some groups."""
    views = {name: places[name] for name in names}
    model = KernelClassifier(algorithm, "mediangaussian_sigma1", views=views, C=1.0)
    return make_pipeline(StandardScaler(), model).fit(train, y_train)


# %%
# The weights, and what each group tells
# --------------------------------------
# SimpleMKL learns the weights. An SVM on one group tells what this group is worth
# alone, and SimpleMKL on the others what is lost without it. ``weights_by`` has the
# share of each group in the weights.

names = list(places)
learned, mean = fitted("simple_mkl", names), fitted("uniform_svm", names)
accuracy, weights = learned.score(test, y_test), learned[-1].weights_by("view")
rows = {
    name: {
        "weight": weights[name],
        "alone": 100 * fitted("uniform_svm", [name]).score(test, y_test),
        "without": 100
        * fitted("simple_mkl", [n for n in names if n != name]).score(test, y_test),
    }
    for name in names
}
rows = pd.DataFrame.from_dict(rows, orient="index")
rows.round(2)

# %%
# The picture
# -----------

fig, (left, right) = plt.subplots(
    1, 2, figsize=(8, 2.8), sharey=True, layout="constrained"
)
bars = left.barh(names, rows["weight"], color="C0")
left.bar_label(bars, fmt="%.2f", padding=3)
left.set(xlabel="share of the weights", xlim=(0, 1), title="SimpleMKL")
right.scatter(rows["alone"], names, color="C1", label="on this group alone")
right.scatter(rows["without"], names, color="C0", marker="D", label="without it")
right.axvline(100 * accuracy, color="grey", linewidth=1, label="on all groups")
right.set(xlabel="accuracy on the test examples, %")
right.legend(loc="upper left", bbox_to_anchor=(1, 1))
left.invert_yaxis()
plt.show()

# %%
# The figure shows the weight of each group, and beside it the accuracy with this group
# alone and without it. The grey line is the accuracy on all groups. The others have the
# information of a group whose weight is large and which is little missed. The uniform
# mean of the kernels predicts this share of the test examples:

round(mean.score(test, y_test), 3)
