"""The sweeps of a study, and what its tables and figures of all kinds have in common.

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
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, PydanticKnownError, core_schema

from grambench.common.errors import unknown_name
from grambench.config.load import Model
from grambench.config.names import Grid, MetricName, Name, Names, Parameter, Setting, listed

REPORT = Path(__file__).parent.parent / "report"


def _of_kind(usual: str) -> BeforeValidator:
    """Return a validator that fills in the usual kind if the file names none."""
    return BeforeValidator(lambda values: {"kind": usual} | values if isinstance(values, dict) else values)


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

    def module(self, kind: str) -> str:
        """Return the dotted name of the module of a kind."""
        return f"grambench.report.{self.item}s.{kind}"

    def names(self) -> list[str]:
        """Return the names of all kinds, the usual one first, without importing them."""
        names = (path.stem for path in (REPORT / f"{self.item}s").glob("[a-z]*.py"))
        return sorted(names, key=lambda name: (name != self.usual, name))

    def load(self, kind: str) -> Any:
        """Import a kind, and return its class: CurvesFigure of the kind of figure "curves"."""
        return getattr(
            importlib.import_module(self.module(kind)), f"{kind.title().replace('_', '')}{self.item.title()}"
        )

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
        kind, known = values.get("kind", self.usual), self.names()
        if kind not in known:
            said = str(unknown_name(f"kind of {self.item}", str(kind), known))
            fault = PydanticCustomError("unknown_kind", "{said}", {"said": said})
            details = InitErrorDetails(type=fault, loc=("kind",), input=kind)
            raise ValidationError.from_exception_data(self.item, [details])
        return self.load(kind).model_validate(values | {"kind": kind})


AtLeastOne = Annotated[list[int | float], Field(min_length=1)]
Points = Annotated[AtLeastOne, BeforeValidator(listed, json_schema_input_type=AtLeastOne | Grid)]
OneName = Annotated[list[Name], Field(min_length=1, max_length=1)]
OneMetric = Annotated[list[MetricName], Field(min_length=1, max_length=1)]


class Item(Model):
    """What sweeps, tables and figures have in common: they name entries, data sets and metrics of the study."""

    def named(self, what: Literal["algorithms", "datasets", "metrics"]) -> list[str]:
        """Return the algorithms, data sets or metrics that an item lists; none where its kind lists no such thing."""
        return list(getattr(self, what, []))

    def judged(self) -> list[str]:
        """Return the metrics of which an item says what is best."""
        return []


# sweeps


class AnySweep(Item):
    """Runs of some algorithms on some data sets at several points (a figure of the paper).

    Attributes
    ----------
    values : list of int or float
        The points; in the file, a grid (low, high, count, spacing) may stand for them.
    label, scale : str
        Of the axis that they lie on.
    parameters : dict
        Set for all algorithms of the sweep, beside their own.
    """

    values: Points
    label: str
    scale: Literal["linear", "log"] = "linear"
    algorithms: Names
    datasets: Names
    parameters: dict[Parameter, Setting] = {}

    def sets(self) -> set[str]:
        """Return the parameters that a sweep sets."""
        return set(self.parameters)


class ParameterSweep(AnySweep):
    """At each value of one parameter."""

    kind: Literal["parameter"] = "parameter"
    parameter: Parameter

    def sets(self) -> set[str]:
        """Return the parameters that a sweep sets, with the one that it varies."""
        return super().sets() | {self.parameter}


class ScalingSweep(AnySweep):
    """In nested studies: with the base kernels multiplied by each value, to see how much the decision values change.

    Attributes
    ----------
    scaled : str
        "all" base kernels, or "one", that of the reference's largest weight.
    references : dict
        The entry with whose decision values, kernels as they are, those of an algorithm are compared; its own where it
        is not listed.
    """

    kind: Literal["scaling"]
    scaled: Literal["all", "one"] = "all"
    references: dict[Name, Name] = {}

    @model_validator(mode="after")
    def _of_its_algorithms(self) -> Self:
        if stray := [name for name in self.references if name not in self.algorithms]:
            raise ValueError(f"references name {stray[0]}, which is not among the sweep's algorithms")
        return self


class ProfileSweep(AnySweep):
    """What a stagewise algorithm's search maximises, at each value of the kernel's parameter."""

    kind: Literal["profile"]


class SizeSweep(AnySweep):
    """Numbers of kernels, or of training examples of each class.

    They are drawn anew in each repetition, the same for all algorithms; the fewer are among the more.

    Attributes
    ----------
    of : str
        "kernels" or "examples".
    """

    kind: Literal["size"]
    of: Literal["kernels", "examples"]

    @model_validator(mode="after")
    def _counts(self) -> Self:
        if stray := [value for value in self.values if not (isinstance(value, int) and value >= 1)]:
            raise ValueError(f"values must be whole numbers from 1 on, got {stray[0]:g}")
        return self


Sweep = Annotated[
    Annotated[ParameterSweep | ScalingSweep | ProfileSweep | SizeSweep, Field(discriminator="kind")],
    _of_kind("parameter"),
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
