"""The claims of Hoi et al. 2013, "Online multiple kernel classification", Section 5 and Theorem 1.

"Better" compares means over all runs; "significantly" and "among the best" are Student's t-test at 5 %, as in the
paper's tables.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from grambench.claims import Answer, Claim, Evidence, Quorum, Samples, at_most, gather, listed, named, quorum, true_on
from grambench.results.statistics import BEST_LEVEL, Sample, best_set, paired, student

SETS = [  # Tables 3 and 4
    *("ionosphere", "votes84", "wdbc", "breast", "australian", "diabetes", "fourclass", "splice", "dorothea"),
    *("svmguide3", "svmguide1", "a3a", "spambase", "mushrooms", "w5a"),
]
TIMED_SETS = ["sonar", *SETS]  # Table 5
OMKC = ["omkc_dd", "omkc_ds", "omkc_sd", "omkc_ss"]
TABLE_3 = ["perceptron", "perceptron_u", "perceptron_star", "om2", "omkc_dd"]
TABLE_4 = ["om2", *OMKC]
MISTAKES, VECTORS, SECONDS, ROWS = "mistake_percent", "support_vectors", "seconds", "row_additions"
BEST_BETA = (0.7, 0.9)
SMALL_BETA = 0.5
EXPERTS = "omkc_dd"  # its updates of a kernel are that kernel's own mistakes
EARLY = 0.1  # share of the pass behind "at the beginning"


def _samples(
    evidence: Evidence, algorithms: Iterable[str], metric: str, datasets: Iterable[str] = SETS
) -> dict[str, Samples]:
    return gather(evidence, algorithms, metric, datasets)


def _below(first: str, second: str, factor: float = 1.0) -> Callable[[Samples], bool]:
    return lambda samples: samples[first].mean < factor * samples[second].mean


def _fewer(
    evidence: Evidence, first: str, second: str, metric: str, share: Quorum, what: str, factor: float = 1.0
) -> Answer:
    """Judge on what share of the data sets the first algorithm has a lower mean than a multiple of the second's."""
    samples = _samples(evidence, [first, second], metric)
    return quorum(true_on(samples, _below(first, second, factor)), SETS, share, what)


def _significantly_below(first: Sample, second: Sample) -> bool:
    return first.mean < second.mean and student(first, second) < BEST_LEVEL


def _among_best(evidence: Evidence, algorithms: list[str], candidate: str) -> dict[str, bool]:
    return true_on(_samples(evidence, algorithms, MISTAKES), lambda samples: candidate in best_set(samples))


def best_of_table_3(evidence: Evidence) -> Answer:
    """OMKC(D,D) is the best, or not different from the best, on 12 of the 15 data sets of Table 3."""
    return quorum(_among_best(evidence, TABLE_3, "omkc_dd"), SETS, 12 / 15, "OMKC(D,D) is best or tied")


def star_rarely_best(evidence: Evidence) -> Answer:
    """Perceptron(*) is among the best of Table 3 on 1 of 15 data sets only (by the printed numbers it is 2)."""
    return at_most(_among_best(evidence, TABLE_3, "perceptron_star"), SETS, 1, "Perceptron(*) is best or tied")


def om2_rarely_best(evidence: Evidence) -> Answer:
    """OM-2 is among the best of Table 3 on 4 of 15 data sets only (the caption; 3 in the text)."""
    return at_most(_among_best(evidence, TABLE_3, "om2"), SETS, 4, "OM-2 is best or tied")


def om2_rarely_best_of_table_4(evidence: Evidence) -> Answer:
    """OM-2 is among the best of Table 4 on 3 of 15 data sets only."""
    return at_most(_among_best(evidence, TABLE_4, "om2"), SETS, 3, "OM-2 is best or tied")


def best_omkc(evidence: Evidence) -> Answer:
    """OMKC's best algorithm is among the best of Table 4 on 11 of 15 data sets."""
    hits = {name: _among_best(evidence, TABLE_4, name) for name in OMKC}
    best = max(OMKC, key=lambda name: sum(hits[name].values()))
    return quorum(hits[best], SETS, 11 / 15, f"{evidence.results.title(best)} is best or tied")


def uniform_beats_linear(evidence: Evidence) -> Answer:
    """Perceptron(u) makes fewer mistakes than Perceptron on most data sets."""
    return _fewer(evidence, "perceptron_u", "perceptron", MISTAKES, "most", "Perceptron(u) is better")


