"""What the papers' own numbers say to their claims, and how often they would fulfil them again."""

import numpy as np
import pandas as pd
import planted
import pytest
from planted import CONFIG, CONFIGURATION
from programs import load

from grambench import claims
from grambench.claims import Answer, Chance, Claim, read_chances
from grambench.common.errors import DataError
from grambench.results.replications import Replications

chances = load("benchmarks/claims.py")
SHIPPED = pd.read_csv(CONFIG / "replications/claims.csv", dtype={"claim": str})
STUDIES = [name for name in CONFIGURATION.names("studies") if CONFIGURATION.study(name).published]


def given(study):
    files = CONFIGURATION.study(study).published.files()
    return CONFIGURATION.study(study), {name: CONFIG / "published" / name for name in files}


def shipped(study):
    return SHIPPED[SHIPPED["study"] == study].set_index("claim")


def means(study):
    return chances.replicated(CONFIG / f"replications/{study}.csv")


@pytest.mark.parametrize("study", STUDIES)
def test_what_is_shipped_is_what_the_printed_numbers_say(study):
    found = chances.compute(*given(study), means(study), 0)
    own = shipped(study)
    assert own["printed"].to_dict() == {name: chance.verdict for name, chance in found.items()}
    assert own["evidence"].to_dict() == {name: chance.evidence for name, chance in found.items()}


@pytest.mark.parametrize("study", ["oks", "ca_dirichlet", "ca_eleven"])  # those that take a second
def test_shipped_probabilities_are_drawn_anew_to_the_last_digit(study):
    found = chances.compute(*given(study), means(study))
    assert shipped(study)["probability"].equals(pd.Series({name: chance.probability for name, chance in found.items()}))


def test_a_claim_that_the_papers_own_numbers_fulfil_would_be_fulfilled_by_most_of_their_draws():
    known = SHIPPED[SHIPPED["probability"].notna()]
    assert len(known) > 30
    unlikely = known[known["probability"] < 0.5]
    assert [*unlikely["printed"]] == ["fails"] * len(unlikely)


def test_the_claims_that_their_own_paper_contradicts():
    """Among them two of OMKC: Perceptron(*) ties on two data sets, not one, and Perceptron(u) is not always worse."""
    fails = SHIPPED[SHIPPED["printed"] == "fails"].set_index(["study", "claim"])["evidence"]
    assert {claim for study, claim in fails.index if study == "omkc"} == {"17", "14b", "18a"}
    assert fails["omkc", "18a"].endswith("on 12 of 15: not on australian, a3a, w5a")


def test_printed_numbers_decide_what_they_can():
    every = {claim.id for claim in claims.load_claims("omkc")}
    during = {"9a", "9d", "9e", "10"} | {f"12{letter}" for letter in "abcdef"} | {f"16{letter}" for letter in "abc"}
    assert set(shipped("omkc").index) == every - during - {"1b", "13", "14a", "15a", "15b"}
    assert set(shipped("oks").index) == {"1a", "1b", "1c", "1d", "1e", "2a", "2b", "2d", "2f", "2g"}


CELLS = "table,dataset,algorithm,metric,mean,std\n"


@pytest.fixture
def paper(tmp_path, monkeypatch):
    """Return a function that judges one claim on numbers of `rkl` that a paper might print."""
    study = CONFIGURATION.study("rkl")
    study = study.model_copy(update={"published": study.published.model_copy(update={"results": ["numbers.csv"]})})

    def judge(test, rows, again=None, draws=100):
        (tmp_path / "numbers.csv").write_text(CELLS + rows)
        monkeypatch.setattr(chances, "load_claims", lambda name: [Claim("1", "here", test)])
        return chances.compute(study, {"numbers.csv": tmp_path / "numbers.csv"}, again or {}, draws)

    return judge


def mean(evidence, algorithm, metric="accuracy_percent"):
    return evidence.results.sample("wdbc", algorithm, metric).mean


def ahead(evidence):
    lead = mean(evidence, "rkl_l1") - mean(evidence, "unif")
    return Answer("undecided" if np.isnan(lead) else "holds" if lead > 0.0 else "fails", f"{lead:.2f}")


def two(lead, std):
    rows = f"1,wdbc,unif,accuracy_percent,90,{std}\n1,wdbc,rkl_l1,accuracy_percent,{90 + lead},{std}\n"
    return rows + "1,wdbc,mkl_l1,accuracy_percent,1,1\n"


def test_an_even_chance_is_found_and_a_certain_one(paper):
    assert paper(ahead, two(1e-6, 3.0))["1"].probability == pytest.approx(0.5, abs=0.15)
    assert paper(ahead, two(30.0, 3.0))["1"] == Chance("holds", "30.00", 1.0)
    assert paper(ahead, two(-30.0, 3.0))["1"] == Chance("fails", "-30.00", 0.0)


def test_a_mean_of_five_runs_deviates_as_one(paper):
    """The difference of two such means deviates by sqrt(2 / 5) std: a lead of that much is lost in 16 of 100 draws."""
    assert paper(ahead, two(3.0 * np.sqrt(0.4), 3.0), draws=500)["1"].probability == pytest.approx(0.841, abs=0.05)


def cells(unif, rkl):
    found = {"unif": unif, "rkl_l1": rkl}
    return {("wdbc", name, "accuracy_percent"): Replications(np.array(means), "") for name, means in found.items()}


