"""A supervised command ends in one of five ways, and nothing of it survives."""

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from types import SimpleNamespace

import psutil
import pytest
from processes import PATIENCE, gone, written_pid

from grambench.pipeline import supervise


def run(code, tmp_path, seconds=PATIENCE, memory_mb=2000.0):
    return supervise.run(
        [sys.executable, "-c", code],
        seconds=seconds,
        memory_mb=memory_mb,
        errors=tmp_path / "output.txt",
        env=dict(os.environ),
    )


MULTILINE = """import atexit; atexit.register(print, 'bye')
try: {}['first']
except KeyError: raise ValueError('expected three,\\ngot:\\n  four\\n\\nfive')"""
ALLOCATES = "from grambench.pipeline import supervise\nwith supervise.exit_on_failed_allocation(): "


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        ("print('done')", "ok", ""),
        ("raise ValueError('planted')", "error", "ValueError: planted"),
        # what no file can hold, and what moves a cursor, is left out
        (
            "raise ValueError('a\\0b \\x1b[31mred\\x1b[0m \\x1b]0;title\\x07\\x9b \\ud800')",
            "error",
            "ValueError: ab red  \\ud800",
        ),
        (MULTILINE, "error", "ValueError: expected three,"),
        ("raise SystemExit('\\nno traceback\\nat all')", "error", "at all"),
        (f"{ALLOCATES}raise MemoryError('no room')", "memory", "an allocation failed: no room"),
        (f"import os; os._exit({supervise.OUT_OF_MEMORY})", "error", "exit code 77"),
        ("import os; os.kill(os.getpid(), 9)", "killed", "ended by signal SIGKILL"),
        ("import os; os.kill(os.getpid(), 11)", "killed", "ended by signal SIGSEGV"),
    ],
)
def test_how_a_command_ends_and_why(tmp_path, code, status, reason):
    assert run(code, tmp_path)[:2] == (status, reason)


def test_of_much_output_the_end_is_kept(tmp_path):
    path = tmp_path / "output.txt"
    with path.open("wb") as stream:
        for _ in range(100):
            stream.write(b"x" * 2**20)
        stream.write(b"\nlast but one\n" + b"y" * 2**14 + b"\nlast\n")
    tracemalloc.start()
    *earlier, long, last = supervise.tail(path, 200).splitlines()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**21
    assert [len(line) <= supervise.LINE for line in (*earlier, long)] == [True] * 3
    assert long.startswith("yyy") and long.endswith("...")
    assert (earlier[1], last) == ("last but one", "last")


def test_output_without_end_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(supervise, "OUTPUT_MB", 1)
    outcome = run("while True: print('x' * 1000)", tmp_path)
    assert (outcome.status, outcome.reason) == ("error", "wrote more than 1 MiB of output, the limit")


@pytest.fixture
def late(monkeypatch):
    """Let the supervisor's clock jump once a file is written: a limit of time comes when a test wants it."""

    def jumps(path):
        clock = SimpleNamespace(monotonic=lambda: 10.0**6 * _written(path), sleep=time.sleep)
        monkeypatch.setattr(supervise, "time", clock)

    return jumps


def test_hang_is_stopped_with_its_children(tmp_path, late):
    pid_file = tmp_path / "pid"
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pid_file)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)"
    )
    late(pid_file)
    outcome = run(code, tmp_path, seconds=2.0)
    assert outcome.status == "timeout"
    assert outcome.reason == "ran for 2 s, the limit"
    assert gone(int(pid_file.read_text()))


def orphan(pid_file, does="time.sleep(600)"):
    """Return code that leaves a process behind in a session of its own, whose parent has ended, once this has begun."""
    inner = f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); {does}"
    middle = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {inner!r}], start_new_session=True)"
    return (
        "import os, subprocess, sys, time\n"
        f"subprocess.run([sys.executable, '-c', {middle!r}])\n"
        f"while not (os.path.exists({str(pid_file)!r}) and open({str(pid_file)!r}).read()): time.sleep(0.01)\n"
    )