def uniform_exceptions(evidence: Evidence) -> Answer:
    """Perceptron(u) is considerably worse than Perceptron on wdbc, breast and spambase."""
    wanted = ["wdbc", "breast", "spambase"]
    samples = _samples(evidence, ["perceptron_u", "perceptron"], MISTAKES, wanted)
    hits = true_on(samples, lambda each: _significantly_below(each["perceptron"], each["perceptron_u"]))
    return named(hits, wanted, "Perceptron(u) is significantly worse")


def _star_wins(samples: Samples) -> dict[str, bool]:
    """Return whether Perceptron(*) is significantly better, for each of the other two."""
    others = ("perceptron", "perceptron_u")
    return {name: _significantly_below(samples["perceptron_star"], samples[name]) for name in others}


def star_beats_perceptrons(evidence: Evidence) -> Answer:
    """Perceptron(*) significantly outperforms the other two "for most cases" (here: in most pairs, two a data set)."""
    samples = _samples(evidence, TABLE_3[:3], MISTAKES)
    title = evidence.results.title
    pairs = {
        f"{name} ({title(other)})": won for name, each in samples.items() for other, won in _star_wins(each).items()
    }
    wanted = [f"{name} ({title(other)})" for name in SETS for other in ("perceptron", "perceptron_u")]
    return quorum(pairs, wanted, "most", "Perceptron(*) is significantly better")


def star_exceptions(evidence: Evidence) -> Answer:
    """Perceptron(*) is not significantly better than both on ionosphere and votes84."""
    wanted = ["ionosphere", "votes84"]
    hits = true_on(
        _samples(evidence, TABLE_3[:3], MISTAKES, wanted), lambda samples: not all(_star_wins(samples).values())
    )
    return named(hits, wanted, "Perceptron(*) is not better than both")


def beats_star(evidence: Evidence) -> Answer:
    """OMKC(D,D) makes fewer mistakes than Perceptron(*) on almost all data sets."""
    return _fewer(evidence, "omkc_dd", "perceptron_star", MISTAKES, "almost all", "OMKC(D,D) is better")


def beats_om2(evidence: Evidence) -> Answer:
    """OMKC(D,D) makes fewer mistakes than OM-2 on most data sets."""
    return _fewer(evidence, "omkc_dd", "om2", MISTAKES, "most", "OMKC(D,D) is better")


def om2_exceptions(evidence: Evidence) -> Answer:
    """OM-2 makes fewer mistakes than OMKC(D,D) on svmguide3, a3a and w5a."""
    wanted = ["svmguide3", "a3a", "w5a"]
    samples = _samples(evidence, ["omkc_dd", "om2"], MISTAKES, wanted)
    return named(true_on(samples, _below("om2", "omkc_dd")), wanted, "OM-2 is better")


def twelve_times_the_vectors(evidence: Evidence) -> Answer:
    """On ionosphere OMKC(D,D) has almost 12 times the support vectors of OM-2 (here: 10.5 to 13.5 times)."""
    samples = _samples(evidence, ["omkc_dd", "om2"], VECTORS, ["ionosphere"]).get("ionosphere")
    if samples is None:
        return Answer.undecided("needs OMKC(D,D) and OM-2 on ionosphere, not at hand")
    ratio = samples["omkc_dd"].mean / samples["om2"].mean
    counts = f"{samples['omkc_dd'].mean:.1f} against {samples['om2'].mean:.1f} support vectors"
    return Answer.decided(10.5 <= ratio <= 13.5, f"{ratio:.1f} times: {counts}")


def stochastic_update_is_sparser(evidence: Evidence) -> Answer:
    """OMKC(S,D) has fewer support vectors than OMKC(D,D) on every data set."""
    return _fewer(evidence, "omkc_sd", "omkc_dd", VECTORS, "every", "OMKC(S,D) has fewer")


def stochastic_update_is_faster(evidence: Evidence) -> Answer:
    """OMKC(S,D) takes less time than OMKC(D,D) on every data set (by work: rows added to scores)."""
    work, seconds = (
        true_on(_samples(evidence, ["omkc_sd", "omkc_dd"], metric), _below("omkc_sd", "omkc_dd"))
        for metric in (ROWS, SECONDS)
    )
    answer = quorum(work, SETS, "every", "OMKC(S,D) adds fewer rows")
    return answer._replace(evidence=f"{answer.evidence}; in seconds on {sum(seconds.values())} of {len(seconds)}")


def stochastic_update_is_as_good(evidence: Evidence) -> Answer:
    """OMKC(S,D) has comparable or even better mistake rates than OMKC(D,D): not significantly worse on most sets."""
    samples = _samples(evidence, ["omkc_sd", "omkc_dd"], MISTAKES)
    hits = true_on(samples, lambda each: not _significantly_below(each["omkc_dd"], each["omkc_sd"]))
    return quorum(hits, SETS, "most", "OMKC(S,D) is not significantly worse")


