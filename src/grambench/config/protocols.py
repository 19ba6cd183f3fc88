"""Protocols: how a study trains and tests its algorithms. One class a protocol, a named combination of existing parts.

Every algorithm runs under every protocol. `online` is the prequential pass. The others are one experiment,
`grambench.experiments.offline`, with different splits, a selection of hyperparameters and a few settings. A protocol
says here what it needs and what it yields, and no other module asks for its name.

The classes are plain dataclasses, which pydantic checks when a study is loaded.
"""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Gt, Le, Lt, MinLen

from grambench.common.errors import DataError
from grambench.config.metrics import METRICS, WORK

Size = Annotated[int, Ge(2)]
Count = Annotated[int, Ge(0)]
Share = Annotated[float, Gt(0), Lt(1)]
Repetitions = Annotated[int, Ge(1), Le(1000)]
Values = Annotated[list[float], MinLen(1)]
Positive = Annotated[float, Gt(0)]

PREDICTIONS = frozenset(name for name, metric in METRICS.items() if metric.value is not None)
FITTED = {"kernels_selected", "support_vectors", "iterations", "converged", "gap", "kkt"}
SELECTED = {"selected_C", "selected_value", "validation_error_percent", "candidates_failed", "selection_tied"}
TIMED = {"seconds", "wall_seconds", "fit_seconds", "selection_seconds", *WORK}
SWEEP_YIELDS = {  # metrics of sweeps that are experiments of their own
    "scaling": {"decision_change"},
    "profile": {"search_objective_1", "search_objective_2", "search_objective_3"},
}


