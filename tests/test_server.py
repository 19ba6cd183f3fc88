"""A step that a server has forked for ends as one in a process of its own does, and leaves nothing behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import numpy as np
import psutil
import pytest
from copies import flip_bit
from processes import PATIENCE, gone, has_ended, serving, until, written_pid
from specifications import make_run

from grambench.common import environment, provenance
from grambench.datasets import store
from grambench.kernels import grams, matrices
from grambench.kernels.functions import Kernel
from grambench.pipeline import client, fingerprint, server
from grambench.pipeline.job import Job
from grambench.results import records

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="servers are for Linux")
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
COMPILED = """

import numpy
from grambench.common.lazy_numba import njit

numpy.patched = True


@njit(cache=True)
def add_one(number):
    return number + 1
"""
HANG = "time.sleep(3000)"
KERNEL = "gaussian_sigma1"


@pytest.fixture
def own_servers(monkeypatch):
    """The process of the server of runs, of this test alone, which its clients ask."""
    with serving(server.SOCKETS[:1]) as (processes, found_by):
        monkeypatch.setenv(client.SERVER, found_by)
        yield processes


@pytest.fixture
def run(tmp_path):
    """Return what starts a run of an algorithm that does some work, through its client."""
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(40, 3)), np.where(np.arange(40) % 3, 1, -1).astype(np.int8)
    dataset = store.PreparedDataset(name="made", features=features, labels=labels, orders=None, source={"kind": "none"})
    store.write(tmp_path / "made.h5", dataset)
    matrices.write_gram(tmp_path / "gram.h5", grams.inner_products(features), Kernel.parse(KERNEL))

    def start(work="pass", file=tmp_path / "mine.py", planned=None):
        (tmp_path / "mine.py").write_text(ALGORITHM.format(work=planned or work))
        protocol = {"repetitions": 2, "checkpoints": 5}
        settings = make_run(str(file), "online", protocol=protocol, kernels=[KERNEL])
        # no hash of code, and nothing to compare with, unless a test asks for it
        code = fingerprint.run_code(settings) if planned else "code"
        (tmp_path / "mine.py").write_text(ALGORITHM.format(work=work))
        files = [Path("made.h5"), Path("gram.h5")]
        job = Job("", code, [Path("record.h5")], files, seconds=PATIENCE, memory_mb=4000.0)
        command = [*STEP, "run", *job.argv]
        process = subprocess.Popen(command, cwd=tmp_path, text=True, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(json.dumps(settings.to_dict()))
        process.stdin.close()
        process.stdin = None
        return process

    return start


def record(tmp_path):
    return records.read(tmp_path / "record.h5")


def fit_of(tmp_path):
    """Wait for a fit, and return its process."""
    return psutil.Process(written_pid(tmp_path / "fit.txt"))


def test_a_run_has_the_numbers_of_one_in_a_process_of_its_own(run, tmp_path, monkeypatch, request):
    assert run().wait() == 0
    alone = record(tmp_path)
    request.getfixturevalue("servers")
    assert run().wait() == 0
    forked = record(tmp_path)
    assert (alone.status, forked.status) == ("ok", "ok")
    np.testing.assert_array_equal(forked.metrics["mistake_percent"], alone.metrics["mistake_percent"])
    assert forked.identity == alone.identity
    processors = [provenance.rounding(each.provenance)[-1] for each in (alone, forked)]
    assert processors == [None if environment.instructions() else provenance.processor()] * 2


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_no_run_sees_what_another_one_has_imported(run, tmp_path, monkeypatch, request):
    """The algorithm is in the package itself: by their names its module and its compiled function are grambench's."""
    (tmp_path / "contributed.py").write_text(ALGORITHM.format(work="add_one(1)") + COMPILED)
    extend = f"import grambench.algorithms.online as package; package.__path__.append({str(tmp_path)!r})"
    (tmp_path / "sitecustomize.py").write_text(extend)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    request.getfixturevalue("own_servers")
    # the first run compiles the function, and the second one loads it
    for _ in range(2):
        assert run(file="grambench.algorithms.online.contributed").wait() == 0
        assert record(tmp_path).status == "ok", record(tmp_path).reason
    assert run("import numpy; Path('patched.txt').write_text(str(hasattr(numpy, 'patched')))").wait() == 0
    assert (tmp_path / "patched.txt").read_text() == "False"


