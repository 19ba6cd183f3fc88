"""Where compiled code is kept: in a folder of the user's own, since whoever may write there has code run."""

import os
import stat
import tempfile
from pathlib import Path

from grambench.common.errors import ConfigError

LOCATORS = "grambench.pipeline.sealed_cache.Sealed,InTreeCacheLocator,UserWideCacheLocator"  # the first that may write


def use(code: str) -> None:
    """Make numba, in all jobs, share a folder for a state of the code, and check what it loads from there.

    Raises
    ------
    ConfigError
        If somebody else owns the folder or may write to it.
    """
    os.environ["NUMBA_CACHE_DIR"] = str(_own_folder() / "numba" / code)
    os.environ["NUMBA_CACHE_LOCATOR_CLASSES"] = LOCATORS


def _own_folder() -> Path:
    """Return a folder in the project's, of this user's name; among temporary files where that cannot be written."""
    name = f"grambench-{os.getuid()}"
    try:
        folder = Path(".cache").absolute() / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        folder = Path(tempfile.gettempdir()) / name
        folder.mkdir(mode=0o700, exist_ok=True)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ConfigError(
            f"{folder}: compiled code is run from there, expected a folder of yours that nobody else may write to, got "
            f"{stat.filemode(state.st_mode)} of user {state.st_uid}; remove it"
        )
    return folder
