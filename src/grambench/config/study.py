"""The model of `config/studies/*.yaml`: one paper's data sets, kernels, algorithms, protocol, tables and figures."""

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from pydantic import Discriminator, Field, Tag, model_validator
from pydantic.json_schema import SkipJsonSchema

from grambench.common.errors import ConfigError, unknown_name
from grambench.common.models import ConfigModel
from grambench.common.types import Approximation
from grambench.config.metrics import METRICS
from grambench.config.names import Grid, Name, Names, OneOrMoreNumbers, Parameter, Setting, Tuning, twice
from grambench.config.protocols import SWEEP_YIELDS, Offline, Online, Protocol
from grambench.config.published import ChosenConvention, Published, ReplicationSettings
from grambench.config.shown import Figure, Item, Sweep, Table
from grambench.kernels.dictionary import NARROWEST, WIDEST, check_family
from grambench.kernels.functions import DEGREE, FAMILIES, Kernel, single_features
from grambench.kernels.subsets import RandomSubsets

if TYPE_CHECKING:
    from grambench.datasets.descriptions import Dataset

COMPONENTS = 256  # features of a kernel, where an entry does not say how many
HIGHEST = 1000  # degree of a polynomial: so many products of whole Gram matrices

Views = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]  # as a description names them
Shown = TypeVar("Shown", bound=Item)


class Entry(ConfigModel):
    """An entry: the configuration of an algorithm in a study.

    Attributes
    ----------
    algorithm : str or None
        The algorithm's name in the registry if it differs from the entry's name, or the dotted name of a module of an
        installed package.
    path : str or None
        The algorithm's file, relative to the study's file, if it belongs to no package.
    title : str or None
        The name in tables if it differs from the algorithm's title.
    variant_of : str or None
        The entry of which this one is a variant. The variant is compared with that entry's published numbers.
    parameters : dict
        The parameters that differ from their defaults.
    tune : Tuning or None
        The hyperparameter to select if the protocol has validation examples. In nested cross-validation it replaces
        the selection of the protocol.
    best_of : list of lists of str
        Groups of views. The entry learns from one kernel of each group, for which a least-squares SVM has the least
        leave-one-out error on the training examples.
    center : bool
        Whether kernels are centred for this entry, whatever the protocol says (see `center` of protocols).
    then : str or None
        The algorithm to train on the one kernel to which the entry's algorithm gives the largest weight, for protocols
        with a fixed train/test split.
    approximation : str or None
        "fourier" or "nystroem": the algorithm learns online from features that approximate the kernels, so that every
        example costs the same.
    n_components : int
        The number of features of each kernel, if there is an approximation.
    pool : str or None
        One of the study's further `pools`, whose kernels the entry has in place of the study's `kernels`.
    datasets : list of str
        The data sets that the entry is run on; empty stands for all of the study.
    """

    algorithm: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$|^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")] | None = None
    path: Annotated[str, Field(pattern=r"\.py$")] | None = None
    title: str | None = None
    variant_of: Name | None = None
    parameters: dict[Parameter, Setting] = {}
    tune: Tuning | None = None
    best_of: list[Views] = []
    center: bool = False
    then: Name | None = None
    approximation: Approximation | None = None
    n_components: Annotated[int, Field(ge=2)] = COMPONENTS
    pool: Name | None = None
    datasets: list[Name] = []

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        if self.algorithm and self.path:
            raise ValueError(f"algorithm {self.algorithm} and path {self.path}: expected one of them")
        if self.n_components != COMPONENTS and not self.approximation:
            raise ValueError("n_components: expected an approximation beside it, got none")
        return self


class KernelFamily(ConfigModel):
    """One family of kernels with the list of its parameter's values."""

    family: str
    values: OneOrMoreNumbers

    def kernels(self, view: str = "") -> list[Kernel]:
        """Return one kernel for each value, in the order given."""
        return [Kernel(self.family, value, view) for value in self.values]


class ViewKernels(ConfigModel):
    """The same kernels on each of several views of the examples, view by view.

    Attributes
    ----------
    views : list of str, "all" or "features"
        The views. "all" stands for those of each data set, or for all its features if it has no views. "features",
        of one of the `pools`, stands for all features together, and then for each single one.
    families : list of KernelFamily
        The kernels on each view.
    datasets : list of str
        The data sets that have these kernels; empty stands for all of the study.
    """

    views: Views | Literal["all", "features"]
    families: Annotated[list[KernelFamily], Field(min_length=1)]
    datasets: list[Name] = []

    def kernels(self, views: Sequence[str], d: int = 0) -> list[Kernel]:
        """Return the kernels of the first view, then of the next; `views` are all views of a data set of d features."""
        chosen = {"all": views, "features": ["", *single_features(d)]}.get(str(self.views), self.views)
        return [kernel for view in chosen for family in self.families for kernel in family.kernels(view)]


