"""The claims of OBSCURE (Orabona et al. 2010) on Caltech-101 with 39 kernels, Section 4.2; the kernels are ours."""

from grambench.claims import Answer, Claim, Evidence
from grambench.claims.obscure import ACCURACY, CALTECH, best, by_name, falls, judged, swept


def the_smallest_p_is_best(evidence: Evidence) -> Answer:
    """With all 39 kernels p is best at its smallest value, 1.01 (here: of the first stage)."""
    return judged(swept(evidence, "p", "obscure_online"), lambda means: best(means) == min(means), "percent by p")


def it_beats_the_mean_kernel(evidence: Evidence) -> Answer:
    """OBSCURE outperforms the mean of all 39 kernels, some of which are bad (Figure 3)."""
    names = ("obscure", "uniform_svm", "om2_multiclass")
    means = evidence.available_means(CALTECH, names, ACCURACY)
    if not means.keys() >= {"obscure", "uniform_svm"}:
        return Answer.undecided(f"not both of them were run: {by_name(means)}")
    return Answer.of(means["obscure"] > means["uniform_svm"], f"percent: {by_name(means)}")


def more_kernels_converge_faster(evidence: Evidence) -> Answer:
    """OBSCURE converges in fewer iterations with more kernels (here: epochs until 1.5 times the least objective)."""
    return judged(swept(evidence, "kernels", "obscure", "epochs_near"), falls, "epochs by the number of kernels")


def the_first_stage_takes_no_more_steps(evidence: Evidence) -> Answer:
    """With more kernels the first stage takes fewer steps or almost as many (here: at most a tenth more)."""
    rows = swept(evidence, "kernels", "obscure_online", "row_additions")  # two for each step and kernel
    steps = {kernels: total / (2.0 * kernels) for kernels, total in rows.items()}
    return judged(steps, lambda means: max(means.values()) <= 1.1 * means[min(means)], "steps by the number of kernels")


def more_kernels_have_a_smaller_bound(evidence: Evidence) -> Answer:
    """With more kernels the first stage returns a smaller R (here: by the objective, 1 / (2 C n) of its square)."""
    return judged(
        swept(evidence, "kernels", "obscure_online", "objective"), falls, "objective by the number of kernels"
    )


CLAIMS = [
    Claim("2g", "Section 3.2", the_first_stage_takes_no_more_steps),
    Claim("2h", "Section 3.2", more_kernels_have_a_smaller_bound),
    Claim("2b", "Section 4.2, Figure 3", the_smallest_p_is_best),
    Claim("2c", "Section 4.2, c)", more_kernels_converge_faster),
    Claim("5d", "Section 4.2, Figure 3", it_beats_the_mean_kernel),
]
