"""Rule `reproduce`: every published number beside ours, with a verdict.

python -m grambench.pipeline.steps reproduce SPEC OUTPUT RUNS CELLS --published FILE... --prepared FILE...
    [--replications FILE]
"""

import argparse
from pathlib import Path

from grambench.common.files import sealed
from grambench.config.study import Study
from grambench.datasets import store
from grambench.pipeline.steps import read_spec
from grambench.results import reproduction
from grambench.results.study import Results


def main(argv: list[str]) -> None:
    """Write reproduction.csv."""
    parser = argparse.ArgumentParser()
    parser.add_argument("spec", type=read_spec)
    for name in ("output", "runs", "cells"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--published", type=Path, nargs="*", default=[])
    parser.add_argument("--prepared", type=Path, nargs="*", default=[])
    parser.add_argument("--replications", type=Path)
    arguments = parser.parse_args(argv)
    results = Results.read(Study.model_validate(arguments.spec), arguments.runs, arguments.cells)
    prepared = {dataset.name: dataset for dataset in map(store.read, arguments.prepared)}
    published = {path.name: path for path in arguments.published}
    with sealed(arguments.output) as temporary:
        made = reproduction.table(results, prepared, published, arguments.replications)
        made.to_csv(temporary, index=False)
