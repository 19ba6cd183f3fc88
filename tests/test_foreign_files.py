"""Files in results folders that grambench has not written: compare, merge and status name them, in one line."""

import csv
import json
from pathlib import Path

import h5py
import pandas as pd
import pytest
from test_merge import SMALL, add, prepare, record, tabulate

from grambench.common import layout
from grambench.common.files import sealed, write_text
from grambench.pipeline import status
from grambench.results.merge import TABLE

ROOT = Path(__file__).parent.parent
DEEP = "[" * 20_000


def write_other_table(path):
    table = pd.DataFrame({"colour": ["red"]})
    with sealed(path) as temporary:
        table.to_parquet(temporary) if path.suffix == ".parquet" else table.to_csv(temporary)


def write_other_numbers(path):
    table = pd.read_parquet(path).assign(result="high")
    with sealed(path) as temporary:
        table.to_parquet(temporary)


def write_sealed_text(path):
    with sealed(path) as temporary:
        temporary.write_text("no record, but sealed")


def write_without_attributes(path):
    with sealed(path) as temporary, h5py.File(temporary, "w") as file:
        file["rounds"] = [1]


def rewritten(change):
    """Return what changes a record and seals it again."""

    def write(path):
        with sealed(path) as temporary:
            temporary.write_bytes(path.read_bytes())
            with h5py.File(temporary, "r+") as file:
                change(file)

    return write


def with_attributes(**attributes):
    return rewritten(lambda file: file.attrs.update(attributes))


def with_settings(**changes):
    return rewritten(lambda file: file.attrs.update(settings=json.dumps(json.loads(file.attrs["settings"]) | changes)))


def with_array(name, values):
    def change(file):
        del file[name]
        file[name] = values

    return rewritten(change)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two results folders that can be compared and merged."""
    monkeypatch.chdir(ROOT)
    for side in ("a", "b"):
        folder = tmp_path / side
        add(folder, *(record("omkc", "wdbc", algorithm) for algorithm in SMALL["omkc"][2]))
        tabulate(folder, "omkc")
        prepare(folder, "wdbc")
        write_text(folder / "merged.csv", ",".join(TABLE.names) + "\n")
    return tmp_path / "a", tmp_path / "b"


RECORD, DATA = "runs/omkc/wdbc/perceptron.h5", "datasets/wdbc.h5"


@pytest.mark.parametrize(
    ("command", "name", "write"),
    [
        ("diff", "omkc/runs.parquet", write_sealed_text),
        ("diff", "omkc/runs.parquet", write_other_table),
        ("diff", "omkc/runs.parquet", write_other_numbers),
        ("merge", RECORD, write_sealed_text),
        ("merge", RECORD, write_without_attributes),
        ("merge", RECORD, with_attributes(settings="{}")),
        ("merge", RECORD, with_attributes(settings=DEEP)),
        ("merge", RECORD, with_attributes(provenance="[]")),
        ("merge", RECORD, with_attributes(provenance='{"wall_seconds": "long"}')),
        ("merge", RECORD, with_settings(protocol=[1, 2])),
        ("merge", RECORD, with_settings(protocol="online")),
        ("merge", RECORD, with_array("metrics/mistake_percent", [["high", "low"]])),
        ("merge", RECORD, with_array("metrics/mistake_percent", [[[1.0], [2.0]]])),
        ("merge", RECORD, with_array("curves/objective", [1.0, 2.0])),
        ("merge", RECORD, with_array("rounds", [float("inf")] * 2)),
        ("merge", DATA, write_sealed_text),
        ("merge", DATA, write_without_attributes),
        ("merge", "omkc/cells.csv", write_other_table),
        ("merge", "merged.csv", write_other_table),
    ],
)
def test_a_foreign_file_is_refused_in_one_line(folders, tmp_path, call, command, name, write):
    arguments = [command, *map(str, folders), *(["-o", str(tmp_path / "c")] if command == "merge" else [])]
    assert call(*arguments)[0] in (0, 1)
    (tmp_path / "c").rename(tmp_path / "d") if command == "merge" else None
    write(folders[1] / name)
    code, _, said = call(*arguments)
    assert code == 2 and f"{folders[1] / name}: expected a file of grambench, got another" in said
    assert said.count("\n") == 1 and not (tmp_path / "c").exists()


@pytest.mark.parametrize("write", [write_sealed_text, write_without_attributes])
def test_status_shows_a_foreign_file_as_damaged(folders, call, write):
    for name in (RECORD, DATA):
        write(folders[0] / name)
    code, said, _ = call("status", "omkc", "--results", str(folders[0]))
    assert code == 1
    assert f"damaged      omkc: perceptron on wdbc: {folders[0] / RECORD}: expected a file of grambench" in said
    note = folders[0] / "source.json"
    note.write_text('{"status": "ok"}')
    assert status.dataset_status(note, folders[0] / DATA)[0] == "damaged"


def test_runs_that_all_failed_can_be_compared(folders, call):
    for folder in folders:
        add(folder, *(record("omkc", "wdbc", algorithm, status="timeout") for algorithm in SMALL["omkc"][2]))
        tabulate(folder, "omkc")
        code, _, err = call("diff", *map(str, folders))
        assert code in (0, 1) and "Traceback" not in err


NOTES = {
    "deep": DEEP,
    "a list": "[]",
    "deep inside": '{"studies": ["omkc"], "asked": {"omkc": ' + DEEP,
    "numbers for paths": '{"studies": ["omkc"], "asked": {"omkc": {"wdbc": {"raw": 1, "inputs": 2, "runs": 3}}}}',
}


@pytest.mark.parametrize("what", NOTES)
def test_status_of_a_last_run_that_is_not_ours_is_one_line(folders, call, what):
    path = layout.located(folders[0], layout.LAST_RUN)
    write_text(path, NOTES[what])
    code, _, said = call("status", "--results", str(folders[0]))
    assert code == 2 and said.startswith(f"grambench: {path}: expected a file of grambench") and said.count("\n") == 1


def test_a_note_of_a_fetch_that_is_too_deep_is_damaged(tmp_path):
    write_text(tmp_path / "source.json", DEEP)
    assert status.dataset_status(tmp_path / "source.json")[0] == "damaged"


def test_a_table_with_a_field_that_is_too_long_is_one_line(folders, call):
    path = folders[0] / "omkc/cells.csv"
    write_text(path, path.read_text() + "x" * 200_000 + "\n")
    before = csv.field_size_limit(131_072)  # scipy.io.arff lifts the limit of the whole process where it is imported
    try:
        code, _, err = call("status", "omkc", "--results", str(folders[0]))
    finally:
        csv.field_size_limit(before)
    assert (code, err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "write", [with_attributes(settings=DEEP), write_without_attributes, with_settings(points=3, values=["a"])]
)
def test_show_of_a_record_that_is_not_ours_is_one_line(folders, call, write):
    write(folders[0] / RECORD)
    code, out, err = call("show", "omkc/wdbc/perceptron", "--results", str(folders[0]))
    assert (code, out, err.count("\n")) == (2, "", 1) and "expected a file of grambench" in err
