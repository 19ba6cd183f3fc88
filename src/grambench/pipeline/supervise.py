"""Runs a command in a process group of its own, within limits of time and memory, and says how it ended."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Literal

import psutil

Status = Literal["ok", "error", "timeout", "memory", "killed"]

OUT_OF_MEMORY = 77  # exit code by which a supervised command says that an allocation failed
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a supervised command ended.

    Attributes
    ----------
    status : str
        ok, error (it failed by itself), timeout, memory, or killed (by somebody else's signal).
    reason : str
        One line; empty when ok.
    seconds : float
        Wall time.
    """

    status: Status
    reason: str
    seconds: float


def run(command: Sequence[str], *, seconds: float, memory_mb: float, errors: Path, env: dict[str, str]) -> Outcome:
    """Run `command` to its end or to its limit; nothing of its process group survives.

    It does not outlive the program that asked for it, Snakemake above its shell, which may be killed without a word and
    then started again: this process ends too.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    seconds, memory_mb : float
        Limits of wall time and of private memory in MiB; memory-mapped files are not counted.
    errors : Path
        File that receives its standard output and error.
    env : dict
        Its environment.
    """
    start = time.monotonic()
    verdict: tuple[Status, str] | None = None
    caller = _caller()
    with errors.open("wb") as stream, _terminated_with_us() as children:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, env=env, start_new_session=True)
        children.append(process)
        while True:
            try:
                code = process.wait(timeout=POLL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                pass
            used = private_memory_mb(process.pid)
            if used > memory_mb:
                verdict = ("memory", f"used {used:.0f} MiB, the limit is {memory_mb:.0f} MiB")
            elif time.monotonic() - start > seconds:
                verdict = ("timeout", f"ran for {seconds:g} s, the limit")
            elif _caller() != caller:
                _kill_group(process)
                raise SystemExit(128 + signal.SIGHUP)
            if verdict:
                _kill_group(process)
                code = process.wait()
                break
        _kill_group(process)  # grandchildren that outlived it
    if verdict is None:
        verdict = _judge(code, errors)
    return Outcome(*verdict, seconds=time.monotonic() - start)


def _caller() -> tuple[int, int]:
    """Return the ids of the shell that this process runs in and of what has started that shell."""
    shell = os.getppid()
    with contextlib.suppress(psutil.Error):
        return shell, psutil.Process(shell).ppid()
    return shell, 0


def _judge(code: int, errors: Path) -> tuple[Status, str]:
    if code == 0:
        return "ok", ""
    last = tail(errors, 1)
    if code == OUT_OF_MEMORY:
        return "memory", last or "an allocation failed"
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        return "killed", f"ended by signal {name}"
    return "error", last or f"exit code {code}"


def tail(path: Path, lines: int) -> str:
    """Return the last lines of a text file that are not blank."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return "\n".join([line for line in text.splitlines() if line.strip()][-lines:])


def private_memory_mb(pid: int) -> float:
    """Return the memory of a process and its descendants in MiB, without pages shared or mapped from files."""
    total = 0
    with contextlib.suppress(psutil.Error):
        parent = psutil.Process(pid)
        for process in (parent, *parent.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                memory = process.memory_info()
                shared = getattr(memory, "shared", None)  # Linux only; elsewhere the slower count of unique pages
                total += process.memory_full_info().uss if shared is None else memory.rss - shared
    return total / 2**20


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


@contextlib.contextmanager
def _terminated_with_us() -> "Iterator[list[subprocess.Popen[bytes]]]":
    """Kill the groups of the processes in the list when this process is asked to end: no run goes on unsupervised."""
    children: list[subprocess.Popen[bytes]] = []

    def stop(number: int, frame: FrameType | None) -> None:
        for child in children:
            _kill_group(child)
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        yield children
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
