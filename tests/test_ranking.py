"""`grambench rank`: an algorithm among reference configurations, and what of the archive or the data is refused."""

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import leaderboard
import numpy as np
import pandas as pd
import pytest
import small_board
from copies import ROOT
from planted import CONFIGURATION, shown
from small_board import BOARD, DATASETS, ENTRIES, FOLDER

from grambench.commands import rank
from grambench.common import layout
from grambench.config.study import Entry
from grambench.pipeline import ranking
from grambench.report import ranking_page, tables
from grambench.results import archive

RANKING = layout.RESULTS / "rank/logistic_regression"


@pytest.fixture
def ranked(project, reference, servers, monkeypatch):
    """A project with this archive; no checks for leaks, which take longer than all else."""
    shutil.copytree(reference, archive.ARCHIVE)
    monkeypatch.setattr(rank, "show_leaks", lambda arguments: False)
    # whatever the machine
    monkeypatch.setattr(ranking, "LONGEST", np.inf)


def test_an_algorithm_is_ranked_among_the_reference_and_it_alone_is_run(ranked, call):
    code, said, err = call("rank", "logistic_regression")
    assert (code, err) == (0, "")
    lines = said.splitlines()
    assert lines[0] == "leaderboard: reference configurations: 2, data sets: 2"
    assert [line.split()[0] for line in lines[1:3]] == list(DATASETS)
    assert sum(line.startswith("again: ") for line in lines) == 3
    assert "3 of 3 reference runs made again" in said and "number 1 of 3 by mean rank: 1.00 on 2" in said
    archived = pd.read_parquet(FOLDER / "runs.parquet")
    accuracy = archived[archived["metric"] == "accuracy_percent"].groupby("algorithm")["result"].mean()
    ranks = pd.read_csv(RANKING / "ranks.csv").set_index(["metric", "algorithm"])["ours_mean"]
    assert ranks["mean_rank"].to_dict() == {"Logistic regression": 1.0, "k_nearest_neighbours": 2.0, "majority": 3.0}
    for name in ENTRIES:
        assert ranks["accuracy_percent", name] == pytest.approx(accuracy[name])
    page = (RANKING / "ranking.html").read_text()
    assert "★ </span>Logistic regression" in page and "<svg" in page
    assert archive.read_about(BOARD)["revision"][0] in page, "which reference it is beside"
    assert not Path(layout.RUNS.format(study=BOARD)).exists(), "no run of the study"
    assert (RANKING / "ranks.tex").read_text().count(r"\toprule") == 1
    versus, source = (RANKING / "versus.tex").read_text(), f"reference results {archive.version_of(BOARD)}"
    assert all(source in text for text in (versus, (RANKING / "ranks.tex").read_text()))
    assert "Logistic regression (ours) & 1.0 &" in (RANKING / "ranks.tex").read_text()


def test_a_short_table_has_the_first_and_the_algorithm_at_their_ranks_among_all(ranked, call, monkeypatch):
    monkeypatch.setattr(ranking_page, "FIRST", 1)
    monkeypatch.setattr(ranking, "AGAIN", 0)
    assert call("rank", "logistic_regression", "-d", "votes84", "--parameters", "{C: 1.0e-9}")[0] == 0
    whole, short = (
        pd.read_csv(RANKING / f"{name}.csv").query("metric == 'mean_rank'").set_index("algorithm")["ours_mean"]
        for name in ("ranks", "ranks_short")
    )
    assert len(whole) == 3 and whole["Logistic regression"] > 1.0
    assert short.to_dict() == {"k_nearest_neighbours": 1.0, "Logistic regression": whole["Logistic regression"]}
    text = (RANKING / "ranks_short.tex").read_text()
    assert "Logistic regression (ours)" in text and "Majority" not in text
    page = (RANKING / "ranking.html").read_text()
    assert "No figure of mean ranks: it needs results of two" in page and "<svg" not in page


def test_fewer_repetitions_are_compared_with_the_same_ones(ranked, call):
    code, said, _ = call("rank", "logistic_regression", "-d", "votes84", "-r", "3")
    assert code == 0 and "2 of 2 reference runs made again" in said
    accuracies = pd.read_csv(RANKING / "accuracies.csv")
    archived = pd.read_parquet(FOLDER / "runs.parquet").query(
        "dataset == 'votes84' and algorithm == 'majority' and metric == 'accuracy_percent' and repetition < 3"
    )
    row = accuracies.query("algorithm == 'majority'").iloc[0]
    assert row["runs"] == 3 and row["ours_mean"] == pytest.approx(archived["result"].mean())


def test_reference_runs_are_compared_by_their_accuracies(reference):
    """Another processor sums in another order; accuracies that the archive lacks in part are no measure."""
    ours = np.array([[81.25, 87.5]])
    record = SimpleNamespace(dataset="wdbc", algorithm="majority", metrics={"accuracy_percent": ours, "gap": ours})
    none = np.nan
    for then, wanted in ((ours[0], [0.0, 0.0]), (ours[0] + [0.0, 0.5], [0.0, -0.5]), (ours[0, :1], [none, none])):
        archived = SimpleNamespace(values=lambda *_, then=then: then)
        assert ranking._difference(record, archived) == pytest.approx(wanted, nan_ok=True)


