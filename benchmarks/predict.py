"""Processor time of predictions: python benchmarks/predict.py.

KernelClassifier("simple_mkl") on breast_cancer (569 examples, 13 kernels) predicts one example and all of them, in turn
with scikit-learn's SVC. Medians over the rounds, one thread.
"""

import os
import time

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from grambench import KernelClassifier

ROUNDS = {1: 300, 569: 30}  # by the number of examples


def main():
    features, labels = load_breast_cancer(return_X_y=True)
    features = scale(features)
    models = [KernelClassifier("simple_mkl").fit(features, labels), SVC().fit(features, labels)]
    print("examples  simple_mkl ms     SVC ms")
    for count, rounds in ROUNDS.items():
        seconds = np.empty((rounds, len(models)))
        for times in seconds:
            for number, model in enumerate(models):
                start = time.process_time()
                model.predict(features[:count])
                times[number] = time.process_time() - start
        ours, svc = 1e3 * np.median(seconds, axis=0)
        print(f"{count:8} {ours:14.2f} {svc:10.2f}")


if __name__ == "__main__":
    main()
