"""Pages name pages and files that are there; the site itself is built strictly by `make docs`."""

import re

import pytest
from copies import ROOT

PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("config/*/*.md")]
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_links_to_is_there(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert target.startswith("http") or (page.parent / target).exists(), target
    for target in re.findall(r"`(docs/\w+\.\w+)`", text):
        assert (ROOT / target).is_file(), target


def test_readme_names_the_pages_of_the_site():
    named = set(re.findall(r"docs/(\w+\.md)", (ROOT / "README.md").read_text(encoding="utf-8")))
    inner = {"index.md", "reference.md", "leaderboard.md", "features.md"}  # which other pages link to
    assert named >= {path.name for path in (ROOT / "docs").glob("*.md")} - inner
