"""What may happen to a machine while it works: each test first shows that it did, then that nothing wrong is left."""

import errno
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import psutil
import pytest
from copies import NEW, Copy, flip_bit
from processes import until

from grambench.common import environment, files, layout, provenance
from grambench.common.errors import DataError
from grambench.datasets import collection, store, views
from grambench.experiments.outcome import GROUPS
from grambench.kernels import matrices
from grambench.kernels.functions import Kernel
from grambench.pipeline import status
from grambench.results import records

GRAM = "results/grams/sonar/gaussian_sigma8.h5"


@pytest.fixture(params=["gram", "large gram", "record", "data set", "features", "images"])
def written(request, tmp_path):
    """A file, and the function that reads it."""
    path = tmp_path / "file.h5"
    if "gram" in request.param:
        matrices.write_gram(path, np.eye(1100 if "large" in request.param else 40), Kernel("gaussian", 1.0))
        return path, matrices.open_matrix
    if request.param == "record":
        metrics = {"mistake_percent": np.arange(200.0).reshape(1, 200)}
        records.write(path, records.Record(study="s", dataset="d", algorithm="a", status="ok", metrics=metrics))
        return path, records.read
    if request.param == "features":
        store.write(
            path,
            views.DescribedImages("base", [f"{i}.jpg" for i in range(99)], {"rgb": np.arange(990.0).reshape(99, 10)}),
        )
        return path, views.read
    if request.param == "images":
        store.write(path, collection.Collection("base", ["a", "b"], np.zeros(2, dtype=bool), [bytes(4000)] * 2))
        return path, collection.read
    labels = np.array([-1, 1] * 20, dtype=np.int8)
    data = store.PreparedDataset(name="d", features=np.eye(40), labels=labels, orders=None, source={"kind": "none"})
    store.write(path, data)
    return path, store.read


@pytest.mark.parametrize("place", [0, 0.3, 0.5, 0.97, -3])
def test_a_flipped_bit_is_noticed_though_a_disk_changes_no_time(written, place):
    path, read = written
    read(path)
    state, content = path.stat(), path.read_bytes()
    flip_bit(path, int(place * len(content)) if place >= 0 else place)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert sum(a != b for a, b in zip(content, path.read_bytes(), strict=True)) == 1
    assert path.stat().st_mtime_ns == state.st_mtime_ns and path.stat().st_ino == state.st_ino
    remedy = f"make it again: grambench run, called as before, with -- -R {path}$"
    with pytest.raises(DataError, match=rf"file\.h5: .*{remedy}"):
        read(path)


@pytest.mark.parametrize("change", [-1, -40, -5000, files.SEAL.size])
def test_a_file_of_another_size_is_noticed(written, change):
    path, read = written
    size = path.stat().st_size
    os.truncate(path, size + change)
    assert path.stat().st_size == size + change
    with pytest.raises(DataError, match=r"file\.h5: .*(truncated|damaged)"):
        read(path)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
@pytest.mark.parametrize("place", ["file.h5", "table.csv", ".table.csv.seal"])
def test_nothing_but_a_regular_file_is_read(tmp_path, kind, place):
    """A pipe would be waited for, and a device read for ever."""
    files.write_text(tmp_path / "table.csv", "a\n1\n")
    path, read = tmp_path / place, tmp_path / place.removeprefix(".").removesuffix(".seal")
    path.unlink(missing_ok=True)
    {"pipe": os.mkfifo, "device": lambda path: path.symlink_to("/dev/zero"), "folder": os.mkdir}[kind](path)
    script = (
        "import sys; from pathlib import Path; from grambench.common import files; path = Path(sys.argv[1]);"
        "print(files.found_fault(path), files.identity_of(path))"
    )
    answer = subprocess.run([sys.executable, "-c", script, read], capture_output=True, text=True, timeout=100)
    assert answer.stdout.strip() == f"cannot be read (no regular file: {path})"


def test_a_full_disk_names_the_file_that_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    with pytest.raises(OSError, match="No space left") as caught:
        files.write_text(tmp_path / "table.h5", "content")
    assert caught.value.filename == str(tmp_path / "table.h5") and not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_names_the_file_and_no_temporary_one(tmp_path, monkeypatch):
    def refuse(*, dir, prefix, suffix):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), f"{dir}/{prefix}x{suffix}")

    monkeypatch.setattr(files.tempfile, "mkstemp", refuse)
    with pytest.raises(PermissionError) as caught:
        files.write_text(tmp_path / "table.tex", "content")
    assert caught.value.filename == str(tmp_path / "table.tex")


