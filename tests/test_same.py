"""The comparison with frozen numbers: it notices a single bit, what is missing and other data, and forgives seconds."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from programs import load

from grambench.results import records

SOURCE = {"kind": "http", "origin": "one", "files": {"a.csv": "00"}, "variant": None}


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
        metrics={"gap": np.array([[0.1, np.nan, -0.0]]), "seconds": np.ones((1, 3)), "fit_seconds": np.ones((1, 3))},
        curves={"weights": np.random.default_rng(0).random((1, 3, same.KEPT))},
        rounds=np.array([5, 10]),
        provenance={"source": SOURCE, "processor": same.processor(), "revision": "abc"},
    )


@pytest.fixture
def run(same, record, tmp_path, capsys):
    """Freeze a plain run, a sweep and a run of another study; then compare after a change of the first."""
    others = {"omkc/wdbc/om2/beta": record, "rkl/sonar/unif": replace(record, status="timeout", metrics={}, curves={})}

    def write(changed):
        for name, each in ({"omkc/wdbc/om2": changed} | others).items():
            records.write(tmp_path / "runs" / f"{name}.h5", each)

    write(record)
    same.main(["freeze", str(tmp_path), "--frozen", str(tmp_path / "frozen")])
    assert "omkc: 2 ok; " in capsys.readouterr().out

    def compare(changed=record, *options):
        write(changed)
        code = same.main(["compare", str(tmp_path), "--frozen", str(tmp_path / "frozen"), *options])
        return code, capsys.readouterr().out

    return compare


def with_gap(record, *gap, **changes):
    return replace(record, metrics={**record.metrics, "gap": np.array([gap])}, **changes)


def except_for(folder, **changes):
    entry = {"study": "om*", "dataset": "*", "task": "om2", "metric": "metrics/gap", "tolerance": 1e-9, "reason": "why"}
    (folder / "frozen/exceptions.yaml").write_text(yaml.safe_dump([entry | changes]))


def test_equal_numbers_and_those_that_are_frozen_again(run, same, tmp_path):
    size, frozen = 2 * (3 + 2 + 3 * same.KEPT), tmp_path / "frozen/omkc.json.xz"
    before = frozen.read_bytes()
    assert run() == (
        0,
        f"omkc: 2 records, {size} numbers, {size} equal, 0 different\n"
        "rkl: 1 records, 2 numbers, 2 equal, 0 different\n",
    )
    same.main(["freeze", str(tmp_path), "--frozen", str(tmp_path / "frozen")])
    assert frozen.read_bytes() == before


def test_seconds_and_what_is_new_are_no_difference(run, record):
    new = {"seconds": np.full((1, 3), 2.0), "fit_seconds": np.zeros(1), "kkt": np.zeros((1, 3))}
    code, out = run(replace(record, metrics=record.metrics | new))
    assert code == 0
    assert "0 different, 1 metrics not frozen\n" in out


def test_one_bit_of_one_number(run, record):
    code, out = run(with_gap(record, np.nextafter(0.1, 1), np.nan, -0.0))
    assert code == 1
    assert "1 different" in out
    assert "  omkc/wdbc/om2 metrics/gap: 1 of 3 numbers differ, by up to 1.4e-16\n" in out
    assert "0 different" in run(with_gap(record, np.nextafter(0.1, 1), np.nan, -0.0), "--studies", "rkl")[1]


@pytest.mark.parametrize("gap", [(0.1, np.nan, 0.0), (0.1, 1.0, -0.0), (0.1, np.nan)])
def test_signs_nan_and_shapes(run, record, gap):
    code, out = run(with_gap(record, *gap))
    assert code == 1
    assert "omkc/wdbc/om2 metrics/gap: " in out


def test_one_bit_behind_a_hash(run, record):
    weights = record.curves["weights"].copy()
    weights[0, 1, 2] = np.nextafter(weights[0, 1, 2], 1)
    code, out = run(replace(record, curves={"weights": weights}))
    assert code == 1
    assert "omkc/wdbc/om2 curves/weights: 1500 of 1500 numbers differ, kept as a hash\n" in out


def test_a_metric_or_record_that_is_missing(same, run, record, tmp_path, capsys):
    code, out = run(replace(record, curves={}))
    assert code == 1
    assert "curves/weights: 1500 of 1500 numbers differ, shape none, frozen (1, 3, 500)" in out
    code, out = run(replace(record, status="error", orders="", reason="no solution", metrics={}, curves={}))
    assert code == 1
    assert "0 different, 1 records missing or of another status" in out
    assert "  omkc/wdbc/om2: error (no solution), frozen ok seeded\n" in out
    (tmp_path / "runs/omkc/wdbc/om2/beta.h5").unlink()
    assert same.main(["compare", str(tmp_path), "--frozen", str(tmp_path / "frozen"), "--studies", "omkc"]) == 1
    assert "  omkc/wdbc/om2/beta: missing, frozen ok\n" in capsys.readouterr().out


def test_other_data_are_named(run, record):
    source = SOURCE | {"origin": "two", "files": {"b.csv": "11"}}
    changed = with_gap(record, 0.2, np.nan, -0.0, provenance=record.provenance | {"source": source})
    code, out = run(changed)
    assert code == 1
    assert "0 different, 1 of other data" in out
    assert "differ, by up to 1; other data: two, frozen with one\n" in out
    assert run(replace(record, provenance=changed.provenance))[0] == 0


def test_exceptions(run, record, tmp_path):
    changed = with_gap(record, 0.1 * (1 + 1e-10), np.nan, -0.0)
    except_for(tmp_path)
    code, out = run(changed)
    assert code == 0
    assert "0 different, 1 listed\n" in out
    assert "by up to 1e-10; 1 listed: why" in out
    for other in ({"tolerance": 1e-11}, {"study": "rkl"}, {"task": "om2/*"}, {"metric": "gap"}):
        except_for(tmp_path, **other)
        assert run(changed)[0] == 1
    except_for(tmp_path, tolerance=float("inf"), metric="curves/*")
    assert run(replace(record, curves={"weights": 2 * record.curves["weights"]}))[0] == 0
    for bad in ({"reason": ""}, {"tolerance": "small"}, {"tolerance": -1}, {"extra": 1}):
        except_for(tmp_path, **bad)
        with pytest.raises(SystemExit, match=r"expected entries of study, .* got \{"):
            run()


def test_nothing_compared_fails(same, run, record, tmp_path, capsys):
    code, out = run(record, "--datasets", "nowhere")
    assert code == 1
    assert out.startswith("nothing was compared: ")
    code = same.main(["compare", str(tmp_path / "elsewhere"), "--frozen", str(tmp_path / "frozen")])
    assert code == 1
    assert "nothing was compared: " in capsys.readouterr().out
    with pytest.raises(SystemExit, match="expected ca_mnist, got omkc rkl"):
        run(record, "--studies", "omkc", "ca_mnist")
    with pytest.raises(SystemExit, match="no records; expected a results folder"):
        same.main(["freeze", str(tmp_path / "elsewhere"), "--frozen", str(tmp_path / "frozen")])


def test_another_processor_is_said(run, same, monkeypatch):
    name = same.processor()
    monkeypatch.setattr(same, "processor", lambda: "another")
    code, out = run()
    assert code == 0
    assert f"  frozen on {name}, not another: last digits may depend on it\n" in out


def test_what_is_frozen_here_can_be_read(same):
    for study, content in same.chosen(same.FROZEN, None, None).items() if list(same.FROZEN.glob("*.xz")) else ():
        assert content["records"], study
        assert content["revision"], study
    same.exceptions(same.FROZEN / "exceptions.yaml")
