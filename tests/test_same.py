"""The comparison with the archive: it notices a single bit, what is missing and other data, and forgives seconds."""

import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from copies import ROOT
from programs import load

from grambench.results import archive, records

SOURCE = {"kind": "http", "origin": "one", "files": {"a.csv": "00"}, "variant": None}
SETTINGS = {"sweep": "", "values": [], "kernels": ["a", "b"], "classes": []}
PATH = "results/runs/{}.h5"


@pytest.fixture(scope="module")
def same():
    return load("benchmarks/same.py")


@pytest.fixture
def record(same):
    return records.Record(
        study="omkc",
        dataset="wdbc",
        algorithm="om2",
        status="ok",
        orders="seeded",
        settings=SETTINGS,
        metrics={"gap": np.array([[0.1, np.nan, -0.0]]), "seconds": np.ones((1, 3)), "fit_seconds": np.ones((1, 3))},
        curves={"weights": np.random.default_rng(0).random((1, 3, 2, 2))},
        rounds=np.array([5, 10]),
        provenance={"source": SOURCE, "processor": same.processor(), "revision": "abc"},
    )


@pytest.fixture
def run(same, record, tmp_path, monkeypatch, capsys):
    """Archive a plain run, a sweep and a run of another study; then compare after a change of the first."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(archive.shipped, "ROOT", tmp_path)
    sweep = replace(record, settings=SETTINGS | {"sweep": "beta", "values": [0.5]}, curves={})
    timeout = replace(record, study="rkl", dataset="sonar", algorithm="unif", status="timeout", metrics={}, curves={})
    others = {PATH.format("omkc/wdbc/om2/beta"): sweep, PATH.format("rkl/sonar/unif"): timeout}
    everything = {PATH.format("omkc/wdbc/om2"): record} | others
    for study, dataset in (("omkc", "wdbc"), ("rkl", "sonar")):
        by_path = {path: each for path, each in everything.items() if each.study == study}
        archive.write_records(archive.ARCHIVE / study, by_path, {"study": study, "data": {dataset: {}}})

    def compare(changed=record, *options):
        for path, each in (everything | {PATH.format("omkc/wdbc/om2"): changed}).items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            records.write(Path(path), each)
        code = same.main(["results", *options])
        return code, capsys.readouterr().out

    return compare


def with_gap(record, *gap, **changes):
    return replace(record, metrics={**record.metrics, "gap": np.array([gap])}, **changes)


def except_for(**changes):
    entry = {"study": "om*", "dataset": "*", "run": "om2", "metric": "gap", "tolerance": 1e-9, "reason": "why"}
    Path("reference/exceptions.yaml").write_text(yaml.safe_dump([entry | changes]))


def test_equal_numbers(run):
    plain, sweep = 3 + 3 * 2 * 2, 3
    assert run() == (
        0,
        f"omkc: 2 records, {plain + sweep} numbers, {plain + sweep} equal, 0 different\n"
        "rkl: 1 records, 0 numbers, 0 equal, 0 different\n",
    )


def test_seconds_and_what_is_new_are_no_difference(run, record):
    new = {"seconds": np.full((1, 3), 2.0), "fit_seconds": np.zeros((1, 3)), "kkt": np.zeros((1, 3))}
    code, out = run(replace(record, metrics=record.metrics | new))
    assert code == 0
    assert "0 different, 3 not archived\n" in out


def test_one_bit_of_one_number(run, record):
    code, out = run(with_gap(record, np.nextafter(0.1, 1), np.nan, -0.0))
    assert code == 1
    assert "1 different" in out
    assert "  omkc/wdbc/om2 gap: 1 of 3 numbers differ, by up to 1.4e-16\n" in out
    assert "0 different" in run(with_gap(record, np.nextafter(0.1, 1), np.nan, -0.0), "--studies", "rkl")[1]


@pytest.mark.parametrize("gap", [(0.1, np.nan, 0.0), (0.1, 1.0, -0.0), (0.1, np.nan), (np.nan, np.nan, -0.0)])
def test_signs_nan_and_shapes(run, record, gap):
    changed = with_gap(record, *gap)
    code, out = run(replace(changed, metrics={name: values[:, : len(gap)] for name, values in changed.metrics.items()}))
    assert code == 1
    assert "omkc/wdbc/om2 gap: 1 of 3 numbers differ, " in out
    assert ("1 are missing" in out) == (len(gap) == 2)


def test_one_bit_of_a_curve(run, record):
    weights = record.curves["weights"].copy()
    weights[0, 1, 1, 0] = np.nextafter(weights[0, 1, 1, 0], 1)
    code, out = run(replace(record, curves={"weights": weights}))
    assert code == 1
    assert "  omkc/wdbc/om2 weight: 1 of 12 numbers differ, by up to " in out


def test_a_metric_or_record_that_is_missing(same, run, record, capsys):
    code, out = run(replace(record, curves={}))
    assert code == 1
    assert "omkc/wdbc/om2 weight: 12 of 12 numbers differ, 12 are missing\n" in out
    code, out = run(replace(record, status="error", orders="", reason="no solution", metrics={}, curves={}))
    assert code == 1
    assert "0 different, 1 records missing or of another status" in out
    assert "  results/runs/omkc/wdbc/om2.h5: error (no solution), archived ok seeded\n" in out
    Path("results/runs/omkc/wdbc/om2/beta.h5").unlink()
    assert same.main(["results", "--studies", "omkc"]) == 1
    assert "  results/runs/omkc/wdbc/om2/beta.h5: missing, archived ok seeded\n" in capsys.readouterr().out


def test_other_data_are_named(run, record):
    source = SOURCE | {"origin": "two", "files": {"b.csv": "11"}}
    changed = with_gap(record, 0.2, np.nan, -0.0, provenance=record.provenance | {"source": source})
    code, out = run(changed)
    assert code == 1
    assert "0 different, 1 of other data" in out
    assert "differ, by up to 1; other data: two, archived with one\n" in out
    assert run(replace(record, provenance=changed.provenance))[0] == 0


def test_exceptions(run, record):
    changed = with_gap(record, 0.1 * (1 + 1e-10), np.nan, -0.0)
    except_for()
    code, out = run(changed)
    assert code == 0
    assert "0 different, 1 listed\n" in out
    assert "by up to 1e-10; 1 listed: why" in out
    for other in ({"tolerance": 1e-11}, {"study": "rkl"}, {"run": "om2/*"}, {"metric": "weight"}):
        except_for(**other)
        assert run(changed)[0] == 1
    except_for(tolerance=float("inf"), metric="weight")
    assert run(replace(record, curves={"weights": 2 * record.curves["weights"]}))[0] == 0
    for bad in ({"reason": ""}, {"tolerance": "small"}, {"tolerance": -1}, {"extra": 1}):
        except_for(**bad)
        with pytest.raises(SystemExit, match=r"expected entries of study, .* got \{"):
            run()


def test_nothing_compared_fails(same, run, record, capsys):
    code, out = run(record, "--datasets", "nowhere")
    assert code == 1
    assert out.startswith("nothing was compared: ")
    assert same.main(["elsewhere"]) == 1
    assert "nothing was compared: " in capsys.readouterr().out
    with pytest.raises(SystemExit, match=r"expected ca_mnist, got omkc rkl"):
        run(record, "--studies", "omkc", "ca_mnist")


def test_another_processor_is_said(run, same, monkeypatch):
    name = same.processor()
    monkeypatch.setattr(same, "processor", lambda: "another")
    code, out = run()
    assert code == 0
    assert f"  archived on {name}, not another: last digits may depend on it\n" in out


def test_the_exceptions_that_are_listed_here_can_be_read(same):
    same.exceptions(same.ROOT / "reference/exceptions.yaml")


def test_make_calls_it_with_arguments_that_it_has(same, monkeypatch):
    call = ["make", "-n", "same", "STUDIES=omkc", "DATASETS=sonar wdbc", "CORES=3"]
    printed = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    seen = {}
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(same, "rerun", lambda cores, datasets: seen.update(cores=cores, rerun=datasets))
    monkeypatch.setattr(
        same, "compare", lambda results, datasets: seen.update(results=results, datasets=datasets) or True
    )
    assert same.main(shlex.split(printed.replace("\\\n", " ").partition("benchmarks/same.py")[2])) == 0
    datasets = {"omkc": ["wdbc", "sonar"]}  # as the study lists them
    assert seen == {"cores": "3", "rerun": datasets, "results": Path("results"), "datasets": datasets}
