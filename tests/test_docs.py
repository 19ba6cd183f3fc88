"""Pages name pages, files and functions that are there; the site itself is built strictly by `make docs`."""

import ast
import re
import subprocess
import sys
from collections import defaultdict

import pytest
import statements
from copies import ROOT
from programs import load

from grambench import algorithms
from grambench.config.project import Configuration
from grambench.kernels.functions import FAMILIES

PAPERS = sorted(path for path in (ROOT / "docs/papers").glob("*.md") if not path.stem.endswith("_appendix"))
GUIDE = sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "docs/papers").glob("*.md"))
PAGES = sorted([*ROOT.glob("*.md"), *GUIDE, *ROOT.glob("*/README.md"), *ROOT.glob("config/*/*.md")])


def slug(heading):
    """Return the anchor of a heading, as GitHub and MyST make it."""
    return re.sub(r"[^\w -]", "", heading.replace("`", "").lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_links_to_is_there(page):
    whole = page.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```", "", whole, flags=re.M | re.S)
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
        if target.startswith("http"):
            continue
        linked = (page.parent / target) if target else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.M)
            assert anchor in map(slug, headings), f"{target}#{anchor}"
    for path in re.findall(r"`((?:src|config|docs|tests|benchmarks|envs|workflow|profiles)/[\w./-]+)`", text):
        assert (ROOT / path).exists() or "mine" in path or page.name == "CHANGELOG.md", path
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert page.name == "CHANGELOG.md" or targets.issuperset(re.findall(r"\bmake ([a-z-]+)(?=`|  )", whole))


def test_files_elsewhere_name_pages_that_are_there():
    folders = ("src", "workflow", "config", "benchmarks", "tests/slurm", "profiles")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in FILES_WITH_PAGES]
    named = {
        (path.name, page)
        for path in files
        for page in re.findall(r"\bdocs/[\w/]+\.(?:md|svg|png)\b", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert {(name, page) for name, page in named if not (ROOT / page).is_file()} == set()


FILES_WITH_PAGES = {".py", ".md", ".yaml", ".rst", ".smk", ".html"}


def test_every_page_is_in_the_navigation():
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    named = {name for block in re.findall(r"```\{toctree\}(.*?)```", index, re.S) for name in block.split()}
    pages = {str(path.relative_to(ROOT / "docs").with_suffix("")) for path in GUIDE}
    assert pages - {"index"} <= named


def test_the_readme_is_short_and_links_to_the_guide():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 100
    linked = set(re.findall(r"\]\(docs/([\w/]+)\.md\)", text))
    assert {"getting_started", "running", "results", "datasets", "extending", "library"} <= linked
    assert {path.stem for path in PAPERS} <= {name.rpartition("/")[2] for name in linked}


def test_a_page_of_a_paper_leads_with_its_findings():
    for page in PAPERS:
        headings = re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), re.M)
        assert headings[:2] == ["What was run", "Findings"], page.name
        appendices = [heading.startswith("Appendix: ") for heading in headings]
        of_its_own = f"({page.stem}_appendix.md)" in page.read_text(encoding="utf-8")
        assert appendices == sorted(appendices) and any(appendices) != of_its_own, page.name


TWO_STAGES = {"gram_mkl", "hsic_lasso", "memo"}  # learn a kernel alone, with a hyperparameter of their own


def test_the_page_on_the_leaderboards_has_the_values_that_their_files_tune():
    text = (ROOT / "docs/leaderboard.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| (0|[1-9].*?) \| ([a-z][^|]+) \|$", text, re.M)
    listed = {name: (parameter, values) for parameter, values, names in rows for name in names.split(", ")}
    of_svm, configuration, in_studies = "C of the SVM", Configuration(ROOT / "config"), {}
    for study in map(configuration.study, ("leaderboard", "leaderboard_views", "leaderboard_images")):
        n_values = str(len(study.protocol.values))
        for name, entry in study.algorithms.items():
            if entry.pool:  # tuned as the one whose name it extends, see test_plan.py
                continue
            tune, learns_kernel = entry.tune, algorithms.category_of(study.file(name)) == "parametric"
            expected = ("none", "0")
            if tune:
                sizes = map(len, (tune.values, *tune.also.values()))
                expected = (", ".join(tune.chosen()), " x ".join(map(str, sizes)))
            if tune and tune.by == "alignment":
                expected = (f"{tune.parameter}, then {of_svm}", f"{len(tune.values)}, then {n_values}")
            elif tune and study.file(name) in TWO_STAGES:
                expected = (f"{tune.parameter}, and {of_svm}", f"{len(tune.values)}, and {n_values}")
            elif not tune and learns_kernel:
                expected = (f"{of_svm} on the learned kernel", n_values)
            assert listed.get(name) == expected, name
            in_studies[name] = expected
    assert listed.keys() == in_studies.keys()


BLOCKS = {  # of Python on the pages for Python users, but those that read files of the user
    f"{page}, block {number}": block
    for page in ("library", "large_data", "many_kernels", "views")
    for number, block in enumerate(
        re.findall(r"^```python\n(.*?)^```", (ROOT / f"docs/{page}.md").read_text(encoding="utf-8"), re.M | re.S)
    )
    if "read_csv" not in block
}


