"""The claims of OBSCURE (Orabona et al. 2010) on Caltech-101 with 39 kernels, Section 4.2; the kernels are ours."""

import itertools

from grambench.claims import Answer, Claim, Evidence
from grambench.claims.obscure import ACCURACY, CALTECH, NOT_SWEPT, best_value, by_name, by_value, swept


def the_smallest_p_is_best(evidence: Evidence) -> Answer:
    """With all 39 kernels p is best at its smallest value, 1.01 (here: of the first stage)."""
    return best_value(evidence, "obscure_online", lambda best, values: best == min(values), "percent by p")


def it_beats_the_mean_kernel(evidence: Evidence) -> Answer:
    """OBSCURE outperforms the mean of all 39 kernels, some of which are bad (Figure 3)."""
    names = ("obscure", "uniform_svm", "best_kernel_svm", "om2_multiclass")
    means = evidence.available_means(CALTECH, names, ACCURACY)
    if not means.keys() >= {"obscure", "uniform_svm"}:
        return Answer.undecided(f"not both of them were run: {by_name(means)}")
    return Answer.of(means["obscure"] > means["uniform_svm"], f"percent: {by_name(means)}")


def more_kernels_are_more_accurate(evidence: Evidence) -> Answer:
    """With more kernels the accuracy after equally many epochs is higher.

    The paper says that a given accuracy takes fewer iterations, which these means do not test: a better final accuracy
    alone gives them.
    """
    means = swept(evidence, "kernels", "obscure")
    if len(means) < 2:
        return NOT_SWEPT
    rises = all(fewer <= more for fewer, more in itertools.pairwise(means.values()))
    return Answer.of(rises, f"percent by the number of kernels: {by_value(means)}")


CLAIMS = [
    Claim("2b", "Section 4.2, Figure 3", the_smallest_p_is_best),
    Claim("2c", "Section 4.2, c)", more_kernels_are_more_accurate),
    Claim("5d", "Section 4.2, Figure 3", it_beats_the_mean_kernel),
]
