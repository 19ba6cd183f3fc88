"""Snakemake on a private cluster, as the tests drive it."""

import shutil
import subprocess
import sys


class OnCluster:
    """Snakemake in a folder, on a cluster."""

    def __init__(self, folder, cluster):
        self.folder, self.cluster = folder, cluster

    def start(self, *arguments, before=(), local=False):
        """Start Snakemake with the profile; `before` stands before its command."""
        environment = self.cluster.environment | {
            "PYTHONPATH": str(self.folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        environment.pop("GRAMBENCH_MIRROR", None)
        how = ("--cores", "2") if local else ("--profile", "profiles/slurm")
        with (self.folder / "said.log").open("w") as said:
            return subprocess.Popen(
                [*before, sys.executable, "-m", "snakemake", *how, *arguments],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
            )

    def run(self, *arguments, expect=0, **options):
        """Run Snakemake to its end; return what it said."""
        earlier = {job["id"] for job in self.cluster.jobs()}
        code = self.start(*arguments, **options).wait()
        said = self.said()
        assert code == expect, f"{said[-8000:]}\n{self._failures(earlier)}"
        return said

    def _failures(self, earlier):
        """Return the states of new jobs that did not complete, and the ends of their logs."""
        failed = [job for job in self.cluster.jobs() if job["id"] not in earlier and job["state"] != "COMPLETED"]
        logs = [path for job in failed for path in self.folder.glob(f"results/logs/slurm/**/{job['id']}.log")]
        return "\n".join([*map(str, failed), *(f"{path}:\n{path.read_text()[-3000:]}" for path in logs)])

    def said(self):
        return (self.folder / "said.log").read_text()

    def jobs(self, name):
        """Return the ids of the SLURM jobs in which an algorithm ran, in order."""
        path = self.folder / f"results/{name}.jobs"
        lines = path.read_text().splitlines() if path.exists() else []
        return list(dict.fromkeys(line.split()[0] for line in lines))

    def processes(self, name):
        """Return the number of processes in which an algorithm ran."""
        return len(set((self.folder / f"results/{name}.jobs").read_text().splitlines()))

    def state(self, job):
        return next(found["state"] for found in self.cluster.jobs() if found["id"] == job)


def may_mount():
    """Whether this user may have mounts of its own."""
    return shutil.which("unshare") is not None and not subprocess.run(["unshare", "-m", "true"], check=False).returncode
