"""Run a command within limits of time and memory, and return how it ended.

No process that the command has started outlives it, whatever its session, as far as the system allows: Linux makes
this process the parent of orphans, and ends the command when this process dies. docs/safeguards.md lists the limits of
this.
"""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, BinaryIO, Literal, NamedTuple

import psutil

from grambench.common import environment
from grambench.common.errors import plain
from grambench.common.forks import PR_SET_CHILD_SUBREAPER, Fork, end_with, prctl
from grambench.pipeline.client import ENDING
from grambench.pipeline.job import STEPS, Job, call

# program and arguments, or a function that a fork of this process calls
Command = Sequence[str] | Callable[[], object]
Status = Literal["ok", "error", "timeout", "memory", "killed"]

# the exit code and the start of the last line of a supervised command in which an allocation failed
OUT_OF_MEMORY = 77
ALLOCATION = "an allocation failed"
POLL_SECONDS = 0.1
# new processes are looked for at every tenth poll, since that reads what the system says of all its processes
SCAN_POLLS = 10
# processes that cannot be killed, such as those of another user, are left running after this time
END_SECONDS = 10
# the limit of a command's output, so that it does not fill the disk
OUTPUT_MB = 1024
# bytes at the end of the output that are read, and characters of a line that are kept
TAIL = 2**16
LINE = 500
# lines of output in the record of a failed step, and in the log of any job
DETAIL_LINES = 20
LOG_LINES = 200
TRACEBACK = "Traceback (most recent call last):"
# the variable with the process id of the `grambench run` that has started Snakemake
COMMAND = "GRAMBENCH_COMMAND"
LOCKS = Path(".snakemake/locks")
# Snakemake may hold its lock for so long after a signal to end; on a loaded machine it takes more than ten seconds
UNLOCK_SECONDS = 60
# whether this process is a fork of `grambench.pipeline.server`, which has imported the supervised halves of steps
in_server = False


class Ending(NamedTuple):
    """How a supervised command ended.

    Attributes
    ----------
    status : str
        ok, error (it failed by itself), timeout, memory, or killed (by somebody else's signal).
    reason : str
        Why it is not ok, in one line.
    seconds : float
        Wall time.
    detail : str
        The last lines of its output; set by `step` alone.
    """

    status: Status
    reason: str
    seconds: float
    detail: str = ""