def test_replications_move_all_algorithms_of_a_data_set_together(paper):
    """Partitions on which both are better by the same leave a small lead; on their own they would often not."""
    moves = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
    assert paper(ahead, two(0.5, 3.0), cells(moves, moves))["1"].probability == 1.0
    assert paper(ahead, two(0.5, 3.0), cells(moves, -moves))["1"].probability == pytest.approx(0.6, abs=0.15)
    assert paper(ahead, two(0.5, 3.0), cells(moves[:2], -moves[:2]))["1"].probability < 1.0  # too few to tell: alone


def test_runs_vary_as_their_replications_do_about_a_mean_that_is_one_of_theirs(paper):
    moves = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
    seen = []

    def look(evidence):
        values = [evidence.results.values("wdbc", name, "accuracy_percent") for name in ("unif", "rkl_l1")]
        seen.append(values)
        return Answer("holds", "")

    paper(look, two(0.0, 2.0), cells(moves, 2.0 * moves), draws=50)
    first, second = (np.array(values) for values in zip(*seen[1:], strict=True))  # the first look is at what is printed
    own, other = (values - values.mean(axis=1, keepdims=True) for values in (first, second))
    assert np.allclose(own, other)  # the printed deviations are the same
    assert {round(value) for value in first.mean(axis=1) - 90} == {-3, -1, 0, 1, 3}
    assert np.allclose(second.mean(axis=1) - 90, 2.0 * (first.mean(axis=1) - 90))
    printed = [values.std(ddof=1) for values in seen[0]]
    assert np.allclose(printed, 2.0)


def test_replications_are_read_by_cell_and_those_of_published_orders_first(tmp_path, monkeypatch):
    rows = {("wdbc", "omkc_ss", "mistake_percent", orders): orders for orders in ("published", "seeded")}
    monkeypatch.setattr(chances.replications, "read", lambda path: rows)
    assert chances.replicated(CONFIG / "config.yaml") == {("wdbc", "omkc_ss", "mistake_percent"): "published"}
    assert chances.replicated(tmp_path / "none.csv") == {}


def test_what_an_algorithm_draws_by_itself_is_not_how_its_orders_vary(monkeypatch):
    """OMKC's replications are of the same orders: they would make a claim more certain than the paper's runs do."""
    study, files = given("omkc")
    only = [claim for claim in claims.load_claims("omkc") if claim.id == "2b"]
    constant = {
        (name, algorithm, "mistake_percent"): Replications(np.array([5.0, 5.0, 5.0, 5.1]), "")
        for name in study.datasets
        for algorithm in ("om2", "omkc_dd", "omkc_ds", "omkc_sd", "omkc_ss")
    }
    monkeypatch.setattr(chances, "load_claims", lambda name: only)
    found = chances.compute(study, files, constant, 20)
    assert found == chances.compute(study, files, {}, 20) and 0.0 < found["2b"].probability < 1.0


def test_what_has_no_known_deviation_has_no_probability(paper):
    def few(evidence):
        count = mean(evidence, "rkl_l1", "kernels_selected")
        return Answer("undecided" if np.isnan(count) else "holds", f"{count:g}")

    rows = "1,wdbc,rkl_l1,kernels_selected,6.2,\n"
    found = paper(few, rows)["1"]
    assert found[:2] == ("holds", "6.2") and np.isnan(found.probability)
    again = {("wdbc", "rkl_l1", "kernels_selected"): Replications(np.array([5.0, 6.0, 7.0]), "")}
    assert paper(few, rows, again)["1"].probability == 1.0


def test_what_is_not_printed_is_not_decided(paper):
    assert paper(ahead, "1,wdbc,unif,accuracy_percent,90,1\n") == {}


def test_numbers_of_all_data_sets_together_stand_for_each_and_seconds_for_work(paper):
    seen = []

    def look(evidence):
        seen.append(evidence.results.means(["rkl_l1", "unif"], "operations"))
        return Answer("holds", "")

    paper(look, "2,all,rkl_l1,seconds,12,1\n2,all,unif,seconds,5,\n", draws=2)
    assert (seen[0] == [12.0, 5.0]).all(axis=None)
    for drawn in seen[1:]:
        assert drawn["rkl_l1"].nunique() == 1 and drawn["rkl_l1"].iloc[0] not in (12.0,)
    assert seen[1]["rkl_l1"].iloc[0] != seen[2]["rkl_l1"].iloc[0]


def test_a_contradicted_claim_says_so_and_what_ours_says_stays():
    nothing = planted.evidence(CONFIGURATION.study("ca_eleven"))
    without = claims.table("ca_eleven", nothing).iloc[0]
    assert without["verdict"] == "undecided" and np.isnan(without["probability"])
    for chance, verdict in ((Chance("fails", "CA-nD 3", 0.2), "contradicted"), (Chance("holds", "", 0.8), "undecided")):
        row = claims.table("ca_eleven", nothing, {"3c": chance}).iloc[0]
        assert (row["verdict"], row["probability"]) == (verdict, chance.probability)
        said = f"printed: CA-nD 3. Ours (undecided): {without['evidence']}"
        assert row["evidence"] == (said if verdict == "contradicted" else without["evidence"])


def test_a_table_that_is_none_is_refused_in_one_line(tmp_path):
    (tmp_path / "claims.csv").write_text("study,claim\nomkc,1a\n")
    with pytest.raises(DataError, match=r"claims.csv: expected a file of grambench"):
        read_chances(tmp_path / "claims.csv", "omkc")


def test_the_shipped_table_is_read_by_study():
    found = read_chances(CONFIG / "replications/claims.csv", "omkc")
    assert found["18a"].verdict == "fails" and found["1a"].probability > 0.5
    assert read_chances(CONFIG / "replications/claims.csv", "leaderboard") == {}
