"""What may happen to a cluster while it works: each test first shows that it did, then that the results are whole."""

import shutil
import signal

import numpy as np
import pandas as pd
import pytest
from conftest import CALM, STORM
from copies import ONLINE
from harness import may_mount
from processes import until

from grambench.common import layout
from grambench.datasets import store
from grambench.pipeline.resources import JOB_MB, RUN_MB
from grambench.results import records


def record(name):
    return layout.RECORD.format(study="omkc", dataset="sonar", task=name)


def status(place, name):
    return records.read(place.folder / record(name)).status


@pytest.fixture(scope="module")
def storm(faulty, cluster):
    """Four jobs at once: one loses its node, one is requeued, one outlives its minutes, one wants too much memory.

    All of it is under way when this returns, and takes two minutes; see `survivors`.
    """
    place = faulty(STORM)
    place.snakemake = place.start(*map(record, STORM))
    try:
        jobs = {name: until(lambda name=name: place.jobs(name))[0] for name in STORM}
        nodes = {job["id"]: job["node"] for job in cluster.jobs()}
        assert len({nodes[job] for job in jobs.values()}) == 4, nodes
        cluster.call("scontrol", "update", f"jobid={jobs['late']}", "TimeLimit=1")
        cluster.call("scontrol", "update", f"jobid={jobs['requeued']}", "Requeue=1")
        cluster.call("scontrol", "requeue", jobs["requeued"])
        cluster.crash(nodes[jobs["crashed"]])
        until(lambda: place.state(jobs["requeued"]) == "PENDING")
        cluster.call("scontrol", "update", f"jobid={jobs['requeued']}", "StartTime=now")  # not after two minutes
        until(lambda: cluster.state(nodes[jobs["crashed"]]) == "down")
        yield place, jobs
    finally:
        place.snakemake.send_signal(signal.SIGINT)
        place.snakemake.wait()
        for node in cluster.nodes:
            if cluster.state(node) == "down":
                cluster.boot(node)


@pytest.fixture(scope="module")
def calm(faulty, storm):
    """Another copy, for what happens to a Snakemake while that of the storm waits."""
    return faulty(CALM)


@pytest.fixture(scope="module")
def survivors(storm):
    """The storm's copy after its Snakemake has ended by itself, and the first job of each algorithm."""
    place, jobs = storm
    assert place.snakemake.wait() == 0, place.said()[-8000:]
    return place, jobs


def test_a_killed_snakemake_does_not_start_its_jobs_twice(calm):
    snakemake = calm.start(record("slow"))
    (job,) = until(lambda: calm.jobs("slow"))
    snakemake.kill()
    assert snakemake.wait() == -signal.SIGKILL
    assert calm.state(job) == "RUNNING"
    assert "--unlock" in calm.run(record("slow"), expect=1)
    calm.run("--unlock")
    said = calm.run(record("slow"), expect=1)
    assert "SLURM jobs of an earlier call still run in this folder (1)" in said and f"scancel {job}" in said
    assert calm.jobs("slow") == [job]
    (calm.folder / "results/go").touch()
    until(lambda: calm.state(job) == "COMPLETED")
    calm.run(record("slow"))
    assert status(calm, "slow") == "ok"
    assert not list((calm.folder / record("slow")).parent.glob(".*"))


def test_what_sbatch_refused_is_submitted_by_the_next_call_though_an_old_record_is_there(calm):
    """Snakemake notes the refused job as done (9.27), since the profile keeps incomplete files."""
    calm.run(record("quick"))
    code = calm.folder / ONLINE / "quick.py"
    code.write_text(code.read_text() + "\nEDITED = True\n")
    calm.run(record("quick"), "--retries", "0", "--set-resources", "run:slurm_partition=nosuch", expect=1)
    assert status(calm, "quick") == "ok" and len(calm.jobs("quick")) == 1
    calm.run(record("quick"))
    assert len(calm.jobs("quick")) == 2


