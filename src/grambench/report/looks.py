"""The templates, style sheets and scripts of the report."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from grambench.common.counts import counted, in_line

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
ASSETS = Path(__file__).parent / "assets"


def checksum() -> str:
    """Return a checksum of all of them, by which a report made with other ones is out of date."""
    digest = hashlib.sha256()
    for folder in (TEMPLATES, ASSETS):
        for path in sorted(folder.iterdir()):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def environment() -> "Environment":
    """Return what fills in the templates: texts are escaped, a missing value is an error, and `asset` reads a file."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    loader = FileSystemLoader(TEMPLATES)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals |= {"counted": counted, "in_line": in_line}
    made.globals["asset"] = lambda name: Markup((ASSETS / name).read_text(encoding="utf-8"))
    return made
