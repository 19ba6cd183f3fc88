"""The models of what a study shows: sweeps, tables and figures, one class a kind.

The file's key `kind` says which class describes an item; each class has the keys of its own kind and no other. Where a
file leaves `kind` out, the most frequent one is meant.
"""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from grambench.config.load import Model
from grambench.config.names import Grid, Name, Names, Parameter, Setting, listed


def _of_kind(usual: str) -> BeforeValidator:
    """Return what fills in the usual kind where the file names none."""
    return BeforeValidator(lambda values: {"kind": usual} | values if isinstance(values, dict) else values)


AtLeastOne = Annotated[list[int | float], Field(min_length=1)]
Points = Annotated[AtLeastOne, BeforeValidator(listed, json_schema_input_type=AtLeastOne | Grid)]
OneName = Annotated[list[Name], Field(min_length=1, max_length=1)]


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
    """In holdout studies: what a stagewise algorithm's search maximises, at each value of the kernel's parameter."""

    kind: Literal["profile"]


class SizeSweep(AnySweep):
    """In studies of many classes: with so many kernels of the pool, or so many training examples of each class.

    They are drawn anew in each repeat, the same for all algorithms; the fewer are among the more.

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


# tables


class AnyTable(Item):
    """One table of the paper, with our numbers beside the published ones.

    Attributes
    ----------
    title, caption : str
        As printed above the table.
    remark : str or None
        What has to be said beneath it beside what is said of every table of its kind.
    """

    title: str
    caption: str
    remark: str | None = None


class ResultsTable(AnyTable):
    """A block a data set, a row a metric, a column an algorithm.

    Attributes
    ----------
    highlight : list of str
        Metrics whose best values are set in bold: the best mean, and those that a t-test cannot tell from it.
    """

    kind: Literal["results"] = "results"
    algorithms: list[Name] = []
    metrics: list[Name] = []
    highlight: list[Name] = []

    def judged(self) -> list[str]:
        """Return the metrics of which an item says what is best."""
        return self.highlight

    @model_validator(mode="after")
    def _highlights_what_it_shows(self) -> Self:
        if stray := [metric for metric in self.highlight if metric not in self.metrics]:
            raise ValueError(f"highlights {stray[0]}, which is not among its metrics")
        return self


class RanksTable(AnyTable):
    """All data sets together: median and mean ranks, and means over the data sets.

    Attributes
    ----------
    by : str
        The metric by whose mean the algorithms are ranked on each data set.
    rows : str
        "metrics", and a column an algorithm; or "algorithms", the best first, and a column a metric.
    """

    kind: Literal["ranks"]
    algorithms: Names
    metrics: Names
    by: Name = "error_percent"
    rows: Literal["metrics", "algorithms"] = "metrics"

    def judged(self) -> list[str]:
        """Return the metrics of which an item says what is best."""
        return [self.by]


class MatrixTable(AnyTable):
    """A row a data set, a column an algorithm, means of one metric; the best of each data set in bold."""

    kind: Literal["matrix"]
    algorithms: Names
    metrics: OneName

    def judged(self) -> list[str]:
        """Return the metrics of which an item says what is best."""
        return self.metrics


class PairsTable(AnyTable):
    """A row and a column an algorithm: on how many data sets the row's wins, ties and loses against the column's."""

    kind: Literal["pairs"]
    algorithms: Names
    metrics: OneName

    def judged(self) -> list[str]:
        """Return the metrics of which an item says what is best."""
        return self.metrics


class TimesTable(AnyTable):
    """A row a data set, the seconds of the algorithms and their ratio to the first one's."""

    kind: Literal["times"]
    algorithms: Names


class RelativeTable(AnyTable):
    """A block each of distances from the best kernel by itself, ratios of seconds, and ranks; a row a data set.

    Attributes
    ----------
    reference : str
        The algorithm whose seconds are 100 percent, and from whose published metric the published distances are.
    sweep : str
        Over `kernel`, of one algorithm, which tells the best.
    """

    kind: Literal["relative"]
    algorithms: Names
    metrics: OneName
    reference: Name
    sweep: Name

    def named(self, what: Literal["algorithms", "datasets", "metrics"]) -> list[str]:
        """Return the algorithms, data sets or metrics that it lists, the reference among the first."""
        return [*super().named(what), *([self.reference] if what == "algorithms" else [])]

    def judged(self) -> list[str]:
        """Return the metrics of which an item says what is best."""
        return self.metrics


class DatasetsTable(AnyTable):
    """The data sets as loaded."""

    kind: Literal["datasets"]


Table = Annotated[
    Annotated[
        ResultsTable | RanksTable | MatrixTable | PairsTable | TimesTable | RelativeTable | DatasetsTable,
        Field(discriminator="kind"),
    ],
    _of_kind("results"),
]


# figures; each kind is drawn by the module of grambench.report.figures that is called as it


class AnyFigure(Item):
    """One figure.

    Attributes
    ----------
    title, caption : str
        As printed with the figure.
    """

    title: str
    caption: str


class CurvesFigure(AnyFigure):
    """A metric over the pass, a panel a data set, a line an algorithm, a band over the repeats."""

    kind: Literal["curves"] = "curves"
    metrics: OneName
    algorithms: Names
    datasets: Names


class SweepFigure(AnyFigure):
    """A metric over the values of a sweep, laid out as the curves are.

    Attributes
    ----------
    level : str
        What the algorithms without the sweep are called, beside their titles: each is a dotted level. None of them
        where it is empty.
    """

    kind: Literal["sweep"]
    sweep: Name
    level: str = ""
    metrics: OneName
    algorithms: Names
    datasets: Names


