"""The job by which `grambench run` asks whether SLURM takes jobs."""

import pytest

from grambench.common.errors import GrambenchError
from grambench.pipeline.cluster import probe


def test_a_probe_runs_nothing_and_says_what_sbatch_says(cluster, monkeypatch):
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    before = {job["id"] for job in cluster.jobs()}
    probe()
    (job,) = [job for job in cluster.jobs() if job["id"] not in before]
    assert (job["state"], job["node"]) == ("CANCELLED", "")
    monkeypatch.setenv("SBATCH_PARTITION", "nowhere")
    with pytest.raises(GrambenchError, match="invalid partition specified: nowhere"):
        probe()
