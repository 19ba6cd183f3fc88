"""The claims of OBSCURE (Orabona et al. 2010) on Caltech-101 with 39 kernels, Section 4.2; the kernels are ours."""

import numpy as np

from grambench.claims import Answer, Claim, Evidence

DATASET, ACCURACY = "caltech_102", "accuracy_percent"


def the_smallest_p_is_best(evidence: Evidence) -> Answer:
    """With all 39 kernels p is best at its smallest value, 1.01 (here: of the first stage)."""
    means = evidence.results.swept("p", DATASET, "obscure_online", ACCURACY).mean(axis="columns")
    found = {p: mean for p, mean in zip(means.index.to_numpy(), means.to_numpy(), strict=True) if np.isfinite(mean)}
    if len(found) < 2:
        return Answer("undecided", "the sweep was not run")
    said = ", ".join(f"{p:g}: {mean:.1f}" for p, mean in found.items())
    return Answer("holds" if max(found, key=lambda p: found[p]) == min(found) else "fails", f"percent by p: {said}")


def it_beats_the_mean_kernel(evidence: Evidence) -> Answer:
    """OBSCURE outperforms the mean of all 39 kernels, some of which are bad (Figure 3)."""
    names = ("obscure", "uniform_svm", "best_kernel_svm", "om2_multiclass")
    means = {name: evidence.results.sample(DATASET, name, ACCURACY) for name in names}
    said = ", ".join(f"{name} {sample.mean:.1f}" for name, sample in means.items() if sample.runs)
    if not means["obscure"].runs or not means["uniform_svm"].runs:
        return Answer("undecided", f"not both of them were run: {said}")
    return Answer("holds" if means["obscure"].mean > means["uniform_svm"].mean else "fails", f"percent: {said}")


def more_kernels_converge_faster(evidence: Evidence) -> Answer:
    """With more kernels a given accuracy takes fewer iterations (here: after equally many epochs, more have more)."""
    means = evidence.results.swept("kernels", DATASET, "obscure", ACCURACY).mean(axis="columns").dropna()
    if len(means) < 2:
        return Answer("undecided", "the sweep was not run")
    said = ", ".join(
        f"{count:g}: {mean:.1f}" for count, mean in zip(means.index.to_numpy(), means.to_numpy(), strict=True)
    )
    return Answer("holds" if means.is_monotonic_increasing else "fails", f"percent by the number of kernels: {said}")


CLAIMS = [
    Claim("2b", "Section 4.2, Figure 3", the_smallest_p_is_best),
    Claim("2c", "Section 4.2, c)", more_kernels_converge_faster),
    Claim("5d", "Section 4.2, Figure 3", it_beats_the_mean_kernel),
]