def stochastic_combination_is_sparse(evidence: Evidence) -> Answer:
    """OMKC(D,S) has over 90 % fewer support vectors than OMKC(D,D) on most data sets."""
    return _fewer(evidence, "omkc_ds", "omkc_dd", VECTORS, "most", "OMKC(D,S) has over 90 % fewer", 0.1)


def _ends(evidence: Evidence, metric: str) -> pd.DataFrame:
    """Return the means over all runs at a tenth of the pass and at its end: columns early and late."""
    curves = evidence.curves[evidence.curves["metric"] == metric]
    means = curves.groupby(["dataset", "algorithm", "round"], as_index=False)["result"].mean()
    last = means.groupby("dataset")["round"].transform("max")
    early = means[means["round"] >= EARLY * last].groupby(["dataset", "algorithm"])["result"].first()
    late = means[means["round"] == last].groupby(["dataset", "algorithm"])["result"].first()
    return pd.DataFrame({"early": early, "late": late})


def mistakes_fall(evidence: Evidence) -> Answer:
    """Mistake rates of all OMKC algorithms fall as more examples arrive, on almost all data sets."""
    ends = _ends(evidence, MISTAKES)
    at_hand = [name for name in SETS if all((name, algorithm) in ends.index for algorithm in OMKC)]
    falls = ends["late"] < ends["early"]
    hits = {name: all(bool(falls[name, algorithm]) for algorithm in OMKC) for name in at_hand}
    return quorum(hits, SETS, "almost all", "all four rates are lower at the end than after a tenth of the pass")


def most_complex(evidence: Evidence) -> Answer:
    """OMKC(D,D) produces the most complex classifier of the OMKC algorithms, on every data set."""
    hits = true_on(
        _samples(evidence, OMKC, VECTORS), lambda each: max(each, key=lambda name: each[name].mean) == "omkc_dd"
    )
    return quorum(hits, SETS, "every", "OMKC(D,D) has the most support vectors")


def sparsest_late(evidence: Evidence) -> Answer:
    """When many examples have arrived, OMKC(D,S) is sparser than OMKC(S,S), on almost all data sets."""
    what = "OMKC(D,S) has fewer support vectors at the end"
    return _fewer(evidence, "omkc_ds", "omkc_ss", VECTORS, "almost all", what)


def weight_of_the_best(evidence: Evidence) -> Answer:
    """OMKC(D,D) and (D,S) put more weight on the best kernel than (S,D) and (S,S), on almost all data sets."""
    hits = {}
    for name in SETS:
        best = evidence.results.best_kernels(name)
        if not best:
            continue
        chosen = evidence.curves[evidence.curves["dataset"] == name]
        late = _ends(Evidence(evidence.results, chosen), f"weight:{best[0]}")["late"]
        weights = {algorithm: float(late.get((name, algorithm), math.nan)) for algorithm in OMKC}
        if all(map(math.isfinite, weights.values())):
            hits[name] = min(weights["omkc_dd"], weights["omkc_ds"]) > max(weights["omkc_sd"], weights["omkc_ss"])
    return quorum(hits, SETS, "almost all", "both end with more weight on the best kernel")


def _savings(evidence: Evidence, algorithm: str, metric: str = ROWS) -> dict[str, float]:
    """Return the percentage that an algorithm saves of OMKC(D,D)'s work, or seconds, on each data set.

    A pass consists of rows of kernel values that are added to scores. Their number is judged: it decides how long the
    pass takes, and does not depend on the computer. Seconds are reported beside it.
    """
    samples = _samples(evidence, [algorithm, "omkc_dd"], metric, TIMED_SETS)
    return {name: 100 * (1 - each[algorithm].mean / each["omkc_dd"].mean) for name, each in samples.items()}


def _between(evidence: Evidence, algorithm: str, low: float, high: float, what: str) -> Answer:
    savings = _savings(evidence, algorithm)
    hits = {name: low <= saving <= high for name, saving in savings.items()}
    answer = quorum(hits, TIMED_SETS, "most", what)
    for metric, unit in ((ROWS, "row additions"), (SECONDS, "seconds")):
        if saved := list(_savings(evidence, algorithm, metric).values()):
            shown = f"{unit}: median {np.median(saved):.0f} %, {min(saved):.0f} to {max(saved):.0f} %"
            answer = answer._replace(evidence=f"{answer.evidence}; {shown}")
    return answer


