"""Files in results folders that grambench has not written: compare, merge and status name them, in one line."""

from pathlib import Path

import h5py
import pandas as pd
import pytest
from test_merge import SMALL, add, prepare, record, tabulate

from grambench import cli
from grambench.common.files import sealed
from grambench.pipeline import status
from grambench.results.merge import TABLE

ROOT = Path(__file__).parent.parent


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


def write_other_settings(path):
    with sealed(path) as temporary:
        temporary.write_bytes(path.read_bytes())
        with h5py.File(temporary, "r+") as file:
            file.attrs["settings"] = "{}"


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two results folders that can be compared and merged."""
    monkeypatch.chdir(ROOT)
    for side in ("a", "b"):
        folder = tmp_path / side
        add(folder, *(record("omkc", "wdbc", algorithm) for algorithm in SMALL["omkc"][2]))
        tabulate(folder, "omkc")
        prepare(folder, "wdbc")
        (folder / "merged.csv").write_text(",".join(TABLE.names) + "\n")
    return tmp_path / "a", tmp_path / "b"


RECORD, DATA = "runs/omkc/wdbc/perceptron.h5", "datasets/wdbc.h5"


@pytest.mark.parametrize(
    ("command", "name", "write"),
    [
        ("compare", "omkc/runs.parquet", write_sealed_text),
        ("compare", "omkc/runs.parquet", write_other_table),
        ("compare", "omkc/runs.parquet", write_other_numbers),
        ("merge", RECORD, write_sealed_text),
        ("merge", RECORD, write_without_attributes),
        ("merge", RECORD, write_other_settings),
        ("merge", DATA, write_sealed_text),
        ("merge", DATA, write_without_attributes),
        ("merge", "omkc/cells.csv", write_other_table),
        ("merge", "merged.csv", write_other_table),
    ],
)
def test_a_foreign_file_is_refused_in_one_line(folders, tmp_path, capsys, command, name, write):
    arguments = [command, *map(str, folders), *(["-o", str(tmp_path / "c")] if command == "merge" else [])]
    assert cli.main(arguments) in (0, 1)
    capsys.readouterr()
    (tmp_path / "c").rename(tmp_path / "d") if command == "merge" else None
    write(folders[1] / name)
    assert cli.main(arguments) == 2
    said = capsys.readouterr().err
    assert f"{folders[1] / name}: expected a file as grambench writes it, got another" in said
    assert said.count("\n") == 1 and not (tmp_path / "c").exists()


@pytest.mark.parametrize("write", [write_sealed_text, write_without_attributes])
def test_status_shows_a_foreign_file_as_damaged(folders, capsys, write):
    for name in (RECORD, DATA):
        write(folders[0] / name)
    assert cli.main(["status", "--results", str(folders[0])]) == 1
    said = capsys.readouterr().out
    assert (
        f"damaged      omkc: perceptron on wdbc: {folders[0] / RECORD}: expected a file as grambench writes it" in said
    )
    note = folders[0] / "source.json"
    note.write_text('{"status": "ok"}')
    assert status.source(note, folders[0] / DATA)[0] == "damaged"


def test_runs_that_all_failed_can_be_compared(folders, capsys):
    for folder in folders:
        add(folder, *(record("omkc", "wdbc", algorithm, status="timeout") for algorithm in SMALL["omkc"][2]))
        tabulate(folder, "omkc")
        assert cli.main(["compare", *map(str, folders)]) in (0, 1)
        assert "Traceback" not in capsys.readouterr().err
