"""The model of config/studies/*.yaml: one paper's data sets, kernels, algorithms, protocol, tables and figures."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from grambench.config.load import Model
from grambench.kernels import Kernel

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
File = Annotated[str, Field(pattern=r"^[a-z0-9_]+\.csv$")]


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
    """One table of the paper, with our numbers beside the published ones.

    Attributes
    ----------
    kind : str
        "results": a block a data set, a row a metric, a column an algorithm. "times": a row a data set, the seconds of
        the algorithms and their ratio to the first one's. "datasets": the data sets as loaded.
    title, caption : str
        As printed above the table.
    algorithms, metrics : list of str
        Columns, and rows of a block.
    highlight : str or None
        The metric whose best values are set in bold: the lowest mean, and those that a t-test cannot tell from it.
    """

    kind: Literal["results", "times", "datasets"] = "results"
    title: str
    caption: str
    algorithms: list[Name] = []
    metrics: list[Name] = []
    highlight: Name | None = None


class Figure(Model):
    """One figure.

    Attributes
    ----------
    kind : str
        "curves": a metric over the pass, a panel a data set, a line an algorithm, a band over the repeats. "sweep":
        a metric over the values of a sweep, laid out likewise. "agreement": published against own means.
    title, caption : str
        As printed with the figure.
    metrics : list of str
        What is shown; one for curves and sweeps, one panel each for the agreement.
    sweep : str or None
        The sweep that a figure of that kind shows.
    algorithms, datasets : list of str
        Lines and panels; not used by the agreement.
    """

    kind: Literal["curves", "sweep", "agreement"] = "curves"
    title: str
    caption: str
    metrics: Annotated[list[Name], Field(min_length=1)]
    sweep: Name | None = None
    algorithms: list[Name] = []
    datasets: list[Name] = []


class Published(Model):
    """The paper's numbers: names of files in config/published.

    Attributes
    ----------
    runs : int
        The number of runs behind every published mean and standard deviation.
    results : str or None
        Means and standard deviations: table, dataset, algorithm, metric, mean, std.
    times : str or None
        Seconds of the OMKC algorithms, and ratios in percent: dataset, size, dd, ds, sd, ss, ds_over_dd, ...
    kernels : str or None
        Size, dimension and best kernel of the data sets: dataset, n, d, best_kernel.
    """

    runs: Annotated[int, Field(ge=2)]
    results: File | None = None
    times: File | None = None
    kernels: File | None = None

    def files(self) -> list[str]:
        """Return the names of the files that there are."""
        return [name for name in (self.results, self.times, self.kernels) if name is not None]


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
    published: Published | None = None

    @model_validator(mode="after")
    def _names_are_unique_and_known(self) -> Self:
        for what, names in (("kernel", [kernel.name for kernel in self.kernel_list()]), ("data set", self.datasets)):
            if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
                raise ValueError(f"{what} {twice[0]} is listed twice")
        shown: list[tuple[str, Sweep | Table | Figure]]
        shown = [*self.sweeps.items(), *self.tables.items(), *self.figures.items()]
        for name, item in shown:
            if unknown := [one for one in item.algorithms if one not in self.algorithms]:
                raise ValueError(f"{name} names algorithm {unknown[0]}, which the study does not have")
        for name, table in self.tables.items():
            if table.highlight is not None and table.highlight not in table.metrics:
                raise ValueError(f"{name} highlights {table.highlight}, which is not among its metrics")
            if table.kind == "times" and not table.algorithms:
                raise ValueError(f"{name} needs algorithms, the first of which the others are compared with")
        for name, figure in self.figures.items():
            if figure.kind == "sweep" and figure.sweep not in self.sweeps:
                known_sweeps = ", ".join(self.sweeps) or "none"
                raise ValueError(f"figure {name} shows sweep {figure.sweep!r}, known: {known_sweeps}")
        return self

    def kernel_list(self) -> list[Kernel]:
        """Return the base kernels in the order that the algorithms see."""
        return [kernel for family in self.kernels for kernel in family.kernels()]

    def shown_datasets(self) -> list[tuple[str, str]]:
        """Return (sweep or figure, data set) for every data set that one of them names."""
        items: list[tuple[str, Sweep | Figure]] = [*self.sweeps.items(), *self.figures.items()]
        return [(name, dataset) for name, item in items for dataset in item.datasets]
