"""The papers' tables with our numbers, the published ones beneath, as CSV, Markdown and LaTeX.

A table is built once, as a `Grid` of blocks, rows and cells; the three formats and the report are renderings of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from grambench.config.metrics import METRICS
from grambench.config.protocols import Holdout, Online, Protocol
from grambench.config.shown import AnyTable, DatasetsTable, RanksTable, ResultsTable, Table, TimesTable
from grambench.config.study import Study
from grambench.datasets.store import PreparedDataset, Unavailable
from grambench.results.statistics import Sample
from grambench.results.study import ALL, NOT_PART, Prepared, Results, formatted, kernel_title

NO_RESULT = "—"
NOT_RANKED = "not ranked"
NOTHING = Sample(np.nan, np.nan, 0)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell.

    Attributes
    ----------
    text : str
        Our value as printed; empty where there is none.
    published : str
        The published value as printed; empty where the paper has none.
    status : str
        What stands in the place of a value of ours: the status of the run that failed, or a dash.
    verdict : str
        See grambench.results.statistics.verdict; empty where nothing is published.
    best : bool
        Whether it is among the best of its row.
    speed_up : float or None
        Published seconds by ours.
    numbers : tuple of two Samples or None
        Our value and the published one, for the CSV file.
    orders : str
        "published" or "seeded"; empty where nothing was run.
    """

    text: str
    published: str = ""
    status: str = ""
    verdict: str = ""
    best: bool = False
    speed_up: float | None = None
    numbers: tuple[Sample, Sample] | None = None
    orders: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: its label, what its cells measure, and one cell a column."""

    label: str
    metric: str
    cells: list[Cell]


@dataclass(frozen=True, kw_only=True)
class Block:
    """The rows of one data set under its head; a table without heads has one block."""

    dataset: str
    head: str
    rows: list[Row]


@dataclass(frozen=True, kw_only=True)
class Grid:
    """One table: title, caption, remarks beneath it, the head of its label column, its columns and blocks."""

    title: str
    caption: str
    corner: str
    columns: list[str]
    blocks: list[Block]
    remarks: list[str] = field(default_factory=list)


Comparison = dict[tuple[str, str, str, str], pd.Series]


def comparison(reproduction: pd.DataFrame) -> Comparison:
    """Index the rows of reproduction.csv by item, data set, algorithm (empty where there is none) and metric."""
    keys = (reproduction[name].fillna("").astype(str) for name in ("item", "dataset", "algorithm", "metric"))
    return dict(zip(zip(*keys, strict=True), (row for _, row in reproduction.iterrows()), strict=True))


def build(results: Results, prepared: Prepared, reproduction: Comparison, table: Table) -> Grid:
    """Lay one table out.

    Parameters
    ----------
    results : Results
        What was run.
    prepared : dict
        The data sets as loaded.
    reproduction : dict
        See `comparison`.
    table : Table
        The table's description in the study.
    """
    grid = BUILDERS[table.kind](results, prepared, reproduction, table)
    return replace(grid, remarks=[table.remark, *grid.remarks]) if table.remark else grid


def _cell(
    results: Results,
    reproduction: Comparison,
    key: tuple[str, str, str, str],
    *,
    deviations: bool = True,
    ours: Sample | None = None,
) -> Cell:
    """Return our value with the published one; where only one of the two exists, with that one.

    `ours` is what stands for our value where none is published, if it is not that of the cell's runs.
    """
    _, dataset, algorithm, metric = key
    row = reproduction.get(key)
    if row is None:
        ours, published = ours or results.sample(dataset, algorithm, metric), NOTHING
    else:
        ours = Sample(float(row["ours_mean"]), float(row["ours_std"]), int(row["runs"]))
        published = Sample(float(row["published_mean"]), float(row["published_std"]), 0)
    if not deviations:
        ours, published = ours._replace(std=np.nan), published._replace(std=np.nan)
    return Cell(
        text=formatted(ours, dataset, metric, fine=True) if ours.runs else "",
        published=formatted(published, dataset, metric) if np.isfinite(published.mean) else "",
        status="" if ours.runs else results.status(dataset, algorithm) or NO_RESULT,
        verdict="" if row is None else str(row["verdict"]),
        speed_up=float(row["speed_up"]) if row is not None and row["speed_up"] > 0 else None,
        numbers=(ours, published),
        orders=results.orders(dataset, algorithm),
    )


def _failures(results: Results, dataset: str, algorithms: list[str]) -> list[str]:
    """Return why runs on a data set failed; that the data set is unavailable is said in the block's head."""
    failed = [name for name in algorithms if results.status(dataset, name) not in ("ok", "", "unavailable")]
    return [f"{results.title(name)} on {dataset}: {results.missing(dataset, name)}." for name in failed]


