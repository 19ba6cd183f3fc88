"""The claims that several studies of CA share: Section 3.2, Table 2 and Section B.1.

Afkanpour et al. 2013, "Alignment based kernel learning with a continuous set of base kernels". The study's name says
which data sets a claim speaks of. Means over the random splits are compared as they stand; work and
`seconds` are those of everything from the features to the tuned SVM, as the paper measures them (Section B.2).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.signal import find_peaks

from grambench.claims import Answer, Claim, Evidence, lacking

MNIST = ("odd_even", "low_high", "1_7", "2_3", "2_7", "3_8", "4_7", "4_9")
LETTER = ("b_d", "b_p", "b_r", "c_g", "d_o", "e_f", "i_j", "k_x", "m_n", "o_q", "p_r", "u_v")
SETS = {  # Sections 3.2 and B.3
    "ca_mnist": [f"mnist_{task}" for task in MNIST],
    "ca_letter": [f"letter_{pair}" for pair in LETTER],
    "ca_eleven": [
        *("banana", "breast_ljubljana", "diabetes", "german", "heart", "image_segmentation", "ringnorm", "sonar"),
        *("splice_raetsch", "thyroid", "waveform"),
    ],
}
CONTINUOUS, FINITE = ["ca_1d", "cr"], ["da", "d1", "d2", "du"]
ONE_PARAMETER = [*CONTINUOUS, *FINITE]
METHODS = [*ONE_PARAMETER, "ca_nd"]  # Table 2
ONE_STAGE, TWO_STAGE = ["d1", "d2", "cr"], ["ca_1d", "da"]
ERROR, ALIGNMENT, SECONDS, ITERATIONS = "error_percent", "alignment", "seconds", "iterations"
OPERATIONS = "operations"
KERNELS = 10
PROFILE, SEARCHES = "profile", 3
MINIMA, PROMINENCE = 2, 1e-6


def titled(evidence: Evidence, values: Mapping[Any, float], style: str) -> str:
    """Return values by algorithm in one line, in a style such as "{:.1f} %"."""
    return ", ".join(f"{evidence.results.title(name)} {style.format(value)}" for name, value in values.items())


def methods(evidence: Evidence) -> list[str]:
    """Return the methods of Table 2 in a study: MNIST is without CA-nD."""
    return ONE_PARAMETER if evidence.results.study.name == "ca_mnist" else METHODS


def sets(evidence: Evidence) -> list[str]:
    """Return the data sets that the paper's claims on a study speak of."""
    study = evidence.results.study
    return SETS.get(study.name, study.datasets)


def _overall(
    evidence: Evidence, table: pd.DataFrame, values: pd.Series, style: str, test: Callable[[pd.Series], bool]
) -> Answer:
    """Judge one value for each algorithm, a summary of the rows of `table`: data sets, at least half of the paper's."""
    datasets = sets(evidence)
    if table.empty:
        return Answer.undecided(lacking(datasets))
    text = f"{titled(evidence, values.sort_values().to_dict(), style)}; {len(table)} of {len(datasets)} data sets"
    return Answer.of(test(values), text, enough=2 * len(table) >= len(datasets))


def ranked(evidence: Evidence, test: Callable[[pd.Series], bool]) -> Answer:
    """Judge the median ranks of Table 2's methods by their mean test errors, on the data sets that have all of them."""
    ranks = evidence.results.ranks(methods(evidence))
    answer = _overall(evidence, ranks, ranks.median(), "{:g}", test)
    return answer if ranks.empty else answer._replace(evidence=f"median ranks {answer.evidence}")


def leads(evidence: Evidence, metric: str, sign: float, datasets: list[str]) -> dict[str, float]:
    """Return how far CA-nD is ahead of the best other method; higher is better where the sign is +1."""
    means = evidence.means(METHODS, metric, datasets)
    return {name: min(sign * (row["ca_nd"] - row[rival]) for rival in ONE_PARAMETER) for name, row in means.items()}


def below(values: pd.Series, first: list[str], algorithms: list[str]) -> bool:
    """Return whether every one of the first algorithms has a lower value than each other algorithm."""
    return bool(values[first].max() < values[[name for name in algorithms if name not in first]].min())


def ca_1d_ranks_first(evidence: Evidence) -> Answer:
    """CA-1D outperforms the rest of the methods: it has the lowest median rank by test error."""
    return ranked(evidence, lambda ranks: below(ranks, ["ca_1d"], methods(evidence)))


