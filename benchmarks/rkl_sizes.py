"""RKL, the default of KernelClassifier, by the number of examples: python benchmarks/rkl_sizes.py.

Processor time of a fit with the default kernels, its certified gap (.01 is asked) and the exponent by which time grows
from each size to the next, on generated problems.
"""

import time
import warnings

import numpy as np
from sklearn.datasets import make_classification, make_gaussian_quantiles, make_moons
from sklearn.preprocessing import scale

from grambench import KernelClassifier

SIZES = (1000, 2000, 4000)
PROBLEMS = {
    "classification": lambda n: make_classification(n, 20, n_informative=10, flip_y=0.1, class_sep=0.5, random_state=1),
    "moons": lambda n: make_moons(n, noise=0.3, random_state=0),
    "quantiles": lambda n: make_gaussian_quantiles(n_samples=n, n_features=10, n_classes=2, random_state=0),
}


def main():
    warnings.simplefilter("ignore")
    for name, make in PROBLEMS.items():
        KernelClassifier().fit(*make(600))  # compiles; fewer examples need less
        previous = np.nan
        for n in SIZES:
            features, labels = make(n)
            start = time.process_time()
            model = KernelClassifier(random_state=0).fit(scale(features), labels)
            seconds = time.process_time() - start
            exponent = np.log2(seconds / previous)
            print(f"{name:15} {n:5} {seconds:6.2f} s  gap {model.certificate_.gap:.4f}  exponent {exponent:.2f}")
            previous = seconds


if __name__ == "__main__":
    main()
