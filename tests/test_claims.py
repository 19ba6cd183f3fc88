"""What all claims share: they state themselves, and decide nothing on too few results."""

import planted
import pytest
from planted import CONFIGURATION

from grambench import claims
from grambench.claims import Answer

WANTED = [f"set{number}" for number in range(15)]


@pytest.mark.parametrize(
    ("count", "available", "verdict"),
    [(4, 15, "holds"), (5, 15, "fails"), (5, 8, "fails"), (4, 8, "undecided"), (0, 11, "holds"), (0, 10, "undecided")],
)
def test_at_most_four_of_fifteen(count, available, verdict):
    """Data sets that are not available could all be hits: only a count that survives that holds."""
    hits = {name: position < count for position, name in enumerate(WANTED[:available])}
    assert Answer.at_most(hits, WANTED, 4, "it is best").verdict == verdict


@pytest.mark.parametrize("study", filter(claims.load_claims, CONFIGURATION.names("studies")))
def test_every_claim_states_itself_and_is_undecided_without_runs(study):
    table = claims.table(study, planted.evidence(CONFIGURATION.study(study)))
    assert len(table) and table["claim"].is_unique
    assert set(table["verdict"]) == {"undecided"}
    assert table["statement"].str.len().min() > 20 and table["evidence"].str.len().min() > 5


def test_a_study_without_claims_has_none():
    assert claims.load_claims("unknown") == []