def test_seconds_of_the_reference_are_scaled_by_runs_that_were_made_again(ranked, call):
    path = FOLDER / "runs.parquet"
    runs = pd.read_parquet(path)
    slow = 1e6
    runs.loc[runs["metric"] == "seconds", "result"] *= slow
    runs.to_parquet(path)
    small_board.sign(FOLDER)
    code, said, _ = call("rank", "logistic_regression", "-d", "votes84", "-r", "2")
    assert code == 0 and "gave equal accuracies, in 0.00 times the reference's seconds" in said
    seconds = pd.read_csv(RANKING / "ranks.csv").query("metric == 'seconds'")["ours_mean"]
    assert (seconds < 60.0).all(), "seconds as of a machine that is a million times slower"


def test_accuracies_of_another_processor_are_told_from_others_by_their_mean(ranked, call):
    """Its rounding may select another C on some splits, which a mean over the splits hardly shows."""
    runs = pd.read_parquet(FOLDER / "runs.parquet")
    chosen = runs["metric"] == "accuracy_percent"
    for apart, code, said in (
        (0.4, 0, "Up to 0.5 in the mean may be"),
        (0.7, 1, "More than 0.5 in the mean is too"),
    ):
        changes = np.where(runs["repetition"] % 2, 1.5, 2.0 * apart - 1.5)
        runs.assign(result=runs["result"] + chosen * changes).to_parquet(FOLDER / "runs.parquet")
        small_board.sign(FOLDER)
        found, out, _ = call("rank", "logistic_regression", "-d", "votes84", "-r", "2")
        assert found == code and said in out
        assert f" points a split and -{apart:g} in the mean." in out


def test_a_changed_number_of_the_archive_is_refused(ranked, call):
    runs = pd.read_parquet(FOLDER / "runs.parquet")
    chosen = runs.index[runs["metric"] == "accuracy_percent"]
    runs.loc[chosen, "result"] += 1.0
    runs.to_parquet(FOLDER / "runs.parquet")
    code, _, err = call("rank", "logistic_regression", "-d", "votes84")
    assert code == 2 and err.count("\n") == 1 and "reference/leaderboard/runs.parquet" in err
    small_board.sign(FOLDER)
    code, said, _ = call("rank", "logistic_regression", "-d", "votes84", "-r", "2")
    assert code == 1 and "0 of 2 reference runs made again" in said, "with checksums that fit"


def test_data_that_differ_from_the_archive_are_left_out_and_named(ranked, call):
    about = archive.read_about(BOARD)["data"]
    small_board.change_about(FOLDER, {"data": about | {"votes84": about["votes84"] | {"content": "0" * 64}}})
    reason = f"expected data with the checksum {'0' * 64}, got "
    code, said, _ = call("rank", "logistic_regression", "-d", "votes84", "ionosphere", "-r", "2")
    assert code == 1 and f"Data sets that are left out: votes84 ({reason}" in said and "on 1 data set" in said
    assert "Fewer than 6 data sets say little: " in said


def test_a_data_set_without_a_source_is_left_out_and_named(ranked, call, monkeypatch):
    monkeypatch.delenv("GRAMBENCH_MIRROR", raising=False)
    config = Path("config/config.yaml")
    config.write_text(config.read_text() + "\nsources: [file]\n")
    code, said, _ = call("rank", "logistic_regression", "-r", "2")
    assert code == 1 and "Data sets that are left out: ionosphere (" in said


def test_a_board_ranks_no_second_pool_and_no_second_solver():
    study = CONFIGURATION.study("leaderboard")
    assert {"d1", "kernel_stacking"} <= {*study.ranked} and not {"d1_features", "silp"} & {*study.ranked}
    own = study.model_copy(update={"algorithms": study.algorithms | {"mine": Entry(path="mine.py")}})
    assert own.ranked == [*study.ranked, "mine"]


def test_hyperparameters_are_selected_among_given_values_and_those_of_the_board_for_c(ranked, call, monkeypatch):
    monkeypatch.setattr(ranking, "AGAIN", 0)
    tune = ["--tune", "{p: [1.5, 2]}"]
    code, said, _ = call("rank", "lp_mkl", "-d", "votes84", "-r", "1", *tune)
    assert code == 0 and "Validation examples select p and C among 10 combinations." in said
    code, _, err = call("rank", "lp_mkl", "-d", "votes84", *tune, "-p", "{C: 1}", "-r", "1")
    assert (code, err) == (0, ""), "p alone"
    most = "expected at most 25 combinations of values, those of C included, as the board's configurations"
    err = call("rank", "lp_mkl", "--tune", "{p: [1, 1.1, 1.3, 2, 3, 4]}")[2]
    assert err == f"grambench: --tune: {most}, got 30 of p, C\n"


