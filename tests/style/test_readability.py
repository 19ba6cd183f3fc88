"""The tool that measures sentences, and the goal that README and docs meet."""

import statistics

import pytest
from copies import ROOT
from programs import load


@pytest.fixture(scope="module")
def tool():
    return load("benchmarks/readability.py")


PAGE = """# A heading is no sentence

One sentence, with `code of five words here` in it. Another by Hoi et al. (2013)
ends here. `code` begins the third.

- an item
- S. C. H. Hoi wrote 1.5 pages.

| a table | is left out |
|---|---|
| a | b |

```
code is left out
```
"""


def test_sentences_of_a_page(tool):
    sentences = [sentence for block in tool.markdown(PAGE) for sentence in tool.split(block)]
    assert sentences == [
        "One sentence, with `code_of_five_words_here` in it.",
        "Another by Hoi et al. (2013) ends here.",
        "`code` begins the third.",
        "an item",
        "S. C. H. Hoi wrote 1.5 pages.",
    ]
    assert tool.length(sentences[0]) == 6


def test_readme_and_docs_meet_the_goal(tool):
    pages = list(tool.files([ROOT / "README.md", ROOT / "docs"]))
    assert len(pages) > 20
    sentences = [sentence for path in pages for text in tool.texts(path) for sentence in tool.split(text)]
    assert statistics.median(map(tool.length, sentences)) <= tool.MEDIAN
    assert tool.share(sentences) <= tool.SHARE
    assert {str(path): terms for path in pages if (terms := tool.retired(path))} == {}