def run(
    command: Command,
    *,
    seconds: float,
    memory_mb: float,
    errors: Path,
    env: dict[str, str],
    stdin: IO[bytes] | None = None,
) -> Ending:
    """Run `command` to its end or to its limit, and kill all processes that it has started.

    If the caller of the shell dies, this process ends too: Snakemake may be killed and then started again, and no run
    of its first start may go on.

    Parameters
    ----------
    command : sequence of str or callable
        See `Command`.
    seconds, memory_mb : float
        The limits of wall time and of memory in MiB, without memory-mapped files.
    errors : Path
        The file for the standard output and error of the command.
    env : dict
        The environment of the command.
    stdin : file, optional
        The standard input of a program; that of this process by default.
    """
    start = time.monotonic()
    verdict: tuple[Status, str] | None = None
    caller, earlier = _caller(), set(descendants())
    process, polls, known = None, itertools.count(), list[psutil.Process]()
    with errors.open("wb") as stream, ended_by_signals():
        try:
            prctl(PR_SET_CHILD_SUBREAPER, 1)
            while verdict is None:
                try:
                    process = process or _start(command, stream, env, stdin)
                    code = process.wait(timeout=POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    pass
                # while this user has as many processes as the system allows
                except BlockingIOError:
                    time.sleep(POLL_SECONDS)
                if next(polls) % SCAN_POLLS == 0:
                    known = [child for child in descendants() if child not in earlier]
                used = memory_used_mb(known)
                if used > memory_mb:
                    verdict = "memory", f"used {used:.0f} MiB, the limit is {memory_mb:.0f} MiB"
                elif time.monotonic() - start > seconds:
                    verdict = "timeout", f"ran for {seconds:g} s, the limit"
                elif errors.stat().st_size > OUTPUT_MB * 2**20:
                    verdict = "error", f"wrote more than {OUTPUT_MB} MiB of output, the limit"
                elif _caller() != caller:
                    raise SystemExit(128 + signal.SIGHUP)
        finally:
            end(process, earlier)
            prctl(PR_SET_CHILD_SUBREAPER, 0)
    if verdict is None:
        verdict = _verdict(code, errors)
    return Ending(*verdict, seconds=time.monotonic() - start)


def _start(
    command: Command, output: BinaryIO, env: dict[str, str], stdin: IO[bytes] | None
) -> "subprocess.Popen[bytes] | Fork":
    """Start a command or a function in a new session; it ends with this process."""
    end = partial(end_with, os.getpid(), signal.SIGKILL)
    if not callable(command):
        return subprocess.Popen(
            command, stdin=stdin, stdout=output, stderr=output, env=env, start_new_session=True, preexec_fn=end
        )

    def work() -> None:
        end()
        os.setsid()
        for number in ENDING:
            # nohup's stays
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
        os.environ.update(env)
        command()

    return Fork(work)


def step(name: str, job: Job) -> Ending:
    """Run the supervised half of a step within the limits of its job, and remove half-written files if it fails.

    The last lines of what it prints go to standard error, the log of the job. See `run` for the limits.
    """
    ending, (output,) = None, job.output
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as spec:
        errors = Path(folder) / "output.txt"
        spec.write(job.spec.encode())
        spec.seek(0)
        try:
            ending = run(
                partial(call, name, job) if in_server else [sys.executable, "-m", STEPS, name, *job.argv],
                seconds=job.seconds,
                memory_mb=job.memory_mb,
                errors=errors,
                env=os.environ | environment.COMPUTING,
                stdin=spec,
            )
        finally:
            if ending is None or ending.status != "ok":
                for half_written in output.parent.glob(f".{output.stem}-*{output.suffix}"):
                    half_written.unlink(missing_ok=True)
        if ending.status == "ok" and not output.is_file():
            ending = ending._replace(status="error", reason=f"ended without {output}")
        # the record has the reason, and what is only that is no log
        log = tail(errors, LOG_LINES)
        sys.stderr.write(f"{log}\n" * (log not in ("", ending.reason)))
        return ending._replace(detail=tail(errors, DETAIL_LINES))


def _caller() -> tuple[int, int]:
    """Return the ids of the shell of this process and of the process that has started the shell."""
    shell = os.getppid()
    with contextlib.suppress(psutil.Error):
        return shell, psutil.Process(shell).ppid()
    return shell, 0


def _verdict(code: int, errors: Path) -> tuple[Status, str]:
    """Return the status and the reason of a command that ended by itself or by a signal of another process."""
    if code == 0:
        return "ok", ""
    last_line = tail(errors, 1)
    if code == OUT_OF_MEMORY and last_line.startswith(ALLOCATION):
        return "memory", last_line
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        return "killed", f"ended by signal {name}"
    return "error", last_exception(tail(errors, TAIL)) or last_line or f"exit code {code}"


def last_exception(output: str) -> str:
    """Return the type and the first line of the last exception of an output; empty if there is no traceback.

    The message of an exception may have any number of lines, and other output may follow it.
    """
    _, traceback, after = output.rpartition(f"{TRACEBACK}\n")
    lines = (line for line in after.splitlines() if not line.startswith(" "))
    return next(lines, "") if traceback else ""


@contextlib.contextmanager
def exit_on_failed_allocation() -> Iterator[None]:
    """End this process if an allocation fails, with an exit code that its supervisor knows."""
    try:
        yield
    except MemoryError as error:
        sys.stderr.write(f"{ALLOCATION}: {error}\n")
        raise SystemExit(OUT_OF_MEMORY) from None


def tail(path: Path, lines: int) -> str:
    """Return the last lines of a text file that are not blank, without control characters; "..." marks omissions.

    Only the end of the file is read.
    """
    with path.open("rb") as stream:
        start = max(0, stream.seek(0, os.SEEK_END) - TAIL)
        stream.seek(start)
        text = ("..." if start else "") + stream.read(TAIL).decode("utf-8", errors="replace")
    last = [line for line in map(plain, text.splitlines()) if line.strip()][-lines:]
    return "\n".join(line if len(line) <= LINE else line[: LINE - 3] + "..." for line in last)


def memory_used_mb(processes: Sequence[psutil.Process]) -> float:
    """Return the memory in MiB of those of some processes that still run, without pages mapped from files.

    Each of several processes that share memory counts an equal part of it.
    """
    total = 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            memory = process.memory_info()
            # Linux only; elsewhere unique pages are counted, which is slower
            shared = getattr(memory, "shared", None)
            total += process.memory_full_info().uss if shared is None else memory.rss - shared
            total += _shared_memory(process)
    return total / 2**20


def _shared_memory(process: psutil.Process) -> int:
    """Return the bytes of writable memory that a process shares with others and that belong to no file on a disk.

    The list of mappings is slow to read, so it is read only if there is such memory.
    """
    try:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    if not any(line.startswith("RssShmem:") and line.split()[1] != "0" for line in status.splitlines()):
        return 0
    return sum(region.pss for region in process.memory_maps(grouped=False) if region.perms[1::2] == "ws")


def descendants() -> list[psutil.Process]:
    """Return the processes that this one has started, and their descendants, parents before children."""
    return psutil.Process().children(recursive=True)


def end(process: "subprocess.Popen[bytes] | Fork | None", excluded: set[psutil.Process]) -> None:
    """Kill the command with its group at once, then all descendants of this process except some."""
    _ignore_signals()
    if process:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + END_SECONDS
    while (alive := [child for child in descendants() if child not in excluded]) and time.monotonic() < deadline:
        for child in alive:
            with contextlib.suppress(psutil.Error):
                child.kill()
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child.pid, os.WNOHANG)
        time.sleep(POLL_SECONDS / 10)


