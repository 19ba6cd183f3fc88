"""What a step depends on, as two strings that Snakemake compares: its settings and the code it runs.

Snakemake sees neither an edit in an imported module nor a change of a default value. Every rule therefore carries
`spec`, the canonical JSON of its settings, and `code`, a hash over the syntax trees of the step's module and of
everything that this module imports inside grambench. Comments, blank lines, what stands under `if TYPE_CHECKING`, and
docstrings do not count as code, except in grambench.claims, where a docstring is the claim. The versions of packages
that compute count too.

A run compares the hash of the code that it has imported with the one that it was planned with (`refuse_other_code`).

A module from outside (see `grambench.algorithms`) counts with what it imports of its own package; a file that is given
by its path has no package.
"""

import ast
import functools
import importlib.util
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from grambench import algorithms, experiments
from grambench.common.errors import DataError
from grambench.common.files import digest
from grambench.common.provenance import spec as spec
from grambench.common.shipped import PACKAGE
from grambench.experiments.run import Run
from grambench.kernels import continuous
from grambench.pipeline.client import HALVES
from grambench.pipeline.job import STEPS

# rule `run` and its supervised half
RUN = tuple(f"{STEPS}.{step}" for step in ("run", HALVES["run"]))
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
TYPES = "TYPE_CHECKING"
NO_CODE = ("ctx", "kind", "type_comment")  # fields of nodes that follow from others, or say nothing
NUMERICAL = ("numpy", "scipy", "numba", "scikit-learn", "pillow")


@functools.cache
def code(*modules: str) -> str:
    """Hash the code of `modules` and of all grambench modules that they import, directly or not.

    Parameters
    ----------
    *modules : str
        Dotted names such as "grambench.pipeline.steps.run", or paths that end in .py.

    Returns
    -------
    str
        Hexadecimal digits of the hash of the sources, a dot, and those of the hash of Python's and the packages'
        versions.
    """
    sources = "".join(name + _module(name).code for name in sorted(closure(*modules)))
    return f"{digest(sources)}.{_versions()}"


@functools.cache
def _versions() -> str:
    python = ".".join(platform.python_version_tuple()[:2])
    return digest(" ".join([python, *(f"{name} {version(name)}" for name in NUMERICAL)]))[:8]


def run_code(run: Run) -> str:
    """Return the code hash of a run."""
    return code(*_run_modules(run))


def _run_modules(run: Run) -> list[str]:
    """Return the modules of a run: its step, its experiment, its algorithms and its family of kernels."""
    families = [continuous.module(run.dictionary.family)] if run.dictionary else []
    return [*RUN, *sorted(map(algorithms.module, _algorithms(run))), *families, experiments.module(run.experiment)]


def _algorithms(run: Run) -> set[str]:
    """Return the algorithm of a run, the one that is trained on its best kernel, and that of its reference."""
    return {file for file in (run.file, run.then, run.reference and run.reference.file) if file}


def refuse_other_code(run: Run, expected: str) -> None:
    """Import the algorithms of a run; raise DataError if a file was edited after the run was planned.

    Nothing is compared with a hash under other versions of Python or packages.
    """
    for file in _algorithms(run):
        # a file that cannot be imported is an error of the run
        algorithms.fault(file)
    if expected.endswith(f".{_versions()}") and run_code(run) != expected:
        files = filter(None, map(source, closure(*_run_modules(run))))
        newest = max(files, key=lambda path: path.stat().st_mtime)
        remedy = "repeat it: grambench run, called as before, with -- -R $(grambench failed)"
        raise DataError(f"{newest}: was edited after this run was planned; {remedy}")


def closure(*modules: str) -> set[str]:
    """Return the names of `modules` and of all grambench modules reached from them by import statements."""
    reached: set[str] = set()
    queue = list(modules)
    while queue:
        name = queue.pop()
        if name not in reached:
            reached.add(name)
            queue.extend(_module(name).imports)
    return reached


@functools.cache
def source(module: str) -> Path | None:
    """Return the source file of a module; None if it has none."""
    if module.endswith(".py"):
        return Path(module)
    package, *parts = module.split(".")
    if package != PACKAGE.name:
        return _outside_source(module)
    candidates = (PACKAGE.joinpath(*parts).with_suffix(".py"), PACKAGE.joinpath(*parts, "__init__.py"))
    return next(filter(Path.is_file, candidates), None)


def _outside_source(module: str) -> Path | None:
    """Return the source file of a module outside grambench; None if it has none or cannot be imported."""
    try:
        module_spec = importlib.util.find_spec(module)
    # the package that contains the module is imported, and may raise anything
    except (Exception, SystemExit):
        return None
    path = Path(module_spec.origin) if module_spec and module_spec.origin else None
    return path if path and path.is_file() else None


class _Module(NamedTuple):
    """The code of a module without comments and layout, and the modules that `_imports` returns."""

    code: str
    imports: frozenset[str]


@functools.cache
def _module(name: str) -> _Module:
    # The syntax trees are not kept: the collection of garbage, which visits all that is kept, took longer than parsing.
    tree = _tree(name)
    return _Module(_text(tree), _imports(name, tree))


def _text(node: object) -> str:
    """Return a syntax tree as a text that is the same under all versions of Python.

    `ast.unparse` quotes strings inside of strings, and `ast.dump` shows empty fields, as the version does it.
    """
    if isinstance(node, list):
        return f"[{','.join([_text(item) for item in node])}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(node, ast.JoinedStr):
            # 3.12.1 leaves empty texts in it
            value = [part for part in node.values if not (isinstance(part, ast.Constant) and part.value == "")]
        if value is not None and value != [] and name not in NO_CODE:
            fields.append(f"{name}={_text(value)}")
    return f"{type(node).__name__}({','.join(fields)})"


def _tree(module: str) -> ast.Module:
    """Return the syntax tree of a module without what does not count: docstrings, and what is under TYPES."""
    path = source(module)
    if path is None:
        raise FileNotFoundError(f"no source file for module {module} below {PACKAGE}")
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    # the step that imports the module reports the error; until it is fixed, the text of the file is its code
    except (SyntaxError, ValueError):
        return ast.Module([ast.Expr(ast.Constant(path.read_bytes()))], [])
    # what is imported for types alone is not run
    tree.body = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == TYPES)]
    for node in _statements(tree) if not module.startswith("grambench.claims") else ():
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield a tree and the statements inside it; expressions, which are most of a tree, have none."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, ast.expr):
            yield from _statements(child)


def _package(module: str, level: int) -> str:
    """Return the package that the dots of a relative import in `module` denote; empty for an absolute import."""
    path, parts = source(module), module.split(".")
    up = level - (path is not None and path.name == "__init__.py")
    return ".".join(parts[: max(len(parts) - up, 0)]) if level else ""


def _imports(module: str, tree: ast.Module) -> frozenset[str]:
    """Return the modules of grambench and of its own package that `module` imports, and the packages that hold them."""
    imported: set[str] = set()
    package = PACKAGE.name if module.endswith(".py") else module.partition(".")[0]
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, [_package(module, node.level), node.module]))
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] in (PACKAGE.name, package):
                # grambench/__init__.py has no code
                shortest = 2 if parts[0] == PACKAGE.name else 1
                prefixes = (".".join(parts[:length]) for length in range(shortest, len(parts) + 1))
                imported.update(prefix for prefix in prefixes if source(prefix) is not None)
    return frozenset(imported)
