"""The folder of compiled code that outlives a run of the tests: one for each state of the code, in this checkout."""

import hashlib
import os
import shutil
from pathlib import Path

from grambench.common.lazy_numba import COMPILED

ROOT = Path(__file__).parent.parent
KEPT = 4  # states: of this code and of the one before, each with bounds checked and without


def compiled_code():
    """Make the folder for the present state of the code, and remove old ones, which Numba never does."""
    state = hashlib.sha256(os.environ.get("NUMBA_BOUNDSCHECK", "").encode())
    for path in sorted(path for name in COMPILED for path in (ROOT / "src/grambench" / name).rglob("*.py")):
        state.update(path.read_bytes())
    folder = ROOT / ".cache/tests" / state.hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for old in sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return folder
