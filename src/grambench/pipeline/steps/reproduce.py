"""Rule `reproduce`: every published number beside ours, with a verdict.

python -m grambench.pipeline.steps reproduce SPEC OUTPUT RUNS CELLS --published FILE... --prepared FILE...
    [--replications FILE]
"""

import argparse
from pathlib import Path

from grambench.common.files import sealed
from grambench.datasets import store
from grambench.pipeline.study_results import read_results
from grambench.results import reproduction


def main(argv: list[str]) -> None:
    """Write reproduction.csv."""
    parser = argparse.ArgumentParser()
    parser.add_argument("spec")
    for name in ("output", "runs", "cells"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--published", type=Path, nargs="*", default=[])
    parser.add_argument("--prepared", type=Path, nargs="*", default=[])
    parser.add_argument("--replications", type=Path)
    arguments = parser.parse_args(argv)
    results = read_results(arguments.spec, arguments.runs, arguments.cells)
    prepared = {dataset.name: dataset for dataset in map(store.read, arguments.prepared)}
    published = {path.name: path for path in arguments.published}
    with sealed(arguments.output) as temporary:
        reproduction.table(results, prepared, published, arguments.replications).to_csv(temporary, index=False)