def test_a_run_ends_as_an_interpreter_does(run, tmp_path, request):
    work = """import atexit, multiprocessing.util, threading, weakref
    def end_with_main_thread():
        threading.main_thread().join()
        Path("thread").touch()
    threading.Thread(target=end_with_main_thread).start()
    atexit.register(Path("handler").touch)
    multiprocessing.util.Finalize(None, Path("finalizer").touch, exitpriority=0)
    weakref.finalize(fit, Path("weak").touch)"""
    names = ("thread", "handler", "finalizer", "weak")
    for server_kind in ("none", "servers"):
        if server_kind == "servers":
            request.getfixturevalue(server_kind)
        assert run(work).wait() == 0
        assert [name for name in names if not (tmp_path / name).exists()] == []
        assert record(tmp_path).status == "ok"
        for name in names:
            (tmp_path / name).unlink()


def test_a_gram_matrix_is_checked_once_and_again_when_it_has_changed(servers, run, tmp_path):
    checked = Path(os.environ[client.SERVER].rpartition(os.pathsep)[0]) / server.CHECKED
    before = len(list(checked.iterdir()))
    for _ in range(2):
        assert run().wait() == 0
        assert len(list(checked.iterdir())) == before + 1
    flip_bit(tmp_path / "gram.h5")
    for _ in range(2):
        assert run().wait() == 0
        assert record(tmp_path).status == "error" and "expected checksum" in record(tmp_path).reason
    assert len(list(checked.iterdir())) == before + 1


@pytest.mark.parametrize(
    ("work", "status", "reason"),
    [
        ("raise SystemExit(3)", "error", "exit code 3"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "killed", "ended by signal SIGSEGV"),
    ],
)
def test_a_run_that_fails_leaves_a_record_that_says_how(servers, run, tmp_path, work, status, reason):
    assert run(work).wait() == 0
    assert (record(tmp_path).status, record(tmp_path).reason) == (status, reason)
    until(lambda: not psutil.Process(servers[0].pid).children())


def test_no_process_of_a_fit_is_left(servers, run, tmp_path):
    child = "subprocess.Popen(['sleep', '3000'], start_new_session=True).pid"
    assert run(f"Path('child.txt').write_text(str({child})); raise ValueError").wait() == 0
    assert not psutil.pid_exists(int((tmp_path / "child.txt").read_text()))


