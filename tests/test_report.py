"""The report from tables to pages, on the small study: what the pages say, and that they need nothing else."""

import html
import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import made_report
import pandas as pd
import presentation
import pytest

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.pipeline.steps import report
from grambench.report import charts, figures, notes, page, profiles, tables
from grambench.report import site as site_module
from grambench.results import reproduction
from grambench.results.study import Results

EVERY = [
    "index.html",
    "pages/study-omkc.html",
    "pages/algorithm-omkc_dd.html",
    "pages/dataset-wdbc.html",
    "pages/notes.html",
    "report.html",
]
LARGEST_PAGE, LARGEST_OVERVIEW = 2_000_000, 100_000  # bytes


class Page(HTMLParser):
    """Collects the tags, the visible text, and the addresses that a page names."""

    VOID = frozenset({"meta", "link", "br", "img", "input", "hr"})

    def __init__(self, text):
        super().__init__()
        self.tags, self.stack, self.addresses, self.words = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag not in self.VOID:
            self.stack.append(tag)
        self.addresses += [attributes[name] for name in ("src", "href", "srcset", "action") if name in attributes]

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack[-1:] not in (["script"], ["style"]):
            self.words.append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def read(path):
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def study(site):
    return read(site / "pages/study-omkc.html")


def test_there_is_a_page_for_everything_and_one_file_with_all(site):
    names = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    algorithms = {f"pages/algorithm-{name}.html" for name in presentation.ALGORITHMS}
    datasets = {f"pages/dataset-{name}.html" for name in ("wdbc", "sonar", "splice")}
    assert {*EVERY, *algorithms, *datasets, "pages/report.js", "pages/uPlot.js"} <= names
    assert {"files/omkc/tables/table3.tex", "files/omkc/figures/figure1.svg", "files/omkc/reproduction.csv"} <= names
    pages = {name for name in names if name.endswith(".html") and name != "report.html"}
    whole = [each["id"] for each in read(site / "report.html").named("article")]
    assert set(whole) == {Path(name).stem.replace("index", "overview") for name in pages}


@pytest.mark.parametrize("name", EVERY)
def test_pages_are_well_formed_and_semantic(site, name):
    found = read(site / name)
    assert found.stack == []
    assert found.named("html")[0]["lang"] == "en"
    assert all("scope" in attributes for attributes in found.named("th"))
    assert all(attributes["alt"] for attributes in found.named("img"))
    assert len(found.ids) == len(set(found.ids))
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


def test_the_overview_says_what_was_run_and_what_does_not_come_out(site):
    text = read(site / "index.html").text
    for expected in (
        "A part of the studies, not the full run",
        "3 of 4 data sets, 3 of 3 configurations of 1 study ;",
        "16 seconds of runs",  # 11 cells of 1.5 s
        "3 failed",
        "OMKC(S,S): mistakes (%) on wdbc 5.20 ± 1.29, published 15.00 ± 1.30.",
        "Claim 1b is contradicted by the paper's own numbers",
        "stopped after 5 s <limit>",  # escaped in the source, literal here
        "Data set splice is unavailable",
        "some blas",
        "abc123",
    ):
        assert expected in text, expected


def test_what_is_not_part_of_a_run_is_no_number_that_is_missing(site, study):
    counts = re.findall(r'<span class="where">([^<]*judged[^<]*)</span>', (site / "index.html").read_text())
    assert counts == ["3 judged, 2 more without a result"]  # w5a is in no count
    assert "w5a" not in [each.get("data-k", "").split("|")[0] for each in study.named("td")]
    assert "Not part of this run: w5a." in study.text


