"""docs/data_dictionary.md, made of what files and metrics declare about themselves.

python docs/data_dictionary.py OUTPUT
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from grambench import claims
from grambench.config import shown
from grambench.config.metrics import METRICS
from grambench.results import archive, collect, merge, reproduction, summary
from grambench.results.columns import TYPES, Table
from grambench.results.records import SCHEMA

TABLES = (
    summary.TABLE,
    collect.RUNS,
    collect.CURVES,
    collect.CELLS,
    reproduction.TABLE,
    claims.TABLE,
    *dict.fromkeys(shown.TABLES.load(kind).file for kind in shown.TABLES.names()),
    merge.TABLE,
    archive.RECORDS,
)
HEAD = """# Data dictionary

Every column of the files of a results folder. They lie in `results/<study>`, but for `merged.csv`, which
`grambench merge` writes, and `records.parquet`, which `grambench archive` writes in `reference/<study>`.
`make dictionary` makes this page from the code that writes the files; a test holds it to that.

```python
import pandas as pd

summary = pd.read_csv("results/omkc/summary.csv")
summary.query("metric == 'mistake_percent'").pivot(index="dataset", columns="algorithm", values="mean")
```

A missing number is an empty field, which pandas reads as NaN; whole numbers and booleans are never missing, an empty
text says that there is nothing to say. Columns of numbers hold nothing else: reasons and remarks have columns of their
own. Names are those of the files in `config`; titles, as tables print them, stand beside them.
"""
METRIC_HEAD = """## Metrics

What `metric` names, in every file. "That of the metric" is this unit.
"""
RECORD_HEAD = """## Records

`results/runs/STUDY/DATASET/TASK.h5`, one HDF5 file a run: P points of a sweep (1 for a plain run), R repetitions, S
rounds of a curve, m kernels, C classes. Text and JSON are attributes of the file. `grambench.results.records.read`
returns it as a `Record`.
"""
PREPARED = """## Prepared data

`results/datasets/NAME.h5` has `features` (n, d) and `labels` (n,), -1 and +1 or numbers of `classes`. It has `orders`
(R, n) where permutations are published: repetition r takes row r. Other permutations and splits, and the random numbers
of fits, come from the seed of the record, the name of the data set and the number of the repetition
(`grambench.experiments.seeds`).
"""
PARTICULAR_HEAD = """## Numbers of one kernel or class

In `runs.parquet`, beside the metrics of plain runs. Of online algorithms `weight:KERNEL` is in `curves.parquet`; those
of the largest `round` are at the end of the pass. Kernels go by their names in the study, such as `gaussian_sigma0.5`.
"""


def page() -> str:
    """Return the page as Markdown."""
    parts = [HEAD, *map(_section, TABLES), METRIC_HEAD]
    rows = [
        (f"`{name}`", each.label, _unit(each.label), each.better or "", each.meaning) for name, each in METRICS.items()
    ]
    parts.append(_table(("metric", "title", "unit", "better", "meaning"), rows))
    parts += [PARTICULAR_HEAD, _table(("metric", "meaning"), [(f"`{n}`", m) for n, m in collect.PARTICULAR.items()])]
    stored = [(f"`{name}`", *texts) for name, texts in SCHEMA.items()]
    parts += [RECORD_HEAD, _table(("part", "stored as", "shape", "meaning"), stored), PREPARED]
    return "\n".join(parts)


def _section(table: Table) -> str:
    rows = [(f"`{each.name}`", TYPES[each.kind], each.unit, each.meaning) for each in table.columns]
    head = f"## {table.file}: {table.row}\n" if "*" in table.file else f"## {table.file}\n\nOne row is {table.row}.\n"
    return f"{head}\n{_table(('column', 'type', 'unit', 'meaning'), rows)}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def _unit(label: str) -> str:
    """Return the unit that the title of a metric ends with; empty where it is a count or has none."""
    return label.rpartition("(")[2].removesuffix(")") if label.endswith(")") else ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
