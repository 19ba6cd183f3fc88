"""The registry of algorithms: each file in one of its folders is an algorithm, named after the file.

A module in `online/`, `batch/`, `parametric/`, `baselines/` or `multiclass/` defines

- its docstring: the first line has the algorithm's title, up to the colon, and a summary; the idea follows, then the
  sections Formula, Notes (if needed), Complexity, Deviations and References, which its pages show;
- `Parameters`, a frozen dataclass that checks itself, defined in the file or imported;
- `fit`, a pure function with the arguments and the result described in `grambench.algorithms.fit`;
- `start`, if it can learn from features that approximate kernels, described in `grambench.algorithms.streaming`.

A new file is configurable, tested and listed without any other edit. The folders are categories only: every algorithm
runs under every protocol. No two files share a name.

A module outside of this package defines the same. Its name is its path, which ends in .py ("mine.py"), its dotted name
in an installed package ("package.module"), or the package's entry point of the group "grambench.algorithms".
`MANY_CLASSES = True` in such a module puts it on a par with the category `multiclass`. `NEEDS = "features"` or
`NEEDS = "family"` declares that an algorithm learns from feature vectors or from a continuous family of kernels, and a
study without them refuses it. `LEARNS_FROM_SUMS = True` declares that an algorithm needs no Gram matrices of single
kernels but `mixture` and `quadratic_forms` of the pool, and learns from kernels that are never stored.
`ZERO_IS_MISTAKE = True` declares that a score of exactly 0 counts as a mistake on both classes in the pass of an online
algorithm; without it, this score predicts +1. Passes over Gram matrices and streams count alike.
"""

import ast
import dataclasses
import functools
import hashlib
import importlib.util
import os
import re
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from grambench.common import settings as algorithm_settings
from grambench.common.errors import ConfigError, unknown_name
from grambench.common.registry import Registry

if TYPE_CHECKING:  # names and titles are read without NumPy, Numba and SciPy
    from collections.abc import Callable

    import numpy as np

    from grambench.algorithms.fit import Fit
    from grambench.algorithms.streaming import Basis, OnlineState

FOLDER = Path(__file__).parent
GROUP = "grambench.algorithms"  # of entry points
REGISTRY = Registry("algorithm", GROUP, FOLDER, ("online", "batch", "parametric", "baselines", "multiclass"))


@dataclasses.dataclass(frozen=True, slots=True)
class Algorithm:
    """One registered algorithm.

    Attributes
    ----------
    name : str
        The file's name.
    title : str
        The name in tables, the first line of the module's docstring up to the colon.
    parameters : type
        Its dataclass of parameters.
    fit : callable
        Its function, see `grambench.algorithms.fit`.
    start : callable or None
        Its function `start`, if it learns from features too; see `grambench.algorithms.streaming`.
    """

    name: str
    title: str
    parameters: Any
    fit: "Callable[..., Fit]"
    start: "Callable[[Any, Basis, np.random.Generator], OnlineState] | None" = None

    @property
    def shipped(self) -> bool:
        """Whether its function is of this package, whose tests fit it twice."""
        return getattr(self.fit, "__module__", "").startswith(f"{GROUP}.")


def names(category: str = "*") -> list[str]:
    """Return the names of all algorithms, entry points included, or of those in one category."""
    return sorted({*REGISTRY.names(), *installed()}) if category == "*" else REGISTRY.names(category)


@functools.cache
def installed() -> dict[str, str]:
    """Return the modules that installed packages offer, by name; a name of this package cannot be redefined."""
    return {point.name: point.value for point in entry_points(group=GROUP) if not category_of(point.name)}


