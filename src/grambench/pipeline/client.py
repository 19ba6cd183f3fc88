"""The client of `grambench.pipeline.server`; it imports little, since every job starts with it."""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

# the variable with the folder of the servers' sockets and the interpreter of the servers
SERVER = "GRAMBENCH_SERVER"
# the steps with a supervised half, a step of its own process, and the names of the two sockets
HALVES = {"run": "fit", "gram": "evaluate"}
SOCKETS = ("supervised", "other")
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def ask(argv: Sequence[str], spec: str) -> None:
    """Let a server do a step with these settings, and end this process as the step ends.

    Return if no server answers, and the workflow goes on: what a server had started for this process has then ended.
    """
    folder, _, interpreter = os.environ.get(SERVER, "").rpartition(os.pathsep)
    # another one, such as that of a conda environment, has other packages
    if not argv or interpreter != sys.executable:
        return
    import json
    import socket

    received: list[int] = []
    earlier = {}
    with socket.socket(socket.AF_UNIX) as connection:

        def pass_on(number: int, _: object) -> None:
            received.append(number)
            with suppress(OSError):
                connection.send(bytes([number]))

        try:
            connection.connect(f"{folder}/{SOCKETS[argv[0] not in HALVES]}")
            # arguments of any length in a file without a name
            with os.fdopen(os.memfd_create("request"), "w", encoding="utf-8") as request:
                json.dump([os.getcwd(), spec, *argv], request)  # noqa: PTH109  (pathlib takes long to import)
                request.flush()
                socket.send_fds(connection, [b"?"], [0, 1, 2, request.fileno()])
            for number in ENDING:
                # nohup ignores it
                if signal.getsignal(number) != signal.SIG_IGN:
                    earlier[number] = signal.signal(number, pass_on)
            answer = connection.recv(16)
        except OSError:
            answer = b""
    for number, handler in earlier.items():
        signal.signal(number, handler)
    if answer or received:
        _end(int(answer or -received[0]))
    if has_ended(folder):
        _end(128 + signal.SIGHUP)


def has_ended(folder: str) -> bool:
    """Return whether a workflow has ended, which holds a lock on the folder of its servers."""
    import fcntl

    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)


def _end(code: int) -> None:
    """End this process by an exit code, or by the negative number of a signal."""
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    raise SystemExit(code)
