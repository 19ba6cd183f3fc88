"""The models of the protocols: how a study lets algorithms meet data. One class here and one module a protocol.

Every algorithm runs under every protocol; none of them knows what kind of algorithm it has.
"""

import itertools
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from grambench.config.load import Model
from grambench.config.names import Name, Parameter
from grambench.config.sizes import drawn


class Common(Model):
    """What the workflow asks of every protocol.

    Attributes
    ----------
    progress : str
        What counts the rounds of its curves, at their axis.
    paired : bool
        Whether algorithms are compared in pairs, repeat by repeat.
    stored : bool
        Whether it reads Gram matrices of whole data sets, which are made beforehand; if not, it makes those of its
        training examples inside a run.
    sweeps : tuple of str
        The kinds of sweeps that it can do.
    copies : int
        Of all Gram matrices of a data set that a run may hold in memory.
    repeated_first : int
        How often the first repeat is done once more, so that no measured time is the compiler's.
    separable : bool
        Whether a long run is split into blocks of its repeats; not where they share what they compute. Replications
        are blocks of their own in any case.
    """

    progress: ClassVar[str]
    paired: ClassVar[bool] = True
    stored: ClassVar[bool] = False
    sweeps: ClassVar[tuple[str, ...]] = ("parameter",)
    copies: ClassVar[int] = 0
    repeated_first: ClassVar[int] = 0
    separable: ClassVar[bool] = True

    def tuned(self) -> dict[str, list[float]]:
        """Return the parameters that it chooses for every algorithm that has them, and what from."""
        return {}

    def lacking(self, datasets: Iterable[str]) -> str | None:
        """Return what it would have to know of one of the data sets and does not; None where nothing is lacking."""
        return None

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return about how many seconds a repeat takes of a run of which nothing is known, at some points."""
        return 1.0

    def remark(self) -> tuple[str, str] | None:
        """Return the column that it adds to the table of data sets, and what is said of it beneath; None for none."""
        return None

    def fact(self, dataset: str, n: int, orders: int) -> str:
        """Return what that column says of a data set of n examples that comes with so many orders."""
        return ""


class Online(Common):
    """One pass over each of `repeats` orders of the examples.

    Attributes
    ----------
    kind : str
        "online", a module of grambench.experiments.
    repeats : int
        The number of orders. Published orders are used where the data set has enough of them.
    checkpoints : int
        The number of points of a pass at which the curves are recorded, and algorithms that learn from all examples at
        once are trained anew.
    C : float
        Of the machine that is trained on a kernel that was learned without one.
    """

    progress: ClassVar[str] = "Examples received"
    paired: ClassVar[bool] = False  # OMKC's tables are not, though all algorithms share their orders
    stored: ClassVar[bool] = True

    kind: Literal["online"]
    repeats: Annotated[int, Field(ge=1, le=1000)] = 20
    checkpoints: Annotated[int, Field(ge=2, le=1000)] = 50
    C: Annotated[float, Field(gt=0)] = 1.0

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return the time of a pass: in proportion to the Gram matrices."""
        return 1e-9 * kernels * examples**2 * points

    def remark(self) -> tuple[str, str]:
        """Return what is said of orders."""
        return "Orders", "Orders: those that come with the data, or drawn from the project's seed where there are none."

    def fact(self, dataset: str, n: int, orders: int) -> str:
        """Return how many orders there are, and where they are from."""
        return f"{self.repeats} {'published' if orders >= self.repeats else 'seeded'}"

    def repeated(self, origin: str) -> str:
        """Return what a run is repeated over, as the head of a table says it."""
        return f"{origin} orders"