def both_stochastic_saves(evidence: Evidence) -> Answer:
    """OMKC(S,S) usually saves about 30 to 80 % of OMKC(D,D)'s time (by work: rows added to scores)."""
    return _between(evidence, "omkc_ss", 30, 80, "OMKC(S,S) saves 30 to 80 %")


def stochastic_update_saves(evidence: Evidence) -> Answer:
    """OMKC(S,D) saves about 5 to 60 % of OMKC(D,D)'s time (by work: rows added to scores)."""
    return _between(evidence, "omkc_sd", 5, 60, "OMKC(S,D) saves 5 to 60 %")


def stochastic_combination_as_slow(evidence: Evidence) -> Answer:
    """OMKC(D,S) is about as slow as OMKC(D,D) (here, by work: from 5 % more rows added to 15 % fewer)."""
    return _between(evidence, "omkc_ds", -5, 15, "OMKC(D,S) takes about as long")


def _size(evidence: Evidence) -> dict[str, int]:
    """Return the number of examples of each data set: the length of a pass."""
    return {str(name): int(size) for name, size in evidence.curves.groupby("dataset")["round"].max().items()}


def savings_grow(evidence: Evidence) -> Answer:
    """Time saved by stochastic updating grows with the data set (here: rank correlation of work saved, at 5 %)."""
    sizes = _size(evidence)
    parts, verdicts = [], []
    for algorithm in ("omkc_sd", "omkc_ss"):
        savings = {name: saving for name, saving in _savings(evidence, algorithm).items() if name in sizes}
        if 2 * len(savings) < len(TIMED_SETS):
            return Answer.undecided(f"only {len(savings)} of {len(TIMED_SETS)} data sets at hand")
        answer: Any = stats.spearmanr([sizes[name] for name in savings], list(savings.values()), alternative="greater")
        verdicts.append(bool(answer.pvalue < BEST_LEVEL))
        title = evidence.results.title(algorithm)
        parts.append(f"{title}: rank correlation {answer.statistic:.2f}, p = {answer.pvalue:.2g}")
    return Answer.decided(all(verdicts), f"{'; '.join(parts)}; {len(savings)} data sets")


def _swept_sets(evidence: Evidence) -> list[str]:
    sweep = evidence.results.study.sweeps.get("beta")
    return sweep.datasets if sweep else []


def _tables(evidence: Evidence, algorithm: str) -> dict[str, pd.DataFrame]:
    """Return the mistake rates at each beta (rows) in each run on each data set that has the sweep."""
    tables = {name: evidence.results.swept("beta", name, algorithm, MISTAKES) for name in _swept_sets(evidence)}
    return {name: table for name, table in tables.items() if len(table)}


def _swept(evidence: Evidence, algorithm: str) -> dict[str, pd.Series]:
    """Return the mean mistake rate at each beta on each data set that has the sweep."""
    return {name: table.mean(axis=1) for name, table in _tables(evidence, algorithm).items()}


def _best_beta(evidence: Evidence, algorithm: str) -> Answer:
    """Judge whether the best beta of the range is as good as the best of all, on the same permutations."""
    hits, found = {}, []
    low, high = BEST_BETA
    for name, table in _tables(evidence, algorithm).items():
        beta, rates = table.index.to_numpy(dtype=np.float64), table.to_numpy()
        means = rates.mean(axis=1)
        inside = (beta > low - 1e-9) & (beta < high + 1e-9)
        if not inside.any():
            continue
        best, own = int(means.argmin()), int(np.where(inside, means, np.inf).argmin())
        p = paired(rates[own], rates[best])
        hits[name] = means[own] == means[best] or not p < BEST_LEVEL
        found.append(f"{name} {beta[best]:g}" + ("" if own == best else f" (p = {p:.2g})"))
    title = evidence.results.title(algorithm)
    what = f"no beta makes {title} significantly better than the best in [{low}, {high}]"
    answer = quorum(hits, _swept_sets(evidence), "most", what)
    return answer._replace(evidence=f"{answer.evidence}; best beta: {listed(found)}")


def best_beta_of_dd(evidence: Evidence) -> Answer:
    """OMKC(D,D)'s best beta often falls in 0.7 to 0.9 (here, on most data sets: none is significantly better, paired).

    The paper compares means by eye; neighbouring values of beta make nearly the same mistakes on the same permutations.
    """
    return _best_beta(evidence, "omkc_dd")


def best_beta_of_ss(evidence: Evidence) -> Answer:
    """OMKC(S,S)'s best beta often falls in 0.7 to 0.9 (here: as 12a)."""
    return _best_beta(evidence, "omkc_ss")


