"""What a run is asked to do: the settings that the plan writes, the record keeps and every protocol reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grambench.kernels.functions import Kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """The settings of a run, or of a block of one.

    Attributes
    ----------
    study, dataset, algorithm : str
        The study, the data set and the entry.
    experiment : str
        A module of grambench.experiments.
    file : str
        The entry's algorithm in the registry.
    points : list of P dicts
        All its parameters, defaults included, at each point; sweeps of kernels' scales or of searches have one.
    sweep : str
        The sweep's name; empty for a plain run.
    values : list
        Those of the sweep: of a parameter, factors, parameters of a kernel, or sizes.
    protocol : dict
        The study's, see grambench.config.protocols.
    kernels : list of str
        Names of the base kernels.
    seed : int
        Root of all randomness.
    dictionary : dict or None
        The continuous family: its name, low, high and grid.
    tune : dict or None
        What the entry tunes, and the values: see grambench.config.study.Tune.
    classes : list or None
        Of a data set of many classes, their labels by their numbers.
    then : str or None
        In split studies, the algorithm that learns on the one kernel that the entry's own has selected.
    size : str
        Of a sweep over a size: "kernels" or "examples".
    scaled, reference
        Of a sweep that scales kernels: "all" or "one", and file and parameters of the entry to compare with.
    block : list of two ints or None
        The numbers of the first and the last repeat of a block. Those of replications go on after the run's own.
    """

    study: str
    dataset: str
    algorithm: str
    experiment: str
    file: str
    points: list[dict[str, Any]]
    sweep: str
    values: list[Any]
    protocol: dict[str, Any]
    kernels: list[str]
    seed: int
    dictionary: dict[str, Any] | None = None
    tune: dict[str, Any] | None = None
    classes: list[Any] | None = None
    then: str | None = None
    size: str = ""
    scaled: str = "all"
    reference: Mapping[str, Any] | None = None
    block: list[int] | None = None

    @property
    def repeats(self) -> range:
        """The numbers, from 0, of the repeats that are asked for: of a block, or all.

        Every repeat has seeds of its own and knows nothing of the others, so that blocks and whole runs have the same
        numbers. A nested study has parts in their place.
        """
        first, last = self.block or (0, self._whole - 1)
        return range(first, last + 1)

    @property
    def replicates(self) -> bool:
        """Whether the repeats come after the run's own: its numbers as they might have been, and nothing is timed."""
        return self.repeats.start >= self._whole

    @property
    def _whole(self) -> int:
        return int(self.protocol["parts"] if "parts" in self.protocol else self.protocol["repeats"])

    @property
    def pool(self) -> list[Kernel]:
        """The base kernels."""
        return [Kernel.parse(name) for name in self.kernels]
