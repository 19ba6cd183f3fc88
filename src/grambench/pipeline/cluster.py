"""What a workflow asks of SLURM before it starts: whether it takes jobs, and whether those of an earlier call run."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from grambench.common.errors import GrambenchError

# the names of jobs start with it; profiles/slurm sets it
PREFIX = "grambench"
ALIVE = "PENDING,CONFIGURING,RUNNING,SUSPENDED,REQUEUED,REQUEUE_HOLD"
ANSWER_SECONDS = 20
CLIENTS = ("sbatch", "squeue", "scancel")


def probe() -> None:
    """Submit a job that is held, and cancel it; raise GrambenchError if SLURM does not take it.

    Snakemake would find out only after it has planned all jobs.
    """
    check_clients()
    options = ["--parsable", "--hold", f"--job-name={PREFIX}-probe", f"--output={os.devnull}", "--wrap=true"]
    try:
        answer = subprocess.run(
            ["sbatch", *options], capture_output=True, text=True, timeout=ANSWER_SECONDS, check=True
        )
    except subprocess.CalledProcessError as error:
        said = "; ".join(error.stderr.split("\n")).strip("; ")
        raise GrambenchError(
            f"SLURM does not take a job: {said}; try: export SBATCH_PARTITION=... SBATCH_ACCOUNT=..."
        ) from None
    except subprocess.TimeoutExpired:
        raise GrambenchError(f"SLURM: sbatch gave no answer in {ANSWER_SECONDS} s; try again, or ask sinfo") from None
    subprocess.run(["scancel", answer.stdout.split(";")[0].strip()], capture_output=True, check=False)


def check_clients() -> None:
    """Raise GrambenchError if a command of SLURM is not there, without which its plugin waits for ever."""
    if missing := [name for name in CLIENTS if shutil.which(name) is None]:
        raise GrambenchError(
            f"SLURM: expected {', '.join(missing)} on PATH, as on a login node of the cluster, got none"
        )


def refused(minutes: int, megabytes: int) -> str:
    """Return what a SLURM job asked for that sbatch did not take, and why; Snakemake does not pass its words on."""
    asked = f"{minutes} min and {megabytes} MB"
    command = ["sbatch", "--test-only", f"--time={minutes}", f"--mem={megabytes}", "--wrap=true"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER_SECONDS, check=False)
        said = "; ".join(answer.stderr.split("\n")).strip("; ") if answer.returncode else ""
    except (OSError, subprocess.SubprocessError):
        said = ""
    why = f" ({said})" if said else ""
    return f"sbatch did not take it{why}; it asks for {asked}, which a partition has to allow: see docs/cluster.md"


def how_it_ended(logs: Sequence[str]) -> str:
    """Return how a SLURM job that failed has ended, by its log, whose name is the number of the job."""
    log = Path(logs[0])
    command = ["squeue", "--noheader", "--states=all", "--format=%T", f"--jobs={log.stem}"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER_SECONDS, check=True)
        state = answer.stdout.strip() or "unknown"
    except (OSError, subprocess.SubprocessError):
        state = "unknown"
    if not log.is_file():
        return f"SLURM job {log.stem} ended, its state {state}, without a log"
    said = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("slurmstepd")]
    why = f" ({said[-1].partition(': error: ')[2]})" if said else ""
    return f"SLURM job {log.stem} ended, its state {state}{why}, see {log}"


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
            f"SLURM jobs of an earlier call still run in this folder ({len(jobs)}); "
            f"wait for them (squeue --me) or cancel them: scancel {' '.join(jobs)}"
        )
