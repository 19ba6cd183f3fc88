"""The variables with which records have the same numbers on every x86-64 processor that has AVX2."""

import json
import os
import subprocess
import sys

import pytest

from grambench.common import environment

FLAGS = "processor\t: 0\nflags\t\t: fpu {}\n\nprocessor\t: 1\nflags\t\t: fpu\n"
SELECTED = """
import json, numpy, scipy.linalg
from numpy._core._multiarray_umath import __cpu_features__
from threadpoolctl import threadpool_info
libraries = [(each["architecture"], each["num_threads"]) for each in threadpool_info() if each["user_api"] == "blas"]
print(json.dumps([libraries, [name for name, has in __cpu_features__.items() if has]]))
"""


@pytest.mark.parametrize(
    ("text", "limited"),
    [
        (FLAGS.format("fma avx2 avx512f"), True),
        (FLAGS.format("fma avx2"), True),
        (FLAGS.format("fma avx"), False),
        ("Features\t: fp asimd\n", False),
        (None, False),
    ],
)
def test_a_processor_with_avx2_uses_no_more(tmp_path, text, limited):
    """Processors without it, or of other kinds, are left to the libraries, as where no file tells."""
    info = tmp_path / "cpuinfo"
    if text is not None:
        info.write_text(text)
    assert environment.instructions(info) == (environment.AVX2 if limited else {})


@pytest.mark.skipif(not environment.instructions(), reason="the processor has no AVX2")
def test_libraries_of_runs_add_with_avx2_in_one_thread():
    """The variables have an effect on the installed NumPy and SciPy; warnings, of names that one lacks, are none."""
    command = [sys.executable, "-c", SELECTED]
    done = subprocess.run(command, env=os.environ | environment.COMPUTING, capture_output=True, text=True, check=True)
    libraries, features = json.loads(done.stdout)
    assert libraries and {tuple(each) for each in libraries} == {("Haswell", 1)}
    assert {"AVX2", "FMA3"} <= set(features) and not {"X86_V4", "AVX512_SKX", "AVX512_ICL"} & set(features)
    assert not done.stderr
