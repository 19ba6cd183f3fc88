"""The model of config/studies/*.yaml: one paper's data sets, kernels, algorithms, protocol, tables and figures."""

from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from grambench.common.errors import unknown_name
from grambench.config.load import Model
from grambench.config.metrics import METRICS
from grambench.kernels import continuous
from grambench.kernels.functions import Kernel

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Parameter = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
File = Annotated[str, Field(pattern=r"^[a-z0-9_]+\.csv$")]


class Online(Model):
    """One pass over each of `repeats` orders of the examples.

    Attributes
    ----------
    family, progress, paired
        Which algorithms it takes; what counts its rounds; whether they are compared in pairs, repeat by repeat.
    kind : str
        "online", a module of grambench.experiments.
    repeats : int
        The number of orders. Published orders are used where the data set has enough of them.
    checkpoints : int
        The number of points of a pass at which the curves are recorded.
    """

    family: ClassVar[Literal["online"]] = "online"
    progress: ClassVar[str] = "Examples received"
    paired: ClassVar[bool] = False  # OMKC's tables are not, though all algorithms share their orders

    kind: Literal["online"]
    repeats: Annotated[int, Field(ge=1, le=1000)] = 20
    checkpoints: Annotated[int, Field(ge=2, le=1000)] = 50

    def repeated(self, origin: str) -> str:
        """Return what a run is repeated over, as the head of a table says it."""
        return f"{origin} orders"


class Nested(Model):
    """Each of several parts tested by what was learned from the others, one parameter chosen by cross-validation there.

    Attributes
    ----------
    family, progress, paired
        See Online.
    kind : str
        "nested", a module of grambench.experiments.
    parts : int
        The number of parts, drawn with the share of each class kept.
    folds : int
        The number of folds of the cross-validation inside each training set.
    select : str
        The parameter that it chooses; every algorithm of the study has it.
    values : list of float
        What it chooses from.
    trace : float
        To which the Gram matrix of each base kernel on a training set is scaled.
    """

    family: ClassVar[Literal["batch"]] = "batch"
    progress: ClassVar[str] = "Solver calls"
    paired: ClassVar[bool] = True

    kind: Literal["nested"]
    parts: Annotated[int, Field(ge=2, le=100)] = 5
    folds: Annotated[int, Field(ge=2, le=100)] = 3
    select: Parameter
    values: Annotated[list[float], Field(min_length=1)]
    trace: Annotated[float, Field(gt=0)] = 1.0

    @property
    def repeats(self) -> int:
        """The number of parts: each is a repeat."""
        return self.parts

    def repeated(self, origin: str) -> str:
        """Return what a run is repeated over, as the head of a table says it."""
        return f"{self.parts} parts"


Size = Annotated[int, Field(ge=2)]


class Holdout(Model):
    """Training, validation and test examples drawn anew in each repeat; what is tuned is tuned on the validation part.

    Attributes
    ----------
    family, progress, paired
        See Online.
    kind : str
        "holdout", a module of grambench.experiments.
    repeats : int
        How often they are drawn.
    sizes : dict
        Numbers of training, validation and test examples of each data set; of all others under "default".
    standardise : bool
        Whether features are scaled to zero mean and unit variance on the training examples.
    values : list of float
        The C of the machine that is trained on a learned kernel are tried in this order, which must ascend.
    steps : int
        Steps of the solver after which a machine is given up, and the larger C with it.
    """

    family: ClassVar[Literal["parametric"]] = "parametric"
    progress: ClassVar[str] = "Iterations"
    paired: ClassVar[bool] = True

    kind: Literal["holdout"]
    repeats: Annotated[int, Field(ge=1, le=1000)] = 10
    sizes: Annotated[dict[Name, tuple[Size, Size, Size]], Field(min_length=1)]
    standardise: bool = False
    values: Annotated[list[float], Field(min_length=1)]
    steps: Annotated[int, Field(ge=1)] = 100_000

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if any(later <= earlier for earlier, later in zip(self.values, self.values[1:], strict=False)):
            raise ValueError("values must ascend: a machine that cannot be trained ends the search")
        return self

    def repeated(self, origin: str) -> str:
        """Return what a run is repeated over, as the head of a table says it."""
        return f"{self.repeats} draws" if self.repeats > 1 else "one draw"


Protocol = Annotated[Online | Nested | Holdout, Field(discriminator="kind")]


class Tune(Model):
    """A parameter of an algorithm that is chosen on the validation examples.

    Attributes
    ----------
    parameter : str
        Its name.
    values : list of float
        What it is chosen from, the first of the best.
    by : str
        "error": the least error of the final machine. "alignment": the largest alignment of the learned kernel.
    """

    parameter: Parameter
    values: Annotated[list[float], Field(min_length=1)]
    by: Literal["error", "alignment"] = "error"


