"""A call of a step: its settings, its code, its files and its limits."""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from grambench.common.errors import ContractError, GrambenchError, visible
from grambench.common.forks import PR_SET_NAME, prctl
from grambench.common.provenance import identities, made_from
from grambench.pipeline.client import HALVES

STEPS = "grambench.pipeline.steps"


@dataclass(frozen=True, slots=True)
class Job:
    """A call of a step.

    Attributes
    ----------
    spec : str
        The settings, as canonical JSON.
    code : str
        The hash of the code.
    output, input : sequence of Path
        The files to write, and those to read, in the order of the rule.
    threads : int
        The number of threads of the step.
    seconds, memory_mb : float
        The limits of a supervised step.
    killed : bool
        Whether an earlier call of a run was killed, which is to be written.
    """

    spec: str
    code: str = ""
    output: Sequence[Path] = ()
    input: Sequence[Path] = ()
    threads: int = 1
    seconds: float = math.inf
    memory_mb: float = math.inf
    killed: bool = False

    @classmethod
    def parse(cls, argv: Sequence[str], spec: str) -> "Job":
        """Return the job of the arguments of a step and of its settings."""
        parser = argparse.ArgumentParser()
        parser.add_argument("code")
        parser.add_argument("--output", type=Path, nargs="+")
        parser.add_argument("--input", type=Path, nargs="*")
        parser.add_argument("--threads", type=int, default=1)
        parser.add_argument("--seconds", type=float, default=math.inf)
        parser.add_argument("--memory-mb", type=float, default=math.inf)
        parser.add_argument("--killed", action="store_true")
        return cls(spec, **vars(parser.parse_args(argv)))

    @property
    def argv(self) -> list[str]:
        """The arguments of a step for this job."""
        limits = [f"--threads={self.threads}", f"--seconds={self.seconds}", f"--memory-mb={self.memory_mb}"]
        return [self.code, "--output", *map(str, self.output), "--input", *map(str, self.input), *limits]

    @property
    def settings(self) -> Any:
        """The settings."""
        return json.loads(self.spec)

    @property
    def made_from(self) -> str:
        """What the output is made from, for its seal."""
        return made_from(self.spec, self.code, identities(self.input))

    @property
    def record_fields(self) -> dict[str, Any]:
        """The fields of a record of a run that do not depend on how it ends."""
        names = {name: self.settings[name] for name in ("study", "dataset", "algorithm")}
        return names | {"code": self.code, "inputs": identities(self.input), "settings": self.settings}


def call(step: str, job: Job) -> None:
    """Call the `main` of a step; an error that grambench raises ends the process with its message alone."""
    sys.argv[1:] = [step, *job.argv]
    # a fork has the arguments of its server, and `top` shows these unless it has a name; SLURM neither counts the
    # memory of a process whose name has a space nor ends it
    prctl(PR_SET_NAME, f"grambench-{step}".encode())
    try:
        import_module(f"{STEPS}.{step}").main(job)
    except GrambenchError as error:
        # the supervisor of a half reads the traceback; that of a ContractError shows no line of the algorithm
        if step in HALVES.values() and not isinstance(error, ContractError):
            raise
        raise SystemExit(visible(str(error))) from None
