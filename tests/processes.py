"""Waiting for other processes, and for their ends."""

import time

import psutil

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
