"""A study through SLURM, long runs in blocks, gives what it gives on one machine in one piece, to the last bit."""

import re
import shutil
import time
from pathlib import Path

import numpy as np
import pandas as pd
from copies import ONLINE, ROOT, copy_repository
from harness import OnCluster
from processes import until

from grambench.common import layout
from grambench.datasets import views
from grambench.experiments.outcome import GROUPS
from grambench.kernels import matrices
from grambench.results import records

TIMED = re.compile("seconds|memory|time|slow|fast|speed", re.IGNORECASE)  # metrics, and claims about them
STREAMS = ["--config", "studies=[small_streams]", "sources=[generated]"]
# seconds of a repetition, by which each is a block and a job of its own; the limit of each is then above two hours
COSTS = "small_streams,small_stream,halting,2000\n"
# a slow machine may need longer than the minutes that a job asks for; Snakemake then sends the job again with more
SLOW = {"COMPLETED", "TIMEOUT"}
HALTING = '''"""Mine: Raker, which waits in the middle of each pass until it may go on (nobody et al. 2026)."""

import os
import pathlib
import time

from grambench.algorithms.gradient import GradientParameters as Parameters
from grambench.algorithms.online.raker import Raker, fit
from grambench.algorithms.streaming import LinearClassifiers


def start(parameters, starts, rng):
    return Halting(parameters, LinearClassifiers(starts))


class Halting(Raker):
    learned = 0

    def block(self, features, labels):
        self.learned += len(labels)
        if self.learned - len(labels) < 20_000 <= self.learned:
            with pathlib.Path("results/halting.jobs").open("a") as jobs:
                jobs.write(f"{os.environ.get('SLURM_JOB_ID')} {os.getpid()}\\n")
            while not pathlib.Path("results/go").exists():
                time.sleep(0.1)
        return super().block(features, labels)
'''


def without_seconds(path):
    """Return a table's rows without those that tell times."""
    rows = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, dtype=str, keep_default_na=False)
    rows = rows.drop(columns=[name for name in rows if TIMED.search(name) or name == "peak_resident_mb"])
    for name in {"metric", "statement", "verdict"} & set(rows):
        rows = rows[~rows[name].str.contains(TIMED)]
    return rows.reset_index(drop=True)


def compare(local, remote):
    """Compare the numbers of two results folders, bit by bit; return how many files of each kind they have."""
    made = numbers(local)
    assert made == numbers(remote)
    compared = dict.fromkeys(("runs", "grams", "features", "tables"), 0)
    for path in made:
        if path.parts[0] == "runs":
            compared["runs"] += 1
            same_record(records.read(local / path), records.read(remote / path))
        elif path.parts[0] == "grams":
            compared["grams"] += 1
            assert np.array_equal(matrices.open_matrix(local / path), matrices.open_matrix(remote / path))
        elif path.parts[0] == "features" and "codebook" not in path.name:
            compared["features"] += 1
            one, other = (views.read(folder / path).views for folder in (local, remote))
            assert one.keys() == other.keys()
            assert all(np.array_equal(one[view], other[view]) for view in one)
        elif path.suffix != ".h5":
            compared["tables"] += 1
            pd.testing.assert_frame_equal(
                without_seconds(local / path), without_seconds(remote / path), check_exact=True
            )
    return compared


