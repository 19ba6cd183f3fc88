"""Processor time, wall time and peak memory of studies that start from nothing but their data sources.

    python benchmarks/study.py [--studies NAME ... [--datasets NAME ...] [--algorithms NAME ...]] [--root CHECKOUT ...]

The studies run one after another, a row for each, in a temporary copy of each checkout (default: the demo's studies in
one run, of this one). With --compiled, a run of the demo that is not counted first compiles what it uses. Processor
time is that of all processes; Snakemake's own is that of its process alone. Memory is private: mapped Gram matrices,
which live in the page cache and are given up under pressure, are not in it; the second figure counts them. With several
checkouts, the last column is the processor time in relation to the first one's.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).parent.parent
COPIED = ["Snakefile", "workflow", "config", "profiles", "envs", "src", "data/bundled"]


def memory(process):
    """Private and resident bytes of a process and its descendants."""
    private = resident = 0
    for one in [process, *process.children(recursive=True)]:
        try:
            info = one.memory_info()
        except psutil.Error:
            continue
        private += info.rss - getattr(info, "shared", 0)
        resident = max(resident, info.rss)
    return private, resident


def used():
    """Processor seconds of all processes that have ended."""
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


def measure(folder, command):
    """Run a command; return its wall time, its processor time and Snakemake's own, and the two kinds of memory."""
    # the package of the copy, not the installed one
    environment = os.environ | {"PYTHONPATH": str(Path(folder) / "src")}
    start, before = time.monotonic(), used()
    process = psutil.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    own = peak_private = peak_resident = 0.0
    while process.poll() is None:
        try:
            own = sum(process.cpu_times()[:2])
            private, resident = memory(process)
        except psutil.Error:
            break
        peak_private, peak_resident = max(peak_private, private), max(peak_resident, resident)
        time.sleep(0.25)
    if process.wait() != 0:
        raise SystemExit(f"snakemake failed with exit code {process.returncode}")
    return time.monotonic() - start, used() - before, own, peak_private / 2**20, peak_resident / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cores", default="2")
    parser.add_argument("--compiled", action="store_true", help="run the demo first, which is not counted")
    parser.add_argument("--studies", nargs="+", default=[])
    parser.add_argument("--datasets", nargs="+", default=[])
    parser.add_argument("--algorithms", nargs="+", default=[], help="configurations of the studies")
    parser.add_argument("--root", nargs="+", type=Path, default=[ROOT], help="checkouts to compare")
    parser.add_argument("--keep", type=Path, help="move the last checkout's results here, a folder for each study")
    arguments = parser.parse_args()
    if not arguments.studies and (arguments.datasets or arguments.algorithms):
        parser.error("--datasets and --algorithms need --studies")
    command = [sys.executable, "-m", "snakemake", "--cores", arguments.cores, "--quiet", "all"]
    demo = [*command, "--configfile", "config/demo.yaml"]
    chosen = {"datasets": arguments.datasets} if arguments.datasets else {}
    commands = {"demo": demo} if not arguments.studies else {}
    for name in arguments.studies:
        algorithms = {"algorithms": {name: arguments.algorithms}} if arguments.algorithms else {}
        settings = {"studies": [name]} | chosen | algorithms
        commands[name] = [*command, "--config", *(f"{key}={json.dumps(value)}" for key, value in settings.items())]
    print(
        f"{'study':22} {'checkout':10} {'processor s':>12} {'snakemake s':>12} {'wall s':>8} "
        f"{'private MiB':>12} {'mapped MiB':>11}"
    )
    first = {}
    (ROOT / ".cache").mkdir(exist_ok=True)  # beside the repository's files and ignored by git; it may need 29 GB
    for root in arguments.root:
        with tempfile.TemporaryDirectory(dir=ROOT / ".cache") as folder:
            for name in COPIED:
                source, target = root / name, Path(folder) / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
            results = Path(folder) / "results"
            if arguments.compiled:
                measure(folder, demo)
                shutil.rmtree(results)
            for name, command in commands.items():
                wall, processor, own, private, resident = measure(folder, command)
                first.setdefault(name, processor)
                row = f"{processor:12.1f} {own:12.1f} {wall:8.1f} {private:12.0f} {resident:11.0f}"
                print(f"{name:22} {root.resolve().name:10} {row}  {processor / first[name]:.2f}", flush=True)
                if arguments.keep and root == arguments.root[-1]:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    shutil.move(results, arguments.keep / name)
                else:
                    shutil.rmtree(results)


if __name__ == "__main__":
    main()
