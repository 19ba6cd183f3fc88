"""The plan of what the project's configuration asks for, as several commands need it."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grambench.common.errors import ConfigError

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan

CONFIG = Path("config")


def read_plan(overrides: Mapping[str, Any] = MappingProxyType({})) -> "Plan":
    """Return the plan of the configuration, with what the command's arguments override in config.yaml."""
    from grambench.config.load import read
    from grambench.pipeline.plan import Plan

    path = CONFIG / "config.yaml"
    if not path.is_file():
        raise ConfigError(f"{path}: no such file; run grambench from the repository's root")
    return Plan(read(path) | dict(overrides), CONFIG)


def parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return an algorithm's parameters as the command line has them; raise ConfigError where they are no mapping."""
    import yaml

    try:
        found = yaml.safe_load(arguments.parameters)
    except yaml.YAMLError:
        found = None
    if not isinstance(found, dict):
        raise ConfigError(f"--parameters: expected names and values, such as '{{C: 10}}', got {arguments.parameters}")
    return {str(name): value for name, value in found.items()}
