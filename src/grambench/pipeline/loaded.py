"""Compiled functions that a fork has loaded, which it notes for its server: later forks then have them.

To load one takes about a hundredth of a second, and many a fit takes less than to load what it calls.
"""

import os
import pickle
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from grambench.common import files, lazy_numba

# where forks leave their notes, a file each; None outside of a server and its forks
notes: Path | None = None
# what this process, or one that it was forked from, has loaded by notes: modules, names and types of arguments
_known: set[tuple[str, str, Any]] = set()


def write_note() -> None:
    """Note the functions of grambench that this process has loaded."""
    loaded = {
        (function.__module__, function.name, types)
        for function in lazy_numba.used
        for types in function.loaded()
        if function.__module__.startswith("grambench.")
    }
    new = loaded - _known
    # the server may have ended, and removed the folder
    with suppress(OSError):
        if notes and new:
            with files.atomic(notes / str(os.getpid())) as path:
                path.write_bytes(pickle.dumps(new))


def load_noted() -> bool:
    """Load the functions that forks have noted, and return whether any was new."""
    new = set[tuple[str, str, Any]]()
    for path in notes.glob("[!.]*") if notes else ():
        # a server goes on without the notes that it cannot read
        with suppress(Exception):
            new |= pickle.loads(path.read_bytes())
        path.unlink(missing_ok=True)
    new -= _known
    for module, name, types in new:
        # a fork that needs the function meets the error again
        with suppress(Exception):
            getattr(import_module(module), name).load(types)
    _known.update(new)
    return bool(new)
