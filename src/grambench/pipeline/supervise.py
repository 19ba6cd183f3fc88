"""Run a command within limits of time and memory, and say how it ended.

No process that the command has started outlives it, in whatever session, as far as the system allows: Linux hands
orphans to this process, and ends the command when this process dies. docs/running.md lists the limits of this.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Literal, NamedTuple

import psutil

from grambench.common import threads
from grambench.common.errors import plain

Status = Literal["ok", "error", "timeout", "memory", "killed"]

OUT_OF_MEMORY = 77  # exit code by which a supervised command says that an allocation failed, beside its last line
ALLOCATION = "an allocation failed"
POLL_SECONDS = 0.1
END_SECONDS = 10  # after which what cannot be killed, such as a program of another user, is left
OUTPUT_MB = 1024  # that a command may write, before it fills the disk
TAIL = 2**16  # bytes of it that are looked at
LINE = 500  # characters of a line that are kept
DETAIL_LINES = 20  # of a failed step's output go into its record
LOG_LINES = 200  # of any step's output go into the job's log
REPEATABLE = dict.fromkeys(threads.VARIABLES, "1") | {
    "PYTHONHASHSEED": "0"  # or a set of texts has another order each time
}
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
TRACEBACK = "Traceback (most recent call last):"
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # of Linux: end with the parent; be the parent of orphans


class Outcome(NamedTuple):
    """How a supervised command ended.

    Attributes
    ----------
    status : str
        ok, error (it failed by itself), timeout, memory, or killed (by somebody else's signal).
    reason : str
        One line; empty when ok.
    seconds : float
        Wall time.
    detail : str
        The last lines of its output, of a step.
    """

    status: Status
    reason: str
    seconds: float
    detail: str = ""


def run(command: Sequence[str], *, seconds: float, memory_mb: float, errors: Path, env: dict[str, str]) -> Outcome:
    """Run `command` to its end or to its limit, and kill all processes that it has started.

    If the caller of the shell dies, this process ends too. Snakemake may be killed and then started again, and must not
    meet runs of its first start.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    seconds, memory_mb : float
        The limits of wall time and of memory in MiB, without memory-mapped files.
    errors : Path
        The file for its standard output and error.
    env : dict
        Its environment.
    """
    start = time.monotonic()
    verdict: tuple[Status, str] | None = None
    caller, others = _caller(), set(descendants())
    process = None
    with errors.open("wb") as stream, told_to_end():
        try:
            _prctl(PR_SET_CHILD_SUBREAPER, 1)
            process = subprocess.Popen(
                command,
                stdout=stream,
                stderr=stream,
                env=env,
                start_new_session=True,
                preexec_fn=partial(_die_with, os.getpid()),
            )
            while verdict is None:
                try:
                    code = process.wait(timeout=POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    pass
                used = memory_used_mb(others)
                if used > memory_mb:
                    verdict = "memory", f"used {used:.0f} MiB, the limit is {memory_mb:.0f} MiB"
                elif time.monotonic() - start > seconds:
                    verdict = "timeout", f"ran for {seconds:g} s, the limit"
                elif errors.stat().st_size > OUTPUT_MB * 2**20:
                    verdict = "error", f"wrote more than {OUTPUT_MB} MiB of output, the limit"
                elif _caller() != caller:
                    raise SystemExit(128 + signal.SIGHUP)
        finally:
            end(process, others)
            _prctl(PR_SET_CHILD_SUBREAPER, 0)
    if verdict is None:
        verdict = _judge(code, errors)
    return Outcome(*verdict, seconds=time.monotonic() - start)


def step(name: str, arguments: Sequence[str], output: Path, *, seconds: float, memory_mb: float) -> Outcome:
    """Run the supervised half of a step, which writes `output`, and remove half-written files if it fails.

    The last lines of its output go to standard error, the log of the job. See `run` for the limits.
    """
    outcome = None
    with tempfile.TemporaryDirectory() as folder:
        errors = Path(folder) / "output.txt"
        try:
            outcome = run(
                [sys.executable, "-m", "grambench.pipeline.steps", name, *arguments],
                seconds=seconds,
                memory_mb=memory_mb,
                errors=errors,
                env=os.environ | REPEATABLE,
            )
        finally:
            if outcome is None or outcome.status != "ok":
                for half_written in output.parent.glob(f".{output.stem}-*{output.suffix}"):
                    half_written.unlink(missing_ok=True)
        if outcome.status == "ok" and not output.is_file():
            outcome = outcome._replace(status="error", reason=f"ended without {output}")
        sys.stderr.write(tail(errors, LOG_LINES))
        return outcome._replace(detail=tail(errors, DETAIL_LINES))


def _caller() -> tuple[int, int]:
    """Return the ids of the shell of this process and of the process that has started the shell."""
    shell = os.getppid()
    with contextlib.suppress(psutil.Error):
        return shell, psutil.Process(shell).ppid()
    return shell, 0


def _judge(code: int, errors: Path) -> tuple[Status, str]:
    if code == 0:
        return "ok", ""
    last = tail(errors, 1)
    if code == OUT_OF_MEMORY and last.startswith(ALLOCATION):
        return "memory", last
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        return "killed", f"ended by signal {name}"
    return "error", raised(tail(errors, TAIL)) or last or f"exit code {code}"


def raised(output: str) -> str:
    """Return the type and the first line of the last exception of an output; empty if there is no traceback.

    The message of an exception may have any number of lines, and other output may follow it.
    """
    _, traceback, after = output.rpartition(f"{TRACEBACK}\n")
    lines = (line for line in after.splitlines() if not line.startswith(" "))
    return next(lines, "") if traceback else ""


@contextlib.contextmanager
def failed_allocations_told() -> Iterator[None]:
    """End this process if an allocation fails, and tell its supervisor."""
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
    kept = [line for line in map(plain, text.splitlines()) if line.strip()][-lines:]
    return "\n".join(line if len(line) <= LINE else line[: LINE - 3] + "..." for line in kept)


def memory_used_mb(others: set[psutil.Process]) -> float:
    """Return the memory in MiB of this process's descendants except `others`, without pages mapped from files.

    Processes that share memory count an equal part of it each.
    """
    total = 0
    for process in descendants():
        with contextlib.suppress(psutil.Error):
            if process not in others:
                memory = process.memory_info()
                shared = getattr(memory, "shared", None)  # Linux only; elsewhere the slower count of unique pages
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
    return sum(each.pss for each in process.memory_maps(grouped=False) if each.perms[1] + each.perms[3] == "ws")


def descendants() -> list[psutil.Process]:
    """Return the processes that this one has started, and their descendants, parents before children."""
    return psutil.Process().children(recursive=True)


def end(process: "subprocess.Popen[bytes] | None", others: set[psutil.Process]) -> None:
    """Kill the command with its group at once, then all other processes that it has started."""
    _go_deaf()
    if process:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    start = time.monotonic()
    while (left := [each for each in descendants() if each not in others]) and time.monotonic() - start < END_SECONDS:
        for each in left:
            with contextlib.suppress(psutil.Error):
                each.kill()
            with contextlib.suppress(ChildProcessError):
                os.waitpid(each.pid, os.WNOHANG)
        time.sleep(POLL_SECONDS / 10)


def _die_with(supervisor: int) -> None:
    """Make the system end this new process when its supervisor ends in any way."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        LIBC.prctl(option, value)


@contextlib.contextmanager
def told_to_end() -> Iterator[None]:
    """Raise SystemExit at the first signal to end, so that no run goes on alone; nohup still blocks a hang-up."""

    def stop(number: int, frame: FrameType | None) -> None:
        _go_deaf()
        raise SystemExit(128 + number)

    nohup = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    before = {number: signal.signal(number, stop) for number in ENDING if not (nohup and number == signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _go_deaf() -> None:
    """Ignore further signals to end."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
