"""Parameters from settings: what a registry's modules have in common."""

from collections.abc import Callable, Mapping
from typing import Any

from grambench.common.errors import ConfigError, GrambenchError, reason, unknown_name


def build(name: str, cls: Any, settings: Mapping[str, Any]) -> Any:
    """Build a dataclass of parameters that checks itself.

    Raises
    ------
    ConfigError
        For a parameter that does not exist or a value that is not allowed, with the name of what they belong to.
    """
    for key in settings:
        if key not in cls.__dataclass_fields__:
            raise unknown_name(f"parameter of {name}", key, cls.__dataclass_fields__)
    try:
        return cls(**settings)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{name}: {error}") from None


def fault(load: Callable[[str], object], name: str) -> str:
    """Return why a module of a registry cannot be loaded, in one line; empty where it can.

    It may be anyone's, and unfinished: whatever it raises is its own fault and stops nothing but what needs it.
    """
    try:
        load(name)
    except GrambenchError:  # there is no such module
        raise
    except Exception as error:
        return reason(error)
    return ""
