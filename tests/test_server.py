"""A step that a server has forked for ends as one in a process of its own does, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import psutil
import pytest
from specifications import make_run

from grambench.datasets import store
from grambench.kernels import grams, matrices
from grambench.kernels.functions import Kernel
from grambench.pipeline import client, server
from grambench.results import records

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="servers are for Linux")
PATIENCE = 300
STEP = [sys.executable, "-m", "grambench.pipeline.steps"]
ALGORITHM = """
'''Mine: the Perceptron, after it has named its process in a file and done what a test asks for.'''

import os
import signal
import subprocess
import time
from pathlib import Path

from grambench.algorithms.online import perceptron
from grambench.algorithms.online.perceptron import Parameters


def fit(parameters, pool, labels, *, order, rng):
    Path("part.txt").write_text(str(os.getpid()))
    Path("part.txt").rename("fit.txt")
    {work}
    return perceptron.fit(parameters, pool, labels, order=order, rng=rng)
"""
HANG = "time.sleep(3000)"
KERNEL = "gaussian_sigma1"


@pytest.fixture
def servers(monkeypatch):
    """Start servers in this process; return their processes."""
    monkeypatch.delenv(client.SERVER, raising=False)
    registered = []
    monkeypatch.setattr(server.atexit, "register", lambda *call: registered.append(call))
    server.start()
    ((stop, processes),) = registered
    folder = Path(os.environ[client.SERVER].rpartition(os.pathsep)[0])
    yield processes
    stop(processes)
    assert not folder.exists() or any(process.returncode for process in processes)
    os.environ.pop(client.SERVER, None)


@pytest.fixture
def run(tmp_path):
    """Return what starts a run of an algorithm that does some work, through its client."""
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(40, 3)), np.where(np.arange(40) % 3, 1, -1).astype(np.int8)
    dataset = store.PreparedDataset(name="made", features=features, labels=labels, orders=None, source={"kind": "none"})
    store.write(tmp_path / "made.h5", dataset)
    matrices.write_gram(tmp_path / "gram.h5", grams.inner_products(features), Kernel.parse(KERNEL))

    def start(work="pass", seconds=PATIENCE, memory_mb=4000.0):
        (tmp_path / "mine.py").write_text(ALGORITHM.format(work=work))
        protocol = {"repetitions": 2, "checkpoints": 5}
        settings = make_run(str(tmp_path / "mine.py"), "online", protocol=protocol, kernels=[KERNEL])
        limits = ["--seconds", str(seconds), "--memory-mb", str(memory_mb)]
        command = [*STEP, "run", "/dev/stdin", "code", "record.h5", *limits, "made.h5", "gram.h5"]
        process = subprocess.Popen(command, cwd=tmp_path, text=True, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(json.dumps(settings.to_dict()))
        process.stdin.close()
        process.stdin = None
        return process

    return start


def record(tmp_path):
    return records.read(tmp_path / "record.h5")


def until(find):
    deadline = time.monotonic() + PATIENCE
    while not (result := find()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert result
    return result


def fit_of(tmp_path):
    """Wait for a fit, and return its process."""
    note = tmp_path / "fit.txt"
    return psutil.Process(int(until(lambda: note.exists() and note.read_text())))


def has_ended(process):
    """Return whether a process has ended; a zombie has."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # it ended between the two questions
        return True


def gone(process):
    """Wait until a process has ended."""
    return until(lambda: has_ended(process))


def test_a_run_has_the_numbers_of_one_in_a_process_of_its_own(run, tmp_path, monkeypatch, request):
    assert run().wait() == 0
    alone = record(tmp_path)
    request.getfixturevalue("servers")
    assert run().wait() == 0
    forked = record(tmp_path)
    assert (alone.status, forked.status) == ("ok", "ok")
    np.testing.assert_array_equal(forked.metrics["mistake_percent"], alone.metrics["mistake_percent"])
    assert forked.identity == alone.identity


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_what_a_run_has_loaded_is_there_in_later_runs(servers, run, tmp_path):
    count = "str(len(scores._play_rounds._dispatcher.signatures))"
    work = "from grambench.algorithms import scores; "
    work += f"Path('loaded.txt').exists() or Path('loaded.txt').write_text({count})"
    counts = []
    # the first one may have to compile the function, and the second one then loads it
    for _ in range(3):
        assert run(work).wait() == 0
        counts.append(int((tmp_path / "loaded.txt").read_text()))
        (tmp_path / "loaded.txt").unlink()
    assert counts[0] == 0 < counts[2]


def test_servers_do_the_work(servers, run, tmp_path):
    process = run(HANG)
    fit = fit_of(tmp_path)
    assert servers[0].pid in [parent.pid for parent in fit.parents()]
    assert fit.name() == "grambench-fit"
    process.terminate()
    assert process.wait() == 128 + signal.SIGTERM
    assert gone(fit)