def test_sentences_lead_to_their_place_and_to_its_explanation(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    (place, why) = re.search(r'<li><a href="([^"]+)">OMKC\(S,S\).*?href="([^"]+)"', text).groups()
    assert place == "pages/study-omkc.html#study-omkc-different-omkc_ss-mistake_percent"
    assert why.startswith("pages/notes.html#note-omkc-numbers-that-differ-")
    explained = (site / "pages/notes.html").read_text(encoding="utf-8")
    assert re.search(rf'id="{why.partition("#")[2]}">.*?wdbc, mistakes.*?the reason is', explained, re.S)


def test_a_study_page_shows_numbers_failures_and_sources(study):
    for expected in (
        "A part of the study: 3 of 4 data sets.",
        "5.00 ± 1.29",
        "(5.50 ± 1.30)",
        "stopped after 5 s <limit>",
        presentation.REASON,
        "A <small> study",
        "Rates. Lines are means of n = 4 runs, bands one standard deviation to either side. No data: splice.",
        "a.csv",
        "4 of 4 runs; at most",
        "Stopped before they had converged: 1 of 8 fits that report it. OMKC(S,S) 1 of 4.",
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
    results, prepared = presentation.results(), presentation.prepared()
    compared = reproduction.table(results, prepared, presentation.published(tmp_path), shipped)
    cells = page.view(made_report_of(presentation.study(), results, compared))["cells"]
    known = cells["wdbc|omkc_dd|mistake_percent"]
    assert (known["mean"], known["replicated"], known["published"]) == (5.0, 5.1, "5.50 ± 1.30")
    assert known["difference"] == -0.4
    assert (known["replications"], known["rank_p_value"]) == (10, 0.1818)
    assert not {"replicated", "rank_p_value", "replications"} & set(cells["wdbc|omkc_ss|mistake_percent"])


def test_the_headline_counts_results_of_algorithms_alone(site, study):
    """Sizes, dimensions and best kernels are published too, but are nothing that an algorithm achieves."""
    compared = pd.read_csv(site / "files/omkc/reproduction.csv")
    assert {"n", "d", "best_kernel"} <= set(compared["metric"])
    assert re.findall(r'<span class="where">([^<]*judged[^<]*)</span>', (site / "index.html").read_text()) == [
        "3 judged, 2 more without a result"
    ]
    text = (site / "pages/study-omkc.html").read_text(encoding="utf-8")
    tiles = re.search(r'<ul class="tiles">(.*?)</ul>', text, re.S)[1]
    shown = dict(re.findall(r'<li class="c-(\S+)"[^>]*><b>(\d+)', tiles))
    assert shown == {"exact": "1", "compatible": "1", "different": "1", "speed-up": "2", "unavailable": "2"}


def test_a_count_of_seconds_is_no_factor(site):
    """ "13 × speed-up" was a count of thirteen cells."""
    text = (site / "pages/study-omkc.html").read_text(encoding="utf-8")
    assert not re.search(r"\d</b> <span><span[^>]*>×", text) and not re.search(r"×</span> \d", text)
    assert "× speed-up" not in read(site / "pages/study-omkc.html").text


def test_a_cell_tells_where_higher_is_better(site):
    assert "data-high" not in (site / "pages/study-omkc.html").read_text(encoding="utf-8")  # of mistakes and vectors
    runs = presentation.runs().replace({"metric": {"mistake_percent": "accuracy_percent"}})
    table = presentation.study().tables["table3"].model_copy(update={"metrics": ["accuracy_percent", "seconds"]})
    whole = presentation.study().model_copy(update={"published": None, "figures": {}, "tables": {"table3": table}})
    results = Results(whole, runs, presentation.cells())
    text = made_site(whole, results)["pages/study-omkc.html"].decode()
    marked = re.findall(r'data-k="wdbc\|\w+\|(\w+)"( data-high)?', text)
    assert set(marked) == {("accuracy_percent", " data-high"), ("seconds", "")}


def test_an_algorithm_has_its_paper_ranks_parameters_and_runs(site):
    text = read(site / "pages/algorithm-omkc_dd.html").text
    assert "Deterministic updating, deterministic combination (Hoi et al. 2013, Algorithm 1)." in text
    assert "A <small> study OMKC(D,D) 1.0 1 of 3 1 Mistakes (%)" in text
    assert "beta 0.8 Factor of a kernel's weight" in text
    assert "OMKC(D,D) omkc Mistakes (%) 5.00 ± 1.29 5.50 ± 1.30 ~ compatible 1 of 3 4 HDF5" in text
    assert "timeout timeout: stopped after 5 s <limit>" in text


def test_a_data_set_has_its_description_and_what_ran_on_it(site):
    text = read(site / "pages/dataset-wdbc.html").text
    assert "Breast <cancer>" in text and "https://example.org/wdbc" in text and "38 % positive" in text
    assert "Perceptron omkc Mistakes (%) 10.00 ± 1.29 10.00 ± 1.29 = exact 3 of 3" in text
    assert presentation.REASON in read(site / "pages/dataset-splice.html").text


def made_report_of(whole, results, compared):
    """Return what the report shows of a study with one table and no figures."""
    comparison = tables.comparison(compared)
    grid = tables.build(results, presentation.prepared(), comparison, whole.tables["table3"])
    return page.StudyReport(
        results=results,
        whole=whole,
        earlier="",
        prepared=presentation.prepared(),
        reproduction=compared,
        claims=pd.DataFrame(columns=["claim", "verdict", "probability"]),
        comparison=comparison,
        tables={"table3": grid},
        figures=[],
        files={},
        provenance=[],
        newest=datetime(2027, 1, 1, tzinfo=UTC),
    )


def made_site(whole, results):
    own = made_report_of(whole, results, reproduction.table(results, {}, {}))
    return site_module.write(site_module.Report(studies=[own], title="", descriptions={}, notes=None))


def test_a_study_of_ones_own_speaks_of_no_published_numbers():
    whole = presentation.study().model_copy(
        update={"name": "mine", "title": "My own", "published": None, "figures": {}}
    )
    made = made_site(whole, Results(whole, presentation.runs(), presentation.cells()))
    first, shown = (Page(made[name].decode()).text for name in ("index.html", "pages/study-mine.html"))
    assert "Full run" in first and "none to compare with" in first
    assert not re.search(r"\b0 ?(/|of) ?0\b", first + shown)
    assert "claims" not in shown.lower() and "differ" not in shown.lower()
    assert not re.search("published(?! value| permutations)", shown)
    assert "pages/notes.html" not in made


def test_pages_of_what_is_not_asked_for_any_more_are_gone(site, monkeypatch):
    monkeypatch.chdir(site.parents[1])
    stray = site / "pages" / "study-old.html"
    stray.write_text("old", encoding="utf-8")
    given = [str(path) for path in Path("results").rglob("*") if path.is_file() and "report" not in path.parts]
    report.main([made_report.report_spec(), layout.REPORT, *given, str(made_report.NOTES_FILE)])
    assert not stray.exists() and (site / "pages" / "study-omkc.html").exists()


def test_claims_stand_beside_what_their_papers_own_numbers_say(site):
    text = (site / "pages/study-omkc.html").read_text(encoding="utf-8")
    rows = dict(re.findall(r'<tr id="study-omkc-claim-(\w+)"[^>]*>(.*?)</tr>', html.unescape(text), re.S))
    assert "1 contradicted by the paper’s own numbers" in text
    assert '<span class="badge c-contradicted"><span aria-hidden="true">⊥</span> contradicted</span>' in rows["1b"]
    assert "printed: Perceptron(*) is best or tied on 2 of 15" in rows["1b"] and "Ours (undecided)" in rows["1b"]
    assert '<span class="unseen">again in </span>93 %' in rows["2a"]
    assert "again in" not in rows["12a"]  # the sweep is a figure


def test_cells_carry_their_verdict_in_a_sign_and_not_only_in_colour(site):
    text = (site / "pages/study-omkc.html").read_text(encoding="utf-8")
    found = re.findall(
        r'<td class="v-(exact|confirmed|compatible|different)[^"]*"[^>]*>.*?</td>', text, flags=re.DOTALL
    )
    signs = re.findall(r'<abbr class="sign" title="(\w+)">', text)
    assert found and found == signs


def test_bars_count_every_published_number():
    verdicts = ["exact", "exact", "different", "unavailable"]
    table = pd.DataFrame({"metric": "mistake_percent", "verdict": verdicts})
    assert page.bars(table) == [
        {
            "label": "Mistakes (%)",
            "total": 4,
            "parts": [("exact", 2, 50.0), ("different", 1, 25.0), ("unavailable", 1, 25.0)],
        }
    ]


def test_fits_that_did_not_converge_are_counted():
    def results(told):
        rows = [(f"entry {number}", "converged", value) for number, values in enumerate(told) for value in values]
        runs = pd.DataFrame([*rows, ("entry 0", "gap", 0.0)], columns=["algorithm", "metric", "result"])
        return Results(presentation.study(), runs, presentation.cells())

    unknown = float("nan")
    assert page.convergence(results([[1.0, 1.0], [unknown]])) == {"all": 2, "missed": 0, "worst": [], "others": 0}
    assert page.convergence(results([[unknown]])) == {"all": 0, "missed": 0, "worst": [], "others": 0}
    found = page.convergence(results([[0.0, 1.0, unknown], [1.0], [0.0, 0.0, 1.0], *[[0.0]] * 5]))
    assert found["all"] == 11 and found["missed"] == 8 and found["others"] == 2
    assert found["worst"][:2] == [("entry 2", 2, 3), ("entry 0", 1, 2)]
    assert len(found["worst"]) == 5


def test_facts_tell_machines_apart():
    provenance = made_report.PROVENANCE
    facts = dict(page.facts([provenance, provenance, provenance | {"cores": 64}, {}]))
    assert facts["Cores"] == "2 (2 records); 64 (1 records)"
    assert facts["Revision"] == "abc123"


def test_a_forgotten_input_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"results/omkc/runs\.parquet is not among the inputs"):
        report.main([made_report.report_spec(), layout.REPORT])


def test_a_chart_has_the_numbers_of_its_figure(tmp_path):
    compared = reproduction.table(presentation.results(), presentation.prepared(), presentation.published(tmp_path))
    given = presentation.results(), presentation.curves(), compared
    found = {
        name: charts.numbers(chart)
        for name, figure in presentation.study().figures.items()
        if (chart := figures.chart(*given, figure))
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


def test_captions_say_on_how_many_runs_a_figure_rests():
    plan = presentation.study().figures
    assert figures.describe_runs(presentation.results(), plan["figure1"]).startswith(
        "Lines are means of n = 4 runs, bands one"
    )
    assert figures.describe_runs(presentation.results(), plan["figure2"]) == ""  # there is nothing to see
    assert figures.describe_runs(presentation.results(), plan["quantiles"]) == ""


def test_an_explanation_is_found_by_what_is_bold_in_it():
    found = notes.read([made_report.NOTES])
    chapter = found.chapter("omkc")
    blocks = {block.id: block.text for section in chapter for block in section.blocks}
    assert blocks[found.place(chapter, "differ", ["OMKC(S,S)"], ["wdbc"])].startswith("wdbc, mistakes")
    assert blocks[found.place(chapter, "claim", ["1b"])].startswith("1b (among the best)")
    headings = {section.id: section.title for section in chapter}
    assert headings[found.place(chapter, "claim", ["9"])] == "Claims that fail"
    assert "Verdicts" in found.html and "verdicts.md" not in found.html  # the report has no such page
    assert '<li><a href="#note-omkc-somebody-et-al">OMKC (Somebody et al.)</a></li>' in found.html
    assert found.chapter("nobody") == [] and found.place([], "claim", ["1b"]) == ""


def test_every_paper_of_the_shipped_notes_has_its_chapter():
    found = notes.read([path.read_text("utf-8") for path in sorted((presentation.ROOT / layout.NOTES).glob("*.md"))])
    studies = (presentation.ROOT / "config" / "studies").glob("*.yaml")
    names = {path.stem for path in studies if "\npublished:" in path.read_text(encoding="utf-8")}
    assert len(names) > 5
    without = [name for name in names if not found.chapter(name, name.partition("_")[0])]
    assert without == []
    chapter = found.chapter("omkc")
    blocks = {block.id: block.text for section in chapter for block in section.blocks}
    place = found.place(chapter, "differ", ["OM-2"], ["w5a"], ["support vectors"])
    assert blocks[place].startswith("w5a, support vectors of OM-2")


def test_docstrings_become_paragraphs_and_formulas():
    assert profiles.paragraphs("One\ntwo.\n\n    x = y\n      + z\n\nThree.") == [
        ("p", "One two."),
        ("pre", "x = y\n  + z"),
        ("p", "Three."),
    ]
