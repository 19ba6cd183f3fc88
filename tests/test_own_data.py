"""A file of one's own: described without a line of YAML by hand, and all that is wrong with it in one line each."""

import contextlib
import gzip
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import presentation
import pytest
import yaml

from grambench import cli
from grambench.commands import compare
from grambench.commands.clean import find_unneeded
from grambench.commands.project import read_everything
from grambench.common import errors, layout
from grambench.common.errors import ConfigError
from grambench.config.load import check, read
from grambench.config.project import Configuration
from grambench.datasets import describe, store
from grambench.datasets.descriptions import Dataset
from grambench.pipeline import last_run, resources
from grambench.pipeline.expected import expected_lines
from grambench.pipeline.job import Job
from grambench.pipeline.plan import Plan
from grambench.pipeline.steps import fetch as fetch_step
from grambench.report import answer as answers
from grambench.results.study import Results

PEOPLE = "age;city;class;id\n30;Rome;yes;a\n40,5;Oslo;no;b\n".replace(",", ".") + "".join(
    f"{20 + row};{('Rome', 'Oslo', 'Paris')[row % 3]};{('yes', 'no')[row % 2]};i{row}\n" for row in range(60)
)
CALL = ("--label", "class", "--positive", "yes", "--drop", "id")


@pytest.fixture
def project(new_project):
    """A new project, as the current folder, with people.csv."""
    Path("people.csv").write_text(PEOPLE)
    return Path()


def add(*arguments):
    return cli.main(["add-dataset", *arguments])


def test_described_fetched_and_prepared(project, capsys):
    assert add("people.csv", *CALL, "--study", "first") == 0
    assert "people.yaml: 62 x 4, 31 labelled +1" in capsys.readouterr().out
    assert "datasets: [iris, people]" in Path("config/studies/first.yaml").read_text()
    assert cli.main(["fetch", "people"]) == 0
    assert capsys.readouterr().out.split() == ["people", "ok"]
    prepared = store.read(Path(layout.PREPARED.format(dataset="people")))
    assert prepared.features[:2].tolist() == [[30, 0, 0, 1], [40.5, 1, 0, 0]]  # Oslo, Paris, Rome
    assert prepared.labels[:2].tolist() == [1, -1]


def test_the_description_can_be_made_again_by_the_call_it_names(project, monkeypatch):
    Path("two  blanks.csv").write_text(PEOPLE)
    assert add("two  blanks.csv", *CALL, "--minmax", "--name", "others") == 0
    path = Path("config/datasets/others.yaml")
    text = path.read_text()
    assert add("people.csv", *CALL, "--name", "others") == 2  # it is there already
    words = shlex.split(text.splitlines()[0].removeprefix("# made by: grambench "))
    path.unlink()
    assert cli.main(words) == 0 and path.read_text() == text


def test_a_file_that_was_edited_is_not_taken_for_the_one_described(project, capsys):
    assert add("people.csv", *CALL) == 0
    assert cli.main(["fetch", "people"]) == 0
    Path("people.csv").write_text(PEOPLE + "50;Rome;yes;z\n")
    capsys.readouterr()
    assert cli.main(["fetch", "people"]) == 1
    out = capsys.readouterr().out
    assert "people.csv: has changed since it was described" in out and "published" not in out
    assert add("people.csv", *CALL, "--replace") == 0
    assert cli.main(["fetch", "people"]) == 0


def edited(name, **changes):
    """Change a description as a person would."""
    path = Path(f"config/datasets/{name}.yaml")
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | changes, sort_keys=False))


def test_a_description_that_does_not_fit_says_all_that_does_not(project, capsys):
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label", "clas", "--positive", "yes"], "--label clas: unknown column 'clas': did you mean class"),
        (["--label", "7", "--positive", "yes"], "--label 7: expected a column from -4 to 3"),
        (["--label", "class", "--positive", "Yes"], "--positive Yes: no such label; there are yes (31), no (31)"),
        (
            ["--label", "class", "--positive", "yes"],
            "column id: expected numbers, or at most 50 different texts, got 62",
        ),
        (["--label", "class", "--positive", "yes", "--negative", "yes"], "expected different labels, got yes in both"),
        (["--label", "class", "--positive", "yes", "--name", "Mine"], "--name: expected small letters"),
        (["--label", "class", "--positive", "yes", "--name", "sonar"], "sonar is the name of a data set of grambench"),
        ([*CALL, "--separator", "::"], "--separator: expected one character, or tab, got '::'"),
        ([*CALL, "--study", "firstt"], "unknown study in config/studies 'firstt': did you mean first"),
    ],
)
def test_a_wrong_call(project, capsys, arguments, message):
    assert add("people.csv", *arguments) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in Path("config/datasets").iterdir()] == ["iris.yaml"]


def test_what_spreadsheets_write(project, capsys):
    Path("a.csv").write_text("größe;wahl\n1;ja\n2;nein\n3;ja\n", encoding="utf-8-sig")
    assert add("a.csv", "--label", "wahl", "--positive", "ja") == 0
    assert "a.yaml: 3 x 1, 2 labelled +1" in capsys.readouterr().out
    Path("a.csv.gz").write_bytes(gzip.compress(b"x,y\n1,a\n2,b\n")[:-6])
    assert add("a.csv.gz", "--label", "y", "--positive", "a", "--name", "b") == 2
    assert "a.csv.gz: cannot be read (Compressed file ended" in capsys.readouterr().err
    Path("b.csv").write_text("größe;wahl\n1;ja\n", encoding="latin-1")
    assert add("b.csv", "--label", "wahl", "--positive", "ja") == 2
    assert "b.csv: line 1: expected UTF-8, got byte 0xf6; save the file as text in UTF-8" in capsys.readouterr().err


