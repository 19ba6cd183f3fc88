"""Rule `features`: one descriptor of all images of a base, put together from its parts.

python -m grambench.pipeline.steps features CODE OUTPUT PART...
"""

from pathlib import Path

from grambench.common.provenance import made_from
from grambench.datasets import views
from grambench.datasets.store import Unavailable


def main(argv: list[str]) -> None:
    """Write the descriptions of all images."""
    output, *paths = map(Path, argv[1:])
    parts = [views.read(path) for path in paths]
    described = [part for part in parts if not isinstance(part, Unavailable)]
    views.write(
        output, views.joined(described) if len(described) == len(parts) else parts[0], made_from("", argv[0], *paths)
    )
