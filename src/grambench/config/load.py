"""Reads a YAML file into its model, or says in one line per fault where the file is wrong."""

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from grambench.common.errors import ConfigError

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # every job of a cluster reads every study again


class Model(BaseModel):
    """Base of all models: frozen, and an unknown key is an error rather than a silent default."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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
        faults = [
            f"{where}: {'.'.join(map(str, fault['loc'])) or 'top level'}: {fault['msg']} (got {fault['input']!r:.60})"
            for fault in error.errors()
        ]
        raise ConfigError("\n".join(faults)) from None
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def load(model: type[AnyModel], path: Path) -> AnyModel:
    """Read the YAML file `path` into `model`; raise ConfigError where it is missing, unreadable or wrong."""
    return check(model, read(path), str(path))


def read(path: Path) -> Any:
    """Return the plain values of a YAML file; raise ConfigError where it is missing or no YAML."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
