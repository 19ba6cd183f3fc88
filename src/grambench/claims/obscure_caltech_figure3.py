"""The claims of OBSCURE (Orabona et al. 2010) on methods of combination, Section 4.2 and Figure 3; kernels are ours."""

from collections.abc import Callable

import numpy as np

from grambench.claims import Answer, Claim, Evidence
from grambench.claims.obscure import ACCURACY, CALTECH, CLOSE, NOT_SWEPT, Means, judged, swept

PAIR, SECONDS = ("obscure", "lp_beta"), "fit_seconds"


def _compared(evidence: Evidence, names: tuple[str, str], test: Callable[..., bool], metric: str = ACCURACY) -> Answer:
    """Judge a claim by a test of a number of training images and two methods' means, passed at each number."""
    first, second = (swept(evidence, "examples", name, metric) for name in names)
    means = {images: (first[images], second[images]) for images in first if images in second}
    text = "; ".join(f"{images:g} images: " + " and ".join(f"{mean:.3g}" for mean in means[images]) for images in means)
    holds = all(test(images, *pair) for images, pair in means.items())
    return Answer.of(holds, f"{metric} of {' and '.join(names)}: {text}") if len(means) > 1 else NOT_SWEPT


def _exceeds(evidence: Evidence, first: str, second: str, margin: float = 0.0) -> Answer:
    """Judge whether a method is more accurate than another plus a margin, with each number of images."""
    return _compared(evidence, (first, second), lambda _, a, b: a > b + margin)


def it_is_close_to_lp_beta(evidence: Evidence) -> Answer:
    """OBSCURE is comparable to LP-beta (here: less than 2 points behind with each number of training images)."""
    return _exceeds(evidence, *PAIR, -CLOSE)


def lp_beta_is_ahead(evidence: Evidence) -> Answer:
    """There is a gap between OBSCURE and LP-beta, which is ahead (here: with each number of training images)."""
    return _exceeds(evidence, *PAIR[::-1])


def it_beats_silp(evidence: Evidence) -> Answer:
    """OBSCURE outperforms SILP, one-vs-rest (here: with each number of training images)."""
    return _exceeds(evidence, "obscure", "silp")


def _five_are_better(evidence: Evidence, name: str) -> Answer:
    """Judge whether a method is more accurate on the five selected kernels than on all, with all training images."""
    five, every = (evidence.sample(CALTECH, key, ACCURACY) for key in (f"{name}_five", name))
    text = f"five {five.mean:.1f} %, all {every.mean:.1f}"
    return Answer.of(five.mean > every.mean, text, enough=min(five.runs, every.runs) > 0)


def five_kernels_are_better(evidence: Evidence) -> Answer:
    """OBSCURE improves on five selected kernels, one a family (here: with 15 images a class)."""
    return _five_are_better(evidence, "obscure")


def five_kernels_are_better_for_silp(evidence: Evidence) -> Answer:
    """SILP too could improve with discriminative kernels (here: on five selected ones, with 15 images a class)."""
    return _five_are_better(evidence, "silp")


def it_takes_as_long_as_lp_beta(evidence: Evidence) -> Answer:
    """With 15 images a class OBSCURE takes about the time of LP-beta (here: of one fit, within a factor of 2)."""
    return _compared(evidence, PAIR, lambda images, a, b: images < 15 or 0.5 <= a / b <= 2.0, SECONDS)


def it_is_faster(evidence: Evidence) -> Answer:
    """OBSCURE trains in considerably less time than two-layer methods (here: one fit in half of LP-beta's, always)."""
    return _compared(evidence, PAIR, lambda _, a, b: 2.0 * a <= b, SECONDS)


def silp_grows_polynomially(evidence: Evidence) -> Answer:
    """SILP's time grows with the number of examples to about 2.4 (here: 1.9 to 2.9, fitted to logarithms)."""

    def test(means: Means) -> bool:
        return bool(1.9 <= np.polyfit(np.log(list(means)), np.log(list(means.values())), 1)[0] <= 2.9)

    return judged(swept(evidence, "examples", "silp", SECONDS), test, "seconds by images of a class")


def a_large_C_is_chosen(evidence: Evidence) -> Answer:
    """In visual tasks the best C is large, 100 to 1000 (here: validation chooses one of them in most splits)."""
    hits = {str(r): C >= 100.0 for r, C in enumerate(evidence.results.values(CALTECH, "obscure", "selected_C"), 1)}
    return Answer.by_share(hits, [*hits], "most", "split with C of 100 or 1000")


CLAIMS = [
    Claim("6a", "Section 1.1", it_is_faster),
    Claim("6b", "Section 1.1", silp_grows_polynomially),
    Claim("6c", "Section 3", a_large_C_is_chosen),
    Claim("6d", "Section 4.2, d)", it_takes_as_long_as_lp_beta),
    Claim("6e", "Section 4.2, Figure 3", it_is_close_to_lp_beta),
    Claim("6f", "Section 4.2, Figure 3", lp_beta_is_ahead),
    Claim("6g", "Section 4.2, Figure 3", it_beats_silp),
    Claim("6h", "Section 4.2, Figure 3", five_kernels_are_better),
    Claim("6i", "Section 4.2, Figure 3", five_kernels_are_better_for_silp),
]
