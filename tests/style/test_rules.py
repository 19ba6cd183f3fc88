"""Rules of the code that are easier to break than to remember."""

import ast
from pathlib import Path

import pytest

from grambench import algorithms
from grambench.pipeline import fingerprint

SOURCE = Path(fingerprint.PACKAGE)
FILES = sorted(SOURCE.rglob("*.py"))


def calls(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def test_there_is_something_to_check():
    assert len(FILES) > 30
    assert len(algorithms.names("online")) >= 8
    # a name alone says which algorithm is meant
    assert len(algorithms.names()) == len(set(algorithms.names()))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_fastmath_no_print_no_dynamic_import_no_global_random(path):
    for name, node in calls(path):
        assert not any(keyword.arg == "fastmath" for keyword in node.keywords), "fastmath changes results"
        assert name != "print" or path.parent.name == "commands" or path.name == "cli.py", (
            "the library logs, the command prints"
        )
        registries = ("algorithms", "claims", "experiments")
        allowed = path in [
            SOURCE / "common/registry.py",
            SOURCE / "config/shown.py",
            *(SOURCE / each / "__init__.py" for each in registries),
        ]
        assert name not in ("importlib.import_module", "__import__") or allowed, "only the registries import by name"
        assert name not in ("eval", "exec"), "configuration is data"
        seeded = ("np.random.default_rng", "np.random.SeedSequence")
        assert not name.startswith("np.random.") or name.startswith(seeded), "randomness is passed in"


def test_algorithms_share_no_state():
    for name in algorithms.names():
        tree = ast.parse(algorithms.source(name).read_text())
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal)]


def test_compiled_code_says_why():
    """One whole-line comment in 25 lines of compiled code at least, and no function of 60 lines below its docstring."""
    code = comments = 0
    for path in FILES:
        if path.relative_to(SOURCE).parts[0] not in ("algorithms", "kernels", "solvers", "features"):
            continue
        text = path.read_text()
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.FunctionDef):
                continue
            body = node.body[ast.get_docstring(node) is not None :]
            assert not body or node.end_lineno - body[0].lineno < 60, f"{path}: {node.name}"
            if any("njit" in ast.unparse(each) for each in node.decorator_list):
                lines = [line.strip() for line in text.splitlines()[body[0].lineno - 1 : node.end_lineno]]
                comments += sum(line.startswith("#") for line in lines)
                code += sum(bool(line) and not line.startswith("#") for line in lines)
    assert code > 500
    assert 25 * comments >= code, f"{comments} comments in {code} lines"
