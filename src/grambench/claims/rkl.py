"""The claims of Gai et al. 2010, "Learning kernels with radiuses of minimum enclosing balls", Sections 3, 5 and 6.

Accuracies are means over the five outer folds. The paper compares them as they stand; where its own numbers would stand
such a comparison on other partitions in less than half of the cases, a test paired over the folds takes its place. KL-C
is the SVM of eq. 10, with its bias; the published KL-C numbers appear to be without (docs/papers/rkl.md). Therefore 1a,
1c, 2b and 3b are judged against that variant too, as 1d, 1e, 2c and 3c.
"""

from collections.abc import Iterable

import numpy as np

from grambench.claims import Answer, Claim, Evidence, Share, lacking
from grambench.results.statistics import BEST_LEVEL, signed_rank

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
CERTIFICATE = ["gap", "svm_calls", "meb_calls"]
INVERSE = 1
UNCHANGED = 1e-3  # change of decision values, relative to their spread, that counts as none
VISIBLE = 1e-2


def significantly_best(evidence: Evidence) -> Answer:
    """RKL significantly outperforms Unif, MKL and KL-C.

    Here: each of them over the data sets, by Wilcoxon's signed-rank test at 5 %, under the l1 and under the l2 norm.
    """
    pairs = [(f"rkl_{norm}", rival) for norm in ("l1", "l2") for rival in ("unif", f"mkl_{norm}", f"klc_{norm}")]
    gains = {f"{rival} ({ours})": [*_gains(evidence, ours, [rival]).values()] for ours, rival in pairs}
    p = {name: signed_rank(row, np.zeros(len(row))) for name, row in gains.items() if 2 * len(row) > len(SETS)}
    text = f"p = {', '.join(f'{value:.2g} against {name}' for name, value in p.items())}"
    hits = {name: value < BEST_LEVEL and float(np.mean(gains[name])) > 0.0 for name, value in p.items()}
    return Answer.on_all(hits, list(gains), text)


def _gains(evidence: Evidence, winner: str, rivals: list[str], datasets: Iterable[str] = SETS) -> dict[str, float]:
    """Return by how many points the winner is ahead of the best rival, on each data set of this run."""
    means = evidence.means([winner, *rivals], ACCURACY, datasets)
    return {name: row[winner] - max(row[rival] for rival in rivals) for name, row in means.items()}


def best_under_l1(evidence: Evidence) -> Answer:
    """Under the l1 norm, RKL is better than Unif, MKL and KL-C on 8 of the 11 data sets."""
    return _is_ahead(evidence, ["rkl_l1", "unif", "mkl_l1", "klc_l1"], 8 / 11)


def never_behind_under_l1(evidence: Evidence) -> Answer:
    """Under the l1 norm, RKL equals the best of Unif, MKL and KL-C where it is not better.

    Here: on no data set is it behind by the corrected resampled t-test at 5 %.
    """
    names = ["rkl_l1", "unif", "mkl_l1", "klc_l1"]
    return Answer.by_share(not_behind(evidence, names), SETS, "every", "RKL is not significantly behind")


def not_behind(evidence: Evidence, names: list[str]) -> dict[str, bool]:
    """Return on which data sets the test of the folds, at 5 %, does not tell the first from a best that it is not."""
    best = evidence.results.best
    return {name: names[0] in best(name, names, ACCURACY) for name in evidence.means(names, ACCURACY, SETS)}


def best_under_l1_without_b(evidence: Evidence) -> Answer:
    """Under the l1 norm, RKL is better on 8 of the 11 data sets, with KL-C without its bias as the rival."""
    return _is_ahead(evidence, ["rkl_l1", "unif", "mkl_l1", "klc_l1_unbiased"], 8 / 11)


def _is_ahead(evidence: Evidence, names: list[str], share: Share | float) -> Answer:
    """Judge on which share of the data sets RKL, the first algorithm, is ahead of the others."""
    return Answer.by_values(
        _gains(evidence, names[0], names[1:]), lambda gain: gain > PRINTED, SETS, share, "RKL is ahead"
    )


