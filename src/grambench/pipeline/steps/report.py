"""Rule `report`: the page about all studies.

python -m grambench.pipeline.steps.report SPEC OUTPUT INPUT...

SPEC holds the settings of every study under its name. The inputs are found by the names that `grambench.common.layout`
gives them, below the working folder.
"""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import check, write_text
from grambench.config.study import Study
from grambench.datasets import store
from grambench.pipeline import specification
from grambench.report import figures, page, tables
from grambench.results import records, reproduction
from grambench.results.study import Results

Find = Callable[[str], Path]


def main(argv: list[str]) -> None:
    """Write the page."""
    specs, output, given = specification.read(argv[0]), Path(argv[1]), set(argv[2:])

    def find(name: str) -> Path:
        if name not in given:
            raise DataError(f"{name} is not among the inputs of the report")
        return Path(name)

    write_text(output, page.render([study_report(spec, find) for spec in specs.values()]))


def study_report(spec: dict[str, Any], find: Find) -> page.StudyReport:
    """Read what the page shows of one study."""
    study = Study.model_validate(spec)

    def path(pattern: str, **names: str) -> Path:
        return find(pattern.format(study=study.name, **names))

    results = Results.read(study, path(layout.RUNS), path(layout.CELLS))
    prepared = {name: store.read(path(layout.PREPARED, dataset=name)) for name in study.datasets}
    compared = reproduction.read(path(layout.REPRODUCTION))
    index = tables.comparison(compared)
    found = [find(str(name)) for name in results.cells["record"]]
    return page.StudyReport(
        results=results,
        prepared=prepared,
        reproduction=compared,
        claims=pd.read_csv(check(path(layout.CLAIMS)), dtype=str, keep_default_na=False),
        tables=[tables.build(results, prepared, index, table) for _, table in sorted(study.tables.items())],
        figures=[
            page.Picture(
                title=figure.title,
                caption=figure.caption,
                alternative=figures.alternative(results, figure),
                left_out=figures.left_out(results, figure),
                svg=check(path(layout.FIGURE, figure=name, suffix="svg")).read_bytes(),
            )
            for name, figure in sorted(study.figures.items())
        ],
        provenance=[records.read(record).provenance for record in found],
        newest=datetime.fromtimestamp(max((record.stat().st_mtime for record in found), default=0), tz=UTC),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
