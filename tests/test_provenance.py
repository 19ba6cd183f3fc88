"""What a record says of the settings and the machine that it was made with."""

import subprocess
from pathlib import Path

import pytest

from grambench.common import provenance


def test_spec_is_canonical():
    assert provenance.spec({"b": 1, "a": [0.1]}) == '{"a":[0.1],"b":1}'
    with pytest.raises(ValueError, match="Out of range"):
        provenance.spec({"a": float("nan")})


TWO_CORES = """processor\t: 0
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC
flags\t\t: fpu vme

processor\t: 1
cpu family\t: 6
model\t\t: 1
model name\t: another
"""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (TWO_CORES, "AMD EPYC, family 25, model 17"),
        ("model name\t: Abacus\n", "Abacus"),
        ("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "arm64"),
        (None, "arm64"),
    ],
)
def test_a_processor_is_named_with_its_model(monkeypatch, tmp_path, text, name):
    """Virtual machines give several models one name; other systems and processors have no such file or lines."""
    info = tmp_path / "cpuinfo"
    if text is not None:
        info.write_text(text)
    monkeypatch.setattr(provenance, "Path", lambda path: info if path == "/proc/cpuinfo" else Path(path))
    monkeypatch.setattr(provenance.platform, "processor", lambda: "arm64")
    assert provenance.processor() == name


def test_a_revision_is_dirty_by_changes_outside_of_the_archive(tmp_path):
    """A maintainer archives a study, and then runs the next one of the same revision."""

    def git(*words):
        return subprocess.check_output(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, text=True
        )

    assert provenance.revision(tmp_path) == "unknown"
    git("init", "-q")
    files = [tmp_path / "src" / "code.py", tmp_path / "reference" / "omkc" / "about.json"]
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text("1")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    commit = git("rev-parse", "HEAD")[:12]
    assert provenance.revision(files[0].parent) == commit
    files[1].write_text("2")
    assert provenance.revision(files[0].parent) == commit
    files[0].write_text("2")
    assert provenance.revision(files[0].parent) == f"{commit}-dirty"


def test_last_bits_depend_on_the_processor_unless_avx2_is_the_limit():
    made = {"versions": {"numpy": "2"}, "blas": "openblas 3 Haswell", "platform": "Linux-6-x86_64-with-glibc2.36"}
    made["processor"] = "one"
    rounding = provenance.rounding
    assert rounding(made) == rounding(made | {"processor": "two", "platform": "Linux-5-x86_64-with-glibc2.36"})
    for name, other in [("platform", "Linux-6-x86_64-with-glibc2.9"), ("versions", {}), ("blas", "openblas 3")]:
        assert rounding(made) != rounding(made | {name: other})
    unlimited = made | {"blas": "openblas 3"}
    assert rounding(unlimited) != rounding(unlimited | {"processor": "two"})
