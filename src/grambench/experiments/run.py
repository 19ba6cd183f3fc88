"""What a run has to do: typed from the plan, which writes it as JSON, to the record, which keeps it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, NamedTuple, cast

from grambench.common.types import Approximation, Setting, Settings
from grambench.config import protocols
from grambench.config.names import Tuning
from grambench.config.protocols import Offline, Protocol
from grambench.kernels.dictionary import FamilyRange
from grambench.kernels.functions import Kernel
from grambench.kernels.subsets import RandomSubsets


class Reference(NamedTuple):
    """The algorithm that a sweep over kernels' scales compares with, and its parameters."""

    file: str
    parameters: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One configuration of a study on one data set, or a block of its repetitions.

    Attributes
    ----------
    study, dataset, algorithm : str
        The study, the data set and the configuration.
    experiment : str
        The module of grambench.experiments that carries it out.
    file : str
        The configuration's algorithm in the registry.
    points : list of P dicts
        All parameters of the algorithm, defaults included, at each point of a sweep. A plain run has one point, and so
        have sweeps over kernels' scales and profiles of a search.
    sweep : str
        The name of the sweep; empty for a plain run.
    values : list
        The values of the sweep: of a parameter, of factors of kernels, of a kernel parameter, or sizes.
    protocol : Protocol
        The study's protocol.
    kernels : list of str
        Names of the base kernels.
    seed : int
        The project's seed, root of all random numbers.
    dictionary : FamilyRange or None
        The continuous family of kernels.
    subsets : RandomSubsets or None
        The kernels, in place of those that have names; each repetition draws its own.
    tune : Tuning or None
        The hyperparameter that the configuration selects.
    classes : list or None
        The labels of the classes by their numbers, of a data set that lists them.
    best_of : list of lists of str, or None
        Groups of views, of each of which one kernel is selected by leave-one-out errors on the training examples.
    then : str or None
        The algorithm that is trained on the one kernel with the largest weight.
    size : str
        What a sweep changes: the number of "kernels", "examples" or "validation" examples, the one view whose kernels
        are used "alone", or the view "without" which they are used.
    scaled : str
        Whether a sweep over kernels' scales multiplies "all" kernels or "one".
    reference : Reference or None
        What such a sweep compares with.
    approximation : str or None
        "fourier" or "nystroem": an online algorithm learns from features that approximate its kernels; None for the
        kernels themselves.
    n_components : int
        The number of features of each kernel, if there is an approximation.
    aligns : bool
        Whether the alignment of the learned kernel with the labels of the test examples is measured, under a protocol
        that yields it.
    block : list of two ints or None
        The numbers of the first and the last repetition of a block. Replications continue after the run's own.
    """

    study: str
    dataset: str
    algorithm: str
    experiment: str
    file: str
    points: list[Settings]
    sweep: str
    values: Sequence[Setting]
    protocol: Protocol
    kernels: list[str]
    seed: int
    dictionary: FamilyRange | None = None
    subsets: RandomSubsets | None = None
    tune: Tuning | None = None
    classes: Sequence[Setting] | None = None
    best_of: list[list[str]] | None = None
    then: str | None = None
    size: str = ""
    scaled: str = "all"
    reference: Reference | None = None
    approximation: Approximation | None = None
    n_components: int = 256
    aligns: bool = True
    block: list[int] | None = None

    @property
    def repetitions(self) -> range:
        """The numbers, from 0, of the repetitions to run: those of a block, or all.

        Every repetition has seeds of its own and does not depend on the others, so that blocks and whole runs have the
        same numbers.
        """
        first, last = self.block or (0, self.protocol.repetitions - 1)
        return range(first, last + 1)

    @property
    def replicates(self) -> bool:
        """Whether the repetitions come after the run's own, as those of replications do; these are not timed."""
        return self.repetitions.start >= self.protocol.repetitions

    @property
    def numbers(self) -> Sequence[float]:
        """The values of a sweep over numbers."""
        return cast("Sequence[float]", self.values)

    @property
    def pool(self) -> list[Kernel]:
        """The base kernels."""
        return [Kernel.parse(name) for name in self.kernels]

    @property
    def offline(self) -> Offline:
        """The protocol of an offline experiment."""
        if not isinstance(self.protocol, Offline):
            raise TypeError(f"{self.study}: expected a protocol with splits, got {self.protocol}")
        return self.protocol

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, without those that are left at their defaults."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "protocol"}
        plain = {name: value._asdict() if hasattr(value, "_asdict") else value for name, value in values.items()}
        plain = {name: asdict(value) if is_dataclass(value) else value for name, value in plain.items()}  # type: ignore[arg-type]
        plain = {name: value for name, value in plain.items() if name in REQUIRED or value != DEFAULTS[name]}
        return plain | {"protocol": asdict(self.protocol)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Run":
        """Return the run of plain values, as `to_dict` returned them."""
        typed: dict[str, Any] = {"protocol": protocols.of(values["protocol"])}
        for name, kind in TYPES.items():
            if values.get(name) is not None:
                typed[name] = kind(**values[name])
        return cls(**{**values, **typed})


TYPES: dict[str, Any] = {"dictionary": FamilyRange, "subsets": RandomSubsets, "tune": Tuning, "reference": Reference}
DEFAULTS = {field.name: field.default for field in fields(Run)}
REQUIRED = {"study", "dataset", "algorithm", "experiment", "file", "points", "sweep", "values", "kernels", "seed"}
