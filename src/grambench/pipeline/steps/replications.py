"""Rule `summary`: the means of all replications of a study (grambench.results.replications).

python -m grambench.pipeline.steps replications OUTPUT --records RECORD... --metrics NAME... [--shipped FILE]
"""

import argparse
from dataclasses import replace
from pathlib import Path

import pandas as pd

from grambench.common.files import sealed
from grambench.results import records, replications


def main(argv: list[str]) -> None:
    """Write the table of the metrics that are judged by it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("--records", type=Path, nargs="+", required=True)
    parser.add_argument("--metrics", nargs="+", required=True)
    parser.add_argument("--shipped", type=Path, help="the table whose rows are kept where they were not made anew")
    arguments = parser.parse_args(argv)
    found = [(identity(record), record) for record in map(records.read, arguments.records)]
    made = replications.table(found, set(arguments.metrics))
    if arguments.shipped:
        made = replications.updated(pd.read_csv(arguments.shipped, dtype=str), made)
    with sealed(arguments.output) as temporary:
        made.to_csv(temporary, index=False)


def identity(record: records.Record) -> str:
    """Return what a record was made from, whichever repetitions it holds."""
    settings = {name: value for name, value in record.settings.items() if name != "block"}
    return replace(record, settings=settings).identity
