"""Waiting for other processes, and for their ends; servers of steps."""

import contextlib
import os
import time
from pathlib import Path

import psutil
import pytest
from compiled_code import compiled_code

from grambench.pipeline import client, server

PATIENCE = 600.0  # seconds after which a test gives up what is a matter of a few


def until(what, seconds=PATIENCE):
    """Wait until something is true; return it."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, f"it did not happen within {seconds:g} s"
        time.sleep(0.05)
    return found


def written_pid(path):
    """Wait until a process has written its id to a file; return the id."""
    return int(until(lambda: path.is_file() and path.read_text()))


def has_ended(pid):
    """Return whether a process has ended; a zombie has."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def gone(pid):
    """Wait until a process has ended that was told to."""
    return until(lambda: has_ended(pid))


@contextlib.contextmanager
def serving(sockets=server.SOCKETS):
    """Start servers in this process; give their processes, and the variable by which a client finds them."""
    registered = []
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(client.SERVER, raising=False)
        # a command that an earlier test has called in this process may have set that of its project
        patch.setenv("NUMBA_CACHE_DIR", str(compiled_code()))
        patch.setattr(server.atexit, "register", lambda *call: registered.append(call))
        patch.setattr(server, "SOCKETS", sockets)
        server.start()
        found_by = os.environ.pop(client.SERVER)
    ((stop, processes),) = registered
    yield processes, found_by
    stop(processes)
    folder = Path(found_by.rpartition(os.pathsep)[0])
    assert not folder.exists() or any(process.returncode for process in processes)
