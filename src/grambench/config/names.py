"""Types of names, settings, grids of numbers and candidates of a hyperparameter in study files."""

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, TypeAdapter, model_validator

from grambench.common import grids
from grambench.common.models import ConfigModel

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Names = Annotated[list[Name], Field(min_length=1)]
MetricName = Annotated[str, Field(pattern=r"^[a-z][A-Za-z0-9_]*$")]  # such as selected_C
MetricNames = Annotated[list[MetricName], Field(min_length=1)]
Parameter = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]

_plain = TypeAdapter[Any](JsonValue, config=ConfigDict(allow_inf_nan=False))
Setting = Annotated[Any, BeforeValidator(_plain.validate_python)]  # a value that JSON can represent


def twice(values: Iterable[Hashable]) -> str:
    """Return the first value that is listed twice, as text; empty if none is."""
    return next((str(value) for value, count in Counter(values).items() if count > 1), "")


def listed(values: Any) -> Any:
    """Return a list of numbers as it is, and a grid as the list of its numbers."""
    return Grid.model_validate(values).grid() if isinstance(values, dict) else values


class Grid(ConfigModel):
    """Numbers between two bounds.

    Attributes
    ----------
    low, high : float
        The first and the last number.
    count : int
        The number of numbers.
    spacing : str
        "linear" or "log".
    """

    low: float
    high: float
    count: Annotated[int, Field(ge=1, le=grids.MOST)]
    spacing: Literal["linear", "log"]

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        grids.check_bounds(self.low, self.high, self.spacing)
        return self

    def grid(self) -> list[float]:
        """Return the numbers of the grid."""
        return grids.grid(self.low, self.high, self.count, self.spacing)


OneOrMoreNumbers = Annotated[list[float], Field(min_length=1)]
ParameterValues = Annotated[OneOrMoreNumbers, BeforeValidator(listed, json_schema_input_type=OneOrMoreNumbers | Grid)]


@dataclass(frozen=True)
class Tuning:
    """Hyperparameters of an algorithm that are selected on validation examples.

    Attributes
    ----------
    parameter : str
        The name of the first hyperparameter.
    values : list of float
        Its values; ties go to the first candidate. In the file, a grid may stand for them.
    by : str
        "error": the least error of the final model. "alignment": the largest alignment of the learned kernel.
    also : dict of list of float
        Values of further hyperparameters by name. Every combination of values is a candidate, the last varies fastest.
    """

    __pydantic_config__ = ConfigModel.model_config

    parameter: Parameter
    values: ParameterValues
    by: Literal["error", "alignment"] = "error"
    also: dict[Parameter, ParameterValues] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.parameter in self.also:
            raise ValueError(f"{self.parameter} is tuned and stands under also: list its values once")

    def chosen(self) -> list[str]:
        """Return the names of the hyperparameters that are selected."""
        return [self.parameter, *self.also]

    def candidates(self) -> list[dict[str, Setting]]:
        """Return the values of the hyperparameters by name, of each candidate."""
        combinations = itertools.product(self.values, *self.also.values())
        return [dict(zip(self.chosen(), values, strict=True)) for values in combinations]
