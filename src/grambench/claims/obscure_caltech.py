"""The claims of OBSCURE (Orabona et al. 2010) on Caltech-101 with four PHOG kernels, Section 4.2 and Figure 2, left."""

from grambench.claims import Answer, Claim, Evidence
from grambench.claims.obscure import CLOSE, NOT_SWEPT, by_value, swept

LARGE = 1.5  # the least p of the paper's seven that is called so


def the_first_stage_comes_close(evidence: Evidence) -> Answer:
    """OBSCURE's online stage achieves a performance close to the optimal one.

    Here: for most p at most 2 points from both stages at C = 1000, whose distance from the optimum is not known.
    """
    both, first = (swept(evidence, "p", name) for name in ("obscure", "obscure_online"))
    gains = {p: both[p] - first[p] for p in both if p in first}
    close = sum(abs(gain) <= CLOSE for gain in gains.values())
    answer = Answer.of(2 * close > len(gains), f"points that the second stage gains: {by_value(gains)}")
    return answer if len(gains) > 1 else NOT_SWEPT


def it_converges_faster_for_large_p(evidence: Evidence) -> Answer:
    """When p is large the online stage converges even faster (here: fewer epochs at each p of 1.5 and more)."""
    epochs = swept(evidence, "p", "obscure_online", "epochs")
    large, small = ([mean for p, mean in epochs.items() if (p >= LARGE) == is_large] for is_large in (True, False))
    if not large or not small:
        return NOT_SWEPT
    return Answer.of(max(large) < min(small), f"epochs: {by_value(epochs)}")


def p_decides_the_sparsity(evidence: Evidence) -> Answer:
    """At p = 1.01 three of the four kernels approach 0, at p = 2 none.

    Here: below 1e-4 of the largest. More than that may still be near 0, which leaves it undecided.
    """
    kernels = swept(evidence, "p", "obscure", "kernels_selected")
    if not kernels.keys() >= {1.01, 2.0}:
        return NOT_SWEPT
    one, every = kernels[1.01] == 1.0, kernels[2.0] == 4.0
    return Answer.of(one and every, f"kernels by p: {by_value(kernels)}", enough=one or not every)


CLAIMS = [
    Claim("1a", "Section 4.2, a)", the_first_stage_comes_close),
    Claim("1c", "Section 4.2, a)", it_converges_faster_for_large_p),
    Claim("2e", "Section 4.2, b)", p_decides_the_sparsity),
]
