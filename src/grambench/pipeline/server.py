"""Processes that have imported what steps need, and fork for each step: a start costs a fraction of an interpreter's.

The workflow starts two of them, so that a supervised step has no more in its memory than in a process of its own.
`python -m grambench.pipeline.steps` asks one of them for a fork (`grambench.pipeline.client`), hands over its standard
input, output and error, waits, and ends as the fork ends. Without a server, as outside Linux or in a conda environment
of Snakemake's, it does the step itself.

All guarantees of a step stay. The supervisor of a fit is a process between the server and the fit. Signals to the
client are passed on to the fork. If the client, the server or the workflow ends in any way, the fork is told to end.
A client does its step itself if the server refuses its request, or has ended.

Forks share what a server has imported: the steps, what this module lists, and what these import. A server imports
nothing that a fork has imported, such as an algorithm.
"""

import atexit
import contextlib
import fcntl
import gc
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from grambench.common import environment, files
from grambench.common.forks import Fork, end_with
from grambench.pipeline import fingerprint, supervise
from grambench.pipeline.client import HALVES, SERVER, SOCKETS, has_ended
from grambench.pipeline.job import STEPS, Job, call

# what a step imports late, its supervised half for one
LATE = {
    "run": (f"{STEPS}.{HALVES['run']}", "grambench.experiments.offline", "grambench.experiments.online"),
    "gram": (f"{STEPS}.{HALVES['gram']}",),
    "figure": ("matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg"),
}
# what some runs import, and take longer to import than to fit
SLOW = ("scipy.optimize", "sklearn.linear_model", "sklearn.svm", "sklearn.ensemble")
# a folder beside the sockets, where forks note which Gram matrices they have found whole
CHECKED = "checked"
# descriptors of a request: standard input, output and error of the client, and a file with the call of the step
COUNT = 4
# the folder of the sockets among temporary files
PREFIX = "grambench-servers-"
# Arrow's allocator would start a thread in the server, and a process with several threads must not fork
ENVIRONMENT = environment.COMPUTING | {"JE_ARROW_MALLOC_CONF": "background_thread:false"}


def start() -> None:
    """Start the servers, and name them in a variable to the jobs of this process; they end with it.

    Nothing is started where processes cannot be forked and watched like this.
    """
    # a job of a cluster must not ask the servers of the process that has submitted it
    os.environ.pop(SERVER, None)
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return
    folder, variables = _make_folder(), os.environ | ENVIRONMENT
    processes: list[subprocess.Popen[bytes]] = []
    atexit.register(_stop, processes)
    for name in SOCKETS:
        with socket.socket(socket.AF_UNIX) as listener:
            try:
                listener.bind(f"{folder}/{name}")
            except OSError:
                # the name of a socket has at most 107 characters
                return
            listener.listen()
            command = [sys.executable, "-m", "grambench.pipeline.server", str(listener.fileno())]
            pipe, handed_over = subprocess.PIPE, [listener.fileno()]
            processes.append(subprocess.Popen(command, stdin=pipe, pass_fds=handed_over, env=variables))
    os.environ[SERVER] = f"{folder}{os.pathsep}{sys.executable}"


