"""The claims of Gai et al. 2010, "Learning kernels with radiuses of minimum enclosing balls", Sections 3, 5 and 6.

Accuracies are means over the five outer folds. The paper compares them as they stand; where its own numbers would stand
such a comparison on other partitions in less than half of the cases, a test paired over the folds takes its place. KL-C
is the SVM of eq. 10, with its bias; the published KL-C numbers fit it without (docs/reproduction.md). Therefore 1a, 1c,
2b and 3b are judged against that variant too, as 1d, 1e, 2c and 3c.
"""

from collections.abc import Iterable

import numpy as np

from grambench.claims import Answer, Claim, Evidence, at_most, both, gather, lacking, measure, named, quorum, true_on
from grambench.results.statistics import BEST_LEVEL, paired

SETS = [  # Table 1
    *("ionosphere", "splice", "liver", "fourclass", "heart", "german_numer"),
    *("musk1", "wdbc", "wpbc", "sonar", "colon_cancer"),
]
ACCURACY, SELECTED = "accuracy_percent", "kernels_selected"
RKL = ["rkl_l1", "rkl_l2", "rkl_none"]
PRINTED = 0.05  # points that one decimal does not show
SENSITIVE = 1.0  # points between two constraints from which a method counts as sensitive to them
SPARSE = 2 / 3  # share of the kernels up to which a combination counts as sparse; the paper calls 13 of 20 so
TWO_DOZEN = 24
CERTIFIED = 0.01  # relative gap by the certificate, which is sharper or blunter than the 1 % that a descent stops by
CALLS = ["gap", "svm_calls", "meb_calls"]
INVERSE = 1
SAME = 1e-3  # change of decision values, relative to their spread, that counts as none
VISIBLE = 1e-2


def _gains(evidence: Evidence, winner: str, rivals: list[str], datasets: Iterable[str] = SETS) -> dict[str, float]:
    """Return by how many points the winner is ahead of the best rival, on each data set at hand."""
    found = gather(evidence, [winner, *rivals], ACCURACY, datasets)
    return {name: cell[winner].mean - max(cell[rival].mean for rival in rivals) for name, cell in found.items()}


def best_under_l1(evidence: Evidence) -> Answer:
    """Under the l1 norm, RKL is better than Unif, MKL and KL-C on 8 of the 11 data sets."""
    return quorum(_ahead(evidence, ["rkl_l1", "unif", "mkl_l1", "klc_l1"]), SETS, 8 / 11, "RKL is ahead")


def never_behind_under_l1(evidence: Evidence) -> Answer:
    """Under the l1 norm, RKL equals the best of Unif, MKL and KL-C where it is not better.

    Here: on no data set is it behind by a t-test at 5 %, paired over the folds.
    """
    names = ["rkl_l1", "unif", "mkl_l1", "klc_l1"]
    return quorum(_not_behind(evidence, names), SETS, "every", "RKL is not significantly behind")


def _not_behind(evidence: Evidence, names: list[str]) -> dict[str, bool]:
    """Return on which data sets no t-test at 5 %, paired over the folds, tells the first from a best that it is not."""
    results = evidence.results
    return {name: names[0] in results.best(name, names, ACCURACY) for name in gather(evidence, names, ACCURACY, SETS)}


def best_under_l1_without_b(evidence: Evidence) -> Answer:
    """As 1a, against KL-C without its bias, which the published numbers fit."""
    return quorum(_ahead(evidence, ["rkl_l1", "unif", "mkl_l1", "klc_l1_unbiased"]), SETS, 8 / 11, "RKL is ahead")


def _ahead(evidence: Evidence, names: list[str]) -> dict[str, bool]:
    """Return on which data sets the first algorithm is ahead of the others."""
    return {name: gain > PRINTED for name, gain in _gains(evidence, names[0], names[1:]).items()}


def best_under_l2(evidence: Evidence) -> Answer:
    """Under the l2 norm, RKL outperforms MKL and KL-C on 10 of 11 data sets, "with only 1 inverse result".

    Here: it is ahead on most data sets, and significantly behind on 1 at most (paired).
    """
    return _outperforms(evidence, ["rkl_l2", "mkl_l2", "klc_l2"])


