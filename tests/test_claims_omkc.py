"""How a claim on a number of data sets is judged when some of them are not available, and what OMKC's speak of."""

from pathlib import Path

import pytest

from grambench.claims import Answer, omkc
from grambench.config.project import Configuration

WANTED = [f"set{number}" for number in range(15)]


@pytest.mark.parametrize(
    ("count", "available", "verdict"),
    [(4, 15, "holds"), (5, 15, "fails"), (5, 8, "fails"), (4, 8, "undecided"), (0, 11, "holds"), (0, 10, "undecided")],
)
def test_at_most_four_of_fifteen(count, available, verdict):
    """Data sets that are not available could all be hits: only a count that survives that holds."""
    hits = {name: position < count for position, name in enumerate(WANTED[:available])}
    assert Answer.at_most(hits, WANTED, 4, "it is best").verdict == verdict


def test_the_claims_of_omkc_speak_of_the_data_sets_of_the_study():
    study = Configuration(Path(__file__).parent.parent / "config").study("omkc")
    assert [*omkc.SETS, "sonar"] == study.datasets
    assert set(omkc.TIMED_SETS) == set(study.datasets)
