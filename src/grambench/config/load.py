"""Reads a YAML file into its model, or says in one line per fault where the file is wrong."""

import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from grambench.common.errors import RENAMED, ConfigError, unknown_name

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # every job of a cluster reads every study again
BRANCH = re.compile(r"(list|dict)\[.+\]")  # how pydantic names what a value that may be either was tried as
DEEPEST = 50  # lists and mappings in each other
LARGEST = 10  # MiB of a file
MOST = 100_000  # values in a file, with those that its aliases stand for, and points of a grid


class Model(BaseModel):
    """Base of all models: frozen, of finite numbers, and an unknown key is an error rather than a silent default."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


AnyModel = TypeVar("AnyModel", bound=Model)


def check(model: type[AnyModel], values: Any, where: str) -> AnyModel:
    """Build `model` from plain values.

    Parameters
    ----------
    model : type
        The model to build.
    values : object
        What YAML or a command line gave.
    where : str
        The file or option named in the error.

    Raises
    ------
    ConfigError
        With one line per fault: the place in the file, what is wrong and what was got.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        faults = [f"{where}: {_said(fault, model)} (got {fault['input']!r:.60})" for fault in _meant(error.errors())]
        raise ConfigError("\n".join(faults)) from None
    except ConfigError as error:
        raise ConfigError("\n".join(f"{where}: {line}" for line in str(error).splitlines())) from None


def _meant(faults: list[ErrorDetails]) -> list[ErrorDetails]:
    """Return faults without those of a mapping as a list, or the reverse, where a value may be either."""

    def other(fault: ErrorDetails) -> bool:
        kind = {"list_type": dict, "dict_type": list}.get(fault["type"], ())
        return any(map(BRANCH.match, map(str, fault["loc"][-1:]))) and isinstance(fault["input"], kind)

    return [fault for fault in faults if not other(fault)]


def _said(fault: ErrorDetails, model: type[Model]) -> str:
    """Return the key and what is wrong with it; of one that does not exist, at the top level, with the nearest."""
    place = [str(part) for part in fault["loc"] if not BRANCH.match(str(part))]
    key, said = ".".join(place) or "top level", fault["msg"]
    if fault["type"] in ("extra_forbidden", "unexpected_keyword_argument"):  # of a model, of a dataclass
        said = str(unknown_name("key", key, model.model_fields)) if key in fault["loc"] else "no such key"
        if new := RENAMED.get(place[-1]):
            said = f"no such key, it is called {new} now"
    if fault["type"] == "union_tag_invalid" and (new := RENAMED.get(fault["ctx"]["tag"])):
        said = f"{fault['ctx']['tag']} is called {new} now"
    return f"{key}: {said}"


def load(model: type[AnyModel], path: Path) -> AnyModel:
    """Read the YAML file `path` into `model`; raise ConfigError where it is missing, unreadable or wrong."""
    return check(model, read(path), str(path))


def read(path: Path) -> Any:
    """Return the plain values of a YAML file.

    Raises
    ------
    ConfigError
        Where it is missing or no YAML, has a key twice, or is too deep or too large for what reads it.
    """
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):  # a device or a pipe need not end
            raise ConfigError(f"{path}: expected a file, got another kind of thing")
        if state.st_size > LARGEST * 2**20:
            raise ConfigError(f"{path}: expected at most {LARGEST} MiB, got {state.st_size / 2**20:.0f}")
        return parse(path.read_text(encoding="utf-8"), path)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ConfigError(f"{path}: expected UTF-8, got byte {byte:#04x} at {error.start}; save it as UTF-8") from None


def parse(text: str, path: Path) -> Any:
    """Return the plain values of the text that a YAML file has or shall have; see `read`."""
    try:
        _check_events(text)
        return yaml.load(text, Loader=LOADER)
    except (yaml.YAMLError, ValueError) as error:  # the latter also of a date or a number that cannot be one
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


@dataclass(slots=True)
class _Open:
    """A list, or a mapping with the keys that it has so far, that has begun and not ended."""

    anchor: str | None
    before: int  # values in the file
    keys: set[str] | None
    nodes: int = 0


def _check_events(text: str) -> None:
    """Raise ValueError for a key that stands twice in a mapping, and for a file too deep or too large.

    YAML's own loader keeps the last of equal keys, and overflows its stack in what is too deep. Values that aliases
    repeat cost it nothing, but those who look at them: a few lines can stand for billions.
    """
    total, sizes = 0, dict[str | None, int]()  # the latter of what has an anchor
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
                if event.value in keys:
                    raise ValueError(f"line {line}: expected each key of a mapping once, got {event.value!r} again")
                keys.add(event.value)
        if isinstance(event, yaml.CollectionStartEvent):
            keys = set() if isinstance(event, yaml.MappingStartEvent) else None
            inside.append(_Open(event.anchor, total, keys))
        elif isinstance(event, yaml.ScalarEvent):
            sizes[event.anchor] = 1
        elif event.anchor not in sizes:
            raise ValueError(f"line {line}: expected *{event.anchor} after the end of what it stands for")
        total += sizes[event.anchor] if isinstance(event, yaml.AliasEvent) else 1
        if len(inside) > DEEPEST or total > MOST:
            raise ValueError(
                f"line {line}: expected at most {DEEPEST} lists and mappings in each other, and {MOST} values, "
                "those that aliases stand for included; got more"
            )
