"""Numbers of pages are those of the archive."""

import page_numbers
import pytest
import statements
from presentation import ROOT

from grambench.results import archive

PAGES = {page: (ROOT / page).read_text(encoding="utf-8") for page in page_numbers.PAGES}


@pytest.mark.parametrize("page", PAGES)
def test_numbers_of_a_page_are_those_of_the_archive(page):
    assert page_numbers.written(page, PAGES[page]) == PAGES[page], f"{page}: stale: make pages"


@pytest.mark.parametrize(
    ("page", "right", "wrong"),
    [
        ("README.md", "the best of eighteen is .4 ahead", "the best of eighteen is .9 ahead"),
        ("docs/papers/leaderboard_views.md", "generalised MKL (1.2; .3 to 2.1)", "generalised MKL (1.2; .3 to .9)"),
        ("docs/papers/leaderboard_views.md", "| OBSCURE | 75.9 |", "| OBSCURE | 76.9 |"),
        ("docs/papers/leaderboard_views.md", "one point | undecided |", "one point | holds |"),
        ("docs/papers/oks.md", "82.0 (85.0)", "82.0 (85.1)"),
    ],
)
def test_a_number_that_was_changed_by_hand_is_found_and_mended(page, right, wrong):
    changed = PAGES[page].replace(right, wrong, 1)
    assert changed != PAGES[page]
    assert page_numbers.written(page, changed) == PAGES[page]


def test_a_sentence_that_the_page_lacks_is_an_error():
    with pytest.raises(ValueError, match="expected one sentence like 'KL-C is 1 ahead', got 0"):
        page_numbers.Sentence("KL-C is {} ahead", ["1"]).write("GRAM is 2 ahead.")


def test_a_sentence_may_be_wrapped_and_keeps_its_lines():
    sentence = page_numbers.Sentence("KL-C is {} points ahead ({} to {})", ["-.5", "-1.0", ".0"])
    assert sentence.write("KL-C is 2.1\n  points ahead (.1 to\n4).") == "KL-C is -.5\n  points ahead (-1.0 to\n.0)."


@pytest.mark.parametrize("paper", statements.NAMES)
def test_verdicts_of_claims_are_those_of_the_archive(paper, tmp_path):
    judged = [study for study in archive.studies() if study.split("_")[0] == paper]
    for study in judged:
        (tmp_path / study).mkdir()
        page_numbers.claims_of(study).to_csv(tmp_path / study / "claims.csv", index=False)
    page = (ROOT / f"docs/papers/{paper}.md").read_text(encoding="utf-8")
    for expected in statements.statements(paper, tmp_path):
        if expected.claim and expected.verdict != statements.NOT_RUN:
            assert f"| {expected.verdict} |" in row_of(page, expected), "stale: make statements"


def row_of(page, statement):
    """Return the row of a statement in its page."""
    (row,) = [line for line in page.splitlines() if line.startswith(f"| {statement.section} | {statement.claim} |")]
    return row