def small_beta_hurts(evidence: Evidence) -> Answer:
    """OMKC(D,D) and (S,S) are hurt by a beta below 0.5: more mistakes on average than with 0.7 to 0.9, on most sets."""
    low, high = BEST_BETA
    hits: dict[str, bool] = {}
    for algorithm in ("omkc_dd", "omkc_ss"):
        for name, rate in _swept(evidence, algorithm).items():
            beta = rate.index.to_numpy(dtype=np.float64)
            recommended = rate[(beta > low - 1e-9) & (beta < high + 1e-9)]
            small = rate[beta < SMALL_BETA - 1e-9]
            if len(small) and len(recommended):
                hits[name] = hits.get(name, True) and bool(small.mean() > recommended.mean())
    return quorum(hits, _swept_sets(evidence), "most", "both make more mistakes")


def theorem_1(evidence: Evidence) -> Answer:
    """M <= 2 ln(1/beta) / (1 - beta) min_i sum_t z_i(t) + 2 ln m / (1 - beta) in every run of OMKC(D,D)."""
    results = evidence.results
    kernels = [kernel.name for kernel in results.study.kernel_list()]
    entry = results.study.algorithms.get(EXPERTS)
    beta = float(entry.parameters.get("beta", math.nan)) if entry else math.nan
    if not 0 < beta < 1:
        return Answer.undecided("the study gives OMKC(D,D) no beta between 0 and 1")
    runs, violated, tightest = 0, [], 0.0
    sizes = _size(evidence)
    for name in results.study.datasets:
        rates = results.values(name, EXPERTS, MISTAKES)
        if not rates.size or name not in sizes:
            continue
        updates = np.stack([results.values(name, EXPERTS, f"updates:{kernel}") for kernel in kernels])
        if not updates.size:  # of the paper's own numbers
            continue
        bound = 2 * (math.log(1 / beta) * updates.min(axis=0) + math.log(len(kernels))) / (1 - beta)
        used = np.rint(rates * sizes[name] / 100) / bound
        runs, tightest = runs + rates.size, max(tightest, float(used.max()))
        violated += [f"{name} run {repetition}" for repetition in np.flatnonzero(~(used <= 1))]
    if not runs:
        return Answer.undecided("no run of OMKC(D,D) at hand")
    evidence_line = f"{runs - len(violated)} of {runs} runs; at most {100 * tightest:.0f} % of the bound are used"
    return Answer("fails" if violated else "holds", evidence_line + (f"; not {listed(violated)}" if violated else ""))


CLAIMS = [
    Claim("1a", "Table 3, Section 5.2", best_of_table_3),
    Claim("1b", "Table 3, Section 5.2", star_rarely_best),
    Claim("1c", "Table 3, Section 5.2", om2_rarely_best),
    Claim("2a", "Table 4", om2_rarely_best_of_table_4),
    Claim("2b", "Table 4", best_omkc),
    Claim("3a", "Section 5.2", uniform_beats_linear),
    Claim("3b", "Section 5.2", uniform_exceptions),
    Claim("4a", "Section 5.2", star_beats_perceptrons),
    Claim("4b", "Section 5.2", star_exceptions),
    Claim("5a", "Section 5.2", beats_star),
    Claim("5b", "Section 5.2", beats_om2),
    Claim("5c", "Section 5.2", om2_exceptions),
    Claim("6", "Section 5.2", twelve_times_the_vectors),
    Claim("7a", "Section 5.3.1", stochastic_update_is_sparser),
    Claim("7b", "Section 5.3.1", stochastic_update_is_faster),
    Claim("7c", "Section 5.3.1", stochastic_update_is_as_good),
    Claim("8", "Section 5.3.2", stochastic_combination_is_sparse),
    Claim("9a", "Section 5.4, Figure 1", mistakes_fall),
    Claim("9b", "Section 5.4, Figure 2", most_complex),
    Claim("9c", "Section 5.4, Figure 2", sparsest_late),
    Claim("10", "Section 5.4, Figure 3", weight_of_the_best),
    Claim("11a", "Section 5.5, Table 5", both_stochastic_saves),
    Claim("11b", "Section 5.5, Table 5", stochastic_update_saves),
    Claim("11c", "Section 5.5, Table 5", stochastic_combination_as_slow),
    Claim("11d", "Section 5.5, Table 5", savings_grow),
    Claim("12a", "Section 5.6, Figure 4", best_beta_of_dd),
    Claim("12b", "Section 5.6, Figure 4", best_beta_of_ss),
    Claim("12c", "Section 5.6, Figure 4", small_beta_hurts),
    Claim("13", "Theorem 1, inequality (4)", theorem_1),
]