def _make_folder() -> Path:
    """Make the folder of the sockets, which this process locks, and remove those of workflows that were killed."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if has_ended(str(left)):
            shutil.rmtree(left, ignore_errors=True)
    unlocked = Path(tempfile.mkdtemp(prefix="grambench-"))
    fcntl.flock(os.open(unlocked, os.O_RDONLY), fcntl.LOCK_EX)
    # under the name by which other workflows find it once it is locked
    folder = unlocked.rename(unlocked.with_name(PREFIX + unlocked.name.removeprefix("grambench-")))
    (folder / CHECKED).mkdir()
    return folder


def _stop(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    """End the servers."""
    for process in processes:
        # the servers read its end
        if process.stdin:
            process.stdin.close()
    for process in processes:
        process.wait()


class Server:
    """A server of one socket.

    Parameters
    ----------
    listener : socket.socket
        The socket on which clients ask.
    """

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener
        self.folder = Path(listener.getsockname()).parent
        files.notes = self.folder / CHECKED
        # the workflow holds the other end of standard input
        self.workflow = sys.stdin.fileno()
        self.forks: set[Fork] = set()
        self.selector = selectors.DefaultSelector()
        self._call_when_readable(self.workflow, self._stop)
        self._call_when_readable(listener, self._accept)
        # a terminal interrupts forks and servers alike
        self.interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.serves = True

    def serve(self) -> None:
        """Fork for clients until the workflow ends, and then until all forks have ended."""
        while self.serves or self.forks:
            for key, _ in self.selector.select():
                # another event of the same moment may have been the last of a client
                if key in self.selector.get_map().values():
                    key.data()
        Path(self.listener.getsockname()).unlink(missing_ok=True)
        # the last server removes the folder
        if not any((self.folder / name).exists() for name in SOCKETS):
            shutil.rmtree(self.folder, ignore_errors=True)

    def _call_when_readable(self, file: int | socket.socket, function: Callable[[], None]) -> None:
        self.selector.register(file, selectors.EVENT_READ, function)

    def _stop(self) -> None:
        """Tell all forks to end, since the workflow has ended."""
        self.selector.unregister(self.workflow)
        self.selector.unregister(self.listener)
        self.serves = False
        for fork in self.forks:
            fork.send(signal.SIGTERM)

    def _accept(self) -> None:
        """Let a client ask."""
        with contextlib.suppress(OSError):
            client, _ = self.listener.accept()
            self._call_when_readable(client, partial(self._fork, client))

    def _fork(self, client: socket.socket) -> None:
        """Fork for the request of a client, or send it away."""
        self.selector.unregister(client)
        descriptors: list[int] = []
        try:
            _, descriptors, *_ = socket.recv_fds(client, 1, COUNT)
            *streams, request = descriptors
            with os.fdopen(request, encoding="utf-8", closefd=False) as file:
                file.seek(0)
                folder, spec, step, *arguments = json.load(file)
            modules: Iterable[str] = (f"{STEPS}.{step}", *LATE.get(step, ()))
            # a run compares the code of all its modules: a server reads theirs when it imports them
            if step == "run":
                modules = [*fingerprint.closure(*modules), *SLOW]
            _import(modules)
            if len(list(Path("/proc/self/task").iterdir())) > 1:
                raise OSError("a package that was imported has started a thread")
            fork = Fork(partial(self._work, streams, folder, spec, step, arguments))
        # the client may have ended, or ask for what is no step; the system may refuse a process
        except (OSError, TypeError, ValueError):
            client.close()
            return
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self.forks.add(fork)
        self._call_when_readable(client, partial(self._pass_on, client, fork))
        self._call_when_readable(fork.ended, partial(self._answer, client, fork))

    def _pass_on(self, client: socket.socket, fork: Fork) -> None:
        """Send a fork the signal that its client got, and SIGTERM if its client has ended."""
        try:
            number = client.recv(1)
        except OSError:
            number = b""
        fork.send(ord(number or bytes([signal.SIGTERM])))
        if not number:
            self.selector.unregister(client)

    def _answer(self, client: socket.socket, fork: Fork) -> None:
        """Tell a client how its step has ended."""
        self.selector.unregister(fork.ended)
        self.forks.remove(fork)
        code = fork.wait()
        if client in self.selector.get_map():
            self.selector.unregister(client)
            with contextlib.suppress(OSError):
                client.send(str(code).encode())
        client.close()

    def _work(self, streams: Sequence[int], folder: str, spec: str, step: str, arguments: Sequence[str]) -> None:
        """Do a step, in a fork, as a new interpreter would.

        The socket of the client stays open: without an answer of the server, its end is that of the step.
        """
        end_with(os.getppid(), signal.SIGTERM)
        signal.signal(signal.SIGINT, self.interrupt)
        # others would wait for the end of this fork too
        for key in list(self.selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
            elif key.fd != self.workflow:
                os.close(key.fd)
        self.selector.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(folder)
        if "numpy.random" in sys.modules:
            # all forks have the state of the server
            sys.modules["numpy.random"].seed()
        supervise.in_server = True
        call(step, Job.parse(arguments, spec))


def _import(modules: Iterable[str]) -> None:
    """Import modules; a fork meets an error again."""
    new = [module for module in modules if module not in sys.modules]
    for module in new:
        with contextlib.suppress(Exception):
            import_module(module)
    if new:
        if "grambench.common.lazy_numba" in sys.modules:
            _prepare_numba()
        # forks share memory that is not written to, which collections of garbage do
        gc.collect()
        gc.freeze()


def _prepare_numba() -> None:
    """Import Numba, and let it import what it else imports when it loads the first compiled function."""
    from numba.core.registry import cpu_target

    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


if __name__ == "__main__":
    Server(socket.socket(fileno=int(sys.argv[1]))).serve()