def best_under_l2_without_b(evidence: Evidence) -> Answer:
    """As 1c, against KL-C without its bias, which the published numbers fit."""
    return _outperforms(evidence, ["rkl_l2", "mkl_l2", "klc_l2_unbiased"])


def _outperforms(evidence: Evidence, names: list[str]) -> Answer:
    behind = {name: not level for name, level in _not_behind(evidence, names).items()}
    most = quorum(_ahead(evidence, names), SETS, "most", "RKL is ahead")
    return both(most, at_most(behind, SETS, INVERSE, "significantly behind"))


def gains_over_mkl(evidence: Evidence) -> Answer:
    """Under the l1 norm, RKL gains "5 or more percents" over MKL on splice, liver and musk1 (here: or not less).

    The printed gain on liver is 5.0, which half of all partitions would miss: a gain counts too that a t-test at 5 %,
    paired over the folds, cannot tell from 5 points.
    """
    wanted = ["splice", "liver", "musk1"]
    gains = _gains(evidence, "rkl_l1", ["mkl_l1"], wanted)
    return named(_as_large(evidence, gains, "mkl_l1", 5.0), wanted, "5 points" + _listed(gains))


def gains_over_klc(evidence: Evidence) -> Answer:
    """Under the l1 norm, RKL gains "more than 9 percents" over KL-C on four data sets (here: or not less, see 2a)."""
    return _gains_nine(evidence, "klc_l1")


def gains_over_klc_without_b(evidence: Evidence) -> Answer:
    """As 2b, over KL-C without its bias, which the published numbers fit."""
    return _gains_nine(evidence, "klc_l1_unbiased")


def _gains_nine(evidence: Evidence, rival: str) -> Answer:
    gains = _gains(evidence, "rkl_l1", [rival])
    return quorum(_as_large(evidence, gains, rival, 9.0), SETS, 4 / 11, "9 points" + _listed(gains))


def _as_large(evidence: Evidence, gains: dict[str, float], rival: str, points: float) -> dict[str, bool]:
    """Return whether each gain of RKL l1 is as large, or there is one that no paired test tells from that."""
    hits = {}
    for name, gain in gains.items():
        own, other = (evidence.results.values(name, each, ACCURACY) for each in ("rkl_l1", rival))
        untold = own.size == other.size and paired(own, other + points) >= BEST_LEVEL
        hits[name] = gain >= points - PRINTED or (gain > PRINTED and untold)
    return hits


def mkl_is_sensitive(evidence: Evidence) -> Answer:
    """MKL is sensitive to the norm constraint: l1 and l2 differ by a point or more on most data sets."""
    spreads = _spreads(evidence, ["mkl_l1", "mkl_l2"])
    return measure(spreads, lambda spread: spread >= SENSITIVE, SETS, "most", "a point or more")


def klc_is_sensitive(evidence: Evidence) -> Answer:
    """KL-C is sensitive to the norm constraint (here: l1 and l2 differ by a point or more, in the mean; printed: 2.3).

    By the printed numbers it is 6 data sets of 11 that differ by as much, four of them by 1.2 to 1.6 points.
    """
    return _sensitive(evidence, ["klc_l1", "klc_l2"])


def klc_without_b_is_sensitive(evidence: Evidence) -> Answer:
    """As 3b, of KL-C without its bias, which the published numbers fit."""
    return _sensitive(evidence, ["klc_l1_unbiased", "klc_l2_unbiased"])


def rkl_is_not_sensitive(evidence: Evidence) -> Answer:
    """RKL is not sensitive to the norm constraint: l1, l2 and none differ by less than a point on most data sets."""
    return measure(_spreads(evidence, RKL), lambda spread: spread < SENSITIVE, SETS, "most", "less than a point")


