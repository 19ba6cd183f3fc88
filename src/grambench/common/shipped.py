"""What comes with the package beside its code: the workflow, the configuration, the bundled data.

A clone has them at its root; a wheel carries them in a folder of the package (`force-include` in pyproject.toml). A
project is the working folder. What it has itself comes first, so that in a clone all paths are those of the clone.
"""

from pathlib import Path

PACKAGE = Path(__file__).parent.parent
ROOT = PACKAGE / "shipped" if (PACKAGE / "shipped").is_dir() else PACKAGE.parent.parent


def located(path: Path | str) -> Path:
    """Return a file or folder of the project, or the shipped one where only that is there.

    Parameters
    ----------
    path : Path or str
        Relative to the project's root or to the clone's.
    """
    own, other = Path(path), ROOT / path
    return other if other.exists() and not own.exists() else own
