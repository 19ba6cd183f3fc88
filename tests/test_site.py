"""The gallery is complete and readable, every algorithm has a full page, and the examples of docstrings run."""

import importlib.util
import re

import pytest
from copies import ROOT

EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))


def site_pages():
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "docs" / "site_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_gallery_orders_every_example():
    assert sorted(site_pages().EXAMPLES) == [path.name for path in EXAMPLES]
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