class EachKernelFigure(AnyFigure):
    """The best and the worst kernels by themselves, a panel a data set, as a sweep over the kernel's number tells.

    Attributes
    ----------
    sweep : str
        Over `kernel`, of one algorithm.
    count : int
        How many of either.
    """

    kind: Literal["each_kernel"]
    sweep: Name
    metrics: OneName
    algorithms: OneName
    datasets: Names
    count: Annotated[int, Field(ge=1)] = 5


class PicksFigure(AnyFigure):
    """In how many repeats the kernel of the largest weight is one of the best by themselves, during the pass.

    Attributes
    ----------
    sweep : str
        Over `kernel`, of one algorithm, which tells the best.
    count : int
        How many count as the best.
    """

    kind: Literal["picks"]
    sweep: Name
    metrics: OneName
    algorithms: Names
    datasets: Names
    count: Annotated[int, Field(ge=1)] = 5


class ProgressFigure(AnyFigure):
    """What algorithms have on their way, a panel a data set.

    Attributes
    ----------
    x : str
        The metric of their states against which another is drawn.
    """

    kind: Literal["progress"]
    x: Name
    metrics: OneName
    algorithms: Names
    datasets: Names


class ConfusionFigure(AnyFigure):
    """Which classes one algorithm takes for which, a panel a data set."""

    kind: Literal["confusion"]
    metrics: OneName
    algorithms: OneName
    datasets: Names


class ProfileFigure(AnyFigure):
    """A sweep of kind profile: a line an iteration of the first algorithm in the first repeat."""

    kind: Literal["profile"]
    sweep: Name
    metrics: Names
    algorithms: Names
    datasets: Names


class DotsFigure(AnyFigure):
    """A metric of each algorithm on each data set, in one panel."""

    kind: Literal["dots"]
    metrics: OneName
    algorithms: Names
    datasets: Names


class AcrossFigure(AnyFigure):
    """A panel a metric, over data sets that differ in one number.

    Attributes
    ----------
    x : list of float
        That number of each data set.
    label : str
        Of the axis.
    """

    kind: Literal["across"]
    metrics: Names
    algorithms: Names
    datasets: Names
    x: list[float]
    label: str = ""

    @model_validator(mode="after")
    def _one_number_a_data_set(self) -> Self:
        if len(self.x) != len(self.datasets):
            raise ValueError(f"expected an x for each of its {len(self.datasets)} data sets, got {len(self.x)}")
        return self


class FoundFigure(AnyFigure):
    """The kernels of a continuous family that the algorithms have found in all repeats, weight against parameter.

    Attributes
    ----------
    label : str
        Of the axis.
    marks : dict of float
        Parameters that are marked, by the names to print there.
    """

    kind: Literal["found"]
    metrics: OneName
    algorithms: Names
    datasets: Names
    label: str = ""
    marks: dict[str, float] = {}


class FunctionFigure(AnyFigure):
    """What labels the examples of a synthetic data set.

    Attributes
    ----------
    function : str
        A name in grambench.datasets.generators.FUNCTIONS.
    x : list of float
        Where it begins and ends.
    label : str
        Of the axis.
    """

    kind: Literal["function"]
    function: Literal["three_sines"]
    x: tuple[float, float]
    label: str = ""


class AgreementFigure(AnyFigure):
    """Published against own means, a panel a metric; of all algorithms where none is listed."""

    kind: Literal["agreement"]
    metrics: Names
    algorithms: list[Name] = []


class QuantilesFigure(AnyFigure):
    """How far published numbers are from where our replications put them, against the normal distribution."""

    kind: Literal["quantiles"]


class AnyField(AnyFigure):
    """A figure of many algorithms on many data sets, by one metric; of all data sets where none is listed."""

    metrics: OneName
    algorithms: Names
    datasets: list[Name] = []

    def judged(self) -> list[str]:
        """Return the metrics of which an item says what is best."""
        return self.metrics


class PanelsFigure(AnyField):
    """A panel a data set, a row an algorithm: its mean and standard deviation."""

    kind: Literal["panels"]


class HeatmapFigure(AnyField):
    """A row an algorithm, a column a data set: how far its mean is behind the best one there."""

    kind: Literal["heatmap"]


class CriticalDifferenceFigure(AnyField):
    """Mean ranks on a line; bars join algorithms that cannot be told apart over the data sets."""

    kind: Literal["critical_difference"]


class ParetoFigure(AnyField):
    """How far algorithms are behind the best, against what they cost, with those that none beats in both.

    Attributes
    ----------
    cost : str
        The metric of the other axis.
    """

    kind: Literal["pareto"]
    cost: Name = "seconds"

    def judged(self) -> list[str]:
        """Return the metrics of which an item says what is best."""
        return [*self.metrics, self.cost]


Figure = Annotated[
    Annotated[
        CurvesFigure
        | SweepFigure
        | EachKernelFigure
        | PicksFigure
        | ProgressFigure
        | ConfusionFigure
        | ProfileFigure
        | DotsFigure
        | AcrossFigure
        | FoundFigure
        | FunctionFigure
        | AgreementFigure
        | QuantilesFigure
        | PanelsFigure
        | HeatmapFigure
        | CriticalDifferenceFigure
        | ParetoFigure,
        Field(discriminator="kind"),
    ],
    _of_kind("curves"),
]