def test_a_file_is_on_disk_before_it_has_its_name(tmp_path, monkeypatch):
    """A power cut right after the rename would leave a name with nothing behind it."""
    done = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: done.append(os.fstat(descriptor).st_size))
    with files.sealed(tmp_path / "table.csv") as path:
        path.write_text("a,b\n")
    with files.sealed(tmp_path / "record.h5") as path:
        path.write_bytes(b"content")
    assert done == [files.SEAL.size, 4, 7 + files.SEAL.size]


def test_what_killed_processes_left_is_swept(tmp_path):
    """A process that is killed while it writes leaves its temporary file; finished ones and notes stay."""
    done = tmp_path / "grams" / "sonar" / "gaussian_sigma1e-05.h5"
    files.write_text(done, "whole")
    with files.sealed(done.with_name("cells.csv")) as path:
        path.write_text("sealed beside")
    kept = sorted(tmp_path.rglob("*"))
    script = (
        "import os, signal; from pathlib import Path; from grambench.common import files\n"
        f"with files.sealed(Path({str(done)!r})): os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == -signal.SIGKILL
    assert len(sorted(tmp_path.rglob("*"))) == len(kept) + 1
    files.sweep(tmp_path)
    assert sorted(tmp_path.rglob("*")) == kept


def test_a_gram_that_was_not_made_stands_for_the_runs_that_need_it(tmp_path):
    good, bad = tmp_path / "grams" / "good.h5", tmp_path / "grams" / "bad.h5"
    made = provenance.made_from("{}", "code", {})
    matrices.write_gram(good, np.eye(4), Kernel("gaussian", 1.0), identity=made)
    matrices.write_unavailable(bad, "timeout: ran for 1800 s, the limit", made)
    both = dict.fromkeys([str(good), str(bad)], provenance.asked("{}", "code"))
    runs = [status.FileStatus(f"{name}.h5", name, "error", "", both) for name in ("a", "b")]
    other = status.FileStatus("c.h5", "c", "error", "", {str(good): both[str(good)]})
    assert status.failed_targets([*runs, other]) == [str(bad), "c.h5"]
    stale = status.FileStatus("c.h5", "c", "error", "", {str(good): "of other settings"})
    assert status.failed_targets([stale]) == [str(good)]


def test_a_full_disk_leaves_no_gram(tmp_path):
    """A limit of the file's size acts as a full disk does: the bytes have no place."""
    n, limit = 1100, 4 * 2**20
    script = (
        "import resource, numpy as np; from pathlib import Path; from grambench.kernels import functions, matrices;"
        f"inner = np.eye({n});"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}));"
        f"matrices.write_gram(Path({str(tmp_path / 'gram.h5')!r}), inner, functions.Kernel('gaussian', 1.0))"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert answer.returncode == 1
    assert os.strerror(errno.EFBIG) in answer.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


