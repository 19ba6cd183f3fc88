"""Makes the tests independent of who runs them: AVX2 and one thread in linear algebra, compiled code of their own."""

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
from compiled_code import compiled_code

from grambench.common import environment

CONFIG = Path(__file__).parent.parent / "config"

os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled_code()))
# A shell starts commands in the background with interrupts ignored, and nohup with hangups, which all that tests end by
# these signals would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.update(environment.instructions())
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "docs")]


def pytest_collection_modifyitems(items):
    """Put tests that run snakemake first: a process that has none left takes over the last ones of another.

    Those of one file, which share a finished workflow, then stay together, and the longest tests are not the last.
    """
    items.sort(key=lambda item: not (item.get_closest_marker("workflow") or "finished" in item.fixturenames))


@pytest.fixture(scope="session")
def plan():
    """The plan of the repository's own settings; imported late, so that the lines above come first."""
    from grambench.config.load import read
    from grambench.pipeline.plan import Plan

    return Plan(read(CONFIG / "config.yaml"), CONFIG)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the repository's configuration and no results, which is the working folder."""
    shutil.copytree(CONFIG, tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def new_project(tmp_path, monkeypatch):
    """Make a new project the working folder; no mirror has its data."""
    from grambench import cli

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAMBENCH_MIRROR", raising=False)
    assert cli.main(["init", "mine"]) == 0
    monkeypatch.chdir("mine")
    Path(".cache").symlink_to(compiled_code())


@pytest.fixture
def call(capsys):
    """A function that calls a command, and returns its exit code, output and errors."""
    from grambench import cli

    return lambda *arguments: (cli.main(arguments), *capsys.readouterr())


@pytest.fixture(scope="session")
def compared(tmp_path_factory):
    """The published numbers of the small study beside its own."""
    import presentation

    from grambench.results import reproduction

    files = presentation.published(tmp_path_factory.mktemp("published"))
    return reproduction.table(presentation.results(), presentation.characteristics(), files)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the small study's report."""
    import made_report

    from grambench.common import layout

    root = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        made_report.make(root)
    return (root / layout.REPORT).parent


@pytest.fixture(scope="session")
def shared_servers():
    """Servers that have imported what steps need, for Linux; no test ends or changes them."""
    from processes import serving

    if sys.platform == "linux":
        with serving() as started:
            yield started
    else:
        yield [], ""


@pytest.fixture
def servers(shared_servers, monkeypatch):
    """The processes of the shared servers, which the runs of this test ask: most of a short run is its imports."""
    from grambench.pipeline import client

    processes, found_by = shared_servers
    monkeypatch.setenv(client.SERVER, found_by)
    return processes


@pytest.fixture(scope="session")
def reference(tmp_path_factory, shared_servers):
    """An archive of two configurations of the leaderboard on two data sets, made by runs."""
    import small_board

    from grambench.pipeline import client

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(client.SERVER, shared_servers[1])
        return small_board.make(tmp_path_factory.mktemp("reference"))
