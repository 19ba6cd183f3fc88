"""What a step depends on, as two strings that Snakemake compares: its settings and the code it runs.

Snakemake sees neither an edit in an imported module nor a change of a default value. Every rule therefore carries
`spec`, the canonical JSON of its settings, and `code`, a hash over the syntax trees of the step's module and of
everything that module imports inside grambench, but for what only type checkers see. Comments, blank lines and
docstrings do not count as code, except in grambench.claims, where a docstring is the claim. The versions of the
packages that compute count too.

A module from outside (see `grambench.algorithms`) counts by its content, with what it imports of its own package; a
file that is called by its path has no package.
"""

import ast
import functools
import importlib.util
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from grambench.common.provenance import digest
from grambench.common.provenance import spec as spec

PACKAGE = Path(__file__).parent.parent
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
        Hexadecimal digits of the hash of the sources, a dot, and those of the hash of the packages' versions.
    """
    sources = "".join(name + _tokens(name) for name in sorted(closure(*modules)))
    return f"{digest(sources)}.{digest(' '.join(f'{name} {version(name)}' for name in NUMERICAL))[:8]}"


def closure(*modules: str) -> set[str]:
    """Return the names of `modules` and of all grambench modules reached from them by import statements."""
    reached: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(_imports(name))
    return reached


def source(module: str) -> Path | None:
    """Return the source file of a module; None where there is none."""
    if module.endswith(".py"):
        return Path(module)
    package, *parts = module.split(".")
    if package != PACKAGE.name:
        return _outside(module)
    plain = PACKAGE.joinpath(*parts).with_suffix(".py") if parts else PACKAGE / "__init__.py"
    if plain.is_file():
        return plain
    whole = PACKAGE.joinpath(*parts, "__init__.py")
    return whole if whole.is_file() else None


def _outside(module: str) -> Path | None:
    try:
        found = importlib.util.find_spec(module)
    except (Exception, SystemExit):  # the package that holds it is imported, which may raise anything
        return None
    return Path(found.origin) if found and found.origin and Path(found.origin).is_file() else None


@functools.cache
def _tree(module: str) -> ast.Module:
    path = source(module)
    if path is None:
        raise FileNotFoundError(f"no source file for module {module} below {PACKAGE}")
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except (SyntaxError, ValueError):  # the step that imports it says so; until it is mended its letters are its code
        return ast.Module([ast.Expr(ast.Constant(path.read_bytes()))], [])
    for node in ast.walk(tree) if not module.startswith("grambench.claims") else ():  # docstrings are prose
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:]
    return tree


@functools.cache
def _tokens(module: str) -> str:
    """Return the module as its syntax tree prints it: what the interpreter sees, without comments and layout."""
    return ast.unparse(_tree(module))


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module, without what only type checkers see."""
    if isinstance(tree, ast.If) and ast.unparse(tree.test) == "TYPE_CHECKING":
        return
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _run(child)


def _package(module: str, level: int) -> str:
    """Return the package that the dots of a relative import in `module` stand for; empty where there are none."""
    path, parts = source(module), module.split(".")
    up = level - (path is not None and path.name == "__init__.py")
    return ".".join(parts[: max(len(parts) - up, 0)]) if level else ""


@functools.cache
def _imports(module: str) -> frozenset[str]:
    """Return the modules of grambench and of its own package that `module` imports, and the packages that hold them."""
    found: set[str] = set()
    own = PACKAGE.name if module.endswith(".py") else module.partition(".")[0]
    for node in _run(_tree(module)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, [_package(module, node.level), node.module]))
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] in (PACKAGE.name, own):
                first = 2 if parts[0] == PACKAGE.name else 1  # our own package's file is empty but for its version
                prefixes = (".".join(parts[:length]) for length in range(first, len(parts) + 1))
                found.update(prefix for prefix in prefixes if source(prefix) is not None)
    return frozenset(found)
