"""Rule `means`: the means of all replications of a study (grambench.results.replications).

python -m grambench.pipeline.steps means OUTPUT --records RECORD... --metrics NAME... [--shipped FILE]
"""

import argparse
from dataclasses import replace
from pathlib import Path

import pandas as pd

from grambench.common.files import sealed
from grambench.results import records, replications


def main(argv: list[str]) -> None:
    """Write the table of the metrics that replications are compared by."""
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("--records", type=Path, nargs="+", required=True)
    parser.add_argument("--metrics", nargs="+", required=True)
    parser.add_argument("--shipped", type=Path, help="the table whose rows are kept where they were not made anew")
    arguments = parser.parse_args(argv)
    identified = [(identity(record), record) for record in map(records.read, arguments.records)]
    table = replications.table(identified, set(arguments.metrics))
    if arguments.shipped:
        table = replications.updated(pd.read_csv(arguments.shipped, dtype=str), table)
    with sealed(arguments.output) as temporary:
        table.to_csv(temporary, index=False)


def identity(record: records.Record) -> str:
    """Return the identity of a record, the same for all blocks of a run."""
    settings = {name: value for name, value in record.settings.items() if name != "block"}
    return replace(record, settings=settings).identity
