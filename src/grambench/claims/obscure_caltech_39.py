"""The claims of OBSCURE (Orabona et al. 2010) on Caltech-101 with 39 kernels, Section 4.2; the kernels are ours."""

from grambench.claims import Answer, Claim, Evidence
from grambench.claims.obscure import NOT_SWEPT, by_value, falls, judged, swept

TIE = 0.1  # points, the last digit that accuracies are printed with
KEPT = 1.5  # a state of a fit is kept after about so many times the epochs of the one before


def the_smallest_p_is_best(evidence: Evidence) -> Answer:
    """With all 39 kernels p is best at its smallest value, 1.01 (here: of the first stage, by .1 points or more)."""
    means = swept(evidence, "p", "obscure_online")
    if len(means) < 2:
        return NOT_SWEPT
    lead = means[min(means)] - max(mean for p, mean in means.items() if p > min(means))
    return Answer.of(lead > 0.0, f"percent by p: {by_value(means)}", enough=abs(lead) >= TIE)


def more_kernels_converge_faster(evidence: Evidence) -> Answer:
    """OBSCURE converges in fewer iterations with more kernels (here: epochs until 1.5 times the least objective).

    The least is that of the same fit. Undecided where the most epochs are less than 1.5 times the fewest, as states are
    kept at such distances.
    """
    epochs = swept(evidence, "kernels", "obscure", "epochs_near")
    return judged(epochs, falls, "epochs by the number of kernels", apart=KEPT)


def the_first_stage_takes_no_more_steps(evidence: Evidence) -> Answer:
    """With more kernels the first stage takes fewer steps or almost as many.

    Here: in at most 100 epochs, at which most fits are cut off, up to a tenth more.
    """
    rows = swept(evidence, "kernels", "obscure_online", "row_additions")  # two for each step and kernel
    steps = {kernels: total / (2.0 * kernels) for kernels, total in rows.items()}
    return judged(steps, lambda means: max(means.values()) <= 1.1 * means[min(means)], "steps by the number of kernels")


def more_kernels_have_a_smaller_bound(evidence: Evidence) -> Answer:
    """With more kernels the first stage returns a smaller R (here: after up to 100 epochs, by the objective)."""
    objective = swept(evidence, "kernels", "obscure_online", "objective")  # 1 / (2 C n) of the square of R
    return judged(objective, falls, "objective by the number of kernels")


CLAIMS = [
    Claim("2g", "Section 3.2", the_first_stage_takes_no_more_steps),
    Claim("2h", "Section 3.2", more_kernels_have_a_smaller_bound),
    Claim("2b", "Section 4.2, Figure 3", the_smallest_p_is_best),
    Claim("2c", "Abstract, Sections 1.1, 4.2, c) and 5", more_kernels_converge_faster),
]
