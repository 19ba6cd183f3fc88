"""The claims of OBSCURE (Orabona et al. 2010) on MNIST, Section 4.3 and Figure 4."""

import numpy as np

from grambench.claims import Answer, Claim, Evidence

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
    """OBSCURE's time is about linear in the number of examples (here: of ten epochs; an exponent of at most 1.15)."""
    return _exponent(evidence, "fit_seconds", "seconds")


def work_is_linear(evidence: Evidence) -> Answer:
    """OBSCURE's time is about linear in the number of examples (here: kernel evaluations, as 3b)."""
    return _exponent(evidence, "kernel_values", "kernel values")


def the_first_stage_comes_close(evidence: Evidence) -> Answer:
    """OBSCURE quickly converges to the best performance (here: after the first stage within .3 points of the end)."""
    curves = evidence.curves[evidence.curves["algorithm"] == "obscure"]
    curves = curves[curves["metric"].isin(["stage", "accuracy_percent"])]
    gains = {}
    for name, n in SIZES.items():
        differences = []
        for _, repetition in curves[curves["dataset"] == name].groupby("repetition"):
            states = repetition.pivot(index="round", columns="metric", values="result").dropna()
            if len(states):
                accuracy = states["accuracy_percent"]
                differences.append(accuracy.iloc[-1] - accuracy[states["stage"] == 1].iloc[-1])
        if differences:
            gains[n] = float(np.mean(differences))
    if not gains:
        return Answer.undecided("nothing was run")
    text = ", ".join(f"{n}: {gain:+.2f}" for n, gain in gains.items())
    return Answer.of(max(gains.values()) <= CLOSE, f"points that the second stage gains: {text}")


CLAIMS = [
    Claim("1d", "Section 4.3", the_first_stage_comes_close),
    Claim("3b", "Section 4.3", time_is_linear),
    Claim("3c", "Section 4.3", work_is_linear),
]
