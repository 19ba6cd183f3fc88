"""Parameters from settings, and faults of modules, for all registries."""

from collections.abc import Callable, Mapping
from typing import Any

from grambench.common.errors import ConfigError, GrambenchError, reason, unknown_name

NUMBERS = (int, float, "int", "float")  # as annotations


def build(name: str, cls: Any, settings: Mapping[str, Any]) -> Any:
    """Return an instance of a dataclass of parameters that checks itself.

    Raises
    ------
    ConfigError
        If a parameter does not exist or a value is not allowed. The message starts with `name`.
    """
    for key in settings:
        if key not in cls.__dataclass_fields__:
            raise unknown_name(f"parameter of {name}", key, cls.__dataclass_fields__)
        if cls.__dataclass_fields__[key].type in NUMBERS and not isinstance(settings[key], int | float):
            raise ConfigError(f"{name}: {key}: expected a number, got {settings[key]!r}")
    try:
        return cls(**settings)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{name}: {error}") from None


def fault(load: Callable[[str], object], name: str) -> str:
    """Return why a module of a registry cannot be loaded, in one line; empty if it can.

    A module may be a user's unfinished work: no exception of it may stop anything but what needs the module.
    """
    try:
        load(name)
    except GrambenchError:  # no such module exists
        raise
    except Exception as error:
        return reason(error)
    return ""