@pytest.mark.skipif(not may_mount(), reason="needs root, for a mount that only Snakemake sees")
def test_a_file_system_that_shows_a_file_late(calm, tmp_path):
    """Snakemake sees, instead of the records' folder, one that a file reaches only when it is waited for."""
    folder = (calm.folder / record("hidden")).parent
    folder.mkdir(parents=True, exist_ok=True)
    hide = f'mount --bind "{tmp_path}" "{folder}" && exec "$@"'
    snakemake = calm.start(record("hidden"), before=("unshare", "-m", "sh", "-c", hide, "sh"))
    written, seen = folder / "hidden.h5", tmp_path / "hidden.h5"
    until(written.exists)
    (job,) = calm.jobs("hidden")
    until(lambda: calm.state(job) == "COMPLETED")
    until(lambda: "Waiting at most 60 seconds for missing files" in calm.said())
    assert not seen.exists() and snakemake.poll() is None
    shutil.copy2(written, tmp_path / "part")
    (tmp_path / "part").rename(seen)
    assert snakemake.wait() == 0, calm.said()[-8000:]
    assert status(calm, "hidden") == "ok" and seen.read_bytes() == written.read_bytes()


def test_a_node_goes_down_and_its_job_starts_on_another(survivors, cluster):
    place, jobs = survivors
    assert place.state(jobs["crashed"]) == "NODE_FAIL"
    first, second = place.jobs("crashed")
    nodes = {job["id"]: job["node"] for job in cluster.jobs()}
    assert nodes[first] != nodes[second]
    assert place.state(second) == "COMPLETED"
    assert status(place, "crashed") == "ok"


def test_a_job_killed_for_memory_gets_more(survivors, cluster):
    place, _ = survivors
    first, second = place.jobs("hoard")
    assert place.state(first) in ("FAILED", "OUT_OF_MEMORY")
    given = [cluster.call("squeue", "-h", "--states=all", "-j", job, "-o", "%m").strip() for job in (first, second)]
    # and one for each of three Gram matrices
    assert given == [f"{JOB_MB + attempt * RUN_MB + 3}M" for attempt in (1, 2)]
    assert place.state(second) == "COMPLETED"
    assert status(place, "hoard") == "ok"


def test_a_job_that_outlives_its_minutes_starts_again(survivors):
    place, jobs = survivors
    assert place.state(jobs["late"]) == "TIMEOUT"
    _, second = place.jobs("late")
    assert place.state(second) == "COMPLETED"
    assert status(place, "late") == "ok"


def test_a_requeued_job_goes_on(survivors, cluster):
    place, _ = survivors
    (job,) = place.jobs("requeued")
    assert "Restarts=1" in cluster.call("scontrol", "show", "job", job)
    assert place.processes("requeued") == 2
    assert place.state(job) == "COMPLETED"
    assert status(place, "requeued") == "ok"


@pytest.mark.parametrize(("which", "names"), [("calm", CALM), ("storm", STORM)])
def test_after_all_faults_every_table_is_right(which, names, storm, calm, survivors):
    """The algorithms differ in what happens to them alone, and predict +1 always."""
    place = {"calm": calm, "storm": storm[0]}[which]
    missing = [name for name in names if not (place.folder / record(name)).exists()]
    assert missing == ([] if may_mount() or which == "storm" else ["hidden"])
    cells, runs = (layout.CELLS.format(study="omkc"), layout.RUNS.format(study="omkc"))
    place.run(cells, runs, local=True)
    assert (pd.read_csv(place.folder / cells)["status"] == "ok").all()
    table = pd.read_parquet(place.folder / runs).query("metric == 'mistake_percent'")
    assert table.groupby("algorithm")["repetition"].count().to_dict() == dict.fromkeys(names, 2)
    labels = store.read(place.folder / layout.PREPARED.format(dataset="sonar")).labels
    assert np.allclose(table["result"], 100 * np.mean(labels < 0), rtol=1e-15, atol=0)
