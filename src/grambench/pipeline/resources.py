"""How long jobs take, how much memory they need, and into which blocks of repeats long runs are split."""

import itertools
import math

from grambench.common import layout
from grambench.pipeline.targets import Targets, ends, parsed

START = 3  # seconds of a run beside its repeats
LAST = 3  # attempt at a run, with the retries of profiles/slurm


class Resources:
    """The time and the memory of the runs of a project."""

    def __init__(self, targets: Targets) -> None:
        self.targets = targets

    def gram_mb(self, dataset: str) -> int:
        """Return the size of one Gram matrix of a data set in MiB."""
        return 8 * self.targets.dataset(dataset).least() ** 2 // 2**20 + 1

    def matrix_mb(self, dataset: str, attempt: int) -> int:
        """Return the memory that rule `gram` may take in MiB, two mapped matrices included; see `run_mb`."""
        mapped = 2 * self.gram_mb(dataset)
        return attempt * (800 + mapped) + (self.targets.project.limits.memory_mb if attempt >= LAST else 0)

    def matrix_minutes(self, attempt: int) -> int:
        """Return the minutes that rule `gram` may take: a few, and last the limit of a run."""
        return 2 * attempt if attempt < LAST else math.ceil(self.targets.project.limits.seconds / 60) + 5

    def run_mb(self, study: str, dataset: str, attempt: int) -> int:
        """Return the memory that a run may take in MiB, mapped Gram matrices included, which SLURM counts too.

        Beside them, first what runs of its kind and the two Snakemakes of a job were measured to take, then twice that,
        last the limit of a run: then it is the run's own supervisor that ends it, and a record says so.
        """
        plan = self.targets.studies[study]
        grams = len(plan.kernel_list()) * self.gram_mb(dataset)
        mapped = grams if plan.protocol.stored else 0
        copies = 0 if self.targets.dataset(dataset).blocks else plan.protocol.copies  # of pixels, none is held
        if attempt >= LAST:
            return mapped + 500 + self.targets.project.limits.memory_mb
        return mapped + attempt * (1100 + copies * grams)

    def run_seconds(self, study: str, block: str | None = None) -> float:
        """Return the seconds that a run of a study may take; of a study's own budget, a block has its share."""
        whole, budget = self.targets.project.limits.seconds, self.targets.studies[study].seconds
        if not budget:
            return whole
        first, last = ends(block) if block else (0, self.targets.repeats(study) - 1)
        return min(whole, budget * (last - first + 1) / self.targets.repeats(study))

    def run_minutes(self, study: str, dataset: str, task: str, attempt: int, block: str | None = None) -> int:
        """Return the minutes that a run may take: a few times those expected, more, and last the limit of a run."""
        if attempt >= LAST:
            return math.ceil(self.run_seconds(study) / 60) + 5
        return 1 + math.ceil(attempt**2 * 4 * self.expected_seconds(study, dataset, task, block) / 60)

    def expected_seconds(self, study: str, dataset: str, task: str, block: str | None = None) -> float:
        """Return about how long a run, or a block of it, takes on one core.

        Long runs are known from measurements, `config/costs.csv`; others, and new ones, from a fit to measured runs,
        four times too little at worst: a pass over the examples, and the training of a machine, take time in proportion
        to the Gram matrices.
        """
        first, last = ends(block) if block else (0, self.targets.repeats(study) - 1)
        done = last - first + 1
        return START + done * (
            self.targets.configuration.costs.get((study, dataset, task)) or self._guess(study, dataset, task)
        )

    def _guess(self, study: str, dataset: str, task: str) -> float:
        """Return about how long a repeat takes of which nothing is known."""
        plan = self.targets.studies[study]
        entry, sweep = parsed(plan, task)
        kernels, examples = len(plan.kernel_list()), self.targets.dataset(dataset).least()
        points = len(sweep.values) if sweep else 1
        if tune := plan.algorithms[entry].tune:
            points *= len(tune.values) * (len(tune.C) or 1)
        return plan.protocol.guess(kernels, examples, points, sweep is not None)

    def group(self, study: str, dataset: str, task: str) -> str | None:
        """Return the group of a run that is too short to be a job of its own, None for others.

        It is that of the data set's Gram matrices, so that one job makes these and all short runs of all studies. Runs
        of several data sets, which have no rule in common, would each cost a start of Snakemake.
        """
        return "data" if self.expected_seconds(study, dataset, task) < 40 else None

    def blocks(self, study: str, dataset: str, task: str) -> list[str]:
        """Return the blocks of repeats that a long run is split into, FIRST-LAST; none for a run that is not split."""
        whole, limit = self.targets.repeats(study), self.targets.project.limits.block_seconds
        if not self.targets.studies[study].protocol.separable:
            return []
        longest = whole
        while longest > 1 and self.expected_seconds(study, dataset, task, f"1-{longest}") > limit:
            longest -= 1
        count = math.ceil(whole / longest)
        return [f"{b * whole // count}-{(b + 1) * whole // count - 1}" for b in range(count)] if count > 1 else []

    def split_runs(self) -> list[str]:
        """Return the runs that are split, STUDY/DATASET/TASK."""
        return ["/".join(run) for run in self.targets.runs() if self.blocks(*run)]

    def block_records(self, run: str) -> list[str]:
        """Return the record files of the blocks of a run that is split, STUDY/DATASET/TASK."""
        study, dataset, task = run.split("/", 2)
        return [
            layout.BLOCK.format(study=study, dataset=dataset, task=task, block=block)
            for block in self.blocks(study, dataset, task)
        ]

    def replications(self, study: str, dataset: str, task: str) -> list[str]:
        """Return the blocks of the repeats that come after a run's own, whole replications each.

        There are as many as the study asks for, or as its budget is expected to allow, but one at least.
        """
        again, whole = self.targets.studies[study].replications, self.targets.repeats(study)
        if again is None:
            return []
        cost = self.expected_seconds(study, dataset, task) - START
        count = max(1, min(again.count - 1, int(again.seconds / cost)))
        blocks = math.ceil(count / max(1, int(self.targets.project.limits.block_seconds / cost)))
        ends = [whole * (1 + b * count // blocks) for b in range(blocks + 1)]
        return [f"{first}-{last - 1}" for first, last in itertools.pairwise(ends)]

    def replication_records(self, study: str) -> list[str]:
        """Return the record files of a study's replications, after those of the runs that they are replications of."""
        cells = self.targets.replicated(study)
        own = [layout.RECORD.format(study=study, dataset=dataset, task=task) for dataset, task in cells]
        return own + [
            layout.REPLICATION.format(study=study, dataset=dataset, task=task, block=block)
            for dataset, task in cells
            for block in self.replications(study, dataset, task)
        ]
