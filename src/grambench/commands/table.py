"""`grambench table`: a table of results for a paper."""

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.commands import names
from grambench.commands.project import check_root, configuration, read_results
from grambench.commands.status import edited_files
from grambench.common import layout
from grambench.common.errors import ConfigError, unknown_name

if TYPE_CHECKING:
    from grambench.report.cells import TableContent

SUFFIXES = {".tex": "latex", ".md": "markdown", ".csv": "csv"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    names.add_argument(parser, names.studies, "study", help="its name")
    names.add_algorithms(parser, "the rows; all that were run, of a board those that it ranks")
    names.add_datasets(parser, "the columns; all that were run")
    names.add_argument(parser, names.metrics, "--metric", metavar="NAME", help="what is compared; the study's main one")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--latex", dest="format", action="store_const", const="latex", help="a tabular with booktabs")
    kinds.add_argument("--markdown", dest="format", action="store_const", const="markdown", help="a Markdown table")
    kinds.add_argument("--csv", dest="format", action="store_const", const="csv", help="a row for each number")
    parser.add_argument("--caption", default="", help="the caption; what the numbers are follows")
    parser.add_argument("--label", default="", help="the label in LaTeX, such as tab:accuracy")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write a file; .tex, .md or .csv is a format")
    names.add_results(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a table of results for a paper: algorithms by data sets, the best in bold, and the mean rank."""
    from grambench.common.files import write_text

    text = _render(_table(arguments), arguments)
    if arguments.output:
        write_text(arguments.output, text)
    else:
        print(text, end="")
    if arguments.results == layout.RESULTS and (edited := edited_files([arguments.study])):
        print(f"{edited}; the numbers are from before it: grambench run {arguments.study}", file=sys.stderr)
    return 0


def _table(arguments: argparse.Namespace) -> "TableContent":
    """Lay the table out; raise ConfigError for a name that the results do not have."""
    from grambench.report.tables.matrix import paper_table

    check_root()
    results = read_results(configuration().study(arguments.study), arguments.results)
    found = set(results.runs["metric"].unique())
    measured = [name for name in names.metrics() if name in found]
    algorithms = names.known("algorithm of the results", arguments.algorithms, results.ran("algorithm"))
    if arguments.algorithms is None:
        # ranks are over the data sets on which all have a result: none of a second pool, on some data sets alone, nor
        # of what another table of the study compares
        study = results.study
        shown = {name for table in study.tables.values() for name in table.named("algorithms")}
        others = {name for name, entry in study.algorithms.items() if entry.datasets or name in shown}
        algorithms = [name for name in algorithms if name in study.ranked or name not in others]
    datasets = names.known("data set of the results", arguments.datasets, results.ran("dataset"))
    metric = arguments.metric or results.main_metric()
    if metric not in measured:
        if metric in names.metrics():
            remedy = f"grambench run {arguments.study} makes results again that are older than the metric"
            raise ConfigError(
                f"the results of {arguments.study} have no {metric}: known {', '.join(measured)}; {remedy}"
            )
        raise unknown_name(f"metric of the results of {arguments.study}", metric, measured)
    return paper_table(results, metric, algorithms, datasets, arguments.caption)


def _render(table: "TableContent", arguments: argparse.Namespace) -> str:
    from grambench.report import renderings

    form = arguments.format or SUFFIXES.get(arguments.output.suffix.lower() if arguments.output else "", "text")
    if arguments.label and form != "latex":
        raise ConfigError("--label: expected with --latex, which alone has labels")
    if form == "latex":
        return renderings.latex(table, label=arguments.label)
    if form == "markdown":
        return renderings.markdown(table)
    if form == "csv":
        return str(table.data.to_csv(index=False))
    return renderings.text(table, shutil.get_terminal_size().columns)
