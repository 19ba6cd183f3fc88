"""The model of `config/studies/*.yaml`: one paper's data sets, kernels, algorithms, protocol, tables and figures."""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import BeforeValidator, Field, model_validator

from grambench.common.errors import ConfigError, unknown_name
from grambench.config.load import Model
from grambench.config.metrics import METRICS
from grambench.config.names import Grid, Name, Names, Parameter, Setting, listed
from grambench.config.protocols import SWEEP_YIELDS, Protocol
from grambench.config.shown import Figure, Item, Sweep, Table
from grambench.kernels import continuous
from grambench.kernels.functions import DEGREE, FAMILIES, Kernel

NARROWEST, WIDEST = 1e-100, 1e100  # their squares, and those times squared distances, are numbers still
HIGHEST = 1000  # degree of a polynomial: so many products of whole Gram matrices

Shown = TypeVar("Shown", bound=Item)
File = Annotated[str, Field(pattern=r"^[a-z0-9_]+\.csv$")]


Floats = Annotated[list[float], Field(min_length=1)]
Values = Annotated[Floats, BeforeValidator(listed, json_schema_input_type=Floats | Grid)]


class Tune(Model):
    """A parameter of an algorithm that is chosen on examples held out of the training ones.

    Attributes
    ----------
    parameter : str
        Its name.
    values : list of float
        What it is chosen from, the first of the best; in the file, a grid may stand for them.
    by : str
        "error": the least error of the final model. "alignment": the largest alignment of the learned kernel.
    C : list of float
        Values of an algorithm's own C to select from too: each is tried with each value.
    """

    parameter: Parameter
    values: Values
    by: Literal["error", "alignment"] = "error"
    C: list[float] = []

    @model_validator(mode="after")
    def _chooses_two(self) -> Self:
        if self.C and self.parameter == "C":
            raise ValueError("a tune over C has no other C: give the values of one")
        return self

    def chosen(self) -> list[str]:
        """Return the parameters that are chosen."""
        return [self.parameter, *(["C"] if self.C else [])]


class Entry(Model):
    """One contestant: an algorithm of the registry with its parameters.

    Attributes
    ----------
    algorithm : str or None
        The algorithm's name in the registry, where the entry's own name is another; or the dotted name of a module of
        an installed package.
    path : str or None
        The algorithm's file, relative to the study's, where it is of no package.
    title : str or None
        The name in tables, where it is not the algorithm's.
    variant_of : str or None
        The entry of which this one is a variant: it is compared with that one's published numbers.
    parameters : dict
        Those that are not left at their defaults.
    tune : Tune or None
        What is chosen, where the protocol holds examples out; in nested studies in the place of theirs.
    then : str or None
        In split studies, the algorithm that learns on the one kernel to which the entry's own gives most weight:
        one selects, the other is trained.
    """

    algorithm: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$|^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")] | None = None
    path: Annotated[str, Field(pattern=r"\.py$")] | None = None
    title: str | None = None
    variant_of: Name | None = None
    parameters: dict[Parameter, Setting] = {}
    tune: Tune | None = None
    then: Name | None = None

    @model_validator(mode="after")
    def _is_in_one_place(self) -> Self:
        if self.algorithm and self.path:
            raise ValueError(f"algorithm {self.algorithm} and path {self.path}: expected one of them")
        return self


class KernelFamily(Model):
    """One family of kernels with the list of its parameter's values."""

    family: str
    values: Annotated[list[float], Field(min_length=1)]

    def kernels(self, view: str = "") -> list[Kernel]:
        """Return one kernel for each value, in the order given."""
        return [Kernel(self.family, value, view) for value in self.values]


class ViewKernels(Model):
    """The same kernels on each of several views of the examples, view by view."""

    views: Names
    families: Annotated[list[KernelFamily], Field(min_length=1)]

    def kernels(self) -> list[Kernel]:
        """Return the kernels of the first view, then those of the next."""
        return [kernel for view in self.views for family in self.families for kernel in family.kernels(view)]


