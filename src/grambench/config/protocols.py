"""The models of the protocols: how a study lets algorithms meet data."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from grambench.config.load import Model
from grambench.config.names import Name, Parameter


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