class Entry(Model):
    """One contestant: an algorithm of the registry with its parameters.

    Attributes
    ----------
    algorithm : str or None
        The algorithm's name in the registry, where the entry's own name is another.
    title : str or None
        The name in tables, where it is not the algorithm's.
    variant_of : str or None
        The entry of which this one is another reading: it is compared with that one's published numbers.
    parameters : dict
        Those that are not left at their defaults.
    tune : Tune or None
        The parameter that is chosen on the validation examples, in studies that have them.
    """

    algorithm: Name | None = None
    title: str | None = None
    variant_of: Name | None = None
    parameters: dict[Parameter, Any] = {}
    tune: Tune | None = None


class KernelFamily(Model):
    """One family of kernels with the list of its parameter's values."""

    family: str
    values: Annotated[list[float], Field(min_length=1)]

    def kernels(self) -> list[Kernel]:
        """Return one kernel for each value, in the order given."""
        return [Kernel(self.family, value) for value in self.values]


class Grid(Model):
    """Numbers between two bounds.

    Attributes
    ----------
    low, high : float
        The first and the last.
    count : int
        How many.
    spacing : str
        "linear" or "log".
    """

    low: float
    high: float
    count: Annotated[int, Field(ge=1)]
    spacing: Literal["linear", "log"]

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        if not self.low < self.high:
            raise ValueError(f"low must be below high, got {self.low:g} and {self.high:g}")
        if self.spacing == "log" and self.low <= 0.0:
            raise ValueError(f"a grid of log spacing starts above 0, got {self.low:g}")
        return self

    def grid(self) -> list[float]:
        """Return the numbers."""
        values = (np.geomspace if self.spacing == "log" else np.linspace)(self.low, self.high, self.count)
        return [float(value) for value in values]


class Dictionary(Grid):
    """A family of kernels with a continuous parameter, and the grid of it for algorithms that need finitely many.

    Attributes
    ----------
    low, high, count, spacing
        Of the grid; its ends are the bounds of the parameter.
    family : str
        A module of grambench.kernels.continuous.
    """

    family: str

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        continuous.module(self.family)
        return self


def _listed(values: Any) -> Any:
    """Return the numbers of a grid where one is given in the place of a list."""
    return Grid.model_validate(values).grid() if isinstance(values, dict) else values


AtLeastOne = Annotated[list[int | float], Field(min_length=1)]
Points = Annotated[AtLeastOne, BeforeValidator(_listed, json_schema_input_type=AtLeastOne | Grid)]


class Sweep(Model):
    """Runs of some algorithms on some data sets at several points (a figure of the paper).

    Attributes
    ----------
    kind : str
        "parameter": at each value of one parameter. "scaling", in nested studies: with the base kernels multiplied by
        each value, to see how much the decision values change. "profile", in holdout studies: what a stagewise
        algorithm's search maximises, at each value of the kernel's parameter.
    parameter : str or None
        The parameter, for that kind.
    values : list of int or float
        The points; in the file, a grid (low, high, count, spacing) may stand for them.
    label, scale : str
        Of the axis that they lie on.
    scaled : str
        For "scaling": "all" base kernels, or "one", that of the reference's largest weight.
    references : dict
        For "scaling": the entry with whose decision values, kernels as they are, those of an algorithm are compared;
        its own where it is not listed.
    parameters : dict
        Set for all algorithms of the sweep, beside their own.
    """

    kind: Literal["parameter", "scaling", "profile"] = "parameter"
    parameter: Parameter | None = None
    values: Points
    label: str
    scale: Literal["linear", "log"] = "linear"
    algorithms: list[Name]
    datasets: list[Name]
    scaled: Literal["all", "one"] = "all"
    references: dict[Name, Name] = {}
    parameters: dict[Parameter, Any] = {}

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.parameter is None) == (self.kind == "parameter"):
            needs = "needs a" if self.parameter is None else "has no"
            raise ValueError(f"a sweep of kind {self.kind} {needs} parameter")
        if self.references and self.kind != "scaling":
            raise ValueError("only a sweep of kind scaling has references")
        if stray := [name for name in self.references if name not in self.algorithms]:
            raise ValueError(f"references name {stray[0]}, which is not among the sweep's algorithms")
        return self