@pytest.mark.filterwarnings("error::sklearn.exceptions.FitFailedWarning")
@pytest.mark.parametrize("block", BLOCKS)
def test_python_on_a_page_runs(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[block], block, "exec"), {"__name__": "__main__"})


def test_the_readme_has_the_shortest_example_of_the_library():
    assert len(BLOCKS) > 14
    assert BLOCKS["library, block 0"] in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_architecture_page_names_functions_that_are_there():
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w.]+)(?:\([^`]*\))?` (?:in|of) `([\w/]+\.py)`", text)
    named += re.findall(r"^\| `(\w+)` \| `([\w/]+\.py)` \|", text, re.M)
    assert len(named) > 15
    for name, file in named:
        path = ROOT / file if file.startswith("src/") else ROOT / "src/grambench" / file
        code = path.read_text(encoding="utf-8")
        for part in name.split("."):
            assert re.search(rf"\b(def|class) {part}\b", code), f"{name} in {file}"
    for file in re.findall(r"`([\w/]+/[\w/]+\.py)`", text):
        assert (ROOT / file).is_file() or (ROOT / "src/grambench" / file).is_file(), file


def test_figures_of_the_papers_show_the_tables_of_their_pages(tmp_path):
    module = load("benchmarks/paper_figures.py")
    texts = {}
    for folder in (ROOT / "docs/papers", tmp_path):
        for page in PAPERS:
            if folder == tmp_path:
                module.save(page.stem, page, folder / f"{page.stem}.svg")
            drawn = (folder / f"{page.stem}.svg").read_text(encoding="utf-8")
            texts.setdefault(page.stem, []).append(re.findall(r"<text[^>]*>([^<]+)</text>", drawn))
    module.summary(ROOT / "README.md", ROOT / "docs/papers/leaderboard.md", tmp_path / "results.svg")
    pictures = [(folder / "results.svg").read_text(encoding="utf-8") for folder in (ROOT / "docs", tmp_path)]
    texts["README"] = [re.findall(r"<text[^>]*>([^<]+)</text>", picture) for picture in pictures]
    assert all(stored == drawn and len(drawn) > 10 for stored, drawn in texts.values())
    (width,) = map(float, re.findall(r'viewBox="0 0 ([\d.]+)', pictures[0]))
    heights = map(float, re.findall(r"font-size: ([\d.]+)px", pictures[0]))
    assert min(heights) * 400 / width >= 9, "legible on a screen of 400 pixels"


def _docstrings(path):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, kinds)]
    return "\n\n".join(" ".join((ast.get_docstring(node) or "").replace("\n\n", " // ").split()) for node in nodes)


def test_the_page_on_estimators_has_the_formula_of_every_family_of_kernels():
    rows = re.findall(r"^\| `([a-z]+)_[a-z]+[0-9.]+` \| .+ \|$", (ROOT / "docs/library.md").read_text(), re.M)
    assert rows == [*FAMILIES]


def test_every_benchmark_can_be_imported():
    """In a process of their own: some set the number of threads for all that follows."""
    names = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))
    program = f"import importlib; [importlib.import_module(name) for name in {names}]"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT / "benchmarks", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_conventions_chosen_by_published_numbers_are_those_that_studies_list():
    """`published: chosen` of the studies, the docstrings of files that have a convention, and the papers' pages."""
    configuration, declared, listed = Configuration(ROOT / "config"), defaultdict(set), defaultdict(set)
    for path in (ROOT / "src/grambench").rglob("*.py"):
        text = _docstrings(path)
        for conventions in re.findall(r"Chosen by published numbers: (.*?)\.(?= //|$)", text, re.M):
            declared[path.stem].update(conventions.split("; "))
        # Whoever writes this names the convention too.
        assert not re.search(r"published [\w -]*\bneed", text) or path.stem in declared, path
    for name in configuration.names("studies"):
        study = configuration.study(name)
        for choice in study.published.chosen if study.published else ():
            pages = sorted((ROOT / "docs/papers").glob(f"{name}*.md"))
            text = " ".join(" ".join(page.read_text(encoding="utf-8") for page in pages).lower().split())
            assert choice.convention.lower() in text, choice.convention
            listed[choice.convention] |= {study.algorithms[entry].algorithm or entry for entry in choice.algorithms}
    assert set(listed) == set().union(*declared.values())
    for convention in set().union(*(declared[name] for name in algorithms.names())):
        assert listed[convention] == {name for name in algorithms.names() if convention in declared[name]}, convention


@pytest.mark.parametrize("paper", statements.NAMES)
def test_a_page_lists_every_statement_of_its_paper(paper):
    page = (ROOT / f"docs/papers/{paper}.md").read_text(encoding="utf-8")
    table = page.partition(statements.HEADING)[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    cells = [[re.sub(r"\\([|*<])", r"\1", cell) for cell in re.split(r"(?<!\\) \| ", row[2:-2])] for row in rows]
    listed = [statements.Statement(claim, section, *rest) for section, claim, *rest in cells]
    expected = statements.statements(paper)
    assert [each[:3] for each in listed] == [each[:3] for each in expected], "stale: make pages"
    assert [each for each in listed if not each.claim] == [each for each in expected if not each.claim]
    assert {each.verdict for each in listed} <= {*statements.DECIDED, "undecided", "unavailable", statements.NOT_RUN}
    assert all(each.evidence for each in listed)
    assert statements.section(listed) == statements.HEADING + table
