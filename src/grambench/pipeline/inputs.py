"""What a step is called with: its settings, and the inputs that its record names."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grambench.common.files import identity_of


def read_spec(text: str) -> Any:
    """Return settings from their JSON, or from a file with it: on Linux an argument has at most 128 KiB."""
    return json.loads(text if text.startswith("{") else Path(text).read_text(encoding="utf-8"))


def record_fields(spec: dict[str, Any], code: str, inputs: Iterable[Path]) -> dict[str, Any]:
    """Return the fields of a record that do not depend on how the run ends."""
    names = {name: spec[name] for name in ("study", "dataset", "algorithm")}
    return names | {"code": code, "inputs": list(map(identity_of, inputs)), "settings": spec}
