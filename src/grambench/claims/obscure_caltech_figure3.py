"""The claims of OBSCURE (Orabona et al. 2010) on methods of combination, Section 4.2 and Figure 3; kernels are ours."""

import math
from collections.abc import Callable

from grambench.claims import Answer, Claim, Evidence
from grambench.claims.obscure import ACCURACY, CALTECH, CLOSE, NOT_SWEPT, swept
from grambench.results.statistics import BEST_LEVEL


def _compared(evidence: Evidence, first: str, second: str, test: Callable[[float, float], bool]) -> Answer:
    """Judge a claim by a test of two methods' mean accuracies, passed with each number of training images."""
    these, those = (swept(evidence, "examples", name) for name in (first, second))
    means = {images: (these[images], those[images]) for images in these if images in those}
    text = "; ".join(f"{images:g} images: {a:.1f} and {b:.1f}" for images, (a, b) in means.items())
    holds = all(test(*pair) for pair in means.values())
    return Answer.of(holds, f"percent of {first} and {second}: {text}") if len(means) > 1 else NOT_SWEPT


def _exceeds(evidence: Evidence, first: str, second: str) -> Answer:
    """Judge whether a method is more accurate than another with each number of images."""
    return _compared(evidence, first, second, lambda a, b: a > b)


def _with_lp_beta(evidence: Evidence, answer: Answer) -> Answer:
    """Return an answer on LP-beta, undecided if LP-beta loses to the best single kernel."""
    loses = _exceeds(evidence, "best_kernel", "lp_beta")
    return Answer.undecided(f"{answer.evidence}; {loses.evidence}") if loses.verdict == "holds" else answer


def it_is_close_to_lp_beta(evidence: Evidence) -> Answer:
    """OBSCURE is comparable to LP-beta (here: at most 2 points apart with each number of images).

    Undecided where LP-beta, of which no C or nu is selected, is behind the best single kernel.
    """
    return _with_lp_beta(evidence, _compared(evidence, "obscure", "lp_beta", lambda a, b: abs(a - b) <= CLOSE))


def lp_beta_is_ahead(evidence: Evidence) -> Answer:
    """There is a gap between OBSCURE and LP-beta, which is ahead (here: with each number of training images).

    Undecided where LP-beta, of which no C or nu is selected, is behind the best single kernel.
    """
    return _with_lp_beta(evidence, _exceeds(evidence, "lp_beta", "obscure"))


def it_beats_silp(evidence: Evidence) -> Answer:
    """OBSCURE outperforms SILP, one-vs-rest (here: with each number of training images)."""
    return _exceeds(evidence, "obscure", "silp")


def it_beats_the_mean_kernel(evidence: Evidence) -> Answer:
    """OBSCURE outperforms the mean of all 39 kernels (read from Figure 3; here: with each number of images)."""
    return _exceeds(evidence, "obscure", "uniform_svm")


def _five_are_better(evidence: Evidence, name: str) -> Answer:
    """Judge whether five selected kernels are better than all; undecided if the test of the splits does not tell."""
    names = f"{name}_five", name
    five, every = (evidence.sample(CALTECH, key, ACCURACY) for key in names)
    difference = evidence.results.difference(CALTECH, *names, ACCURACY)
    p_value = difference.p_value if difference else math.nan
    text = f"five {five.mean:.1f} +- {five.std:.1f} %, all {every.mean:.1f} +- {every.std:.1f}, p = {p_value:.2g}"
    return Answer.of(five.mean > every.mean, text, enough=p_value < BEST_LEVEL)


def five_kernels_are_better(evidence: Evidence) -> Answer:
    """OBSCURE improves on five selected kernels, one a family (here: 15 images a class, corrected t-test at 5 %)."""
    return _five_are_better(evidence, "obscure")


def five_kernels_are_better_for_silp(evidence: Evidence) -> Answer:
    """SILP too could improve with discriminative kernels (here: five, 15 images a class, corrected t-test at 5 %)."""
    return _five_are_better(evidence, "silp")


def a_large_C_is_chosen(evidence: Evidence) -> Answer:
    """In visual tasks the best C is large, 100 to 1000.

    Here: validation on 3 images a class chooses one of them in most splits; ties go to the smaller C.
    """
    hits = {str(r): C >= 100.0 for r, C in enumerate(evidence.results.values(CALTECH, "obscure", "selected_C"), 1)}
    return Answer.by_share(hits, [*hits], "most", "split with C of 100 or 1000")


CLAIMS = [
    Claim("5d", "Section 4.2, Figure 3", it_beats_the_mean_kernel),
    Claim("6c", "Section 3", a_large_C_is_chosen),
    Claim("6e", "Section 4.2, Figure 3", it_is_close_to_lp_beta),
    Claim("6f", "Section 4.2, Figure 3", lp_beta_is_ahead),
    Claim("6g", "Section 4.2, Figure 3", it_beats_silp),
    Claim("6h", "Section 4.2, Figure 3", five_kernels_are_better),
    Claim("6i", "Section 4.2, Figure 3", five_kernels_are_better_for_silp),
]
