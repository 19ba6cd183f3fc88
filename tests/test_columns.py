"""Files of results have exactly the columns that they declare, and the data dictionary says the same."""

import json
from pathlib import Path

import data_dictionary
import numpy as np
import pandas as pd
import presentation
import pytest

from grambench.config.metrics import METRICS
from grambench.pipeline.job import Job
from grambench.pipeline.steps import summarise
from grambench.results import summary
from grambench.results.columns import Column, Table
from grambench.results.study import Results

PAGE = Path(__file__).parent.parent / "docs/data_dictionary.md"
SMALL = Table(
    "small.csv",
    "a thing",
    (
        Column("name", "text", "its name"),
        Column("weight", "number", "how heavy", "kg"),
        Column("legs", "integer", "how many"),
        Column("tame", "boolean", "whether"),
    ),
)


def test_the_page_is_made_of_the_declarations():
    assert PAGE.read_text(encoding="utf-8") == data_dictionary.page(), "stale: make dictionary"


def test_every_column_and_every_metric_has_a_meaning():
    columns = [column for table in data_dictionary.TABLES for column in table.columns]
    assert all(column.meaning and not column.meaning.endswith(".") for column in columns)
    assert all(metric.meaning and not metric.meaning.endswith(".") for metric in METRICS.values())


def test_what_is_missing_has_the_type_of_its_column():
    table = SMALL.frame([{"name": "cat", "weight": 4, "legs": 4, "tame": True}, {"name": None}])
    assert [str(kind) for kind in table.dtypes] == ["str", "float64", "int64", "bool"]
    assert table.loc[1, ["name", "legs", "tame"]].tolist() == ["", 0, False] and np.isnan(table.loc[1, "weight"])
    assert [str(kind) for kind in SMALL.frame([]).dtypes] == ["str", "float64", "int64", "bool"]


def test_what_is_not_declared_is_refused():
    with pytest.raises(ValueError, match=r"small.csv declares name, weight, legs, tame, got colour too"):
        SMALL.frame([{"name": "cat", "colour": "red"}])
    with pytest.raises(ValueError, match="could not convert string to float: 'heavy'"):
        SMALL.frame([{"name": "cat", "weight": "heavy"}])


def test_texts_come_back_whatever_they_say(tmp_path):
    table = SMALL.frame([{"name": text, "weight": np.nan} for text in ("NA", "", "1", "a,b")])
    table.to_csv(tmp_path / "small.csv", index=False)
    pd.testing.assert_frame_equal(SMALL.read(tmp_path / "small.csv"), table)


@pytest.fixture
def written(tmp_path):
    """The summary of the small study of presentation.py, with a metric that a run did not have."""
    runs = presentation.runs()
    results = Results(presentation.STUDY, runs, presentation.cells())
    return summary.table(results, {"wdbc": "Breast cancer"}).set_index(["dataset", "algorithm", "metric"]).sort_index()


def test_summary_has_a_row_a_metric_and_one_for_a_failure(written):
    row = written.loc["wdbc", "omkc_dd", "mistake_percent"]
    assert (row["mean"], row["runs"], row["dataset_title"], row["algorithm_title"]) == (
        *(5.0, 4, "Breast cancer"),
        "OMKC(D,D)",
    )
    assert row["std"] == pytest.approx(
        presentation.runs()
        .query("sweep == '' and metric == 'mistake_percent'")
        .query("dataset == 'wdbc' and algorithm == 'omkc_dd'")["result"]
        .std()
    )
    assert set(written.loc["wdbc", "omkc_dd"].index) == {"mistake_percent", "support_vectors", "seconds", "converged"}
    failed = written.loc["sonar", "omkc_dd", ""]
    assert (failed["status"], failed["reason"], failed["runs"]) == ("timeout", "stopped after 5 s <limit>", 0)
    assert failed["dataset_title"] == "sonar" and np.isnan(failed["mean"])
    assert written.index.is_unique


def test_the_step_writes_what_pandas_reads_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = presentation.results()
    monkeypatch.setattr(Results, "read", lambda *_: results)
    spec = json.dumps({"study": presentation.SETTINGS, "datasets": {"wdbc": "Breast cancer"}})
    summarise.main(Job(spec, output=[Path("summary.csv")], input=[Path("runs.parquet"), Path("cells.csv")]))
    table = pd.read_csv("summary.csv")
    assert list(table.columns) == summary.TABLE.names
    assert table[["mean", "std"]].dtypes.tolist() == ["float64", "float64"] and table["runs"].dtype == "int64"
    wide = table.pivot(index="dataset", columns=["algorithm", "metric"], values="mean")
    assert wide.loc["wdbc", ("omkc_dd", "mistake_percent")] == 5.0
