"""From the overview to one repetition: the links of the report, followed and counted as a reader would click them."""

from collections import deque
from posixpath import dirname, join, normpath

import leaderboard
import pytest
from made_report import Page, pages_of, report_of

from grambench.report import record_page, site, tables
from grambench.results.records import Record

MOST_CLICKS = 5
STUDY, START = "pages/study-leaderboard.html", "index.html"


def record(results, cell):
    """Return the record of a row of cells.csv, with its settings left out."""
    metrics = {
        name: results.values(cell.dataset, cell.algorithm, name)[None]
        for name in ("accuracy_percent", "seconds")
        if cell.status == "ok"
    }
    names = ("study", "dataset", "algorithm", "status", "reason", "orders")
    return Record(**{name: getattr(cell, name) for name in names}, metrics=metrics)


@pytest.fixture(scope="module")
def pages():
    """Every page of the leaderboard's report by its path."""
    results = leaderboard.results()
    shown = {"ranks": tables.build(results, {}, {}, results.study.tables["ranks"])}
    records = {cell.record: record(results, cell) for cell in results.cells.itertuples()}
    made = pages_of(report_of(results, tables=shown, records=records))
    return {name: Page(text.decode()) for name, text in made.items() if name.endswith(".html") and name != site.WHOLE}


def follow(at, href):
    """Return the page that a link on a page leads to, and the place on it."""
    path, _, anchor = href.partition("#")
    return (normpath(join(dirname(at), path)) if path else at), anchor


def clicks(pages, goal):
    """Return the least number of clicks from the overview to a page."""
    steps, queue = {START: 0}, deque([START])
    while queue:
        at = queue.popleft()
        for href in pages[at].addresses:
            target, _ = follow(at, href)
            if target in pages and target not in steps:
                steps[target] = steps[at] + 1
                queue.append(target)
    return steps[goal]


def test_every_repetition_is_at_most_five_clicks_away(pages):
    results = leaderboard.results()
    for cell in results.cells.itertuples():
        name = record_page.name_of(cell.record)
        path = f"pages/{name}.html"
        assert clicks(pages, path) <= MOST_CLICKS
        repetitions = {f"{name}-{r + 1}" for r in range(leaderboard.REPEATS if cell.status == "ok" else 0)}
        assert repetitions <= set(pages[path].ids)


def test_a_mean_rank_leads_to_each_number_that_it_is_made_of(pages):
    """Overview, study, data set with the rank of each algorithm there: three clicks, and the fourth is to a record."""

    def targets(name):
        return {follow(name, href)[0] for href in pages[name].addresses}

    assert STUDY in targets(START)
    for dataset in leaderboard.BEST:
        name = f"pages/dataset-{dataset}.html"
        assert name in targets(STUDY)
        for algorithm in leaderboard.BEHIND:
            assert f"pages/record-leaderboard-{dataset}-{algorithm}.html" in targets(name)