def end_with_command() -> None:
    """End this process, Snakemake, and its steps when the `grambench run` that has started it ends in any way."""
    command = int(os.environ.pop(COMMAND, 0))

    def watch() -> None:
        while os.getppid() == command:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGINT)
        # a shell makes a job in its background, and all that this starts, ignore SIGINT
        signal_steps(signal.SIGTERM, set(), lambda: None if any(LOCKS.glob("*")) else 0)
        os._exit(128 + signal.SIGINT)

    if command:
        threading.Thread(target=watch, daemon=True).start()


def signal_steps(number: int, signalled: set[psutil.Process], poll: Callable[[], int | None]) -> None:
    """Send the processes below this one a signal, as a terminal does, and wait until Snakemake has ended.

    Fits get no signal: they end with their supervisors.

    Parameters
    ----------
    number : int
        The signal.
    signalled : set of psutil.Process
        The processes that have got the signal.
    poll : callable
        Returns the exit code of Snakemake, or None while it runs: it has a lock to release, or is about to take it.
    """
    deadline = time.monotonic() + UNLOCK_SECONDS
    while poll() is None and time.monotonic() < deadline:
        for descendant in descendants():
            with contextlib.suppress(OSError, psutil.Error):
                if descendant not in signalled and os.getpgid(descendant.pid) == os.getpgrp():
                    descendant.send_signal(number)
            signalled.add(descendant)
        time.sleep(0.05)


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise SystemExit at the first signal to end, so that no run goes on alone; nohup still blocks a hang-up.

    Further signals are ignored.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        _ignore_signals()
        raise SystemExit(128 + number)

    nohup = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    handlers = {number: signal.signal(number, stop) for number in ENDING if not (nohup and number == signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _ignore_signals() -> None:
    """Ignore further signals to end."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
