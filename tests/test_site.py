"""The gallery is complete and readable, every algorithm has a full page, and the examples of docstrings run."""

import doctest
import importlib
import re

import pytest
import site_pages
from programs import ROOT, load

from grambench import algorithms

DOCUMENTED = {  # modules with examples in their docstrings, and how many names have some
    "grambench.estimators.classifier": 2,
    "grambench.estimators.transformer": 1,
    "grambench.estimators.kernels": 1,
    "grambench.kernels.functions": 1,
    "grambench.kernels.pool": 1,
    "grambench.algorithms.alignment": 1,
    "grambench.solvers.meb": 1,
    "grambench.solvers.svm": 1,
}
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))


def test_the_gallery_orders_every_example():
    assert sorted(site_pages.EXAMPLES) == [path.name for path in EXAMPLES]
    assert len(EXAMPLES) >= 12


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_introduces_itself_and_says_what_its_figure_shows(path):
    text = path.read_text(encoding="utf-8")
    title, line, introduction = re.match(r'"""\n(.+)\n(=+)\n\n(.+?)\n"""', text, re.S).groups()
    assert len(title) == len(line)
    assert 2 <= len(re.findall(r"[.?](?:\s|$)", introduction)) <= 3
    assert text.count("\n# %%\n# ") >= 3
    assert re.search(r"# The figures? shows?\b", text.rpartition("plt.show()")[2])
    assert "savefig" not in text and "requests" not in text
    assert not re.search(r"^\w+\.write_text\(.*\)\n\n# %%", text, re.M), "would print how many letters it wrote"


@pytest.mark.parametrize("name", [name for folder in site_pages.CATEGORIES for name in algorithms.names(folder)])
def test_every_algorithm_has_a_full_page(name):
    sections = algorithms.sections(name)
    assert set(sections) - {"Notes"} == {"Idea", "Formula", "Complexity", "Deviations", "References"}
    assert all(sections.values()), name
    assert len(re.findall(r"[.](?:\s|$)", sections["Idea"].replace("et al.", ""))) == 2, "an idea is two sentences"
    assert sections["Formula"].startswith("    ")
    assert "(" in sections["References"] or name == "majority"
    page = site_pages.algorithm_page(name)
    headings = re.findall(r"^#+ (.+)$", page, re.M)
    assert [heading for heading in headings if heading not in ("Notes", "Paper and code")][1:] == [
        *("Formula", "Parameters", "Complexity", "Deviations", "References", "Use it")
    ]
    for row in re.findall(r"^\| `.*$", page, re.M):
        assert not row.endswith("|  |"), f"a parameter without a meaning: {row}"
    assert "None" not in re.findall(r"^Studies: (.*)$", page, re.M)


MARKED = {  # algorithms of the papers that are reproduced, and the places of the paper that their pages show in code
    "omkc_ss": {"lines -, 3, 3 and 7, 3 and 4", "lines -, 5, 9, 6", "lines 5, 8, 5, 9", "lines 9, 12, 11, 13"},
    "oks": {"line 5", "line 6", "line 7", "line 8", "line 9", "line 11"},
    "obscure": {"line 5", "line 6", "line 8", "line 9", "line 10", "line 11", "line 12", "line 13"},
    "ca_1d": {"lines 4 to 6", "line 7", "line 8", "line 9", "line 10"},
    "rkl": {"eq. 16", "eq. 17", "eq. 21 and 22"},
    "klc": {"eq. 10"},
}


@pytest.mark.parametrize("name", MARKED)
def test_a_page_shows_lines_of_the_paper_beside_lines_of_the_code(name):
    found = set()
    for file, table in re.findall(r"^`\w+` in `([\w/.]+)`:.*?\n\n((?:\|.*\n)+)", site_pages.algorithm_page(name), re.M):
        code = (ROOT / file).read_text(encoding="utf-8").splitlines()
        for place, statement, line in re.findall(r"^\| (.*?) \| `(.*)` \| (\d+) \|$", table, re.M):
            assert code[int(line) - 1].strip().startswith(statement.replace("\\|", "|"))
            found.add(place)
    assert found >= MARKED[name]


@pytest.mark.parametrize("name", ["rkl", "linear_svm"])
def test_the_snippet_of_a_page_runs(name, capsys):
    snippet = re.search(r"```python\n(.*?)```", site_pages.algorithm_page(name), re.S).group(1)
    exec(snippet, {})
    assert float(capsys.readouterr().out) > 0.8


def test_indices_and_powers_are_set_as_such():
    assert site_pages._scripts("θ_k² K_k,ii ‖w‖²_{2,p} m^(2/q)") == (
        "θ<sub>k</sub>² K<sub>k,ii</sub> ‖w‖²<sub>2,p</sub> m<sup>(2/q)</sup>"
    )
    assert "x<sub>i</sub>, DOI [10.1/a_b_1](https://doi.org/10.1/a_b_1)" in site_pages._escaped("x_i, DOI 10.1/a_b_1")


def test_a_link_to_a_script_leads_to_its_page_of_the_gallery():
    source = ["[a pass](examples/plot_online_pass.py), `docs/views.md`"]
    load("docs/conf.py").complete(None, "library", source)
    assert source == ["[a pass](gallery/plot_online_pass.rst), [views.md](views.md)"]


def test_pages_are_written_only_where_they_change(tmp_path, monkeypatch):
    monkeypatch.setattr(site_pages, "CATEGORIES", {"multiclass": "Some", "baselines": "Others"})
    site_pages.write_algorithm_pages(tmp_path)
    old = tmp_path / "gone.md"
    old.write_text("of an algorithm that is gone", encoding="utf-8")
    times = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.md") if path != old}
    site_pages.write_algorithm_pages(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.md")} == times
    assert len(times) == 1 + sum(len(algorithms.names(folder)) for folder in site_pages.CATEGORIES)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_of_docstrings_run(name):
    module = importlib.import_module(name)
    documented = [each for each in doctest.DocTestFinder().find(module) if each.examples]
    assert len(documented) == DOCUMENTED[name]
    assert doctest.testmod(module).failed == 0


def test_every_public_name_has_an_example():
    import grambench

    assert all("Examples\n" in getattr(grambench, name).__doc__ for name in grambench.__all__)