def source(name: str) -> Path:
    """Return an algorithm's file; raise ConfigError for an unknown name or a missing file."""
    if category := category_of(name):
        return FOLDER / category / f"{name}.py"
    if name.endswith(".py"):
        if not (path := Path(name)).is_file():
            there = f"; for the one in this folder, a study would say {os.path.relpath(path.name, path.parent)}"
            hint = there if Path(path.name).is_file() else ""
            raise ConfigError(f"{name}: expected the file of an algorithm, there is none{hint}")
        return path
    if name not in installed() and "." not in name:
        raise unknown_name("algorithm", name, [*names(), *map(str, Path().glob(f"{name}.py"))])
    dotted = module(name)
    try:
        spec = importlib.util.find_spec(dotted)
    # The parent package is imported, which may raise anything.
    except (Exception, SystemExit) as error:
        raise ConfigError(f"{dotted}: expected an installed module, got {type(error).__name__}: {error}") from None
    if spec is None or not spec.origin or not Path(spec.origin).is_file():
        raise ConfigError(f"{dotted}: expected an installed module with a file, found none")
    return Path(spec.origin)


@functools.cache
def category_of(name: str) -> str:
    """Return the category of an algorithm of this package; empty for one from outside."""
    return REGISTRY.category(name) or ""


def module(name: str) -> str:
    """Return the dotted name of an algorithm's module, or its path; raise ConfigError for an unknown name."""
    if category_of(name):
        return REGISTRY.module(name)
    if name.endswith(".py") or name not in installed():
        return name if "." in name else str(source(name))
    return installed()[name]


def is_multiclass(name: str) -> bool:
    """Return whether an algorithm learns from class numbers; the others learn one-vs-rest."""
    return category_of(name) == "multiclass" or _declares(name, "MANY_CLASSES = True")


def needs(name: str) -> str:
    """Return what an algorithm needs besides kernels: "features", a continuous "family", or "" for nothing."""
    return next((need for need in ("features", "family") if _declares(name, f"NEEDS = {need!r}")), "")


def learns_from_features(name: str) -> bool:
    """Return whether an algorithm can learn from features that approximate kernels: whether its file has a `start`."""
    nodes = _parse(name).body
    functions = [node.name for node in nodes if isinstance(node, ast.FunctionDef)]
    assigned = [ast.unparse(target) for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    return "start" in functions + assigned


def learns_from_sums(name: str) -> bool:
    """Return whether an algorithm learns from kernels that are never stored; baselines do without kernels."""
    return category_of(name) == "baselines" or _declares(name, "LEARNS_FROM_SUMS = True")


def zero_is_mistake(name: str) -> bool:
    """Return whether a score of exactly 0 is a mistake on both classes in an algorithm's pass; else it predicts +1."""
    return _declares(name, "ZERO_IS_MISTAKE = True")


def _declares(name: str, statement: str) -> bool:
    """Return whether an algorithm's file contains a top-level assignment; the file is not imported."""
    return statement in _assignments(_parse(name))


@functools.cache
def _assignments(tree: ast.Module) -> frozenset[str]:
    return frozenset(ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign))


@functools.cache
def load(name: str) -> Algorithm:
    """Import one algorithm."""
    loaded = _import_module(name)
    for attribute, is_valid in (("Parameters", dataclasses.is_dataclass), ("fit", callable)):
        if not is_valid(getattr(loaded, attribute, None)):
            raise AttributeError(
                f"{source(name).name}: expected a dataclass `Parameters` and a function `fit`, no such {attribute}"
            )
    return Algorithm(name, title(name), loaded.Parameters, loaded.fit, getattr(loaded, "start", None))


def _import_module(name: str) -> ModuleType:
    path = source(name)
    try:
        return _import_file(name, path) if name.endswith(".py") else importlib.import_module(module(name))
    # A script that calls sys.exit would end this process.
    except SystemExit:
        raise ImportError(f"{path.name} ends Python when it is imported") from None


