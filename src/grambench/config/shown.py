"""The sweeps of a study, and the base classes of its tables and figures.

The key `kind` of an item says which class describes it. Each class has the keys of its own kind and no other. If a file
leaves `kind` out, the most frequent kind is meant.

A kind of table or figure is one module of `grambench.report.tables` or `grambench.report.figures`, named after the
kind. The module holds a class with the fields of the kind and the method that lays the table out or draws the figure.
It is imported when a study that has such an item is loaded. It must therefore not import pandas or matplotlib before
anything is drawn.
"""

import importlib
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, TypeAdapter, ValidationError, model_validator
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, PydanticKnownError, core_schema

from grambench.common.errors import unknown_name
from grambench.common.models import ConfigModel
from grambench.config.names import Grid, MetricName, Name, Names, Parameter, Setting, listed, twice

REPORT = Path(__file__).parent.parent / "report"


@dataclass(frozen=True)
class Kinds:
    """The kinds of tables or of figures, each loaded by its name when an item of it is validated.

    Attributes
    ----------
    item : str
        "table" or "figure".
    usual : str
        The kind of an item that names none.
    """

    item: str
    usual: str

    def names(self) -> list[str]:
        """Return the names of all kinds, the usual one first, without importing them."""
        names = (path.stem for path in (REPORT / f"{self.item}s").glob("[a-z]*.py"))
        return sorted(names, key=lambda name: (name != self.usual, name))

    def load(self, kind: str) -> Any:
        """Import a kind, and return its class: CurvesFigure of the kind of figure "curves"."""
        module = importlib.import_module(f"grambench.report.{self.item}s.{kind}")
        return getattr(module, f"{kind.title().replace('_', '')}{self.item.title()}")

    def __get_pydantic_core_schema__(self, *_: object) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(self, _: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        models: Any = reduce(or_, map(self.load, self.names()))
        return handler(TypeAdapter(Annotated[models, Field(discriminator="kind")]).core_schema)

    def _validate(self, values: Any) -> Any:
        if isinstance(values, Item):
            return values
        if not isinstance(values, dict):
            raise PydanticKnownError("dict_type")
        kind, names = values.get("kind", self.usual), self.names()
        if kind not in names:
            message = str(unknown_name(f"kind of {self.item}", str(kind), names))
            fault = PydanticCustomError("unknown_kind", "{message}", {"message": message})
            details = InitErrorDetails(type=fault, loc=("kind",), input=kind)
            raise ValidationError.from_exception_data(self.item, [details])
        return self.load(kind).model_validate(values | {"kind": kind})


AtLeastOne = Annotated[list[int | float], Field(min_length=1)]
Points = Annotated[AtLeastOne, BeforeValidator(listed, json_schema_input_type=AtLeastOne | Grid)]
OneName = Annotated[list[Name], Field(min_length=1, max_length=1)]
OneMetric = Annotated[list[MetricName], Field(min_length=1, max_length=1)]


class Item(ConfigModel):
    """Base of sweeps, tables and figures, which name entries, data sets and metrics of the study."""

    def named(self, key: Literal["algorithms", "datasets", "metrics"]) -> list[str]:
        """Return the algorithms, data sets or metrics that an item names; empty if its kind has no such key."""
        return list(getattr(self, key, []))

    def judged(self) -> list[str]:
        """Return the metrics by which an item ranks algorithms."""
        return []

    @model_validator(mode="after")
    def _check_each_is_listed_once(self) -> Self:
        for key in ("algorithms", "datasets", "metrics", "values"):
            if value := twice(getattr(self, key, [])):
                raise ValueError(f"{key}: {value} is listed twice")
        return self


# sweeps


class AnySweep(Item):
    """Base of the sweeps: runs of some algorithms on some data sets at several values, for a figure of the paper.

    Attributes
    ----------
    values : list of int or float
        The values; in the file, a grid (low, high, count, spacing) may stand for them.
    label, scale : str
        The label and the scale of the axis of the values.
    algorithms, datasets : list of str
        The entries and the data sets of the sweep.
    parameters : dict
        Parameters that are set for all algorithms of the sweep.
    """

    values: Points
    label: str
    scale: Literal["linear", "log"] = "linear"
    algorithms: Names
    datasets: Names
    parameters: dict[Parameter, Setting] = {}

    def sets(self) -> set[str]:
        """Return the names of the parameters that the sweep sets."""
        return set(self.parameters)


class ParameterSweep(AnySweep):
    """Runs at each value of one parameter."""

    kind: Literal["parameter"] = "parameter"
    parameter: Parameter

    def sets(self) -> set[str]:
        """Return the names of the parameters that the sweep sets, with the one that it varies."""
        return super().sets() | {self.parameter}


class ScalingSweep(AnySweep):
    """Runs with the base kernels multiplied by each value, which show how much the decision values change.

    Only studies with nested cross-validation have such sweeps.

    Attributes
    ----------
    scaled : str
        "all" for all base kernels, or "one" for the kernel with the largest weight of the reference.
    references : dict
        The reference entry of each algorithm. Decision values are compared with those of the reference on the unscaled
        kernels. An algorithm that is not listed is its own reference.
    """

    kind: Literal["scaling"]
    scaled: Literal["all", "one"] = "all"
    references: dict[Name, Name] = {}

    @model_validator(mode="after")
    def _check_references(self) -> Self:
        if unknown := [name for name in self.references if name not in self.algorithms]:
            raise ValueError(f"references name {unknown[0]}, which is not among the sweep's algorithms")
        return self


class ProfileSweep(AnySweep):
    """The objective of a stagewise algorithm's search at each value of the kernel's parameter."""

    kind: Literal["profile"]


class SizeSweep(AnySweep):
    """Runs with each number of kernels, of training examples of each class, or of validation examples.

    Each repetition draws its own kernels or examples, the same for all algorithms. A smaller selection is a subset of
    a larger one. Of fewer validation examples than asked for, all are used.

    Attributes
    ----------
    of : str
        "kernels", "examples" or "validation".
    """

    kind: Literal["size"]
    of: Literal["kernels", "examples", "validation"]

    @model_validator(mode="after")
    def _check_counts(self) -> Self:
        if invalid := [value for value in self.values if not (isinstance(value, int) and value >= 1)]:
            raise ValueError(f"values must be whole numbers from 1 on, got {invalid[0]:g}")
        return self


class ViewSweep(AnySweep):
    """Runs on the kernels of each view alone, or on those of all other views; its values are the numbers of the views.

    Attributes
    ----------
    of : str
        "alone" or "without".
    datasets : list of str
        The data sets; empty for all that have several views.
    """

    kind: Literal["view"]
    of: Literal["alone", "without"]
    values: SkipJsonSchema[Points] = [1]
    label: str = "View"
    datasets: list[Name] = []


Sweep = Annotated[
    Annotated[ParameterSweep | ScalingSweep | ProfileSweep | SizeSweep | ViewSweep, Field(discriminator="kind")],
    # the usual kind, if the file names none
    BeforeValidator(lambda values: {"kind": "parameter"} | values if isinstance(values, dict) else values),
]


# tables and figures


class AnyTable(Item):
    """One table of the paper, with our numbers beside the published ones.

    Attributes
    ----------
    title, caption : str
        The texts printed above the table.
    remark : str or None
        A remark printed beneath the table, before those that all tables of its kind have.
    kind : str
        The kind of table.
    """

    title: str
    caption: str
    remark: str | None = None
    kind: str


class AnyFigure(Item):
    """One figure.

    Attributes
    ----------
    title, caption : str
        The texts printed with the figure.
    kind : str
        The kind of figure.
    """

    title: str
    caption: str
    kind: str


TABLES, FIGURES = Kinds("table", usual="results"), Kinds("figure", usual="curves")
Table = Annotated[AnyTable, TABLES]
Figure = Annotated[AnyFigure, FIGURES]