def test_a_table_is_the_same_in_each_format(project, capsys):
    """Numbers, texts and missing values of both, and columns in views: one content."""
    columns = {
        "age": [None if i % 7 == 3 else 20.5 + i * i % 11 for i in range(40)],
        "colour": [None if i % 9 == 4 else ("red", "dark blue", "green")[i % 3] for i in range(40)],
        "count": [i * 5 % 13 for i in range(40)],
        "ill": [("yes", "no")[i * 3 % 7 % 2] for i in range(40)],
    }
    frame = pd.DataFrame(columns)
    frame.to_csv("a.csv", index=False)
    frame.to_parquet("a.parquet")
    Path("a.parquet.gz").write_bytes(gzip.compress(Path("a.parquet").read_bytes()))
    kinds = ("numeric", "{red, 'dark blue', green}", "numeric", "{no, yes}")
    attributes = "".join(f"@attribute {name} {kind}\n" for name, kind in zip(columns, kinds, strict=True))
    rows = frame.replace("dark blue", "'dark blue'").to_csv(index=False, header=False, na_rep="?")
    Path("a.arff").write_text(f"@relation a\n{attributes}@data\n{rows}")
    Path("views.csv").write_text("column,view\nage,person\ncolour,looks\ncount,person\n")
    prepared = {}
    for format in ("csv", "parquet", "parquet.gz", "arff"):
        file, missing = f"a.{format}", "line 5" if format == "csv" else "row 4"
        format = format.replace(".", "_")
        assert add(file, "--label", "ill", "--name", format) == 2
        said = capsys.readouterr().err
        assert (
            f"{file}: column age: missing in {missing} and 5 more; leave out such rows" in said and "--impute" in said
        )
        call = (file, "--label", "ill", "--name", format, "--positive", "yes", "--views", "views.csv")
        assert add(*call, "--drop-incomplete") == 0
        assert "rows used: 31 of 40; 9 lack a value, --impute keeps those with a label" in capsys.readouterr().out
        assert add(*call, "--impute", "--replace") == 0
        assert "missing values: 6 of 240; each split fills them" in capsys.readouterr().out
        assert cli.main(["fetch", format]) == 0
        prepared[format] = store.read(Path(layout.PREPARED.format(dataset=format)))
    csv = prepared["csv"]
    assert {name: positions.tolist() for name, positions in csv.columns.items()} == {
        "person": [0, 5],
        "looks": [1, 2, 3, 4],
    }
    # dark blue, green, red, missing
    assert csv.features[:5, 1:5].tolist() == [[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert np.isnan(csv.features[:, 0]).tolist() == [i % 7 == 3 for i in range(40)]
    assert len({dataset.content for dataset in prepared.values()}) == 1
    assert csv.source["missing values"].startswith("6 of 240")
    assert add("a.arff", "--label", "ill", "--separator", ";", "--name", "b") == 2
    assert "a.arff: --separator: format arff has none" in capsys.readouterr().err


def test_missing_values_need_splits(project, capsys):
    Path("a.csv").write_text(table("ab", ["NA", *X[1:]]))
    assert add("a.csv", "--label", "y", "--impute") == 0
    omkc = read(Configuration(Path("config")).path("studies/omkc.yaml"))
    shared = {key: omkc[key] for key in ("title", "paper", "protocol", "kernels")}
    study = shared | {"name": "passes", "datasets": ["a"], "algorithms": {"perceptron": {}}}
    Path("config/studies/passes.yaml").write_text(yaml.safe_dump(study))
    capsys.readouterr()
    assert cli.main(["validate", "passes"]) == 2
    assert "a has missing values to impute; expected a protocol with splits, got online" in capsys.readouterr().err


X = [f"{(7 * i) % 23 / 10 - 1:.1f}" for i in range(40)]  # neither in order nor the label
Z = [f"{(5 * i) % 31 / 10:.1f}" for i in range(40)]


def table(y, x=X, z=Z, header="x,z,y\n", separator=",", end="\n"):
    """Return a file of 40 rows, with the values of each column in turn."""
    columns = ([column[i % len(column)] for i in range(40)] for column in (x, z, y))
    return header + "".join(separator.join(row) + end for row in zip(*columns, strict=True))


ROWS = [str(i) for i in range(40)]
READ = {  # the text, further arguments, what is printed, and what the description has
    **{
        f"the labels {labels}": (table(labels), "", f"3 classes: {', '.join(sorted(labels))};", {})
        for labels in (
            ("11", "1_1", "12"),
            ("1.1", "1.10", "2.5"),
            ("1", "\u0661", "2"),
            ("9007199254740992", "9007199254740993", "3"),
            ("infinity", "1e999", "inf"),
            ("0x1", "1", "2"),
            ("c", "10", "9"),
        )
    },
    "numbers as labels": (
        table(["10", "9", "11"]),
        "",
        "3 classes: 9, 10, 11;",
        {"classes": [9, 10, 11], "positives": 0},
    ),
    **{
        f"the label {label!r} is missing": (table(["a", label, "b", "a"]), "--drop-incomplete", "30 x 2", {"n": 30})
        for label in ("NA", "NaN", "", "n/a", "NULL", "#N/A", "<NA>", ".")
    },
    "a missing value": (table("ab", [*X[:39], "n/a"]), "--drop-incomplete", "39 x 2", {"n": 39}),
    "minus9": (table(["0", "1", "0", "-9"]), "", "--label y: -9 may stand for a missing value; --missing -9", {}),
    "a value of -999": (table("ab", ["-999", *X[:39]]), "", "column x: -999 may stand for a missing value", {}),
    "codes": (table(["0", "1", "-9"], ["-9.0", *X[1:]]), "--missing -9 --drop-incomplete", "1 becomes +1", {"n": 26}),
    "index_leak": (table("ab", ROWS, header=",z,y\n"), "", "column 0 numbers the rows: --drop-leaks", {"d": 2}),
    "rows from above": (table("ab", ROWS[::-1]), "--drop-leaks", "column x numbers the rows: left out", {"d": 1}),
    "rows in disorder": (table("ab", ROWS[::2] + ROWS[1::2]), "--drop-leaks", "column x numbers the rows", {"d": 1}),
    "rows with gaps": (table("ab", [f"{7 * i}" for i in range(40)]), "--drop-leaks", "x numbers the rows", {"d": 1}),
    "names of rows": (table("ab", [f"p{i}" for i in range(40)]), "--drop-leaks", "has another text in each", {"d": 1}),
    "label_copy": (table(["0", "1"], ["0.0", "1.0"]), "--drop-leaks", "column x equals the label: left out", {"d": 1}),
    "a label in words": (table(["a", "b"], ["no", "yes"]), "", "column x equals the label: --drop-leaks", {"d": 3}),
    "ages": (table("ab", ["<18", "18-64", "65+"]), "", "column x: a column of 0 and 1 for each of 18-64, 65+, <18", {}),
    "a constant": (table("ab", ["5"]), "--drop-leaks", "column x is constant: left out", {"d": 1}),
    "an empty column": (table("ab", ["NA"]), "--drop-leaks", "column x has no value: left out", {"d": 1}),
    "names of rows twice": (
        "id,id,z,y\n" + "".join(f"p{i},{f'p{i}' * (i != 3)},{i % 7}.5,{'ab'[i % 2]}\n" for i in range(40)),
        "--drop-leaks",
        "column 1 has another text in each row: left out",
        {"d": 1},
    ),
    "int_header": (table(["0.0", "1.0"], header="0,1,2\n"), "--label=-1", "header in line 1; --no-header", {"n": 40}),
    "int_header with names of rows": (
        table(["3.0", "4.0"], ROWS, X, header=",0,1\n"),
        "--label=1",
        "header in line 1; --no-header",
        {"n": 40},
    ),
    "alltext": (table("pq", "uvw", "ab"), "--label=-1", "header in line 1", {"n": 40}),
    "texts without a header": (table("pq", "uvw", "ab", header=""), "--label=-1", "no header; --header", {"n": 40}),
    "a hole above numbers": (table("ab", ["?", *X[1:]], header=""), "--label=-1 --drop-i", "no header", {"n": 39}),
    "euro_few": (
        table("01", ["0,5", "1,5"], ["7", "8,25"], "", ";"),
        "--label=-1",
        "by ';', decimal commas, no h",
        {"d": 2},
    ),
    "a code with a comma": (
        table("ab", ["-9,0", *X[1:]], header="", separator=";").replace(".", ","),
        "--label=-1 --missing -9 --drop-incomplete",
        "decimal commas",
        {"n": 39},
    ),
    "decimal commas in quotes": (table("ab", ['"0,5"', '"1,5"'], ["7"]), "", "',', decimal commas, header", {"d": 2}),
    "decimal commas, blanks": (table("ab", ["0,5", "1,25"], ["7"], "", " "), "--label=-1", "blanks, decimal comm", {}),
    "thousands or decimals": (table("ab", ['"1,500"', '"2,250"'], ["7"]), "--decimal comma", "decimal commas", {}),
    "words with blanks": (table(["New York", "Los Angeles"]), "", "columns separated by ','", {"d": 2}),
    "sep_hint": (table("ab", header="sep=;\nx;z;y\n", separator=";"), "", "by ';', header in line 2", {"n": 40}),
    "sep= in quotes": (table("ab", header='"sep=;"\nx;z;y\n', separator=";"), "", "by ';', header in line 2", {}),
    "sep= without a header": (table("ab", header="sep=|\r\n", separator="|"), "--label=-1", "by '|', no header", {}),
    "trail_both": (table("ab", header="x,z,y,\n", end=",\n"), "--label=-1", "column 3 has neither a name", {"d": 2}),
    "trailing in rows": (table("ab", end=",\n"), "", "column 3 has neither a name nor a value", {"d": 2}),
    "trailing in the header": (table("ab", header="x,z,y,\n"), "", "40 x 2", {"d": 2}),
    "r_table_norow": (table(['"n"', '"p"'], header='"x" "z" "y"\n', separator=" "), "", "by blanks, header", {"d": 2}),
    "blanks in quotes": (
        table(['"New York"', "Rome"], header="x z y\n", separator="  "),
        "",
        "Rome becomes",
        {"n": 40},
    ),
    "names of rows by R": (
        "x z y\n" + table("ab", [f'"r{i}" {x}' for i, x in enumerate(X)], header="", separator=" "),
        "--drop-leaks",
        "column 0 has another text in each row: left out",
        {"d": 2},
    ),
    "rare": (table("ab").replace("b\n", "c\n", 1), "", "--label y: only one row has c", {}),
    "a target of decimals": (table(["0.5", "1.5", "2.5"]), "", "3 labels in 40 rows look like a regression target", {}),
    "many classes": (table("abcdefgh"), "", "8 labels in 40 rows look like names of the rows", {}),
    "a separator of lines that only Unicode has": (table(["a\u2028", "b\u2028c"]), "", "40 x 2", {"n": 40}),
    "tabs": ("1\t5\t1\n2\t6\t2\n", "--label=-1 --positive 1", "2 x 2, 1 labelled +1", {}),
    "a position, not a name": ("1,2,1\n2,6,2\n", "--label 2 --positive 1", "2 x 2, 1 labelled +1", {}),
    "a name with a blank and a number beside tabs": (
        "\tx\ty\tz 4\n" + "".join(f"{i}\t{i % 2}\t{'ab'[i // 2 % 2]}\t{Z[i]}\n" for i in range(40)),
        "--drop 0",
        "columns separated by tab, header in line 1; --no-header reads it as data\nb becomes +1, a -1",
        {"d": 2},
    ),
    "tabs by name": ("x\ty\n1\t0\n2\t1\n", "--separator tab", "2 x 1, 1 labelled +1", {}),
    "bars": ("x|y\n1|0\n2|1\n3|1\n", "--positive 1", "3 x 1, 2 labelled +1", {}),
    "runs of blanks": ("1 0.5 +1\n2   3 -1\n", "--label 2 --positive 1", "2 x 2, 1 labelled +1", {}),
    "a quoted number": ('x,y\n"1",a\nNA,b\n3,b\n', "--positive a --drop-incomplete", "2 x 1, 1 labelled +1", {}),
    "one of three": ("x,y\n1,a\n2,b\n3,c\n4,d\n", "--positive a", "4 x 1, 1 labelled +1", {}),
    "two positives": ("x,y\n1,a\n2,b\n3,c\n4,d\n", "--positive a b --negative c", "3 x 1, 2 labelled +1", {}),
    "values to fill": (
        table("ab", ["NA", *X[1:]], ["u", "v", "?"]),
        "--impute",
        "missing values: 1 of 160; each split fills them by medians of its training examples",
        {"n": 40, "d": 4},
    ),
    "rows without a label beside values to fill": (
        table(["a", "b", "?", "a"], ["NA", *X[1:]]),
        "--impute --drop-incomplete",
        "rows used: 30 of 40; 10 lack a value\nmissing values: 1 of 60; each split",
        {"n": 30, "d": 2},
    ),
    "rows that repeat": (
        table("ab", "123", ["0"]),
        "",
        "rows that equal an earlier one in all features: 37; an example",
        {},
    ),
    "rows of other labels": (table("abc"), "--positive a --negative b", "rows used: 27 of 40\n", {"n": 27}),
    "as pandas writes it": (",x,y\n0,5,1\n1,6,0\n", "--positive 1 --drop 0", "2 x 1, 1 labelled +1", {}),
}


@pytest.mark.parametrize("what", READ)
def test_a_text_is_read_as_it_stands_and_guesses_are_said(project, capsys, what):
    text, arguments, remark, expected = READ[what]
    Path("a.csv").write_text(text)
    label = () if "--label" in arguments else ("--label", "y")
    assert add("a.csv", *label, *arguments.split()) == 0
    assert remark in capsys.readouterr().out
    found = Configuration(Path("config")).dataset("a")
    assert {key: getattr(found, key) for key in expected} == expected
    assert cli.main(["fetch", "a"]) == 0


BARE = "--label=-1 --positive a --separator , --no-header"
NUMBER, LINE = "expected a number, got", "expected each cell in one line"
SEMICOLON, ONE = "--separator ;", "expected columns separated by ';', got one column"
NAMES = "line 1: expected the names of the columns, or data"
REFUSED = {  # the text, further arguments, and the faults, a line each
    "miss_label_NA_143": (table(["NA", "a", "b"]), "", "--label y: missing in line 2 and 13 more; leave out such rows"),
    "alltext": (table("pq", "uvw", "ab", "u,b,label\n"), "--label=-1", NAMES),
    "int_header": (table("12", header="0,1,2\n"), "--label=-1", f"{NAMES}; --header"),
    "years as a header": (
        table("12", header="2019,2020,2021\n"),
        "--label=-1",
        "line 1: '2021' is the label of no other line; --header or --no-header says if it names a column",
    ),
    "thousands": (
        table("ab", ['"1,650"']),
        "",
        f"line 2 and 39 more, column x: {NUMBER} '1,650', thousands separators",
    ),
    "thousands with apostrophes": (table("ab", ["1'650"]), "", f'{NUMBER} "1\'650", thousands separators'),
    "thousands or decimals": (
        table("ab", ['"1,650"'], ["7"]),
        "",
        "got '1,650': a decimal comma (--decimal comma), or",
    ),
    "points beside commas": (table("ab", ["0.5", "1"], ["7,5"], "x;z;y\n", ";"), "", f"column z: {NUMBER} '7,5'"),
    "decimal commas": (
        '"1,5",2,a\n"2,5",3.5,b\n',
        BARE,
        f"line 1 and 1 more, column 0: {NUMBER} '1,5', a decimal comma beside decimal points",
    ),
    "regression": (table([*X, "0.55"]), "", "look like a regression target"),
    "a target of whole numbers": (table(ROWS), "", "40 labels in 40 rows look like a regression target"),
    "names as a label": (table([f"p{i}" for i in range(40)]), "", "40 labels in 40 rows look like names of the rows"),
    "date": (table("ab", ["2020-01-01", "2020-02-01"]), "", f"and 39 more, column x: {NUMBER} '2020-01-01', a date"),
    **{
        f"a date of another kind, {first}": (table("ab", [first, second]), "", f"got {first!r}, a date or a time")
        for first, second in (
            ("31.12.2020", "1/2/99"),
            ("Jan-20", "March-20"),
            ("1 Sept 2020", "05-MAY-21"),
            ("2020-01", "2020-12"),
        )
    },
    "infinite": ("1,inf,a\n3,4,b\n", BARE, f"line 1, column 1: {NUMBER} 'inf', an infinite number"),
    "late_text": (table("ab", [*X[:30], "x"]), "", f"line 32, column x: {NUMBER} 'x'"),
    "many texts among decimals": (table("ab", [*X[:3], "x"]), "", f"line 5 and 9 more, column x: {NUMBER} 'x'"),
    "tables joined by position": (
        table("ab", [f"p{i}" for i in range(40)], [f"p{i}" for i in (1, 0, *range(2, 40))], header="id,id,y\n"),
        "--drop-leaks",
        "columns 0 and 1, id: they name the same examples, and differ in 2 rows; join tables by id, or leave one out",
    ),
    "a line of an editor": (table("ab", [*X[:30], "x"], ["v\u2028w", "u"]), "", "line 32, column x"),
    "a line behind a form feed": (
        table("ab").replace("a\n", "a\f\n", 1) + "1,2\n",
        "",
        "line 42: expected 3 columns, got 2",
    ),
    "ragged": ("1,2,a\n1,b\n3,4,b\n5,6,a,7\n", BARE, *(f"line {row}: expected 3 columns, got {row}" for row in (2, 4))),
    "blank lines count": ("1,2,a\n\n\n1,b\n3,4,b\n", BARE, "line 4: expected 3 columns, got 2"),
    "missing": ("1,,a\n3,4,b\n5,?,a\n", BARE, "column 1: missing in line 1 and 1 more; leave out such rows (--drop-"),
    "many missing": (
        f"{'?,' * 10}a\n{'1,' * 10}a\n{'2,' * 10}b\n",
        BARE,
        *(f"column {column}: missing in line 1; leave out such rows" for column in range(8)),
        "more columns lack values: 2",
    ),
    "a label to fill": (table(["a", "b", "?"]), "--impute", "--label y: missing in line 4 and 12 more; leave out"),
    **{
        f"a number with signs, {text}": (
            table("ab", [text, text.replace("5", "6")]),
            "",
            f"{text!r}, with signs that have",
        )
        for text in ("5%", "5 €", "$1.50", "='5'", "5\u00b0", "\u22125")
    },
    "a title above the names": (
        f"A title,,\nmore of it\n{table('ab')}",
        "",
        "line 1: expected the column names of line 3; remove what is above",
    ),
    "a code of missing values": (table("ab", ["-", *X[1:]]), "", "'-'; correct it, or say it is missing (--missing)"),
    "no value": (
        table("ab", ["?"]),
        "--impute",
        "column x: expected a value in some row, got none; leave the column out",
    ),
    "no label": ("1,2,a\n3,4,b\n5,6,\n", BARE, "--label -1: missing in line 3; leave out such rows (--drop-"),
    "separator": ("1 2 a\n3 4 b\n", BARE, "expected columns separated by ',', got one column; blanks would give more"),
    "separator beside numbers": ("x,y\n1.5,a\n2.5,b\n", SEMICOLON, f"{ONE}; ',' would give more"),
    "separator beside quotes": ('x,y\n"1, 2",a\n"2, 3",b\n', SEMICOLON, f"{ONE}; ',' would give more"),
    "separator in some rows": (
        "x;y\n1,5;a\n2;b\n3;a\n4;b\n",
        "--separator ,",
        "',', got one column; ';' would give more",
    ),
    "one class": ("1,a\n2,a\n3,a\n", BARE, "--label -1: expected two labels, got a (3)"),
    "quotes": ('1,2,a\n3,"4,b\n', BARE, "line 2: expected separated values, got a fault in quotes (unexp"),
    "zeros": ("1,2,a\n3,\0,b\n", BARE, "line 2: expected UTF-8, got byte 0x00"),
    **{
        f"LIBSVM's format, {what}": (text, "--label 0", "expected separated values, got features of LIBSVM's format")
        for what, text in {
            "dense": "+1 1:0 2:1\n-1 1:1 2:0\n" * 9,
            "sparse": "1 1:0.5 7:1\n0 3:1\n",
            "below comments": "# made by\n#\n1 1:0.5 7:1\n0 3:1\n",
            "kernels from 0": "1 0:0 1:1 2:0\n-1 0:1 1:0 2:1\n",
        }.items()
    },
    "nothing": ("\n", BARE, "expected rows, got none"),
    "a label in two lines": ('1,2,"1\n2"\n3,4,a\n5,6,b\n', BARE, f"line 1: {LINE}, got '1\\n2'"),
    "a number in two lines": ('1,2,a\n3,"4\n\n5",b\n5,6,b\n', BARE, f"line 2: {LINE}, got '4\\n\\n5'"),
    "a control character": ("1,a\n3,b\n6,b\x01\n", BARE, "line 3: expected text without control characters, got 'b\\"),
    **{
        f"the header {header!r}": (f"{header}\n1,a\n2,b\n", "--label 1 --positive a --header", "line 1: expected ")
        for header in ("x\x01,y", "x,y\x9f", "x,\x1b[31my", '"x\nz",y')
    },
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_text_that_is_not_plain_is_refused_with_its_cause(project, capsys, what):
    text, arguments, *faults = REFUSED[what]
    Path("a.csv").write_text(text)
    assert add("a.csv", *(() if "--label" in arguments else ("--label", "y")), *arguments.split()) == 2
    said = capsys.readouterr().err
    for line, fault in zip(said.splitlines(), faults, strict=True):
        assert line.startswith("grambench: a.csv: ") and fault in line
    assert not any(word in said for word in ("Input", "a finite number", "float", "dtype", "None"))
    assert not Path("config/datasets/a.yaml").exists()


@pytest.mark.parametrize(
    "names",
    [("影像", "基因"), ("MRI (T1)", "MRI [T1]"), ("a_b", "a-b"), ("T1/T2", "."), ("None", "NA"), ("$x$", "yes")],
)
def test_names_of_views_stay_as_written(project, capsys, names):
    Path("a.csv").write_text(table("ab"))
    Path("views.csv").write_text(f"column,view\nx,{names[0]}\nz,{names[1]}\n")
    assert add("a.csv", "--label", "y", "--views", "views.csv") == 0
    assert cli.main(["fetch", "a"]) == 0
    prepared = store.read(Path(layout.PREPARED.format(dataset="a")))
    assert {view: columns.tolist() for view, columns in prepared.columns.items()} == {names[0]: [0], names[1]: [1]}
    assert planned({"leaderboard_views": ["a"]}, "leaderboard_views").targets.cells()


def test_views_whose_names_print_alike_are_refused(project, capsys):
    Path("a.csv").write_text(table("ab"))
    Path("views.csv").write_text("column,view\nx,a_b\nz,a b\n")
    assert add("a.csv", "--label", "y", "--views", "views.csv") == 0
    with pytest.raises(ConfigError, match="a: expected views that print differently, got two as 'a b'; rename one"):
        planned({"leaderboard_views": ["a"]}, "leaderboard_views")


def files_of(folder):
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", ["no", "true", "null", "on", "Off", "yes"])
@pytest.mark.parametrize("study", [(), ("--study", "first")])
def test_a_name_that_yaml_takes_for_no_text_is_refused(project, capsys, name, study):
    """A study would name no data set where it says `datasets: [iris, no]`."""
    Path(f"{name}.csv").write_text("x,y\n1,a\n2,b\n")
    before = files_of(Path("config"))
    call = ("--label", "y", "--positive", "a", *study)
    assert add(f"{name}.csv", *call) == 2
    said = capsys.readouterr().err
    assert f"expected a name that YAML reads as text, got {name.lower()}; set another name with --name" in said
    assert said.count("\n") == 1 and files_of(Path("config")) == before
    assert add(f"{name}.csv", *call, "--name", "other") == 0
    assert cli.main(["validate", "first"]) == 0
    assert (found := Configuration(Path("config")).dataset("other")).n == 2
    assert found.sources[0].files[0].path.endswith(f"{name}.csv")  # type: ignore[union-attr]


ODD = {
    "a file's name that is no UTF-8": ["b\udcff.csv", "--label", "y"],
    "braces in the file's name": ["b{x}.csv", "--label", "y"],
    "a control character in the file's name": ["b\x01.csv", "--label", "y"],
    "a line break in the file's name": ["b\n.csv", "--label", "y", "--name", "b"],
    "a control character in the name": ["a.csv", "--label", "y", "--name", "a\x01"],
    "a control character in the label": ["a.csv", "--label", "y\x01"],
    "a character that YAML cannot hold": ["\ufffe.csv", "--label", "y"],
    "a name of 300 letters": ["a.csv", "--label", "y", "--name", "a" * 300],
    "a file's name of 250 letters": ["b" * 246 + ".csv", "--label", "y"],
    "a label of 5000 digits": ["a.csv", "--label", "1" * 5000],
    "a dropped column of 5000 digits": ["a.csv", "--label", "y", "--drop", "-" + "1" * 5000],
    "a file's name of 5000 letters": ["a" * 5000, "--label", "y"],
    "a separator that ends lines": ["a.csv", "--label", "y", "--separator", "\n"],
    "a separator that quotes": ["a.csv", "--label", "y", "--separator", '"'],
    "a control character that separates": ["a.csv", "--label", "y", "--separator", "\x01"],
    "NUL": ["a\0.csv", "--label", "y"],
}


@pytest.mark.parametrize("what", ODD)
def test_an_odd_call_is_one_line_and_writes_nothing(project, capsys, what):
    file, *rest = ODD[what]
    for name in ("a.csv", file):
        with contextlib.suppress(OSError, ValueError):  # there can be no file of such a name
            Path(name).write_text("x,y\n1,a\n2,b\n")
    before = files_of(Path("config"))
    assert add(file, *rest, "--positive", "a", "--study", "first") == 2
    said = capsys.readouterr().err
    assert said.startswith("grambench: ") and said.count("\n") == 1 and len(said) < 700
    assert files_of(Path("config")) == before


def test_a_folder_and_a_file_with_many_faults_are_a_few_lines(project, capsys):
    Path("images").mkdir()
    assert add("images", "--label", "y") == 2
    assert "images: expected a file, got a folder; a description by hand takes images in" in capsys.readouterr().err
    Path("a.csv").write_text(table("ab") + "1\n" * 39)
    assert add("a.csv", "--label", "y") == 2
    assert capsys.readouterr().err.count("\n") == 39
    Path("a.csv").write_text(table("ab") * 2 + "1,2,3,4\n" * 77)
    assert add("a.csv", "--label", "y", "--header") == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == errors.MOST_LINES + 1 and re.fullmatch("grambench: and [0-9]+ more", said[-1])


def test_what_is_written_is_what_is_read(project, capsys, monkeypatch):
    """Whatever comes between, such as a character that one release of YAML writes and another refuses."""
    monkeypatch.setattr(yaml, "safe_dump", lambda values, **_: "name: other\n")
    before = files_of(Path("config"))
    assert add("people.csv", *CALL, "--study", "first") == 2
    assert "cannot be written as YAML (" in capsys.readouterr().err
    assert files_of(Path("config")) == before


def test_names_of_data_sets():
    names = {"My Data (2).csv": "my_data_2", "2020.csv.gz": "data_2020", "ä.csv": "data", "wdbc.data": "wdbc"}
    assert {name: describe.name_of(Path(name)) for name in names} == names


@pytest.mark.parametrize("key", ["positive", "negative", "label", "drop"])
def test_words_that_yaml_takes_for_booleans_are_refused(project, key):
    assert add("people.csv", *CALL) == 0
    values = yaml.safe_load(Path("config/datasets/people.yaml").read_text())
    values["sources"][0]["reader"][key] = True
    with pytest.raises(ConfigError, match="quote it: 'yes'") as caught:
        check(Dataset, values, "people.yaml")
    assert "\n" not in str(caught.value) and f"reader.csv.{key}: " in str(caught.value)


def test_fetching_again_what_is_there_makes_nothing_due(project):
    assert cli.main(["fetch", "iris"]) == 0
    paths = [Path(layout.RAW.format(dataset="iris")), Path(layout.PREPARED.format(dataset="iris"))]
    before = [path.stat().st_mtime_ns for path in paths]
    assert cli.main(["fetch", "iris"]) == 0
    assert [path.stat().st_mtime_ns for path in paths] == before


def test_kinds_of_sources_do_not_matter_to_what_was_delivered(project):
    def spec(kinds, dataset):
        return Plan({"studies": ["first"], "sources": kinds}, Path("config")).specs.fetch(dataset).spec

    for dataset, delivered in (("votes84", True), ("a3a", False)):
        asked = spec(["bundled"], dataset)
        note = layout.RAW.format(dataset=dataset)
        fetch_step.main(Job(asked, output=[Path(note)]))
        assert (json.loads(Path(note).read_text())["status"] == "ok") == delivered
        assert spec(["bundled"], dataset) == asked
        assert (spec(["bundled", "debian"], dataset) == asked) == delivered
    Path("config/datasets/votes84.yaml").write_text(
        Configuration(Path("config")).path("datasets/votes84.yaml").read_text().replace("n: 435", "n: 434")
    )
    assert spec(["bundled", "http"], "votes84") == spec(["bundled", "http"], "votes84") != asked
    assert json.loads(spec(["bundled", "http"], "votes84"))["kinds"] == ["bundled", "http"]


def planned(datasets, *studies):
    return Plan(read(Path("config/config.yaml")) | {"studies": list(studies), "datasets": datasets}, Path("config"))


def test_a_data_set_of_ones_own_runs_in_a_study_without_published_numbers(project, capsys):
    assert add("people.csv", *CALL) == 0
    for plan in (planned(["people"], "leaderboard", "rkl"), planned({"leaderboard": ["people"]}, "leaderboard")):
        assert plan.targets.datasets("leaderboard") == ["people"]
        assert {cell.dataset for cell in plan.targets.cells()} == {"people"}
    both = planned(["sonar", "people"], "leaderboard", "rkl")
    assert both.targets.datasets("leaderboard") == ["sonar", "people"]
    assert both.targets.datasets("rkl") == ["sonar"]
    assert planned(["people"], "first").targets.datasets("first") == ["people"]


@pytest.mark.parametrize(
    ("study", "dataset", "message"),
    [
        ("rkl", "people", "none of the studies rkl has a data set and an algorithm asked for; other data sets"),
        ("leaderboard", "drawings_stripes", "leaderboard: a kernel is on view '', but data set drawings_stripes has"),
        ("leaderboard", "peple", "unknown data set 'peple': did you mean people?"),
    ],
)
def test_a_data_set_that_a_study_cannot_take_is_refused_in_a_line(project, capsys, study, dataset, message):
    assert add("people.csv", *CALL) == 0
    capsys.readouterr()
    assert cli.main(["run", study, "-d", dataset, "-n"]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


def test_kernels_that_a_data_set_cannot_have_are_refused_before_a_run(project, capsys):
    path = Path("config/studies/first.yaml")
    kernels = re.compile(r"^kernels:.*$", re.MULTILINE)
    path.write_text(kernels.sub("kernels:\n  - {family: chisquare, values: [1]}", path.read_text(), count=1))
    assert cli.main(["validate", "first"]) == 2
    expected = "expected functions of inner products or of Euclidean distances on "
    assert re.search(f"{expected}.*, which has vectors without views, got chisquare_s1\n", capsys.readouterr().err)


def test_results_of_an_added_data_set_are_kept_until_its_description_is_removed(project, capsys):
    assert add("people.csv", *CALL) == 0
    plan = planned({"leaderboard": ["people"]}, "leaderboard")
    last_run.write(plan)
    record = Path(plan.targets.cells()[0].path())
    record.parent.mkdir(parents=True)
    record.touch()
    assert record not in find_unneeded(read_everything())
    Path("config/datasets/people.yaml").unlink()
    assert record in find_unneeded(read_everything())


@pytest.mark.workflow
def test_the_leaderboard_shows_a_data_set_of_ones_own(project, capfd):
    assert add("people.csv", *CALL) == 0
    assert cli.main(["run", "leaderboard", "-d", "people", "-a", "majority", "uniform_svm", "-c", "2"]) == 0
    out = capfd.readouterr().out
    assert "time of the runs: less than a minute on 2 cores, from" in out and "2 runs ok" in out
    page = Path("results/report/pages/study-leaderboard.html").read_text()
    assert ">people<" in page and "1 of 46 data sets" in page
    assert cli.main(["rerun", "leaderboard/people/majority"]) == 0
    assert "equal" in capfd.readouterr().out


def test_columns_get_views_by_a_file_of_groups(project, capsys):
    """A nominal column takes all its features along, and a column may be in several views."""
    people = "age,height,colour,weight,note,ill\n" + "".join(
        f"{20 + i},{1.5 + i / 100},{'red' if i % 3 else 'blue'},{50 + i},{i},{'yes' if i % 2 else 'no'}\n"
        for i in range(12)
    )
    Path("sick.csv").write_text(people)
    Path("groups.csv").write_text(
        "column,view\nage,person\nheight,body size\nweight,body size\ncolour,person\nage,all\nheight,all\ncolour,all\n"
    )
    call = ("sick.csv", "--label", "ill", "--positive", "yes", "--drop", "note", "--views", "groups.csv")
    assert add(*call) == 0
    out = capsys.readouterr().out
    assert "views: person (3), body size (2), all (4)" in out and "run leaderboard_views -d sick" in out
    unused = "first has its kernels on all columns of {} and on none of its views"
    assert add(*call, "--name", "again", "--study", "first") == 0 and unused.format("again") in capsys.readouterr().out
    assert expected_lines(planned({"first": ["again"]}, "first"), 1, slurm=False)[0].startswith(unused.format("again"))
    assert not [
        line for line in expected_lines(planned({"first": ["iris"]}, "first"), 1, slurm=False) if "views" in line
    ]
    written = yaml.safe_load(Path("config/datasets/sick.yaml").read_text())
    # age, height, colour = blue, colour = red, weight
    assert written["views"] == {"person": [0, 2, 3], "body size": [1, 4], "all": ["0-3"]}
    for lines, message in (
        ("ages,person\n", "groups.csv: line 1: ages: unknown column 'ages'"),
        ("column,view\nnote,person\n", "groups.csv: line 2: note: is the label or dropped"),
        ("age,\n", "groups.csv: line 1: age: expected the name of a view, got none"),
        ("age\n", "groups.csv: expected a column of the data and its view in each line"),
        ("column,view\n", "groups.csv: expected a column of the data and its view in each line"),
    ):
        Path("groups.csv").write_text(lines)
        assert add(*call, "--replace") == 2
        assert message in capsys.readouterr().err
    # methods without kernels would learn from what all others lack
    Path("groups.csv").write_text("column,view\nage,person\nheight,person\nheight,all\n")
    assert add(*call, "--replace") == 0
    assert "left out, since in no view: colour, weight" in capsys.readouterr().out
    written = yaml.safe_load(Path("config/datasets/sick.yaml").read_text())
    assert (written["d"], written["views"]) == (2, {"person": [0, 1], "all": [1]})
    assert add(*call[:-1], "nothing.csv", "--replace") == 2
    assert "nothing.csv: cannot be read (No such file or directory)" in capsys.readouterr().err


def test_a_file_of_three_classes_is_prepared_with_their_numbers(project):
    Path("kinds.csv").write_text("u,v,y\n" + "".join(f"{i},{i % 5},{'bac'[i % 3]}\n" for i in range(12)))
    assert add("kinds.csv", "--label", "y") == 0
    assert cli.main(["fetch", "kinds"]) == 0
    prepared = store.read(Path(layout.PREPARED.format(dataset="kinds")))
    assert prepared.labels.tolist() == [1, 0, 2] * 4
    assert planned({"leaderboard": ["kinds"]}, "leaderboard").targets.cells()


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (1.1, 5.0, "learning helps"),
        (0.2, 5.0, "learning probably helps, but by how much is undecided"),
        (-0.5, 0.9, "learning makes practically no difference"),
        (-3.0, 4.0, "whether learning helps is undecided"),
        (-6.0, 0.9, "learning does not help"),
    ],
)
def test_an_interval_of_the_difference_answers_whether_something_helps(low, high, answer):
    assert answers.verdict("learning", low, high) == answer


SPREAD = np.array([0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1.5, -1.5, 0.0])


def answer(spread, **accuracies):
    """Return the sentences of compare on results that scatter around these means, those of 600 examples."""
    study = Configuration(Path(__file__).parents[1] / "config").study("leaderboard_views")
    rows = [
        ("mine", entry, "", np.nan, r, metric, mean + spread * noise)
        for metric in (answers.METRIC, answers.BALANCED)
        for number, (entry, mean) in enumerate(accuracies.items())
        for r, noise in enumerate(np.roll(SPREAD, number))
    ]
    runs = pd.DataFrame(rows, columns=["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"])
    return answers.answer(study, Results(study, runs, pd.DataFrame()), "mine", 600, 40)


# as measured on |f0| > .45 and |f1| > .45 among 40 features in ten views
CORNER = {
    "uniform_svm": 59.2,
    "best_kernel_svm": 81.1,
    "gaussian_svm": 53.1,
    "kernel_stacking": 77.9,
    "gradient_boosting": 98.3,
    "logistic_regression": 50.0,
    "d1": 67.3,
    "d1_centred": 68.7,
    "majority": 50.5,
}


def test_combining_helps_only_beside_the_best_method_without_it():
    helps, beside, learning, compared = answer(1.0, **CORNER)
    assert helps.startswith("Combining kernels does not help: ")
    assert (
        "lp-MKL p = 1, centred [d1_centred] (best of 3) 68.7 %, Gradient boosting (best of 5) 98.3 %; "
        "difference -29.6 points; between the truly best, a 95 % interval of -33.9 to -23.8." in helps
    )
    assert beside.startswith("lp-MKL p = 1, centred [d1_centred] beside each, in points with 95 % intervals for one ")
    listed = re.findall(r"[:,] ([\w ]+) ([+-][\d.]+) \(([+-][\d.]+) to ([+-][\d.]+)\)", beside)
    assert [(name, lead) for name, lead, *_ in listed] == [
        ("Gradient boosting", "-29.6"),
        ("Best kernel", "-12.4"),
        ("Gaussian SVM", "+15.6"),
        ("Kernel stacking", "-9.2"),
        ("Logistic regression", "+18.7"),
    ]
    assert all(float(low) < float(lead) < float(high) for _, lead, low, high in listed)
    assert learning.startswith("Among combinations, learning the weights helps: ") and "Uniform SVM 59.2 %" in learning
    parts = "50 % of the examples train, 25 % select, 25 % test"
    # a mean over test examples, and not the share of the class in the file
    chance = "where always predicting the largest class of those that train has 50.5 %"
    assert compared == f"Mean accuracies on 10 random splits ({parts}), {chance}; 9 of 38 configurations were compared."
    # no more than the larger class is nothing to explain
    weak = answer(1.0, **dict.fromkeys(CORNER, 65.2) | {"majority": 65.0})
    assert weak[0].startswith("No method is shown to be better than always predicting one class: by balanced accuracy")
    # on an exclusive or of views, combinations know no more than the majority, and boosting knows nearly all
    parity = dict.fromkeys(CORNER, 50.0) | {"gradient_boosting": 97.8}
    helps, _, learning, _ = answer(1.0, **parity)
    assert helps.startswith("Combining kernels does not help: ") and "Gradient boosting" in helps
    assert learning.startswith("Among combinations, whether learning the weights helps is undecided")
    assert answer(0.1, **CORNER | {"uniform_svm": 99.9})[0].startswith("Combining kernels helps: Uniform SVM")


def test_the_interval_allows_for_the_choice_of_the_best_and_for_equal_results():
    def ends(*arguments, **accuracies):
        helps = next(text for text in answer(*arguments, **accuracies) if "ombining kernels" in text)
        interval = helps.partition(" interval of ")[2]
        return [float(end) for end in interval.removesuffix(".").split(" to ")]

    few = {entry: 60.0 for entry in CORNER if entry != "d1_centred"}
    low, high = ends(1.0, **few)
    # more combinations among which the best is chosen, no other of them ahead: the same lead is less sure
    wider = ends(1.0, **few | dict.fromkeys(("d2", "rkl", "easy_mkl", "cka"), 30.0))
    assert wider[0] < low and wider[1] == high
    low, high = ends(0.0, **few)
    assert low < 0.0 < high


def test_without_one_of_the_methods_that_are_always_compared_there_is_no_answer():
    del (results := dict(CORNER))["gradient_boosting"]
    assert answer(1.0, **results) == ["No answer: no result of Gradient boosting; grambench failed names the runs."]


TABLE = "x,y\n" + "".join(f"{7 * i % 13},{'ab'[i % 2]}\n" for i in range(60))
WRONG_ARGUMENTS = {
    "cores in words": (["-c", "x"], "--cores: expected a number of at least 1, or all, got x"),
    "one core and a half": (["-c", "1.5"], "--cores: expected a number of at least 1, or all, got 1.5"),
    "minutes below 0": (["--minutes=-1"], "--minutes: expected a number from 0, got '-1'"),
    "minutes that are no number": (["--minutes", "nan"], "--minutes: expected a number from 0, got 'nan'"),
    "no configuration": (["-a", "easy"], "unknown configuration of leaderboard 'easy': did you mean easy_mkl"),
    "a header of views alone": (["--views", "views.csv"], "views.csv: expected a column"),
    "no file": (["nothing.csv"], "nothing.csv: no such file"),
    "two rows": (["two.csv"], "two.csv: expected at least 40 examples, and 8 of each class, got 2 and 1"),
    "a small class": (["rare.csv"], "rare.csv: expected at least 40 examples, and 8 of each class, got 60 and 7"),
    "a small class of three": (
        ["third.csv"],
        "third.csv: expected at least 40 examples, and 8 of each class, got 60 and 1",
    ),
}


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("what", WRONG_ARGUMENTS)
def test_a_wrong_comparison_is_one_line_and_writes_nothing(what, inside, project, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(project if inside else tmp_path)
    Path("mine.csv").write_text(TABLE)
    Path("two.csv").write_text("x,y\n1,a\n2,b\n")
    Path("rare.csv").write_text("x,y\n" + "".join(f"{7 * i % 13},{'ab'[i < 7]}\n" for i in range(60)))
    Path("third.csv").write_text(
        "x,y\n" + "".join(f"{7 * i % 13},{'c' if i == 9 else 'ab'[i % 2]}\n" for i in range(60))
    )
    Path("views.csv").write_text("column,view\n")
    before = files_of(tmp_path)
    arguments, message = WRONG_ARGUMENTS[what]
    file = [] if arguments[0].endswith(".csv") else ["mine.csv"]
    assert cli.main(["compare", "--label", "y", *file, *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
    assert files_of(tmp_path) == before


def test_compare_replaces_only_what_it_wrote_for_the_same_file(project, monkeypatch, capsys):
    def run(_, *, brief):
        """Run nothing."""
        return 0

    monkeypatch.setattr("grambench.commands.run.run", run)
    none = presentation.runs().iloc[:0], presentation.cells().iloc[:0]
    monkeypatch.setattr(compare, "read_results", lambda study: Results(study, *none))
    monkeypatch.setattr(answers, "answer", lambda *_: [])
    for path in (Path("people.csv"), Path("other/people.csv")):
        path.parent.mkdir(exist_ok=True)
        path.write_text(TABLE)
    description = Path("config/datasets/people.yaml")
    assert add("people.csv", "--label", "y") == 0
    written = description.read_bytes()
    assert cli.main(["compare", "people.csv", "--label", "y", "-c", "1"]) == 0
    assert description.read_bytes() == written
    description.write_bytes(written + b"edited: true\n")
    assert cli.main(["compare", "people.csv", "--label", "y"]) == 2
    said = "people.yaml: exists already, with another description; --name sets another name"
    assert said in capsys.readouterr().err
    assert description.read_bytes() == written + b"edited: true\n"
    description.unlink()
    for table in (TABLE, TABLE + "7,a\n"):
        Path("people.csv").write_text(table)
        assert cli.main(["compare", "people.csv", "--label", "y", "-c", "all"]) == 0
        written = description.read_text()
        assert yaml.safe_load(written)["n"] == len(table.splitlines()) - 1
    assert cli.main(["compare", "other/people.csv", "--label", "y"]) == 2
    assert description.read_text() == written


@pytest.mark.workflow
def test_a_file_is_compared_in_one_command(tmp_path, monkeypatch, capsys):
    """Two of five groups of columns decide: a learned combination beats the best kernel and the uniform one.

    The file has a name as browsers give it, with characters of the shell.
    """
    rng = np.random.default_rng(0)
    features = rng.normal(size=(240, 20))
    sick = np.square(features[:, :8]).sum(axis=1) > 7.3
    header = ",".join(f"gene{i}" for i in range(20)) + ",kind\n"
    rows = "".join(
        f"{','.join(f'{x:.3f}' for x in row)},{'sick' if s else 'well'}\n"
        for row, s in zip(features, sick, strict=True)
    )
    rows += ",0.1" * 19 + ",sick\n"
    (tmp_path / "genes (1) & $(x).csv").write_text(header + rows)
    (tmp_path / "groups.csv").write_text("column,view\n" + "".join(f"gene{i},group {i // 4}\n" for i in range(20)))
    monkeypatch.setattr(answers, "REQUIRED", ("uniform_svm", "easy_mkl", "k_nearest_neighbours", "majority"))
    monkeypatch.setattr(compare, "FIXED_SECONDS", 60.0)  # nothing remains for others
    for minutes in (2, 1):  # a second call finds everything done
        monkeypatch.chdir(tmp_path)
        call = ["--label", "kind", "--views", "groups.csv", "--drop-incomplete", "-c", "2", "--name", "genes"]
        # the second one names a configuration
        call += ["-a", "easy_mkl"] * (minutes == 1)
        assert cli.main(["compare", "genes (1) & $(x).csv", *call]) == 0
        out = capsys.readouterr().out
        earlier = " (4 of earlier calls)" * (minutes == 1)
        said = f"4 configurations{earlier}, about {minutes} min on 2 cores; --minutes 1 leaves out d1, "
        assert out.count(said) == 1
        assert ("\nNamed by -a: EasyMKL " in out) == (minutes == 1)
        assert "jobs: " not in out and "runs ok" not in out, "counts beside that of what is compared"
        assert "Combining kernels helps: EasyMKL [easy_mkl] (best of 2)" in out
        assert (
            "\nWeights by view of EasyMKL [easy_mkl], the most accurate of those that have them (equal ones 20 %), "
            "with deviations over the splits: group "
            in out
            and "; 4 of 38 configurations were compared.\n" in out
        )
        assert "\nRows used: 240 of 241; 1 lacks a value, --impute keeps those with a label.\n" in out
        assert "\ngo on: cd genes_comparison; grambench open shows the report, grambench table " in out
    page = (tmp_path / "genes_comparison/results/report/pages/study-leaderboard_views.html").read_text()
    assert "<dt>Rows used</dt><dd>genes 240 of 241; 1 lacks a value</dd>" in page


@pytest.mark.parametrize("board", ["leaderboard", "leaderboard_views"])
def test_the_budget_of_minutes_decides_what_is_compared_beside_strong_rivals(board, project, monkeypatch):
    study = Configuration(Path("config")).study(board)
    monkeypatch.setattr(resources.Resources, "slowness", lambda _: 1.0)
    fewest, some, all_of_them = (compare._fitting(board, "sonar", [], seconds) for seconds in (0.0, 60.0, 1e6))
    assert fewest[0] == list(answers.REQUIRED)
    able = {name for name, entry in study.algorithms.items() if not entry.datasets}
    assert set(fewest[0]) < set(some[0]) < set(all_of_them[0]) == able
    assert sorted(some[0] + some[1]) == sorted(able)
    assert fewest[2] < some[2] <= 60.0 < all_of_them[2]
    # after these, combinations and other methods take turns
    further = "".join(answers.kind(study, entry)[0] for entry in some[0] if entry in compare.FURTHER)
    assert "lll" not in further and "nnn" not in further
    # what one asks for is compared too, whatever it takes
    assert compare._fitting(board, "sonar", ["gmkl", "d1"], 0.0)[0] == [*answers.REQUIRED, "gmkl"]
    if board == "leaderboard":
        with pytest.raises(ConfigError, match=r"unknown configuration on sonar 'd1_features': did you mean"):
            compare._fitting(board, "sonar", ["d1_features"], 0.0)
    # a data set with more examples takes longer, and everything on a slower machine
    assert compare._fitting(board, "spambase", [], 0.0)[2] > fewest[2]
    monkeypatch.setattr(resources.Resources, "slowness", lambda _: 10.0)
    assert compare._fitting(board, "sonar", [], 0.0)[2] == pytest.approx(10.0 * fewest[2])


@pytest.mark.parametrize("board", ["leaderboard", "leaderboard_views"])
def test_every_configuration_of_a_board_is_a_combination_or_not(board):
    study = Configuration(Path(__file__).parents[1] / "config").study(board)
    kinds = {entry: answers.kind(study, entry) for entry in study.algorithms if not study.algorithms[entry].pool}
    equal = {entry for entry, kind in kinds.items() if kind == "equal weights"}
    assert equal == {"uniform_svm", "uniform_svm_centred", "perceptron_u"} & set(kinds)
    single = {"best_kernel_svm", "best_alignment", "perceptron", "perceptron_star"}
    stacked = {"kernel_stacking", "view_stacking"}
    on_vectors = {"linear_svm", "logistic_regression", "gaussian_svm", "random_forest", "gradient_boosting"}
    on_vectors |= {"ard_gp", "rfm", "k_nearest_neighbours", "mlp", "majority"}
    others = {entry for entry, kind in kinds.items() if kind == "no combination"}
    assert others == (single | stacked | on_vectors) & set(kinds)
