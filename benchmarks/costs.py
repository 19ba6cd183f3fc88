"""Measures what long runs cost, for the blocks that they are split into and for the minutes that a cluster gives them.

Writes config/costs.csv from the records of results folders: the seconds of a repetition on one core, of every run that
took longer than ten seconds with all its repetitions. Runs that no folder holds keep their line.
"""

import argparse
import csv
import json
from pathlib import Path

import h5py

from grambench.common.layout import Cell
from grambench.config.load import read
from grambench.pipeline.plan import Plan
from grambench.pipeline.resources import SHORT, START

ROOT = Path(__file__).parent.parent


def measured(plan, folder):
    """Return the seconds of a repetition and of all repetitions by run; each block of a run has a start of its own."""
    found = {}
    for path in (folder / "runs").rglob("[!.]*.h5"):
        run = Cell.parse(path.relative_to(folder / "runs").with_suffix("").as_posix())
        with h5py.File(path, "r") as file:
            if file.attrs["status"] != "ok" or run.study not in plan.studies:
                continue
            provenance = json.loads(file.attrs["provenance"])
            repetitions = next(iter(file["metrics"].values())).shape[1]
        wall, blocks = provenance["wall_seconds"], provenance.get("blocks", 1)
        found[run] = max(wall - blocks * START, 0.0) / repetitions, wall
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", type=Path, default=[ROOT / "results"], help="results folders")
    arguments = parser.parse_args()
    plan = Plan(read(ROOT / "config/config.yaml"), ROOT / "config")
    costs = dict(plan.configuration.costs)
    for folder in arguments.results:
        for run, (seconds, wall) in measured(plan, folder).items():
            key = (run.study, run.dataset, run.task)
            costs.pop(key, None)
            if wall > SHORT:
                costs[key] = seconds
    with (ROOT / "config/costs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["study", "dataset", "task", "seconds"])
        writer.writerows((*run, f"{seconds:.2g}") for run, seconds in sorted(costs.items()))
    print(f"{len(costs)} runs of more than {SHORT} s, {sum(costs.values()):.0f} s for a repetition of each")


if __name__ == "__main__":
    main()
