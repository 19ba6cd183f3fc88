"""Readable labels of kernels and views, for figures, tables and the report.

Result files have the identifiers of `grambench.kernels.functions`. No run imports this module: an edit of a label runs
nothing again.
"""

import re

from grambench.kernels.functions import Kernel

POLYNOMIAL = "polynomial of degree {:g}"
LABELS = {  # by family, with {:g} for the parameter
    "polynomial": POLYNOMIAL,
    "inhomogeneous": POLYNOMIAL,
    "unitpolynomial": POLYNOMIAL,
    "meanpolynomial": POLYNOMIAL,
    "gaussian": "Gaussian, σ = {:g}",
    "mediangaussian": "Gaussian, σ = {:g} x median distance",
    "meangaussian": "Gaussian, scale {:g}",
    "chisquare": "chi-square, scale {:g}",
}
LABELS_AT_1 = {"polynomial": "linear", "meangaussian": "Gaussian", "chisquare": "chi-square"}
# Words of a view's name that are not printed as they stand.
WORDS = {name: name.upper() for name in ("gist", "hog", "hsv", "lbp", "phog", "rgb", "sift", "surf")}
WORDS |= {"harris": "Harris", "lab": "Lab"}
# The form of the names that are words, such as those of descriptors; others are a user's, and stay as they are.
WORDY = re.compile(r"[a-z]+(_[a-z0-9]+)*")
CELLS = re.compile(r"v(\d+)h(\d+)")  # v3h1 divides an image into three cells, one above the other


def view_label(view: str) -> str:
    """Return the readable name of a view: "dense SIFT, 3 x 1" of "dense_sift_v3h1"."""
    if not WORDY.fullmatch(view):
        return view
    words, division = [], ""
    for word in view.split("_"):
        if cells := CELLS.fullmatch(word):
            division = ", {} x {}".format(*cells.groups())
        else:
            words.append(WORDS.get(word, word))
    return " ".join(words) + division


def kernel_label(name: str) -> str:
    """Return the readable name of a kernel: "dense SIFT, 3 x 1: chi-square" of "dense_sift_v3h1/chisquare_s1"."""
    kernel = Kernel.parse(name)
    label = LABELS_AT_1.get(kernel.family, "") if kernel.parameter == 1.0 else ""
    label = label or LABELS[kernel.family].format(kernel.parameter)
    return f"{view_label(kernel.view)}: {label}" if kernel.view else label
