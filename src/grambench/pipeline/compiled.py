"""The folder of compiled code: it belongs to the user alone, since code in it is run."""

import os
import stat
import tempfile
from pathlib import Path

from grambench.common.errors import ConfigError

# numba uses the first of these that can write
LOCATORS = "grambench.pipeline.sealed_cache.Sealed,InTreeCacheLocator,UserWideCacheLocator"


def use(code: str) -> None:
    """Make numba share a folder in all jobs, for one state of the code, and check the files that it loads from there.

    Raises
    ------
    ConfigError
        If another user owns the folder or may write to it.
    """
    os.environ["NUMBA_CACHE_DIR"] = str(own_folder() / "numba" / code)
    os.environ["NUMBA_CACHE_LOCATOR_CLASSES"] = LOCATORS


def own_folder() -> Path:
    """Make this user's folder in the project, or among temporary files if the project cannot be written."""
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
