"""Rule `features`: one descriptor of all images of a base, joined from its parts.

python -m grambench.pipeline.steps features CODE OUTPUT PART...
"""

from pathlib import Path

from grambench.common.provenance import made_from
from grambench.datasets import views
from grambench.datasets.store import Unavailable


def main(argv: list[str]) -> None:
    """Write the descriptions of all images, or why there are none."""
    output, *paths = map(Path, argv[1:])
    parts = [views.read(path) for path in paths]
    available = [part for part in parts if not isinstance(part, Unavailable)]
    content = views.joined(available) if len(available) == len(parts) else parts[0]
    views.write(output, content, made_from("", argv[0], *paths))
