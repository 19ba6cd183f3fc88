"""The claims of OBSCURE (Orabona et al. 2010) on MNIST, Section 4.3 and Figure 4."""

import numpy as np

from grambench.claims import Answer, Claim, Evidence
from grambench.claims.obscure import ACCURACY

SIZES = {"mnist_1000": 1000, "mnist_5000": 5000, "mnist_20000": 20_000, "mnist_60000": 60_000}
LINEAR = 1.15  # the largest exponent that is called so
CLOSE = 0.3  # points of error


def _exponent(evidence: Evidence, metric: str, unit: str) -> Answer:
    """Judge the exponent at which a metric grows with the number of examples, fitted to its logarithms."""
    means = {SIZES[name]: row["obscure"] for name, row in evidence.means(["obscure"], metric, SIZES).items()}
    if len(means) < 3:
        return Answer.undecided(f"{len(means)} of {len(SIZES)} sizes were run")
    exponent = float(np.polyfit(np.log(list(means)), np.log(list(means.values())), 1)[0])
    text = ", ".join(f"{n}: {mean:.3g}" for n, mean in means.items())
    return Answer.of(exponent <= LINEAR, f"exponent {exponent:.2f} ({unit} {text})")


def time_is_linear(evidence: Evidence) -> Answer:
    """Time to the optimum is about linear in the examples (here: not to it, of ten epochs; an exponent up to 1.15)."""
    return _exponent(evidence, "fit_seconds", "seconds")


def work_is_linear(evidence: Evidence) -> Answer:
    """Time to the optimum is about linear in the examples (here: not time, kernel evaluations of ten epochs, as 3b)."""
    return _exponent(evidence, "kernel_values", "kernel values")


def the_first_stage_comes_close(evidence: Evidence) -> Answer:
    """OBSCURE quickly converges to the best performance (here: the second stage changes it by .3 points at most)."""
    curves = evidence.curves[evidence.curves["algorithm"] == "obscure"]
    curves = curves[curves["metric"].isin(["stage", ACCURACY]) & curves["dataset"].isin(SIZES)]
    if curves.empty:
        return Answer.undecided("nothing was run")
    states = curves.pivot(index=["dataset", "repetition", "round"], columns="metric", values="result").dropna()
    both, first = (part.groupby(level=[0, 1])[ACCURACY].last() for part in (states, states[states["stage"] == 1]))
    means = (both - first).groupby(level=0).mean()
    gains = {n: float(means[name]) for name, n in SIZES.items() if name in means.index}
    text = ", ".join(f"{n}: {gain:+.2f}" for n, gain in gains.items())
    return Answer.of(max(map(abs, gains.values())) <= CLOSE, f"points that the second stage gains: {text}")


def it_reaches_the_svms(evidence: Evidence) -> Answer:
    """OBSCURE is as good as the SVMs (read from Figure 4; here: at most .3 points behind on mean or best kernel)."""
    behind = {}
    for name in SIZES:
        means = evidence.available_means(name, ("obscure", "uniform_svm"), ACCURACY)
        single = evidence.results.swept("single", name, "single_kernel", ACCURACY).mean(axis="columns").max()
        if len(means) == 2:
            behind[name] = float(np.nanmax([means["uniform_svm"], single])) - means["obscure"]
    return Answer.by_values(behind, lambda gap: gap <= CLOSE, [*behind], "every", "close", "({:.2f} to {:.2f} behind)")


CLAIMS = [
    Claim("1d", "Section 4.3", the_first_stage_comes_close),
    Claim("1e", "Section 4.3, Figure 4", it_reaches_the_svms),
    Claim("3b", "Section 4.3", time_is_linear),
    Claim("3c", "Section 4.3", work_is_linear),
]