def _import_file(name: str, path: Path) -> ModuleType:
    # The hash keeps the module from hiding an installed one, or another file of the same name.
    dotted = f"grambench_file_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}_{path.stem}"
    if not (spec := importlib.util.spec_from_file_location(dotted, path)) or not spec.loader:
        raise ImportError(f"{path}: not a Python file")
    # Dataclasses look for their module in sys.modules.
    loaded = sys.modules[dotted] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(loaded)
    except BaseException:
        del sys.modules[dotted]
        raise
    return loaded


@functools.cache
def fault(name: str) -> str:
    """Return in one line why an algorithm's file cannot be imported; empty if it can."""
    return algorithm_settings.fault(lambda algorithm: load(algorithm).parameters.__dataclass_fields__, name)


def title(name: str) -> str:
    """Return an algorithm's name as tables print it, the first words of its file, without importing it."""
    return (docstring(name) or source(name).stem).splitlines()[0].split(":")[0]


def docstring(name: str) -> str:
    """Return the docstring of an algorithm's file; empty if it has none or cannot be parsed."""
    return _docstring(_parse(name))


def sections(name: str) -> dict[str, str]:
    """Return the text below each heading of an algorithm's docstring, under "Idea" that before the first heading.

    The first paragraph, which has the title, is left out.
    """
    text = docstring(name).partition("\n\n")[2]
    idea, *rest = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"Idea": idea.strip("\n")} | {
        heading: body.strip("\n") for heading, body in zip(rest[::2], rest[1::2], strict=True)
    }


def prose(name: str) -> str:
    """Return the docstrings of an algorithm's file and its classes; empty if the file cannot be parsed.

    Docstrings of parameters are inherited, so the modules of this package that the file imports from are included.
    """
    trees = {source(name): _parse(name)}
    unvisited = list(trees.values())
    while unvisited:
        for path in _package_imports(unvisited.pop()):
            if path not in trees:
                trees[path] = _tree(path, path.stat().st_mtime_ns)
                unvisited.append(trees[path])
    nodes: list[ast.Module | ast.ClassDef] = [*trees.values()]
    nodes += [node for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef)]
    return "\0".join(ast.get_docstring(node) or "" for node in nodes)


def _package_imports(tree: ast.Module) -> list[Path]:
    """Return the files of this package that a syntax tree imports from."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    dotted = [f"{node.module}.{alias.name}" for node in imports if node.module == GROUP for alias in node.names]
    dotted += [str(node.module) for node in imports]
    paths = [FOLDER / f"{name.removeprefix(f'{GROUP}.').replace('.', '/')}.py" for name in dotted]
    return [path for name, path in zip(dotted, paths, strict=True) if name.startswith(f"{GROUP}.") and path.is_file()]


def _parse(name: str) -> ast.Module:
    """Return the syntax tree of an algorithm's file; an empty one for a syntax error, which a run reports."""
    path = source(name)
    try:
        return _tree(path, path.stat().st_mtime_ns)
    except (SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])


@functools.cache
def _tree(path: Path, modified: int) -> ast.Module:
    """Return the syntax tree of a file, parsed once for each time at which it was modified."""
    return ast.parse(path.read_bytes())


@functools.cache
def _docstring(tree: ast.Module) -> str:
    # Reports ask for titles thousands of times.
    return ast.get_docstring(tree) or ""


def fields(name: str) -> list[str]:
    """Return the names of an algorithm's parameters; an empty list if its file cannot be imported."""
    return [] if fault(name) else list(load(name).parameters.__dataclass_fields__)


def parameters(name: str, settings: dict[str, Any]) -> Any:
    """Build an algorithm's parameters from a study's settings.

    Raises
    ------
    ConfigError
        For a parameter that does not exist or a value that is not allowed.
    """
    return algorithm_settings.build(name, load(name).parameters, settings)


def resolved(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return all parameters of an algorithm, defaults included, as plain values.

    If the file cannot be imported, the settings are returned unchecked; a run reports the reason.
    """
    if fault(name):
        return settings
    return dataclasses.asdict(parameters(name, settings))