class Common:
    """What the workflow asks of every protocol.

    Attributes
    ----------
    experiment : str
        The module of grambench.experiments that carries it out.
    yields : frozenset of str
        The metrics that a run has, and those of its curves.
    progress : str
        The label of the axis of its curves.
    paired : bool
        Whether algorithms are compared in pairs, repetition by repetition.
    test : str
        The test of two algorithms on one data set, in words.
    stored : bool
        Whether it reads Gram matrices of whole data sets, which are made beforehand. If not, a run computes the kernel
        values that it needs.
    shares_kernels : bool
        Whether the points of a sweep share kernel matrices.
    shares_pairs : bool
        Whether all runs share the distances among images; not where an algorithm is charged with the values that it
        asks for.
    sweeps : tuple of str
        The kinds of sweeps that it can do.
    copies : int
        How many times all Gram matrices of a data set a run may hold in memory.
    separable : bool
        Whether a long run is split into blocks of its repetitions; not where they share what they compute.
        Replications are blocks of their own in any case.
    selects : bool
        Whether it has validation examples to select hyperparameters on.
    takes_best_of : bool
        Whether an entry may learn from one kernel of each group of views (`best_of`).
    takes_subsets : bool
        Whether it takes kernels on random subsets of the features, which each repetition draws.
    needs_official_split : bool
        Whether data sets must come with a split of their own.
    repetition : str
        What a repetition is, in words.
    split_column : tuple of str or None
        The column that it adds to the table of data sets, and the note beneath the table.
    repetitions : int
        The number of repetitions of a run.
    """

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    experiment: ClassVar[str] = "offline"
    yields: ClassVar[frozenset[str]] = PREDICTIONS | FITTED | SELECTED | TIMED
    progress: ClassVar[str]
    paired: ClassVar[bool] = True
    test: ClassVar[str] = "the corrected resampled t-test (Nadeau and Bengio 2003)"
    shares_kernels: ClassVar[bool] = False
    shares_pairs: ClassVar[bool] = False
    sweeps: ClassVar[tuple[str, ...]] = ("parameter",)
    copies: ClassVar[int] = 0
    separable: ClassVar[bool] = True
    selects: ClassVar[bool] = True
    takes_best_of: ClassVar[bool] = False
    takes_subsets: ClassVar[bool] = False
    needs_official_split: ClassVar[bool] = False
    repetition: ClassVar[str] = "random split"
    split_column: ClassVar[tuple[str, str] | None] = None

    @property
    def stored(self) -> bool:
        """Whether it reads stored Gram matrices."""
        return False

    def examples_a_class(self, dataset: str) -> int:
        """Return the number of training examples of each class in a plain run; 0 if it is not set."""
        return 0

    if TYPE_CHECKING:

        @property
        def repetitions(self) -> int:
            """The number of repetitions of a run."""
            ...

    def tuned(self) -> dict[str, list[float]]:
        """Return the hyperparameters that it selects for every algorithm that has them, with their values."""
        return {}

    def lacking(self, datasets: Iterable[str]) -> str | None:
        """Return what it does not know of one of the data sets; None if it knows all."""
        return None

    def overlap(self, dataset: str, n: int = 0) -> float:
        """Return the correlation of two repetitions on a data set of n examples, 0 if n is unknown.

        It is the share of test examples, see `grambench.results.statistics.resampled_difference`. An unknown n is taken
        for the number of examples that are drawn, of which splits share the most.
        """
        return 0.0

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return a rough estimate of the seconds of a repetition, for a run that was never measured."""
        return 1.0

    def split_text(self, dataset: str, n: int, permutations: int) -> str:
        """Return the entry of `split_column` for a data set of n examples with so many published permutations."""
        return ""

    def repetitions_text(self, origin: str) -> str:
        """Return what a run is repeated over, for the head of a table; `origin` is that of the permutations."""
        return f"one {self.repetition}" if self.repetitions == 1 else f"{self.repetitions} {self.repetition}s"


@dataclass(frozen=True, kw_only=True)
class Offline(Common):
    """Training on a part of the data, selection on another, and a test on the rest.

    Attributes
    ----------
    splitter : str
        The generator of `grambench.experiments.splits`.
    curves : str
        What `grambench.experiments.curves` records; empty for nothing.
    refit : bool
        Whether the selected candidate is trained again on training and validation examples together.
    unit_rows : bool
        Whether vectors are scaled to norm 1, as views of examples always are.
    standardise : bool
        Whether vectors are scaled to zero mean and unit variance on the training examples.
    trace : float or None
        The trace to which each Gram matrix on training examples is scaled; None leaves kernels as they are.
    center : bool
        Whether kernels are centred on the training examples in their feature spaces, before they are scaled.
    ties : str
        Which of several candidates with the same validation error is selected: the "first" or the "middle" one.
    values : list of float
        The C values that are tried for an SVM on a learned kernel.
    steps : int or None
        The limit of solver steps for an SVM during the selection. An SVM that needs more is given up, and larger C
        values with it. None is the solver's own limit.
    checkpoints : int
        The number of points of a pass at which the weights of an online algorithm are recorded.
    scales_learned_kernel : bool
        Whether a learned kernel is scaled to the trace too before an SVM is trained on it.
    cuts_validation : bool
        Whether validation examples are cut from the kernels of the whole training set. If not, the training examples
        of a fold have kernels of their own, with units of their own.
    counts_kernels_once : bool
        Whether kernel values that all candidates of a selection share count once.
    counts_selection : bool
        Whether seconds and work include those of the selection.
    """

    splitter: ClassVar[str]
    curves: ClassVar[str] = ""
    refit: bool = False
    unit_rows: ClassVar[bool] = False
    standardise: bool = False
    trace: Positive | None = None
    center: bool = False
    ties: Literal["first", "middle"] = "first"
    values: Values
    steps: Annotated[int, Ge(1)] | None = None
    checkpoints: Annotated[int, Ge(2), Le(1000)] = 50
    scales_learned_kernel: ClassVar[bool] = False
    cuts_validation: ClassVar[bool] = False
    counts_kernels_once: ClassVar[bool] = False
    counts_selection: ClassVar[bool] = True
    shares_pairs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if any(later <= earlier for earlier, later in itertools.pairwise(self.values)):
            raise ValueError("values must ascend: an SVM that cannot be trained ends the search")
        if self.values[0] <= 0.0 and getattr(self, "select", "C") == "C":
            raise ValueError(f"values of C must be positive, got {self.values[0]:g}")

    def kernel_trace(self, n: int, total: int) -> float | None:
        """Return the trace of each Gram matrix on n training examples of a data set of `total`."""
        return self.trace


def _without_size(sizes: dict[str, Any], datasets: Iterable[str]) -> str | None:
    """Return the fault of a data set without sizes where there is no default."""
    without = [name for name in datasets if name not in sizes]
    return f"sizes: {without[0]} has none, and there is no default" if without and "default" not in sizes else None


@dataclass(frozen=True, kw_only=True)
class Online(Common):
    """One pass over each permutation of the examples: each is predicted first and learned afterwards.

    Attributes
    ----------
    kind : str
        "online".
    repetitions : int
        The number of permutations. Published ones are used where the data set has enough of them.
    checkpoints : int
        The number of points of a pass at which the curves are recorded, and at which algorithms that learn from all
        examples at once are trained anew.
    C : float
        C of the SVM that is trained on a kernel that was learned without a predictor.
    shuffle : bool
        Whether each repetition has a permutation of its own. If not, all have the order of the data, which may change
        over time, and differ by the draws of the algorithm alone.
    stored : bool
        Whether runs read stored Gram matrices. If not, they compute the kernel values that they need, for data sets
        whose Gram matrices are too large.
    standardise : bool
        Whether each feature is centred and divided by its standard deviation, both of the examples received so far.
        All entries need an approximation then.
    """

    experiment: ClassVar[str] = "online"
    yields: ClassVar[frozenset[str]] = PREDICTIONS | {
        "mistake_percent",
        "support_vectors",
        "seconds",
        "wall_seconds",
        "best_kernel",
        "best_kernel_weight",
        *WORK,
    }
    progress: ClassVar[str] = "Examples received"
    paired: ClassVar[bool] = False  # OMKC's tables are not, though all algorithms share their permutations
    test: ClassVar[str] = "Student's t-test"
    selects: ClassVar[bool] = False
    split_column: ClassVar[tuple[str, str]] = (
        "Permutations",
        "Permutations: those that come with the data, or drawn from the project's seed if there are none.",
    )

    kind: Literal["online"]
    repetitions: Repetitions = 20
    checkpoints: Annotated[int, Ge(2), Le(1000)] = 50
    C: Positive = 1.0
    shuffle: bool = True
    stored: bool = True
    standardise: bool = False

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return the time of a pass, proportional to the size of the Gram matrices."""
        return 1e-9 * kernels * examples**2 * points

    def split_text(self, dataset: str, n: int, permutations: int) -> str:
        """Return how many permutations there are, and their origin."""
        if not self.shuffle:
            return "order of the data"
        return f"{self.repetitions} {'published' if permutations >= self.repetitions else 'seeded'}"

    def repetitions_text(self, origin: str) -> str:
        """Return the origin of the permutations."""
        return f"{origin} permutations" if self.shuffle else f"{self.repetitions} passes in the order of the data"


