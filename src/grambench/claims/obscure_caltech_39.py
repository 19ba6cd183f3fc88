"""The claims of OBSCURE (Orabona et al. 2010) on Caltech-101 with 39 kernels, Section 4.2; the kernels are ours."""

import itertools

from grambench.claims import Answer, Claim, Evidence
from grambench.claims.obscure import ACCURACY, CALTECH, NOT_SWEPT, by_name, by_value, swept


def the_smallest_p_is_best(evidence: Evidence) -> Answer:
    """With all 39 kernels p is best at its smallest value, 1.01 (here: of the first stage)."""
    found = swept(evidence, "p", "obscure_online")
    if len(found) < 2:
        return NOT_SWEPT
    best = max(found, key=lambda p: found[p])
    return Answer.decided(best == min(found), f"percent by p: {by_value(found)}")


def it_beats_the_mean_kernel(evidence: Evidence) -> Answer:
    """OBSCURE outperforms the mean of all 39 kernels, some of which are bad (Figure 3)."""
    names = ("obscure", "uniform_svm", "best_kernel_svm", "om2_multiclass")
    samples = {name: evidence.results.sample(CALTECH, name, ACCURACY) for name in names}
    means = {name: sample.mean for name, sample in samples.items() if sample.runs}
    if not {"obscure", "uniform_svm"} <= set(means):
        return Answer.undecided(f"not both of them were run: {by_name(means)}")
    return Answer.decided(means["obscure"] > means["uniform_svm"], f"percent: {by_name(means)}")


def more_kernels_converge_faster(evidence: Evidence) -> Answer:
    """With more kernels a given accuracy takes fewer iterations (here: after equally many epochs, more have more)."""
    means = swept(evidence, "kernels", "obscure")
    if len(means) < 2:
        return NOT_SWEPT
    rises = all(one <= other for one, other in itertools.pairwise(means.values()))
    return Answer.decided(rises, f"percent by the number of kernels: {by_value(means)}")


CLAIMS = [
    Claim("2b", "Section 4.2, Figure 3", the_smallest_p_is_best),
    Claim("2c", "Section 4.2, c)", more_kernels_converge_faster),
    Claim("5d", "Section 4.2, Figure 3", it_beats_the_mean_kernel),
]
