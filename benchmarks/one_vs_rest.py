"""Accuracy of OMKC one-vs-rest on scikit-learn's digits, on half of them after a pass over the other half.

    python benchmarks/one_vs_rest.py [ALGORITHM ...]

Ten classes with the kernels themselves and with 128 Fourier features, and classes 0 to 4 as a stream with 128 Fourier
features; means over three splits.
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from grambench import KernelClassifier

FOURIER = {"approximation": "fourier", "n_components": 128}
CASES = {
    "ten classes, exact": (10, {}),
    "ten classes, Fourier": (10, FOURIER),
    "five classes, stream": (5, FOURIER),
}


def accuracy(name, classes, settings, seed):
    """Return the accuracy on one half of the digits, in percent, after one pass over the other half."""
    X, y = load_digits(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    model = KernelClassifier(name, random_state=seed, **settings)
    if classes == 10:
        return 100.0 * model.fit(train, y_train).score(test, y_test)
    for rows in np.array_split(np.arange(len(train)), 2):
        model.partial_fit(train[rows], y_train[rows], classes=np.arange(classes))
    return 100.0 * model.score(test, y_test)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithms", nargs="*", default=["omkc_dd", "omkc_ds", "omkc_sd", "omkc_ss"])
    for name in parser.parse_args().algorithms:
        for case, (classes, settings) in CASES.items():
            values = [accuracy(name, classes, settings, seed) for seed in range(3)]
            print(f"{name:10} {case:22} {np.mean(values):.1f} %", flush=True)


if __name__ == "__main__":
    main()
