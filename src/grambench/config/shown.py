"""The models of what a study shows: sweeps, tables and figures."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from grambench.config.load import Model
from grambench.config.names import Grid, Name, Parameter


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
