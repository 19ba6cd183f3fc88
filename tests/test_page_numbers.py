"""Numbers of pages equal the archive's, and tables of data sets their descriptions."""

import page_numbers
import page_parts
import pytest
import reference_numbers
import statements
from presentation import ROOT

from grambench.results import archive

PAGES = {page: (ROOT / page).read_text(encoding="utf-8") for page in page_numbers.PAGES}


@pytest.mark.parametrize("page", PAGES)
def test_numbers_of_a_page_equal_the_archive(page):
    assert page_numbers.written(page, PAGES[page]) == PAGES[page], f"{page}: stale: make pages"


@pytest.mark.parametrize("page", PAGES)
def test_whatever_is_changed_by_hand_is_found_and_mended(page):
    """Each number of a sentence, a row of each table, and each verdict."""
    text = PAGES[page]
    for part in page_numbers.PAGES[page]():
        changed = spoiled(part).write(text)
        assert changed != text and part.write(changed) == PAGES[page], part


def spoiled(part):
    """Return a part with wrong numbers, rows or verdicts."""
    if isinstance(part, page_parts.Sentence):
        return part._replace(values=["99"] * len(part.values))
    if isinstance(part, page_parts.Table):
        return part._replace(rows=part.rows[1:])
    return page_parts.Verdicts(dict.fromkeys(part.verdicts, "wrong"))


def test_a_sentence_that_the_page_lacks_is_an_error():
    with pytest.raises(ValueError, match="expected one sentence like 'KL-C is 1 ahead', got 0"):
        page_parts.Sentence("KL-C is {} ahead", ["1"]).write("GRAM is 2 ahead.")


def test_a_table_without_rows_gets_some_and_keeps_what_follows():
    table = page_parts.Table("| a |", ["| 1 |", "| 2 |"])
    assert table.write("| a |\n|---|\n\n## More\n") == "| a |\n|---|\n| 1 |\n| 2 |\n\n## More\n"
    assert table.write("| a |\n|---|\n| 3 |\n") == "| a |\n|---|\n| 1 |\n| 2 |\n"


def test_a_sentence_may_be_wrapped_and_keeps_its_lines():
    sentence = page_parts.Sentence("KL-C is {} points ahead ({} to {})", ["-.5", "-1.0", ".0"])
    assert sentence.write("KL-C is 2.1\n  points ahead (.1 to\n4).") == "KL-C is -.5\n  points ahead (-1.0 to\n.0)."


@pytest.mark.parametrize("paper", statements.NAMES)
def test_statements_equal_the_archive(paper, tmp_path):
    judged = [study for study in archive.studies() if study.split("_")[0] == paper]
    for study in judged:
        (tmp_path / study).mkdir()
        reference_numbers.claims_of(study).to_csv(tmp_path / study / "claims.csv", index=False)
    page = (ROOT / f"docs/papers/{paper}.md").read_text(encoding="utf-8")
    assert statements.section(statements.statements(paper, tmp_path)) in page, "stale: make pages"
