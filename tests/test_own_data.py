"""A file of one's own: described without a line of YAML by hand, and all that is wrong with it in one line each."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from grambench import cli
from grambench.common import layout
from grambench.common.errors import ConfigError
from grambench.config.dataset import Dataset
from grambench.config.load import check
from grambench.config.project import Configuration
from grambench.datasets import describe, store
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps import fetch as fetch_step

PEOPLE = "age;city;class;id\n30;Rome;yes;a\n40,5;Oslo;no;b\n".replace(",", ".") + "".join(
    f"{20 + row};{('Rome', 'Oslo', 'Paris')[row % 3]};{('yes', 'no')[row % 2]};i{row}\n" for row in range(60)
)
CALL = ("--label", "class", "--positive", "yes", "--drop", "id")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new project, as the current folder, with people.csv."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAMBENCH_MIRROR", raising=False)
    assert cli.main(["init", "mine"]) == 0
    monkeypatch.chdir("mine")
    Path("people.csv").write_text(PEOPLE)
    return Path()


def add(*arguments: str) -> int:
    return cli.main(["add-dataset", *arguments])


def test_described_fetched_and_prepared(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add("people.csv", *CALL, "--study", "first") == 0
    assert "people.yaml: 62 x 4, 31 labelled +1" in capsys.readouterr().out
    assert "datasets: [iris, people]" in Path("config/studies/first.yaml").read_text()
    assert cli.main(["fetch", "people"]) == 0
    assert capsys.readouterr().out.split() == ["people", "ok"]
    prepared = store.read(Path(layout.PREPARED.format(dataset="people")))
    assert isinstance(prepared, store.PreparedDataset)
    assert prepared.features[:2].tolist() == [[30, 0, 0, 1], [40.5, 1, 0, 0]]  # Oslo, Paris, Rome
    assert prepared.labels[:2].tolist() == [1, -1]


def test_the_description_can_be_made_again_by_the_call_it_names(project: Path, monkeypatch: Any) -> None:
    assert add("people.csv", *CALL, "--minmax", "--name", "others") == 0
    path = Path("config/datasets/others.yaml")
    text = path.read_text()
    assert add("people.csv", *CALL, "--name", "others") == 2  # it is there already
    words = text.splitlines()[0].removeprefix("# made by: grambench ").split()
    path.unlink()
    assert cli.main(words) == 0 and path.read_text() == text


def test_a_file_that_was_edited_is_not_taken_for_the_one_described(project: Path, capsys: Any) -> None:
    assert add("people.csv", *CALL) == 0
    assert cli.main(["fetch", "people"]) == 0
    Path("people.csv").write_text(PEOPLE + "50;Rome;yes;z\n")
    capsys.readouterr()
    assert cli.main(["fetch", "people"]) == 1
    out = capsys.readouterr().out
    assert "people.csv: has changed since it was described" in out and "published" not in out
    assert add("people.csv", *CALL, "--replace") == 0
    assert cli.main(["fetch", "people"]) == 0


def edited(name: str, **changes: Any) -> None:
    """Change a description as a person would."""
    path = Path(f"config/datasets/{name}.yaml")
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | changes, sort_keys=False))


def test_a_description_that_does_not_fit_says_all_that_does_not(project: Path, capsys: Any) -> None:
    assert add("people.csv", *CALL) == 0
    edited("people", n=61, d=3)
    assert cli.main(["fetch", "people"]) == 1
    assert "expected 61 x 3 features, got 62 x 4" in capsys.readouterr().out
    edited("people", n=62, d=4, content=yaml.safe_load(Path("config/datasets/people.yaml").read_text())["content"])
    assert cli.main(["fetch", "people"]) == 0
    edited("people", content="f" * 64)
    assert cli.main(["fetch", "people"]) == 1
    out = capsys.readouterr().out
    assert "other values than the description was written for; describe them anew: grambench add-dataset" in out
    assert "published" not in out
    source = yaml.safe_load(Path("config/datasets/people.yaml").read_text())["sources"][0]
    source["reader"] |= {"label": "clas", "drop": ["ident", 9]}
    edited("people", sources=[source])
    assert cli.main(["fetch", "people"]) == 1
    out = capsys.readouterr().out
    known = "expected one of age, city, class, id, or a number from -4 to 3"
    for fault in (f"label: {known}, got 'clas'", f"drop: {known}, got 'ident'", f"drop: {known}, got 9"):
        assert fault in out


FAULTS = {
    "ragged": (
        "1,2,a\n1,b\n3,4,b\n5,6,a,7\n",
        ["line 2: expected 3 columns, got 2", "line 4: expected 3 columns, got 4"],
    ),
    "blank lines count": ("1,2,a\n\n\n1,b\n3,4,b\n", ["line 4: expected 3 columns, got 2"]),
    "one cell": (
        "".join(f"{x},{x},{'ab'[x % 2]}\n" for x in range(30)) + "x,1,a\n",
        ["line 31, column 0: expected a number, got 'x'"],
    ),
    "missing": (
        "1,,a\n3,4,b\n5,?,a\n",
        ["column 1: missing in line 1 and 1 more; leave out such rows (--drop-incomplete)"],
    ),
    "no label": ("1,2,a\n3,4,b\n5,6,\n", ["--label -1: 1 are missing"]),
    "separator": ("1 2 a\n3 4 b\n", ["expected columns separated by ',', got one; blanks would give more"]),
    "classes": (
        "1,2,a\n3,4,b\n5,6,c\n",
        ["expected two labels, got a (1), b (1), c (1); name those of -1 with --negative"],
    ),
    "decimal commas": ('"1,5",2,a\n"2,5",3,b\n', ["column 0: expected decimal points, got '1,5', the first in line 1"]),
    "quotes": (
        '1,2,a\n3,"4,b\n',
        ["line 2: expected separated values, got a fault in quotes (unexpected end of data)"],
    ),
    "zeros": ("1,2,a\n3,\0,b\n", ["line 2: expected UTF-8, got byte 0x00"]),
    "infinite": ("1,inf,a\n3,4,b\n", ["expected finite numbers, got infinite ones"]),
    "nothing": ("\n", ["expected rows, got none"]),
}


@pytest.mark.parametrize("what", FAULTS)
def test_all_faults_of_a_file_in_a_line_each(what: str, project: Path, capsys: Any) -> None:
    text, faults = FAULTS[what]
    Path("a.csv").write_text(text)
    assert add("a.csv", "--label", "-1", "--positive", "a", "--separator", ",", "--no-header") == 2
    said = [line.removeprefix("grambench: ") for line in capsys.readouterr().err.splitlines()]
    assert len(said) == len(faults)
    for line, fault in zip(said, faults, strict=True):
        assert line.startswith("a.csv: ") and fault in line
    assert not Path("config/datasets/a.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label", "clas", "--positive", "yes"], "--label: unknown column 'clas': did you mean class"),
        (["--label", "7", "--positive", "yes"], "--label 7: expected a column from -4 to 3"),
        (["--label", "class", "--positive", "Yes"], "--positive Yes: no such label; there are yes (31), no (31)"),
        (
            ["--label", "class", "--positive", "yes"],
            "column id: expected numbers, or at most 50 different texts, got 62",
        ),
        (["--label", "class", "--positive", "yes", "--negative", "yes"], "expected different labels, got yes in both"),
        (["--label", "class", "--positive", "yes", "--name", "Mine"], "--name: expected small letters"),
        (["--label", "class", "--positive", "yes", "--name", "sonar"], "sonar is a data set that comes with grambench"),
        ([*CALL, "--separator", "::"], "--separator: expected one character, or tab, got '::'"),
        ([*CALL, "--study", "firstt"], "unknown study in config/studies 'firstt': did you mean first"),
    ],
)
def test_a_wrong_call(project: Path, capsys: Any, arguments: list[str], message: str) -> None:
    assert add("people.csv", *arguments) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in Path("config/datasets").iterdir()] == ["iris.yaml"]


def test_what_spreadsheets_write(project: Path, capsys: Any) -> None:
    Path("a.csv").write_text("größe;wahl\n1;ja\n2;nein\n3;ja\n", encoding="utf-8-sig")
    assert add("a.csv", "--label", "wahl", "--positive", "ja") == 0
    assert "a.yaml: 3 x 1, 2 labelled +1" in capsys.readouterr().out
    Path("a.csv.gz").write_bytes(gzip.compress(b"x,y\n1,a\n2,b\n")[:-6])
    assert add("a.csv.gz", "--label", "y", "--positive", "a", "--name", "b") == 2
    assert "a.csv.gz: cannot be read (Compressed file ended" in capsys.readouterr().err
    Path("b.csv").write_text("größe;wahl\n1;ja\n", encoding="latin-1")
    assert add("b.csv", "--label", "wahl", "--positive", "ja") == 2
    assert "b.csv: line 1: expected UTF-8, got byte 0xf6; save the file as UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("1\t5\t1\n2\t6\t2\n", ["--label", "-1", "--positive", "1"], (2, 2, 1)),
        ("1,2,1\n2,6,2\n", ["--label", "2", "--positive", "1"], (2, 2, 1)),  # a position, not a name in a header
        ("x\ty\n1\t0\n2\t1\n", ["--label", "y", "--positive", "1", "--separator", "tab"], (2, 1, 1)),
        ("x|y\n1|0\n2|1\n3|1\n", ["--label", "y", "--positive", "1"], (3, 1, 2)),
        ("1 0.5 +1\n2   3 -1\n", ["--label", "2", "--positive", "1"], (2, 2, 1)),
        ('x,y\n"1",a\nNA,b\n3,b\n', ["--label", "y", "--positive", "a", "--drop-incomplete"], (2, 1, 1)),
        ("x,y\n1,a\n2,b\n3,c\n4,d\n", ["--label", "y", "--positive", "a", "b", "--negative", "c"], (3, 1, 2)),
        (",x,y\n0,5,1\n1,6,0\n", ["--label", "y", "--positive", "1", "--drop", "0"], (2, 1, 1)),  # as pandas writes it
    ],
)
def test_formats(project: Path, text: str, arguments: list[str], expected: tuple[int, int, int]) -> None:
    Path("a.csv").write_text(text)
    assert add("a.csv", *arguments) == 0
    found = Configuration(Path("config")).dataset("a")
    assert (found.n, found.d, found.positives) == expected
    assert cli.main(["fetch", "a"]) == 0


def test_names_of_data_sets() -> None:
    names = {"My Data (2).csv": "my_data_2", "2020.csv.gz": "data_2020", "ä.csv": "data", "wdbc.data": "wdbc"}
    assert {name: describe.name_of(Path(name)) for name in names} == names


@pytest.mark.parametrize("key", ["positive", "negative", "label", "drop"])
def test_words_that_yaml_takes_for_booleans_are_refused(project: Path, key: str) -> None:
    assert add("people.csv", *CALL) == 0
    values = yaml.safe_load(Path("config/datasets/people.yaml").read_text())
    values["sources"][0]["reader"][key] = True
    with pytest.raises(ConfigError, match="quote it: 'yes'") as caught:
        check(Dataset, values, "people.yaml")
    assert "\n" not in str(caught.value) and f"reader.csv.{key}: " in str(caught.value)


def test_fetching_again_what_is_there_makes_nothing_due(project: Path) -> None:
    assert cli.main(["fetch", "iris"]) == 0
    paths = [Path(layout.RAW.format(dataset="iris")), Path(layout.PREPARED.format(dataset="iris"))]
    before = [path.stat().st_mtime_ns for path in paths]
    assert cli.main(["fetch", "iris"]) == 0
    assert [path.stat().st_mtime_ns for path in paths] == before


def test_kinds_of_sources_do_not_matter_to_what_was_delivered(project: Path) -> None:
    def spec(kinds: list[str], dataset: str) -> str:
        return Plan({"studies": ["first"], "sources": kinds}, Path("config")).fetch_spec(dataset)

    for dataset, delivered in (("votes84", True), ("a3a", False)):
        asked = spec(["bundled"], dataset)
        note = layout.RAW.format(dataset=dataset)
        fetch_step.main([asked, note])
        assert (json.loads(Path(note).read_text())["status"] == "ok") == delivered
        assert spec(["bundled"], dataset) == asked
        assert (spec(["bundled", "http"], dataset) == asked) == delivered
    Path("config/datasets/votes84.yaml").write_text(
        Configuration(Path("config")).path("datasets/votes84.yaml").read_text().replace("n: 435", "n: 434")
    )
    assert spec(["bundled", "http"], "votes84") == spec(["bundled", "http"], "votes84") != asked
    assert json.loads(spec(["bundled", "http"], "votes84"))["kinds"] == ["bundled", "http"]


def test_minmax_of_a_constant_column(project: Path) -> None:
    Path("a.csv").write_text("1,5,a\n3,5,b\n")
    assert add("a.csv", "--label", "-1", "--positive", "a", "--minmax") == 0
    assert cli.main(["fetch", "a"]) == 0
    prepared = store.read(Path(layout.PREPARED.format(dataset="a")))
    assert isinstance(prepared, store.PreparedDataset)
    assert np.array_equal(prepared.features, [[-1, -1], [1, -1]])