class Table(Model):
    """One table of the paper, with our numbers beside the published ones.

    Attributes
    ----------
    kind : str
        "results": a block a data set, a row a metric, a column an algorithm. "ranks": the same across all data sets.
        "times": a row a data set, the seconds of the algorithms and their ratio to the first one's. "datasets": the
        data sets as loaded.
    title, caption : str
        As printed above the table.
    remark : str or None
        What has to be said beneath it beside what is said of every table of its kind.
    algorithms, metrics : list of str
        Columns, and rows of a block.
    highlight : list of str
        Metrics whose best values are set in bold: the best mean, and those that a t-test cannot tell from it.
    """

    kind: Literal["results", "ranks", "times", "datasets"] = "results"
    title: str
    caption: str
    remark: str | None = None
    algorithms: list[Name] = []
    metrics: list[Name] = []
    highlight: list[Name] = []


class Figure(Model):
    """One figure.

    Attributes
    ----------
    kind : str
        "curves": a metric over the pass, a panel a data set, a line an algorithm, a band over the repeats. "sweep":
        a metric over the values of a sweep, laid out likewise. "profile": a sweep of that kind, a line an iteration of
        the first algorithm in the first repeat. "dots": a metric of each algorithm on each data set, in one panel.
        "across": a panel a metric, over data sets that differ in one number. "found": the kernels of a continuous
        family that the algorithms have found in all repeats, weight against parameter. "function": what labels the
        examples of a synthetic data set, on the range of `x`. "agreement": published against own means.
    title, caption : str
        As printed with the figure.
    metrics : list of str
        What is shown: one panel each for "across" and the agreement, none for "function", one for the others.
    sweep : str or None
        The sweep that a figure of kind "sweep" or "profile" shows.
    algorithms, datasets : list of str
        Lines and panels. The agreement has no panels, and shows all algorithms where none is listed.
    x : list of float
        For "across", the number of each data set; for "function", where it begins and ends.
    function : str or None
        For "function", a name in grambench.datasets.generators.FUNCTIONS.
    label : str
        Of the axis, for "across", "found" and "function".
    marks : dict of float
        For "found", parameters that are marked, by the names to print there.
    """

    kind: Literal["curves", "sweep", "profile", "dots", "across", "found", "function", "agreement"] = "curves"
    title: str
    caption: str
    metrics: list[Name] = []
    sweep: Name | None = None
    algorithms: list[Name] = []
    datasets: list[Name] = []
    x: list[float] = []
    function: Literal["three_sines"] | None = None
    label: str = ""
    marks: dict[str, float] = {}

    @model_validator(mode="after")
    def _one_number_a_data_set(self) -> Self:
        if self.kind != "function" and len(self.x) != (len(self.datasets) if self.kind == "across" else 0):
            raise ValueError("a figure of kind across, and no other, has an x for each of its data sets")
        return self

    @model_validator(mode="after")
    def _a_function_or_metrics(self) -> Self:
        if self.kind == "function":
            if not self.function or len(self.x) != 2 or self.metrics:
                raise ValueError("a figure of kind function has a function, an x of two numbers, and no metrics")
        elif self.function or not self.metrics:
            raise ValueError(f"a figure of kind {self.kind} has metrics, and no function")
        return self


class Heads(Model):
    """What a paper prints of each data set: its size, its dimension and, in studies with experts, the best kernel.

    Attributes
    ----------
    item : str
        What reproduction.csv calls the place, such as "Table 3, heads".
    file : str
        The file: dataset, n, d, and best_kernel if the study has experts.
    """

    item: str
    file: File


class Published(Model):
    """The paper's numbers, in files of config/published.

    Attributes
    ----------
    runs : int
        The number of runs behind every published mean and standard deviation; where numbers are of all data sets
        together, the number of data sets.
    results : list of str
        Files of numbers, one a row: table, dataset, algorithm, metric, mean, std (empty where none is printed).
    heads : Heads or None
        The data sets, where the paper prints them.
    """

    runs: Annotated[int, Field(ge=1)]
    results: list[File] = []
    heads: Heads | None = None

    def files(self) -> list[str]:
        """Return the names of all files."""
        return [*self.results, *([self.heads.file] if self.heads else [])]


