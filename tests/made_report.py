"""The report of the small study of presentation.py, made by all steps after the runs."""

import json
from pathlib import Path

import presentation

from grambench.common import layout
from grambench.common.files import sealed
from grambench.datasets import store
from grambench.pipeline import fingerprint
from grambench.pipeline.steps import claims, figures, report, reproduce, tables
from grambench.results import records

SETTINGS = presentation.study().model_dump(mode="json")
SPEC = fingerprint.spec(SETTINGS)
NAMES = {"study": "omkc"}
PROVENANCE = {"versions": {"python": "3.x"}, "blas": "some blas", "revision": "abc123", "threads": {}, "cores": 2}
NOTES_FILE = layout.NOTES / "omkc.md"
NOTES = """# OMKC (Somebody et al.)

Most of it does, see [Verdicts](../verdicts.md).

## Numbers that differ

- **w5a, mistakes of OMKC(S,S)**: no.
- **wdbc, mistakes of OMKC(S,S)**: the reason is `said` here.

## Claims that fail

- **1b** (among the best) is contradicted.
"""


def report_spec(title="", **changes):
    whole = SETTINGS | {"datasets": [*SETTINGS["datasets"], "w5a"]}
    described = {"wdbc": {"title": "Breast <cancer>", "licence": "free", "url": "https://example.org/wdbc"}}
    spec = {"title": title, "order": ["omkc"], "studies": {"omkc": SETTINGS}, "whole": {"omkc": whole}}
    return json.dumps(spec | {"datasets": described, "earlier": {}, "files": []} | changes)


def write_inputs(root):
    """Write what `collect` and `prepare` would have left, and return the paths of the published files."""
    for table, pattern in ((presentation.runs(), layout.RUNS), (presentation.curves(), layout.CURVES)):
        with sealed(Path(pattern.format(**NAMES))) as path:
            table.to_parquet(path)
    with sealed(Path(layout.CELLS.format(**NAMES))) as path:
        presentation.cells().to_csv(path, index=False)
    for name, dataset in presentation.prepared().items():
        store.write(Path(layout.PREPARED.format(dataset=name)), dataset)
    for cell in presentation.cells().itertuples():
        provenance = PROVENANCE if cell.status == "ok" else {}
        record = records.Record(
            study="omkc", dataset=cell.dataset, algorithm=cell.algorithm, status=cell.status, provenance=provenance
        )
        records.write(Path(cell.record), record)
    layout.NOTES.mkdir(parents=True)
    NOTES_FILE.write_text(NOTES, encoding="utf-8")
    return list(map(str, presentation.published(root / "published").values()))


def make(root):
    """Run all steps in a folder, which is the working folder; return the inputs of the report."""
    published = write_inputs(root)
    runs, curves, cells, reproduction = (
        pattern.format(**NAMES) for pattern in (layout.RUNS, layout.CURVES, layout.CELLS, layout.REPRODUCTION)
    )
    prepared = [layout.PREPARED.format(dataset=name) for name in presentation.prepared()]
    reproduce.main([SPEC, reproduction, runs, cells, "--published", *published, "--prepared", *prepared])
    claims.main([SPEC, layout.CLAIMS.format(**NAMES), runs, cells, curves, str(presentation.ROOT / layout.CHANCES)])
    for table in presentation.SETTINGS["tables"]:
        outputs = [layout.TABLE.format(**NAMES, table=table, suffix=suffix) for suffix in ("csv", "md", "tex")]
        tables.main([SPEC, *outputs, runs, cells, reproduction, *prepared])
    for figure in presentation.SETTINGS["figures"]:
        outputs = [layout.FIGURE.format(**NAMES, figure=figure, suffix=suffix) for suffix in ("svg", "png")]
        figures.main([SPEC, *outputs, runs, cells, curves, reproduction])
    inputs = [str(path) for path in Path("results").rglob("*") if path.is_file()]
    inputs.append(str(NOTES_FILE))
    report.main([report_spec(), layout.REPORT, *inputs])
    return inputs
