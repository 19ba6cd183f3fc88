"""Files that come with the package beside its code: the workflow, the configuration, the bundled data.

A clone has them at its root; a wheel carries them in a folder of the package (`force-include` in pyproject.toml). A
project is the working folder, and its own files take precedence. In a clone, all paths are those of the clone.
"""

from pathlib import Path

PACKAGE = Path(__file__).parent.parent
ROOT = PACKAGE / "shipped" if (PACKAGE / "shipped").is_dir() else PACKAGE.parent.parent


def located(path: Path | str) -> Path:
    """Return a file or folder of the project, or the shipped one if only that exists.

    Parameters
    ----------
    path : Path or str
        Relative to the project's root or to the clone's.
    """
    return existing(Path(path), ROOT / path)


def names(folder: Path) -> list[str]:
    """Return the names of the YAML files in a folder of the project, and in the shipped one of its name."""
    folders = (folder, ROOT / "config" / folder.name)
    return sorted({path.stem for each in folders for path in each.glob("[a-z]*.yaml")})


def existing(path: Path, fallback: Path) -> Path:
    """Return `path`, or `fallback` if only that exists."""
    return fallback if fallback.exists() and not path.exists() else path