class Dictionary(Grid):
    """A family of kernels with a continuous parameter, and the grid of it for algorithms that need finitely many.

    Attributes
    ----------
    low, high, count, spacing
        Of the grid; its ends are the bounds of the parameter.
    family : str
        A module of grambench.kernels.continuous.
    unit : str or None
        "median": low and high are in units of the median distance between training examples.
    """

    family: str
    unit: Literal["median"] | None = None

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        continuous.module(self.family)
        for end in (self.low, self.high):
            if end and not NARROWEST <= abs(end) <= WIDEST:
                raise ValueError(f"expected bounds between {NARROWEST:g} and {WIDEST:g}, got {end:g}")
        return self


class Characteristics(Model):
    """What a paper prints of each data set: its size, its dimension and, in studies with experts, the best kernel.

    Attributes
    ----------
    item : str
        What reproduction.csv calls the place, such as "Table 3, data sets".
    file : str
        The file: dataset, n, d, and best_kernel if the study has experts.
    """

    item: str
    file: File


class Chosen(Model):
    """A convention that was chosen because it gives printed numbers, so that these say less for it than others.

    Attributes
    ----------
    convention : str
        What was chosen, in words.
    algorithms : list of str
        The entries whose numbers have chosen it.
    datasets : list of str
        On these data sets; on all where none is named.
    """

    convention: str
    algorithms: Names
    datasets: list[Name] = []

    def covers(self, dataset: str, algorithm: str) -> bool:
        """Return whether a cell is one of those that have chosen."""
        return algorithm in self.algorithms and (not self.datasets or dataset in self.datasets)


Margin = Annotated[float, Field(gt=0)] | Annotated[str, Field(pattern=r"^[1-9][0-9]* %$")]


class Published(Model):
    """The paper's numbers, in files of config/published.

    Attributes
    ----------
    runs : int
        The number of runs behind every published mean and standard deviation; where numbers are of all data sets
        together, the number of data sets.
    results : list of str
        Files of numbers, one a row: table, dataset, algorithm, metric, mean, std (empty where none is printed).
    characteristics : Characteristics or None
        The data sets, where the paper prints them.
    margins : dict of float or str
        For each metric the difference that would matter: in its unit, or as "10 %" of the published mean. A number is
        confirmed where no larger difference is possible; it is declared before any number is looked at.
    chosen : list of Chosen
        The conventions that the paper leaves out and its numbers have chosen.
    resampled : str
        What another study would draw anew behind a median rank: the "draws" of examples, or the "datasets" as well,
        where the paper does not name its own.
    """

    runs: Annotated[int, Field(ge=1)]
    results: list[File] = []
    characteristics: Characteristics | None = None
    margins: dict[Name, Margin] = {}
    chosen: list[Chosen] = []
    resampled: Literal["draws", "datasets"] = "draws"

    @model_validator(mode="after")
    def _margins_are_of_metrics(self) -> Self:
        for metric in self.margins:
            if metric not in METRICS:
                raise unknown_name("metric of margins", metric, METRICS)
        return self

    def margin(self, metric: str, published: float) -> float | None:
        """Return the difference from a published mean that would matter; None where none is declared."""
        declared = self.margins.get(metric)
        if isinstance(declared, str):
            return float(declared.removesuffix(" %")) / 100.0 * abs(published)
        return declared

    def chosen_by(self, dataset: str, algorithm: str) -> str:
        """Return the conventions that a cell has chosen, in one line."""
        return "; ".join(each.convention for each in self.chosen if each.covers(dataset, algorithm))

    def files(self) -> list[str]:
        """Return the names of all files."""
        return [*self.results, *([self.characteristics.file] if self.characteristics else [])]


class Replications(Model):
    """How often a study's runs are made again with other draws: where its numbers might have been by chance.

    Attributes
    ----------
    count : int
        How often at most, the study's own runs among them.
    seconds : float
        What the others may take of an entry on a data set, as expected; where they take longer there are fewer.
    algorithms : list of str
        The entries that are run again on every data set.
    datasets : dict of list of str
        Data sets with the entries that are run again on them alone.
    """

    count: Annotated[int, Field(ge=3, le=1000)] = 20
    seconds: Annotated[float, Field(gt=0)]
    algorithms: list[Name] = []
    datasets: dict[Name, Names] = {}

    def entries(self, dataset: str) -> list[str]:
        """Return the entries that are run again on a data set."""
        return list(dict.fromkeys([*self.algorithms, *self.datasets.get(dataset, [])]))