def best_under_l2(evidence: Evidence) -> Answer:
    """Under the l2 norm, RKL outperforms MKL and KL-C on 10 of 11 data sets, "with only 1 inverse result".

    Here: it is ahead on most data sets, and significantly behind on 1 at most (corrected t-test).
    """
    return _outperforms(evidence, ["rkl_l2", "mkl_l2", "klc_l2"])


def best_under_l2_without_b(evidence: Evidence) -> Answer:
    """Under the l2 norm, RKL outperforms the others on 10 of 11 data sets, with KL-C without its bias as the rival.

    Here: as 1c.
    """
    return _outperforms(evidence, ["rkl_l2", "mkl_l2", "klc_l2_unbiased"])


def _outperforms(evidence: Evidence, names: list[str]) -> Answer:
    behind = {name: not hit for name, hit in not_behind(evidence, names).items()}
    at_most_one = Answer.at_most(behind, SETS, INVERSE, "significantly behind")
    return Answer.both(_is_ahead(evidence, names, "most"), at_most_one)


def gains_over_mkl(evidence: Evidence) -> Answer:
    """Under the l1 norm, RKL gains "5 or more percents" over MKL on splice, liver and musk1 (here: or not less).

    The printed gain on liver is 5.0, which half of all partitions would miss: a gain counts too that the corrected
    resampled t-test at 5 % cannot tell from 5 points.
    """
    datasets = ["splice", "liver", "musk1"]
    hits, gains = _as_large(evidence, "mkl_l1", 5.0, datasets)
    return Answer.on_named(hits, datasets, f"5 points, or not told from 5{gains}")


def gains_over_klc(evidence: Evidence) -> Answer:
    """Under the l1 norm, RKL gains "more than 9 percents" over KL-C on four data sets (here: or not less, see 2a)."""
    return _gains_nine(evidence, "klc_l1")


def gains_over_klc_without_b(evidence: Evidence) -> Answer:
    """Under the l1 norm, RKL gains "more than 9 percents" over KL-C without its bias on four data sets (see 2a)."""
    return _gains_nine(evidence, "klc_l1_unbiased")


def _gains_nine(evidence: Evidence, rival: str) -> Answer:
    hits, gains = _as_large(evidence, rival, 9.0, SETS)
    return Answer.by_share(hits, SETS, 4 / 11, f"9 points, or not told from 9{gains}")


def _as_large(evidence: Evidence, rival: str, points: float, datasets: list[str]) -> tuple[dict[str, bool], str]:
    """Return whether each gain of RKL l1 is as large, or positive and not significantly different; and all in words."""
    hits, gains = {}, _gains(evidence, "rkl_l1", [rival], datasets)
    for name, gain in gains.items():
        lead = evidence.results.difference(name, "rkl_l1", rival, ACCURACY)
        alike = lead is not None and lead._replace(value=lead.value - points).p_value >= BEST_LEVEL
        hits[name] = gain >= points - PRINTED or (gain > PRINTED and alike)
    text = ", ".join(f"{name} {gain:+z.1f}" for name, gain in gains.items())
    return hits, f" ({text})" if text else ""


def mkl_is_sensitive(evidence: Evidence) -> Answer:
    """MKL is sensitive to the norm constraint: l1 and l2 differ by a point or more on most data sets."""
    spreads = _spreads(evidence, ["mkl_l1", "mkl_l2"])
    return Answer.by_values(spreads, lambda spread: spread >= SENSITIVE, SETS, "most", "a point or more")


def klc_is_sensitive(evidence: Evidence) -> Answer:
    """KL-C is sensitive to the norm constraint (here: l1 and l2 differ by a point or more, in the mean; printed: 2.3).

    By the printed numbers 6 data sets of 11 differ by a point or more, four of them by 1.2 to 1.6.
    """
    return _sensitive(evidence, ["klc_l1", "klc_l2"])


def klc_without_b_is_sensitive(evidence: Evidence) -> Answer:
    """KL-C without its bias is sensitive to the norm constraint (here: by a point or more in the mean, see 3b)."""
    return _sensitive(evidence, ["klc_l1_unbiased", "klc_l2_unbiased"])


def rkl_is_not_sensitive(evidence: Evidence) -> Answer:
    """RKL is not sensitive to the norm constraint: l1, l2 and none differ by less than a point on most data sets."""
    spreads = _spreads(evidence, RKL)
    return Answer.by_values(spreads, lambda spread: spread < SENSITIVE, SETS, "most", "less than a point")