@pytest.mark.parametrize("ends", ["", "raise SystemExit(1)", "os.kill(os.getpid(), 9)"])
def test_a_process_that_has_left_its_session_does_not_outlive_the_run(ends, tmp_path):
    run(orphan(tmp_path / "pid") + ends, tmp_path)
    assert gone(int((tmp_path / "pid").read_text()))


def test_processes_that_were_there_before_are_left_alone(tmp_path):
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as earlier:
        assert run("", tmp_path, memory_mb=2000.0).status == "ok"
        assert earlier.poll() is None
        earlier.kill()


OWN = "taken = b'x' * (300 * 2**20); time.sleep(600)"
SHARED = "taken = mmap.mmap(-1, 300 * 2**20); [taken.write(b'x' * 2**20) for _ in range(300)]; time.sleep(600)"
TAKES = {"its own": f"import time; {OWN}", "shared": f"import mmap, time; {SHARED}"}


@pytest.mark.parametrize("whose", [*TAKES, "an orphan's"])
def test_memory_is_limited_by_what_is_touched(whose, tmp_path):
    code = TAKES.get(whose) or orphan(tmp_path / "pid", OWN) + "time.sleep(600)"
    outcome = run(code, tmp_path, memory_mb=200.0)
    assert outcome.status == "memory"
    assert "the limit is 200 MiB" in outcome.reason
    assert 200 <= float(outcome.reason.split()[1]) < 400  # 200.4 prints as 200


def test_mapped_files_are_not_counted(tmp_path, monkeypatch):
    big, mapped, seen = tmp_path / "big", tmp_path / "mapped", tmp_path / "seen"
    with big.open("wb") as stream:
        for _ in range(300):
            stream.write(b"x" * 2**20)
    measure = supervise.memory_used_mb

    def measured(processes):
        there = _written(mapped)
        used = measure(processes)
        if there:
            seen.write_text(str(used))
        return used

    monkeypatch.setattr(supervise, "memory_used_mb", measured)
    code = (
        "import os, time, numpy as np\n"
        f"print(np.memmap({str(big)!r}, mode='r').sum())\n"
        f"open({str(mapped)!r}, 'w').write('yes')\n"
        f"while not os.path.exists({str(seen)!r}): time.sleep(0.01)"
    )
    outcome = run(code, tmp_path, memory_mb=200.0)
    assert outcome.status == "ok"
    assert 0 < float(seen.read_text()) < 200


def supervisor(code, tmp_path):
    """Start a supervisor of some code in a process of its own."""
    outer = (
        "import os, sys; from pathlib import Path; from grambench.pipeline import supervise\n"
        f"supervise.run([sys.executable, '-c', {code!r}], seconds=600, memory_mb=1000, "
        f"errors=Path({str(tmp_path / 'output.txt')!r}), env=dict(os.environ))"
    )
    return subprocess.Popen([sys.executable, "-c", outer])


def test_nothing_survives_the_supervisor_being_stopped(tmp_path):
    process = supervisor(orphan(tmp_path / "orphan") + recorded(tmp_path / "pid") + "time.sleep(600)", tmp_path)
    pids = [written_pid(tmp_path / name) for name in ("orphan", "pid")]
    assert all(map(psutil.pid_exists, pids))
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 128 + signal.SIGTERM
    assert all(map(gone, pids))


def test_a_command_does_not_outlive_a_supervisor_that_it_kills(tmp_path):
    kills = "os.kill(os.getppid(), 9); time.sleep(600)"
    process = supervisor("import os, time\n" + recorded(tmp_path / "pid") + kills, tmp_path)
    pid = written_pid(tmp_path / "pid")
    assert process.wait(timeout=PATIENCE) == -signal.SIGKILL
    assert gone(pid)


def recorded(path):
    return f"open({str(path)!r}, 'w').write(str(os.getpid()))\n"


def _written(path):
    return path.is_file() and path.stat().st_size > 0


def test_a_process_that_the_system_refuses_is_asked_for_again(tmp_path, monkeypatch):
    start, refusals = supervise._start, [BlockingIOError()]

    def refused(*arguments):
        if refusals:
            raise refusals.pop()
        return start(*arguments)

    monkeypatch.setattr(supervise, "_start", refused)
    assert run("", tmp_path).status == "ok"