def test_a_gram_matrix_is_checked_once_and_again_when_it_has_changed(servers, run, tmp_path):
    checked = Path(os.environ[client.SERVER].rpartition(os.pathsep)[0]) / server.CHECKED
    for _ in range(2):
        assert run().wait() == 0
        assert len(list(checked.iterdir())) == 1
    gram = tmp_path / "gram.h5"
    content = bytearray(gram.read_bytes())
    content[len(content) // 2] ^= 1
    with gram.open("r+b") as file:
        file.write(content)
    for _ in range(2):
        assert run().wait() == 0
        assert record(tmp_path).status == "error" and "expected checksum" in record(tmp_path).reason
    assert len(list(checked.iterdir())) == 1


@pytest.mark.parametrize(
    ("work", "limits", "status", "reason"),
    [
        ("raise ValueError('planted')", {}, "error", "ValueError: planted"),
        ("raise SystemExit(3)", {}, "error", "exit code 3"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", {}, "killed", "ended by signal SIGSEGV"),
        (HANG, {"seconds": 3}, "timeout", "ran for 3 s, the limit"),
        ("hoard = bytearray(2**30); time.sleep(3000)", {"memory_mb": 900}, "memory", "the limit is 900 MiB"),
    ],
)
def test_a_run_that_fails_leaves_a_record_that_says_how(servers, run, tmp_path, work, limits, status, reason):
    assert run(work, **limits).wait() == 0
    assert record(tmp_path).status == status
    assert reason in record(tmp_path).reason
    assert not psutil.Process(servers[0].pid).children()


def test_no_process_of_a_fit_is_left(servers, run, tmp_path):
    child = "subprocess.Popen(['sleep', '3000'], start_new_session=True).pid"
    assert run(f"Path('child.txt').write_text(str({child})); raise ValueError").wait() == 0
    assert not psutil.pid_exists(int((tmp_path / "child.txt").read_text()))


def test_an_error_of_a_step_is_its_message_alone(servers, tmp_path):
    step = subprocess.run(
        [*STEP, "join", "out.h5", "none.h5"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    alone = subprocess.run(
        [*STEP, "join", "out.h5", "none.h5"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {client.SERVER: ""},
    )  # fmt: skip
    assert step.returncode == alone.returncode == 1
    assert step.stderr.splitlines()[-1] == alone.stderr.splitlines()[-1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_the_end_of_a_client_is_that_of_its_step(servers, run, tmp_path, number):
    process = run(HANG)
    fit = fit_of(tmp_path)
    process.send_signal(number)
    assert process.wait() == (-number if number == signal.SIGKILL else 128 + number)
    assert gone(fit)
    assert not (tmp_path / "record.h5").exists()


def test_a_supervisor_that_is_killed_ends_its_client_likewise(servers, run, tmp_path):
    process = run("os.kill(os.getppid(), signal.SIGKILL); " + HANG)
    assert process.wait() == -signal.SIGKILL
    until(lambda: not psutil.pid_exists(int((tmp_path / "fit.txt").read_text())))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_ends_takes_its_steps_along_and_the_next_step_does_itself(servers, run, tmp_path, number):
    process = run(HANG)
    fit = fit_of(tmp_path)
    servers[0].send_signal(number)
    assert process.wait() == -signal.SIGKILL
    assert gone(fit)
    assert run().wait() == 0
    assert record(tmp_path).status == "ok"


def test_another_interpreter_is_not_served(servers, run, tmp_path):
    folder, _, _ = os.environ[client.SERVER].rpartition(os.pathsep)
    os.environ[client.SERVER] = f"{folder}{os.pathsep}/another/python"
    process = run(HANG)
    assert servers[0].pid not in [parent.pid for parent in fit_of(tmp_path).parents()]
    process.terminate()
    process.wait()


def test_a_job_of_a_cluster_has_servers_of_its_own(servers):
    code = "from grambench.pipeline import server; import os; server.start(); "
    code += f"print(os.environ['{client.SERVER}'])"
    own = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert own and own != os.environ[client.SERVER]


def test_forks_do_not_share_random_numbers(servers, run, tmp_path):
    draws = set()
    for _ in range(2):
        assert run("import numpy; Path('draw.txt').write_text(str(numpy.random.rand()))").wait() == 0
        draws.add((tmp_path / "draw.txt").read_text())
    assert len(draws) == 2


def test_the_end_of_the_workflow_is_that_of_servers_and_steps(run, tmp_path):
    code = "from grambench.pipeline import server; import os, sys, time; server.start(); "
    code += f"print(os.environ['{client.SERVER}'], flush=True); time.sleep(3000)"
    workflow = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    os.environ[client.SERVER] = workflow.stdout.readline().strip()
    try:
        servers = psutil.Process(workflow.pid).children()
        process = run(HANG)
        fit = fit_of(tmp_path)
        workflow.kill()
        # the server sends SIGTERM, or the supervisor notices by itself that the workflow is gone
        assert process.wait() in {128 + signal.SIGTERM, 128 + signal.SIGHUP}
        assert all(map(gone, [fit, *servers]))
        until(lambda: not Path(os.environ[client.SERVER].partition(os.pathsep)[0]).exists())
    finally:
        workflow.kill()
        workflow.wait()
        del os.environ[client.SERVER]