def continuous_rank_first(evidence: Evidence) -> Answer:
    """CA-1D and CR, which search a continuous set, outperform all finite methods: both have lower median ranks."""
    return ranked(evidence, lambda ranks: below(ranks, CONTINUOUS, FINITE))


def cr_is_closest(evidence: Evidence) -> Answer:
    """CR is the closest competitor of CA (here: no finite method has a lower median rank by test error).

    Section 1 names CR in its DC form, whose ranks are not printed; Table 2 has the CR of Table 1.
    """
    return ranked(evidence, lambda ranks: bool(ranks["cr"] <= ranks[FINITE].min()))


def alignment_indicates_errors(evidence: Evidence) -> Answer:
    """Test alignment is generally a good indicator of performance.

    Here: over the methods, mean alignments and mean test errors correlate negatively on most data sets.
    """
    aligned, errors = (evidence.results.means(methods(evidence), metric) for metric in (ALIGNMENT, ERROR))
    correlations = aligned.dropna().corrwith(errors.dropna(), axis=1).dropna()
    values = {str(name): float(value) for name, value in correlations.items()}
    span = "({:+z.2f} to {:+z.2f})"
    return Answer.by_values(values, lambda value: value < 0, sets(evidence), "most", "negative", span)


def ends_by_itself(evidence: Evidence) -> Answer:
    """CA always stops before the limit of 50 kernels is reached (here: every run of CA-1D and CA-nD)."""
    names = [name for name in ("ca_1d", "ca_nd") if name in evidence.results.study.algorithms]
    shares = evidence.means(names, "converged", sets(evidence))
    return Answer.by_values(shares, lambda row: min(row.values()) == 1.0, sets(evidence), "every", "all runs end")


def _timed(evidence: Evidence, algorithms: list[str], test: Callable[[pd.Series], bool]) -> Answer:
    """Judge the mean work over the data sets that have all of the algorithms, with the mean seconds in the evidence.

    Work is kernel evaluations and entries added, in everything from the features to the tuned SVM. It is judged because
    it depends neither on the computer nor on other programs.
    """
    work, seconds = (evidence.results.means(algorithms, metric).dropna() for metric in (OPERATIONS, SECONDS))
    answer = _overall(evidence, work, work.mean(), "{:.2g} operations", test)
    text = titled(evidence, seconds.mean().sort_values().to_dict(), "{:.3g} s")
    return answer if seconds.empty else answer.adding(text)


def du_is_fastest(evidence: Evidence) -> Answer:
    """DU is the fastest of Table 2's methods on average."""
    names = methods(evidence)
    return _timed(evidence, names, lambda work: below(work, ["du"], names))


def ca_1d_is_next(evidence: Evidence) -> Answer:
    """CA-1D is the fastest of Table 2's methods but for DU, on average."""
    names = [name for name in methods(evidence) if name != "du"]
    return _timed(evidence, names, lambda work: below(work, ["ca_1d"], names))


def cr_is_slowest(evidence: Evidence) -> Answer:
    """CR is the slowest on average (here: of the methods with one parameter; Table 2 has CA-nD slower on Letter)."""
    return _timed(evidence, ONE_PARAMETER, lambda work: work["cr"] > work.drop("cr").max())


def cr_is_ten_times_slower(evidence: Evidence) -> Answer:
    """CR, the earlier continuous method, is at least one order of magnitude slower than CA-1D (here: on average)."""
    return _timed(evidence, CONTINUOUS, lambda work: bool(work["cr"] >= 10.0 * work["ca_1d"]))


def dc_is_faster(evidence: Evidence) -> Answer:
    """CR in its DC form is faster than CR on average."""
    return _timed(evidence, ["cr_dc", "cr"], lambda work: below(work, ["cr_dc"], ["cr"]))


def dc_is_three_times_faster(evidence: Evidence) -> Answer:
    """CR in its DC form is roughly three times faster than CR on average (here: 2 to 4 times)."""
    return _timed(evidence, ["cr_dc", "cr"], lambda work: bool(2.0 <= work["cr"] / work["cr_dc"] <= 4.0))


def dc_is_slower_than_the_rest(evidence: Evidence) -> Answer:
    """CR in its DC form is still significantly slower than all others but CR.

    Here: on average, without a test, of those with one parameter; Table 2 has CA-nD slower than CR on Letter.
    """
    rest = [name for name in ONE_PARAMETER if name != "cr"]
    return _timed(evidence, [*rest, "cr_dc"], lambda work: below(work, rest, ["cr_dc"]))


