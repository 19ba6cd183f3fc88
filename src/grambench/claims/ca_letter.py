"""The claims of CA (Afkanpour et al. 2013) on Letter, Sections 3.2 and B.1; most of them are in `grambench.claims.ca`.

Table 2's own CA-nD is the slowest method there, which the text does not mention: "slowest" leaves CA-nD out.
"""

from grambench.claims import Answer, Claim, Evidence, ca


def ca_nd_is_best_aligned(evidence: Evidence) -> Answer:
    """CA-nD has the highest alignment on the test examples in every task."""
    leads = ca.leads(evidence, ca.ALIGNMENT, 1.0, ca.sets(evidence))
    span = "(ahead of the best other by {:.3f} to {:.3f})"
    return Answer.by_values(leads, lambda lead: lead > 0.0, ca.sets(evidence), "every", "CA-nD is highest", span)


def ca_nd_is_not_first(evidence: Evidence) -> Answer:
    """CA-nD does not perform well all the same (here: its median rank by test error is not the lowest)."""
    return ca.ranked(evidence, lambda ranks: bool(ranks["ca_nd"] > ranks[ca.ONE_PARAMETER].min()))


CLAIMS = [
    *ca.MNIST_AND_LETTER,
    Claim("4a", "Section 3.2, Figure 7", ca_nd_is_best_aligned),
    Claim("4b", "Section 3.2, Table 2", ca_nd_is_not_first),
]
