"""The steps of the workflow: `python -m grambench.pipeline.steps STEP [SPEC] OUTPUT... INPUT...`, one module a rule.

SPEC is the canonical JSON of the settings of the step (`grambench.common.provenance.spec`), if it has any. A long one
comes through the standard input, and SPEC is the name of that file.
"""

import json
from pathlib import Path
from typing import Any


def read_spec(given: str) -> Any:
    """Return settings from their JSON, or from a file that holds it: on Linux an argument has at most 128 KiB."""
    return json.loads(given if given.startswith("{") else Path(given).read_text(encoding="utf-8"))