def two_stages_are_faster(evidence: Evidence) -> Answer:
    """D1, D2 and CR, which learn kernel and SVM in one stage, are slower than CA-1D and DA, which do not.

    Here: of those with one parameter, as Table 2 has CA-nD, of two stages, slower than all on Letter.
    """
    return _timed(evidence, [*TWO_STAGE, *ONE_STAGE], lambda work: below(work, TWO_STAGE, ONE_STAGE))


def few_kernels(evidence: Evidence) -> Answer:
    """CA converges in less than 10 iterations, one kernel each (here: CA-1D, in every run)."""
    datasets = sets(evidence)
    runs = ((name, evidence.results.values(name, "ca_1d", ITERATIONS)) for name in datasets)
    most = {name: float(values.max()) for name, values in runs if values.size}
    phrase = f"every run takes less than {KERNELS} (most {max(most.values(), default=np.nan):g})"
    return Answer.by_values(most, lambda value: value < KERNELS, datasets, "every", phrase)


def fifty_iterations(evidence: Evidence) -> Answer:
    """CR usually takes around 50 iterations (here: the median over all runs is 25 to 100; ours adds 50 at most)."""
    runs = [evidence.results.values(name, "cr", ITERATIONS) for name in sets(evidence)]
    values, available = np.concatenate(runs), sum(run.size > 0 for run in runs)
    if not available:
        return Answer.undecided(f"none of {len(runs)} data sets has a run of CR")
    median = float(np.median(values))
    text = f"median {median:g}, {values.min():g} to {values.max():g}; {available} of {len(runs)} data sets"
    return Answer.of(25.0 <= median <= 100.0, text, enough=2 * available >= len(runs))


def local_minima(curve: ArrayLike) -> int:
    """Return the number of local minima of a sampled curve (m,) inside its range.

    The ends do not count: where a curve falls towards one, the range has cut it. A flat piece is one minimum if the
    curve rises on both sides of it. What is less deep than 1e-6 of the curve's range, measured to the lower of the
    ridges beside it, does not count.
    """
    values = np.asarray(curve, dtype=np.float64)
    return len(find_peaks(-values, prominence=PROMINENCE * float(np.ptp(values)))[0])


def at_most_two_minima(evidence: Evidence) -> Answer:
    """CA-1D's flipped objective as a function of sigma has at most 2 local minima (here: in every profile sampled).

    Minima inside the range of sigma count; see local_minima.
    """
    results, counts = evidence.results, dict[str, list[int]]()
    sweep = results.study.sweeps.get(PROFILE)
    datasets = sweep.datasets if sweep else sets(evidence)
    for name in datasets:
        tables = [
            results.swept(PROFILE, name, "ca_1d", f"search_objective_{number}") for number in range(1, SEARCHES + 1)
        ]
        curves = [table[repetition].to_numpy(np.float64) for table in tables for repetition in table.columns]
        # The last searches may not take place.
        complete = [curve for curve in curves if np.isfinite(curve).all()]
        if complete:
            counts[name] = [local_minima(curve) for curve in complete]
    phrase = f"no more than {MINIMA} minima"
    if counts:
        minima = np.concatenate([*counts.values()])
        phrase += f" (most {minima.max()}; {(minima > MINIMA).sum()} of {minima.size} curves have more)"
    return Answer.by_values(counts, lambda numbers: max(numbers) <= MINIMA, datasets, "every", phrase)


CLOSEST = Claim("3d", "Section 1, Table 2", cr_is_closest)
INDICATES = Claim("3e", "Section 4", alignment_indicates_errors)
ENDS = Claim("7", "Section 2, footnote 3", ends_by_itself)
MNIST_AND_LETTER = [
    Claim("3a", "Section 3.2, Table 2", ca_1d_ranks_first),
    Claim("3b", "Section 3.2, Table 2", continuous_rank_first),
    CLOSEST,
    INDICATES,
    Claim("5a", "Section 3.2, Table 2", du_is_fastest),
    Claim("5b", "Section 3.2, Table 2", ca_1d_is_next),
    Claim("5c", "Section 3.2, Table 2", cr_is_slowest),
    Claim("5d", "Section 3.2", dc_is_faster),
    Claim("5e", "Section 3.2", dc_is_three_times_faster),
    Claim("5f", "Section 3.2", dc_is_slower_than_the_rest),
    Claim("5g", "Section 3.2, Table 2", two_stages_are_faster),
    Claim("5h", "Section 3.2", few_kernels),
    Claim("5i", "Section 3.2", fifty_iterations),
    Claim("5j", "Section 3.1, footnote 8, Table 2", cr_is_ten_times_slower),
    Claim("6", "Section B.1, Figure 3", at_most_two_minima),
    ENDS,
]
