"""The registry of algorithms: one file in one of its folders is one algorithm, under the file's name.

A module in `online/`, `batch/`, `parametric/` or `baselines/` defines

- its docstring: paper, algorithm number, every deviation; the first line is the algorithm's title;
- `Parameters`, a frozen dataclass that checks itself;
- `fit`, a pure function that takes and returns what `grambench.algorithms.fit` says.

Nothing else has to be edited for a new file to be configurable, tested and listed. The folders are shelves: every
algorithm runs under every protocol. No two files share a name.
"""

import ast
import dataclasses
import functools
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from grambench.common import settings as settings_of
from grambench.common.errors import unknown_name

if TYPE_CHECKING:  # names and titles are read without NumPy, Numba and SciPy
    import numpy as np

    from grambench.algorithms.fit import Fit, Labels, Order
    from grambench.kernels.pool import Pool

FOLDER = Path(__file__).parent
SHELVES = ("online", "batch", "parametric", "baselines", "multiclass")


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


def names(shelf: str = "*") -> list[str]:
    """Return the names of all algorithms, or of those on one shelf."""
    shelves = SHELVES if shelf == "*" else (shelf,)
    return sorted(path.stem for each in shelves for path in (FOLDER / each).glob("[a-z]*.py"))


def source(name: str) -> Path:
    """Return an algorithm's file; raise ConfigError for an unknown name."""
    for shelf in SHELVES:
        if name in names(shelf):
            return FOLDER / shelf / f"{name}.py"
    raise unknown_name("algorithm", name, names())


def module(name: str) -> str:
    """Return the dotted name of an algorithm's module; raise ConfigError for an unknown name."""
    return f"grambench.algorithms.{source(name).parent.name}.{name}"


def takes_many_classes(name: str) -> bool:
    """Return whether labels are class numbers to an algorithm; others learn one class against the rest."""
    return name in names("multiclass")


@functools.cache
def load(name: str) -> Algorithm:
    """Import one algorithm."""
    found = importlib.import_module(module(name))
    return Algorithm(name, title(name), found.Parameters, found.fit)


@functools.cache
def fault(name: str) -> str:
    """Return why an algorithm's file cannot be imported, in one line; empty where it can."""
    return settings_of.fault(lambda each: load(each).parameters.__dataclass_fields__, name)


def title(name: str) -> str:
    """Return an algorithm's name as tables print it, the first words of its file, without importing it."""
    try:
        docstring = ast.get_docstring(ast.parse(source(name).read_bytes()))
    except (SyntaxError, ValueError):  # its run says what is wrong with the file
        docstring = None
    return (docstring or name).splitlines()[0].split(":")[0]


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
