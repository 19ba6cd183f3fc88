"""The claims of OBSCURE (Orabona et al. 2010) on Oxford flowers, Section 4.1; descriptors are ours."""

from collections.abc import Callable

import numpy as np

from grambench.claims import SHORTEST, Answer, Claim, Evidence, Means, long_enough
from grambench.claims.obscure import ACCURACY, CLOSE

DATASET = "flowers_17"
COMBINED = ["obscure", "silp", "simple_mkl", "lp_beta"]
DESCENTS = ["obscure_100", "pegasos_100"]
SPLITS = 10  # that claims on differences of about 2 points need: accuracies deviate by 2 from split to split
NEAR = 1.5  # times the least objective that either method of descent has met


def _means(evidence: Evidence, names: list[str], metric: str = ACCURACY) -> Means:
    return evidence.available_means(DATASET, names, metric)


def _by_name(means: Means) -> str:
    return ", ".join(f"{name} {mean:.1f}" for name, mean in means.items())


def _judge(evidence: Evidence, names: list[str], test: Callable[[Means], bool]) -> Answer:
    """Judge a claim on the accuracies of methods, all of which must have been run."""
    means = _means(evidence, names)
    if len(means) < len(names):
        return Answer.undecided(f"not all of them were run: {_by_name(means)}")
    splits = evidence.sample(DATASET, names[0], ACCURACY).runs
    return Answer.of(test(means), f"percent, {splits} splits: {_by_name(means)}", enough=splits >= SPLITS)


def all_methods_are_similar(evidence: Evidence) -> Answer:
    """All methods of combination have similar results.

    Here: OBSCURE, SILP, SimpleMKL and LP-beta within 2 points; fewer than ten splits leave it undecided.
    """
    return _judge(evidence, COMBINED, lambda means: float(np.ptp([*means.values()])) <= CLOSE)


def the_mean_kernel_is_hard_to_beat(evidence: Evidence) -> Answer:
    """MKL methods do not improve much over averaging all kernels.

    Here: SILP and SimpleMKL by 2 points at most; fewer than ten splits leave it undecided.
    """
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
    """OBSCURE converges much faster than Pegasos on the objective (here: C = 100, by epochs, in every repetition)."""
    return _converges_sooner(evidence, "epochs", "epochs")


def obscure_converges_faster_in_time(evidence: Evidence) -> Answer:
    """OBSCURE converges much faster than Pegasos on the objective (here: C = 100, by seconds, in every repetition)."""
    return _converges_sooner(evidence, "elapsed_seconds", "seconds")


def the_first_stage_comes_close(evidence: Evidence) -> Answer:
    """OBSCURE's online stage achieves a performance close to the optimum.

    Here: at most 2 points from both stages, whose distance from the optimum is not known, and in less time.
    """
    means, seconds = (_means(evidence, ["obscure", "obscure_online"], metric) for metric in (ACCURACY, "fit_seconds"))
    if len(means) < 2 or len(seconds) < 2:
        return Answer.undecided("not both of them were run, or not for long enough")
    ratio = seconds["obscure"] / seconds["obscure_online"]
    holds = abs(means["obscure"] - means["obscure_online"]) <= CLOSE and ratio > 1.0
    return Answer.of(holds, f"percent: {_by_name(means)}; both stages take {ratio:.1f} times as long")


CLAIMS = [
    Claim("1a", "Section 5", the_first_stage_comes_close),
    Claim("4a", "Section 4.1, Figure 1, right", obscure_converges_faster),
    Claim("4b", "Section 4.1, Figure 1, right", obscure_converges_faster_in_time),
    Claim("5a", "Section 4.1", all_methods_are_similar),
    Claim("5c", "Section 1", the_mean_kernel_is_hard_to_beat),
]
