"""A Gram matrix is made under the limits of a run; runs that need one that was not say why, and what to do."""

import json

import numpy as np
import pytest

from grambench.common.errors import DataError
from grambench.kernels import grams, matrices
from grambench.kernels.functions import Kernel
from grambench.pipeline.job import Job
from grambench.pipeline.steps import gram

ENDLESS = Kernel("unitpolynomial", 1e9)  # so many products of whole tiles
QUICK = Kernel("gaussian", 1.0)


@pytest.fixture
def make(tmp_path):
    """Return what makes the matrix of a kernel under limits, and returns its file."""
    matrices.write_inner(tmp_path / "inner.h5", np.eye(400), {})

    def made(kernel, seconds=3000.0, memory_mb=2000.0):
        spec = json.dumps({"family": kernel.family, "parameter": kernel.parameter})
        output = tmp_path / "grams" / "gram.h5"
        output.parent.mkdir()
        gram.main(Job(spec, "code", [output], [tmp_path / "inner.h5"], seconds=seconds, memory_mb=memory_mb))
        assert list(output.parent.iterdir()) == [output]
        return output

    return made


def test_within_its_limits(make):
    expected = grams.compute(np.eye(400), [QUICK])[0]
    assert np.array_equal(matrices.open_matrix(make(QUICK)), expected)


@pytest.mark.parametrize(
    ("kernel", "limits", "reason"),
    [
        (ENDLESS, {"seconds": 1.0}, "timeout: ran for 1 s, the limit"),
        (ENDLESS, {"memory_mb": 1.0}, r"memory: used \d+ MiB, the limit is 1 MiB"),
    ],
)
def test_beyond_its_limits(kernel, limits, reason, make):
    path = make(kernel, **limits)
    with pytest.raises(
        DataError,
        match=rf"holds no matrix \({reason}; make it again: grambench run, called as before, with -- -R {path}\)",
    ):
        matrices.open_matrix(path)


def test_what_the_machine_does_ends_the_job(make, tmp_path):
    (tmp_path / "inner.h5").write_bytes(b"damaged")
    with pytest.raises(
        SystemExit, match=r"^error: .*inner\.h5: truncated.* grambench run, called as before, with -- -R "
    ):
        make(QUICK)
    assert list((tmp_path / "grams").iterdir()) == []