def _sensitive(evidence: Evidence, names: list[str]) -> Answer:
    spreads = _spreads(evidence, names)
    if not spreads:
        return Answer.undecided(lacking(SETS))
    mean = sum(spreads.values()) / len(spreads)
    text = f"{mean:.1f} points in the mean over {len(spreads)} data sets, {max(spreads.values()):.1f} at most"
    text += f"; a point or more on {sum(spread >= SENSITIVE for spread in spreads.values())}"
    return Answer.of(mean >= SENSITIVE, text, enough=2 * len(spreads) >= len(SETS))


def _spreads(evidence: Evidence, names: list[str]) -> dict[str, float]:
    return {name: float(np.ptp([*row.values()])) for name, row in evidence.means(names, ACCURACY, SETS).items()}


def best_under_both_norms(evidence: Evidence) -> Answer:
    """RKL is better than MKL and than KL-C under both the l1 and the l2 norm on most data sets."""
    l1, l2 = (_gains(evidence, f"rkl_{norm}", [f"mkl_{norm}", f"klc_{norm}"]) for norm in ("l1", "l2"))
    ahead = {name: l1[name] > 0.0 and l2[name] > 0.0 for name in l1 if name in l2}
    return Answer.by_share(ahead, SETS, "most", "RKL is ahead under both norms")


def mkl_l1_is_sparse(evidence: Evidence) -> Answer:
    """MKL under the l1 norm always gives sparse combinations."""
    return Answer.by_share(_sparse(evidence, ["mkl_l1"]), SETS, "every", "sparse")


def mkl_l2_is_not_sparse(evidence: Evidence) -> Answer:
    """MKL under the l2 norm never gives sparse combinations."""
    return Answer.by_values(_sparse(evidence, ["mkl_l2"]), lambda sparse: not sparse, SETS, "every", "not sparse")


def rkl_is_sparse(evidence: Evidence) -> Answer:
    """RKL gives sparse combinations on most data sets, whatever the norm constraint."""
    return Answer.by_share(_sparse(evidence, RKL), SETS, "most", "sparse under all three constraints")


def klc_l2_is_slightly_sparse(evidence: Evidence) -> Answer:
    """KL-C under the l2 norm slightly promotes sparsity: on most data sets it selects fewer than all kernels."""
    count = len(evidence.results.study.kernel_list())
    means = evidence.means(["klc_l2"], SELECTED, SETS)
    return Answer.by_values(means, lambda row: row["klc_l2"] < count, SETS, "most", "fewer than all")


def rkl_is_sparser_than_klc(evidence: Evidence) -> Answer:
    """RKL under the l2 norm selects fewer kernels than KL-C under the l2 norm (on all eleven data sets of Table 1).

    On wdbc the processor decides our verdict, see docs/papers/rkl.md.
    """
    means = evidence.means(["rkl_l2", "klc_l2"], SELECTED, SETS)
    return Answer.by_values(means, lambda row: row["rkl_l2"] < row["klc_l2"], SETS, "every", "fewer kernels")


def _sparse(evidence: Evidence, names: list[str]) -> dict[str, bool]:
    most = SPARSE * len(evidence.results.study.kernel_list())
    return {name: max(row.values()) <= most for name, row in evidence.means(names, SELECTED, SETS).items()}


def converges_quickly(evidence: Evidence) -> Answer:
    """RKL "usually achieves approximate convergence within one or two dozens of invocations" of each solver.

    Here, on most data sets: the median fit is certified to be within 1 % of the optimum after 24 calls of each or
    fewer, of our descent, whose steps are Barzilai and Borwein's. A fit that its certificate finds farther off has not
    converged.
    """
    calls = {}
    for name in SETS:
        fits = [np.array([evidence.results.values(name, rkl, metric) for metric in CERTIFICATE]) for rkl in RKL]
        if all(values.size for values in fits):
            gap, *svm_and_meb = np.concatenate(fits, axis=1)
            calls[name] = float(np.median(np.where(gap <= CERTIFIED, np.max(svm_and_meb, axis=0), np.inf)))
    text = ", ".join(f"{name} {median:g}" for name, median in calls.items())
    phrase = f"certified after no more than {TWO_DOZEN} SVM and MEB calls each (median; {text})"
    return Answer.by_values(calls, lambda median: median <= TWO_DOZEN, SETS, "most", phrase)


