"""The claims of OBSCURE (Orabona et al. 2010) on Caltech-101 with four PHOG kernels, Section 4.2 and Figure 2, left."""

from grambench.claims import Answer, Claim, Evidence
from grambench.claims.obscure import ACCURACY, CLOSE, NOT_SWEPT, best, by_value, judged, swept

BEST = (1.1, 1.25)


def _both_stages(evidence: Evidence, metric: str) -> dict[float, tuple[float, float]]:
    """Return a metric of both stages and of the online stage alone at each p that both have."""
    final, first = (swept(evidence, "p", name, metric) for name in ("obscure", "obscure_online"))
    return {p: (final[p], first[p]) for p in final if p in first}


def the_first_stage_comes_close(evidence: Evidence) -> Answer:
    """OBSCURE's online stage achieves a performance close to the optimal one (here: within 2 points, for most p)."""
    if not (gains := {p: final - first for p, (final, first) in _both_stages(evidence, ACCURACY).items()}):
        return NOT_SWEPT
    close = sum(gain <= CLOSE for gain in gains.values())
    return Answer.of(2 * close > len(gains), f"points that the second stage gains: {by_value(gains)}")


def it_is_ten_times_faster(evidence: Evidence) -> Answer:
    """OBSCURE's online stage takes 10 to 1000 times less time than both at any p (here: 10 times less at one p)."""
    if not (ratios := {p: final / first for p, (final, first) in _both_stages(evidence, "fit_seconds").items()}):
        return NOT_SWEPT
    return Answer.of(max(ratios.values()) >= 10.0, f"times as long: {by_value(ratios)}")


def it_converges_faster_for_large_p(evidence: Evidence) -> Answer:
    """When p is large the online stage converges even faster (here: fewest epochs at the largest p)."""
    return judged(
        swept(evidence, "p", "obscure_online", "epochs"),
        lambda means: means[max(means)] <= min(means.values()),
        "epochs",
    )


def p_between_is_best(evidence: Evidence) -> Answer:
    """With four PHOG kernels the optimal p is 1.10 to 1.25."""
    return judged(swept(evidence, "p", "obscure"), lambda means: BEST[0] <= best(means) <= BEST[1], "percent")


def p_decides_the_sparsity(evidence: Evidence) -> Answer:
    """At p = 1.01 three of the four kernels approach 0, at p = 2 none (here: below 1e-4 of the largest)."""
    kernels = swept(evidence, "p", "obscure", "kernels_selected")
    return judged(kernels, lambda means: means | {1.01: 1.0, 2.0: 4.0} == means, "kernels by p")


CLAIMS = [
    Claim("1a", "Section 4.2, a)", the_first_stage_comes_close),
    Claim("1b", "Section 4.2, a)", it_is_ten_times_faster),
    Claim("1c", "Section 4.2, a)", it_converges_faster_for_large_p),
    Claim("2e", "Section 4.2, b)", p_decides_the_sparsity),
    Claim("2a", "Section 4.2, b)", p_between_is_best),
]