class Nested(Common):
    """Each of several parts tested by what was learned from the others, one parameter chosen by cross-validation there.

    Attributes
    ----------
    kind : str
        "nested", a module of grambench.experiments.
    parts : int
        The number of parts, drawn with the share of each class kept.
    folds : int
        The number of folds of the cross-validation inside each training set.
    select : str
        The parameter that it chooses, of the algorithms that have it; of those that learn a kernel and no machine it
        chooses the machine's C.
    values : list of float
        What it chooses from.
    trace : float
        To which the Gram matrix of each base kernel on a training set is scaled.
    """

    progress: ClassVar[str] = "Solver calls"
    sweeps: ClassVar[tuple[str, ...]] = ("parameter", "scaling")
    copies: ClassVar[int] = 4  # of the training and test examples of parts and folds

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

    def tuned(self) -> dict[str, list[float]]:
        """Return the parameter that cross-validation chooses."""
        return {self.select: self.values}

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return the time of the machines that are trained: each in proportion to the Gram matrices."""
        return 12e-9 * kernels * examples**2 * (1 + self.folds * len(self.values)) + (2 if sweep else 0)

    def repeated(self, origin: str) -> str:
        """Return what a run is repeated over, as the head of a table says it."""
        return f"{self.parts} parts"


def _check_ascending(values: list[float]) -> None:
    """Raise ValueError unless the C of a machine ascend, each warm-started by the one before."""
    if any(later <= earlier for earlier, later in itertools.pairwise(values)):
        raise ValueError("values must ascend: a machine that cannot be trained ends the search")


Size = Annotated[int, Field(ge=2)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(gt=0, lt=1)]


class Holdout(Common):
    """Training, validation and test examples drawn anew in each repeat; what is tuned is tuned on the validation part.

    Attributes
    ----------
    kind : str
        "holdout", a module of grambench.experiments.
    repeats : int
        How often they are drawn.
    sizes : dict
        Numbers of training, validation and test examples of each data set; of all others under "default".
    shares, most : list of float, int
        Of a data set without sizes, so many examples at most are drawn, and split into these shares.
    standardise : bool
        Whether features are scaled to zero mean and unit variance on the training examples.
    trace : float or None
        To which the Gram matrix of each base kernel, and of a learned kernel before a machine is trained on it, is
        scaled on the training examples; None leaves kernels as they are.
    values : list of float
        The C of the machine that is trained on a learned kernel are tried in this order, which must ascend.
    steps : int
        Steps of the solver after which a machine is given up, and the larger C with it.
    """

    progress: ClassVar[str] = "Iterations"
    sweeps: ClassVar[tuple[str, ...]] = ("parameter", "profile")
    repeated_first: ClassVar[int] = 1

    kind: Literal["holdout"]
    repeats: Annotated[int, Field(ge=1, le=1000)] = 10
    sizes: dict[Name, tuple[Size, Size, Size]] = {}
    shares: tuple[Share, Share, Share] | None = None
    most: Annotated[int, Field(ge=8)] = 1000
    standardise: bool = False
    trace: Annotated[float, Field(gt=0)] | None = None
    values: Annotated[list[float], Field(min_length=1)]
    steps: Annotated[int, Field(ge=1)] = 100_000

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        _check_ascending(self.values)
        if self.shares and abs(sum(self.shares) - 1.0) > 1e-9:
            raise ValueError(f"shares must sum to 1, got {sum(self.shares):g}")
        return self

    def lacking(self, datasets: Iterable[str]) -> str | None:
        """Return the data set without sizes, where there are neither a default nor shares."""
        without = [name for name in datasets if name not in self.sizes]
        if without and "default" not in self.sizes and self.shares is None:
            return f"sizes: {without[0]} has none, and there is no default"
        return None

    def remark(self) -> tuple[str, str]:
        """Return what is said of the sizes of the draws."""
        return "Drawn", "Drawn: training, validation and test examples of each repeat."

    def fact(self, dataset: str, n: int, orders: int) -> str:
        """Return the sizes."""
        return " + ".join(map(str, drawn(self.model_dump(), dataset, n)))

    def repeated(self, origin: str) -> str:
        """Return what a run is repeated over, as the head of a table says it."""
        return f"{self.repeats} draws" if self.repeats > 1 else "one draw"


class Split(Common):
    """The split that comes with the data: tuned on a share of the training part, learned on all of it, then tested.

    Attributes
    ----------
    kind : str
        "split", a module of grambench.experiments.
    repeats : int
        How often what draws is run; all share the validation examples, and each has an order of its own.
    validation : float
        The share of the training part that parameters are chosen by.
    values : list of float
        The C of the machine that is trained on a learned kernel, tried in this order, which must ascend.
    steps : int
        Steps of the solver after which a machine is given up, and the larger C with it.
    checkpoints : int
        The number of points of a pass at which the weights of an online algorithm are recorded.
    """

    progress: ClassVar[str] = "Examples received"
    copies: ClassVar[int] = 2  # of the training part, and of what is learned from while parameters are chosen
    separable: ClassVar[bool] = False

    kind: Literal["split"]
    repeats: Annotated[int, Field(ge=1, le=1000)] = 5
    validation: Share = 0.1
    values: Annotated[list[float], Field(min_length=1)]
    steps: Annotated[int, Field(ge=1)] = 100_000
    checkpoints: Annotated[int, Field(ge=2, le=1000)] = 50

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        _check_ascending(self.values)
        return self

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return the time of the kernels, which are made in every run."""
        return 2e-8 * kernels * examples**2

    def remark(self) -> tuple[str, str]:
        """Return what is said of the split."""
        return "Split", "Split: training and test examples, as they come with the data."

    def repeated(self, origin: str) -> str:
        """Return what a run is repeated over, as the head of a table says it."""
        return f"{self.repeats} seeds"


