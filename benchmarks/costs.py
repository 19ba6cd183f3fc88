"""Measures what runs cost: for the expected times of commands, and on a cluster for blocks and minutes of long runs.

Writes config/costs.csv from the folder `reference` and from records of results folders: the processor seconds of a
repetition of every run, and those of a fixed problem on this machine, beside which commands set the time that it takes
where they run. Runs that no folder holds keep their line. With --check, it prints instead what `grambench compare`
expects of tables of one's own, in a new project, beside what their runs take.
"""

import argparse
import contextlib
import csv
import json
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import h5py

from grambench import cli, experiments
from grambench.commands import compare, init
from grambench.common import layout
from grambench.common.layout import Cell
from grambench.config.load import read
from grambench.datasets import describe, store
from grambench.experiments.run import Run
from grambench.pipeline.plan import Plan
from grambench.pipeline.resources import CALIBRATION, JOB, calibrate
from grambench.results import archive

ROOT = Path(__file__).parent.parent
BOARD = "leaderboard"


def archived(configuration):
    """Return the seconds of a repetition by run of the reference results."""
    found = {}
    for study in archive.studies():
        repetitions = configuration.study(study).protocol.repetitions
        with (archive.ARCHIVE / study / "cells.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["status"] == "ok":
                    run = study, row["dataset"], "/".join(filter(None, (row["algorithm"], row["sweep"])))
                    found[run] = float(row["cpu_seconds"]) / repetitions
    return found


def measured(studies, folder):
    """Return the seconds of a repetition by run of some studies in a results folder."""
    found = {}
    for path in (folder / "runs").rglob("[!.]*.h5"):
        run = Cell.parse(path.relative_to(folder / "runs").with_suffix("").as_posix())
        with h5py.File(path, "r") as file:
            if file.attrs["status"] == "ok" and run.study in studies:
                repetitions = next(iter(file["metrics"].values())).shape[1]
                seconds = json.loads(file.attrs["provenance"])["cpu_seconds"]
                found[run.study, run.dataset, run.task] = seconds / repetitions
    return found


def check(file, label):
    """Print the seconds that two splits of what `grambench compare` runs on a file are expected to take, and take."""
    name = f"checked_{describe.name_of(file)}"
    cli.main(["add-dataset", str(file), "--label", label, "--name", name])
    cli.main(["fetch", name])
    chosen, _, whole = compare._fitting(BOARD, name, 2 * 60.0)
    plan = Plan(read("config/config.yaml") | {"studies": [BOARD], "datasets": [name], "algorithms": {}}, Path("config"))
    dataset, slowness, times = store.read(Path(layout.PREPARED.format(dataset=name))), plan.resources.slowness(), []
    for cell in (Cell(BOARD, name, entry, block=(0, 1)) for entry in chosen):
        run = Run.from_dict(json.loads(plan.specs.of_cell(cell).spec))
        experiments.load(run.experiment)(replace(run, block=(0, 0)), dataset, [])  # loads compiled code
        start = time.process_time()
        experiments.load(run.experiment)(run, dataset, [])
        took = time.process_time() - start
        times.append((slowness * (plan.resources.processor_seconds(cell) - JOB), took, cell.algorithm))
        print("  {2}: expected {0:.2f} s, took {1:.2f} s".format(*times[-1]), flush=True)
    expected, took = (sum(of_run[place] for of_run in times) for place in (0, 1))
    print(f"{file.name}: {len(chosen)} configurations, {whole:.0f} s with all splits; slowness {slowness:.2f}")
    print(f"{file.name}: two splits expected {expected:.1f} s, took {took:.1f} s, {expected / took:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="results folders")
    parser.add_argument("--check", nargs="+", type=Path, default=[], metavar="FILE", help="tables of one's own")
    parser.add_argument("--label", default="target", help="their column of labels")
    arguments = parser.parse_args()
    if files := [path.absolute() for path in arguments.check]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            init.run(argparse.Namespace(folder=Path()))
            for path in files:
                check(path, arguments.label)
        return
    os.chdir(ROOT)
    plan = Plan(read("config/config.yaml"), Path("config"))
    costs = plan.configuration.costs | archived(plan.configuration)
    for folder in arguments.folders:
        costs |= measured(plan.studies, folder)
    costs[CALIBRATION] = min(calibrate() for _ in range(10))  # where other work slows the machine, single ones are high
    with Path("config/costs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["study", "dataset", "task", "seconds"])
        writer.writerows((*run, f"{seconds:.2g}") for run, seconds in sorted(costs.items()))
    print(f"{len(costs) - 1} runs, {sum(costs.values()):.0f} s for a repetition of each")


if __name__ == "__main__":
    main()
