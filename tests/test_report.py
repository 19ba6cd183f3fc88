"""The report from tables to pages, on the small study: what the pages say, and that they need nothing else."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import leaderboard
import made_report
import numpy as np
import pandas as pd
import planted
import presentation
import pytest
from made_report import Page, pages_of, report_of

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.config import load
from grambench.config.study import Study
from grambench.pipeline.job import Job
from grambench.pipeline.steps import report
from grambench.report import answer, charts, figures, notes, overview, profiles, renderings, study_page
from grambench.report.cells import ABSENT, NO_RESULT, Block, Row, TableCell, TableContent
from grambench.report.figure_kind import FigureData
from grambench.report.record import describe
from grambench.results import reproduction
from grambench.results.characteristics import Characteristics
from grambench.results.study import Results

EVERY = [
    "index.html",
    "pages/study-omkc.html",
    "pages/algorithm-omkc_dd.html",
    "pages/dataset-wdbc.html",
    "pages/notes.html",
    "pages/record-omkc-wdbc-omkc_dd.html",
    "pages/record-omkc-wdbc-omkc_dd-beta.html",
    "pages/record-omkc-sonar-omkc_dd.html",
    "report.html",
]
LARGEST_PAGE, LARGEST_OVERVIEW = 2_000_000, 100_000  # bytes


def read(path):
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def study(site):
    return read(site / "pages/study-omkc.html")


def test_there_is_a_page_for_everything_and_one_file_with_all(site):
    names = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    algorithms = {f"pages/algorithm-{name}.html" for name in presentation.ALGORITHMS}
    datasets = {f"pages/dataset-{name}.html" for name in ("wdbc", "sonar", "splice")}
    assert {*EVERY, *algorithms, *datasets, "pages/tables.js", "pages/uPlot.js"} <= names
    assert {"files/omkc/tables/table3.tex", "files/omkc/figures/figure1.svg", "files/omkc/reproduction.csv"} <= names
    pages = {name for name in names if name.endswith(".html") and name != "report.html"}
    whole = [each["id"] for each in read(site / "report.html").named("article")]
    in_folder = {Path(name).stem.replace("index", "overview") for name in pages}
    assert set(whole) == {name for name in in_folder if not name.startswith("record-")}
    runs = [path.relative_to(site.parent / "runs") for path in (site.parent / "runs").rglob("*.h5")]
    assert in_folder - set(whole) == {"-".join(["record", *path.with_suffix("").parts]) for path in runs}


@pytest.mark.parametrize("name", EVERY)
def test_pages_are_well_formed_and_semantic(site, name):
    found = read(site / name)
    assert found.stack == []
    assert found.named("html")[0]["lang"] == "en"
    assert all("scope" in attributes for attributes in found.named("th"))
    assert all(attributes["alt"] for attributes in found.named("img"))
    assert len(found.ids) == len(set(found.ids))
    assert not re.search(r"</figcaption>\s*<(?!/figure)", (site / name).read_text(encoding="utf-8"))
    assert found.tags[[tag for tag, _ in found.tags].index("body") + 1][1]["class"] == "skip"
    scrolling = [attributes for _, attributes in found.tags if "scroll" in attributes.get("class", "").split()]
    assert all(each["tabindex"] == "0" and each["aria-label"] for each in scrolling)


@pytest.mark.parametrize("name", EVERY)
def test_every_link_leads_somewhere_inside(site, name):
    for address in read(site / name).addresses:
        parts = urlsplit(address)
        if parts.scheme == "data":
            continue
        assert not parts.scheme and not parts.netloc, address
        target = (site / name).parent / unquote(parts.path) if parts.path else site / name
        assert target.resolve().is_relative_to(site.parent.resolve()), address  # records lie beside the report's folder
        assert target.exists(), address
        if parts.fragment:
            assert unquote(parts.fragment) in read(target).ids, address


def test_a_study_links_to_its_paper(site):
    assert read(site / "pages/study-omkc.html").outside == [presentation.SETTINGS["url"]]
    assert "doi:10.1000/182" in read(site / "pages/study-omkc.html").text
    assert read(site / "index.html").outside == []


def test_the_one_file_needs_no_other(site):
    found = read(site / "report.html")
    assert all(address.startswith(("#", "data:")) for address in found.addresses)
    for style in re.findall(r"<style>.*?</style>", (site / "report.html").read_text(encoding="utf-8"), re.S):
        assert "url(" not in style and "@import" not in style


def test_pages_are_small(site):
    own = re.findall(r'src="(\.\./files/[^"]+)"', (site / "pages/study-omkc.html").read_text(encoding="utf-8"))
    assets = [path for path in (site / "pages").iterdir() if path.suffix in (".js", ".css")]
    pictures = [site / "pages" / address for address in own]
    assert sum(path.stat().st_size for path in [site / "pages/study-omkc.html", *assets, *pictures]) < LARGEST_PAGE
    assert (site / "index.html").stat().st_size < LARGEST_OVERVIEW


def bars(path):
    """Return what each bar of verdicts on a page shows, in words."""
    text = path.read_text(encoding="utf-8")
    return re.findall(r'<span class="bar" role="img" aria-label="([^"]*)">', text)


def test_the_overview_says_what_was_run_and_which_results_differ(site):
    text = read(site / "index.html").text
    for expected in (
        "Results",
        "3 of 4 data sets, 3 of 3 algorithms, 1 study, 11 runs, 3 failed.",
        "Computing time: 16 s",  # 11 cells of 1.5 s
        "A coin wins. This run: 2 of 3 published numbers show no significant difference, 1 of them exact",
        "OMKC(S,S): mistakes (%) on wdbc 5.20 ± 1.29, published 15.00 ± 1.30.",
        "stopped after 5 s <limit>",  # escaped in the source, literal here
        "Data set splice is unavailable",
        "some blas",
        "abc123",
    ):
        assert expected in text, expected
    # these runs leave 14b open, and two others that the paper contradicts
    assert "Claim 14b" not in text and "4 of 6 decided claims hold" in text


@pytest.mark.parametrize(("ours", "decided"), [("holds", True), ("undecided", False)])
def test_a_claim_that_its_paper_contradicts_differs_if_these_runs_decide_it(ours, decided):
    evidence = f"printed: on 1 of 2. Ours ({ours}): on 2 of 2"
    claim = {"claim": "1", "statement": "On most.", "verdict": "contradicted", "evidence": evidence}
    of_study = report_of(presentation.results(), all_claims=pd.DataFrame([claim]))
    assert any("Claim 1 is" in each.text for each in overview.sentences(of_study, None)) == decided
    assert study_page.claim_counts(of_study.claims)["decided"] == decided


def test_the_overview_explains_the_verdicts_that_occur_and_no_other(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    key = page[page.index('<ul class="key"') :].partition("</ul>")[0]
    assert re.findall(r"</span> ([a-z ]+)</li>", key) == ["exact", "compatible", "different", "without result"]
    legend = page[page.index('<details class="legend">') :].partition("</details>")[0]
    assert re.findall(r"</span> ([a-z]+)</dt>", legend) == ["exact", "compatible", "different"]


def test_a_dash_is_explained_where_there_is_one():
    cells = [TableCell(text="1", status=""), TableCell(text="", status=NO_RESULT), TableCell(text="2", status="")]
    shared = {"title": "", "caption": "", "corner": "", "columns": ["a", "b"], "data": pd.DataFrame()}
    blocks = {name: [Block(rows=[Row(label="x", cells=of)])] for name, of in (("gap", cells[:2]), ("full", cells[::2]))}
    for rows in blocks.values():  # the column of a gap alone is left out
        assert study_page.without_missing(TableContent(blocks=rows, remarks=[ABSENT], **shared))[0].remarks == []
    both = [Block(rows=[Row(label="x", cells=cells[:2]), Row(label="y", cells=cells[::2])])]
    assert study_page.without_missing(TableContent(blocks=both, remarks=[ABSENT], **shared))[0].remarks == [ABSENT]
    lacking = TableContent(
        blocks=[Block(rows=[Row(label="x", cells=[replace(cells[1], orders="seeded")] * 2)])], **shared
    )
    assert study_page.without_missing(lacking) == (lacking, []), "a run that lacks the number is part of this run"


def test_latex_cuts_a_long_reason_and_no_number():
    numbers = TableCell(text="+10.0 (+7.4 to +12.6)", status="")
    cells = [numbers, TableCell(text="", status="the solver has not converged")]
    shared = {"title": "", "caption": "", "corner": "", "columns": ["a", "b"], "data": pd.DataFrame()}
    made = renderings.latex(TableContent(blocks=[Block(rows=[Row(label="x", cells=cells)])], remarks=[], **shared))
    assert "x & +10.0 (+7.4 to +12.6) & the solver has no" in made and "converged" not in made


def test_what_is_not_part_of_a_run_is_no_number_that_is_missing(site, study):
    assert "w5a" not in [each.get("data-k", "").split("|")[0] for each in study.named("td")]
    assert "Not part of this run: w5a." in study.text


def test_sentences_lead_to_their_place_and_to_its_explanation(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    (place, why) = re.search(r'<li><a href="([^"]+)">OMKC\(S,S\).*?href="([^"]+)"', text).groups()
    assert place == "pages/study-omkc.html#study-omkc-different-omkc_ss-mistake_percent"
    assert why == "pages/notes.html#note-omkc-numbers-that-differ"
    explained = (site / "pages/notes.html").read_text(encoding="utf-8")
    assert re.search(rf'id="{why.partition("#")[2]}">.*?wdbc, mistakes.*?the reason is', explained, re.S)


def test_a_study_page_shows_numbers_failures_and_sources(study):
    for expected in (
        "A coin wins. This run has 3 algorithms on 3 of 4 data sets, each with 4 published permutations.",
        "One pass over each permutation of the examples",
        "1 polynomial of degree 1; 1 Gaussian, σ = 0.5",
        "Rows used wdbc 40 of 96; 56 lack. sonar 40 of 96; 56 lack",
        "5 of 11 ok",
        "5.00 ± 1.29",
        "(5.50 ± 1.30)",
        "stopped after 5 s <limit>",
        presentation.REASON,
        "A <small> study",
        "As planted. Lines are means of n = 4 runs, bands one standard deviation to either side. No data: splice.",
        "4 of 4 runs; at most",
        "1 of 8 fits stopped before convergence: OMKC(S,S) 1 of 4.",
    ):
        assert expected in study.text, expected


def test_cells_know_mean_deviation_test_and_record(site):
    text = (site / "pages/study-omkc.html").read_text(encoding="utf-8")
    cells = json.loads(re.search(r'<script type="application/json" class="cells">(.*?)</script>', text)[1])
    known = cells["wdbc|omkc_ss|mistake_percent"]
    assert (known["mean"], known["runs"], known["verdict"]) == (5.2, 4, "different")
    assert known["std"] == pytest.approx(1.291) and known["p_value"] < 0.01 and known["low"] < known["high"] < 0
    assert known["record"] == "results/runs/omkc/wdbc/omkc_ss.h5"
    assert cells["sonar|omkc_dd|mistake_percent"]["why"] == "timeout: stopped after 5 s <limit>"
    assert 'data-k="wdbc|omkc_ss|mistake_percent"' in text


def test_a_cell_with_replications_knows_their_mean(tmp_path):
    """The difference, its interval and p are those of the replications from the published number: 5.1 less 5.5."""
    row = f"wdbc,omkc_dd,mistake_percent,published,{presentation.IDENTITY},5 5.2 5.1 4.9 5.3 5.4 4.8 5.2 5.1 5\n"
    shipped = tmp_path / "omkc.csv"
    shipped.write_text("dataset,algorithm,metric,orders,identity,means\n" + row)
    results, prepared = presentation.results(), presentation.characteristics()
    compared = reproduction.table(results, prepared, presentation.published(tmp_path), shipped)
    cells = study_page.view(report_of(results, compared, prepared))["cells"]
    known = cells["wdbc|omkc_dd|mistake_percent"]
    assert (known["mean"], known["replicated"], known["published"]) == (5.0, 5.1, "5.50 ± 1.30")
    assert known["difference"] == -0.4
    assert (known["replications"], known["rank_p_value"]) == (10, 0.1818)
    assert not {"replicated", "rank_p_value", "replications"} & set(cells["wdbc|omkc_ss|mistake_percent"])


def test_a_number_that_differs_is_listed_once_with_all_tables_that_print_it(compared):
    twice = pd.concat([compared, compared.assign(item="Table 4")])
    rows = study_page.differences(report_of(presentation.results(), twice))
    assert len(rows) == (compared["verdict"] == "different").sum() > 0
    assert {row["item"].partition(", ")[2] for row in rows} == {"Table 4"}


def test_the_headline_counts_results_of_algorithms_alone(site, study):
    """Sizes, dimensions and best kernels are published too, but are nothing that an algorithm achieves."""
    compared = pd.read_csv(site / "files/omkc/reproduction.csv")
    assert {"n", "d", "best_kernel"} <= set(compared["metric"])
    headline = "1 exact, 1 compatible, 1 different, 2 without result"  # w5a, which was not run, is in no count
    assert bars(site / "index.html") == [headline]
    by_metric = [headline, "2 speed-up", "1 speed-up", *("1 exact, 1 without result", "1 different, 1 without result")]
    assert bars(site / "pages/study-omkc.html") == [headline, *by_metric, "1 exact, 1 without result"]


def small(runs=None, **changes):
    """Return what the report shows of the small study, changed, without published numbers and figures."""
    study = presentation.STUDY.model_copy(update={"published": None, "figures": {}} | changes)
    results = Results(study, presentation.runs() if runs is None else runs, presentation.cells())
    return report_of(results, prepared=presentation.characteristics())


def test_a_cell_tells_where_higher_is_better(site):
    assert "data-high" not in (site / "pages/study-omkc.html").read_text(encoding="utf-8")  # of mistakes and vectors
    runs = presentation.runs().replace({"metric": {"mistake_percent": "accuracy_percent"}})
    table = presentation.STUDY.tables["table3"].model_copy(update={"metrics": ["accuracy_percent", "seconds"]})
    text = pages_of(small(tables={"table3": table}, runs=runs))["pages/study-omkc.html"].decode()
    marked = re.findall(r'data-k="wdbc\|\w+\|(\w+)"( data-high)?', text)
    assert set(marked) == {("accuracy_percent", " data-high"), ("seconds", "")}


def test_an_algorithm_has_its_paper_ranks_parameters_and_runs(site):
    page_ = read(site / "pages/algorithm-omkc_dd.html")
    text = page_.text
    assert "Deterministic updating, deterministic combination (Hoi et al. 2013, Algorithm 1)." in text
    assert "A <small> study OMKC(D,D) 1.0 1 of 3 1 Mistakes (%)" in text
    assert "beta 0.8 Factor of a kernel's weight" in text
    assert "OMKC(D,D) omkc Mistakes (%) 5.00 ± 1.29 5.50 ± 1.30 ~ compatible 1 of 3 4" in text
    assert "Deviations from the paper" in text
    assert {"record-omkc-wdbc-omkc_dd.html", "record-omkc-sonar-omkc_dd.html"} <= set(page_.addresses)
    assert "Studies: A <small> study" in text
    assert "timeout timeout: stopped after 5 s <limit>" in text


def test_a_data_set_has_its_description_and_what_ran_on_it(site):
    text = read(site / "pages/dataset-wdbc.html").text
    assert "Breast <cancer>" in text and "Classes 2, 38 % of the examples positive" in text
    assert (
        "Results by algorithm Results on wdbc Algorithm Study Metric Mean ± deviation Published Verdict Rank "
        "Repetitions OMKC(D,D)" in text
    )
    assert read(site / "pages/dataset-wdbc.html").outside == ["https://example.org/wdbc"]
    assert (
        "Files name: a.csv, sha256: 0000" in text
        and "Rows used 40 of 96; 56 lack" in text
        and "Content of the prepared data (SHA-256)" in text
    )
    assert "Perceptron omkc Mistakes (%) 10.00 ± 1.29 10.00 ± 1.29 = exact 3 of 3" in text
    assert presentation.REASON in read(site / "pages/dataset-splice.html").text


@pytest.mark.parametrize("name", [name for name in EVERY if name != "report.html"])
def test_every_heading_has_words_below_it(site, name):
    """What stands between a heading and the next one, or the end, has words."""
    text = (site / name).read_text(encoding="utf-8").partition("<article")[2].partition("</article")[0]
    for heading, body in zip(*[iter(re.split(r"<h2[^>]*>(.*?)</h2>", text, flags=re.S)[1:])] * 2, strict=True):
        assert re.sub(r"<[^>]*>", "", body).strip(), heading


def test_a_study_of_ones_own_speaks_of_no_published_numbers():
    made = pages_of(small(name="mine", title="My own", tables={"table3": presentation.STUDY.tables["table3"]}))
    first, shown = (Page(made[name].decode()).text for name in ("index.html", "pages/study-mine.html"))
    assert "Results 3 data sets" in first and "Perceptron" in first
    assert "first by mean rank" not in first and "is best" not in first  # on one data set
    assert "verdict" not in first.lower() and "published" not in first.replace("published permutations", "")
    assert not re.search(r"\b0 ?(/|of) ?0\b", first + shown)
    assert "claims" not in shown.lower() and "differ" not in shown.lower()
    assert not re.search("published(?! value| permutations)", shown)
    assert "pages/notes.html" not in made


def test_a_leaderboard_has_the_best_and_an_algorithm_of_ones_own_wherever_it_is():
    """The own one is the last of twelve."""
    own = {"majority": {"path": "mine.py", "title": "Mine"}}
    study = leaderboard.study(algorithms=leaderboard.SETTINGS["algorithms"] | own)
    (board,) = overview.boards([report_of(replace(leaderboard.results(), study=study), tables={})])
    rows = board["rows"]
    assert len(rows) == overview.BEST + 1 and rows[-1]["title"] == "Mine" and board["count"] == 12
    assert [row["own"] for row in rows] == [False] * overview.BEST + [True]
    assert (rows[0]["share"], rows[-1]["share"]) == (0.0, 100.0)


def rows_of_a_comparison():
    """Rows of runs of the methods that are always compared, of MAKL without weights, and of one view at a time."""
    rows, means = [], {"d1": 80.0, answer.CHANCE: 55.0}
    for number, entry in enumerate(answer.REQUIRED):
        scattered = np.roll([0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1.5, -1.5, 0.0], number)
        for metric in (answer.METRIC, answer.BALANCED):
            rows += planted.plain("mine", entry, metric, *(means.get(entry, 60.0) + scattered))
    # the best has no weight, as MAKL of norms that are 0
    rows += planted.plain("mine", "makl", "accuracy_percent", *[85.0] * 10)
    for view, weight in (("left", 0.3), ("right_arm", 0.9)):
        rows += planted.plain("mine", "d1", f"weight:{view}/mediangaussian_sigma1", *[weight] * 10)
        rows += planted.plain("mine", "makl", f"weight:{view}/mediangaussian_sigma1", *[0.0] * 10)
    for sweep, *of_views in (("alone", 52.0, 61.5), ("without", 58.0, 50.5)):
        for v, mean in enumerate(of_views, start=1):
            for metric in (answer.METRIC, answer.BALANCED):
                rows += [("mine", "uniform_svm", sweep, v, r, metric, mean) for r in range(10)]
    return rows


def test_a_comparison_leads_with_its_answer_and_the_weights_by_view():
    """The same sentences as in the terminal, on top of both pages; none where a method that is always run was not."""
    study = planted.CONFIGURATION.study("leaderboard_views").model_copy(
        update={"datasets": ["mine"], "figures": {}, "tables": {}}
    )
    rows, cells = rows_of_a_comparison(), [("mine", entry, "", "ok", "", "seeded") for entry in answer.REQUIRED]
    source = {"kind": "file", "origin": "/home/someone/mine.csv"}
    prepared = {"mine": Characteristics(name="mine", n=600, d=40, positives=270, source=source, content="")}
    results = planted.results(study, rows, cells)
    of_study = report_of(replace(results, cells=results.cells.assign(record="", wall_seconds=1.0)), prepared=prepared)
    combining, helps, on_kernels, beside, learning, weights, alone, vague, compared = of_study.answer
    assert helps.startswith("Combining kernels helps: MAKL (best of 3) 85.0 %, ")
    assert beside.startswith("MAKL beside each, in points with 95 % intervals for one comparison: Best kernel +25.0 (")
    assert learning.startswith("Among combinations, learning the weights helps: ")
    assert weights == (
        "Weights by view of lp-MKL p = 1 [d1], the most accurate of those that have them (equal ones 50 %), with "
        "deviations over the splits: "
        "right arm 75 ± 0 %, left 25 ± 0 %."
    )
    measured = r"one view alone \(and the change without it, with its 95 % interval\)"
    interval = r"\+?-?\d+\.\d to \+?-?\d+\.\d"
    tells = rf"right arm 61.5 % \(-9.5, {interval}\); left 52.0 % \(-2.0, {interval}\)\."
    of_both = (
        "Of views, whether combining them helps is undecided: Uniform SVM with all 60.0 %, with right arm alone (best "
    )
    assert combining.startswith(
        f"{of_both}of 2 views) 61.5 %; difference -1.5 points; between the truly best, a 95 % interval of "
    )
    assert not re.search(r"(-9\.5), \1 to \1", alone), "equal in all splits is not sure"
    assert re.fullmatch(rf"Weights do not say what a view tells; Uniform SVM with {measured}: {tells}", alone)
    assert (
        vague == "Alone, these are not shown to be better than always predicting one class, by balanced accuracy: left."
    )
    assert on_kernels.endswith("most methods without a combination learn from all views.")
    larger = "where always predicting the largest class of those that train has 55.0 %"
    parts = "50 % of the examples train, 25 % select, 25 % test"
    assert compared == f"Mean accuracies on 10 random splits ({parts}), {larger}; 9 of 38 configurations were compared."
    made = pages_of(of_study)
    undecided = "Of views, whether combining them helps is undecided"
    titles = {"index.html": undecided, f"pages/{of_study.page}.html": "Comparison on mine"}
    for name, title in titles.items():
        text = Page(made[name].decode()).text
        assert study.title not in text
        places = [text.index(part) for part in (title, *of_study.answer, "Kernels" if "study" in name else "Runs")]
        assert places == sorted(places)
        if name == "index.html":
            assert " 8 runs. Newest record: " in text and "of this part" not in text, (
                "what the board has more is no lack"
            )
    assert not any(b"-claims" in made[name] for name in titles), "those of the board are on many data sets"
    assert any(b">mine.csv<" in content for content in made.values()), list(made)
    assert not [name for name, content in made.items() if b"/home/someone" in content], "pages are passed on"
    assert report_of(planted.results(study, rows, cells[1:]), prepared=prepared).answer == []


def test_ranks_on_a_data_set_are_among_the_configurations_that_the_board_ranks():
    matrix = leaderboard.SETTINGS["tables"]["matrix"] | {"algorithms": ["rkl", "d1", "d2"]}
    of_study = report_of(replace(leaderboard.results(), study=leaderboard.study(tables={"matrix": matrix})))
    rows = [row for row in profiles.results_of(of_study) if row["dataset"] == "sonar"]
    assert {row["title"]: row["rank"] for row in rows if row["rank"]} == {"RKL": "1", "D2": "2", "D1": "3"}
    assert {row["of"] for row in rows} == {3} and len(rows) > 3


@pytest.mark.parametrize(("metric", "first"), [("weight", "4"), ("updates", "3")])
def test_a_record_lists_the_heaviest_kernels_first_or_those_of_the_fewest_updates(metric, first):
    cell = next(presentation.cells().itertuples())
    values = np.tile([3.0, 4.0], (1, presentation.REPEATS, 1))
    record = replace(made_report.made_record(cell), kernel_values={metric: values})
    (kernels,) = (part for part in describe(record) if part.title == "Kernels")
    assert kernels.rows[0][1] == first
    # a pass has the weights at its end
    weights = np.broadcast_to(np.array([[[0.5, 0.5], [0.25, 0.75]]]), (1, presentation.REPEATS, 2, 2))
    (kernels,) = (part for part in describe(replace(record, curves={"weights": weights})) if part.title == "Kernels")
    assert kernels.head[1] == "Weight" and kernels.rows[0][1] == ("0.75" if metric == "updates" else first)


def test_the_mean_of_a_record_is_that_of_the_repetitions_that_have_the_number():
    record = made_report.made_record(next(presentation.cells().itertuples()))
    values = np.array([[np.nan, 4.0, *[6.0] * (presentation.REPEATS - 2)]])
    (table,) = (p for p in describe(replace(record, metrics={"auc_percent": values})) if p.title == "Repetitions")
    expected = [np.mean(values[0, 1:]), np.std(values[0, 1:], ddof=1)]
    assert [float(row[1]) for row in table.foot] == pytest.approx(expected, rel=1e-5)


def test_pages_are_the_same_whatever_the_number_of_processes():
    records = {cell.record: made_report.made_record(cell) for cell in presentation.cells().itertuples()}
    study = replace(small(), records=records)
    made = pages_of(study)
    assert sum(name.startswith("pages/record-") for name in made) > 1
    assert pages_of(study, cores=2) == made


def test_studies_of_one_paper_share_a_bar_and_a_finding(tmp_path):
    studies, prepared = [], presentation.characteristics()
    for name in ("first", "second"):
        study = presentation.STUDY.model_copy(update={"name": name, "title": f"The {name}", "figures": {}})
        results = Results(study, presentation.runs(), presentation.cells())
        compared = reproduction.table(results, prepared, presentation.published(tmp_path))
        compared["difference"] *= 1 + (name == "second")
        studies.append(report_of(results, compared, prepared))
    made = pages_of(*studies)
    first = made["index.html"].decode()
    (bar,) = re.findall(r'<span class="bar" role="img" aria-label="([^"]*)">', first)
    assert bar == "2 exact, 2 compatible, 2 different, 4 without result"
    assert "4 of 6 published numbers show no significant difference, 2 of them exact." in first
    assert all(f'<a href="pages/study-{name}.html">The {name}</a>' in first for name in ("first", "second"))
    places = re.findall(r'<li><a href="pages/study-(\w+).html#[^"]*?-(missing|different|claim)', first)
    kinds = [kind for _, kind in places]
    assert kinds == sorted(kinds, key=["missing", "different", "claim"].index)
    assert [name for name, kind in places if kind == "different"] == ["second", "first"] * 2, "twice as large"


def test_a_figure_without_data_is_named_and_not_shown(site, study):
    text = (site / "pages/study-omkc.html").read_text(encoding="utf-8")
    assert 'data-name="omkc_figure1"' in text and 'data-name="omkc_figure2"' not in text
    assert "Without data in this run: Figure 2, Sharpness." in study.text
    assert text.index('-figures"') < text.index('-tables"') < text.index('-differences"') < text.index('-claims"')


@pytest.mark.parametrize(
    "path", sorted((presentation.ROOT / "config/studies").glob("*.yaml")), ids=lambda path: path.stem
)
def test_every_shipped_study_says_what_its_paper_claims(path):
    shipped = Study.model_validate(load.read(path))
    assert 5 <= len(shipped.claim.split()) <= 25 and shipped.claim.endswith(".")
    assert shipped.url or not shipped.published


def test_pages_of_what_is_not_asked_for_any_more_are_gone(site, monkeypatch):
    monkeypatch.chdir(site.parents[1])
    stray = site / "pages" / "study-old.html"
    stray.write_text("old", encoding="utf-8")
    given = [str(path) for path in Path("results").rglob("*") if path.is_file() and "report" not in path.parts]
    inputs = [*map(Path, given), made_report.NOTES_FILE]
    report.main(Job(made_report.report_spec(), output=[Path(layout.REPORT)], input=inputs))
    assert not stray.exists() and (site / "pages" / "study-omkc.html").exists()


def test_claims_stand_beside_what_their_papers_own_numbers_say(site):
    text = (site / "pages/study-omkc.html").read_text(encoding="utf-8")
    rows = dict(re.findall(r'<tr id="study-omkc-claim-(\w+)"[^>]*>(.*?)</tr>', html.unescape(text), re.S))
    assert "3 inconsistent within the paper" in text
    badge = '<span aria-hidden="true">⊥</span> inconsistent within the paper</span>'
    assert f'<span class="badge c-contradicted">{badge}' in rows["14b"]
    assert (
        "printed: OMKC(D,S) has not significantly more mistakes than OMKC(D,D) on 4 of 15" in rows["14b"]
        and "Ours (undecided)" in rows["14b"]
    )
    claims = pd.read_csv(site / "files/omkc/claims.csv")
    undecided = set(claims[claims["verdict"] == "undecided"]["claim"])
    assert undecided and not undecided & set(rows)  # a partial run hides them and counts them
    assert f"{len(undecided)} undecided ({len(undecided)} hidden: not enough runs in this run)" in text
    assert "<td>2 %</td>" in rows["14b"] and "<td></td>" in rows["12a"]  # the sweep is a figure
    assert (
        '<th scope="col">Would hold again</th>' in text
        and "open" not in re.findall("<details[^>]*claims[^>]*>", text)[0]
    )


def test_cells_carry_their_verdict_in_a_sign_and_not_only_in_colour(site):
    text = (site / "pages/study-omkc.html").read_text(encoding="utf-8")
    found = re.findall(
        r'<td class="v-(exact|confirmed|compatible|different)[^"]*"[^>]*>.*?</td>', text, flags=re.DOTALL
    )
    signs = re.findall(r'<abbr class="sign" title="(\w+)">', text)
    assert found and found == signs


def test_fits_that_did_not_converge_are_counted():
    def results(told):
        rows = [(f"entry {number}", "converged", value) for number, values in enumerate(told) for value in values]
        runs = pd.DataFrame([*rows, ("entry 0", "gap", 0.0)], columns=["algorithm", "metric", "result"])
        return Results(presentation.STUDY, runs, presentation.cells())

    unknown = float("nan")
    assert study_page.convergence(results([[1.0, 1.0], [unknown]])) == {"all": 2, "missed": 0, "worst": [], "others": 0}
    assert study_page.convergence(results([[unknown]])) == {"all": 0, "missed": 0, "worst": [], "others": 0}
    found = study_page.convergence(results([[0.0, 1.0, unknown], [1.0], [0.0, 0.0, 1.0], *[[0.0]] * 5]))
    assert found["all"] == 11 and found["missed"] == 8 and found["others"] == 2
    assert found["worst"][:2] == [("entry 2", 2, 3), ("entry 0", 1, 2)]
    assert len(found["worst"]) == 5


def test_facts_tell_machines_apart():
    provenance = made_report.PROVENANCE
    facts = dict(study_page.facts([provenance, provenance, provenance | {"cores": 64}, {}]))
    assert facts["Cores"] == "2 (records: 2); 64 (records: 1)"
    assert facts["Revision"] == "abc123"


def test_a_forgotten_input_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"results/omkc/runs\.parquet is not among the inputs"):
        report.main(Job(made_report.report_spec(), output=[Path(layout.REPORT)]))


def test_a_chart_has_the_numbers_of_its_figure(compared):
    data = FigureData(presentation.results(), presentation.curves(), compared)
    found = {
        name: charts.numbers(chart)
        for name, figure in presentation.STUDY.figures.items()
        if (chart := figures.chart(data, figure))
    }
    (panel,) = found["figure1"]["panels"]  # splice has no data
    assert [found["figure1"]["series"][line["of"]]["title"] for line in panel["lines"]] == [
        "Perceptron",
        "OMKC(D,D)",
        "OMKC(S,S)",
    ]
    assert panel["lines"][0]["x"] == [10.0, 20.0, 30.0, 40.0] and panel["lines"][0]["mean"] == [6.5, 4.0, 3.1667, 2.75]
    assert found["figure2"]["panels"] == [] and not found["figure4"]["x"]["log"]
    points = [name for line in found["agreement"]["panels"][0]["lines"] for name in line["names"]]
    assert sorted(points) == ["wdbc OMKC(D,D)", "wdbc OMKC(S,S)", "wdbc Perceptron"]
    json.dumps(found, allow_nan=False)


def test_a_caption_says_nothing_of_runs_where_there_are_none():
    for name in ("figure2", "quantiles"):
        assert figures.describe_runs(presentation.results(), presentation.STUDY.figures[name]) == ""


def test_an_explanation_is_the_section_of_its_paper():
    found = notes.read([made_report.NOTES])
    chapter = found.chapter("omkc")
    titles = {section.id: section.title for section in chapter}
    assert titles[notes.place(chapter, "differ")] == "Numbers that differ"
    assert titles[notes.place(chapter, "claim")] == "Claims that fail"
    assert titles[notes.place(chapter, "nothing of it")] == "OMKC (Somebody et al.)"
    assert "Verdicts" in found.html and "verdicts.md" not in found.html  # the report has no such page
    assert '<li><a href="#note-omkc-somebody-et-al">OMKC (Somebody et al.)</a></li>' in found.html
    assert found.chapter("nobody") == [] and notes.place([], "claim") == ""


def test_every_paper_of_the_shipped_notes_has_its_chapter():
    found = notes.read([path.read_text("utf-8") for path in sorted((presentation.ROOT / layout.NOTES).glob("*.md"))])
    studies = (presentation.ROOT / "config" / "studies").glob("*.yaml")
    names = {path.stem for path in studies if "\npublished:" in path.read_text(encoding="utf-8")}
    assert len(names) > 5
    without = [name for name in names if not found.chapter(name, name.partition("_")[0])]
    assert without == []
    regions = re.findall(r'role="region" aria-label="([^"]+)"', found.html)
    assert len({*regions}) == len(regions) == found.html.count("<table") > 5


def test_an_algorithm_s_docstring_has_sections(tmp_path):
    path = tmp_path / "mine.py"
    formula = "Formula\n-------\n    x = y\n      + z\n\n"
    text = f"Name: what.\n\nAn\nidea.\n\n{formula}Deviations\n----------\nNone of note.\n"
    path.write_text(f'"""{text}"""\n', encoding="utf-8")
    assert profiles.sections(str(path)) == {
        "Idea": [("p", "An idea.")],
        "Formula": [("pre", "x = y\n  + z")],
        "Deviations from the paper": [("p", "None of note.")],
    }


def test_a_record_has_a_row_for_each_repetition_and_all_that_it_was_made_from(site):
    text = read(site / "pages/record-omkc-wdbc-omkc_dd.html").text
    assert (
        "OMKC(D,D) on wdbc Record of one run: A <small> study , data set wdbc , algorithm OMKC(D,D) . Status: ok."
        in text
    )
    head = "Repetition Mistakes (%) Support vectors Converged Time (s)"
    assert f"{head} 0 3.5 35 1 0.02 1 4.5 45 1 0.02 2 5.5 55 1 0.02 3 6.5 65 1 0.02" in text
    assert "Mean 5 50 1 0.02 Standard deviation 1.29099 12.9099 0 0" in text
    assert "Table 3 Mistakes (%) 5.50 ± 1.30 5.00 ± 1.29 ~ compatible" in text
    assert "linear 3 Gaussian, σ = 0.5 4" in text
    assert "seed 7 root of all random numbers permutations or splits published published with the data" in text
    assert "beta 0.8 Factor of a kernel's weight" in text
    assert "kernels linear; Gaussian, σ = 0.5 base kernels: 2" in text
    assert "abc, def" in text
    assert "Revision abc123" in text and "python 3.x" in text
    assert "grambench show omkc/wdbc/omkc_dd" in text and "grambench rerun omkc/wdbc/omkc_dd" in text


def test_the_record_of_a_sweep_has_a_row_for_each_value(site):
    text = read(site / "pages/record-omkc-wdbc-omkc_dd-beta.html").text
    assert "OMKC(D,D) on wdbc, sweep beta" in text
    assert "beta Mistakes (%) deviation 0.5 4.5 1.29099 0.8 4.2 1.29099" in text
    assert "beta varied by the sweep" in text and "grambench rerun omkc/wdbc/omkc_dd/beta" in text


def test_the_record_of_a_failed_run_has_its_reason_and_traceback(site):
    page_ = read(site / "pages/record-omkc-sonar-omkc_dd.html")
    assert "No result: timeout. stopped after 5 s <limit> Traceback: <the end of it>" in page_.text
    assert not [each for each in page_.ids if each.endswith(("-repetitions", "-kernels", "-versions-"))]
    assert "record-omkc-sonar-omkc_dd.html" in read(site / "pages/study-omkc.html").addresses


def test_every_cell_of_a_run_leads_to_its_record(site, study):
    cells = {each["data-k"] for each in study.named("td") if "data-k" in each}
    runs = {tuple(key.split("|")[:2]) for key in cells}
    assert len(runs) == 9
    assert {f"record-omkc-{dataset}-{algorithm}.html" for dataset, algorithm in runs} <= set(study.addresses)
    whole = read(site / "report.html")  # which may be mailed: the numbers stand alone
    assert not [address for address in whole.addresses if "record-" in address]
    assert "leaves out the pages of single records" in whole.text and "leaves out" not in study.text
