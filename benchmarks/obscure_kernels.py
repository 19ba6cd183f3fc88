"""Epochs of OBSCURE until an accuracy and until a distance from the optimum, by the number of kernels.

    python benchmarks/obscure_kernels.py results

reads the runs of the study obscure_caltech_39 with 5, 10, 20 and all 39 kernels (Section 4.2, c). Only states
that a fit keeps are looked at, and "-" stands where a split does not come so far. The optimum is not known: the least
objective of the split with the same kernels stands for it.
"""

import argparse
from pathlib import Path

import numpy as np

from grambench.results import records

PERCENT = (35, 40, 45, 50)  # of the test images
TIMES = (100.0, 10.0, 2.0, 1.5, 1.1)  # the least objective


def first(epochs, reached):
    """Return the epochs at which each split first has what is asked for, or "-"."""
    return " ".join(
        f"{at[hit.argmax()]:4.0f}" if hit.any() else "   -" for at, hit in zip(epochs, reached, strict=True)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    folder = parser.parse_args().results / "runs" / "obscure_caltech_39" / "caltech_102"
    for name in ("obscure", "obscure_online"):
        swept, plain = (records.read(folder / path) for path in (f"{name}/kernels.h5", f"{name}.h5"))
        for record, point, kernels in [
            *((swept, p, size) for p, size in enumerate(swept.settings["values"])),
            (plain, 0, 39),
        ]:
            epochs, accuracy, objective = (
                record.curves[metric][point] for metric in ("epochs", "accuracy_percent", "objective")
            )
            least = np.nanmin(objective, axis=1, keepdims=True)
            print(f"{name}, {kernels} kernels")
            print(*(f"  {level} %: {first(epochs, accuracy >= level)}" for level in PERCENT), sep="\n")
            print(
                *(f"  {times:g} times the least: {first(epochs, objective <= times * least)}" for times in TIMES),
                sep="\n",
            )


if __name__ == "__main__":
    main()
