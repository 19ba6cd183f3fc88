"""The claims of OBSCURE (Orabona et al. 2010) on Caltech-101 with four PHOG kernels, Section 4.2 and Figure 2, left."""

import numpy as np

from grambench.claims import Answer, Claim, Evidence, long_enough

DATASET, ACCURACY = "caltech_102", "accuracy_percent"
BEST = (1.1, 1.25)
CLOSE = 2.0  # points


def _by_p(evidence: Evidence, entry: str, metric: str) -> dict[float, float]:
    means = evidence.results.swept("p", DATASET, entry, metric).mean(axis="columns")
    found = {p: mean for p, mean in zip(means.index.to_numpy(), means.to_numpy(), strict=True) if np.isfinite(mean)}
    return {p: mean for p, mean in found.items() if long_enough(mean, metric)}


def _said(found: dict[float, float], digits: int = 1) -> str:
    return ", ".join(f"{p:g}: {mean:.{digits}f}" for p, mean in found.items())


def the_first_stage_comes_close(evidence: Evidence) -> Answer:
    """OBSCURE's online stage achieves a performance close to the optimal one (here: within 2 points, for most p)."""
    both, first = (_by_p(evidence, entry, ACCURACY) for entry in ("obscure", "obscure_online"))
    gains = {p: both[p] - first[p] for p in both if p in first}
    if not gains:
        return Answer("undecided", "the sweep was not run")
    close = sum(gain <= CLOSE for gain in gains.values())
    return Answer("holds" if 2 * close > len(gains) else "fails", f"points that the second stage gains: {_said(gains)}")


def it_is_ten_times_faster(evidence: Evidence) -> Answer:
    """OBSCURE's online stage takes 10 to 1000 times less time than both (here: 10 times less for some p)."""
    both, first = (_by_p(evidence, entry, "search_seconds") for entry in ("obscure", "obscure_online"))
    ratios = {p: both[p] / first[p] for p in both if p in first}
    if not ratios:
        return Answer("undecided", "the sweep was not run")
    return Answer("holds" if max(ratios.values()) >= 10.0 else "fails", f"times as long: {_said(ratios)}")


def it_converges_faster_for_large_p(evidence: Evidence) -> Answer:
    """When p is large the online stage converges even faster (here: fewest epochs at the largest p)."""
    epochs = _by_p(evidence, "obscure_online", "epochs")
    if len(epochs) < 2:
        return Answer("undecided", "the sweep was not run")
    return Answer("holds" if epochs[max(epochs)] <= min(epochs.values()) else "fails", f"epochs: {_said(epochs)}")


def p_between_is_best(evidence: Evidence) -> Answer:
    """With four PHOG kernels the optimal p is 1.10 to 1.25."""
    found = _by_p(evidence, "obscure", ACCURACY)
    if len(found) < 2:
        return Answer("undecided", "the sweep was not run")
    best = max(found, key=lambda p: found[p])
    return Answer("holds" if BEST[0] <= best <= BEST[1] else "fails", f"percent: {_said(found)}")


CLAIMS = [
    Claim("1a", "Section 4.2, a)", the_first_stage_comes_close),
    Claim("1b", "Section 4.2, a)", it_is_ten_times_faster),
    Claim("1c", "Section 4.2, a)", it_converges_faster_for_large_p),
    Claim("2a", "Section 4.2, b)", p_between_is_best),
]