class Classes(Common):
    """Data of many classes: so many examples of each are drawn anew in each repeat; a split's test part is all used.

    Attributes
    ----------
    kind : str
        "classes", a module of grambench.experiments.
    repeats : int
        How often they are drawn.
    sizes : dict
        Numbers of training, validation and test examples of each class, by data set; of all others under "default".
        A first number of 0 takes all that validation leaves. Where the data come with a split, the last means nothing.
    refit : bool
        Whether what validation has chosen is learned again on training and validation examples together.
    values : list of float
        The C of the machines that are trained on learned kernels, tried in this order, which must ascend.
    """

    progress: ClassVar[str] = "State"
    sweeps: ClassVar[tuple[str, ...]] = ("parameter", "size")
    copies: ClassVar[int] = 3
    repeated_first: ClassVar[int] = 1

    kind: Literal["classes"]
    repeats: Annotated[int, Field(ge=1, le=1000)] = 3
    sizes: dict[Name, tuple[Count, Count, Count]]
    refit: bool = False
    values: Annotated[list[float], Field(min_length=1)]

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        _check_ascending(self.values)
        return self

    def lacking(self, datasets: Iterable[str]) -> str | None:
        """Return the data set without sizes, where there is no default."""
        without = [name for name in datasets if name not in self.sizes]
        if without and "default" not in self.sizes:
            return f"sizes: {without[0]} has none, and there is no default"
        return None

    def guess(self, kernels: int, examples: int, points: int, sweep: bool) -> float:
        """Return the time of some passes over the examples."""
        return 2e-8 * kernels * examples**2 * points

    def remark(self) -> tuple[str, str]:
        """Return what is said of the sizes of the draws."""
        return (
            "Drawn",
            "Drawn: training, validation and test examples of each class in each repeat; 0: all that there are.",
        )

    def fact(self, dataset: str, n: int, orders: int) -> str:
        """Return the sizes."""
        return " + ".join(map(str, self.sizes.get(dataset) or self.sizes["default"]))

    def repeated(self, origin: str) -> str:
        """Return what a run is repeated over, as the head of a table says it."""
        return f"{self.repeats} draws" if self.repeats > 1 else "one draw"


Protocol = Annotated[Online | Nested | Holdout | Split | Classes, Field(discriminator="kind")]
