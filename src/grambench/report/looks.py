"""The templates, style sheets and scripts of the report."""

import hashlib
from pathlib import Path

TEMPLATES = Path(__file__).parent / "templates"
ASSETS = Path(__file__).parent / "assets"


def checksum() -> str:
    """Return a checksum of all of them, by which a report made with other ones is out of date."""
    digest = hashlib.sha256()
    for folder in (TEMPLATES, ASSETS):
        for path in sorted(folder.iterdir()):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
