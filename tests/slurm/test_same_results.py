"""A study through SLURM, long runs in blocks, gives what it gives on one machine in one piece, to the last bit."""

import re
import time

import numpy as np
import pandas as pd
from copies import ROOT, copy_repository
from harness import OnCluster

from grambench.common import layout
from grambench.datasets import views
from grambench.kernels import matrices
from grambench.results import records

TIMED = re.compile("seconds|memory|time|slow|fast|speed", re.IGNORECASE)  # metrics, and claims about them


def without_seconds(path):
    """Return a table's rows without those that tell times."""
    rows = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, dtype=str, keep_default_na=False)
    rows = rows.drop(columns=[name for name in rows if TIMED.search(name) or name == "peak_resident_mb"])
    for name in {"metric", "statement", "verdict"} & set(rows):
        rows = rows[~rows[name].str.contains(TIMED)]
    return rows.reset_index(drop=True)


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
    assert {job["state"] for job in cluster.jobs() if job["id"] not in earlier} == {"COMPLETED"}
    logs = [path.read_text() for path in (folders["slurm"] / "results/logs/slurm").rglob("*.log")]
    cores = {found for log in logs for found in re.findall("Provided cores: ([0-9]+)", log)}
    assert cores == {"1"}, "members of a group ran side by side"

    local, remote = folders["local"] / "results", folders["slurm"] / "results"
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
    print(", ".join(f"{count} {what}" for what, count in compared.items()) + " are the same")
    assert compared["runs"] >= 28 and compared["grams"] >= 34 and compared["tables"] >= 12, compared
    assert compared["features"] == 2, compared
    for study in ("omkc", "rkl"):
        assert len(without_seconds(local / layout.REPRODUCTION.format(study=study).removeprefix("results/"))) > 0


def numbers(folder):
    """Return every file of numbers below a results folder."""
    return sorted(
        path.relative_to(folder) for path in folder.rglob("*.*") if path.suffix in (".h5", ".csv", ".parquet")
    )


def same_record(one, other):
    assert (one.status, one.orders, one.settings) == (other.status, other.orders, other.settings)
    assert one.status == "ok"
    for group in records.GROUPS:
        values, others = getattr(one, group), getattr(other, group)
        assert values.keys() == others.keys()
        for name in values:
            assert TIMED.search(name) or values[name].tobytes() == others[name].tobytes(), name