def _sensitive(evidence: Evidence, names: list[str]) -> Answer:
    spreads = _spreads(evidence, names)
    if not spreads:
        return Answer.undecided(lacking(SETS))
    mean = sum(spreads.values()) / len(spreads)
    shown = f"{mean:.1f} points in the mean over {len(spreads)} data sets, {max(spreads.values()):.1f} at most"
    if 2 * len(spreads) < len(SETS):
        return Answer.undecided(shown)
    return Answer.decided(mean >= SENSITIVE, shown)


def _spreads(evidence: Evidence, names: list[str]) -> dict[str, float]:
    found = gather(evidence, names, ACCURACY, SETS)
    return {name: float(np.ptp([cell[each].mean for each in names])) for name, cell in found.items()}


def best_under_both_norms(evidence: Evidence) -> Answer:
    """RKL is better than MKL and than KL-C under both the l1 and the l2 norm on most data sets."""
    found = gather(evidence, ["rkl_l1", "mkl_l1", "klc_l1", "rkl_l2", "mkl_l2", "klc_l2"], ACCURACY, SETS)
    ahead = true_on(
        found,
        lambda cell: all(
            cell[f"rkl_{norm}"].mean > cell[f"{rival}_{norm}"].mean for norm in ("l1", "l2") for rival in ("mkl", "klc")
        ),
    )
    return quorum(ahead, SETS, "most", "RKL is ahead under both norms")


def mkl_l1_is_sparse(evidence: Evidence) -> Answer:
    """MKL under the l1 norm always gives sparse combinations."""
    return quorum(_sparse(evidence, ["mkl_l1"]), SETS, "every", "sparse")


def mkl_l2_is_not_sparse(evidence: Evidence) -> Answer:
    """MKL under the l2 norm never gives sparse combinations."""
    dense = {name: not sparse for name, sparse in _sparse(evidence, ["mkl_l2"]).items()}
    return quorum(dense, SETS, "every", "not sparse")


def rkl_is_sparse(evidence: Evidence) -> Answer:
    """RKL gives sparse combinations on most data sets, whatever the norm constraint."""
    return quorum(_sparse(evidence, RKL), SETS, "most", "sparse under all three constraints")


def klc_l2_is_slightly_sparse(evidence: Evidence) -> Answer:
    """KL-C under the l2 norm slightly promotes sparsity: on most data sets it selects fewer than all kernels."""
    count = len(evidence.results.study.kernel_list())
    found = gather(evidence, ["klc_l2"], SELECTED, SETS)
    return quorum(true_on(found, lambda cell: cell["klc_l2"].mean < count), SETS, "most", "fewer than all")


def rkl_is_sparser_than_klc(evidence: Evidence) -> Answer:
    """RKL under the l2 norm selects fewer kernels than KL-C under the l2 norm (on all eleven data sets of Table 1)."""
    found = gather(evidence, ["rkl_l2", "klc_l2"], SELECTED, SETS)
    return quorum(
        true_on(found, lambda cell: cell["rkl_l2"].mean < cell["klc_l2"].mean), SETS, "every", "fewer kernels"
    )


def _sparse(evidence: Evidence, names: list[str]) -> dict[str, bool]:
    count = len(evidence.results.study.kernel_list())
    found = gather(evidence, names, SELECTED, SETS)
    return true_on(found, lambda cell: max(cell[name].mean for name in names) <= SPARSE * count)


def converges_quickly(evidence: Evidence) -> Answer:
    """RKL "usually achieves approximate convergence within one or two dozens of invocations" of each solver.

    Here, on most data sets: the median fit is certified to be within 1 % of the optimum after 24 calls of each or
    fewer, which is where it stops; one that ends farther off by the certificate has not converged.
    """
    calls = {}
    for name in SETS:
        found = [np.array([evidence.results.values(name, each, metric) for metric in CALLS]) for each in RKL]
        if all(each.size for each in found):
            gap, *made = np.concatenate(found, axis=1)
            calls[name] = float(np.median(np.where(gap <= CERTIFIED, np.max(made, axis=0), np.inf)))
    shown = ", ".join(f"{name} {median:g}" for name, median in calls.items())
    what = f"certified after no more than {TWO_DOZEN} SVM and MEB calls each (median; {shown})"
    return measure(calls, lambda median: median <= TWO_DOZEN, SETS, "most", what)


