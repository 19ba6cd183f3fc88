"""Processes that are forked from this one, and processes that end with their parents."""

import atexit
import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
import traceback
import weakref
from collections.abc import Callable

LIBC = ctypes.CDLL(None)
# options of prctl on Linux: get a signal at the end of the parent; take a name; be the parent of orphans
PR_SET_PDEATHSIG, PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 1, 15, 36


def prctl(option: int, value: int | bytes) -> None:
    """Set an option of this process, on Linux."""
    if sys.platform == "linux":
        LIBC.prctl(option, value)


def end_with(parent: int, number: int) -> None:
    """Make the system send this new process a signal when its parent ends in any way."""
    prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(1)


class Fork:
    """A child process that calls a function, with the interface of `subprocess.Popen` as far as it is used here.

    The child ends as an interpreter does: it waits for its threads and calls exit handlers, those of packages that its
    parent has imported too. It does not take down what it has imported. Linux only. The process that forks must have
    one thread.

    Parameters
    ----------
    work : callable
        What the child does. An exception ends it with a traceback and exit code 1, SystemExit with its own code.

    Attributes
    ----------
    pid : int
        The process id.
    ended : int
        A file descriptor that can be read once the child has ended.

    Raises
    ------
    OSError
        If the system refuses a process, as it does for a user who has as many as allowed.
    """

    def __init__(self, work: Callable[[], object]) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if not self.pid:
            _work(work)
        self.ended = os.pidfd_open(self.pid)
        self._code: int | None = None

    def send(self, number: int) -> None:
        """Send a signal, unless the child has ended."""
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self.ended, number)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, or the negative number of the signal that has ended the child.

        Raises
        ------
        subprocess.TimeoutExpired
            If it has not ended within `timeout` seconds.
        """
        if self._code is None:
            if not select.select([self.ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"fork {self.pid}", timeout or 0)
            os.close(self.ended)
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code


def _work(work: Callable[[], object]) -> None:
    """Call `work`, and end this process, a fork."""
    # temporary folders, for one, belong to the parent
    weakref.finalize._registry.clear()  # type: ignore[attr-defined]
    code = 1
    try:
        code = _call(work)
        # as an interpreter does: this waits for threads
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        # without the frames and objects of the process that it was forked from
        os._exit(code)


def _call(work: Callable[[], object]) -> int:
    """Call `work`, and return the exit code of a process that does no more."""
    try:
        work()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0
