"""The registry of algorithms: one file in a family's folder is one algorithm, under the file's name.

A module in `online/`, `batch/` or `parametric/` defines

- its docstring: paper, algorithm number, every deviation; the first line is the algorithm's title;
- `Parameters`, a frozen dataclass that checks itself;
- `fit`, a pure function with its family's signature, `OnlineFit`, `BatchFit` or `ParametricFit`.

Nothing else has to be edited for a new file to be configurable, tested and listed. No two files share a name, so that
a name says which family an algorithm belongs to.
"""

import ast
import dataclasses
import functools
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar, cast, get_args

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import ConfigError, unknown_name

if TYPE_CHECKING:  # a run imports, and depends on, the code of its own family only
    from grambench.algorithms.kernel_fit import KernelFit
    from grambench.algorithms.learned_kernel import Dictionary, LearnedKernel
    from grambench.algorithms.trace import OnlineTrace

Family = Literal["online", "batch", "parametric"]

FOLDER = Path(__file__).parent


class OnlineFit(Protocol):
    """The signature of an online algorithm's `fit`; see grambench.algorithms.trace for the arrays."""

    def __call__(
        self,
        parameters: Any,
        grams: Sequence[NDArray[np.float64]],
        labels: NDArray[np.int8],
        *,
        order: NDArray[np.int32],
        rng: np.random.Generator,
    ) -> "OnlineTrace":
        """Run one pass over the examples of `order`."""


class BatchFit(Protocol):
    """The signature of a batch algorithm's `fit`; see grambench.algorithms.kernel_fit for the arrays."""

    def __call__(
        self,
        parameters: Any,
        grams: NDArray[np.float64],
        labels: NDArray[np.int8],
        *,
        rng: np.random.Generator,
    ) -> "KernelFit":
        """Learn from the examples whose Gram matrices are `grams`, (m, n, n)."""


class ParametricFit(Protocol):
    """The signature of `fit` on a family of kernels; see grambench.algorithms.learned_kernel for its types."""

    def __call__(
        self,
        parameters: Any,
        dictionary: "Dictionary",
        labels: NDArray[np.int8],
        *,
        rng: np.random.Generator,
    ) -> "LearnedKernel":
        """Learn a kernel from the n examples that the dictionary is made on."""


class ParameterClass(Protocol):
    """A dataclass of parameters, built from keywords."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __call__(self, **settings: Any) -> Any:
        """Check and build."""


Fit = TypeVar("Fit")


@dataclasses.dataclass(frozen=True, slots=True)
class Algorithm(Generic[Fit]):
    """One registered algorithm; `Fit` is its family's signature.

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
    fit: Fit


def names(*families: Family) -> list[str]:
    """Return the names of all algorithms of some families; of all where none is given."""
    folders = [FOLDER / family for family in families or get_args(Family)]
    return sorted(path.stem for folder in folders for path in folder.glob("*.py") if not path.stem.startswith("_"))


def family(name: str) -> Family:
    """Return an algorithm's family; raise ConfigError for an unknown name."""
    for each in get_args(Family):
        if name in names(each):
            return cast(Family, each)
    raise unknown_name("algorithm", name, names())


def module(name: str) -> str:
    """Return the dotted name of an algorithm's module; raise ConfigError for an unknown name."""
    return f"grambench.algorithms.{family(name)}.{name}"


@functools.cache
def load(name: str) -> Algorithm[Any]:
    """Import one algorithm."""
    source = importlib.import_module(module(name))
    return Algorithm(name, title(name), source.Parameters, source.fit)


def title(name: str) -> str:
    """Return an algorithm's name as tables print it, the first words of its file, without importing it."""
    source = (FOLDER / family(name) / f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or name).splitlines()[0].split(":")[0]


def parameters(name: str, settings: dict[str, Any]) -> Any:
    """Build an algorithm's parameters from a study's settings.

    Raises
    ------
    ConfigError
        For a parameter that does not exist or a value that is not allowed.
    """
    cls = load(name).parameters
    for key in settings:
        if key not in cls.__dataclass_fields__:
            raise unknown_name(f"parameter of {name}", key, cls.__dataclass_fields__)
    try:
        return cls(**settings)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{name}: {error}") from None


def resolved(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return all parameters of an algorithm, defaults included, as plain values."""
    return dataclasses.asdict(cast(Any, parameters(name, settings)))
