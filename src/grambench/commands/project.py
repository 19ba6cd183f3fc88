"""The project that a command works in, its plan, and how snakemake finds its workflow."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grambench.common import layout, shipped
from grambench.common.errors import ConfigError

if TYPE_CHECKING:
    from grambench.pipeline.plan import Plan

CONFIG = Path("config")
SETTINGS = CONFIG / "config.yaml"


def root(folder: Path) -> Path | None:
    """Return the project that a folder is, or lies in; None where it lies in none."""
    return next((each for each in (folder, *folder.parents) if (each / SETTINGS).is_file()), None)


def check_root() -> None:
    """Raise ConfigError where the working folder is no project's, or has a file in the place of its results."""
    if not SETTINGS.is_file():
        raise ConfigError(
            f"{SETTINGS}: no such file in {Path.cwd()} or a folder above it; "
            "name a project with -C, or make one with grambench init"
        )
    if os.path.lexists(layout.RESULTS) and not layout.RESULTS.is_dir():
        raise ConfigError(f"{layout.RESULTS}: expected a folder, got a file or a link to nothing; move it away")


def read_plan(overrides: Mapping[str, Any] = MappingProxyType({})) -> "Plan":
    """Return the plan of the configuration, with what the command's arguments override in config.yaml."""
    from grambench.config.load import read
    from grambench.pipeline.plan import Plan

    check_root()
    return Plan(read(SETTINGS) | dict(overrides), CONFIG, overrides)


def read_everything() -> "Plan":
    """Return the plan of all studies of the project, whole, whatever config.yaml asks for."""
    from grambench.config.project import Configuration

    check_root()
    return read_plan({"studies": Configuration(CONFIG).names("studies"), "datasets": None, "algorithms": {}})


def snakefile() -> list[str]:
    """Return the options by which snakemake finds the shipped workflow; none where the project has one, as a clone."""
    own = [name for name in ("Snakefile", "workflow/Snakefile") if Path(name).is_file()]
    return [] if own else ["--snakefile", str(shipped.ROOT / "Snakefile")]


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