@dataclass(frozen=True, kw_only=True)
class NestedCV(Offline):
    """Nested cross-validation: each outer fold is tested, and inner folds of the others select a hyperparameter.

    Attributes
    ----------
    kind : str
        "nested_cv".
    outer_folds : int
        The number of outer folds, which keep the share of each class.
    inner_folds : int
        The number of inner folds.
    select : str
        The hyperparameter that is selected for algorithms that have it. For algorithms that learn a kernel and no
        predictor, C of the SVM is selected.
    values : list of float
        The values to select from.
    trace : float
        The trace to which the Gram matrix of each base kernel is scaled, were it that of all N examples: n training
        examples have the share n / N of it.
    """

    splitter: ClassVar[str] = "nested"
    curves: ClassVar[str] = "convergence"
    yields: ClassVar[frozenset[str]] = Offline.yields | {"objective_excess"}
    progress: ClassVar[str] = "Solver calls"
    sweeps: ClassVar[tuple[str, ...]] = ("parameter", "scaling")
    copies: ClassVar[int] = 4  # of the training and test examples of outer and inner folds
    shares_kernels: ClassVar[bool] = True
    counts_selection: ClassVar[bool] = False
    repetition: ClassVar[str] = "outer fold"

    kind: Literal["nested_cv"]
    outer_folds: Annotated[int, Ge(2), Le(100)] = 5
    inner_folds: Annotated[int, Ge(2), Le(100)] = 3
    select: str
    trace: Positive = 1.0
    refit: Literal[True] = True
    standardise: bool = True

    @property
    def repetitions(self) -> int:
        """The number of outer folds: each is a repetition."""
        return self.outer_folds

    def kernel_trace(self, n: int, total: int) -> float:
        """Return the share of the trace that n training examples have.

        Chosen by published numbers: the trace of all examples.
        """
        return self.trace * n / total

    def overlap(self, dataset: str, n: int = 0) -> float:
        """Return the share of an outer fold."""
        return 1.0 / self.outer_folds

    def tuned(self) -> dict[str, list[float]]:
        """Return the hyperparameter that cross-validation selects."""
        return {self.select: self.values}

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return the time of the SVMs that are trained, each proportional to the size of the Gram matrices."""
        return 12e-9 * kernels * examples**2 * (1 + self.inner_folds * len(self.values)) + (2 if sweep else 0)


@dataclass(frozen=True, kw_only=True)
class RandomSplits(Offline):
    """Repeated random splits into training, validation and test examples.

    Attributes
    ----------
    kind : str
        "random_splits".
    repetitions : int
        The number of splits.
    sizes : dict
        Numbers of training, validation and test examples of each data set; of all others under "default".
    shares, most : list of float, int
        For a data set without sizes, at most `most` examples are drawn and split into these shares.
    standardise, trace, values, steps, refit
        See Offline. A learned kernel is scaled to the trace too before an SVM is trained on it.
    """

    splitter: ClassVar[str] = "random"
    yields: ClassVar[frozenset[str]] = Offline.yields | {"alignment", "memory_mb"}
    progress: ClassVar[str] = "Iterations"
    sweeps: ClassVar[tuple[str, ...]] = ("parameter", "profile", "size", "view")
    takes_subsets: ClassVar[bool] = True
    scales_learned_kernel: ClassVar[bool] = True
    counts_kernels_once: ClassVar[bool] = True
    split_column: ClassVar[tuple[str, str]] = (
        "Drawn",
        "Drawn: training, validation and test examples of each random split.",
    )

    kind: Literal["random_splits"]
    repetitions: Repetitions = 10
    sizes: dict[str, tuple[Size, Size, Size]] = field(default_factory=dict)
    shares: tuple[Share, Share, Share] | None = None
    most: Annotated[int, Ge(8)] = 1000
    steps: Annotated[int, Ge(1)] = 100_000

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shares and abs(sum(self.shares) - 1.0) > 1e-9:
            raise ValueError(f"shares must sum to 1, got {sum(self.shares):g}")

    def lacking(self, datasets: Iterable[str]) -> str | None:
        """Return the data set without sizes, where there are neither a default nor shares."""
        return None if self.shares else _without_size(self.sizes, datasets)

    def counts(self, dataset: str, n: int) -> tuple[int, int, int]:
        """Return the numbers of training, validation and test examples of a data set of n; DataError if n is less."""
        sizes = self.sizes.get(dataset, self.sizes.get("default"))
        if sizes is None:
            total = min(n, self.most)
            # rounded, as .29 of 100 is 28.999999999999996
            train, validation = (int(round(share * total, 9)) for share in (self.shares or ())[:2])
            return train, validation, total - train - validation
        if sum(sizes) > n:
            raise DataError(f"{dataset}: {' + '.join(map(str, sizes))} examples are needed, and it has {n}")
        return sizes

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return the time of an algorithm of medium cost."""
        return 1e-4 * kernels * min(examples, self.most)

    def overlap(self, dataset: str, n: int = 0) -> float:
        """Return the share of test examples among those of training and test, times the part that is drawn of n."""
        train, validation, test = self.counts(dataset, n or 10**9)
        return test / (train + test) * ((train + validation + test) / n if n else 1.0)

    def split_text(self, dataset: str, n: int, permutations: int) -> str:
        """Return the sizes."""
        return " + ".join(map(str, self.counts(dataset, n)))


