"""A supervised command ends in one of five ways, and nothing of it survives."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from grambench.pipeline import supervise


def run(code, tmp_path, seconds=30.0, memory_mb=2000.0):
    return supervise.run(
        [sys.executable, "-c", code],
        seconds=seconds,
        memory_mb=memory_mb,
        errors=tmp_path / "output.txt",
        env=dict(os.environ),
    )


def test_success(tmp_path):
    outcome = run("print('done')", tmp_path)
    assert (outcome.status, outcome.reason) == ("ok", "")
    assert supervise.tail(tmp_path / "output.txt", 1) == "done"


def test_exception_gives_its_last_line(tmp_path):
    outcome = run("raise ValueError('planted')", tmp_path)
    assert (outcome.status, outcome.reason) == ("error", "ValueError: planted")


def test_hang_is_stopped_with_its_children(tmp_path):
    pid_file = tmp_path / "pid"
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pid_file)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)"
    )
    outcome = run(code, tmp_path, seconds=2.0)
    assert outcome.status == "timeout"
    assert outcome.reason == "ran for 2 s, the limit"
    assert not _alive(int(pid_file.read_text()))


def test_memory_is_limited_by_what_is_touched(tmp_path):
    code = "import time\nblocks = []\nwhile True:\n    blocks.append(b'x' * 2**23)\n    time.sleep(0.01)"
    outcome = run(code, tmp_path, memory_mb=200.0)
    assert outcome.status == "memory"
    assert "the limit is 200 MiB" in outcome.reason
    assert 200 <= float(outcome.reason.split()[1]) < 600  # 200.4 prints as 200


def test_mapped_files_are_not_counted(tmp_path):
    big = tmp_path / "big"
    with big.open("wb") as stream:
        for _ in range(300):
            stream.write(b"x" * 2**20)
    code = f"import numpy as np, time\nprint(np.memmap({str(big)!r}, mode='r').sum())\ntime.sleep(0.3)"
    outcome = run(code, tmp_path, memory_mb=200.0)
    assert outcome.status == "ok"


def test_failed_allocation(tmp_path):
    outcome = run(f"raise SystemExit({supervise.OUT_OF_MEMORY})", tmp_path)
    assert outcome.status == "memory"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_signal_from_outside(tmp_path, number):
    outcome = run(f"import os; os.kill(os.getpid(), {int(number)})", tmp_path)
    assert (outcome.status, outcome.reason) == ("killed", f"ended by signal {number.name}")


def test_nothing_survives_the_supervisor_being_stopped(tmp_path):
    pid_file = tmp_path / "pid"
    inner = f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    outer = (
        "import os, sys; from pathlib import Path; from grambench.pipeline import supervise\n"
        f"supervise.run([sys.executable, '-c', {inner!r}], seconds=600, memory_mb=1000, "
        f"errors=Path({str(tmp_path / 'output.txt')!r}), env=dict(os.environ))"
    )
    process = subprocess.Popen([sys.executable, "-c", outer])
    deadline = time.monotonic() + 20
    while not (pid_file.is_file() and pid_file.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _alive(int(pid_file.read_text()))
    process.terminate()
    assert process.wait(timeout=20) == 128 + signal.SIGTERM
    assert not _alive(int(pid_file.read_text()))


def _alive(pid):
    for _ in range(40):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return False
        time.sleep(0.05)
    return True