def test_the_study_is_the_same_on_a_cluster(cluster, tmp_path, request):
    settings = ["--configfile", str(ROOT / request.config.getoption("study"))]
    more = {"local": [], "slurm": ["--slurm-keep-successful-logs", "--config", "limits={block_seconds: 5}"]}
    earlier = {job["id"] for job in cluster.jobs()}
    seconds, folders = {}, {}
    for place, blocks in more.items():
        folders[place] = tmp_path / place
        copy_repository(folders[place])
        start = time.monotonic()
        said = OnCluster(folders[place], cluster).run(*settings, *blocks, local=place == "local")
        seconds[place] = time.monotonic() - start
        assert ("rule join:" in said) == bool(blocks)
    ratio = seconds["slurm"] / seconds["local"]
    print(f"\nlocal {seconds['local']:.0f} s, through SLURM {seconds['slurm']:.0f} s: {ratio:.1f} times as long")

    used = {job["node"] for job in cluster.jobs() if job["id"] not in earlier}
    assert len(used) > 1, "it ran on one node only"
    assert {job["state"] for job in cluster.jobs() if job["id"] not in earlier} <= SLOW
    logs = [path.read_text() for path in (folders["slurm"] / "results/logs/slurm").rglob("*.log")]
    cores = {found for log in logs for found in re.findall("Provided cores: ([0-9]+)", log)}
    assert cores == {"1"}, "members of a group ran side by side"

    compared = compare(folders["local"] / "results", folders["slurm"] / "results")
    print(", ".join(f"{count} {what}" for what, count in compared.items()) + " are the same")
    assert compared["runs"] >= 28 and compared["grams"] >= 34 and compared["tables"] >= 12, compared
    assert compared["features"] == 2, compared
    for study in ("omkc", "rkl"):
        assert len(without_seconds(folders["local"] / layout.REPRODUCTION.format(study=study))) > 0


def copy_with_stream(folder):
    """Copy the repository, with a study of a stream and an algorithm that stops in the middle of its passes."""
    copy_repository(folder)
    shutil.copytree(Path(__file__).parent / "config", folder / "config", dirs_exist_ok=True)
    (folder / ONLINE / "halting.py").write_text(HALTING)
    with (folder / "config/costs.csv").open("a") as costs:
        costs.write(COSTS)


def test_a_node_that_is_lost_in_the_middle_of_a_pass_loses_its_block_alone(cluster, tmp_path):
    local, remote = OnCluster(tmp_path / "local", cluster), OnCluster(tmp_path / "slurm", cluster)
    earlier = {job["id"] for job in cluster.jobs()}
    for place in (local, remote):
        copy_with_stream(place.folder)
        place.run(layout.PREPARED.format(dataset="small_stream"), *STREAMS, local=True)
    snakemake = remote.start(*STREAMS)
    try:
        # each job compiles Raker first
        *_, halted = until(lambda: len(remote.jobs("halting")) == 3 and remote.jobs("halting"))
        lost = next(job["node"] for job in cluster.jobs() if job["id"] == halted)
        cluster.crash(lost)
        until(lambda: cluster.state(lost) == "down")
        (remote.folder / "results/go").touch()
        assert snakemake.wait() == 0, remote.said()[-8000:]
        cluster.boot(lost)
    finally:
        snakemake.kill()
    assert "rule join:" in remote.said()
    failed = [job for job in cluster.jobs() if job["id"] not in earlier and job["state"] not in SLOW]
    assert {(job["state"], job["node"]) for job in failed} == {("NODE_FAIL", lost)}
    repeated = {job["id"] for job in failed} & set(remote.jobs("halting"))
    assert halted in repeated
    assert len(remote.jobs("halting")) == 3 + len(repeated), "a block was learned again that was not on the lost node"

    (local.folder / "results/go").touch()
    assert "rule join:" not in local.run(*STREAMS, "limits={block_seconds: 10000}", local=True)
    compared = compare(local.folder / "results", remote.folder / "results")
    assert compared["runs"] == 3 and compared["tables"] > 0, compared


def numbers(folder):
    """Return every whole file of numbers below a results folder; a lost job leaves a hidden part of one."""
    return sorted(
        path.relative_to(folder) for path in folder.rglob("[!.]*.*") if path.suffix in (".h5", ".csv", ".parquet")
    )


def same_record(one, other):
    assert (one.status, one.orders, one.settings) == (other.status, other.orders, other.settings)
    assert one.status == "ok"
    for group in GROUPS:
        values, others = getattr(one, group), getattr(other, group)
        assert values.keys() == others.keys()
        for name in values:
            assert TIMED.search(name) or values[name].tobytes() == others[name].tobytes(), name
