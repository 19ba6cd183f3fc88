"""Parameters from settings: what a registry's modules have in common."""

from collections.abc import Mapping
from typing import Any

from grambench.common.errors import ConfigError, unknown_name


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