def _rows_of(results: Results, reproduction: Comparison, table: AnyTable) -> list[str]:
    """Return the data sets of the published table; all of the study where there is none."""
    published = dict.fromkeys(dataset for item, dataset, *_ in reproduction if item == table.title)
    return list(published) or results.study.datasets


def _results(results: Results, prepared: Prepared, reproduction: Comparison, table: ResultsTable) -> Grid:
    blocks, failures = [], []
    for dataset in _rows_of(results, reproduction, table):
        rows = []
        for metric in table.metrics:
            best = results.best(dataset, table.algorithms, metric) if metric in table.highlight else set()
            cells = [_cell(results, reproduction, (table.title, dataset, name, metric)) for name in table.algorithms]
            marked = [replace(cell, best=name in best) for name, cell in zip(table.algorithms, cells, strict=True)]
            rows.append(Row(label=METRICS[metric].label, metric=metric, cells=marked))
        failures += _failures(results, dataset, table.algorithms)
        blocks.append(Block(dataset=dataset, head=_head(results, prepared, dataset, table.algorithms), rows=rows))
    return Grid(
        title=table.title,
        caption=table.caption,
        corner="",
        columns=[results.title(name) for name in table.algorithms],
        blocks=blocks,
        remarks=[
            "Mean ± standard deviation over the runs; in parentheses the published value.",
            *([_bold(results, table.highlight)] if table.highlight else []),
            f"{NO_RESULT}: {NOT_PART}.",
            *failures,
        ],
    )


def _bold(results: Results, metrics: list[str]) -> str:
    """Return what is set in bold."""
    ends = {None: "", "higher": "highest", "lower": "lowest"}
    best = ", ".join(f"the {ends[METRICS[name].better]} of ours in {METRICS[name].label}" for name in metrics)
    test = "a paired t-test" if results.study.protocol.paired else "Student's t-test"
    return f"Bold: {best}, and those that {test} cannot tell from it at 5 %."


def _head(results: Results, prepared: Prepared, dataset: str, algorithms: list[str]) -> str:
    """Return what the paper prints in the head of a block, and what the runs are repeated over."""
    loaded = prepared.get(dataset)
    if isinstance(loaded, Unavailable):
        return str(loaded)
    if loaded is None:
        return NOT_PART
    size, dimension = loaded.features.shape
    origins = dict.fromkeys(filter(None, (results.orders(dataset, name) for name in algorithms)))
    parts = [results.study.protocol.repeated(origin) for origin in origins]
    parts += [f"n = {size}", f"d = {dimension}", _pool(results.study)]
    if best := results.best_kernels(dataset):
        parts.append(f"best kernel expert: {' or '.join(map(kernel_title, best))}")
    return ", ".join(parts)


def _pool(study: Study) -> str:
    """Return how many base kernels there are."""
    return f"grid of {study.dictionary.count} kernels" if study.dictionary else f"m = {len(study.kernel_list())}"


def _ranks(results: Results, prepared: Prepared, reproduction: Comparison, table: RanksTable) -> Grid:
    ranked = [algorithm for *_, algorithm, metric in reproduction if metric == "median_rank"]
    rows = []
    for metric in table.metrics:
        cells = [
            _cell(results, reproduction, (table.title, ALL, name, metric), ours=results.across(name, metric, ranked))
            for name in table.algorithms
        ]
        if metric in ("median_rank", "mean_rank"):
            cells = [cell if cell.text else replace(cell, status=NOT_RANKED) for cell in cells]
        rows.append(Row(label=METRICS[metric].label, metric=metric, cells=cells))
    head = f"ranked on {len(results.ranks(ranked))} of {len(results.study.datasets)} data sets"
    return Grid(
        title=table.title,
        caption=table.caption,
        corner="",
        columns=[results.title(name) for name in table.algorithms],
        blocks=[Block(dataset=ALL, head=head, rows=rows)],
        remarks=[
            "Ranks are by mean error, 1 for the least and ties by their mean rank, of the algorithms that the paper "
            "ranks, where all of them have a result.",
            "Error and time are means over the data sets, ± the standard error; in parentheses the published value.",
            *(line for dataset in results.study.datasets for line in _failures(results, dataset, table.algorithms)),
        ],
    )


