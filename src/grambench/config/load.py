"""Reads a YAML file into its model, or reports each fault of the file in one line."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from grambench.common.errors import ConfigError, cause, unknown_name
from grambench.common.files import open_regular
from grambench.common.models import ConfigModel

# The fast parser, because every job of a cluster reads every study again.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
BRANCH = re.compile(r"(list|dict)\[.+\]")  # pydantic's name for an alternative of a union in the location of a fault
DEEPEST = 50  # levels of nested lists and mappings
LARGEST = 10  # MiB of a file
MOST = 100_000  # values in a file after its aliases are expanded


AnyModel = TypeVar("AnyModel", bound=ConfigModel)


def check(model: type[AnyModel], values: Any, where: str) -> AnyModel:
    """Build `model` from plain values.

    Parameters
    ----------
    model : type
        The model to build.
    values : object
        The plain values, from YAML or from a command line.
    where : str
        The file or option to name in the error.

    Raises
    ------
    ConfigError
        If the values do not fit the model, with one line per fault: the key, what is wrong and what was got.
    """
    try:
        found = model.model_validate(values)
        if booleans := [*_booleans(values, found)]:
            raise ConfigError("\n".join(booleans))
        return found
    except ValidationError as error:
        faults = [f"{where}: {_message(fault, model)}" for fault in _relevant(error.errors())]
        raise ConfigError("\n".join(faults)) from None
    except ConfigError as error:
        raise ConfigError("\n".join(f"{where}: {line}" for line in str(error).splitlines())) from None


def _booleans(values: Any, found: Any, key: str = "") -> Iterator[str]:
    """Yield a fault for each boolean that pydantic has taken for the number 0 or 1."""
    if isinstance(values, bool) and isinstance(found, int | float) and not isinstance(found, bool):
        yield f"{key}: expected a number, got {values}"
    elif isinstance(values, dict):
        for name, value in values.items():
            # of a grid, whose numbers are a list by now, any number stands for each setting
            inner = found[0] if isinstance(found, list) and found else getattr(found, str(name), None)
            inner = found.get(name) if isinstance(found, dict) else inner
            yield from _booleans(value, inner, f"{key}.{name}" if key else str(name))
    elif isinstance(values, list) and isinstance(found, list | tuple):
        for place, (value, inner) in enumerate(zip(values, found, strict=False)):
            yield from _booleans(value, inner, f"{key}.{place}")


def _relevant(faults: list[ErrorDetails]) -> list[ErrorDetails]:
    """Return the faults without those of a mapping validated as a list, or the reverse, if a value may be either."""

    def is_other_branch(fault: ErrorDetails) -> bool:
        kind = {"list_type": dict, "dict_type": list}.get(fault["type"], ())
        return any(map(BRANCH.match, map(str, fault["loc"][-1:]))) and isinstance(fault["input"], kind)

    return [fault for fault in faults if not is_other_branch(fault)]


def _message(fault: ErrorDetails, model: type[ConfigModel]) -> str:
    """Return the key, what is wrong and what was got; for an unknown key of the top level, with the nearest keys."""
    path = [str(part) for part in fault["loc"] if not BRANCH.match(str(part))]
    key, message = ".".join(path) or "top level", fault["msg"]
    if fault["type"] in ("extra_forbidden", "unexpected_keyword_argument"):  # of a model, of a dataclass
        message = str(unknown_name("key", key, model.model_fields)) if key in fault["loc"] else "no such key"
    if fault["type"] in ("model_type", "dataclass_type"):
        fields = {each.__name__: each.model_fields for each in ConfigModel.__subclasses__()}
        known = ", ".join(fields.get(fault["ctx"]["class_name"], ()))
        message = f"expected values by {f'the keys {known}' if known else 'their keys'}"
    if fault["type"] == "value_error":  # of a class that checks itself, which says what it got
        return f"{key}: {fault['ctx']['error']}"
    return f"{key}: {message} (got {fault['input']!r:.60})"


def load(model: type[AnyModel], path: Path) -> AnyModel:
    """Read the YAML file `path` into `model`; raise ConfigError if it is missing, unreadable or wrong."""
    return check(model, read(path), str(path))


def read(path: Path) -> dict[str, Any]:
    """Return the plain values of a YAML file by their keys.

    Raises
    ------
    ConfigError
        If it is missing, no valid YAML or no mapping, has a key twice in a mapping, or is too deep or too large.
    """
    try:
        with open_regular(path) as stream:
            content = stream.read(LARGEST * 2**20 + 1)
        if len(content) > LARGEST * 2**20:
            raise ConfigError(f"{path}: expected at most {LARGEST} MiB, got more")
        values = parse(content.decode(), path)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({cause(error)})") from None
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ConfigError(f"{path}: expected UTF-8, got byte {byte:#04x} at {error.start}; save it as UTF-8") from None
    if not isinstance(values, dict):
        got = "an empty file" if values is None else f"{values!r:.60}"
        raise ConfigError(f"{path}: expected keys and values, such as `name: mine`, got {got}")
    return values


def parse(text: str, path: Path) -> Any:
    """Return the plain values of the text of a YAML file, which need not exist yet; see `read`."""
    try:
        _check_events(text)
        return yaml.load(text, Loader=LOADER)
    except (yaml.YAMLError, ValueError) as error:  # ValueError also for an impossible date or number
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


@dataclass(slots=True)
class _Open:
    """A list, or a mapping with its keys so far, that has begun and not ended."""

    anchor: str | None
    before: int  # the number of values in the file before it
    keys: set[str] | None
    nodes: int = 0


def _check_events(text: str) -> None:
    """Raise ValueError for a key that stands twice in a mapping, and for a file that is too deep or too large.

    PyYAML keeps the last of equal keys, and its stack overflows if a file is too deep. It does not copy values that
    aliases repeat, but code that visits all values would: a few lines can stand for billions of values.
    """
    total, sizes = 0, dict[str | None, int]()  # the numbers of values, in the file and by anchor
    inside: list[_Open] = []
    for event in yaml.parse(text, Loader=LOADER):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.CollectionEndEvent):
            ended = inside.pop()
            sizes[ended.anchor] = total - ended.before
        if not isinstance(event, yaml.NodeEvent):
            continue
        if inside and (keys := inside[-1].keys) is not None:
            inside[-1].nodes += 1
            if inside[-1].nodes % 2 and isinstance(event, yaml.ScalarEvent):
                key = event.value
                with suppress(ValueError):
                    key = repr(float(key))  # 1 and 1.0 are one key
                if key in keys:
                    raise ValueError(f"line {line}: expected each key of a mapping once, got {event.value!r} again")
                keys.add(key)
        if isinstance(event, yaml.CollectionStartEvent):
            keys = set() if isinstance(event, yaml.MappingStartEvent) else None
            inside.append(_Open(event.anchor, total, keys))
        elif isinstance(event, yaml.ScalarEvent):
            sizes[event.anchor] = 1
        elif event.anchor not in sizes:
            raise ValueError(f"line {line}: expected &{event.anchor} before *{event.anchor}, its alias")
        total += sizes[event.anchor] if isinstance(event, yaml.AliasEvent) else 1
        if len(inside) > DEEPEST or total > MOST:
            raise ValueError(
                f"line {line}: expected at most {DEEPEST} lists and mappings in each other, and {MOST} values, "
                "those that aliases stand for included; got more"
            )
