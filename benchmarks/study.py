"""Wall time, Snakemake's own share and peak memory of a study that starts from nothing but its data sources.

The study runs in a temporary copy of the repository. Snakemake's own share is the processor time of its process
alone, without its jobs, divided by the wall time. Memory is private: mapped Gram matrices, which live in the page
cache and are given up under pressure, are not in it; the second figure counts them.
"""

import argparse
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cores", default="2")
    parser.add_argument("--demo", action="store_true", help="the embedded data sets only")
    parser.add_argument("--keep", type=Path, help="move the results here")
    arguments = parser.parse_args()
    (ROOT / ".cache").mkdir(exist_ok=True)  # beside the repository's files and ignored by git; it needs 29 GB
    with tempfile.TemporaryDirectory(dir=ROOT / ".cache") as folder:
        for name in COPIED:
            source, target = ROOT / name, Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        command = [sys.executable, "-m", "snakemake", "--cores", arguments.cores, "--quiet", "rules"]
        command += ["--configfile", "config/demo.yaml"] if arguments.demo else []
        start = time.monotonic()
        process = psutil.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        peak_private = peak_resident = own = 0.0
        while process.poll() is None:
            try:
                own = sum(process.cpu_times()[:2])
                private, resident = memory(process)
            except psutil.Error:
                break
            peak_private, peak_resident = max(peak_private, private), max(peak_resident, resident)
            time.sleep(0.1)
        wall = time.monotonic() - start
        if process.wait() != 0:
            raise SystemExit(f"snakemake failed with exit code {process.returncode}")
        jobs = sum(1 for _ in (Path(folder) / "results").rglob("*.h5"))
        if arguments.keep:
            shutil.move(Path(folder) / "results", arguments.keep)
    print(f"wall {wall:.0f} s on {arguments.cores} cores, {jobs} HDF5 files")
    print(f"snakemake's own processor time {own:.1f} s, {100 * own / wall:.1f} % of the wall time")
    print(f"peak private memory of all processes {peak_private / 2**20:.0f} MiB")
    print(f"largest resident memory of one process, mapped files counted, {peak_resident / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
