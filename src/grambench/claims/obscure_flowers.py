"""The claims of OBSCURE (Orabona et al. 2010) on Oxford flowers, Section 4.1; descriptors are ours."""

import numpy as np

from grambench.claims import SHORTEST, Answer, Claim, Evidence, long_enough, sample
from grambench.claims.obscure import ACCURACY, CLOSE, by_name

DATASET = "flowers_17"
COMBINED = ["obscure", "silp", "simple_mkl", "lp_beta"]
DESCENTS = ["obscure_100", "pegasos_100"]
NEAR = 1.5  # times the least objective that either method of descent has met


def _means(evidence: Evidence, names: list[str], metric: str = ACCURACY) -> dict[str, float]:
    samples = {name: sample(evidence, DATASET, name, metric) for name in names}
    return {name: found.mean for name, found in samples.items() if found.runs}


def all_methods_are_similar(evidence: Evidence) -> Answer:
    """All methods of combination achieve similar results (here: OBSCURE, SILP and LP-beta within 2 points)."""
    means = _means(evidence, COMBINED)
    if len(means) < len(COMBINED):
        return Answer.undecided(f"not all of them were run: {by_name(means)}")
    compared = [means[name] for name in ("obscure", "silp", "lp_beta")]
    return Answer.decided(max(compared) - min(compared) <= CLOSE, f"percent: {by_name(means)}")


def the_mean_kernel_is_hard_to_beat(evidence: Evidence) -> Answer:
    """MKL methods do not improve much over averaging all kernels (Introduction; here: by 2 points at most)."""
    means = _means(evidence, [*COMBINED, "uniform_svm", "best_kernel_svm"])
    if len(means) < len(COMBINED) + 2:
        return Answer.undecided(f"not all of them were run: {by_name(means)}")
    best = max(means[name] for name in COMBINED)
    return Answer.decided(best - means["uniform_svm"] <= CLOSE, f"percent: {by_name(means)}")


def _needed(evidence: Evidence, column: str) -> dict[str, list[float]] | None:
    """Return what each method needs in each repetition to come near the least objective; inf if it does not."""
    curves = evidence.curves[evidence.curves["dataset"] == DATASET]
    chosen = curves[curves["algorithm"].isin(DESCENTS) & curves["metric"].isin(["objective", column])]
    if chosen["algorithm"].nunique() < 2:
        return None
    states = chosen.pivot(index=["repetition", "algorithm", "round"], columns="metric", values="result").dropna()
    found: dict[str, list[float]] = {name: [] for name in DESCENTS}
    for _, own in states.groupby("repetition"):
        least = own["objective"].min()
        for name, needed in found.items():
            rows = own.xs(name, level="algorithm")
            near = rows[rows["objective"] <= NEAR * least]
            needed.append(float(near[column].min()) if len(near) else np.inf)
    return found


def _sooner(evidence: Evidence, column: str, unit: str) -> Answer:
    found = _needed(evidence, column)
    if found is None:
        return Answer.undecided("not both of them were run")
    if not all(long_enough(each, column) for needed in found.values() for each in needed):
        return Answer.undecided(f"some of it takes less than {SHORTEST:g} s")
    said = "; ".join(f"{name} {', '.join(f'{each:.3g}' for each in needed)}" for name, needed in found.items())
    ahead = all(one < other for one, other in zip(*found.values(), strict=True))
    return Answer.decided(ahead, f"{unit} until within {NEAR:g} times the least objective: {said}")


def obscure_converges_faster(evidence: Evidence) -> Answer:
    """OBSCURE converges much faster than Pegasos on the objective (here: by epochs, in every repetition)."""
    return _sooner(evidence, "epochs", "epochs")


def obscure_converges_faster_in_time(evidence: Evidence) -> Answer:
    """OBSCURE converges much faster than Pegasos on the objective (here: by seconds, in every repetition)."""
    return _sooner(evidence, "elapsed_seconds", "seconds")


def lp_beta_is_quickest(evidence: Evidence) -> Answer:
    """LP-beta is an order of magnitude faster than the other methods (here: than OBSCURE, of one fit each)."""
    seconds = _means(evidence, ["lp_beta", "obscure", "silp", "simple_mkl"], "fit_seconds")
    if len(seconds) < 4:
        return Answer.undecided("not all of them were run, or not for long enough")
    said = by_name(seconds, "{:.2f}")
    return Answer.decided(10.0 * seconds["lp_beta"] <= seconds["obscure"], f"seconds: {said}")


def the_first_stage_comes_close(evidence: Evidence) -> Answer:
    """OBSCURE's online stage achieves a performance close to the optimum (here: within 2 points, in less time)."""
    means, seconds = (_means(evidence, ["obscure", "obscure_online"], each) for each in (ACCURACY, "fit_seconds"))
    if len(means) < 2 or len(seconds) < 2:
        return Answer.undecided("not both of them were run, or not for long enough")
    ratio = seconds["obscure"] / seconds["obscure_online"]
    holds = means["obscure"] - means["obscure_online"] <= CLOSE and ratio > 1.0
    return Answer.decided(holds, f"percent: {by_name(means)}; both stages take {ratio:.1f} times as long")


CLAIMS = [
    Claim("1a", "Section 4.1", the_first_stage_comes_close),
    Claim("4a", "Figure 1, right", obscure_converges_faster),
    Claim("4b", "Figure 1, right", obscure_converges_faster_in_time),
    Claim("5a", "Section 4.1", all_methods_are_similar),
    Claim("5b", "Section 4.1", lp_beta_is_quickest),
    Claim("5c", "Introduction", the_mean_kernel_is_hard_to_beat),
]