class Study(Model):
    """One paper's experiments.

    Attributes
    ----------
    name, title, paper : str
        The file's name; what the report calls the study; the paper, as cited.
    protocol : Online, Nested or Holdout
        How algorithms meet data.
    kernels : list of KernelFamily
        The base kernels.
    dictionary : Dictionary or None
        In holdout studies, the base kernels in their place.
    datasets : list of str
        Names of files in config/datasets.
    algorithms : dict of Entry
        The contestants.
    experts : str or None
        The entry that updates every kernel's own classifier at each of its mistakes, so that its updates tell which
        kernel is the best by itself.
    sweeps, tables, figures : dict
        What the paper shows.
    published : Published or None
        Its numbers.
    """

    name: Name
    title: str
    paper: str
    protocol: Protocol
    kernels: list[KernelFamily] = []
    dictionary: Dictionary | None = None
    datasets: Annotated[list[Name], Field(min_length=1)]
    algorithms: dict[Name, Entry]
    experts: Name | None = None
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
        named = [(place, name) for place, item in shown for name in item.algorithms]
        named += [(place, name) for place, sweep in self.sweeps.items() for name in sweep.references.values()]
        named += [(place, entry.variant_of) for place, entry in self.algorithms.items() if entry.variant_of]
        named += [("experts", self.experts)] if self.experts else []
        for place, name in named:
            if name not in self.algorithms:
                raise ValueError(f"{place} names algorithm {name}, which the study does not have")
        return self

    @model_validator(mode="after")
    def _what_is_shown_fits(self) -> Self:
        items: list[tuple[str, Table | Figure]] = [*self.tables.items(), *self.figures.items()]
        for name, item in items:
            if unknown := [metric for metric in item.metrics if metric not in METRICS]:
                raise unknown_name(f"metric of {name}", unknown[0], METRICS)
        for name, table in self.tables.items():
            for metric in table.highlight:
                if metric not in table.metrics:
                    raise ValueError(f"{name} highlights {metric}, which is not among its metrics")
                if METRICS[metric].better is None:
                    raise ValueError(f"{name} highlights {metric}, of which neither low nor high values are best")
            if table.kind == "times" and not table.algorithms:
                raise ValueError(f"{name} needs algorithms, the first of which the others are compared with")
        for name, figure in self.figures.items():
            if figure.kind in ("sweep", "profile") and figure.sweep not in self.sweeps:
                known_sweeps = ", ".join(self.sweeps) or "none"
                raise ValueError(f"figure {name} shows sweep {figure.sweep!r}, known: {known_sweeps}")
        return self

    @model_validator(mode="after")
    def _the_protocol_allows_it(self) -> Self:
        if isinstance(self.protocol, Nested):
            chosen = self.protocol.select
            setting = [name for name, entry in self.algorithms.items() if chosen in entry.parameters]
            setting += [name for name, sweep in self.sweeps.items() if chosen in (sweep.parameter, *sweep.parameters)]
            if setting:
                raise ValueError(f"{setting[0]} sets {chosen}, which cross-validation chooses")
        for name, sweep in self.sweeps.items():
            if sweep.kind == "scaling" and not isinstance(self.protocol, Nested):
                raise ValueError(f"{name} scales kernels, which only nested studies do")
            if sweep.kind == "profile" and not isinstance(self.protocol, Holdout):
                raise ValueError(f"{name} profiles a search, which only holdout studies have")
        return self

    @model_validator(mode="after")
    def _the_protocol_has_what_it_needs(self) -> Self:
        if not isinstance(self.protocol, Holdout):
            if not self.kernels or self.dictionary:
                raise ValueError(f"a study of kind {self.protocol.kind} needs kernels, and no dictionary")
            if tuned := [name for name, entry in self.algorithms.items() if entry.tune]:
                raise ValueError(f"{tuned[0]} tunes a parameter, which only holdout studies do")
            return self
        if self.kernels or not self.dictionary:
            raise ValueError("a study of kind holdout needs a dictionary, and no kernels")
        sizes = self.protocol.sizes
        if without := [name for name in self.datasets if name not in sizes and "default" not in sizes]:
            raise ValueError(f"sizes: {without[0]} has none, and there is no default")
        for name, entry in self.algorithms.items():
            if entry.tune and entry.tune.parameter in entry.parameters:
                raise ValueError(f"{name} sets {entry.tune.parameter}, which is tuned")
        return self

    def file(self, entry: str) -> str:
        """Return the name in the registry of an entry's algorithm."""
        return self.algorithms[entry].algorithm or entry

    def variants(self, entry: str) -> list[str]:
        """Return the entries that are other readings of one."""
        return [name for name, other in self.algorithms.items() if other.variant_of == entry]

    def kernel_list(self) -> list[Kernel]:
        """Return the base kernels in the order that the algorithms see."""
        return [kernel for family in self.kernels for kernel in family.kernels()]

    def shown_datasets(self) -> list[tuple[str, str]]:
        """Return (sweep or figure, data set) for every data set that one of them names."""
        items: list[tuple[str, Sweep | Figure]] = [*self.sweeps.items(), *self.figures.items()]
        return [(name, dataset) for name, item in items for dataset in item.datasets]
