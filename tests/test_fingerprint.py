"""A fingerprint changes with the code that a step runs, and with nothing else."""

import ast
import shutil

import pytest

from grambench import algorithms
from grambench.pipeline import fingerprint

FIT = ("grambench.pipeline.steps.run", "grambench.pipeline.steps.fit", "grambench.experiments.online")
RUN_DD = (*FIT, "grambench.algorithms.online.omkc_dd")
RUN_SD = (*FIT, "grambench.algorithms.online.omkc_sd")
GRAM = ("grambench.pipeline.steps.gram", "grambench.pipeline.steps.evaluate")


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
    for function in (fingerprint.code, fingerprint.source, fingerprint._module):
        function.cache_clear()


def hashes(*steps):
    _forget()
    return [fingerprint.code(*step) for step in steps]


def append(path, line):
    path.write_text(f"{path.read_text()}{line}\n")


def described_anew(tree):
    """Return a module with other words in all its docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body[0].value.value = "Other words."
    return tree


@pytest.mark.parametrize(
    ("edited", "same"), [("online/omkc_dd.py", [False, True, True]), ("hedge.py", [False, False, True])]
)
def test_a_file_changes_all_that_import_it_and_nothing_else(package, edited, same):
    before = hashes(RUN_DD, RUN_SD, GRAM)
    append(package / "algorithms" / edited, "MORE = 1")
    after = hashes(RUN_DD, RUN_SD, GRAM)
    assert [a == b for a, b in zip(before, after, strict=True)] == same


def test_comments_docstrings_and_layout_change_nothing(package):
    before = hashes(RUN_DD)
    path = package / "algorithms" / "online" / "omkc_dd.py"
    append(path, "# a remark")
    assert hashes(RUN_DD) == before
    path.write_text(ast.unparse(ast.parse(path.read_text())))  # no comments, and a layout of its own
    assert hashes(RUN_DD) == before
    path.write_text(ast.unparse(described_anew(ast.parse(path.read_text()))))
    assert "Other words." in path.read_text() and hashes(RUN_DD) == before


def test_the_text_of_code_is_the_same_under_all_versions_of_python():
    """`ast.unparse` and `ast.dump` of 3.11, 3.12 and 3.13 differ on it; this is what each of the three gives."""
    code = """def f(x, *, y=None):\n    return f"{x:{y}} {', '.join(map(str, x))!r}", [], -1.5e-3"""
    values = "FormattedValue(value=Name(id='x'),conversion=-1,format_spec=JoinedStr(values=[FormattedValue("
    values += "value=Name(id='y'),conversion=-1)])),Constant(value=' '),FormattedValue(value=Call(func=Attribute("
    values += "value=Constant(value=', '),attr='join'),args=[Call(func=Name(id='map'),args=[Name(id='str'),Name("
    values += "id='x')])]),conversion=114)"
    elements = f"[JoinedStr(values=[{values}]),List(),UnaryOp(op=USub(),operand=Constant(value=0.0015))]"
    arguments = "arguments(args=[arg(arg='x')],kwonlyargs=[arg(arg='y')],kw_defaults=[Constant()])"
    body = f"[FunctionDef(name='f',args={arguments},body=[Return(value=Tuple(elts={elements}))])]"
    assert fingerprint._text(ast.parse(code)) == f"Module(body={body})"


def test_closure_follows_imports_inside_the_package():
    found = fingerprint.closure(*RUN_DD)
    assert {
        "grambench.kernels.matrices",
        "grambench.experiments.online",
        "grambench.algorithms.hedge",
        "grambench.common.files",
    } <= found
    assert not found & {algorithms.module(name) for name in algorithms.names() if name != "omkc_dd"}
    assert not any(name.startswith(("grambench.cli", "grambench.commands")) for name in found)
    others = {f"grambench.experiments.{name}" for name in ("offline", "splits", "selection", "scaling", "profile")}
    assert not found & others, "a step names the experiment that it starts, and imports none"


def test_a_file_that_does_not_parse_has_a_hash_of_its_own(package):
    before = hashes(RUN_DD, RUN_SD)
    path = package / "algorithms" / "online" / "omkc_dd.py"
    for text in (b"def fit(:\n", b"def fit(::\n", b"\x00\xff"):
        path.write_bytes(text)
        after = hashes(RUN_DD, RUN_SD)
        assert after[1] == before[1] and after[0] != before[0]
        before = after


def test_relative_imports_are_followed(package):
    path = package / "algorithms" / "online" / "omkc_dd.py"
    text, found = path.read_text(), []
    assert "from grambench.algorithms.hedge import" in text
    for above, beside in (("grambench.algorithms.hedge", "grambench.algorithms.online"), ("..hedge", ".")):
        path.write_text(text.replace("grambench.algorithms.hedge", above) + f"from {beside} import om2\n")
        _forget()
        found.append(fingerprint.closure(*RUN_DD))
    assert found[0] == found[1]
    assert {"grambench.algorithms.hedge", "grambench.algorithms.online.om2"} <= found[1]
    path.write_text(text + "from ......nowhere import nothing\n")
    assert hashes(RUN_DD)
