"""The client of `grambench.pipeline.server`; it imports little, since every job starts with it."""

import os
import signal
import sys
from collections.abc import Sequence

# the variable with the folder of the servers' sockets and the interpreter of the servers
SERVER = "GRAMBENCH_SERVER"
# the steps with a supervised half, and the names of the two sockets
SUPERVISED = ("run", "gram")
SOCKETS = ("supervised", "other")
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def ask(argv: Sequence[str]) -> None:
    """Let a server do a step, and end this process as the step ends; return if no server answers."""
    folder, _, interpreter = os.environ.get(SERVER, "").rpartition(os.pathsep)
    # another one, such as that of a conda environment, has other packages
    if not argv or interpreter != sys.executable:
        return
    import json
    import socket

    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(f"{folder}/{SOCKETS[argv[0] not in SUPERVISED]}")
            # arguments of any length in a file without a name
            with os.fdopen(os.memfd_create("request"), "w", encoding="utf-8") as request:
                json.dump([os.getcwd(), *argv], request)  # noqa: PTH109  (pathlib takes long to import)
                request.flush()
                socket.send_fds(connection, [b"?"], [0, 1, 2, request.fileno()])
        except OSError:
            return
        for number in ENDING:
            # nohup ignores it
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, lambda number, _: connection.send(bytes([number])))
        _end(connection.recv(16))


def _end(answer: bytes) -> None:
    """End this process by the exit code, or by the negative number of a signal; no answer is that of a killed step."""
    code = int(answer or -signal.SIGKILL)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    raise SystemExit(code)
