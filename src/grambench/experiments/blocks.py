"""Long runs are done in blocks of their repeats, which several machines may do at once.

Every repeat has seeds of its own and knows nothing of the others, so that blocks and whole runs have the same numbers.
"""

from collections.abc import Mapping
from typing import Any


def repeats(settings: Mapping[str, Any]) -> range:
    """Return the numbers, from 0, of the repeats that a run's settings ask for: of its block, or all.

    A nested study has parts in their place.
    """
    protocol = settings["protocol"]
    whole = protocol["parts"] if "parts" in protocol else protocol["repeats"]
    first, last = settings.get("block", (0, whole - 1))
    return range(first, last + 1)