class Study(Model):
    """One paper's experiments.

    Attributes
    ----------
    name, title, paper : str
        The file's name; what the report calls the study; the paper, as cited.
    protocol : Protocol
        How algorithms meet data.
    kernels : list of KernelFamily or ViewKernels
        The base kernels.
    dictionary : Dictionary or None
        The family of algorithms that choose kernels from a continuous one; its grid is the base kernels where there
        are no others.
    seconds : float or None
        Of a run at most, where that is less than the project's limit.
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
    replications : Replications or None
        How often its runs are made again, which only `snakemake replications` does.
    """

    name: Name
    title: str
    paper: str
    protocol: Annotated[Protocol, Field(discriminator="kind")]
    kernels: list[KernelFamily | ViewKernels] = []
    dictionary: Dictionary | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None
    datasets: Names
    algorithms: Annotated[dict[Name, Entry], Field(min_length=1)]
    experts: Name | None = None
    sweeps: dict[Name, Sweep] = {}
    tables: dict[Name, Table] = {}
    figures: dict[Name, Figure] = {}
    published: Published | None = None
    replications: Replications | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        checks = (
            self._names_are_unique_and_known,
            self._what_is_shown_fits,
            self._the_protocol_allows_it,
            self._there_is_something_to_learn_from,
        )
        if faults := [fault for check in checks for fault in check()]:
            raise ConfigError("\n".join(faults))
        return self

    def _names_are_unique_and_known(self) -> Iterator[str]:
        for what, names in (("kernel", [kernel.name for kernel in self.kernel_list()]), ("data set", self.datasets)):
            if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
                yield f"{what} {twice[0]} is listed twice"
        shown: list[tuple[str, Item]] = [*self.sweeps.items(), *self.tables.items(), *self.figures.items()]
        named = [(place, name) for place, item in shown for name in item.named("algorithms")]
        scaled = [(place, sweep) for place, sweep in self.sweeps.items() if sweep.kind == "scaling"]
        named += [(place, name) for place, sweep in scaled for name in sweep.references.values()]
        named += [(place, entry.variant_of) for place, entry in self.algorithms.items() if entry.variant_of]
        named += [("experts", self.experts)] if self.experts else []
        named += [("chosen", name) for each in self._chosen() for name in each.algorithms]
        if again := self.replications:
            named += [
                ("replications", name) for name in [*again.algorithms, *itertools.chain(*again.datasets.values())]
            ]
        for place, name in named:
            if name not in self.algorithms:
                yield f"{place} names algorithm {name}, which the study does not have"

    def _what_is_shown_fits(self) -> Iterator[str]:
        items: list[tuple[str, Item]] = [*self.tables.items(), *self.figures.items()]
        judged = [(name, metric) for name, item in items for metric in item.judged()]
        named = [(name, metric) for name, item in items for metric in item.named("metrics")]
        for name, metric in [*named, *judged]:
            if metric not in METRICS:
                yield str(unknown_name(f"metric of {name}", metric, METRICS))
            elif metric not in self._yields() and not METRICS[metric].derived:
                measured = ", ".join(sorted(self._yields()))
                yield f"{name} shows {metric}, which a study of kind {self.protocol.kind} does not measure: {measured}"
        for name, metric in judged:
            if metric in METRICS and METRICS[metric].better is None:
                yield f"{name} judges by {metric}, of which neither low nor high values are best"
        for name, item in items:
            sweep = getattr(item, "sweep", None)
            if sweep is not None and sweep not in self.sweeps:
                known_sweeps = ", ".join(self.sweeps) or "none"
                yield f"{name} shows sweep {sweep!r}, known: {known_sweeps}"

    def _the_protocol_allows_it(self) -> Iterator[str]:
        for chosen in self.protocol.tuned():
            setting = [name for name, entry in self.algorithms.items() if chosen in entry.parameters]
            setting += [name for name, sweep in self.sweeps.items() if chosen in sweep.sets()]
            if setting:
                yield f"{setting[0]} sets {chosen}, which cross-validation chooses"
        if self.replications and not (self.published and self.published.margins):
            yield "replications judge published numbers by their margins, of which the study has none"
        for name, sweep in self.sweeps.items():
            if sweep.kind not in self.protocol.sweeps:
                known = " and ".join(self.protocol.sweeps)
                yield f"sweep {name} is of kind {sweep.kind}, studies of kind {self.protocol.kind} do {known}"
            if sweep.kind == "size" and sweep.of == "kernels" and max(sweep.values) > (most := len(self.kernel_list())):
                yield f"sweep {name} asks for {max(sweep.values)} kernels, the study has {most}"
        for name, entry in self.algorithms.items():
            if (entry.then or entry.tune) and not self.protocol.selects:
                what = f"tunes {entry.tune.parameter}" if entry.tune else "selects, then trains"
                yield f"{name} {what}, but a study of kind {self.protocol.kind} has no validation examples"
            if not entry.tune:
                continue
            for chosen in entry.tune.chosen():
                if chosen in entry.parameters:
                    yield f"{name} sets {chosen}, which is tuned"
                for title, sweep in self.sweeps.items():
                    if name in sweep.algorithms and chosen in sweep.sets():
                        yield f"sweep {title} sets {chosen}, which {name} tunes"

    def _there_is_something_to_learn_from(self) -> Iterator[str]:
        if not self.kernels and not self.dictionary:
            yield "a study needs kernels, or a dictionary, or both"
        for kernel in self.kernel_list():
            low, high = (1, HIGHEST) if FAMILIES[kernel.family].requirement == DEGREE else (NARROWEST, WIDEST)
            if not low <= kernel.parameter <= high:
                yield f"{kernel.name}: expected a parameter between {low:g} and {high:g}"
        relative = [kernel.name for kernel in self.kernel_list() if kernel.relative]
        if relative and self.protocol.stored:
            yield f"{relative[0]} is in units of training examples, which a study of kind {self.protocol.kind} has not"
        if lacking := self.protocol.lacking(self.datasets):
            yield lacking

    def _yields(self) -> frozenset[str]:
        """Return the metrics that runs and sweeps of the study have."""
        return self.protocol.yields.union(*(SWEEP_YIELDS.get(sweep.kind, ()) for sweep in self.sweeps.values()))

    def _chosen(self) -> list[Chosen]:
        return self.published.chosen if self.published else []

    def file(self, entry: str) -> str:
        """Return the name of an entry's algorithm: see `grambench.algorithms`."""
        return self.algorithms[entry].path or self.algorithms[entry].algorithm or entry

    def located(self, folder: Path) -> Self:
        """Return the study of a file in a folder, with paths as they are from here."""
        entries = {
            name: entry.model_copy(update={"path": os.path.relpath(folder / entry.path)} if entry.path else {})
            for name, entry in self.algorithms.items()
        }
        return self.model_copy(update={"algorithms": entries})

    def variants(self, entry: str) -> list[str]:
        """Return the entries that are variants of one."""
        return [name for name, other in self.algorithms.items() if other.variant_of == entry]

    def kernel_list(self) -> list[Kernel]:
        """Return the base kernels in the order that the algorithms see."""
        return [kernel for family in self.kernels for kernel in family.kernels()]

    def with_unnamed(self, item: Shown) -> Shown:
        """Return a table or figure of several entries with those added that no table or figure names.

        An entry of one's own, added to a study by a line, stands beside all others that way.
        """
        listed = item.named("algorithms")
        if len(listed) < 2:  # it is of that one
            return item
        items: list[Item] = [*self.tables.values(), *self.figures.values()]
        named = {name for each in items for name in each.named("algorithms")}
        unnamed = [name for name in self.algorithms if name not in named]
        return item.model_copy(update={"algorithms": [*getattr(item, "algorithms"), *unnamed]})  # noqa: B009

    def shown_datasets(self) -> list[tuple[str, str]]:
        """Return (sweep or figure, data set) for every data set that one of them names, or the replications."""
        items: list[tuple[str, Item]] = [*self.sweeps.items(), *self.figures.items()]
        again = self.replications.datasets if self.replications else []
        shown = [(name, dataset) for name, item in items for dataset in item.named("datasets")]
        shown += [("chosen", dataset) for each in self._chosen() for dataset in each.datasets]
        return shown + [("replications", dataset) for dataset in again]
