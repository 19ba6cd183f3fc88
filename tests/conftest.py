"""Makes the tests independent of who runs them: single-threaded linear algebra, a cache of compiled code of its own."""

import os
import signal
import sys
from pathlib import Path

import pytest
from compiled_code import compiled_code

os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled_code()))
# A shell starts commands in the background with interrupts ignored, and nohup with hangups, which all that tests end by
# these signals would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "docs")]


@pytest.fixture(scope="session")
def plan():
    """The plan of the repository's own settings; imported late, so that the lines above come first."""
    from grambench.config.load import read
    from grambench.pipeline.plan import Plan

    config = Path(__file__).parent.parent / "config"
    return Plan(read(config / "config.yaml"), config)


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
