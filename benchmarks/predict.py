"""Processor time of predictions: python benchmarks/predict.py.

KernelClassifier on breast_cancer (569 examples) with 13 kernels predicts one example and 1000, in turn with
scikit-learn's SVC: simple_mkl, which gives weights to six of the kernels, and uniform_svm, which gives one to each;
omkc_dd, a vote of 13 Perceptrons, and perceptron_u. The
least of the rounds, one thread; a ratio above 1 means that SVC takes longer.
"""

import os
import time

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from grambench import KernelClassifier

ROUNDS = {1: 300, 1000: 30}  # by the number of examples
ALGORITHMS = ("simple_mkl", "uniform_svm", "omkc_dd", "perceptron_u")


def main():
    features, labels = load_breast_cancer(return_X_y=True)
    features = scale(features)
    models = [SVC().fit(features, labels), *(KernelClassifier(name).fit(features, labels) for name in ALGORITHMS)]
    new = np.concatenate([features, features])[: max(ROUNDS)]
    print("examples    SVC ms" + "".join(f"{name:>14} ms  ratio" for name in ALGORITHMS))
    for count, rounds in ROUNDS.items():
        seconds = np.empty((rounds, len(models)))
        for times in seconds:
            for number, model in enumerate(models):
                start = time.process_time()
                model.predict(new[:count])
                times[number] = time.process_time() - start
        svc, *ours = 1e3 * seconds.min(axis=0)
        print(f"{count:8} {svc:9.3f}" + "".join(f"{each:17.3f} {svc / each:6.2f}" for each in ours))


if __name__ == "__main__":
    main()
