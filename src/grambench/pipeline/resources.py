"""How long jobs take, how much memory they need, and into which blocks of repetitions long runs are split."""

import itertools
import math
import statistics
import time
from collections.abc import Iterable
from functools import cache

import numpy as np

from grambench import algorithms
from grambench.common import layout
from grambench.common.layout import Cell
from grambench.common.types import Floats
from grambench.config.protocols import Online
from grambench.pipeline.targets import Targets

# seconds of a run in addition to its repetitions
START = 3
# of a run beside what its record counts, in processor seconds: Snakemake, and the process that asks a server for it
JOB = 0.3
# the line of config/costs.csv with the processor seconds that `calibrate` took on the machine of the other lines
CALIBRATION = ("calibration", "", "")
NEAREST = 3  # data sets whose costs are scaled for a run that was never measured
# MiB of a job of a cluster beside its step (900 were measured of two Snakemakes and two servers), and of a run beside
# its matrices (330 were measured)
JOB_MB, RUN_MB = 1000, 700
TABLE_MB = 1500  # MiB of a job of tables, as profiles/slurm has it
PREPARE_MINUTES = 5  # of rule `prepare`, likewise
# seconds of an online algorithm on one feature of one example, if there is an approximation
SECONDS_A_FEATURE = 1e-9
# the number of the last attempt at a run; follows from the retries of profiles/slurm
LAST = 3


