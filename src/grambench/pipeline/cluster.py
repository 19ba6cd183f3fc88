"""SLURM jobs of an earlier call that still work in a folder."""

import os
import shutil
import subprocess
from pathlib import Path

from grambench.common.errors import GrambenchError

PREFIX = "grambench"  # of the jobs' names, set in profiles/slurm
ALIVE = "PENDING,CONFIGURING,RUNNING,SUSPENDED,REQUEUED,REQUEUE_HOLD"
SECONDS = 20


class LeftoverError(GrambenchError):
    """Jobs of an earlier call still write to the results folder."""


def leftovers(folder: Path) -> list[str]:
    """Return the ids of this user's SLURM jobs, running or waiting, that an earlier call has started in a folder.

    The list is empty if there is no SLURM or no answer. A workflow submits its own jobs after this call.
    """
    if shutil.which("squeue") is None:
        return []
    command = ["squeue", "--me", "--noheader", f"--states={ALIVE}", "--format=%i|%j|%Z"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    jobs = [line.split("|", 2) for line in answer.stdout.splitlines()]
    return [job for job, name, place in jobs if name.startswith(f"{PREFIX}_") and _same(Path(place), folder)]


def _same(place: Path, folder: Path) -> bool:
    return os.path.realpath(place) == os.path.realpath(folder)


def refuse_leftovers(folder: Path) -> None:
    """Raise LeftoverError if jobs of an earlier call are alive: Snakemake would start them a second time.

    Snakemake cancels its jobs when it is interrupted, but not when it is killed or its machine goes down.
    """
    if jobs := leftovers(folder):
        raise LeftoverError(
            f"{len(jobs)} SLURM jobs of an earlier call still work in this folder; "
            f"wait for them (squeue --me) or cancel them: scancel {' '.join(jobs)}"
        )
