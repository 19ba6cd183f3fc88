"""What it saves that runs keep freed memory (`grambench.common.memory.keep_freed`): python benchmarks/freed_memory.py.

Processor seconds of scikit-learn's gradient boosting and random forest on 350 examples with 765 features, and of dense
SIFT of an image of 240 x 320 pixels, in new processes in turn, with and without it. Medians of rounds.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np

NAMES = ("gradient boosting", "random forest", "dense SIFT")


def measure(keeps):
    """Print the seconds of each name as JSON."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

    from grambench import features
    from grambench.common import memory

    if keeps:
        memory.keep_freed()
    rng = np.random.default_rng(0)
    X, image = rng.normal(size=(350, 765)), rng.integers(0, 256, (240, 320, 3), dtype=np.uint8)
    y = X[:, 0] + X[:, 1] > 0.0
    sift, parameters = features.load("dense_sift"), features.parameters("dense_sift", {})
    workloads = (
        lambda: HistGradientBoostingClassifier(random_state=0).fit(X, y),
        lambda: RandomForestClassifier(random_state=0).fit(X, y),
        lambda: [sift.local(parameters, image) for _ in range(5)],
    )
    sift.local(parameters, image)
    seconds = []
    for workload in workloads:
        begun = time.process_time()
        workload()
        seconds.append(time.process_time() - begun)
    print(json.dumps(seconds))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", choices=["keep", "free"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure == "keep")
        return
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    seconds = {"keep": [], "free": []}
    for _ in range(arguments.rounds):
        for setting, times in seconds.items():
            command = [sys.executable, __file__, "--measure", setting]
            output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
            times.append(json.loads(output))
    kept, freed = (np.median(seconds[setting], axis=0) for setting in ("keep", "free"))
    print(f"{'':20} {'kept s':>8} {'freed s':>8} {'kept/freed':>11}")
    for name, with_it, without in zip(NAMES, kept, freed, strict=True):
        print(f"{name:20} {with_it:8.2f} {without:8.2f} {with_it / without:11.2f}")


if __name__ == "__main__":
    main()
