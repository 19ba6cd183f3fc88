"""How many kernels count as selected, by the share of the largest weight below which one does not, beside the paper's.

    python benchmarks/selected_kernels.py results

reads the runs of the study rkl, with the C that cross-validation has chosen in each part.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from grambench.results import records

SHARES = (0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.05)
COLUMNS = ("mkl_l1", "rkl_l1", "rkl_l2", "rkl_none")
PUBLISHED = Path("config/published/rkl_table_1.csv")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    arguments = parser.parse_args()
    published = pd.read_csv(PUBLISHED)
    published = published[published["metric"] == "kernels_selected"].set_index(["algorithm", "dataset"])["mean"]
    for algorithm in COLUMNS:
        rows = {}
        for path in sorted((arguments.results / "runs" / "rkl").glob(f"*/{algorithm}.h5")):
            record = records.read(path)
            weights = record.kernel_values["weight"].reshape(-1, record.kernel_values["weight"].shape[-1])
            counts = [np.mean([(row > share * row.max()).sum() for row in weights]) for share in SHARES]
            chosen = " ".join(f"{value:g}" for value in record.metrics["selected_C"].ravel())
            rows[path.parent.name] = [published[algorithm, path.parent.name], *counts, chosen]
        table = pd.DataFrame.from_dict(rows, orient="index", columns=["published", *SHARES, "chosen C"])
        off = [f"{share:g}: {np.abs(table[share] - table['published']).mean():.1f}" for share in SHARES]
        print(f"\n{algorithm}\n{table.to_string(float_format='{:.1f}'.format)}")
        print("mean distance from the published: " + ", ".join(off))


if __name__ == "__main__":
    main()
