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


def refuse_leftovers(folder: Path) -> None:
    """Raise GrambenchError if SLURM jobs of an earlier call are alive in a folder: Snakemake would start them again.

    Snakemake cancels its jobs when it is interrupted, but not when it is killed or its machine goes down. It is called
    before a workflow submits its own jobs. Without SLURM, or without an answer, nothing is refused.
    """
    if shutil.which("squeue") is None:
        return
    command = ["squeue", "--me", "--noheader", f"--states={ALIVE}", "--format=%i|%j|%Z"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return
    lines, path = (line.split("|", 2) for line in answer.stdout.splitlines()), os.path.realpath(folder)
    jobs = [job for job, name, cwd in lines if name.startswith(f"{PREFIX}_") and os.path.realpath(cwd) == path]
    if jobs:
        raise GrambenchError(
            f"{len(jobs)} SLURM jobs of an earlier call still run in this folder; "
            f"wait for them (squeue --me) or cancel them: scancel {' '.join(jobs)}"
        )
