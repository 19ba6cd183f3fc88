"""`grambench add-dataset`: describe a file of one's own."""

import argparse
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grambench.commands.project import CONFIG, check_root
from grambench.common.counts import counted
from grambench.common.errors import ConfigError, DataError, plain, unknown_name

if TYPE_CHECKING:
    from grambench.datasets.descriptions import Dataset

# files and folders have the name of the data set in theirs
NAME = r"[a-z][a-z0-9_]{0,99}"
# of a description, in the order of the call in its first line
OPTIONS = (
    *("label", "positive", "negative", "drop", "missing", "separator", "decimal", "header"),
    *("views", "name", "drop_incomplete", "impute", "drop_leaks", "minmax"),
)
BOARDS = "leaderboard", "leaderboard_views"
DECIMALS = {"point": ".", "comma": ",", None: None}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    describing_arguments(parser)
    parser.add_argument("--study", help="add the data set to this study of yours")
    parser.add_argument("--replace", action="store_true", help="replace an existing description")


def describing_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that describe a file."""
    file = "CSV, .arff or .parquet file with one example in a row; or stored kernels: .npz, .mat, or LIBSVM's"
    parser.add_argument("file", type=Path, help=file)
    label = "column of the labels, its name or position; of stored kernels, the name of their array"
    parser.add_argument("--label", required=True, metavar="COLUMN", help=label)
    positive = "labels of class +1 (default: the last of two labels; each of more labels is a class)"
    parser.add_argument("--positive", default=[], nargs="+", metavar="LABEL", help=positive)
    negative = "labels of class -1 (default: all others)"
    parser.add_argument("--negative", default=[], nargs="+", metavar="LABEL", help=negative)
    parser.add_argument("--drop", default=[], nargs="+", metavar="COLUMN", help="columns, or arrays, to drop")
    incomplete = "drop rows with missing values; with --impute, those without a label"
    parser.add_argument("--drop-incomplete", action="store_true", help=incomplete)
    impute = "fill missing numbers by medians of the training examples of each split; a missing text is one more value"
    parser.add_argument("--impute", action="store_true", help=impute)
    codes = "codes of missing values, such as -9 (NA, ?, nothing and the like are missing anyway)"
    parser.add_argument("--missing", default=[], nargs="+", metavar="CODE", help=codes)
    leaks = "drop columns that number the rows, have another text in each, equal the label or are constant"
    parser.add_argument("--drop-leaks", action=argparse.BooleanOptionalAction, default=False, help=leaks)
    parser.add_argument("--minmax", action="store_true", help="scale each column to [-1, 1]")
    separator = "separator of columns, one character or tab (default: detected)"
    parser.add_argument("--separator", type=_parse_separator, metavar="CHARACTER", help=separator)
    parser.add_argument("--decimal", choices=("point", "comma"), help="decimal sign (default: detected)")
    header = "whether the first line has the names of the columns (default: detected)"
    parser.add_argument("--header", action=argparse.BooleanOptionalAction, help=header)
    views = "CSV file with a column of the data and its view in each line, such as a gene and its group"
    parser.add_argument("--views", type=Path, metavar="FILE", help=views)
    parser.add_argument("--name", help="name of the data set, of small letters, digits and _ (default: the file's)")


def run(arguments: argparse.Namespace) -> int:
    """Describe a file of your own, with its size and checksum, for use in studies."""
    check_root()
    name, values, _, write = prepare(arguments)
    write()
    if arguments.study:
        path = CONFIG / "studies" / f"{arguments.study}.yaml"
        print(f"{path}: has the data set now; run it: grambench run {arguments.study} -d {name}")
    else:
        board = board_of(values)
        print(f"grambench run {board} -d {name} compares algorithms on it; --study adds it to a study of yours")
    return 0


def board_of(values: dict[str, Any]) -> str:
    """Return the leaderboard that takes a data set with these values of its description."""
    return BOARDS["views" in values or "kernels" in values["sources"][0]["reader"]]


def prepare(
    arguments: argparse.Namespace, root: Path = Path()
) -> tuple[str, dict[str, Any], list[str], Callable[[], None]]:
    """Check all arguments, and return the name of the data set, its description, remarks and what writes it.

    Nothing is written yet, and the folder of the project, `root`, may be yet to make.
    """
    import yaml

    from grambench.common.files import atomic, write_text
    from grambench.config.load import check, parse
    from grambench.config.project import Configuration
    from grambench.datasets import describe
    from grambench.datasets.descriptions import Dataset

    name = arguments.name or describe.name_of(arguments.file)
    output = root / CONFIG / "datasets" / f"{name}.yaml"
    _check_name(name)
    command = _format_command(arguments)
    if plain(command) != command or len(command.splitlines()) > 1:
        expected = "expected file, columns and labels in UTF-8 without control characters and line breaks"
        raise ConfigError(f"{expected}, got {command!r:.300}")
    # compare asks for no permission to repeat itself, and has none to replace any other description
    compared = f"# made by: grambench compare {shlex.quote(str(arguments.file))} ".encode()
    repeated = arguments.command_name == "compare" and output.is_file() and output.read_bytes().startswith(compared)
    exists = output.is_file() and not (arguments.replace or repeated)
    if exists and arguments.command_name == "add-dataset":
        raise ConfigError(f"{output}: exists already; --replace replaces it, and --name sets another name")
    if not output.is_file() and name in Configuration(root / CONFIG).names("datasets"):
        path = Configuration(root / CONFIG).path(f"datasets/{name}.yaml")
        raise ConfigError(f"{name} is the name of a data set of grambench ({path}); set another name with --name")
    if not arguments.file.is_file():
        images = "expected a file, got a folder; a description by hand takes images in an archive (docs/datasets.md)"
        raise DataError(f"{arguments.file}: {images if arguments.file.is_dir() else 'no such file'}")
    options = {key: value for key, value in vars(arguments).items() if key in describe.Wishes.__slots__}
    wishes = describe.Wishes(**options | {"decimal": DECIMALS[arguments.decimal]})
    path = arguments.file.absolute()
    inside = path.is_relative_to(root.absolute())
    path_in_description = os.path.relpath(path, output.parent.absolute()) if inside else str(path)
    values, remarks = describe.describe(arguments.file, path_in_description, name, wishes)
    text = f"# made by: {command}\n{yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)}"
    dataset = check(Dataset, values, str(output))
    _check_parsed(output, text, values)
    if exists and parse(output.read_text(encoding="utf-8"), output) != values:
        raise ConfigError(f"{output}: exists already, with another description; --name sets another name")
    study, unused = _add_to_study(arguments.study, dataset) if arguments.study else (None, "")
    remarks += [unused] * bool(unused)

    def write() -> None:
        if not exists:
            write_text(output, text, atomic)
        for remark in remarks:
            print(remark)
        classes = values["sources"][0]["reader"].get("classes")
        shown = f"{len(classes)} classes" if classes else f"{values['positives']} labelled +1"
        stored = values["sources"][0]["reader"].get("kernels")
        size = counted(len(stored), "kernel") if stored else values["d"]
        print(f"{output}: {values['n']} x {size}, {shown}")
        if study:
            write_text(*study, atomic)

    return name, values, remarks, write


def _check_name(name: str) -> None:
    """Raise ConfigError for a name that no data set can have."""
    import yaml

    if not re.fullmatch(NAME, name):
        expected = "expected small letters, digits and _, a letter first, at most 100 of them"
        raise ConfigError(f"--name: {expected}, got {name!r:.120}")
    # YAML reads the last name of a study's line `datasets: [iris, no]` as a truth value
    if yaml.safe_load(name) != name:
        raise ConfigError(f"expected a name that YAML reads as text, got {name}; set another name with --name")


def _check_parsed(path: Path, text: str, values: Any) -> None:
    """Raise ConfigError unless a file of this text is read as these values."""
    from grambench.config.load import parse

    try:
        if parse(text, path) == values:
            return
        fault = "it would be read with other values"
    except ConfigError as error:
        fault = str(error)
    raise ConfigError(f"{path}: cannot be written as YAML ({fault}); nothing was written")


def _parse_separator(text: str) -> str:
    """Return the separator as one character; raise ConfigError for more or none."""
    separator = "\t" if text in ("tab", "\\t") else text
    if len(separator) != 1 or not (separator.isprintable() or separator == "\t"):
        raise ConfigError(f"--separator: expected one character, or tab, got {text!r:.60}")
    return separator


def _format_command(arguments: argparse.Namespace) -> str:
    """Return the command that makes a description, to be repeated (add-dataset with --replace) for a changed file."""
    words = ["grambench", arguments.command_name, str(arguments.file)]
    for key in OPTIONS:
        value, option = getattr(arguments, key), f"--{key.replace('_', '-')}"
        if isinstance(value, list):
            words += [option, *value] if value else []
        elif isinstance(value, bool):
            # leaks are dropped by compare unless it is told not to
            by_default = key == "header" or (key, arguments.command_name) == ("drop_leaks", "compare")
            words += [option] if value else [f"--no-{option[2:]}"] * by_default
        else:
            words += [f"{option}={value}".replace("\t", "tab")] if value else []
    return shlex.join(words)


def _add_to_study(study: str, dataset: "Dataset") -> tuple[tuple[Path, str], str]:
    """Return the file of a study with its text with one more data set, and whether it makes no use of the views.

    Raises
    ------
    ConfigError
        If the data set does not fit the study.
    """
    from grambench.common.errors import Faults
    from grambench.config.load import check, read
    from grambench.config.study import Study
    from grambench.pipeline.check import check_dataset, unused_views

    path = CONFIG / "studies" / f"{study}.yaml"
    if not path.is_file():
        raise unknown_name("study in config/studies", study, [file.stem for file in path.parent.glob("[a-z]*.yaml")])
    values, text = read(path), path.read_text(encoding="utf-8")
    datasets = values.get("datasets")
    match = re.search(r"^datasets: *\[([^\]\n]*)\]", text, re.MULTILINE)
    if match is None or not isinstance(datasets, list):
        raise ConfigError(f"{path}: expected a line `datasets: [...]`, got none; add {dataset.name} by hand")
    # the line keeps the names as the user wrote them
    names = list(filter(None, map(str.strip, match[1].split(","))))
    line = ", ".join(dict.fromkeys([*names, dataset.name]))
    new_text = f"{text[: match.start(1)]}{line}{text[match.end(1) :]}"
    values["datasets"] = list(dict.fromkeys([*datasets, dataset.name]))
    _check_parsed(path, new_text, values)
    faults, changed = Faults(), check(Study, values, str(path))
    with faults.at(str(path)):
        check_dataset(changed, dataset)
    faults.report()
    return (path, new_text), unused_views(changed, dataset)
