"""The claims of OBSCURE (Orabona et al. 2010) on methods of combination, Section 4.2 and Figure 3; kernels are ours."""

from collections.abc import Callable

import numpy as np

from grambench.claims import Answer, Claim, Evidence
from grambench.claims.obscure import CALTECH, CLOSE, NOT_SWEPT, compared, swept

RATES = (1.9, 2.9)  # exponents of the number of examples that are about 2.4


def _percent(evidence: Evidence, first: str, second: str, test: Callable[[float, float], bool]) -> Answer:
    return compared(evidence, "examples", [first, second], test, "percent by images of a class,")


def it_is_close_to_lp_beta(evidence: Evidence) -> Answer:
    """OBSCURE is comparable to LP-beta (here: at most 2 points behind with each number of training images)."""
    return _percent(evidence, "obscure", "lp_beta", lambda obscure, lp_beta: obscure >= lp_beta - CLOSE)


def lp_beta_is_ahead(evidence: Evidence) -> Answer:
    """There is a gap between OBSCURE and LP-beta, which is ahead (here: with each number of training images)."""
    return _percent(evidence, "lp_beta", "obscure", float.__gt__)


def it_beats_silp(evidence: Evidence) -> Answer:
    """OBSCURE outperforms SILP, one-vs-rest (here: with each number of training images)."""
    return _percent(evidence, "obscure", "silp", float.__gt__)


def five_kernels_are_better(evidence: Evidence) -> Answer:
    """OBSCURE improves on five selected kernels, one a family (here: with each number of training images)."""
    return _percent(evidence, "obscure_five", "obscure", float.__gt__)


def five_kernels_are_better_for_silp(evidence: Evidence) -> Answer:
    """SILP too could improve with discriminative kernels (here: on five selected ones, with each number of images)."""
    return _percent(evidence, "silp_five", "silp", float.__gt__)


def it_takes_as_long_as_lp_beta(evidence: Evidence) -> Answer:
    """With 15 images a class OBSCURE takes about the time of LP-beta (here: of one fit, within a factor of 2)."""
    seconds = evidence.available_means(CALTECH, ["obscure", "lp_beta"], "fit_seconds")
    if len(seconds) < 2:
        return Answer.undecided("not both of them were run")
    ratio = seconds["obscure"] / seconds["lp_beta"]
    return Answer.of(0.5 <= ratio <= 2.0, "seconds: OBSCURE {:.3g}, LP-beta {:.3g}".format(*seconds.values()))


def it_is_faster(evidence: Evidence) -> Answer:
    """OBSCURE trains in considerably less time than two-layer methods (here: one fit in half of LP-beta's, always)."""
    return compared(evidence, "examples", ["obscure", "lp_beta"], lambda a, b: 2 * a <= b, "seconds", "fit_seconds")


def silp_grows_polynomially(evidence: Evidence) -> Answer:
    """SILP's time grows with the number of examples to about 2.4 (here: 1.9 to 2.9, fitted to logarithms)."""
    seconds = swept(evidence, "examples", "silp", "fit_seconds")
    if len(seconds) < 3:
        return NOT_SWEPT
    rate = float(np.polyfit(np.log(list(seconds)), np.log(list(seconds.values())), 1)[0])
    return Answer.of(RATES[0] <= rate <= RATES[1], f"exponent {rate:.2f}")


def _chosen(evidence: Evidence, metric: str, test: Callable[[float], bool], phrase: str) -> Answer:
    """Judge whether validation chooses a value that passes a test in most splits."""
    values = evidence.results.values(CALTECH, "obscure", metric).tolist()
    hits = sum(map(test, values))
    text = f"{phrase} in {hits} of {len(values)} splits: {', '.join(f'{value:g}' for value in values)}"
    return Answer.of(2 * hits > len(values), text, enough=len(values) > 0)


def the_smallest_p_is_chosen(evidence: Evidence) -> Answer:
    """OBSCURE is best at the smallest p, 1.01, with 39 kernels (here: validation chooses it in most splits)."""
    return _chosen(evidence, "selected_value", lambda p: p == 1.01, "p = 1.01")


def a_large_C_is_chosen(evidence: Evidence) -> Answer:
    """In visual tasks the best C is large, 100 to 1000 (here: validation chooses one of them in most splits)."""
    return _chosen(evidence, "selected_C", lambda C: C >= 100.0, "C of 100 or 1000")


CLAIMS = [
    Claim("6a", "Abstract", it_is_faster),
    Claim("6b", "Section 1.1", silp_grows_polynomially),
    Claim("6c", "Section 3", a_large_C_is_chosen),
    Claim("6d", "Section 4.2, d)", it_takes_as_long_as_lp_beta),
    Claim("6e", "Section 4.2, Figure 3", the_smallest_p_is_chosen),
    Claim("6f", "Section 4.2, Figure 3", it_is_close_to_lp_beta),
    Claim("6g", "Section 4.2, Figure 3", lp_beta_is_ahead),
    Claim("6h", "Section 4.2, Figure 3", it_beats_silp),
    Claim("6i", "Section 4.2, Figure 3", five_kernels_are_better),
    Claim("6j", "Section 4.2, Figure 3", five_kernels_are_better_for_silp),
]
