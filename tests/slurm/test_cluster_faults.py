"""What may happen to a cluster while it works: each test first shows that it did, then that the results are whole."""

import shutil
import signal

import numpy as np
import pandas as pd
import pytest
from conftest import NAMES
from harness import may_mount, until

from grambench import layout, records
from grambench.datasets import store


def record(name):
    return layout.RECORD.format(study="omkc", dataset="sonar", task=name)


def status(faulty, name):
    return records.read(faulty.folder / record(name)).status


@pytest.fixture(scope="module")
def storm(faulty, cluster):
    """Four jobs at once: one loses its node, one is requeued, one outlives its minutes, one wants too much memory."""
    names = ("crashed", "requeued", "late", "hoard")
    snakemake = faulty.start(*(record(name) for name in names))
    try:
        jobs = {name: until(lambda name=name: faulty.jobs(name))[0] for name in names}
        nodes = {job["id"]: job["node"] for job in cluster.jobs()}
        assert len({nodes[job] for job in jobs.values()}) == 4, nodes
        cluster.call("scontrol", "update", f"jobid={jobs['late']}", "TimeLimit=1")
        cluster.call("scontrol", "update", f"jobid={jobs['requeued']}", "Requeue=1")
        cluster.call("scontrol", "requeue", jobs["requeued"])
        cluster.crash(nodes[jobs["crashed"]])
        until(lambda: faulty.state(jobs["requeued"]) == "PENDING")
        cluster.call("scontrol", "update", f"jobid={jobs['requeued']}", "StartTime=now")  # not after two minutes
        assert snakemake.wait() == 0, faulty.said()[-8000:]
    finally:
        snakemake.send_signal(signal.SIGINT)
        snakemake.wait()
        for node in cluster.nodes:
            if cluster.state(node) == "down":
                cluster.boot(node)
    return jobs


def test_a_node_goes_down_and_its_job_starts_on_another(storm, faulty, cluster):
    assert faulty.state(storm["crashed"]) == "NODE_FAIL"
    first, second = faulty.jobs("crashed")
    nodes = {job["id"]: job["node"] for job in cluster.jobs()}
    assert nodes[first] != nodes[second]
    assert faulty.state(second) == "COMPLETED"
    assert status(faulty, "crashed") == "ok"


def test_a_job_killed_for_memory_gets_more(storm, faulty, cluster):
    first, second = faulty.jobs("hoard")
    assert faulty.state(first) in ("FAILED", "OUT_OF_MEMORY")
    given = [cluster.call("squeue", "-h", "--states=all", "-j", job, "-o", "%m").strip() for job in (first, second)]
    assert given == ["803M", "1603M"]
    assert faulty.state(second) == "COMPLETED"
    assert status(faulty, "hoard") == "ok"


def test_a_job_that_outlives_its_minutes_starts_again(storm, faulty):
    assert faulty.state(storm["late"]) == "TIMEOUT"
    _, second = faulty.jobs("late")
    assert faulty.state(second) == "COMPLETED"
    assert status(faulty, "late") == "ok"


def test_a_requeued_job_goes_on(storm, faulty, cluster):
    (job,) = faulty.jobs("requeued")
    assert "Restarts=1" in cluster.call("scontrol", "show", "job", job)
    assert faulty.processes("requeued") == 2
    assert faulty.state(job) == "COMPLETED"
    assert status(faulty, "requeued") == "ok"


def test_a_killed_snakemake_does_not_start_its_jobs_twice(faulty, cluster):
    snakemake = faulty.start(record("slow"))
    (job,) = until(lambda: faulty.jobs("slow"))
    snakemake.kill()
    assert snakemake.wait() == -signal.SIGKILL
    assert faulty.state(job) == "RUNNING"
    assert "--unlock" in faulty.run(record("slow"), expect=1)
    faulty.run("--unlock")
    said = faulty.run(record("slow"), expect=1)
    assert "1 SLURM jobs of an earlier call still work in this folder" in said and f"scancel {job}" in said
    assert faulty.jobs("slow") == [job]
    until(lambda: faulty.state(job) == "COMPLETED")
    faulty.run(record("slow"))
    assert status(faulty, "slow") == "ok"
    assert not list((faulty.folder / record("slow")).parent.glob(".*"))


@pytest.mark.skipif(not may_mount(), reason="needs root, for a mount that only Snakemake sees")
def test_a_file_system_that_shows_a_file_late(faulty, cluster, tmp_path):
    """Snakemake sees, instead of the records' folder, one that a file reaches only when it is waited for."""
    folder = (faulty.folder / record("hidden")).parent
    folder.mkdir(parents=True, exist_ok=True)
    hide = f'mount --bind "{tmp_path}" "{folder}" && exec "$@"'
    snakemake = faulty.start(record("hidden"), before=("unshare", "-m", "sh", "-c", hide, "sh"))
    written, seen = folder / "hidden.h5", tmp_path / "hidden.h5"
    until(written.exists)
    (job,) = faulty.jobs("hidden")
    until(lambda: faulty.state(job) == "COMPLETED")
    until(lambda: "Waiting at most 60 seconds for missing files" in faulty.said())
    assert not seen.exists() and snakemake.poll() is None
    shutil.copy2(written, tmp_path / "part")
    (tmp_path / "part").rename(seen)
    assert snakemake.wait() == 0, faulty.said()[-8000:]
    assert status(faulty, "hidden") == "ok" and seen.read_bytes() == written.read_bytes()


def test_after_all_faults_every_table_is_right(storm, faulty):
    """The algorithms differ in what happens to them alone, and predict +1 always."""
    cells, runs = (layout.CELLS.format(study="omkc"), layout.RUNS.format(study="omkc"))
    missing = [name for name in NAMES if not (faulty.folder / record(name)).exists()]
    assert set(missing) <= ({"hidden"} if not may_mount() else set())
    faulty.run(cells, runs, local=True)
    assert (pd.read_csv(faulty.folder / cells)["status"] == "ok").all()
    table = pd.read_parquet(faulty.folder / runs).query("metric == 'mistake_percent'")
    assert sorted(table["algorithm"].unique()) == sorted(NAMES)
    assert (table.groupby("algorithm")["repeat"].count() == 2).all()
    labels = store.read(faulty.folder / layout.PREPARED.format(dataset="sonar")).labels
    assert np.allclose(table["result"], 100 * np.mean(labels < 0), rtol=1e-15, atol=0)
