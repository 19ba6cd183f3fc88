"""Compiled passes and SVMs of two states of the code, in turn: milliseconds of a fit, and seconds of compiling it.

    python benchmarks/passes.py OLD/src NEW/src --algorithms omkc_dd om2

Every algorithm is fitted in processes of either state, one after the other, so that a slow minute of the machine meets
both. Of each process the fastest of several fits counts; the medians over processes and their ratio, new to old, are
printed. `compile` is the first fit with an empty cache of compiled code, `load` the first one with a full cache.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

ALGORITHMS = {
    "perceptron": {},
    "perceptron_u": {},
    "omkc_dd": {},
    "omkc_ds": {},
    "omkc_sd": {},
    "omkc_ss": {},
    "om2": {"p": None, "step": "shortened"},
    "om2_multiclass": {},
    "obscure": {"online": 1, "batch": 1},
    "uniform_svm": {},
    "lp_mkl": {},
}
EXAMPLES, FEATURES, KERNELS = 1000, 8, 16


def measure(name: str) -> dict[str, float]:
    """Return the milliseconds of the first fit of this process, and of the fastest of the next, by kind of pool."""
    import numpy as np

    from grambench import algorithms
    from grambench.kernels.functions import Kernel
    from grambench.kernels.pool import Stored
    from grambench.kernels.pools import BoundKernels

    rng = np.random.default_rng(0)
    features = rng.normal(size=(EXAMPLES, FEATURES))
    value = features[:, 0] * features[:, 1] + 0.5 * rng.normal(size=EXAMPLES)
    many = algorithms.is_multiclass(name)
    labels = np.digitize(value, [-0.5, 0.5]) if many else np.where(value > 0, 1, -1)
    labels, order = labels.astype(np.int8), rng.permutation(EXAMPLES).astype(np.int32)
    labels.flags.writeable = order.flags.writeable = False
    kernels = [Kernel("gaussian", 2.0 ** (k - KERNELS // 2)) for k in range(KERNELS)]
    stored = Stored(np.stack(BoundKernels(kernels, features).train().grams()))
    algorithm, parameters = algorithms.load(name), algorithms.parameters(name, ALGORITHMS[name])

    def spent(pool):
        begun = time.process_time()
        algorithm.fit(parameters, pool, labels, order=order, rng=np.random.default_rng(1))
        return 1e3 * (time.process_time() - begun)

    milliseconds = {"first": spent(stored), "stored": min(spent(stored) for _ in range(15))}
    if not many:
        milliseconds["on demand"] = min(spent(BoundKernels(kernels, features).train()) for _ in range(3))
    return milliseconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--algorithms", nargs="*", default=list(ALGORITHMS))
    arguments = parser.parse_args()
    sources = {"old": arguments.old.resolve(), "new": arguments.new.resolve()}
    print(f"{'algorithm':16} {'fit':10} {'old ms':>9} {'new ms':>9} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as caches:
        for name in arguments.algorithms:
            spent = defaultdict(lambda: defaultdict(list))
            for turn in range(arguments.rounds + 1):
                for state in ("old", "new") if turn % 2 else ("new", "old"):
                    variables = {"PYTHONPATH": str(sources[state]), "NUMBA_CACHE_DIR": f"{caches}/{state}"}
                    code = f"import json, passes; print(json.dumps(passes.measure({name!r})))"
                    answer = subprocess.run(
                        [sys.executable, "-c", code],
                        env=os.environ | variables,
                        cwd=Path(__file__).parent,
                        stdout=subprocess.PIPE,
                        check=True,
                    )
                    for fit, milliseconds in json.loads(answer.stdout).items():
                        if fit == "first":
                            spent["load" if turn else "compile"][state].append(milliseconds)
                        elif turn:
                            spent[fit][state].append(milliseconds)
            for fit, found in spent.items():
                old, new = median(found["old"]), median(found["new"])
                print(f"{name:16} {fit:10} {old:9.2f} {new:9.2f} {new / old:6.3f}", flush=True)


if __name__ == "__main__":
    main()
