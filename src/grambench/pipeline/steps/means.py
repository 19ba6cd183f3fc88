"""Rule `means`: the means of all replications of a study (grambench.results.replications).

Input: the records. The settings name the metrics, and the table whose rows are kept if they are not made anew, if any.
"""

from dataclasses import replace

import pandas as pd

from grambench.common.files import write_text
from grambench.pipeline.job import Job
from grambench.results import records, replications


def main(job: Job) -> None:
    """Write the table of the metrics that replications are compared by."""
    identified = [(identity(record), record) for record in map(records.read, job.input)]
    table = replications.table(identified, set(job.settings["metrics"]))
    for shipped in job.settings["shipped"]:
        table = replications.updated(pd.read_csv(shipped, dtype=str), table)
    write_text(job.output[0], table.to_csv(index=False))


def identity(record: records.Record) -> str:
    """Return the identity of a record, the same for all blocks of a run."""
    settings = {name: value for name, value in record.settings.items() if name != "block"}
    return replace(record, settings=settings).identity
