"""The claims of RKL (Gai et al. 2010) on the parameter of one Gaussian kernel; the paper has no numbers on it."""

from grambench.claims import Answer, Claim, Evidence, rkl


def learns_the_width(evidence: Evidence) -> Answer:
    """With the derivative of eq. 21 a gradient method learns the parameter of a Gaussian kernel.

    Here: in every fold of every data set the descent ends at a stationary point, within 1 %.
    """
    shares = evidence.means(["rkl_width"], "converged", rkl.SETS)
    return Answer.by_values(shares, lambda row: row["rkl_width"] == 1.0, rkl.SETS, "every", "all folds converge")


def measures_the_kernel(evidence: Evidence) -> Answer:
    """Margin and radius measure by their ratio how good a kernel is.

    Here, of one Gaussian: on no data set is the learned width significantly behind that which cross-validation selects.
    A width behind leaves it undecided: one descent may end at a local optimum of the ratio.
    """
    hits = rkl.not_behind(evidence, ["rkl_width", "gaussian_svm"])
    answer = Answer.by_share(hits, rkl.SETS, "every", "the learned width is not significantly behind")
    return answer.doubting("the criterion was not computed at the selected width")


CLAIMS = [Claim("8a", "Section 4", learns_the_width), Claim("8b", "Section 2.2", measures_the_kernel)]
