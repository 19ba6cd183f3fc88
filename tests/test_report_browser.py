"""The report in a real browser without a network: errors, requests, accessibility, and what its script does."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import made_report
import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).parent / "browser" / "node_modules" / "axe-core" / "axe.min.js"
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
    "--window-size=1400,9000",  # all figures are in sight
]
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND"  # the browser's own calls home lead nowhere either
BROWSER_ITSELF = "not an origin"
SERIOUS = ("serious", "critical")
PAGES = [
    "index.html",
    "pages/study-omkc.html",
    "pages/algorithm-omkc_ss.html",
    "pages/dataset-wdbc.html",
    "pages/notes.html",
    "pages/record-omkc-wdbc-omkc_dd.html",
    "pages/record-omkc-sonar-omkc_dd.html",
]

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="chromium is not on PATH; install it to open the report in a browser"
)


def browse(page_file, folder, *extra):
    """Open a page in a fresh browser; return its DOM, its console messages and the addresses that it asked for."""
    log = folder / "net.json"
    command = [BROWSER, *QUIET, OFFLINE, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", *extra]
    command += ["--dump-dom", page_file.as_uri()]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)
    console = [line for line in answer.stderr.splitlines() if "CONSOLE" in line]
    written = json.loads(log.read_text(encoding="utf-8"))
    kinds = {number: name for name, number in written["constants"]["logSourceType"].items()}
    requests = [
        event["params"]
        for event in written["events"]
        if kinds[event["source"]["type"]] == "URL_REQUEST" and "params" in event
    ]
    asked = {each["url"] for each in requests if each.get("initiator", BROWSER_ITSELF) != BROWSER_ITSELF}
    return answer.stdout, console, {url for url in asked if not url.startswith("file:")}


def tell(site, name, folder, script, *extra, more=""):
    """Open a copy of a page beside it with a script at its end, and return what that answers; `more` is put first."""
    text = (site / name).read_text(encoding="utf-8").replace("</h1>", f"</h1>{more}", 1)
    told = f"""<script>
    const say = (value) => {{
      const element = document.createElement("script");
      element.type = "application/json";
      element.id = "said";
      element.textContent = JSON.stringify(value).replaceAll("<", "\\\\u003c");
      document.body.append(element);
    }};
    addEventListener("load", async () => {{ {script} }});
    </script></body>"""
    copy = (site / name).with_name(f"told-{folder.name}.html")
    copy.write_text(told.join(text.rsplit("</body>", 1)), encoding="utf-8")
    try:
        dom, console, _ = browse(copy, folder, "--virtual-time-budget=20000", *extra)
    finally:
        copy.unlink()
    assert console == []
    return json.loads(re.search(r'<script type="application/json" id="said">(.*?)</script>', dom, re.S)[1])


def test_it_sees_what_it_should_forbid(tmp_path):
    bad = tmp_path / "bad.html"
    text = (
        '<script>missing()</script><script>fetch("http://example.org/y")</script><img src="http://127.0.0.1:9/x.png">'
    )
    bad.write_text(text, encoding="utf-8")
    _, console, asked = browse(bad, tmp_path)
    assert any("missing is not defined" in line for line in console)
    assert asked == {"http://127.0.0.1:9/x.png", "http://example.org/y"}


@pytest.mark.parametrize("name", ["index.html", "pages/study-omkc.html", "report.html"])
def test_pages_open_without_errors_and_without_requests(site, tmp_path, name):
    dom, console, asked = browse(site / name, tmp_path, "--virtual-time-budget=5000")
    assert "A &lt;small&gt; study" in dom
    assert console == []
    assert asked == set()


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not there: npm ci --prefix tests/browser")
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(site, tmp_path, name):
    """In both colour schemes; `preload` would ask for the style sheets once more."""
    assert serious_faults(site, name, tmp_path) == []


def serious_faults(site, name, folder):
    """Return what axe finds on a page in light and in dark."""
    script = """
    const engine = document.createElement("script");
    engine.src = "ENGINE";
    engine.onload = async () => {
      const answer = [];
      for (const scheme of ["light", "dark"]) {
        document.documentElement.dataset.scheme = scheme;
        const found = await axe.run(document, { preload: false, resultTypes: ["violations"] });
        for (const each of found.violations) {
          answer.push([scheme, each.impact, each.id, each.nodes.slice(0, 3).map((node) => node.html)]);
        }
      }
      say(answer);
    };
    document.body.append(engine);
    """
    found = tell(site, name, folder, script.replace("ENGINE", AXE.as_uri()))
    return [each for each in found if each[1] in SERIOUS]


def test_tables_sort_search_filter_and_fade_verdicts(site, tmp_path):
    script = """
    const table = document.querySelector("table.numbers:has(tr.head)");
    const tools = table.closest(".scroll").previousElementSibling;
    const names = () => [...table.querySelectorAll("tbody:not([hidden]) tr.head b")].map((each) => each.textContent);
    const rows = () => [...table.querySelectorAll("tbody:not([hidden]) tr:not(.head):not([hidden]) th")].length;
    const answer = { all: names() };
    const title = (each) => each.parentElement.textContent.trim();
    const head = [...table.querySelectorAll("thead .sort")].find((each) => title(each) === "OMKC(D,D)");
    head.click();
    answer.sorted = [names(), head.parentElement.getAttribute("aria-sort")];
    table.querySelector("thead .sort").click();
    answer.named = names();
    const choice = tools.querySelector("select");
    choice.value = "Mistakes (%)";
    choice.dispatchEvent(new Event("change"));
    answer.rows = rows();
    const search = tools.querySelector("input[type=search]");
    search.value = "wdbc";
    search.dispatchEvent(new Event("input"));
    answer.found = [names(), tools.querySelector("[role=status]").textContent];
    const first = tools.querySelector("input[type=checkbox]");
    search.value = "";
    search.dispatchEvent(new Event("input"));
    first.click();
    answer.first = names()[0];
    document.querySelector("input.fade[value=exact]").click();
    answer.faded = [document.body.className, getComputedStyle(document.querySelector("td.v-exact .ours")).opacity];
    say(answer);
    """
    found = tell(site, "pages/study-omkc.html", tmp_path, script)
    assert sorted(found["all"]) == ["sonar", "splice", "wdbc"]
    assert found["sorted"][0][0] == "wdbc" and found["sorted"][1] == "ascending"  # the one with a number
    assert found["named"] == ["sonar", "splice", "wdbc"]
    assert found["rows"] == 3
    assert found["found"] == [["wdbc"], "1 of 3"]
    assert found["first"] == "wdbc"  # which differs
    assert found["faded"] == ["no-exact", "0.12"]


@pytest.mark.parametrize(("marked", "first"), [(" data-high", "descending"), ("", "ascending")])
def test_the_first_click_on_a_head_brings_the_best_on_top(site, tmp_path, marked, first):
    """Ascending where lower is better, descending where higher is; what has no number comes last either way."""
    rows = "".join(
        f'<tr><th scope="row">{cell}</th><td{marked if cell[0].isdigit() else ""}>{cell}</td></tr>'
        for cell in ("80.1", "timeout", "92.5", "7.2")
    )
    heads = '<tr><th scope="col">Name</th><th scope="col">Accuracy (%)</th></tr>'
    table = f'<table id="made" class="sortable"><thead>{heads}</thead><tbody>{rows}</tbody></table>'
    script = """
    const head = document.querySelector("#made").tHead.rows[0].cells[1], answer = [];
    for (let click = 0; click < 3; click++) {
      head.querySelector(".sort").click();
      const cells = [...document.querySelectorAll("#made tbody td")].map((cell) => cell.textContent);
      answer.push([head.getAttribute("aria-sort"), cells]);
    }
    say(answer);
    """
    found = tell(site, "pages/study-omkc.html", tmp_path, script, more=table)
    ways = {"descending": ["92.5", "80.1", "7.2", "timeout"], "ascending": ["7.2", "80.1", "92.5", "timeout"]}
    second = "ascending" if first == "descending" else "descending"
    as_made = ["80.1", "timeout", "92.5", "7.2"]
    assert found == [[first, ways[first]], [second, ways[second]], [None, as_made]]


def test_a_cell_says_more_by_mouse_and_by_keyboard(site, tmp_path):
    script = """
    const cell = document.querySelector('td[data-k="wdbc|omkc_ss|mistake_percent"]');
    cell.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    const card = document.querySelector("#card");
    const answer = [card.hidden, card.textContent, [...card.querySelectorAll("a")].map((a) => a.getAttribute("href"))];
    document.body.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    answer.push(card.hidden);
    const first = document.querySelector("td[data-k][tabindex='0']");
    first.focus({ preventScroll: true });
    answer.push(card.hidden);
    first.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
    answer.push(document.activeElement !== first && document.activeElement.tagName);
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    answer.push(card.hidden);
    say(answer);
    """
    hidden, text, links, left, focused, moved, escaped = tell(site, "pages/study-omkc.html", tmp_path, script)
    assert not hidden and "wdbc · OMKC(S,S) · Mistakes (%)" in text and "mean 5.2, std 1.291, 4 runs" in text
    assert "99 % interval" in text
    assert [Path(link).name for link in links] == ["record-omkc-wdbc-omkc_ss.html", "omkc_ss.h5"]
    assert all((site / "pages" / link).resolve().is_file() for link in links)
    assert [left, focused, moved, escaped] == [True, False, "TD", True]


def test_enter_opens_the_record_of_a_cell_and_so_does_a_click_anywhere_in_it(site, tmp_path):
    script = """
    const cell = document.querySelector('td[data-k="wdbc|omkc_ss|mistake_percent"]');
    const answer = [];
    cell.querySelector("a").addEventListener("click", (event) => {
      event.preventDefault();
      answer.push(event.currentTarget.getAttribute("href"));
    });
    cell.focus();
    cell.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    cell.scrollIntoView({ behavior: "instant", block: "center" });
    const box = cell.getBoundingClientRect();
    document.elementFromPoint(box.left + 3, box.bottom - 3).click();
    say([...answer, cell.querySelector("a").tabIndex]);
    """
    href = "record-omkc-wdbc-omkc_ss.html"
    assert tell(site, "pages/study-omkc.html", tmp_path, script) == [href, href, -1]


def test_where_nothing_hovers_the_first_tap_shows_the_card_with_the_link(site, tmp_path):
    script = """
    window.matchMedia = () => ({ matches: false });
    const tap = new MouseEvent("click", { bubbles: true, cancelable: true });
    document.querySelector('td[data-k="wdbc|omkc_ss|mistake_percent"] a').dispatchEvent(tap);
    const card = document.querySelector("#card");
    say([tap.defaultPrevented, card.hidden, card.querySelector("a").getAttribute("href")]);
    """
    answer = tell(site, "pages/study-omkc.html", tmp_path, script)
    assert answer == [True, False, "record-omkc-wdbc-omkc_ss.html"]


def test_a_record_offers_its_commands_to_copy(site, tmp_path):
    script = 'say([...document.querySelectorAll("button.copy")].map((each) => each.getAttribute("aria-label")));'
    commands = tell(site, "pages/record-omkc-wdbc-omkc_ss.html", tmp_path, script)
    assert commands == ["Copy: grambench show omkc/wdbc/omkc_ss", "Copy: grambench rerun omkc/wdbc/omkc_ss"]


def test_a_card_says_what_is_compared(site, tmp_path):
    """Of a number with replications the difference is theirs from the published one, not that of this run."""
    script = """
    const all = JSON.parse(document.querySelector("script.cells").textContent);
    const key = "wdbc|omkc_ss|mistake_percent";
    Object.assign(all[key], {
      mean: 16.45, std: 0.5, runs: 20, published: "16.07 ± 0.50", replications: 20, replicated: 16.06,
      difference: -0.014, low: -0.5, high: 0.47, margin: 0.3, p_value: 0.93, rank_p_value: 0.95, verdict: "compatible",
    });
    document.querySelector("script.cells").textContent = JSON.stringify(all);
    const lines = (key) => {
      document.querySelector(`td[data-k="${key}"]`).dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
      const names = [...document.querySelectorAll("#card dt")].map((each) => each.textContent);
      const texts = [...document.querySelectorAll("#card dd")].map((each) => each.textContent);
      return names.map((name, at) => [name, texts[at]]);
    };
    say([lines(key), lines("wdbc|omkc_dd|mistake_percent")]);
    """
    replicated, single = tell(site, "pages/study-omkc.html", tmp_path, script)
    assert replicated[:8] == [
        ["This run", "mean 16.45, std 0.5, 20 runs"],
        ["Mean of 20 replications", "16.06"],
        ["Published", "16.07 ± 0.50"],
        ["Replications less published", "-0.014"],
        ["99 % interval of that", "-0.5 to 0.47"],
        ["Margin", "0.3"],
        ["p", "0.93"],
        ["p by rank", "0.95"],
    ]
    names = [name for name, _ in single]
    assert names[:4] == ["This run", "Published", "This run less published", "99 % interval of that"]
    assert dict(map(tuple, single))["This run less published"] == "-0.5"


def test_figures_are_drawn_from_their_numbers_and_lines_can_be_hidden(site, tmp_path):
    script = """
    const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
    for (let turn = 0; turn < 50 && !document.querySelector("figure.drawn .u-over"); turn++) await wait(100);
    const figure = [...document.querySelectorAll("figure.drawn")].find((each) => each.dataset.name === "omkc_figure1");
    const buttons = [...figure.querySelectorAll(".legend-buttons button")];
    const drawn = () => figure.querySelector("canvas").toDataURL();
    await wait(500);
    const pictures = [drawn()];
    for (let turn = 0; turn < 2; turn++) {
      buttons[1].click();
      await wait(500);
      pictures.push(drawn(), buttons[1].getAttribute("aria-pressed"));
    }
    const [before, hidden, off, again, on] = pictures;
    say({
      names: buttons.map((each) => each.textContent),
      pressed: [off, on],
      same: [before === hidden, before === again],
      still: getComputedStyle(figure.querySelector(".still")).display,
    });
    """
    found = tell(site, "pages/study-omkc.html", tmp_path, script)
    assert found["names"] == ["Perceptron", "OMKC(D,D)", "OMKC(S,S)"]
    assert found["pressed"] == ["false", "true"] and found["same"] == [False, True] and found["still"] == "none"


@pytest.mark.parametrize("name", ["index.html", "pages/study-omkc.html"])
def test_a_narrow_screen_hides_no_verdict_and_no_part_of_the_menu(site, tmp_path, name):
    script = """
    const frame = document.createElement("iframe");
    frame.style = "width: 400px; height: 800px";
    frame.src = location.href.replace(/told-[^/]*$/, "NAME");
    document.body.append(frame);
    frame.onload = () => {
      const inner = frame.contentDocument;
      const wide = inner.documentElement.scrollWidth;
      const seen = (each) => { const box = each.getBoundingClientRect(); return box.width > 0 && box.right <= 401; };
      const all = [...inner.querySelectorAll("header.top a, .bar > span, .key li, .badge, abbr.sign")];
      const marks = all.filter((each) => !each.closest("details:not([open])"));
      say([wide, marks.length, marks.filter((each) => !seen(each)).map((each) => each.outerHTML)]);
    };
    """.replace("NAME", Path(name).name)
    wide, marks, hidden = tell(site, name, tmp_path, script, "--allow-file-access-from-files")
    assert wide <= 400 and marks > 0 and hidden == []


@pytest.mark.parametrize(("name", "first"), [("pages/study-omkc.html", "study-omkc"), ("report.html", "overview")])
def test_a_link_to_a_claim_shows_its_page_alone_and_opens_the_list_of_claims(site, tmp_path, name, first):
    script = """
    const seen = () => [...document.querySelectorAll("article.page:not([hidden])")].map((each) => each.id);
    const claims = document.querySelector("details.claims");
    const answer = [seen(), claims.open];
    location.hash = "study-omkc-claim-14b";
    await new Promise((done) => setTimeout(done, 300));
    const height = document.getElementById("study-omkc-claim-14b").getBoundingClientRect().height;
    say([...answer, seen(), claims.open, height > 0, document.title]);
    """
    title = "A <small> study · grambench"
    assert tell(site, name, tmp_path, script) == [[first], False, ["study-omkc"], True, True, title]


def test_a_wide_table_fits_the_printed_page(site, tmp_path):
    """The rules for paper are applied to a screen as wide as A4 across less its margins."""
    script = """
    for (const sheet of document.styleSheets) for (const rule of sheet.cssRules) {
      if (rule.media?.mediaText === "print") rule.media.mediaText = "all";
    }
    location.hash = "study-omkc";
    await new Promise((done) => setTimeout(done, 300));
    document.body.style.width = "1032px";
    const table = document.querySelector("#study-omkc table.numbers");
    table.classList.replace("stack", "widest");
    for (const row of table.rows) {
      for (let copy = 0; copy < 30; copy++) row.append(row.lastElementChild.cloneNode(true));
    }
    const boxes = (selector) => [...document.querySelectorAll("#study-omkc " + selector)]
      .filter((each) => !each.closest("details:not([open])")).map((each) => each.getBoundingClientRect());
    const tables = boxes("table"), figures = boxes("figure").slice(0, 2);
    say([tables.length, Math.max(...tables.map((box) => box.right)), figures.map((box) => box.top)]);
    """
    count, right, figures = tell(site, "report.html", tmp_path, script)
    assert count > 5 and right <= 1033
    assert figures[0] == figures[1]  # two beside each other


def test_print_shows_whole_tables_and_the_figures_for_papers(site, tmp_path):
    out = tmp_path / "page.pdf"
    command = [BROWSER, *QUIET, OFFLINE, f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={out}"]
    subprocess.run([*command, (site / "pages/study-omkc.html").as_uri()], capture_output=True, timeout=180, check=True)
    box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", out.read_bytes())
    assert float(box[1]) > float(box[2])  # landscape
    style = (site / "pages" / "report.css").read_text(encoding="utf-8").partition("@media print")[2]
    assert ".note" not in style and "break-inside: avoid" in style
    assert ".sort { display: contents; }" in style  # else a table's heads are blank from its second page on


@pytest.fixture(scope="module")
def leaderboard_site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("leaderboard")
    made_report.make_leaderboard(folder)
    return folder


def test_a_leaderboard_starts_with_ranks_and_a_front_whose_contents_can_be_chosen(leaderboard_site, tmp_path):
    script = """
    const board = document.querySelector(".board");
    const texts = (selector) => [...board.querySelectorAll(selector)].map((each) => each.textContent);
    const rows = () => texts(".rank-chart [data-a] a");
    const set = (number, value) => {
      const select = board.querySelectorAll("select")[number];
      select.value = value;
      select.dispatchEvent(new Event("change"));
    };
    const answer = { ranks: rows(), titles: texts("h2"), front: texts(".front-chart .on-front a") };
    answer.values = texts(".rank-chart [data-a] .tick");
    answer.href = board.querySelector(".rank-chart a").getAttribute("href");
    answer.own = texts(".rank-chart .own");
    answer.bars = board.querySelectorAll(".alike").length;
    set(0, 6);
    answer.single = [texts("h2")[0], texts(".rank-chart [data-a] .tick").slice(0, 2)];
    set(0, 0);
    set(3, 1);
    answer.linear = texts(".front-chart .tick")[0];
    const boxes = [...board.querySelectorAll("details input")];
    boxes[0].click();
    answer.without = [rows().length, texts("summary")[0], board.querySelectorAll(".alike").length];
    const [, none] = board.querySelectorAll("details button");
    none.click();
    answer.none = [rows().length, texts("[role=status]")[0]];
    const details = document.querySelector("#study-leaderboard table caption").closest("details");
    answer.within = ["AUC (%)", "C", "Time (s)"].map(grambench.within);
    answer.first = details.textContent.includes("Ranks: As planted");
    answer.cells = [...document.querySelectorAll("table .own a")].map((each) => each.textContent).slice(0, 2);
    say(answer);
    """
    told = tell(leaderboard_site, "pages/study-leaderboard.html", tmp_path, script)
    assert (told["ranks"][0], told["ranks"][-1], len(told["ranks"])) == ("RKL", "Majority class", 12)
    assert (told["values"][0], told["values"][-1]) == ("1.0", "12.0")
    assert told["titles"] == ["Mean rank by accuracy (%), 7 of 8 data sets", "Accuracy against time, 7 of 8 data sets"]
    assert "RKL" in told["front"] and "Majority class" in told["front"]
    assert told["href"] == "algorithm-rkl.html" and told["own"] == ["★ Mine"] and told["bars"] == 1
    assert told["single"] == ["Accuracy (%) on sonar", ["82", "81.8"]]
    assert told["linear"] == "0"
    assert told["without"] == [11, "Algorithms: 11 of 12", 0]
    assert told["none"] == [0, "Choose algorithms."]
    assert told["first"] and told["cells"] == ["Mine", "Mine"]
    assert told["within"] == ["AUC (%)", "C", "time (s)"]


def test_a_board_of_one_data_set_is_in_the_singular(tmp_path):
    made_report.make_leaderboard(tmp_path, ["sonar"])
    script = 'say(document.querySelector(".board h2").textContent);'
    assert tell(tmp_path, "pages/study-leaderboard.html", tmp_path, script).endswith("1 of 1 data set")


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not there: npm ci --prefix tests/browser")
def test_axe_finds_nothing_serious_on_a_leaderboard(leaderboard_site, tmp_path):
    assert serious_faults(leaderboard_site, "pages/study-leaderboard.html", tmp_path) == []
