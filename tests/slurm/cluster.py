"""A private SLURM on loopback: real munged, slurmctld and slurmd, several nodes on one machine, in one folder.

    python tests/slurm/cluster.py up FOLDER      prints what to put into the environment
    python tests/slurm/cluster.py down FOLDER    stops what `up` has started, by process id

It needs no root, no systemd and no cgroups, and Debian's slurmctld, slurmd, slurm-client and munge.
"""

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil

PROGRAMS = ("munged", "munge", "slurmctld", "slurmd", "slurmstepd", "sbatch", "srun", "squeue", "scontrol", "scancel")
CLIENTS = ("sbatch", "srun", "squeue", "sacct", "sacctmgr", "scancel", "scontrol", "sinfo")
PATH = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])
INSTALL = "apt-get install slurmctld slurmd slurm-client munge"
CONF = """\
ClusterName=grambench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
AccountingStorageType=accounting_storage/none
SlurmctldPidFile={folder}/slurmctld.own
SlurmdPidFile={folder}/%n.own
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
MpiDefault=none
SwitchType=switch/none
# no cgroups: processes are found by their parents, memory is watched every second
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=2,bf_interval=2
SlurmdParameters=config_overrides
ReturnToService=2
EnforcePartLimits=ALL
SlurmdTimeout=10
KillWait=2
MinJobAge=600
DefMemPerCPU=200
"""
PARTITION = "PartitionName=main Nodes=ALL LLN=YES Default=YES MaxTime=24:00:00 DefaultTime=00:10:00 State=UP\n"


def missing() -> list[str]:
    """Return the programs of SLURM that are not installed."""
    return [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]