def invariant_to_one_scale(evidence: Evidence) -> Answer:
    """RKL's decision values do not change when all kernels are scaled (Proposition 1), under any norm (2)."""
    return _unchanged(evidence, "scale_all", RKL)


def invariant_to_each_scale(evidence: Evidence) -> Answer:
    """RKL's decision values do not change when one base kernel is scaled (Proposition 3), under any norm.

    The start changes with the scale and the unit of the steps does not, see grambench.algorithms.batch.rkl.
    """
    return _unchanged(evidence, "scale_one", RKL)


def mkl_depends_on_scale(evidence: Evidence) -> Answer:
    """MKL's decision values change visibly when base kernels are scaled, under either norm."""
    changes = _changes(evidence, ["scale_all", "scale_one"], ["mkl_l1", "mkl_l2"])
    seen = {name: min(largest) >= VISIBLE for name, largest in changes.items()}
    return quorum(seen, _scaled_sets(evidence), "every", f"a change of {VISIBLE:.0%} of their spread or more")


def _unchanged(evidence: Evidence, sweep: str, names: list[str]) -> Answer:
    changes = _changes(evidence, [sweep], names)
    worst = max((max(largest) for largest in changes.values()), default=np.nan)
    same = {name: max(largest) <= SAME for name, largest in changes.items()}
    what = f"no change above {SAME:g} of their spread (largest {worst:.1e})"
    return quorum(same, _scaled_sets(evidence), "every", what)


def _changes(evidence: Evidence, sweeps: list[str], names: list[str]) -> dict[str, list[float]]:
    """Return for each data set the largest change of each algorithm in each sweep, over factors and folds."""
    found: dict[str, list[float]] = {}
    for name in _scaled_sets(evidence):
        tables = [evidence.results.swept(sweep, name, each, "decision_change") for sweep in sweeps for each in names]
        if all(len(table) for table in tables):
            found[name] = [float(table.to_numpy().max()) for table in tables]
    return found


def _scaled_sets(evidence: Evidence) -> list[str]:
    return evidence.results.study.sweeps["scale_all"].datasets


def _listed(gains: dict[str, float]) -> str:
    shown = ", ".join(f"{name} {gain:+.1f}" for name, gain in gains.items())
    return f" ({shown})" if shown else ""


CLAIMS = [
    Claim("1a", "6 (a)", best_under_l1),
    Claim("1b", "6 (a)", never_behind_under_l1),
    Claim("1c", "6 (a)", best_under_l2),
    Claim("1d", "6 (a)", best_under_l1_without_b),
    Claim("1e", "6 (a)", best_under_l2_without_b),
    Claim("2a", "6 (a)", gains_over_mkl),
    Claim("2b", "6 (a)", gains_over_klc),
    Claim("2c", "6 (a)", gains_over_klc_without_b),
    Claim("3a", "6 (b)", mkl_is_sensitive),
    Claim("3b", "6 (b)", klc_is_sensitive),
    Claim("3c", "6 (b)", klc_without_b_is_sensitive),
    Claim("3d", "6 (b)", best_under_both_norms),
    Claim("3e", "6 (c)", rkl_is_not_sensitive),
    Claim("4a", "6 (d)", mkl_l1_is_sparse),
    Claim("4b", "6 (d)", mkl_l2_is_not_sparse),
    Claim("4c", "6 (e)", rkl_is_sparse),
    Claim("4d", "6 (e)", klc_l2_is_slightly_sparse),
    Claim("4e", "6 (e)", rkl_is_sparser_than_klc),
    Claim("5", "5", converges_quickly),
    Claim("6a", "3.1", invariant_to_one_scale),
    Claim("6b", "3.1", invariant_to_each_scale),
    Claim("6c", "2.1", mkl_depends_on_scale),
]
