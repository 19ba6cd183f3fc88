"""The claims of OBSCURE (Orabona et al. 2010) on Oxford flowers, Section 4.1; descriptors are ours."""

from collections.abc import Callable

import numpy as np

from grambench.claims import SHORTEST, Answer, Claim, Evidence, Means, long_enough
from grambench.claims.obscure import ACCURACY, CLOSE, by_name

DATASET = "flowers_17"
COMBINED = ["obscure", "silp", "simple_mkl", "lp_beta"]
DESCENTS = ["obscure_100", "pegasos_100"]
NEAR = 1.5  # times the least objective that either method of descent has met


def _means(evidence: Evidence, names: list[str], metric: str = ACCURACY) -> Means:
    return evidence.available_means(DATASET, names, metric)


def _judge(evidence: Evidence, names: list[str], test: Callable[[Means], bool]) -> Answer:
    """Judge a claim on the accuracies of methods, all of which must have been run."""
    means = _means(evidence, names)
    if len(means) < len(names):
        return Answer.undecided(f"not all of them were run: {by_name(means)}")
    return Answer.of(test(means), f"percent: {by_name(means)}")


def all_methods_are_similar(evidence: Evidence) -> Answer:
    """All methods of combination have similar results (here: OBSCURE, SILP, LP-beta within 2 points, not SimpleMKL)."""
    names = ("obscure", "silp", "lp_beta")
    return _judge(evidence, COMBINED, lambda means: float(np.ptp([means[name] for name in names])) <= CLOSE)


def the_mean_kernel_is_hard_to_beat(evidence: Evidence) -> Answer:
    """MKL methods do not improve much over averaging all kernels (here: SILP and SimpleMKL by 2 points at most)."""
    names = [*COMBINED, "uniform_svm", "best_kernel_svm"]
    return _judge(evidence, names, lambda mean: max(mean["silp"], mean["simple_mkl"]) - mean["uniform_svm"] <= CLOSE)


def _costs_to_converge(evidence: Evidence, cost: str) -> dict[str, list[float]] | None:
    """Return at what cost each method comes near the least objective in each repetition; inf if it does not.

    The cost is a metric of the curves. The result is None if not both methods were run.
    """
    curves = evidence.curves[evidence.curves["dataset"] == DATASET]
    curves = curves[curves["algorithm"].isin(DESCENTS) & curves["metric"].isin(["objective", cost])]
    if curves["algorithm"].nunique() < 2:
        return None
    states = curves.pivot(index=["repetition", "algorithm", "round"], columns="metric", values="result").dropna()
    near = states["objective"] <= NEAR * states.groupby("repetition")["objective"].transform("min")
    costs = states[cost].where(near, np.inf).groupby(level=["repetition", "algorithm"]).min().unstack("algorithm")
    return {name: costs[name].tolist() for name in DESCENTS}


def _converges_sooner(evidence: Evidence, cost: str, unit: str) -> Answer:
    costs = _costs_to_converge(evidence, cost)
    if costs is None:
        return Answer.undecided("not both of them were run")
    if not all(long_enough(value, cost) for values in costs.values() for value in values):
        return Answer.undecided(f"some of it takes less than {SHORTEST:g} s")
    text = "; ".join(f"{name} {', '.join(f'{value:.3g}' for value in values)}" for name, values in costs.items())
    ahead = all(obscure < pegasos for obscure, pegasos in zip(*costs.values(), strict=True))
    return Answer.of(ahead, f"{unit} until within {NEAR:g} times the least objective: {text}")


def obscure_converges_faster(evidence: Evidence) -> Answer:
    """OBSCURE converges much faster than Pegasos on the objective (here: by epochs, in every repetition)."""
    return _converges_sooner(evidence, "epochs", "epochs")


def obscure_converges_faster_in_time(evidence: Evidence) -> Answer:
    """OBSCURE converges much faster than Pegasos on the objective (here: by seconds, in every repetition)."""
    return _converges_sooner(evidence, "elapsed_seconds", "seconds")


def lp_beta_is_quickest(evidence: Evidence) -> Answer:
    """LP-beta is an order of magnitude faster than the other methods (here: than OBSCURE, of one fit each)."""
    seconds = _means(evidence, ["lp_beta", "obscure", "silp", "simple_mkl"], "fit_seconds")
    if len(seconds) < 4:
        return Answer.undecided("not all of them were run, or not for long enough")
    text = f"seconds: {by_name(seconds, '{:.2f}')}"
    return Answer.of(10.0 * seconds["lp_beta"] <= seconds["obscure"], text)


def the_first_stage_comes_close(evidence: Evidence) -> Answer:
    """OBSCURE's online stage achieves a performance close to the optimum (here: within 2 points, in less time)."""
    means, seconds = (_means(evidence, ["obscure", "obscure_online"], metric) for metric in (ACCURACY, "fit_seconds"))
    if len(means) < 2 or len(seconds) < 2:
        return Answer.undecided("not both of them were run, or not for long enough")
    ratio = seconds["obscure"] / seconds["obscure_online"]
    holds = means["obscure"] - means["obscure_online"] <= CLOSE and ratio > 1.0
    return Answer.of(holds, f"percent: {by_name(means)}; both stages take {ratio:.1f} times as long")


CLAIMS = [
    Claim("1a", "Section 4.1", the_first_stage_comes_close),
    Claim("4a", "Figure 1, right", obscure_converges_faster),
    Claim("4b", "Figure 1, right", obscure_converges_faster_in_time),
    Claim("5a", "Section 4.1", all_methods_are_similar),
    Claim("5b", "Section 4.1", lp_beta_is_quickest),
    Claim("5c", "Section 1", the_mean_kernel_is_hard_to_beat),
]
