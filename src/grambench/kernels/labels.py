"""Readable labels of kernels and views, for figures, tables and the report.

Result files have the identifiers of `grambench.kernels.functions`. No run imports this module: an edit of a label runs
nothing again.
"""

import re

from grambench.kernels.functions import FAMILIES, Kernel

LABELS = {  # by family, with {} for the parameter; others have their name and symbol
    "polynomial": "polynomial of degree {}",
    "inhomogeneous": "inhomogeneous polynomial of degree {}",
    "unitpolynomial": "unit polynomial of degree {}",
    "meanpolynomial": "mean polynomial of degree {}",
    "gaussian": "Gaussian, σ = {}",
    "mediangaussian": "Gaussian, σ = {} x median distance",
    "meangaussian": "Gaussian, scale {}",
    "chisquare": "chi-square, scale {}",
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


def family_label(family: str, value: str) -> str:
    """Return the readable name of kernels of one family, of which `value` says the parameter."""
    return LABELS.get(family, f"{family}, {FAMILIES[family].symbol} = {{}}").format(value)


def kernel_label(name: str) -> str:
    """Return the readable name of a kernel: "dense SIFT, 3 x 1: chi-square" of "dense_sift_v3h1/chisquare_s1"."""
    kernel = Kernel.parse(name)
    label = LABELS_AT_1.get(kernel.family, "") if kernel.parameter == 1.0 else ""
    label = label or family_label(kernel.family, f"{kernel.parameter:g}")
    return f"{view_label(kernel.view)}: {label}" if kernel.view else label