def _form(part: Any) -> str:
    """Return the name of the model of a part of a list of kernels, by a key that it alone has."""
    on_views = isinstance(part, ViewKernels) or (isinstance(part, dict) and not part.keys().isdisjoint(VIEW_KEYS))
    return "ViewKernels" if on_views else "KernelFamily"


VIEW_KEYS = {"views", "families"}
Kernels = Annotated[
    Annotated[KernelFamily, Tag("KernelFamily")] | Annotated[ViewKernels, Tag("ViewKernels")], Discriminator(_form)
]


class Dictionary(Grid):
    """A family of kernels with a continuous parameter, and a grid for algorithms that need finitely many kernels.

    Attributes
    ----------
    low, high, count, spacing
        The grid of the parameter; its ends are the bounds of the parameter.
    family : str
        The name of a module of grambench.kernels.continuous.
    unit : str or None
        "median": low and high are in units of the median distance between training examples.
    """

    family: str
    unit: Literal["median"] | None = None

    @model_validator(mode="after")
    def _check_family_and_bounds(self) -> Self:
        check_family(self.family, self.low, self.high)
        return self


class Study(ConfigModel):
    """One paper's experiments.

    Attributes
    ----------
    name, title, paper : str
        The name of the file, the title in the report, and the citation of the paper.
    url : str
        The address of the paper, a DOI if it has one; empty if it has none.
    claim : str
        What the paper proposes and claims, or what a study without a paper asks, in one sentence.
    protocol : Protocol
        How data are divided, hyperparameters selected and models evaluated.
    kernels : list of KernelFamily or ViewKernels
        The base kernels.
    pools : dict of list of KernelFamily or ViewKernels
        Further lists of base kernels by name, for entries that name one as their `pool`.
    dictionary : Dictionary or None
        The continuous family from which some algorithms choose kernels. If `kernels` is empty, the grid of the
        dictionary gives the base kernels.
    subsets : RandomSubsets or None
        Gaussian kernels on random subsets of the features, in place of `kernels` and `dictionary`.
    seconds : float or None
        The time limit of a run if it is lower than the project's limit.
    datasets : list of str
        Names of files in config/datasets.
    populations : dict of (str, int)
        By data set, the collection that its examples are of and their number in its smallest source. Data sets of one
        collection count as one where algorithms are compared over data sets. `Configuration` fills it in.
    multisource : list of str
        The data sets whose views are sources, measured apart. `Configuration` fills it in.
    algorithms : dict of Entry
        The configurations of algorithms.
    experts : str or None
        The entry that updates the classifier of every kernel at each of its mistakes. The numbers of updates tell
        which single kernel is best.
    sweeps, tables, figures : dict
        The sweeps, tables and figures of the paper.
    published : Published or None
        The paper's numbers.
    replications : Replications or None
        The replications of the study, which only `snakemake replications` runs.
    """

    name: Name
    title: str
    paper: str
    url: Annotated[str, Field(pattern=r"^(https?://\S+)?$")] = ""
    claim: str = ""
    protocol: Annotated[Protocol, Field(discriminator="kind")]
    kernels: list[Kernels] = []
    pools: dict[Name, Annotated[list[Kernels], Field(min_length=1)]] = {}
    dictionary: Dictionary | None = None
    subsets: RandomSubsets | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None
    datasets: Names
    populations: SkipJsonSchema[dict[Name, tuple[Name, int]]] = {}
    multisource: SkipJsonSchema[list[Name]] = []
    algorithms: Annotated[dict[Name, Entry], Field(min_length=1)]
    experts: Name | None = None
    sweeps: dict[Name, Sweep] = {}
    tables: dict[Name, Table] = {}
    figures: dict[Name, Figure] = {}
    published: Published | None = None
    replications: ReplicationSettings | None = None

    @model_validator(mode="after")
    def _check_consistency(self) -> Self:
        checks = (self._check_names, self._check_metrics_and_sweeps, self._check_protocol, self._check_kernels_and_data)
        if faults := [fault for check in checks for fault in check()]:
            raise ConfigError("\n".join(faults))
        return self

    def _check_names(self) -> Iterator[str]:
        pools = itertools.product([None, *self.pools], self.datasets)
        lists = dict.fromkeys(tuple(each.name for each in self.kernel_list(dataset=d, pool=pool)) for pool, d in pools)
        files = self.published.files() if self.published else []
        for kind, names in [*(("kernel", names) for names in lists), ("data set", self.datasets), ("file", files)]:
            if name := twice(names):
                yield f"{kind} {name} is listed twice"
        items: list[tuple[str, Item]] = [*self.sweeps.items(), *self.tables.items(), *self.figures.items()]
        mentions = [(title, name) for title, item in items for name in item.named("algorithms")]
        for title, sweep in self.sweeps.items():
            mentions += [(title, name) for name in sweep.references.values()] if sweep.kind == "scaling" else []
        mentions += [(title, entry.variant_of) for title, entry in self.algorithms.items() if entry.variant_of]
        mentions += [("experts", self.experts)] if self.experts else []
        mentions += [("chosen", name) for choice in self._chosen() for name in choice.algorithms]
        if self.replications:
            names = [*self.replications.algorithms, *itertools.chain(*self.replications.datasets.values())]
            mentions += [("replications", name) for name in names]
        for title, name in mentions:
            if name not in self.algorithms:
                yield f"{title} names algorithm {name}, which the study does not have"

    def _check_metrics_and_sweeps(self) -> Iterator[str]:
        items: list[tuple[str, Item]] = [*self.tables.items(), *self.figures.items()]
        ranked = [(name, metric) for name, item in items for metric in item.judged()]
        for name, metric in [(name, metric) for name, item in items for metric in item.named("metrics")] + ranked:
            if metric not in METRICS:
                yield str(unknown_name(f"metric of {name}", metric, METRICS))
            elif metric not in self._yields() and not METRICS[metric].derived:
                measured = ", ".join(sorted(self._yields()))
                yield f"{name} shows {metric}, which a study of kind {self.protocol.kind} does not measure: {measured}"
        for name, metric in ranked:
            if metric in METRICS and METRICS[metric].better is None:
                yield f"{name} ranks by {metric}, for which neither low nor high values are best"
        for name, item in items:
            sweep = getattr(item, "sweep", None)
            if sweep is not None and sweep not in self.sweeps:
                yield f"{name} shows sweep {sweep!r}, known: {', '.join(self.sweeps) or 'none'}"

    def _check_protocol(self) -> Iterator[str]:
        for parameter in self.protocol.tuned():
            setters = [name for name, entry in self.algorithms.items() if parameter in entry.parameters]
            setters += [name for name, sweep in self.sweeps.items() if parameter in sweep.sets()]
            if setters:
                yield f"{setters[0]} sets {parameter}, which cross-validation selects"
        if self.replications and not (self.published and self.published.margins):
            yield "replications need margins of published numbers, and the study declares none"
        for name, sweep in self.sweeps.items():
            if sweep.kind not in self.protocol.sweeps:
                kinds = " and ".join(self.protocol.sweeps)
                yield f"sweep {name} is of kind {sweep.kind}, but a study of kind {self.protocol.kind} allows {kinds}"
            n_kernels = self.n_kernels()
            if sweep.kind == "size" and sweep.of == "kernels" and max(sweep.values) > n_kernels:
                yield f"sweep {name} asks for {max(sweep.values)} kernels, the study has {n_kernels}"
            widths = self.subsets.n_widths if self.subsets else 1
            if sweep.kind == "size" and sweep.of == "kernels" and (odd := [m for m in sweep.values if m % widths]):
                yield f"sweep {name} asks for {odd[0]} kernels, which is no multiple of n_widths, {widths}"
        for name, entry in self.algorithms.items():
            if (entry.then or entry.tune) and not self.protocol.selects:
                action = f"tunes {entry.tune.parameter}" if entry.tune else "selects, then trains"
                yield f"{name} {action}, but a study of kind {self.protocol.kind} has no validation examples"
            for parameter in entry.tune.chosen() if entry.tune else ():
                if parameter in entry.parameters:
                    yield f"{name} sets {parameter}, which is tuned"
                for title, sweep in self.sweeps.items():
                    if name in sweep.algorithms and parameter in sweep.sets():
                        yield f"sweep {title} sets {parameter}, which {name} tunes"

    def _check_kernels_and_data(self) -> Iterator[str]:
        if not (self.kernels or self.dictionary or self.subsets):
            yield "a study needs kernels, or a dictionary, or both, or subsets"
        if any(isinstance(part, ViewKernels) and part.views == "features" for part in self.kernels):
            yield "kernels: expected `views: features` in one of the `pools` alone"
        if self.subsets and (self.kernels or self.dictionary or self.pools):
            yield "subsets: expected neither kernels nor a dictionary beside them"
        if self.subsets and self.subsets.seed:
            yield f"subsets: expected no seed, since each repetition has its own, got {self.subsets.seed}"
        centred = getattr(self.protocol, "center", False) or any(entry.center for entry in self.algorithms.values())
        scaled = centred or getattr(self.protocol, "trace", None)
        if self.subsets and (scaled or not self.protocol.takes_subsets):
            yield "subsets: expected a protocol of kind random_splits that neither scales nor centres kernels"
        kernels = [kernel for pool in (None, *self.pools) for kernel in self.kernel_list(pool=pool)]
        for kernel in kernels:
            low, high = (1, HIGHEST) if FAMILIES[kernel.family].requirement == DEGREE else (NARROWEST, WIDEST)
            if not low <= kernel.parameter <= high:
                yield f"{kernel.name}: expected a parameter between {low:g} and {high:g}"
        for name, entry in self.algorithms.items():
            views = {kernel.view for kernel in self.kernel_list()}
            if unknown := [view for group in entry.best_of for view in group if view not in views]:
                yield f"{name}: best_of names view {unknown[0]}, which no kernel is on"
            if entry.pool and entry.pool not in self.pools:
                yield str(unknown_name(f"pool of {name}", entry.pool, self.pools))
            if entry.pool and not isinstance(self.protocol, Offline):
                yield f"{name}: a study of kind {self.protocol.kind} has one pool for all entries"
            if entry.pool and (swept := [title for title, sweep in self.sweeps.items() if name in sweep.algorithms]):
                yield f"sweep {swept[0]} names {name}, which has a pool of its own"
            if entry.best_of and not self.protocol.takes_best_of:
                yield f"{name}: a study of kind {self.protocol.kind} does not take best_of"
            if entry.approximation and isinstance(self.protocol, Offline):
                yield f"{name}: expected a study of kind online for an approximation, got {self.protocol.kind}"
            if not entry.approximation and isinstance(self.protocol, Online) and self.protocol.standardise:
                yield f"{name}: expected an approximation, without which a pass does not standardise"
        relative = [kernel.name for kernel in kernels if kernel.unit]
        relative += ["dictionary"] if self.dictionary and self.dictionary.unit else []
        if relative and not isinstance(self.protocol, Offline):
            yield f"{relative[0]} is in units of training examples, but kind {self.protocol.kind} has none"
        if lacking := self.protocol.lacking(self.datasets):
            yield lacking

    def _yields(self) -> frozenset[str]:
        """Return the metrics that runs and sweeps of the study measure."""
        return self.protocol.yields.union(*(SWEEP_YIELDS.get(sweep.kind, ()) for sweep in self.sweeps.values()))

    def shows(self, metric: str) -> bool:
        """Return whether a table or a figure shows a metric."""
        return any(metric in item.named("metrics") for item in [*self.tables.values(), *self.figures.values()])

    def _chosen(self) -> list[ChosenConvention]:
        return self.published.chosen if self.published else []

    def file(self, entry: str) -> str:
        """Return the path, module or registered name of an entry's algorithm; see `grambench.algorithms`."""
        return self.algorithms[entry].path or self.algorithms[entry].algorithm or entry

    def located(self, folder: Path) -> Self:
        """Return the study with the paths of algorithms, which are relative to `folder`, relative to here."""
        entries = {
            name: entry.model_copy(update={"path": os.path.relpath(folder / entry.path)} if entry.path else {})
            for name, entry in self.algorithms.items()
        }
        return self.model_copy(update={"algorithms": entries})

    def on(self, datasets: Mapping[str, "Dataset"]) -> Self:
        """Return the study with what it needs to know of some of its data sets, from their descriptions."""
        # of sources of different sizes the smallest: an interval for larger data is then too wide, and none too narrow
        populations = {
            name: (dataset.collection or dataset.folder, dataset.least()) for name, dataset in datasets.items()
        }
        multisource = [name for name, dataset in datasets.items() if dataset.views_are == "sources"]
        return self.model_copy(
            update={
                "populations": self.populations | populations,
                "multisource": [*dict.fromkeys([*self.multisource, *multisource])],
            }
        )

    def collection(self, dataset: str) -> str:
        """Return the collection of a data set: that of its description, its base, or the data set itself."""
        return self.populations.get(dataset, (dataset, 0))[0]

    def overlap(self, dataset: str) -> float:
        """Return the correlation of two repetitions on a data set, see `Protocol.overlap`."""
        return self.protocol.overlap(dataset, self.populations.get(dataset, ("", 0))[1])

    @property
    def takes_any_dataset(self) -> bool:
        """Whether it compares algorithms on any data set that fits, with neither published numbers nor sweeps."""
        return self.published is None and all(sweep.kind == "view" for sweep in self.sweeps.values())

    @property
    def ranked(self) -> list[str]:
        """The configurations that a board ranks: those of its tables of kind `matrix`, and those of one's own files.

        A second pool, or a second solver of the same problem, is not among them. Without such a table all are.
        """
        matrices = [table for table in self.tables.values() if table.kind == "matrix"]
        shown = {name for table in matrices for name in getattr(table, "algorithms", ())} or {*self.algorithms}
        return [name for name, entry in self.algorithms.items() if name in shown or entry.path]

    def variants(self, entry: str) -> list[str]:
        """Return the entries that are variants of one."""
        return [name for name, other in self.algorithms.items() if other.variant_of == entry]

    def kernel_list(
        self, views: Sequence[str] = ("",), dataset: str = "", pool: str | None = None, d: int = 0
    ) -> list[Kernel]:
        """Return the base kernels on a data set with these views and d features, in the order that the algorithms see.

        They are those of one of the further pools if it is named. Without the name of a data set, all parts of the list
        count.
        """
        kernels: list[Kernel] = []
        for part in self.pools[pool] if pool else self.kernels:
            if isinstance(part, KernelFamily):
                kernels += part.kernels()
            elif not dataset or not part.datasets or dataset in part.datasets:
                kernels += part.kernels(views, d)
        return kernels

    def has_single_features(self, entry: str) -> bool:
        """Return whether an entry has kernels on single features, which only data sets of vectors have."""
        parts = self.pools.get(self.algorithms[entry].pool or "", [])
        return any(isinstance(part, ViewKernels) and part.views == "features" for part in parts)

    def n_kernels(self, dataset: str = "") -> int:
        """Return the number of base kernels on a data set; see `kernel_list`."""
        return (
            self.subsets.n_subsets * self.subsets.n_widths if self.subsets else len(self.kernel_list(dataset=dataset))
        )

    def size(self, of: str, dataset: str) -> int:
        """Return the number of "kernels" or of training "examples" a class in a plain run; 0 where none is set."""
        if of == "examples":
            return self.protocol.examples_a_class(dataset)
        return self.n_kernels(dataset) if of == "kernels" else 0

    @property
    def has_kernels_by_dataset(self) -> bool:
        """Whether the base kernels depend on the views of a data set."""
        return any(isinstance(part, ViewKernels) and part.views == "all" for part in self.kernels)

    def with_unnamed(self, item: Shown) -> Shown:
        """Return a table or figure with the entries added that no table or figure names.

        An entry that a user adds to a study by one line is thereby shown beside all others. An item of a single entry
        stays as it is.
        """
        if len(item.named("algorithms")) < 2:
            return item
        items: list[Item] = [*self.tables.values(), *self.figures.values()]
        mentioned = {name for other in items for name in other.named("algorithms")}
        unmentioned = [name for name in self.algorithms if name not in mentioned]
        # `named` has the algorithms that the item compares with too: those it lists itself are fewer.
        return item.model_copy(update={"algorithms": [*getattr(item, "algorithms"), *unmentioned]})  # noqa: B009

    def shown_datasets(self) -> list[tuple[str, str]]:
        """Return (part of the study, data set) for each data set that sweeps, figures and other parts name."""
        items: list[tuple[str, Item]] = [*self.sweeps.items(), *self.figures.items()]
        mentions = [(name, dataset) for name, item in items for dataset in item.named("datasets")]
        mentions += [("chosen", dataset) for choice in self._chosen() for dataset in choice.datasets]
        mentions += [("sizes", dataset) for dataset in getattr(self.protocol, "sizes", {}) if dataset != "default"]
        mentions += [("kernels", name) for part in self.kernels for name in getattr(part, "datasets", [])]
        replicated = self.replications.datasets if self.replications else {}
        return mentions + [("replications", dataset) for dataset in replicated]