class Cluster:
    """A cluster in a folder.

    Parameters
    ----------
    folder : Path
        Takes configuration, logs, state and process ids; its path must be short, for the socket of munge.
    nodes, cpus, memory_mb : int
        Nodes n1, n2, ... and what each of them says it has.
    """

    def __init__(self, folder: Path, nodes: int = 4, cpus: int = 2, memory_mb: int = 6000) -> None:
        self.folder = folder.resolve()
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        self.cpus, self.memory_mb = cpus, memory_mb
        self.conf = self.folder / "slurm.conf"

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs; its commands lie in the folder, since the plugin drops SLURM_CONF inside of jobs."""
        return os.environ | {"SLURM_CONF": str(self.conf), "PATH": f"{self.folder / 'bin'}{os.pathsep}{PATH}"}

    def call(self, *command: str) -> str:
        """Run a client; return what it prints."""
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True, timeout=60
        ).stdout

    def start(self) -> None:
        """Start all daemons and wait until every node is idle."""
        for name in ("bin", "sbin", "state", *self.nodes):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for name in ("slurmctld", "slurmd", "slurmstepd"):  # Debian's <name>-wlm behave only when called by plain names
            link = self.folder / "sbin" / name
            link.unlink(missing_ok=True)
            link.symlink_to(os.path.realpath(str(shutil.which(name, path=PATH))))
        for name in CLIENTS:
            if program := shutil.which(name, path=PATH):
                script = self.folder / "bin" / name
                script.write_text(f'#!/bin/sh\nSLURM_CONF="{self.conf}" exec {program} "$@"\n')
                script.chmod(0o755)
        self._configure()
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        self._spawn(
            "munged",
            "--foreground",
            f"--key-file={key}",
            f"--socket={self.folder}/munge.socket",
            f"--pid-file={self.folder}/munged.own",
            f"--log-file={self.folder}/munged.log",
            f"--seed-file={self.folder}/munge.seed",
            "--force",
        )
        self._until("munged", lambda: (self.folder / "munge.socket").exists())
        self._spawn("slurmctld", "-D", "-f", str(self.conf))
        for node in self.nodes:
            self.boot(node)
        self._until("slurmctld", lambda: "UP" in self.call("scontrol", "ping"))
        self._until("the nodes", lambda: all(self.state(node) == "idle" for node in self.nodes))

    def boot(self, node: str) -> None:
        """Start a node."""
        stepd = str(self.folder / "sbin/slurmstepd")
        self._spawn("slurmd", "-D", "-N", node, "-f", str(self.conf), "-d", stepd, name=node)

    def crash(self, node: str) -> None:
        """Kill a node's daemon and everything that it has started, as a loss of power does."""
        doomed = [psutil.Process(int((self.folder / f"{node}.pid").read_text()))]
        for process in psutil.process_iter(["name"]):
            if process.info["name"] == "slurmstepd" and self._listens(process, self.folder / node):
                doomed += [process, *process.children(recursive=True)]
        for process in doomed:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()

    def state(self, node: str) -> str:
        """Return the state of a node, such as idle, mixed, allocated or down."""
        return self.call("sinfo", "-h", "-N", "-n", node, "-o", "%T").split()[0].rstrip("*")

    def jobs(self) -> list[dict[str, str]]:
        """Return id, state, node and comment of every job that the controller remembers."""
        lines = self.call("squeue", "-h", "--states=all", "--format=%i|%T|%N|%k").splitlines()
        return [dict(zip(("id", "state", "node", "comment"), line.split("|"), strict=True)) for line in lines]

    def stop(self) -> None:
        """Cancel all jobs and stop what was started."""
        with contextlib.suppress(subprocess.SubprocessError, OSError):
            self.call("scancel", "--user", getpass.getuser())
            self._until("the jobs", lambda: not self.call("squeue", "-h"), seconds=10)
        for name in (*self.nodes, "slurmctld", "munged"):
            self._end(self.folder / f"{name}.pid")

    @staticmethod
    def _listens(process: psutil.Process, folder: Path) -> bool:
        """Whether a process has a socket in a folder: the daemon of a job's step has one in that of its node."""
        with contextlib.suppress(psutil.Error):
            return any(str(folder) in str(connection.laddr) for connection in process.net_connections("unix"))
        return False

    def _configure(self) -> None:
        host, port = socket.gethostname().split(".")[0], _free_ports(len(self.nodes) + 1)
        (self.folder / "state").chmod(0o700)
        lines = [
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port + 1 + i} CPUs={self.cpus} "
            f"RealMemory={self.memory_mb} State=UNKNOWN\n"
            for i, node in enumerate(self.nodes)
        ]
        head = CONF.format(host=host, port=port, user=getpass.getuser(), folder=self.folder)
        self.conf.write_text(head + "".join(lines) + PARTITION)

    def _spawn(self, program: str, *arguments: str, name: str = "") -> None:
        link = self.folder / "sbin" / program
        path = str(link) if link.exists() else str(shutil.which(program, path=PATH))
        with (self.folder / f"{name or program}.out").open("wb") as out:
            process = subprocess.Popen(
                [path, *arguments],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        (self.folder / f"{name or program}.pid").write_text(str(process.pid))

    def _end(self, file: Path) -> None:
        with contextlib.suppress(FileNotFoundError, psutil.NoSuchProcess):
            process = psutil.Process(int(file.read_text()))
            if str(self.folder) in " ".join(process.cmdline()):  # not a process that has got its number since
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(timeout=10)
                except psutil.TimeoutExpired:
                    process.kill()
        file.unlink(missing_ok=True)

    def _until(self, what: str, ready, seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(subprocess.SubprocessError, IndexError):
                if ready():
                    return
            time.sleep(0.1)
        raise TimeoutError(f"{what}: expected to be ready within {seconds:g} s; see the logs in {self.folder}")


def _free_ports(count: int) -> int:
    """Return the first of `count` ports in a row that nobody listens at."""
    for first in range(17700, 30000, 100):
        with contextlib.ExitStack() as held, contextlib.suppress(OSError):
            for port in range(first, first + count):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    raise OSError("no free ports between 17700 and 30000")


def main(argv: list[str]) -> int:
    if len(argv) != 2 or argv[0] not in ("up", "down"):
        print(__doc__, file=sys.stderr)
        return 2
    cluster = Cluster(Path(argv[1]))
    if argv[0] == "down":
        cluster.stop()
        return 0
    if lacking := missing():
        print(f"not installed: {', '.join(lacking)}; {INSTALL}", file=sys.stderr)
        return 1
    start = time.monotonic()
    cluster.start()
    print(f"export SLURM_CONF={cluster.conf} PATH={cluster.folder}/bin:$PATH  # up in {time.monotonic() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