WAIT = """import os, time
    while not os.path.exists({go!r}): time.sleep(0.01)"""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A copy with one data set and an algorithm that is done once there is a file `go`."""
    copy = Copy(
        tmp_path_factory.mktemp("small"),
        datasets=["sonar"],
        algorithms={"perceptron": {}, "slow": {"path": "../../slow.py"}},
        experts=None,
        published=None,
        sweeps={},
    )
    (copy.folder / "slow.py").write_text(NEW.format(body=WAIT.format(go=str(copy.folder / "go"))))
    copy.snakemake(*(layout.GRAM.format(dataset="sonar", kernel=k) for k in ("polynomial_p1", "gaussian_sigma0.5")))
    return copy


def make(copy, path):
    """Make a file of a copy unless an earlier test has left it."""
    if not (copy.folder / path).is_file():
        copy.snakemake(path)


@pytest.fixture
def go(small):
    """The file for which the slow algorithm waits; not there at first."""
    path = small.folder / "go"
    path.unlink(missing_ok=True)
    return path


def fits(copy):
    """Return the processes that fit something in a copy."""
    return [
        process
        for process in psutil.process_iter(["name", "cwd"])
        if process.info["name"] == "grambench-fit" and process.info["cwd"] == str(copy.folder)
    ]


SLOW = layout.RECORD.format(study="omkc", dataset="sonar", task="slow")
SNAKEMAKE, RUN = ("snakemake", "--cores", "2"), ("grambench.cli", "run", "-c", "2")


@pytest.mark.workflow
def test_a_killed_snakemake_leaves_no_run_behind_and_goes_on(small, go):
    killed = small.start(*SNAKEMAKE, SLOW)
    (fit,) = until(lambda: fits(small))
    half = small.folder / SLOW.replace("slow.h5", ".perceptron-abcd_123.h5")
    half.parent.mkdir(parents=True, exist_ok=True)
    half.write_text("half")
    killed.kill()
    assert killed.wait() == -signal.SIGKILL
    assert not (small.folder / SLOW).exists()
    until(lambda: not fit.is_running())  # its supervisor ends it: a second run of it may start now
    assert not fits(small)
    assert not (small.folder / SLOW).exists()
    said = small.snakemake(SLOW, expect=1)
    assert "--unlock" in said
    assert half.exists()
    small.snakemake("--unlock")
    go.touch()
    small.snakemake(SLOW)
    assert not half.exists()
    assert small.status("sonar", "slow").status == "ok"


def living(copy):
    """Return the processes that work in a copy."""
    return [each for each in psutil.process_iter(["cwd"]) if each.info["cwd"] == str(copy.folder)]


@pytest.mark.workflow
def test_a_command_that_is_told_to_end_ends_what_it_has_started(small, go):
    """Snakemake went on alone, and a terminal that was closed ended the runs of what nohup had started."""
    (small.folder / SLOW).unlink(missing_ok=True)

    def deaf():  # as nohup makes a program, and a shell a background job of a script
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    def hearing():  # whatever has started the tests
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    ways = ((signal.SIGTERM, ["-v"], deaf), (signal.SIGHUP, [], hearing), (signal.SIGINT, [], hearing))
    for number, arguments, before in ways:
        told = small.start(*RUN, *arguments, "--", SLOW, preexec_fn=before, start_new_session=True)
        (fit,) = until(lambda: fits(small))
        if before is deaf:
            os.killpg(told.pid, signal.SIGHUP)
            time.sleep(1.0)
            assert fit.is_running()
        told.send_signal(number)
        code, left = told.wait(), living(small)
        go.touch()  # what may be left ends
        assert (code, left) == (128 + number, [])
        assert "interrupted; results are kept" in told.stdout.read() and not fit.is_running()
        go.unlink()
        assert not (small.folder / SLOW).exists() and not list(small.folder.glob(".snakemake/locks/*"))


@pytest.mark.workflow
@pytest.mark.parametrize("arguments", [[], ["-v"]])
def test_a_command_that_is_killed_takes_snakemake_along(small, go, arguments):
    """It waited for its jobs, hours of them, and would not let another run into the folder."""
    (small.folder / SLOW).unlink(missing_ok=True)
    killed = small.start(*RUN, *arguments, "--", SLOW, start_new_session=True)
    until(lambda: fits(small))
    killed.kill()
    until(lambda: not living(small))
    assert not (small.folder / SLOW).exists() and not list(small.folder.glob(".snakemake/locks/*"))


@pytest.mark.workflow
def test_a_cell_is_run_again_beside_its_record(small, go):
    go.touch()
    path = small.folder / SLOW
    make(small, SLOW)
    make(small, GRAM)
    rerun = ("grambench.cli", "rerun", "omkc/sonar/slow")
    stored, times = (
        records.read(path),
        {each: each.stat().st_mtime_ns for each in (small.folder / "results").rglob("*")},
    )
    said = small.call(*rerun)
    count = sum(values.size for group in GROUPS for values in getattr(stored, group).values())
    seconds = stored.metrics["seconds"].size + stored.metrics["wall_seconds"].size
    assert said.startswith(f"omkc/sonar/slow: equal: {count - seconds} numbers of the record here; it took ")
    assert times == {each: each.stat().st_mtime_ns for each in (small.folder / "results").rglob("*")}

    metrics = stored.metrics | {"mistake_percent": stored.metrics["mistake_percent"] + [[0.0, 1.5]]}
    # numbers of AVX2 do not depend on the processor
    elsewhere = stored.provenance | {"processor": "Abacus"}
    records.write(path, replace(stored, provenance=elsewhere))
    if environment.instructions():
        assert "Abacus" not in small.call(*rerun)
    elsewhere["blas"] = "of fingers"
    changed = {"code": "1.2", "settings": stored.settings | {"seed": 1}, "provenance": elsewhere}
    records.write(path, replace(stored, metrics=metrics, **changed))
    said = small.call(*rerun, expect=1).splitlines()
    was, is_now = metrics["mistake_percent"].mean(), stored.metrics["mistake_percent"].mean()
    assert said[0].startswith("omkc/sonar/slow: different from the record here; it took ")
    assert said[-2].split() == ["mistake_percent", f"{was:.8g}", f"{is_now:.8g}", "1.5", "1", "of", "2"]
    equal = said[-1].removeprefix("  equal: ").split(", ")
    assert "support_vectors" in equal and not {"mistake_percent", "seconds", "rounds"} & {*equal}
    assert said[1:-3] == [
        "note: the stored record has different settings seed",
        f"note: the stored record names another processor (Abacus, here {stored.provenance['processor']}): last digits "
        "depend on it, and by them the steps of a solver and kernels with small weights",
        "note: other code or other packages wrote the stored record, those of revision "
        + stored.provenance["revision"],
    ]

    longer = stored.metrics | {"support_vectors": stored.metrics["support_vectors"] + 1.0}
    records.write(path, replace(stored, metrics=longer))
    said = small.call(*rerun, expect=1)
    assert said.startswith("omkc/sonar/slow: different from the record here, with equal mistake_percent; it took ")

    gram = small.folder / GRAM
    hidden = gram.rename(gram.with_suffix(".away"))
    said = small.call(*rerun, expect=2)
    advice = f"grambench run omkc -d sonar -- {GRAM}"
    assert said == f"grambench: {GRAM}: no such file, which the run needs; make it: {advice}\n"
    hidden.rename(gram)
    flip_bit(gram, 5000)
    said = small.call(*rerun, expect=1)
    assert "\n  stored ok\n  now    error: " in said and f"{GRAM}: damaged" in said
    assert "unknown record of results 'omkc/sonar/fast'" in small.call(*rerun[:2], "omkc/sonar/fast", expect=2)
    gram.unlink()
    path.unlink()


@pytest.mark.workflow
def test_a_damaged_gram_fails_its_runs_and_the_command_names_and_heals_it(small):
    """The command names the Gram matrix and not the runs that read it."""
    record = layout.RECORD.format(study="omkc", dataset="sonar", task="perceptron")
    make(small, GRAM)
    flip_bit(small.folder / GRAM, 5000)
    (small.folder / record).unlink(missing_ok=True)
    small.snakemake(record)
    failed = small.status("sonar", "perceptron")
    assert failed.status == "error" and f"{GRAM}: damaged, expected checksum" in failed.reason
    targets = small.call("grambench.cli", "failed").split()
    assert targets == [failed.reason.split(" -R ")[1]] == [GRAM]
    small.snakemake("-R", *targets, "--", record)
    assert small.status("sonar", "perceptron").status == "ok"


FUTURE = "expected a past time, got one 365 days ahead; set the clock right, or give such files the time of now: "


def set_back(folder):
    """Leave the files of results as a clock leaves them that is set back by a year."""
    for path in (folder / "results").rglob("*.h5"):
        os.utime(path, (time.time() + 365 * 86400,) * 2)


@pytest.mark.workflow
def test_a_clock_that_was_set_back_before_a_run_is_one_line(small, go):
    """Snakemake would fail whatever it makes, as older than what that is made from."""
    go.touch()
    make(small, GRAM)
    set_back(small.folder)
    for command in (SNAKEMAKE, RUN):
        said = small.call(*command, expect=2)
        (line,) = (line for line in said.splitlines() if line.startswith("grambench: "))
        assert FUTURE in line and said.endswith(f"{line}\n") and "rule" not in said
    subprocess.run(line.rpartition("now: ")[2], shell=True, check=True, cwd=small.folder)
    assert "Nothing to be done" in small.snakemake(GRAM)


@pytest.mark.workflow
def test_a_clock_that_is_set_back_during_a_run_ends_it_with_one_line(small, go):
    (small.folder / SLOW).unlink(missing_ok=True)
    run = small.start(*RUN, "--", SLOW)
    until(lambda: fits(small))
    set_back(small.folder)
    go.touch()
    said, _ = run.communicate()
    assert run.returncode == 2 and "clock skew" in said
    last = said.splitlines()[-1]
    assert last.startswith("grambench: results/") and FUTURE in last
    assert not (small.folder / SLOW).exists()
    subprocess.run(last.rpartition("now: ")[2], shell=True, check=True, cwd=small.folder)
    small.snakemake(SLOW)
    assert small.status("sonar", "slow").status == "ok"
