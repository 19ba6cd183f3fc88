"""Compiled code is kept where only its user writes, and what is damaged there is compiled again."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from grambench.common import lazy_numba
from grambench.common.errors import ConfigError
from grambench.pipeline import compiled

PACKAGE = Path(lazy_numba.__file__).parent.parent
SOURCE = """
from numba import njit

@njit(cache=True)
def total(values):
    total = 0.0
    for value in values:
        total += value
    return total
"""
CALLS = """
import importlib
import sys
from pathlib import Path

import numpy as np

import mine

def call():
    importlib.reload(mine)  # a function that knows nothing yet, as in a new process
    assert mine.total(np.arange(4.0)) == 6.0
    return len(mine.total.stats.cache_hits)

def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]

DAMAGE = [lambda content: b"", lambda content: content[: len(content) // 2], flipped]
print(call(), call())
for suffix in ("nbi", "nbc"):
    for damage in DAMAGE:
        (path,) = Path(sys.argv[1]).rglob(f"*.{suffix}")
        path.write_bytes(damage(path.read_bytes()))
        print(call(), call())
"""
LAZY = """
from grambench.common.lazy_numba import njit

@njit(cache=True)
def square(value):
    return value * value

@njit(cache=True)
def twice_the_square(value):
    return 2.0 * square(value)
"""
OPERATION = """
from typing import NamedTuple

from grambench.common.lazy_numba import njit, operation

class Twice(NamedTuple):
    factor: float

    def applied(self, value):
        return 2.0 * self.factor * value

class Thrice(Twice):
    __slots__ = ()

    def applied(self, value):
        return 3.0 * self.factor * value

class Nothing(NamedTuple):
    factor: float

class Uncompiled:
    def applied(self, value):
        return value

@operation
def applied(function, value):
    return -1.0

@njit(cache=True)
def total(function, values):
    total = 0.0
    for value in values:
        total += applied(function, value)
    return total
"""
OPERATION_CALLS = """
import numpy as np
import methods

kinds = methods.Twice(0.5), methods.Thrice(0.5), methods.Nothing(0.5)
assert [methods.total(kind, np.arange(3.0)) for kind in kinds] == [3.0, 4.5, -3.0]
assert [methods.applied(kind, 2.0) for kind in (*kinds, methods.Uncompiled())] == [2.0, 3.0, -1.0, 2.0]
"""
LAZY_CALLS = """
import pickle
import sys

import lazy
from grambench.common import lazy_numba

assert pickle.loads(pickle.dumps(lazy.square)) is lazy.square
before = "numba" in sys.modules
assert lazy.twice_the_square(3.0) == 18.0 and lazy.square(value=2.0) == 4.0
print(before, "numba" in sys.modules)
lazy_numba.LONG, shown = 0.0, []
with lazy_numba.notice(shown.append):
    lazy.twice_the_square(3)
print(sorted(set(shown)))
"""


@pytest.fixture(autouse=True)
def caches(tmp_path, monkeypatch):
    """Let the project be a folder of the test; return where its compiled code lies."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setenv("NUMBA_CACHE_LOCATOR_CLASSES", "")
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".cache"


def test_damaged_code_is_compiled_again_and_kept(caches, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    Path("mine.py").write_text(SOURCE)
    compiled.use("state")
    command = [sys.executable, "-c", CALLS, str(caches)]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == ["0 1"] * 7  # compiled, found


@pytest.mark.parametrize("disabled", "01")
def test_numba_is_imported_at_the_first_call(caches, monkeypatch, disabled):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", disabled)
    Path("lazy.py").write_text(LAZY)
    compiled.use("state")
    for number in range(2):  # the second time from the folder of compiled code
        answer = subprocess.run([sys.executable, "-c", LAZY_CALLS], capture_output=True, text=True)
        first, shown = answer.stdout.splitlines()
        assert first == "False True", answer.stderr
        assert shown == (str(["", "compiling, once"]) if disabled == "0" and number == 0 else "[]")
    kept = sorted(path.name.split("-")[0] for path in caches.rglob("*.nbi"))
    assert kept == ([] if disabled == "1" else ["lazy.square", "lazy.square.inner", "lazy.twice_the_square"])


def test_code_is_compiled_again_if_a_module_with_compiled_code_changes(caches, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    shutil.copytree(PACKAGE, tmp_path / "src/grambench", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "src"))
    Path("lazy.py").write_text(LAZY)
    compiled.use("state")
    command = "import lazy; lazy.square(3.0); print(len(lazy.square._dispatcher.stats.cache_hits))"

    def found():
        return subprocess.run([sys.executable, "-c", command], capture_output=True, text=True).stdout.strip()

    assert [found(), found()] == ["0", "1"]
    os.utime(tmp_path / "src/grambench/algorithms/bounded.py", (0, 0))
    assert [found(), found()] == ["0", "1"]
    os.utime(tmp_path / "src/grambench/report/page.py", (0, 0))
    assert found() == "1"
    command = command.replace("lazy.square(3.0)", "lazy.square = lazy_numba.largest; lazy.square(numpy.ones(1))")
    command = command.replace("import lazy", "import lazy, numpy; from grambench.common import lazy_numba")
    assert found() == "0"
    monkeypatch.setenv("PYTHONPATH", str((tmp_path / "src").rename(tmp_path / "copy")))
    assert found() == "1", "another copy of the package"


@pytest.mark.parametrize("disabled", "01")
def test_an_operation_is_a_method_of_its_first_argument(caches, monkeypatch, disabled):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", disabled)
    Path("methods.py").write_text(OPERATION)
    compiled.use("state")
    for _ in range(2):  # the second time from the folder of compiled code
        answer = subprocess.run([sys.executable, "-c", OPERATION_CALLS], capture_output=True, text=True)
        assert answer.returncode == 0, answer.stderr
    assert len({path.name for path in caches.rglob("*.nbc")}) == (0 if disabled == "1" else 3)


def test_the_folder_is_the_users_alone(caches, monkeypatch):
    before = os.umask(0)
    try:
        compiled.use("state")
    finally:
        os.umask(before)
    own = caches / f"grambench-{os.getuid()}"
    assert Path(os.environ["NUMBA_CACHE_DIR"]) == own / "numba" / "state"
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    own.chmod(0o770)
    with pytest.raises(ConfigError, match=r"grambench-\d+: .* got drwxrwx--- of user \d+; remove it"):
        compiled.use("state")
    own.chmod(0o700)
    other = own.stat().st_uid + 1
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: other)
        own.with_name(f"grambench-{other}").mkdir(mode=0o700)
        with pytest.raises(ConfigError, match="expected a folder of yours"):
            compiled.use("state")
    own.rename(caches / "elsewhere")
    own.symlink_to(caches / "elsewhere")
    with pytest.raises(ConfigError, match="expected a folder of yours"):
        compiled.use("state")


def test_in_a_project_that_cannot_be_written_a_temporary_folder_is_taken(caches, tmp_path, monkeypatch):
    caches.write_text("no folder")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    compiled.use("state")
    compiled.use("state")
    own = tmp_path / f"grambench-{os.getuid()}"
    assert Path(os.environ["NUMBA_CACHE_DIR"]) == own / "numba" / "state"
    own.chmod(0o777)
    with pytest.raises(ConfigError, match="expected a folder of yours"):
        compiled.use("state")