def _times(results: Results, prepared: Prepared, reproduction: Comparison, table: TimesTable) -> Grid:
    reference, *others = table.algorithms
    columns = [(name, "seconds") for name in table.algorithms] + [(name, "seconds_ratio_percent") for name in others]
    rows, datasets = [], _rows_of(results, reproduction, table)
    for dataset in datasets:
        keys = [(table.title, dataset, *column) for column in columns]
        cells = [_cell(results, reproduction, key, deviations=False) for key in keys]  # as in OMKC's Table 5
        rows.append(Row(label=dataset, metric="", cells=cells))
    return Grid(
        title=table.title,
        caption=table.caption,
        corner="Data set",
        columns=[results.title(name) for name in table.algorithms]
        + [f"{results.title(name)} / {results.title(reference)}, %" for name in others],
        blocks=[Block(dataset="", head="", rows=rows)],
        remarks=[
            "Mean seconds of a run; in parentheses the published ones.",
            "Seconds are not judged; the ratios depend on the implementation too.",
            "Other runs may have shared the machine.",
            *_origins(results, datasets, reference),
            f"{NO_RESULT}: {NOT_PART}.",
            *(line for dataset in datasets for line in _failures(results, dataset, table.algorithms)),
        ],
    )


def _origins(results: Results, datasets: list[str], algorithm: str) -> list[str]:
    """Return what the runs on each data set were repeated over, such as published or seeded orders."""
    lines = []
    for origin in ("published", "seeded"):
        if names := [name for name in datasets if results.orders(name, algorithm) == origin]:
            lines.append(f"{results.study.protocol.repeated(origin).capitalize()}: {', '.join(names)}.")
    return lines


def _datasets(results: Results, prepared: Prepared, reproduction: Comparison, table: DatasetsTable) -> Grid:
    protocol = results.study.protocol
    columns, remarks = ["n", "d", "Positive", "Non-zero (%)", "Source"], []
    if any(metric in ("n", "d") for *_, metric in reproduction):
        remarks.append("In parentheses the published size and dimension.")
    if isinstance(protocol, Holdout):
        columns.insert(-1, "Drawn")
        remarks.append("Drawn: training, validation and test examples of each repeat.")
    if isinstance(protocol, Online):
        columns.append("Orders")
        remarks.append("Orders: those that come with the data, or drawn from the project's seed where there are none.")
    rows = []
    for name in results.study.datasets:
        loaded = prepared.get(name)
        if isinstance(loaded, PreparedDataset):
            texts = _loaded(loaded, protocol)
        else:
            texts = {"Source": "unavailable" if loaded else NOT_PART}
        cells = {column: Cell(text=texts.get(column, ""), status=NO_RESULT) for column in columns}
        for metric in ("n", "d"):
            row = next((row for key, row in reproduction.items() if key[1:] == (name, "", metric)), None)
            if row is not None and cells[metric].text:
                verdict, published = str(row["verdict"]), str(row["published"])
                cells[metric] = replace(cells[metric], published=published, verdict=verdict)
        rows.append(Row(label=name, metric="", cells=list(cells.values())))
    return Grid(
        title=table.title,
        caption=table.caption,
        corner="Data set",
        columns=columns,
        blocks=[Block(dataset="", head="", rows=rows)],
        remarks=[*remarks, *(str(loaded) for loaded in prepared.values() if isinstance(loaded, Unavailable))],
    )


def _loaded(dataset: PreparedDataset, protocol: Protocol) -> dict[str, str]:
    """Return what is said of a data set, by column."""
    size, dimension = dataset.features.shape
    stored = dataset.features
    filled = np.count_nonzero(stored) if isinstance(stored, np.ndarray) else stored.count_nonzero()
    facts = {
        "n": str(size),
        "d": str(dimension),
        "Positive": str(np.count_nonzero(dataset.labels > 0)),
        "Non-zero (%)": f"{100 * filled / (size * dimension):.1f}",
        "Source": " ".join(str(dataset.source[key]) for key in ("kind", "origin") if dataset.source.get(key)),
    }
    if isinstance(protocol, Holdout):
        facts["Drawn"] = " + ".join(map(str, protocol.sizes.get(dataset.name) or protocol.sizes["default"]))
    if isinstance(protocol, Online):
        enough = dataset.orders is not None and len(dataset.orders) >= protocol.repeats
        facts["Orders"] = f"{protocol.repeats} {'published' if enough else 'seeded'}"
    return facts


BUILDERS: dict[str, Callable[[Results, Prepared, Comparison, Any], Grid]] = {
    "results": _results,
    "ranks": _ranks,
    "times": _times,
    "datasets": _datasets,
}


# renderings


