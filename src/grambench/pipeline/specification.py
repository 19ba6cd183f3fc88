"""Specifications with the points of sweeps may be longer than an argument of a command, 128 KiB on Linux."""

import json
from pathlib import Path
from typing import Any


def read(given: str) -> Any:
    """Return the settings of a step: `given` is their JSON, or the name of a file that holds it."""
    return json.loads(given if given.startswith("{") else Path(given).read_text(encoding="utf-8"))
