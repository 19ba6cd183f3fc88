"""The model of config/studies/*.yaml: one paper's data sets, kernels, algorithms, protocol, tables and figures."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from grambench.config.load import Model
from grambench.kernels import Kernel

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class Protocol(Model):
    """One pass over each of `repeats` orders of the examples.

    Attributes
    ----------
    kind : str
        The family of the protocol, a module of grambench.experiments.
    repeats : int
        The number of orders. Published orders are used where the data set has enough of them.
    checkpoints : int
        The number of points of a pass at which the curves are recorded.
    """

    kind: Literal["online"]
    repeats: Annotated[int, Field(ge=1, le=1000)] = 20
    checkpoints: Annotated[int, Field(ge=2, le=1000)] = 50


class KernelFamily(Model):
    """One family of kernels with the list of its parameter's values."""

    family: str
    values: Annotated[list[float], Field(min_length=1)]

    def kernels(self) -> list[Kernel]:
        """Return one kernel for each value, in the order given."""
        return [Kernel(self.family, value) for value in self.values]


class Sweep(Model):
    """Runs of some algorithms on some data sets at each value of one parameter (a figure of the paper)."""

    parameter: str
    values: Annotated[list[float], Field(min_length=1)]
    algorithms: list[Name]
    datasets: list[Name]


class Table(Model):
    """One table of results, laid out as in the paper: a block a data set, a column an algorithm."""

    title: str
    caption: str
    algorithms: list[Name]
    metrics: list[Name]
    highlight: Name | None = None


class Figure(Model):
    """One figure of curves over the pass: a panel a data set, a line an algorithm, a band over the repeats."""

    title: str
    caption: str
    curve: Name
    algorithms: list[Name]
    datasets: list[Name]


class Study(Model):
    """One paper's experiments."""

    name: Name
    title: str
    paper: str
    protocol: Protocol
    kernels: Annotated[list[KernelFamily], Field(min_length=1)]
    datasets: Annotated[list[Name], Field(min_length=1)]
    algorithms: dict[Name, dict[str, Any]]
    sweeps: dict[Name, Sweep] = {}
    tables: dict[Name, Table] = {}
    figures: dict[Name, Figure] = {}

    @field_validator("kernels")
    @classmethod
    def _kernels_exist(cls, families: list[KernelFamily]) -> list[KernelFamily]:
        names = [kernel.name for family in families for kernel in family.kernels()]
        if len(set(names)) != len(names):
            raise ValueError("a kernel is listed twice")
        return families

    def kernel_list(self) -> list[Kernel]:
        """Return the base kernels in the order that the algorithms see."""
        return [kernel for family in self.kernels for kernel in family.kernels()]