class Resources:
    """The time and the memory of the runs of a project; only a cluster uses the memory and the minutes."""

    def __init__(self, targets: Targets) -> None:
        self.targets = targets

    def expected_seconds(self, cell: Cell) -> float:
        """Return roughly how long a run, or a block of it, takes on one core.

        Long runs were measured (`config/costs.csv`). All others follow a fit to measured runs, which is four times too
        low at worst: a pass over the examples and the training of an SVM take time in proportion to the Gram matrices.
        """
        measured = self.targets.configuration.costs.get((cell.study, cell.dataset, cell.task))
        return START + self._repetitions(cell) * (measured or self._estimate_seconds(cell))

    def processor_seconds(self, cell: Cell) -> float:
        """Return roughly the processor seconds of a run, or of a block of it, on the machine of `config/costs.csv`."""
        cost = self.cost(cell._replace(block=None)) or self._estimate_seconds(cell)
        return JOB + self._repetitions(cell) * cost

    def slowness(self) -> float:
        """Return how many times as long as the machine of `config/costs.csv` this one takes for the same work."""
        reference = self.targets.configuration.costs.get(CALIBRATION)
        return calibrate() / reference if reference else 1.0

    @cache  # noqa: B019  (one plan a process)
    def cost(self, cell: Cell) -> float | None:
        """Return the measured seconds of a repetition of a run.

        A run that was never measured costs the median of what its configuration costs on the data sets that are nearest
        in size, each scaled to its size. None where no study of its protocol has a cost of the configuration.
        """
        costs = self.targets.configuration.costs
        if found := costs.get((cell.study, cell.dataset, cell.task)):
            return found
        here, scaled = _log_sizes(self.targets, cell), []
        for (name, dataset, task), cost in costs.items():
            if task == cell.task and (there := self._beside(cell.study, name)):
                measured = cell._replace(study=name, dataset=dataset)
                if dataset in there.studies[name].datasets and cell.algorithm in there.studies[name].algorithms:
                    ratios = here - _log_sizes(there, measured)
                    scaled.append((np.abs(ratios).sum(), cost * math.exp(self._powers(cell) @ ratios)))
        return statistics.median(cost for _, cost in sorted(scaled)[:NEAREST]) if scaled else None

    def _powers(self, cell: Cell) -> Floats:
        """Return the powers of the sizes to which the time of a run is proportional; fitted to measured runs."""
        study = self.targets.studies[cell.study]
        if algorithms.category_of(study.file(cell.algorithm)) == "baselines":
            return np.array([0.5, 0.0, 0.5])
        return np.array([2.0 if isinstance(study.protocol, Online) else 1.0, 1.0, 0.5])

    @cache  # noqa: B019
    def _beside(self, study: str, name: str) -> Targets | None:
        """Return the targets with a study, None unless there is one that has the same kind of protocol as another."""
        configuration = self.targets.configuration
        if name in self.targets.studies:
            targets = self.targets
        elif name in configuration.names("studies"):
            targets = Targets(configuration, self.targets.project, {name: configuration.study(name)})
        else:
            return None
        same = targets.studies[name].protocol.kind == self.targets.studies[study].protocol.kind
        return targets if same else None

    def _estimate_seconds(self, cell: Cell) -> float:
        """Return roughly how long a repetition takes that was never measured."""
        study = self.targets.studies[cell.study]
        sweep = study.sweeps.get(cell.sweep)
        kernels = self.targets.kernels(cell.study, cell.dataset, cell.algorithm)
        examples = self.targets.dataset(cell.dataset).least()
        points = len(sweep.values) if sweep else 1
        if sweep and sweep.kind == "view":
            points = len({kernel.view for kernel in kernels})
        entry = study.algorithms[cell.algorithm]
        if entry.approximation:
            return SECONDS_A_FEATURE * len(kernels) * entry.n_components * examples * points
        if tune := entry.tune:
            points *= len(tune.candidates())
        return study.protocol.guess(len(kernels), examples, points, sweep is not None)

    def _repetitions(self, cell: Cell) -> int:
        """Return the number of repetitions of a run or of a block of it."""
        first, last = cell.block or (0, self.targets.studies[cell.study].protocol.repetitions - 1)
        return last - first + 1

    def blocks(self, cell: Cell) -> list[Cell]:
        """Return the blocks that a long run is split into; none for a run that is not split."""
        protocol = self.targets.studies[cell.study].protocol
        repetitions = longest = protocol.repetitions
        if not protocol.separable:
            return []
        limit = self.targets.project.limits.block_seconds
        while longest > 1 and self.expected_seconds(cell._replace(block=(1, longest))) > limit:
            longest -= 1
        count = math.ceil(repetitions / longest)
        return _blocks(cell, (b * repetitions // count for b in range(count + 1))) if count > 1 else []

    def block_records(self, cell: Cell) -> list[str]:
        """Return the record files of the blocks of a run."""
        return [block.path(layout.BLOCK) for block in self.blocks(cell)]

    def split(self) -> list[Cell]:
        """Return the runs that are split into blocks."""
        return [cell for cell in self.targets.cells() if self.blocks(cell)]

    def replications(self, cell: Cell) -> list[Cell]:
        """Return the blocks of further repetitions of a run, of one or several whole replications each.

        There are as many replications as the study asks for, or as its budget is expected to allow, but at least one.
        """
        study = self.targets.studies[cell.study]
        replications, repetitions = study.replications, study.protocol.repetitions
        if replications is None:
            return []
        cost = self.expected_seconds(cell) - START
        count = max(1, min(replications.count - 1, int(replications.seconds / cost)))
        blocks = math.ceil(count / max(1, int(self.targets.project.limits.block_seconds / cost)))
        return _blocks(cell, (repetitions * (1 + b * count // blocks) for b in range(blocks + 1)))

    def replication_records(self, study: str) -> list[str]:
        """Return the record files of a study's replications, after those of the replicated runs."""
        cells = self.targets.replicated(study)
        blocks = [block.path(layout.REPLICATION) for cell in cells for block in self.replications(cell)]
        return [cell.path() for cell in cells] + blocks

    def group(self, cell: Cell) -> str | None:
        """Return the group of a run that is too short to be a job of its own; None for all others.

        It is the group of the Gram matrices of the data set: one job computes these and does all short runs of all
        studies. Runs on several data sets have no rule in common, and each would cost a start of Snakemake.
        """
        # A job outside of the group makes distances of pairs from the group's files: the group cannot wait for them.
        return "data" if self.expected_seconds(cell) < 40 and not self.targets.pairs(cell.study, cell.dataset) else None

    def gram_mb(self, dataset: str) -> int:
        """Return the size of one Gram matrix of a data set in MiB."""
        return 8 * self.targets.dataset(dataset).least() ** 2 // 2**20 + 1

    def matrix_mb(self, dataset: str, attempt: int) -> int:
        """Return the memory of rule `gram` in MiB, with two mapped matrices; see `run_mb`."""
        limit = self.targets.project.limits.memory_mb if attempt >= LAST else 0
        return JOB_MB + attempt * (300 + 2 * self.gram_mb(dataset)) + limit

    def matrix_minutes(self, dataset: str, attempt: int) -> int:
        """Return the minutes of rules `inner` and `gram`: far more than they take, and those of all kernels add up."""
        return math.ceil(attempt**2 * (0.5 + self.gram_mb(dataset) / 500))

    def run_mb(self, study: str, dataset: str, attempt: int) -> int:
        """Return the memory of a run in MiB, with mapped Gram matrices, since SLURM counts these.

        The first attempt has as much as runs of this kind and their jobs were measured to use, the second one twice as
        much for the run. The last one has more than the limit of a run: the supervisor of the run ends it first, and a
        record says so.
        """
        protocol = self.targets.studies[study].protocol
        grams = len(self.targets.kernels(study, dataset)) * self.gram_mb(dataset)
        mapped = grams if protocol.stored else 0
        # kernels on blocks of pixels are evaluated row by row, and no matrix is held
        copies = 0 if self.targets.dataset(dataset).blocks else protocol.copies
        limit = self.targets.project.limits.memory_mb if attempt >= LAST else 0
        return JOB_MB + mapped + max(attempt * (RUN_MB + copies * grams), limit)

    def run_minutes(self, cell: Cell, attempt: int) -> int:
        """Return the minutes of a run: four times as many as expected, then 16 times, then its limit."""
        if attempt >= LAST:
            return math.ceil(self.run_seconds(cell._replace(block=None)) / 60) + 5
        return 1 + math.ceil(attempt**2 * 4 * self.expected_seconds(cell) / 60)

    def table_minutes(self, study: str, joined: int) -> int:
        """Return the minutes of the job of the tables of a study: one for each of its files and of the joined runs."""
        settings = self.targets.studies[study]
        return 4 + len(settings.tables) + len(settings.figures) + joined

    def run_seconds(self, cell: Cell) -> float:
        """Return the limit of a run in seconds; a block has its share of the limit that a study sets."""
        limit, study = self.targets.project.limits.seconds, self.targets.studies[cell.study]
        if not study.seconds:
            return limit
        return min(limit, study.seconds * self._repetitions(cell) / study.protocol.repetitions)


def _blocks(cell: Cell, starts: Iterable[int]) -> list[Cell]:
    """Return consecutive blocks; the last of `starts` is one after the last repetition."""
    return [cell._replace(block=(first, end - 1)) for first, end in itertools.pairwise(starts)]


def calibrate() -> float:
    """Return the processor seconds of a fixed problem, the least of five: the eigenvalues of 100 Gram matrices."""
    points, taken = np.random.default_rng(0).normal(size=(100, 48, 10)), []
    for _ in range(5):
        start = time.process_time()
        np.linalg.eigvalsh(np.exp(-0.1 * np.square(points[:, :, None] - points[:, None]).sum(axis=-1)))
        taken.append(time.process_time() - start)
    return min(taken)


def _log_sizes(targets: Targets, cell: Cell) -> Floats:
    """Return the logarithms of examples, kernels, and classes of a run; features in place of kernels for baselines."""
    study, dataset = targets.studies[cell.study], targets.dataset(cell.dataset)
    examples = min(dataset.least(), getattr(study.protocol, "most", dataset.least()))
    learns = algorithms.category_of(study.file(cell.algorithm)) == "baselines"
    size = dataset.d if learns else len(targets.kernels(cell.study, cell.dataset, cell.algorithm))
    return np.log([examples, max(1, size), len(dataset.classes or "1")])
