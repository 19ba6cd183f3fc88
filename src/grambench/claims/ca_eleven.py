"""The claims of CA (Afkanpour et al. 2013) on eleven data sets, Section 3.2; see `grambench.claims.ca` too."""

from grambench.claims import Answer, Claim, Evidence, ca


def ca_nd_ranks_first(evidence: Evidence) -> Answer:
    """CA-nD outperforms the rest of the methods: it has the lowest median rank by test error."""
    return ca.ranked(evidence, lambda ranks: ca.below(ranks, ["ca_nd"], ca.METHODS))


CLAIMS = [Claim("3c", "Section 3.2, Table 2", ca_nd_ranks_first), ca.CLOSEST, ca.INDICATES, ca.ENDS]