def frame(grid: Grid) -> pd.DataFrame:
    """Return the table for CSV: a row a cell with numbers; a table of texts as it stands."""
    rows = [(block, row) for block in grid.blocks for row in block.rows]
    if all(cell.numbers is None for _, row in rows for cell in row.cells):
        header = [grid.corner, *grid.columns]
        return pd.DataFrame([[row.label, *(cell.text for cell in row.cells)] for _, row in rows], columns=header)
    return pd.DataFrame(
        [
            {"dataset": block.dataset or row.label, "row": row.label if block.dataset else "", "column": column}
            | _numbers(cell)
            for block, row in rows
            for column, cell in zip(grid.columns, row.cells, strict=True)
        ]
    )


def _numbers(cell: Cell) -> dict[str, object]:
    ours, published = cell.numbers or (NOTHING, NOTHING)
    return {
        "ours_mean": ours.mean,
        "ours_std": ours.std,
        "runs": ours.runs,
        "published_mean": published.mean,
        "published_std": published.std,
        "orders": cell.orders,
        "best": int(cell.best),
        "verdict": cell.verdict,
        "status": cell.status,
    }


def markdown(grid: Grid) -> str:
    """Return the table in Markdown: a small table for each data set under its head."""
    lines = [f"# {_markdown_text(grid.title)}: {_markdown_text(grid.caption)}", ""]
    for block in grid.blocks:
        if block.dataset:
            lines += [f"## {_markdown_text(block.dataset)}", "", _markdown_text(block.head), ""]
        lines.append(_markdown_line([grid.corner, *map(_markdown_text, grid.columns)]))
        lines.append("|---|" + "---:|" * len(grid.columns))
        for row in block.rows:
            lines.append(_markdown_line([_markdown_text(row.label), *map(_markdown_cell, row.cells)]))
        lines.append("")
    lines += [f"{_markdown_text(remark)}\n" for remark in grid.remarks]
    return "\n".join(lines)


def _markdown_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_text(text: str) -> str:
    for character in "\\|*_`<>[]#":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())


def _markdown_cell(cell: Cell) -> str:
    text = _markdown_text(cell.text or cell.status)
    text = f"**{text}**" if cell.best else text
    return f"{text} ({_markdown_text(cell.published)})" if cell.published else text


LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "σ": r"$\sigma$",
    "λ": r"$\lambda$",
    "√": r"$\surd$",
    "—": "---",
}


def latex_text(text: str) -> str:
    """Return `text` so that LaTeX prints it as it stands."""
    return "".join(LATEX.get(character, character) for character in " ".join(text.split()))


def latex(grid: Grid) -> str:
    r"""Return the table as a `longtable`; the document needs \usepackage{booktabs,longtable}."""
    width = len(grid.columns) + 1
    header = " & ".join([latex_text(grid.corner), *map(_latex_column, grid.columns)]) + r" \\"
    caption = " ".join([f"{grid.caption} ({grid.title} of the paper).", *grid.remarks])
    lines = [
        r"% \usepackage{booktabs,longtable}",
        r"\begingroup\footnotesize\setlength{\tabcolsep}{4pt}",
        rf"\begin{{longtable}}{{@{{}}l{'r' * len(grid.columns)}@{{}}}}",
        rf"\caption{{{latex_text(caption)}}} \\",
        *(r"\toprule", header, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", header, r"\midrule", r"\endhead"),
        *(r"\bottomrule", r"\endfoot"),
    ]
    for number, block in enumerate(grid.blocks):
        if block.dataset:
            lines += [r"\addlinespace"] if number else []
            head = rf"\textbf{{{latex_text(block.dataset)}}}\quad {latex_text(_short(block.head, 100))}"
            lines.append(rf"\multicolumn{{{width}}}{{@{{}}l}}{{{head}}} \\*")
        for row in block.rows:
            lines.extend(_latex_row(row))
    return "\n".join([*lines, r"\end{longtable}", r"\endgroup", ""])


def _latex_column(column: str) -> str:
    name, _, denominator = column.partition(" / ")
    return (
        latex_text(name) if not denominator else rf"\shortstack[r]{{{latex_text(name)} /\\{latex_text(denominator)}}}"
    )


def _latex_row(row: Row) -> Iterator[str]:
    cells = [latex_text(_short(cell.text or cell.status, 20)) for cell in row.cells]
    bold = [rf"\textbf{{{text}}}" if cell.best else text for text, cell in zip(cells, row.cells, strict=True)]
    published = [f"({latex_text(cell.published)})" if cell.published else "" for cell in row.cells]
    yield " & ".join([latex_text(row.label), *bold]) + (r" \\*" if any(published) else r" \\")
    if any(published):
        yield " & ".join(["", *published]) + r" \\"


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3].rstrip() + "..."
