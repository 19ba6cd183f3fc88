"""A fingerprint changes with the code that a step runs, and with nothing else."""

import shutil

import pytest

from grambench import algorithms
from grambench.pipeline import fingerprint

RUN_DD = ("grambench.pipeline.steps.run", "grambench.pipeline.steps.fit_online", "grambench.algorithms.online.omkc_dd")
RUN_SD = ("grambench.pipeline.steps.run", "grambench.pipeline.steps.fit_online", "grambench.algorithms.online.omkc_sd")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package that can be edited."""
    copy = tmp_path / "grambench"
    shutil.copytree(fingerprint.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(fingerprint, "PACKAGE", copy)
    _forget()
    yield copy
    _forget()


def _forget():
    for function in (fingerprint.code, fingerprint._tree, fingerprint._tokens, fingerprint._imports):
        function.cache_clear()


def hashes(*steps):
    _forget()
    return [fingerprint.code(*step) for step in steps]


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_an_algorithm_changes_only_its_own_runs(package):
    before = hashes(RUN_DD, RUN_SD, ("grambench.pipeline.steps.gram",))
    edit(package / "algorithms" / "online" / "omkc_dd.py", "wrong[t], beta)", "wrong[t], beta * beta)")
    after = hashes(RUN_DD, RUN_SD, ("grambench.pipeline.steps.gram",))
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, True]


def test_a_shared_helper_changes_all_that_import_it(package):
    before = hashes(RUN_DD, RUN_SD, ("grambench.pipeline.steps.gram",))
    edit(package / "algorithms" / "hedge.py", "2.0**-500", "2.0**-400")
    assert [
        a == b for a, b in zip(before, hashes(RUN_DD, RUN_SD, ("grambench.pipeline.steps.gram",)), strict=True)
    ] == [
        False,
        False,
        True,
    ]


def test_comments_docstrings_and_layout_change_nothing(package):
    before = hashes(RUN_DD)
    path = package / "algorithms" / "online" / "omkc_dd.py"
    edit(path, "# line 5", "# the vote")
    edit(path, '"""OMKC(D,D): ', '"""OMKC(D,D), ')
    edit(path, "beta: float = 0.8", "beta: float = (\n        0.8\n    )")
    assert hashes(RUN_DD) == before


def test_a_new_file_changes_nothing(package):
    before = hashes(RUN_DD, ("grambench.pipeline.steps.collect",))
    (package / "algorithms" / "online" / "mine.py").write_text('"""Mine: new."""\n')
    assert hashes(RUN_DD, ("grambench.pipeline.steps.collect",)) == before


def test_closure_follows_imports_inside_the_package():
    found = fingerprint.closure(*RUN_DD)
    assert {
        "grambench.kernels.matrices",
        "grambench.experiments.online",
        "grambench.algorithms.hedge",
        "grambench.common.files",
    } <= found
    assert not found & {algorithms.module(name) for name in algorithms.names() if name != "omkc_dd"}
    assert "grambench.cli" not in found
    other_protocol = {
        "grambench.algorithms.kernel_fit",
        "grambench.pipeline.steps.fit_nested",
        "grambench.experiments.nested",
    }
    assert not found & other_protocol, "the registry names kernel_fit for type checkers only"


def test_spec_is_canonical():
    assert fingerprint.spec({"b": 1, "a": [0.1]}) == '{"a":[0.1],"b":1}'
    with pytest.raises(ValueError, match="Out of range"):
        fingerprint.spec({"a": float("nan")})
