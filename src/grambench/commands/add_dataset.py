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
    parser.add_argument("file", type=Path, help="one row an example; separator and header are found out")
    parser.add_argument("--label", required=True, metavar="COLUMN", help="the labels' column, by its name or position")
    parser.add_argument("--positive", required=True, nargs="+", metavar="LABEL", help="what becomes +1")
    parser.add_argument("--negative", default=[], nargs="+", metavar="LABEL", help="what becomes -1 (all others)")
    parser.add_argument("--drop", default=[], nargs="+", metavar="COLUMN", help="columns to leave out")
    parser.add_argument("--drop-incomplete", action="store_true", help="leave out rows with missing values")
    parser.add_argument("--minmax", action="store_true", help="map each column to [-1, 1]")
    separator = "if it is not found out rightly; or tab"
    parser.add_argument("--separator", type=_parse_separator, metavar="CHARACTER", help=separator)
    parser.add_argument("--header", action=argparse.BooleanOptionalAction, help="whether the first line names columns")
    parser.add_argument("--name", help="of the data set (the file's)")
    parser.add_argument("--study", help="a study of yours that shall use it")
    parser.add_argument("--replace", action="store_true", help="write a description anew that is there")


def run(arguments: argparse.Namespace) -> int:
    """Describe a CSV file of your own, everything counted and hashed, so that studies can use it."""
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
        raise ConfigError(f"expected a name that YAML takes for a text, got {name}; give another with --name")
    command = _format_command(arguments)
    if plain(command) != command:
        raise ConfigError(
            f"expected file, columns and labels in UTF-8 without control characters, got {command!r:.300}"
        )
    if output.is_file() and not arguments.replace:
        raise ConfigError(f"{output}: is there already; --replace writes it anew, --name gives another name")
    if not output.is_file() and name in configuration().names("datasets"):
        raise ConfigError(f"{name} is a data set that comes with grambench; give yours another name with --name")
    if not arguments.file.is_file():
        raise DataError(f"{arguments.file}: no such file")
    keys = ("label", "positive", "negative", "drop", "separator", "header", "drop_incomplete", "minmax")
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
    print(f"{output}: {values['n']} x {values['d']}, {values['positives']} labelled +1")
    if study:
        _write(*study)
        print(f"{study[0]}: uses it; grambench run {arguments.study} -d {name}")
    else:
        print(f"grambench run leaderboard -d {name} compares algorithms on it; --study adds it to a study of yours")
    return 0


def _check_parsed(path: Path, text: str, values: Any) -> None:
    """Raise ConfigError unless a file of this text is read as these values."""
    from grambench.config.load import parse

    try:
        if parse(text, path) == values:
            return
        fault = "it would be read as another"
    except ConfigError as error:
        fault = str(error)
    raise ConfigError(f"{path}: cannot be written so that it is read again ({fault}); nothing was written")


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
    datasets = values.get("datasets") if isinstance(values, dict) else None
    match = re.search(r"^datasets: *\[([^\]\n]*)\]", text, re.MULTILINE)
    if match is None or not isinstance(datasets, list):
        raise ConfigError(f"{path}: expected a line `datasets: [...]`, got none; name {dataset} there yourself")
    # the line keeps the names as the user wrote them
    names = list(filter(None, map(str.strip, match[1].split(","))))
    line = ", ".join(dict.fromkeys([*names, dataset]))
    new_text = f"{text[: match.start(1)]}{line}{text[match.end(1) :]}"
    _check_parsed(path, new_text, values | {"datasets": list(dict.fromkeys([*datasets, dataset]))})
    return path, new_text
