"""What a job costs beside its work, what commands cost that compute nothing, and what first fits cost by algorithm.

A job is `python -m grambench.pipeline.steps run` on a tiny problem, the commands are `grambench list`, `status` and
`validate` in this clone.

    python benchmarks/start.py [--rounds N] [--run STUDY/DATASET/ALGORITHM]
    python benchmarks/start.py --first-fits [ALGORITHM ...] [--rounds N]

A run is two processes, a supervisor and the fit. Their wall time is split into the two interpreters, their imports, the
import of Numba with the loading of compiled code, and the rest: reading and writing files, waiting for each other, and
the fit itself. What is compiled is loaded from a cache, as in a study. All parts are measured in turn, and the medians
are printed.

A first fit is that of `KernelClassifier` to 200 examples of breast cancer in a new process, in processor seconds after
the imports: cold with an empty cache of compiled code, warm with that of the cold one, and the second fit of a process.
The least of the rounds is printed.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from grambench import algorithms, experiments
from grambench.common import layout
from grambench.common.layout import Cell
from grambench.config.load import read
from grambench.pipeline import compiled
from grambench.pipeline.job import STEPS, Job
from grambench.pipeline.plan import Plan, use_this_interpreter
from grambench.pipeline.steps import fetch, prepare

ROOT = Path(__file__).parent.parent
RUN, FIT = "grambench.pipeline.steps.run", "grambench.pipeline.steps.fit"
FIRST_AND_SECOND = f"""
import sys, time
from {FIT.rpartition(".")[0]} import fit
from pathlib import Path
from grambench.pipeline.job import Job
job = Job.parse(sys.argv[1:])
def seconds():
    wall, processor = time.perf_counter(), time.process_time()
    fit.main(job)
    return time.perf_counter() - wall, time.process_time() - processor
print(*(first - second for first, second in zip(seconds(), seconds())))
"""

FIRST_FITS = ("default", "rkl", "simple_mkl", "lp_mkl", "easy_mkl", "uniform_svm", "obscure")
FIRST_FITS += ("omkc_dd", "omkc_sd", "om2")
FIT_TWICE = """
import sys, time, warnings
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from grambench import KernelClassifier, algorithms
warnings.simplefilter("ignore")
X, y = load_breast_cancer(return_X_y=True)
X, y = StandardScaler().fit_transform(X)[:200], y[:200]
model = KernelClassifier(*sys.argv[1:], random_state=0)
algorithms.load(model.algorithm)
times = [time.process_time()]
for _ in range(2):
    model.fit(X, y)
    times.append(time.process_time())
print(times[1] - times[0], times[2] - times[1])
"""


def first_fits(names, rounds):
    """Print the processor seconds of first fits, cold and warm, and of second fits."""
    print(f"{'algorithm':14} {'cold':>6} {'warm':>6} {'second':>7}")
    for name in names:
        command, seconds = [sys.executable, "-c", FIT_TWICE, *([] if name == "default" else [name])], []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                variables = os.environ | {"NUMBA_CACHE_DIR": folder}
                for _ in range(2):
                    printed = subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout
                    seconds.append(tuple(map(float, printed.split())))
        cold, warm = (min(first for first, _ in seconds[k::2]) for k in (0, 1))
        print(f"{name:14} {cold:6.2f} {warm:6.2f} {min(second for _, second in seconds):7.3f}", flush=True)


def measured(command, **streams):
    """Return the wall and the processor seconds of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, **streams)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands_that_compute_nothing(rounds):
    """Print the wall and the processor time of commands that only read settings and records."""
    os.chdir(ROOT)
    for name in ("list algorithms", "status", "validate"):
        command = [sys.executable, "-m", "grambench.cli", *name.split()]
        times = [measured(command, stdout=subprocess.DEVNULL) for _ in range(rounds)]
        wall, processor = (1e3 * median(each[k] for each in times) for k in (0, 1))
        print(f"grambench {name:15} wall {wall:4.0f} ms, processor {processor:4.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--run", type=Cell.parse, default="leaderboard/sonar/uniform_svm", help="its first repetition")
    parser.add_argument("--first-fits", nargs="*", metavar="ALGORITHM", help="alone")
    arguments = parser.parse_args()
    if arguments.first_fits is not None:
        first_fits(arguments.first_fits or FIRST_FITS, arguments.rounds)
        return
    cell = arguments.run._replace(block=(0, 0))
    plan = Plan(read(ROOT / "config/config.yaml") | {"studies": [cell.study]}, ROOT / "config")
    spec, settings = plan.specs, json.loads(plan.specs.of_cell(cell).spec)
    used = f"import {FIT}, {experiments.module(settings['experiment'])}, {algorithms.module(settings['file'])}"
    with tempfile.TemporaryDirectory() as folder:
        prepared, note = Path(folder) / "prepared.h5", Path(folder) / Path(layout.RAW).name
        fetch.main(Job(*spec.fetch(cell.dataset), [note]))
        prepare.main(Job(*spec.prepare(cell.dataset), [prepared], [note]))
        os.chdir(folder)
        use_this_interpreter()
        compiled.use("start")
        job = plan.job(cell, Path("record.h5"), [prepared], 60.0)
        commands = {
            "whole": [sys.executable, "-m", STEPS, "run", *job.argv],
            "interpreter": [sys.executable, "-c", "pass"],
            "supervisor": [sys.executable, "-c", f"import {RUN}"],
            "fit": [sys.executable, "-c", used],
        }
        for _ in range(2):  # compile
            measured(commands["whole"], input=job.spec.encode())
        times = {name: [] for name in [*commands, "compiled"]}
        for _ in range(arguments.rounds):
            for name, command in commands.items():
                times[name].append(measured(command, input=job.spec.encode()))
            command = [sys.executable, "-c", used + FIRST_AND_SECOND, *job.argv]
            printed = subprocess.run(command, input=job.spec, capture_output=True, text=True, check=True).stdout
            times["compiled"].append(tuple(map(float, printed.split())))
    wall, processor = ({name: median(each[k] for each in values) for name, values in times.items()} for k in (0, 1))
    for title, seconds in (("wall", wall), ("processor", processor)):
        start, load = seconds["interpreter"], seconds["compiled"]
        imports = seconds["supervisor"] + seconds["fit"] - 2 * start
        rest = seconds["whole"] - 2 * start - imports - load
        print(
            f"{title:10} {1e3 * seconds['whole']:6.0f} ms: interpreters {2e3 * start:.0f}, imports {1e3 * imports:.0f}"
            f" (supervisor {1e3 * (seconds['supervisor'] - start):.0f}, fit {1e3 * (seconds['fit'] - start):.0f}),"
            f" compiled code {1e3 * load:.0f}, rest {1e3 * rest:.0f}"
        )
    commands_that_compute_nothing(arguments.rounds)


if __name__ == "__main__":
    main()
