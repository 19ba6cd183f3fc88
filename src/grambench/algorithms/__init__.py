"""The registry of algorithms: one file in a family's folder is one algorithm, under the file's name.

A module in `online/` defines

- its docstring: paper, algorithm number, every deviation; the first line is the algorithm's title;
- `Parameters`, a frozen dataclass that checks itself;
- `fit(parameters, grams, labels, *, order, rng) -> OnlineTrace`, a pure function.

Nothing else has to be edited for a new file to be configurable, tested and listed.
"""

import ast
import dataclasses
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.trace import OnlineTrace
from grambench.errors import ConfigError, unknown_name

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
    ) -> OnlineTrace:
        """Run one pass over the examples of `order`."""


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
    fit: OnlineFit


def names(family: str = "online") -> list[str]:
    """Return the names of all algorithms of a family."""
    return sorted(path.stem for path in (FOLDER / family).glob("*.py") if not path.stem.startswith("_"))


def module(name: str, family: str = "online") -> str:
    """Return the dotted name of an algorithm's module; raise ConfigError for an unknown name."""
    if name not in names(family):
        raise unknown_name("algorithm", name, names(family))
    return f"grambench.algorithms.{family}.{name}"


def load(name: str, family: str = "online") -> Algorithm:
    """Import one algorithm; the only dynamic import of the package."""
    source = importlib.import_module(module(name, family))
    return Algorithm(name, title(name, family), source.Parameters, source.fit)


def title(name: str, family: str = "online") -> str:
    """Return an algorithm's name as tables print it, the first words of its file, without importing it."""
    module(name, family)
    source = (FOLDER / family / f"{name}.py").read_text(encoding="utf-8")
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
