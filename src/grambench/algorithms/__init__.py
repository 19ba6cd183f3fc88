"""The registry of algorithms: one file in one of its folders is one algorithm, under the file's name.

A module in `online/`, `batch/`, `parametric/`, `baselines/` or `multiclass/` defines

- its docstring: paper, algorithm number, every deviation; the first line is the algorithm's title;
- `Parameters`, a frozen dataclass that checks itself;
- `fit`, a pure function that takes and returns what `grambench.algorithms.fit` says.

Nothing else has to be edited for a new file to be configurable, tested and listed. The folders are categories: every
algorithm runs under every protocol. No two files share a name.

A module from outside defines the same, and is called by its place: a file by its path, which ends in .py
("mine.py"), a module of an installed package by its dotted name ("package.module"), or by the name that the package
gives it as an entry point of the group "grambench.algorithms". `MANY_CLASSES = True` in it says what the category
`multiclass` says of ours. `NEEDS = "features"` or `NEEDS = "family"` says that an algorithm learns from feature vectors
or from a continuous family of kernels; a study without them refuses it.
"""

import ast
import dataclasses
import functools
import hashlib
import importlib.util
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from grambench.common import settings as settings_of
from grambench.common.errors import ConfigError, unknown_name
from grambench.common.registry import Registry

if TYPE_CHECKING:  # names and titles are read without NumPy, Numba and SciPy
    import numpy as np

    from grambench.algorithms.fit import Fit
    from grambench.common.types import Labels, Order
    from grambench.kernels.pool import Pool

FOLDER = Path(__file__).parent
GROUP = "grambench.algorithms"  # of entry points
REGISTRY = Registry("algorithm", GROUP, FOLDER, ("online", "batch", "parametric", "baselines", "multiclass"))


class FitFunction(Protocol):
    """The signature of every `fit`; see grambench.algorithms.fit."""

    def __call__(
        self, parameters: Any, pool: "Pool", labels: "Labels", *, order: "Order", rng: "np.random.Generator"
    ) -> "Fit":
        """Learn from the n examples of the pool."""


class ParameterClass(Protocol):
    """A dataclass of parameters, built from keywords."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __call__(self, **settings: Any) -> Any:
        """Check and build."""


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
        Its function.
    """

    name: str
    title: str
    parameters: ParameterClass
    fit: FitFunction


def names(category: str = "*") -> list[str]:
    """Return the names of all algorithms, those of entry points too, or of those on one category."""
    return sorted({*REGISTRY.names(), *installed()}) if category == "*" else REGISTRY.names(category)


@functools.cache
def installed() -> dict[str, str]:
    """Return the modules that installed packages offer, by name; our own names are not theirs to give."""
    return {point.name: point.value for point in entry_points(group=GROUP) if not category_of(point.name)}


def source(name: str) -> Path:
    """Return an algorithm's file; raise ConfigError for an unknown name, and where there is no file."""
    if category := category_of(name):
        return FOLDER / category / f"{name}.py"
    if name.endswith(".py"):
        if not (path := Path(name)).is_file():
            raise ConfigError(f"{name}: expected the file of an algorithm, there is none")
        return path
    if name not in installed() and "." not in name:
        raise unknown_name("algorithm", name, names())
    dotted = module(name)
    try:
        found = importlib.util.find_spec(dotted)
    except (Exception, SystemExit) as error:  # the package that holds it is imported, which may raise anything
        raise ConfigError(f"{dotted}: expected an installed module, got {type(error).__name__}: {error}") from None
    if found is None or not found.origin or not Path(found.origin).is_file():
        raise ConfigError(f"{dotted}: expected an installed module with a file, found none")
    return Path(found.origin)


def category_of(name: str) -> str:
    """Return the category of one of our own algorithms, empty for one from outside."""
    return REGISTRY.category(name) or ""


def module(name: str) -> str:
    """Return the dotted name of an algorithm's module, or its path; raise ConfigError for an unknown name."""
    if category_of(name):
        return REGISTRY.module(name)
    if name.endswith(".py") or name not in installed():
        return name if "." in name else str(source(name))
    return installed()[name]


def is_multiclass(name: str) -> bool:
    """Return whether labels are class numbers to an algorithm; others learn one-vs-rest."""
    if category := category_of(name):
        return category == "multiclass"
    return _declares(name, "MANY_CLASSES = True")