def invariant_to_one_scale(evidence: Evidence) -> Answer:
    """RKL's decision values do not change when all kernels are scaled, under any norm (Propositions 1 and 2).

    Here: at a gap of 1e-5, on three data sets.
    """
    return _unchanged(evidence, "scale_all")


def invariant_to_each_scale(evidence: Evidence) -> Answer:
    """RKL's decision values do not change when one base kernel is scaled (Proposition 3), under any norm.

    Here: as 6a. The start of the descent changes with the scale; its steps, on kernels of unit trace, do not.
    """
    return _unchanged(evidence, "scale_one")


def mkl_depends_on_scale(evidence: Evidence) -> Answer:
    """MKL's decision values change visibly when base kernels are scaled, under either norm."""
    changes = _changes(evidence, ["scale_all", "scale_one"], ["mkl_l1", "mkl_l2"])
    phrase = f"a change of {VISIBLE:.0%} of their spread or more"
    return Answer.by_values(changes, lambda largest: min(largest) >= VISIBLE, _scaled_sets(evidence), "every", phrase)


def _unchanged(evidence: Evidence, sweep: str) -> Answer:
    changes = _changes(evidence, [sweep], RKL)
    worst = max((max(largest) for largest in changes.values()), default=np.nan)
    phrase = f"no change above {UNCHANGED:g} of their spread (largest {worst:.1e})"
    return Answer.by_values(changes, lambda largest: max(largest) <= UNCHANGED, _scaled_sets(evidence), "every", phrase)


def _changes(evidence: Evidence, sweeps: list[str], names: list[str]) -> dict[str, list[float]]:
    """Return for each data set the largest change of each algorithm in each sweep, over factors and folds."""
    changes: dict[str, list[float]] = {}
    for dataset in _scaled_sets(evidence):
        tables = [evidence.results.swept(sweep, dataset, name, "decision_change") for sweep in sweeps for name in names]
        if all(len(table) for table in tables):
            changes[dataset] = [float(table.to_numpy().max()) for table in tables]
    return changes


def _scaled_sets(evidence: Evidence) -> list[str]:
    return evidence.results.study.sweeps["scale_all"].datasets


CLAIMS = [
    Claim("1", "Abstract, Sections 1, 5, 7", significantly_best),
    Claim("1a", "Section 6 (a)", best_under_l1),
    Claim("1b", "Section 6 (a)", never_behind_under_l1),
    Claim("1c", "Section 6 (a)", best_under_l2),
    Claim("1d", "Section 6 (a)", best_under_l1_without_b),
    Claim("1e", "Section 6 (a)", best_under_l2_without_b),
    Claim("2a", "Section 6 (a)", gains_over_mkl),
    Claim("2b", "Section 6 (a)", gains_over_klc),
    Claim("2c", "Section 6 (a)", gains_over_klc_without_b),
    Claim("3a", "Section 6 (b)", mkl_is_sensitive),
    Claim("3b", "Section 6 (b)", klc_is_sensitive),
    Claim("3c", "Section 6 (b)", klc_without_b_is_sensitive),
    Claim("3d", "Section 6 (b)", best_under_both_norms),
    Claim("3e", "Section 6 (c)", rkl_is_not_sensitive),
    Claim("4a", "Section 6 (d)", mkl_l1_is_sparse),
    Claim("4b", "Section 6 (d)", mkl_l2_is_not_sparse),
    Claim("4c", "Section 6 (e)", rkl_is_sparse),
    Claim("4d", "Section 6 (e)", klc_l2_is_slightly_sparse),
    Claim("4e", "Section 6 (e)", rkl_is_sparser_than_klc),
    Claim("5", "Section 5", converges_quickly),
    Claim("6a", "Section 3.1", invariant_to_one_scale),
    Claim("6b", "Section 3.1", invariant_to_each_scale),
    Claim("6c", "Section 2.1", mkl_depends_on_scale),
]
