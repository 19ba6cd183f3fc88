"""Processor seconds of the runs of two results folders, such as of two revisions, by study and by algorithm.

    python benchmarks/seconds.py OLD NEW [--studies NAME ...]

Only runs that are ok in both count. The folders should be of one machine that did nothing else: processor seconds
depend less on that than others do, but they do.
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from grambench.results.records import read


def shared(old, new, studies):
    """Yield study, algorithm and the two processor seconds of each run that is ok in both folders."""
    for path in sorted((new / "runs").rglob("[!.]*.h5")):
        name = path.relative_to(new / "runs")
        other = old / "runs" / name
        if (studies and name.parts[0] not in studies) or not other.is_file():
            continue
        before, after = read(other), read(path)
        if before.status == after.status == "ok":
            yield name.parts[0], after.algorithm, (before.provenance["cpu_seconds"], after.provenance["cpu_seconds"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--studies", nargs="+", help="all that both have where left out")
    given = parser.parse_args()
    found = defaultdict(list)
    for study, algorithm, seconds in shared(given.old, given.new, given.studies):
        for key in ((study, ""), (study, algorithm), ("all", "")):
            found[key].append(seconds)
    if not found:
        sys.exit(f"no run is ok in both {given.old / 'runs'} and {given.new / 'runs'}")
    print(f"{'':32} {'runs':>5} {'old s':>8} {'new s':>8} {'new/old':>8}")
    for (study, algorithm), seconds in sorted(found.items()):
        before, after = np.sum(seconds, axis=0)
        name = f"  {algorithm}" if algorithm else study
        print(f"{name:32} {len(seconds):5} {before:8.0f} {after:8.0f} {after / before:8.2f}")


if __name__ == "__main__":
    main()