def needs(name: str) -> str:
    """Return what an algorithm learns from besides kernels: "features", a continuous "family", or "" for nothing."""
    return next((need for need in ("features", "family") if _declares(name, f"NEEDS = {need!r}")), "")


def _declares(name: str, statement: str) -> bool:
    """Return whether a statement stands in an algorithm's file, which is read without importing it."""
    return any(ast.unparse(node) == statement for node in getattr(_tree(name), "body", []))


@functools.cache
def load(name: str) -> Algorithm:
    """Import one algorithm."""
    found = _imported(name)
    for what, there in (("Parameters", dataclasses.is_dataclass), ("fit", callable)):
        if not there(getattr(found, what, None)):
            raise AttributeError(
                f"{source(name).name}: expected a dataclass `Parameters` and a function `fit`, no such {what}"
            )
    return Algorithm(name, title(name), found.Parameters, found.fit)


def _imported(name: str) -> ModuleType:
    path = source(name)
    try:
        return _imported_file(name, path) if name.endswith(".py") else importlib.import_module(module(name))
    except SystemExit:  # a script, whose end would be taken for ours
        raise ImportError(f"{path.name} ends Python when it is imported") from None


def _imported_file(name: str, path: Path) -> ModuleType:
    # a name of its own, so that it hides no module, nor another file of the same name
    dotted = f"grambench_file_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}_{path.stem}"
    if not (spec := importlib.util.spec_from_file_location(dotted, path)) or not spec.loader:
        raise ImportError(f"{path}: not a Python file")
    found = sys.modules[dotted] = importlib.util.module_from_spec(spec)  # where dataclasses look for their module
    try:
        spec.loader.exec_module(found)
    except BaseException:
        del sys.modules[dotted]
        raise
    return found


@functools.cache
def fault(name: str) -> str:
    """Return why an algorithm's file cannot be imported, in one line; empty where it can."""
    return settings_of.fault(lambda each: load(each).parameters.__dataclass_fields__, name)


def title(name: str) -> str:
    """Return an algorithm's name as tables print it, the first words of its file, without importing it."""
    return (docstring(name) or source(name).stem).splitlines()[0].split(":")[0]


def docstring(name: str) -> str:
    """Return what an algorithm's file says of itself; nothing where it says nothing or cannot be parsed."""
    return (ast.get_docstring(tree) or "") if (tree := _tree(name)) else ""


def prose(name: str) -> str:
    """Return all that an algorithm's file says of itself and its classes, and of those that it inherits.

    Docstrings of parameters are inherited, so the modules of this package that a file imports from count as well. A
    file that cannot be parsed says nothing.
    """
    trees = {Path(name): tree} if (tree := _tree(name)) else {}
    unread = list(trees.values())
    while unread:
        for path in _imported_here(unread.pop()):
            if path not in trees:
                trees[path] = ast.parse(path.read_bytes())
                unread.append(trees[path])
    nodes = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef)]
    return "\0".join(ast.get_docstring(node) or "" for node in nodes)


def _imported_here(tree: ast.Module) -> list[Path]:
    """Return the files of this package that a file imports from."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    dotted = [f"{node.module}.{alias.name}" for node in imports if node.module == GROUP for alias in node.names]
    dotted += [str(node.module) for node in imports]
    paths = [FOLDER / f"{name.removeprefix(f'{GROUP}.').replace('.', '/')}.py" for name in dotted]
    return [path for name, path in zip(dotted, paths, strict=True) if name.startswith(f"{GROUP}.") and path.is_file()]


def _tree(name: str) -> ast.Module | None:
    """Return the syntax tree of an algorithm's file; None of one that has none, of which its run says what is wrong."""
    try:
        return ast.parse(source(name).read_bytes())
    except (SyntaxError, ValueError):
        return None


def fields(name: str) -> list[str]:
    """Return the names of an algorithm's parameters; none of a file that cannot be imported."""
    return [] if fault(name) else list(load(name).parameters.__dataclass_fields__)


def parameters(name: str, settings: dict[str, Any]) -> Any:
    """Build an algorithm's parameters from a study's settings.

    Raises
    ------
    ConfigError
        For a parameter that does not exist or a value that is not allowed.
    """
    return settings_of.build(name, load(name).parameters, settings)


def resolved(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return all parameters of an algorithm, defaults included, as plain values.

    Of a file that cannot be imported they are the settings, unchecked: its run says why.
    """
    if fault(name):
        return settings
    return dataclasses.asdict(cast(Any, parameters(name, settings)))