def test_an_error_of_a_step_is_its_message_alone(servers, tmp_path):
    command = [*STEP, "inner", *Job("", "code", [Path("out.h5")], [Path("none.h5")]).argv]
    step, alone = (
        subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, input="{}", env=os.environ | variables
        )
        for variables in ({}, {client.SERVER: ""})
    )
    assert step.returncode == alone.returncode == 1
    assert step.stderr.splitlines()[-1] == alone.stderr.splitlines()[-1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_the_end_of_a_client_is_that_of_its_step(servers, run, tmp_path, number):
    process = run(HANG)
    fit = fit_of(tmp_path)
    assert servers[0].pid in [parent.pid for parent in fit.parents()] and fit.name() == "grambench-fit"
    process.send_signal(number)
    assert process.wait() == (-number if number == signal.SIGKILL else 128 + number)
    assert gone(fit.pid)
    assert not (tmp_path / "record.h5").exists()


def test_a_supervisor_that_is_killed_ends_its_client_likewise(servers, run, tmp_path):
    process = run("os.kill(os.getppid(), signal.SIGKILL); " + HANG)
    assert process.wait() == -signal.SIGKILL
    assert gone(written_pid(tmp_path / "fit.txt"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_ends_takes_its_steps_along_and_their_clients_do_them(own_servers, run, tmp_path, number):
    server_is_above = f"{own_servers[0].pid} in [parent.pid for parent in psutil.Process().parents()]"
    process = run(f"import psutil; {server_is_above} and {HANG}")
    fit = fit_of(tmp_path)
    own_servers[0].send_signal(number)
    assert process.wait() == 0
    assert has_ended(fit.pid)
    assert record(tmp_path).status == "ok"
    assert run().wait() == 0
    assert record(tmp_path).status == "ok"


def test_a_client_that_is_told_to_end_with_its_server_does_not_go_on(own_servers, run, tmp_path):
    process = run(HANG)
    fit = fit_of(tmp_path)
    own_servers[0].send_signal(signal.SIGSTOP)
    process.terminate()
    until(lambda: process.poll() is not None or not signals_pending(process))
    own_servers[0].kill()
    assert process.wait() == -signal.SIGTERM
    assert gone(fit.pid) and not (tmp_path / "record.h5").exists()


def signals_pending(process):
    """Return whether a process has yet to see that it was told to end."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return any(line.startswith(("SigPnd", "ShdPnd")) and int(line.split()[1], 16) for line in lines)


def test_a_request_that_makes_no_sense_costs_nobody_else(servers, run, tmp_path):
    process = run(HANG)
    fit = fit_of(tmp_path)
    folder, _, _ = os.environ[client.SERVER].rpartition(os.pathsep)
    for content in (b"{", b"5", b"[]", b"\xff", None):
        with socket.socket(socket.AF_UNIX) as connection, tempfile.TemporaryFile() as request:
            connection.connect(f"{folder}/{client.SOCKETS[0]}")
            request.write(content or b"")
            request.flush()
            socket.send_fds(connection, [b"?"], [0, 1, 2, request.fileno()] if content else [])
            assert connection.recv(16) == b""
        assert servers[0].poll() is None and not has_ended(fit.pid), content
    process.terminate()
    assert process.wait() == 128 + signal.SIGTERM


REFUSALS = {
    "no process": "os.fork = lambda: (_ for _ in ()).throw(BlockingIOError)",
    "a thread": "threading.Thread(target=threading.Event().wait, daemon=True).start()",
    "another interpreter": None,
}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_client_that_is_refused_does_its_step_itself(run, tmp_path, monkeypatch, request, refusal):
    """The system has no process left for a server, a package has started a thread in it, or it has other packages."""
    if refusal == "another interpreter":
        servers = request.getfixturevalue("servers")
        monkeypatch.setenv(client.SERVER, os.environ[client.SERVER].replace(sys.executable, "/another/python"))
    else:
        only_servers = "if 'grambench.pipeline.server' in sys.orig_argv: "
        (tmp_path / "sitecustomize.py").write_text(f"import os, sys, threading\n{only_servers}{REFUSALS[refusal]}")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        servers = request.getfixturevalue("own_servers")
    process = run(HANG)
    assert servers[0].pid not in [parent.pid for parent in fit_of(tmp_path).parents()]
    assert servers[0].poll() is None
    process.terminate()
    assert process.wait() == 128 + signal.SIGTERM


def test_a_server_has_one_thread(servers, tmp_path):
    """The allocator of pyarrow, which this step imports, starts another one unless it is told not to."""
    subprocess.run([*STEP, "report"], cwd=tmp_path, capture_output=True, check=False, input=b"")
    assert psutil.Process(servers[1].pid).num_threads() == 1


def test_what_killed_servers_left_is_removed_by_the_next(monkeypatch, request):
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        left = Path(folder, f"{server.PREFIX}left")
        (left / server.CHECKED).mkdir(parents=True)
        request.getfixturevalue("own_servers")
        own = Path(os.environ[client.SERVER].rpartition(os.pathsep)[0])
        code = f"import tempfile; tempfile.tempdir = {folder!r}; from grambench.pipeline import server; server.start()"
        subprocess.run([sys.executable, "-c", code], check=True)
        assert own.exists() and not left.exists()
        for process in request.getfixturevalue("own_servers"):
            process.stdin.close()
            process.wait()


@pytest.mark.parametrize("kind", ["alone", "servers"])
def test_a_record_names_the_code_that_made_it(run, tmp_path, request, kind):
    if kind == "servers":
        request.getfixturevalue(kind)
    assert run("rng.random()", planned="pass").wait() == 0
    assert record(tmp_path).status == "error"
    assert f"{tmp_path / 'mine.py'}: was edited after this run was planned" in record(tmp_path).reason
    assert run("pass  # the same code", planned="pass").wait() == 0
    assert record(tmp_path).status == "ok"


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
        assert all(gone(process.pid) for process in [fit, *servers])
        until(lambda: not Path(os.environ[client.SERVER].partition(os.pathsep)[0]).exists())
    finally:
        workflow.kill()
        workflow.wait()
        del os.environ[client.SERVER]