@dataclass(frozen=True, kw_only=True)
class OfficialSplit(Offline):
    """The fixed split that comes with the data; a share of its training part selects hyperparameters.

    Attributes
    ----------
    kind : str
        "official_split".
    repetitions : int
        The number of seeds. All repetitions share the validation examples and the order of the training examples.
    validation : float
        The share of the training part that hyperparameters are selected on.
    values, steps, refit, standardise, trace, checkpoints
        See Offline.
    """

    splitter: ClassVar[str] = "official"
    curves: ClassVar[str] = "weights"
    yields: ClassVar[frozenset[str]] = Offline.yields | {"selected_kernel", "kernel_share_percent"}
    progress: ClassVar[str] = "Examples received"
    copies: ClassVar[int] = 2  # of the training part, and of the training examples of the selection
    separable: ClassVar[bool] = False
    needs_official_split: ClassVar[bool] = True
    test: ClassVar[str] = "a paired t-test over the seeds, on one split,"
    cuts_validation: ClassVar[bool] = True
    shares_pairs: ClassVar[bool] = False
    repetition: ClassVar[str] = "seed"
    split_column: ClassVar[tuple[str, str]] = (
        "Split",
        "Split: training and test examples, as they come with the data.",
    )

    kind: Literal["official_split"]
    repetitions: Repetitions = 5
    validation: Share = 0.1
    refit: bool = True
    steps: Annotated[int, Ge(1)] = 100_000

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return the time of the kernels, which are computed in every run."""
        return 2e-8 * kernels * examples**2


@dataclass(frozen=True, kw_only=True)
class PerClassSplits(Offline):
    """Repeated random splits with equally many examples of each class; an official test part is used whole.

    Attributes
    ----------
    kind : str
        "per_class_splits".
    repetitions : int
        The number of splits.
    sizes : dict
        Numbers of training, validation and test examples of each class, by data set; of all others under "default".
        A first number of 0 takes all that validation leaves. If the data come with a split, the last is not used.
    refit, values, steps, standardise, trace
        See Offline.
    """

    splitter: ClassVar[str] = "per_class"
    curves: ClassVar[str] = "states"
    yields: ClassVar[frozenset[str]] = Offline.yields | {
        "objective",
        "training_error_percent",
        "epochs",
        "epochs_near",
        "elapsed_seconds",
        "stage",
    }
    progress: ClassVar[str] = "State"
    sweeps: ClassVar[tuple[str, ...]] = ("parameter", "size", "view")
    copies: ClassVar[int] = 3
    unit_rows: ClassVar[bool] = True
    shares_kernels: ClassVar[bool] = True
    takes_best_of: ClassVar[bool] = True
    split_column: ClassVar[tuple[str, str]] = (
        "Drawn",
        "Drawn: training, validation and test examples of each class in each random split; 0: all that remain.",
    )

    kind: Literal["per_class_splits"]
    repetitions: Repetitions = 3
    sizes: dict[str, tuple[Count, Count, Count]]

    def lacking(self, datasets: Iterable[str]) -> str | None:
        """Return the data set without sizes, where there is no default."""
        return _without_size(self.sizes, datasets)

    def counts(self, dataset: str) -> tuple[int, int, int]:
        """Return the numbers of training, validation and test examples of each class."""
        return self.sizes.get(dataset) or self.sizes["default"]

    def examples_a_class(self, dataset: str) -> int:
        """Return the number of training examples of each class in a plain run; 0 if it is not set."""
        return self.counts(dataset)[0]

    def overlap(self, dataset: str, n: int = 0) -> float:
        """Return the share of test examples among those of training and test; 0 if one of the numbers is not set."""
        train, _, test = self.counts(dataset)
        return test / (train + test) if train and test else 0.0

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return the time of some passes over the examples."""
        return 2e-8 * kernels * examples**2 * points

    def split_text(self, dataset: str, n: int, permutations: int) -> str:
        """Return the sizes."""
        return " + ".join(map(str, self.counts(dataset)))


Protocol = Online | NestedCV | RandomSplits | OfficialSplit | PerClassSplits
KINDS: dict[str, type[Protocol]] = {
    "online": Online,
    "nested_cv": NestedCV,
    "random_splits": RandomSplits,
    "official_split": OfficialSplit,
    "per_class_splits": PerClassSplits,
}


def of(values: dict[str, Any]) -> Protocol:
    """Return the protocol of the plain values that a specification holds, which were checked before."""
    return KINDS[values["kind"]](**values)
