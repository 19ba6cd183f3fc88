"""The whole chain from tables to page on the small study, and the page in a real browser without a network."""

import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import presentation
import pytest

from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import sealed
from grambench.datasets import store
from grambench.pipeline import fingerprint
from grambench.pipeline.steps import claims, figures, report, reproduce, tables
from grambench.report import page
from grambench.results import records
from grambench.results.study import Results

SPEC = fingerprint.spec(presentation.study().model_dump(mode="json"))
NAMES = {"study": "omkc"}
PROVENANCE = {"versions": {"python": "3.x"}, "blas": "some blas", "revision": "abc123", "threads": {}, "cores": 2}
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--enable-logging=stderr",
    "--v=0",
]
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND"  # the browser's own calls home lead nowhere either
BROWSER_ITSELF = "not an origin"


def write_inputs(root):
    """Write what `collect` and `prepare` would have left, and return the paths of the published files."""
    for table, pattern in ((presentation.runs(), layout.RUNS), (presentation.curves(), layout.CURVES)):
        with sealed(Path(pattern.format(**NAMES))) as path:
            table.to_parquet(path)
    with sealed(Path(layout.CELLS.format(**NAMES))) as path:
        presentation.cells().to_csv(path, index=False)
    for name, dataset in presentation.prepared().items():
        store.write(Path(layout.PREPARED.format(dataset=name)), dataset)
    for cell in presentation.cells().itertuples():
        provenance = PROVENANCE if cell.status == "ok" else {}
        record = records.Record(
            study="omkc", dataset=cell.dataset, algorithm=cell.algorithm, status=cell.status, provenance=provenance
        )
        records.write(Path(cell.record), record)
    return list(map(str, presentation.published(root / "published").values()))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Run all steps in a new folder; return the page and the list of its inputs."""
    root = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        published = write_inputs(root)
        runs, curves, cells, reproduction = (
            pattern.format(**NAMES) for pattern in (layout.RUNS, layout.CURVES, layout.CELLS, layout.REPRODUCTION)
        )
        prepared = [layout.PREPARED.format(dataset=name) for name in presentation.prepared()]
        reproduce.main([SPEC, reproduction, runs, cells, "--published", *published, "--prepared", *prepared])
        claims.main([SPEC, layout.CLAIMS.format(**NAMES), runs, cells, curves, str(presentation.ROOT / layout.CHANCES)])
        for table in presentation.SETTINGS["tables"]:
            outputs = [layout.TABLE.format(**NAMES, table=table, suffix=suffix) for suffix in ("csv", "md", "tex")]
            tables.main([SPEC, *outputs, runs, cells, reproduction, *prepared])
        for figure in presentation.SETTINGS["figures"]:
            outputs = [layout.FIGURE.format(**NAMES, figure=figure, suffix=suffix) for suffix in ("svg", "png")]
            figures.main([SPEC, *outputs, runs, cells, curves, reproduction])
        inputs = [str(path) for path in Path("results").rglob("*") if path.is_file()]
        report.main([f'{{"omkc":{SPEC}}}', layout.REPORT, *inputs])
    return root / layout.REPORT


class Page(HTMLParser):
    """Collects the tags, the visible text, and the addresses that a browser would follow by itself."""

    VOID = frozenset({"meta", "link", "br", "img", "input"})

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
        self.words.append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def parsed(site):
    return Page(site.read_text(encoding="utf-8"))


def test_page_is_well_formed_and_semantic(parsed):
    assert parsed.stack == []
    assert parsed.named("html") == [{"lang": "en"}]
    assert len(parsed.named("caption")) == len(parsed.named("table")) >= 7
    assert all("scope" in attributes for attributes in parsed.named("th"))
    assert all(attributes["alt"] for attributes in parsed.named("img"))
    ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {address[1:] for address in parsed.addresses if address.startswith("#")} <= set(ids)


def test_page_needs_no_other_file(site, parsed):
    assert all(address.startswith(("#", "data:")) for address in parsed.addresses)
    text = site.read_text(encoding="utf-8")
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style and "@import" not in style
    assert [path.name for path in site.parent.iterdir()] == ["index.html"]
    assert site.stat().st_size < 5_000_000


def test_page_shows_numbers_failures_and_sources(parsed):
    text = " ".join(" ".join(parsed.words).split())
    for expected in (
        "5.00 ± 1.29",
        "(5.50 ± 1.30)",
        "stopped after 5 s <limit>",  # escaped in the source, literal here
        presentation.REASON,
        "A <small> study",
        "Not part of this run: w5a.",
        "Rates. No data: splice.",
        "some blas",
        "abc123",
        "a.csv",
        "4 of 4 runs; at most",
        "16 seconds of runs in all",  # 11 cells of 1.5 s
        "Stopped before they had converged: 1 of 8 fits that tell. OMKC(S,S) 1 of 4.",
    ):
        assert expected in text, expected


def test_claims_stand_beside_what_their_papers_own_numbers_say(site):
    (table,) = re.findall(r"<table class=\"text\">\s*<caption><span>[^<]*hold.*?</table>", site.read_text(), re.S)
    rows = {re.search("<th scope=.row.>([^<]*)", row)[1]: row for row in table.split("<tr>")[2:]}
    assert "1 contradicted by the paper's own numbers" in html.unescape(table)
    assert '<span class="badge c-contradicted"><span aria-hidden="true">⊥</span> contradicted</span>' in rows["1b"]
    assert "printed: Perceptron(*) is best or tied on 2 of 15" in rows["1b"] and "Ours (undecided)" in rows["1b"]
    assert '<span class="unseen">again in </span>93 %' in rows["2a"]
    assert "again in" not in rows["12a"]  # the sweep is a figure


def test_cells_carry_their_verdict_in_a_sign_and_not_only_in_colour(site):
    text = site.read_text(encoding="utf-8")
    found = re.findall(r'<td class="v-(exact|confirmed|compatible|different)">.*?</td>', text, flags=re.DOTALL)
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
    facts = dict(page.facts([PROVENANCE, PROVENANCE, PROVENANCE | {"cores": 64}, {}]))
    assert facts["Cores"] == "2 (2 records); 64 (1 records)"
    assert facts["Revision"] == "abc123"


def test_a_forgotten_input_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"results/omkc/runs\.parquet is not among the inputs"):
        report.main([f'{{"omkc":{SPEC}}}', layout.REPORT])


def browse(page_file, folder, *extra):
    """Open a page in a fresh browser; return its DOM, its console messages and the addresses that it asked for."""
    log = folder / "net.json"
    command = [BROWSER, *QUIET, OFFLINE, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", *extra]
    answer = subprocess.run(
        [*command, "--dump-dom", page_file.as_uri()], capture_output=True, text=True, timeout=90, check=True
    )
    console = [line for line in answer.stderr.splitlines() if "CONSOLE" in line]
    written = json.loads(log.read_text(encoding="utf-8"))
    kinds = {number: name for name, number in written["constants"]["logSourceType"].items()}
    requests = [
        event["params"]
        for event in written["events"]
        if kinds[event["source"]["type"]] == "URL_REQUEST" and "params" in event
    ]
    asked = {each["url"] for each in requests if each.get("initiator", BROWSER_ITSELF) != BROWSER_ITSELF}
    return answer.stdout, console, asked


@pytest.mark.skipif(BROWSER is None, reason="chromium is not on PATH; install it to open the report in a browser")
class TestBrowser:
    def test_it_sees_what_it_should_forbid(self, tmp_path):
        bad = tmp_path / "bad.html"
        text = '<script>missing()</script><script>fetch("http://example.org/y")</script><img src="http://127.0.0.1:9/x.png">'
        bad.write_text(text, encoding="utf-8")
        _, console, asked = browse(bad, tmp_path)
        assert any("missing is not defined" in line for line in console)
        assert asked == {"http://127.0.0.1:9/x.png", "http://example.org/y"}

    def test_page_opens_without_errors_and_without_requests(self, site, tmp_path):
        dom, console, asked = browse(site, tmp_path)
        assert "stopped after 5 s" in dom
        assert console == []
        assert asked == set()

    def test_filter_fades_cells(self, site, tmp_path):
        text = site.read_text(encoding="utf-8").replace('value="exact" checked', 'value="exact"')
        changed = tmp_path / "changed.html"
        changed.write_text(text, encoding="utf-8")
        dom, console, _ = browse(changed, tmp_path)
        assert '<body class="no-exact">' in dom and console == []