def test_c_of_the_svm_on_a_learned_kernel_counts_among_the_values(ranked, call):
    few, many = "{regulariser: [0.01, 0.1, 0.3]}", "{regulariser: [0.01, 0.03, 0.1, 0.3, 0.5, 0.7]}"
    code, said, err = call("rank", "hsic_lasso", "-d", "votes84", "-r", "2", "--tune", few)
    sentences = (
        "An SVM on the kernel that it learns is scored. Validation examples select regulariser and C of its SVM "
        "among 15 combinations. They select an end of the values of regulariser in "
    )
    assert (code, err) == (0, "") and sentences in said and " of 2 splits." in said
    assert sentences in (RANKING.parent / "hsic_lasso/ranks.tex").read_text()
    code, _, err = call("rank", "hsic_lasso", "-d", "votes84", "-r", "1", "--tune", many)
    assert code == 2 and err.endswith("got 30 of regulariser, C of its SVM\n")


def test_a_second_solver_is_said_to_be_not_ranked(call, monkeypatch):
    monkeypatch.chdir(ROOT)
    code, _, err = call("rank", "logistic_regression", "-a", "uniform_svm", "simple_mkl")
    remedy = "grambench table leaderboard --results reference -a simple_mkl shows its results"
    assert (code, err) == (
        2,
        f"grambench: simple_mkl is not ranked, as another solver or pool of a configuration; {remedy}\n",
    )


def test_a_leak_is_not_ranked(ranked, call, monkeypatch):
    """What a leak is, tests/test_outside.py says."""
    monkeypatch.setattr(rank, "show_leaks", lambda arguments: True)
    code, said, _ = call("rank", "logistic_regression", "-d", "votes84", "-r", "2")
    assert (code, said) == (1, "not ranked: it does not pass the checks for leaks; grambench check makes all checks\n")
    assert not RANKING.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-b", "omkc"], "omkc: expected a study that compares algorithms on any data set, such as leaderboard"),
        (["-b", "nope"], "unknown board 'nope': known: leaderboard, leaderboard_images, leaderboard_views\n"),
        (["-d", "heart"], "unknown data set of the reference results of leaderboard 'heart'"),
        (["-r", "11"], "--repetitions: expected 1 to 10, those of the reference results, got 11"),
        (["-r", "0"], "--repetitions: expected 1 to 10"),
        (["-a", "rkl"], "unknown configuration of the reference results of leaderboard 'rkl'"),
        (["--tune", "C"], "--tune: expected names and values, such as '{rate: [0.1, 0.5, 1]}', got C"),
        (["--tune", "{C: 1}"], "--tune: expected a list of numbers for each name, such as"),
        (["--tune", "{C: []}"], "--tune: expected a list of numbers for each name, such as"),
        (["--tune", "{c: [1]}"], "unknown parameter of logistic_regression 'c': known: C\n"),
        (["--tune", "{C: [-1]}"], "logistic_regression: "),
        (["--tune", "{C: [1]}", "-p", "{C: 1}"], "--tune: expected other names than --parameters has, got C in both"),
    ],
)
def test_wrong_calls_get_one_line(ranked, call, arguments, message):
    code, said, err = call("rank", "logistic_regression", *arguments)
    assert code == 2 and said.count("\n") <= 1 and err.startswith(f"grambench: {message}") and err.count("\n") == 1


def test_a_board_without_reference_results_says_how_to_make_them(project, call, monkeypatch):
    start = "grambench: reference/leaderboard: there are no reference results of leaderboard; "
    for others, said in ((["omkc"], ""), (["leaderboard_views", "omkc"], "leaderboard_views have some (-b); ")):
        monkeypatch.setattr(archive, "studies", lambda others=others: others)
        code, out, err = call("rank", "logistic_regression")
        assert (code, out) == (2, "") and err.startswith(f"{start}{said}grambench run leaderboard and")


def test_a_table_versus_has_the_numbers_of_the_comparison():
    results = leaderboard.results()
    study = leaderboard.study(tables={"versus": shown("versus", first="rkl", **leaderboard.SHOWN)})
    table = tables.build(results, {}, {}, study.tables["versus"])
    frame = table.data.set_index("algorithm")
    assert sorted(frame.index) == sorted(set(leaderboard.BEHIND) - {"rkl"})
    assert list(frame["difference"]) == sorted(frame["difference"]), "the smallest gain comes first"
    for name, row in frame.iterrows():
        compared = results.compare("rkl", name, "accuracy_percent")
        assert row["difference"] == pytest.approx(compared.mean.value)
        assert (row["low"], row["high"]) == pytest.approx(compared.mean.interval(0.05))
        assert tuple(row[["worse", "within", "better", "votes"]]) == (
            *(compared.worse, compared.within, compared.better, compared.votes),
        )
        assert row["verdict"] == compared.verdict(len(frame))
    first = replace(results, runs=results.runs[results.runs["repetition"] == 0])
    remarks = tables.build(first, {}, {}, study.tables["versus"]).remarks
    assert remarks[-1].startswith("Not two data sets on which both have two repetitions: ")
    assert frame.loc["majority", "verdict"] == "better" and np.isclose(frame.loc["d1", "difference"], 1.0, atol=0.3)
