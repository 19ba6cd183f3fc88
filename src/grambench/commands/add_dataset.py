"""`grambench add-dataset`: describe a file of one's own."""

import argparse
import os
import re
import shlex
from pathlib import Path
from typing import Any

from grambench.commands.project import CONFIG, check_root, configuration
from grambench.common.errors import ConfigError, DataError, plain, unknown_name

# files and folders have the name of the data set in theirs
NAME = r"[a-z][a-z0-9_]{0,99}"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    describing_arguments(parser)
    parser.add_argument("--study", help="add the data set to this study of yours")
    parser.add_argument("--replace", action="store_true", help="replace an existing description")


def describing_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that describe a file."""
    parser.add_argument("file", type=Path, help="CSV file with one example in a row; separator and header are detected")
    parser.add_argument("--label", required=True, metavar="COLUMN", help="column of the labels: its name or position")
    positive = "labels of class +1 (default: the last of two labels; each of more labels is a class)"
    parser.add_argument("--positive", default=[], nargs="+", metavar="LABEL", help=positive)
    parser.add_argument(
        "--negative", default=[], nargs="+", metavar="LABEL", help="labels of class -1 (default: all others)"
    )
    parser.add_argument("--drop", default=[], nargs="+", metavar="COLUMN", help="columns to drop")
    parser.add_argument("--drop-incomplete", action="store_true", help="drop rows with missing values")
    parser.add_argument("--minmax", action="store_true", help="scale each column to [-1, 1]")
    separator = "separator of columns, one character or tab (default: detected)"
    parser.add_argument("--separator", type=_parse_separator, metavar="CHARACTER", help=separator)
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether the first line has the names of the columns (default: detected)",
    )
    views = "CSV file with a column of the data and its view in each line, such as a gene and its group"
    parser.add_argument("--views", type=Path, metavar="FILE", help=views)
    parser.add_argument("--name", help="name of the data set (default: the name of the file)")


def run(arguments: argparse.Namespace) -> int:
    """Describe a CSV file of your own, with its size and checksum, for use in studies."""
    name, values = add(arguments)
    if arguments.study:
        path = CONFIG / "studies" / f"{arguments.study}.yaml"
        print(f"{path}: has the data set now; run it: grambench run {arguments.study} -d {name}")
    else:
        board = "leaderboard_views" if "views" in values else "leaderboard"
        print(f"grambench run {board} -d {name} compares algorithms on it; --study adds it to a study of yours")
    return 0


def add(arguments: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Write the description of a file, and return the name of the data set and the values of the description."""
    import yaml

    from grambench.config.dataset import Dataset
    from grambench.config.load import check
    from grambench.datasets import describe

    check_root()
    name = arguments.name or describe.name_of(arguments.file)
    output = CONFIG / "datasets" / f"{name}.yaml"
    if not re.fullmatch(NAME, name):
        raise ConfigError(
            f"--name: expected small letters, digits and _, a letter first, at most 100 of them, got {name!r:.120}"
        )
    # YAML reads the last name of a study's line `datasets: [iris, no]` as a truth value
    if yaml.safe_load(name) != name:
        raise ConfigError(f"expected a name that YAML reads as text, got {name}; set another name with --name")
    command = _format_command(arguments)
    if plain(command) != command:
        raise ConfigError(
            f"expected file, columns and labels in UTF-8 without control characters, got {command!r:.300}"
        )
    if output.is_file() and not arguments.replace:
        raise ConfigError(f"{output}: exists already; --replace replaces it, and --name sets another name")
    if not output.is_file() and name in configuration().names("datasets"):
        raise ConfigError(f"{name} is the name of a data set of grambench; set another name with --name")
    if not arguments.file.is_file():
        raise DataError(f"{arguments.file}: no such file")
    keys = ("label", "positive", "negative", "drop", "separator", "header", "drop_incomplete", "minmax", "views")
    wishes = describe.Wishes(**{key: getattr(arguments, key) for key in keys})
    path = arguments.file.absolute()
    inside = path.is_relative_to(Path.cwd())
    path_in_description = os.path.relpath(path, output.parent.absolute()) if inside else str(path)
    described = describe.describe(arguments.file, path_in_description, name, wishes)
    values = described.values
    study = _add_to_study(arguments.study, name) if arguments.study else None
    text = f"# made by: {command}\n{yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)}"
    check(Dataset, values, str(output))
    _check_parsed(output, text, values)
    _write(output, text)
    for remark in described.remarks:
        print(remark)
    classes = values["sources"][0]["reader"].get("classes")
    shown = f"{len(classes)} classes" if classes else f"{values['positives']} labelled +1"
    print(f"{output}: {values['n']} x {values['d']}, {shown}")
    if study:
        _write(*study)
    return name, values


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


def _write(path: Path, text: str) -> None:
    """Write a file of the configuration completely or not at all; it gets no seal, since users edit it."""
    from grambench.common.files import atomic

    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _parse_separator(text: str) -> str:
    """Return the separator as one character; raise ConfigError for more or none."""
    separator = "\t" if text in ("tab", "\\t") else text
    if len(separator) != 1 or not (separator.isprintable() or separator == "\t"):
        raise ConfigError(f"--separator: expected one character, or tab, got {text!r:.60}")
    return separator


def _format_command(arguments: argparse.Namespace) -> str:
    """Return the command that makes a description, to be repeated with --replace when the file has changed."""
    words = ["grambench", "add-dataset", str(arguments.file), f"--label={arguments.label}"]
    for option in ("positive", "negative", "drop"):
        words += [f"--{option}", *getattr(arguments, option)] if getattr(arguments, option) else []
    words += [f"--separator={arguments.separator}".replace("\t", "tab")] if arguments.separator else []
    words += [f"--views={arguments.views}"] if arguments.views else []
    words += [f"--name={arguments.name}"] if arguments.name else []
    words += ["--drop-incomplete"] if arguments.drop_incomplete else []
    words += ["--minmax"] if arguments.minmax else []
    words += {True: ["--header"], False: ["--no-header"], None: []}[arguments.header]
    return " ".join(shlex.join(words).split())


def _add_to_study(study: str, dataset: str) -> tuple[Path, str]:
    """Return the file of a study, and its text with one more data set."""
    from grambench.config.load import read

    path = CONFIG / "studies" / f"{study}.yaml"
    if not path.is_file():
        raise unknown_name("study in config/studies", study, [file.stem for file in path.parent.glob("[a-z]*.yaml")])
    values, text = read(path), path.read_text(encoding="utf-8")
    datasets = values.get("datasets")
    match = re.search(r"^datasets: *\[([^\]\n]*)\]", text, re.MULTILINE)
    if match is None or not isinstance(datasets, list):
        raise ConfigError(f"{path}: expected a line `datasets: [...]`, got none; add {dataset} by hand")
    # the line keeps the names as the user wrote them
    names = list(filter(None, map(str.strip, match[1].split(","))))
    line = ", ".join(dict.fromkeys([*names, dataset]))
    new_text = f"{text[: match.start(1)]}{line}{text[match.end(1) :]}"
    _check_parsed(path, new_text, values | {"datasets": list(dict.fromkeys([*datasets, dataset]))})
    return path, new_text
