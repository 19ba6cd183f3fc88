"""SLURM jobs of an earlier call that still work in a folder."""

import os
import shutil
import subprocess
from pathlib import Path

from grambench.common.errors import GrambenchError

# the names of jobs start with it; profiles/slurm sets it
PREFIX = "grambench"
ALIVE = "PENDING,CONFIGURING,RUNNING,SUSPENDED,REQUEUED,REQUEUE_HOLD"
ANSWER_SECONDS = 20


class LeftoverError(GrambenchError):
    """Jobs of an earlier call still write to the results folder."""


def leftovers(folder: Path) -> list[str]:
    """Return the ids of this user's SLURM jobs, running or waiting, that an earlier call has started in a folder.

    The list is empty if there is no SLURM or no answer. It is read before a workflow submits its own jobs.
    """
    if shutil.which("squeue") is None:
        return []
    command = ["squeue", "--me", "--noheader", f"--states={ALIVE}", "--format=%i|%j|%Z"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    jobs = [line.split("|", 2) for line in answer.stdout.splitlines()]
    path = os.path.realpath(folder)
    return [job for job, name, cwd in jobs if name.startswith(f"{PREFIX}_") and os.path.realpath(cwd) == path]


def refuse_leftovers(folder: Path) -> None:
    """Raise LeftoverError if jobs of an earlier call are alive: Snakemake would start them a second time.

    Snakemake cancels its jobs when it is interrupted, but not when it is killed or its machine goes down.
    """
    if jobs := leftovers(folder):
        raise LeftoverError(
            f"{len(jobs)} SLURM jobs of an earlier call still run in this folder; "
            f"wait for them (squeue --me) or cancel them: scancel {' '.join(jobs)}"
        )
