"""The numbers of the papers' pages, and those of the rows of docs/papers/statements, which these pages have too."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from page_parts import WORDS, Part, Sentence, Table, points
from reference_numbers import ACCURACY, FIT_SECONDS, ROOT, claims_of, counted, reproduced, results_of
from scipy import special

from grambench.claims.omkc import TABLE_3, TABLE_4
from grambench.claims.rkl import RKL
from grambench.common import layout
from grambench.results import archive, replications, reproduction
from grambench.results.statistics import BEST_LEVEL, Sample, resampled_difference, signed_rank
from grambench.results.verdicts import VERDICTS, judge

LARGE_GAP = 10.0  # points between our accuracy and the printed one, from which on the page of OKS has a line for it
OF_OMKC = ("mistake_percent", "support_vectors")  # in Tables 3 and 4

SIGNS = {"exact": "=", "confirmed": "≈", "compatible": "~", "different": "≠", "unavailable": "–"}


def omkc() -> Iterator[Part]:
    """Yield the numbers of docs/papers/omkc.md."""
    found = reproduced("omkc", *OF_OMKC)
    chosen = found["chosen"].map(lambda text: set(filter(None, text.split("; "))))
    few = {"sign(0) = +1", "additions in four lanes", "the linear kernel"}
    parts = {
        "used for no choice": chosen.map(len) == 0,
        "used for the choice of sign(0), the order of additions and the linear kernel alone": chosen.map(
            lambda choices: bool(choices) and choices <= few
        ),
        "all": chosen.map(len) >= 0,
    }
    yield from _printed("omkc", found, dict(zip(OF_OMKC, ("mistakes in percent", "support vectors"), strict=True)))
    rows = [f"| {' | '.join([name, *counted(found[part])])} |" for name, part in parts.items()]
    yield Table("| numbers | exact | confirmed | compatible | different |", rows)
    notes = {
        "| Perceptron, Perceptron(u), Perceptron(*) | {} | {} (dorothea) | {} (dorothea) | {} |": [
            "perceptron",
            "perceptron_u",
            "perceptron_star",
        ],
        "| OMKC(D,D) | {} | {} (dorothea) | {} (dorothea) | {} (w5a's support vectors) |": ["omkc_dd"],
        "| OM-2 | {} | {} (dorothea) | {} (dorothea) | {} (w5a, svmguide3, ionosphere's mistakes) |": ["om2"],
        "| OMKC(D,S) | {} | {} | {} | {} (spambase's mistakes) |": ["omkc_ds"],
        "| OMKC(S,D) | {} | {} | {} | {} |": ["omkc_sd"],
        "| OMKC(S,S) | {} | {} | {} | {} (splice's mistakes, spambase's support vectors) |": ["omkc_ss"],
    }
    for text, names in notes.items():
        yield Sentence(text, counted(found[found["algorithm"].isin(names)]))
    yield from _agreement(found)
    yield from _omkc_claims()


def printed_twice(found: pd.DataFrame) -> list[str]:
    """Return how many of OMKC's exact numbers are of Perceptrons, and of how many results, each printed twice."""
    exact = found[found["algorithm"].str.startswith("perceptron") & (found["verdict"] == "exact")]
    pairs = exact.groupby(["dataset", "algorithm"]).size()
    assert (pairs == len(OF_OMKC)).all(), "the sentences say that both numbers of each result are exact"
    return [str(len(exact)), str(len(pairs))]


def _agreement(found: pd.DataFrame) -> Iterator[Part]:
    """Yield how many of OMKC's numbers on published permutations are exact, and how many of the others differ."""
    tested = found[found["replications"] > 0]
    fixed, spread = found.drop(index=tested.index), np.sqrt(np.square(tested["z"]).mean())
    yield Sentence(
        "Of their {} numbers on published permutations, {} are exact. Of these {} are {} results of the three "
        "Perceptrons",
        [str(len(fixed)), counted(fixed)[0], *printed_twice(found)],
    )
    yield Sentence(
        "- **Few other numbers differ**: {} of {}, where chance alone explains 1. Their z have a root mean square "
        "of {}",
        [counted(tested)[-1], str(len(tested)), f"{spread:.2f}"],
    )


def _omkc_claims() -> Iterator[Part]:
    """Yield what OMKC's claims say, and how it does beside the kernel that is best in hindsight."""
    claims = claims_of("omkc")
    evidence, verdict = claims.set_index("claim")["evidence"], claims["verdict"]
    hits = [re.findall(r" on (\d+) of (\d+)", evidence[claim])[0] for claim in ("5a", "5d", "18b")]
    yield Sentence(
        "on {} of {} data sets (claim 5a), significantly on {} (5d). All four OMKC algorithms do on {} (18b).",
        [*hits[0], hits[1][0], hits[2][0]],
    )
    counts = verdict.value_counts()
    others = (WORDS[counts[name]] for name in ("contradicted", "fails", "undecided"))
    yield Sentence(
        "**{} of {} claims hold here.** Of the others the paper's own numbers contradict {}, {} fail on ours, {} are "
        "undecided",
        [str(counts["holds"]), str(counts.sum()), *others],
    )
    yield Sentence("holds all {}; {} do not hold", [str(counts.sum()), str(counts.sum() - counts["holds"])])
    yield from _in_hindsight()
    updates = results_of("omkc").swept("delta", "ionosphere", "omkc_sd", "support_vectors").mean(axis=1)
    yield Sentence("OMKC(S,D) fall from {} to {} on ionosphere", [f"{updates[delta]:.0f}" for delta in (0.01, 1.0)])
    yield from _budgets()
    yield from omkc_rows()


def _budgets() -> Iterator[Part]:
    """Yield the mistakes with bounded numbers of support vectors."""
    budget, lines = results_of("budget"), []
    for dataset, name in itertools.product(budget.study.datasets, budget.study.algorithms):
        means = budget.swept("budget", dataset, name, OF_OMKC[0]).mean(axis=1)
        numbers = map(points, [*means, budget.values(dataset, name, OF_OMKC[0]).mean()])
        lines.append(f"| {' | '.join([dataset, budget.title(name), *numbers])} |")
    yield Table("| | | 5 | 10 | 20 | 50 | 100 | 200 | 500 | no budget |", lines)


def omkc_rows() -> Iterator[Part]:
    """Yield the numbers of docs/papers/statements/omkc.csv."""
    results, mistakes = results_of("omkc"), OF_OMKC[0]
    sweep, better = results.study.sweeps["delta"], []
    for dataset, name in itertools.product(sweep.datasets, sweep.algorithms):
        swept = results.swept("delta", dataset, name, mistakes)
        best = swept.mean(axis=1).idxmin()
        others = [swept.loc[delta].to_numpy() for delta in (0.001, 0.01) if delta != best]
        tests = [resampled_difference(swept.loc[best].to_numpy(), other, overlap=0.0) for other in others]
        if all(test.p_value < BEST_LEVEL for test in tests):
            better += [dataset, f"{best:g}".removeprefix("0")]
    yield Sentence("on {} {}, the best of nine values, is significantly better than .001, the smallest,", better)
    printed, counts = pd.read_csv(ROOT / "config/published/omkc_tables_3_4.csv"), []
    for table, names in ((3, TABLE_3), (4, TABLE_4)):
        cells = printed[(printed["table"] == table) & (printed["metric"] == mistakes)]
        best_of = results.means(names, mistakes).idxmin(axis=1)
        bold = []
        for dataset, name in zip(cells["dataset"], cells["algorithm"], strict=True):
            apart = results.difference(dataset, best_of[dataset], name, mistakes, overlap=0.0)
            bold.append(name == best_of[dataset] or (apart is not None and apart.p_value >= BEST_LEVEL))
        counts.append(str((cells["highlighted"] == bold).sum()))
    yield Sentence("a paired test of the runs gives {} of the 75 cells of Table 3 and {} of Table 4,", counts)


def _printed(study: str, found: pd.DataFrame, corners: Mapping[str, str]) -> Iterator[Part]:
    """Yield a table of each metric: our mean, the printed one and the sign of the verdict.

    Parameters
    ----------
    study : str
        The study, whose configurations are the columns by title and name.
    found : DataFrame
        Published values beside ours, as `reproduced` gives them.
    corners : mapping from str to str
        The first cell of a metric's table.
    """
    names = list(dict.fromkeys(found["algorithm"]))
    head = " | ".join(f"{results_of(study).title(name)} `{name}`" for name in names).replace("*", r"\*")
    for metric, corner in corners.items():
        rows = []
        for dataset, numbers in found[found["metric"] == metric].groupby("dataset", sort=False):
            rows.append(f"| {' | '.join([str(dataset), *_beside(numbers, names)])} |")
        yield Table(f"| {corner} | {head} |", rows)


def _beside(numbers: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return our mean, the printed one and the verdict's sign of each configuration; a dash where none is printed."""
    texts = numbers.set_index("algorithm")[["ours", "published", "verdict"]].reindex(names).fillna("–").to_numpy()
    cells = [f"{our.partition(' ')[0]} ({printed.partition(' ')[0]}) {SIGNS.get(of, '')}" for our, printed, of in texts]
    return [cell.strip().replace("– (–)", "–") for cell in cells]


def _in_hindsight() -> Iterator[Part]:
    """Yield how OMKC does beside the kernel that is best in hindsight, of the data sets of Tables 3 and 4.

    OMKC(D,D) shows the mistakes of each kernel's classifier, which it updates in every round.
    """
    results, prepared = results_of("omkc"), archive.read_prepared("omkc")
    names, rows = ["omkc_dd", "omkc_ds", "omkc_sd", "omkc_ss"], []
    for dataset in sorted(set(reproduced("omkc", *OF_OMKC)["dataset"])):
        kernels = [kernel.name for kernel in results.study.kernel_list()]
        updates = [results.values(dataset, "omkc_dd", f"updates:{name}").mean() for name in kernels]
        means = [results.sample(dataset, name, "mistake_percent").mean for name in names]
        rows.append(np.array(means) * prepared[dataset].n / 100.0 / min(updates))
    fewer = (np.array(rows) < 1.0).sum(axis=0)
    yield Sentence(
        "than OMKC(D,D) on {} of {} data sets, than (D,S) on {}, (S,D) on {} and (S,S) on {} (means, no test).",
        [str(count) for count in (fewer[0], len(rows), *fewer[1:])],
    )
    yield Sentence(
        "On no data set does OMKC(D,D) make over {} % more mistakes than it.",
        [points(np.ceil(1000.0 * np.max(rows, axis=0)[0] - 1000.0) / 10.0)],
    )
    ranks = results.ranks(list(results.study.algorithms), "mistake_percent").mean()
    yield Sentence(
        "mean ranks by mistakes are {} of OMKC(S,D), {} (S,S), {} (D,D), {} (D,S), {} OM-2,",
        [f"{ranks[name]:.2f}" for name in ("omkc_sd", "omkc_ss", "omkc_dd", "omkc_ds", "om2")],
    )


def rkl() -> Iterator[Part]:
    """Yield the numbers of docs/papers/rkl.md."""
    corners = {ACCURACY: "accuracy in percent", "kernels_selected": "kernels selected"}
    yield from _printed("rkl", reproduced("rkl", *corners), corners)
    found = [reproduced("rkl", metric) for metric in corners]
    with_variants = [reproduced("rkl", metric, variants=True) for metric in corners]
    rows = {
        "used for no choice": [part[part["chosen"] == ""] for part in found],
        "all": found,
    }
    columns = [f"{kind}: exact | confirmed | compatible | different" for kind in ("accuracy", "kernels")]
    yield Table(f"| numbers | {' | '.join(columns)} |", [_row(name, parts) for name, parts in rows.items()])
    for title, name in {
        "Unif": "unif",
        "MKL l1 (SimpleMKL)": "mkl_l1",
        "KL-C l1": "klc_l1",
        "RKL l1": "rkl_l1",
        "MKL l2": "mkl_l2",
        "KL-C l2": "klc_l2",
        "RKL l2": "rkl_l2",
        "RKL no norm": "rkl_none",
        "KL-C l1 without b": "klc_l1_unbiased",
        "KL-C l2 without b": "klc_l2_unbiased",
        "Unif (sum), by Welch's test": "unif_sum",
    }.items():
        cells = [text for part in with_variants for text in counted(part[part["algorithm"] == name])]
        yield Sentence(f"| {title} | {' | '.join(['{}'] * len(cells))} |", cells)
    cells = [text for part in found for text in counted(part)]
    yield Sentence(f"| all eight columns | {' | '.join(['{}'] * len(cells))} |", cells)
    yield from _rkl_accuracies(found[0])
    yield from _rkl_kernels(found[1])
    yield from _rkl_claims()
    yield from rkl_rows()


def rkl_rows() -> Iterator[Part]:
    """Yield the numbers of docs/papers/statements/rkl.csv."""
    results = results_of("rkl")
    ours, kernels = (results.means(results.study.algorithms, of).round(9) for of in (ACCURACY, "kernels_selected"))
    printed = reproduced("rkl", ACCURACY).pivot(index="dataset", columns="algorithm", values="published_mean")
    gains = [(ours[f"rkl_{norm}"] - ours[f"klc_{norm}_unbiased"]).mean() for norm in ("l1", "l2")]
    yield Sentence("with gains of {} and {} points in the mean", list(map(points, gains)))
    signs = [np.sign(of["mkl_l1"] - of["mkl_l2"]) for of in (ours, printed)]
    wins, _, losses = results.duel("mkl_l1", "mkl_l2", ACCURACY)
    yield Sentence(
        "MKL l1 has the higher accuracy on {} of 11 data sets and MKL l2 on {} (printed {} and {}), by the corrected "
        "resampled t-test on {} and {}",
        [*(str((of == sign).sum()) for of in signs for sign in (1, -1)), str(wins), str(losses)],
    )
    gaps = np.array([[results.values(data, name, "gap") for data in ours.index] for name in RKL])
    most = [f"{np.ceil(1e4 * of.max()) / 100.0:g}" for of in (gaps, gaps[-1])]
    yield Sentence("puts all {} fits within {} % of the optimum", [str(gaps.size), most[0]])
    ended = np.array([results.values(data, RKL[-1], "converged") for data in ours.index])
    yield Sentence(
        "{} of {} fits end by their criterion (metric converged); by their certificates {} are within 1 % of the "
        "optimum and all within {} %",
        [f"{ended.sum():.0f}", str(ended.size), str((gaps[-1] <= 0.01).sum()), most[1]],
    )
    rivals = {norm: ours[[f"mkl_{norm}", f"klc_{norm}_unbiased"]].max(axis=1) for norm in ("l1", "l2")}
    ahead = np.logical_and(*(ours[f"rkl_{norm}"] > rival for norm, rival in rivals.items()))
    yield Sentence(
        "by the means without a test: on {} of 11, not on {}, {}, {}, {} and {}",
        [str(ahead.sum()), *sorted(ahead.index[~ahead])],
    )
    shown = [of[RKL].map("{:.1f}".format) for of in (ours, printed)]
    pairs = [sum((of[one] == of[other]).sum() for one, other in itertools.combinations(RKL, 2)) for of in shown]
    alike = [(of.nunique(axis=1) == 1).sum() for of in shown]
    yield Sentence(
        "{} of 33 pairs, printed {}. All three agree on {} of 11 data sets (printed {});", list(map(str, pairs + alike))
    )
    apart = [of["rkl_l2"] - of["klc_l2"] for of in (ours, printed)]
    counts = [(of > 0.05, of < -0.05, of.abs() <= 0.05) for of in apart]
    yield Sentence(
        "accuracy is higher on {} of 11 data sets, lower on {}, and within .05 points on {} (printed: {}, {} and {})",
        [str(each.sum()) for of in counts for each in of],
    )
    fewer = kernels["klc_l2_unbiased"] < 20.0
    yield Sentence(
        "fewer than all kernels on {} of 11 data sets, not on {} and {}", [str(fewer.sum()), *fewer.index[~fewer]]
    )
    fewer = kernels["rkl_l2"] < kernels["klc_l2_unbiased"]
    yield Sentence("Table 1: fewer on {} of 11; on wdbc", [str(fewer.sum())])
    names = ["rkl_l1", "unif", "mkl_l1", "klc_l1_unbiased"]
    behind = ["rkl_l1" not in results.best(data, names, ACCURACY) for data in ours.index]
    yield Sentence("t-test it is behind on {} of 11", [str(sum(behind))])


def _rkl_kernels(found: pd.DataFrame) -> Iterator[Part]:
    """Yield how the numbers of selected kernels are judged whose replications begin with another mean than the run."""
    whole = (found["verdict"] == "exact") & (found["published_mean"] == 20.0)
    assert set(found["algorithm"][whole]) == {"unif", "mkl_l2"}, "the sentence names two methods"
    yield Sentence("{} of the exact ones are the 20 of two methods that select all", [str(whole.sum())])
    stale = found[found["reason"].str.contains("begin with another mean")].set_index(["dataset", "algorithm"])
    means, published = replications.read(ROOT / "config/replications/rkl.csv"), stale["published_mean"]
    drawn = {key: means[*key, "kernels_selected", "seeded"].means for key in stale.index}
    again = {
        key: judge(Sample(published[key], np.nan, 5), Sample.of(of), "kernels_selected", None, of)
        for key, of in drawn.items()
    }
    more = [key for key, each in again.items() if each.verdict == "different" != stale["verdict"][key]]
    assert more == [("splice", "rkl_none")], "the sentence names what would differ too"
    yield Sentence(
        "So it is with {} numbers of kernels: the column `reason` of `reproduction.csv` names them. By the "
        "replications splice by RKL without norm would differ too (p = {})",
        [WORDS[len(stale)], f"{again[more[0]].p_value:.4f}".removeprefix("0")],
    )


def _rkl_accuracies(found: pd.DataFrame) -> Iterator[Part]:
    """Yield how sharply the accuracies that are not KL-C's are judged, of all that `reproduced` gives."""
    accuracies = found[~found["algorithm"].str.startswith("klc")].set_index(["dataset", "algorithm"])
    yield Sentence(
        "reaches {} points (median). Of the {} accuracies that are not KL-C's only {} could be confirmed within a "
        "point even if nothing differed; {} are confirmed or exact.",
        [
            points(accuracies["detectable"].median()),
            str(len(accuracies)),
            str((accuracies["detectable"] <= accuracies["margin"]).sum()),
            str(accuracies["verdict"].isin(["confirmed", "exact"]).sum()),
        ],
    )
    judged = accuracies[accuracies["replications"] > 0]
    apart = [accuracies["difference"], accuracies["ours_mean"] - accuracies["published_mean"]]
    spreads = [np.sqrt(np.square(of["z"]).mean()) for of in (judged, judged.drop(index=("ionosphere", "unif")))]
    yield Sentence(
        "By the means of our replications {} of the {} are within a point of the paper's, by the runs alone {}. The z "
        "of the {} that replications judge have a root mean square of {}, and of {} without ionosphere's Unif.",
        [
            str((apart[0].abs() <= 1.0).sum()),
            str(len(accuracies)),
            str((apart[1].abs() <= 1.0).sum()),
            str(len(judged)),
            *(f"{spread:.2f}" for spread in spreads),
        ],
    )
    others, stale = len(accuracies) - len(judged), (accuracies["reason"] == reproduction.STALE).sum()
    yield Sentence("judges the other {} by the run alone. Of {} the", list(map(str, (others, others - stale))))
    yield Sentence("without norm). Of {} they begin", [str(stale)])
    mkl = judged.loc[[("wdbc", "mkl_l1"), ("colon_cancer", "mkl_l1")]]
    yield Sentence(
        "in the mean of the replications {} below and {} above the printed means, z = {} and {}.",
        [f"{abs(each):.1f}" for each in mkl["difference"]] + [f"{each:.1f}" for each in mkl["z"]],
    )


def _rkl_claims() -> Iterator[Part]:
    """Yield what claims 1 and 8b rest on beside their evidence, and how many fail."""
    means = results_of("rkl").means(["rkl_l1", "rkl_l2", "klc_l2", "klc_l1_unbiased", "klc_l2_unbiased"], ACCURACY)
    gains = np.round(means["rkl_l2"] - means["klc_l2"], 9)
    tied = gains.where(gains.index != "wdbc", 0.0)
    compared = [each for all_of in (gains, tied) for each in (all_of, all_of[all_of != 0.0])]
    compared += [means[f"rkl_{norm}"] - means[f"klc_{norm}_unbiased"] for norm in ("l1", "l2")]
    ranked, left_out, *others = (points(signed_rank(each, 0.0 * each), decimals=3) for each in compared)
    yield Sentence(
        "p = {} over the data sets with zeros treated as in Pratt (1959), and {} without them, as by scipy's default. "
        "One difference is {} points (wdbc): as a tie it makes them {} and {}",
        [ranked, left_out, points(gains["wdbc"], decimals=4), *others[:2]],
    )
    yield Sentence("is true of KL-C without b: p = {} and {}", others[2:])
    width = results_of("rkl_width").means(["rkl_width", "gaussian_svm"], ACCURACY, ["liver", "german_numer"])
    yield Sentence("({} against {} %, {} against {} %; 8b", list(map(points, width.to_numpy().ravel())))
    verdicts = claims_of("rkl")["verdict"]
    yield Sentence("has {} claims. On our runs {} fail", [str(len(verdicts)), str((verdicts == "fails").sum())])


def _row(name: str, parts: Sequence[pd.DataFrame]) -> str:
    return f"| {' | '.join([name, *(text for part in parts for text in counted(part))])} |"


def ca() -> Iterator[Part]:
    """Yield the numbers of docs/papers/ca.md."""
    seven = reproduced("ca_dirichlet", "error_percent")
    yield Sentence("| seven errors of Section 3.1 | {} | {} | {} | {} |", counted(seven))
    detectable = list(map(points, seven["detectable"].agg(["min", "max"])))
    yield Sentence("A difference of {} to {} points would be detected", detectable)
    for text, study in {
        "| median ranks, MNIST | {} (D2, DU) | {} | {} (CA-1D, DA, D1) | {} |": "ca_mnist",
        "| median ranks, letters | {} (CA-1D, CR) | {} | {} | {} |": "ca_letter",
        "| median ranks, eleven data sets | {} | {} | {} (CR, D1) | {} |": "ca_eleven",
    }.items():
        yield Sentence(text, counted(reproduced(study, "median_rank")))
    yield from _printed(
        "ca_dirichlet", seven.assign(dataset="Dirichlet kernels"), {"error_percent": "error in percent"}
    )
    letters = results_of("ca_letter")
    steps = np.concatenate([letters.values(name, "ca_nd", "iterations") for name in letters.study.datasets])
    yield Sentence("CA-nD takes 10 or more on letters in {} of {} runs", [str((steps >= 10).sum()), str(steps.size)])
    names = ["ca_1d", "ca_nd", "cr", "da", "d1", "d2", "du"]
    head = " | ".join(f"{letters.title(name)} `{name}`" for name in names)
    tasks = {"MNIST": "ca_mnist", "letters": "ca_letter", "eleven data sets": "ca_eleven"}
    shown = {title: reproduced(study, "median_rank", judged=VERDICTS) for title, study in tasks.items()}
    rows = [[title, *_beside(ranks, names)] for title, ranks in shown.items()]
    yield Table(f"| median rank | {head} |", [f"| {' | '.join(row)} |" for row in rows])
    of_ca_1d = reproduced("ca_mnist", "median_rank").set_index("algorithm").loc["ca_1d"]
    assert of_ca_1d["verdict"] == "compatible" and of_ca_1d["p_value"] < 0.02, "the page calls it on the edge"
    yield Sentence("CA-1D's is on the edge: p = {}, where", [f"{of_ca_1d['p_value']:.2g}"])
    verdicts = pd.concat([claims_of(study)["verdict"] for study in archive.studies() if study.startswith("ca_")])
    counts = [(verdicts == name).sum() for name in ("holds", "fails", "undecided")]
    yield Sentence(
        "**{} of {} claims hold, {} fail, {} are undecided.**",
        [str(counts[0]), str(len(verdicts)), str(counts[1]), WORDS[counts[2]]],
    )
    errors = results_of("ca_mnist").means(["ca_1d", "cr"], "error_percent")
    ahead = list(map(points, (errors["ca_1d"] - errors["cr"]).agg(["min", "max", "mean"])))
    yield Sentence("CR is ahead on all eight tasks, by {} to {} points and {} in the mean", ahead)
    times = {}
    for study in ("ca_mnist", "ca_letter", "ca_relevance"):
        means = (results_of(study).means(["cr", "ca_1d"], metric).mean() for metric in ("operations", "seconds"))
        times[study] = [f"{each['cr'] / each['ca_1d']:.2g}" for each in means]
    yield Sentence("CR takes {} times CA-1D's work on MNIST and {} times its seconds", times["ca_mnist"])
    yield Sentence("on letters {} and {} times (printed", times["ca_letter"])
    yield Sentence("CR takes {} times CA-1D's work there, and {} times its seconds", times["ca_relevance"])
    errors = results_of("ca_relevance").means(["ca_nd"], "error_percent", ["relevance_2", "relevance_5"])
    yield Sentence("CA-nD has {} % at gamma 2 and {} % at 5, more than at 0", list(map(points, errors["ca_nd"])))
    yield from ca_rows()


def ca_rows() -> Iterator[Part]:
    """Yield the numbers of docs/papers/statements/ca.csv."""
    medians = []
    for study in ("ca_mnist", "ca_letter"):
        results = results_of(study)
        for name in ("cr", "ca_1d"):
            runs = [results.values(data, name, "iterations") for data in results.study.datasets]
            medians.append(f"{np.median(np.concatenate(runs)):g}")
    yield Sentence("medians of CR and CA-1D are {} and {} on MNIST, {} and {} on letters", medians)


def obscure() -> Iterator[Part]:
    """Yield the numbers of docs/papers/obscure.md."""
    results = results_of("obscure_flowers")
    names = ["obscure", "obscure_online", "pegasos", "om2_multiclass", "silp", "simple_mkl", "lp_beta"]
    names += ["best_kernel_svm", "uniform_svm"]
    means, seconds = (results.means(names, metric).loc["flowers_17"] for metric in (ACCURACY, FIT_SECONDS))
    yield Sentence(f"| accuracy {'| {} ' * len(names)}|", list(map(points, means)))
    yield Sentence(f"| seconds of the fit {'| {} ' * len(names)}|", [f"{value:.2f}" for value in seconds])
    figure_3 = results_of("obscure_caltech_figure3")
    theirs, ours = (
        figure_3.swept("examples", "caltech_102", name, FIT_SECONDS).mean(axis=1) for name in ("lp_beta", "obscure")
    )
    times = theirs / ours
    yield Sentence(
        "In ours LP-beta takes {} times as long as OBSCURE on Flowers, where the paper has it orders of magnitude "
        "faster, and {} to {} times on Caltech-101",
        [points(each) for each in (seconds["lp_beta"] / seconds["obscure"], times.min(), times.max())],
    )
    yield from _obscure_caltech()
    yield from _obscure_mnist()
    yield from _obscure_figure_3()
    yield from obscure_rows()


def obscure_rows() -> Iterator[Part]:
    """Yield the numbers of docs/papers/statements/obscure.csv."""
    curves = pd.read_parquet(archive.path_of("obscure_flowers", layout.CURVES))
    states = curves.pivot(index=["algorithm", "repetition", "round"], columns="metric", values="result")
    last = states.groupby(level=[0, 1]).transform("last")
    near = states[states[ACCURACY] >= last[ACCURACY] - 2.0]["epochs"].groupby(level=[0, 1]).min()
    early, end = (of[states["epochs"] == 5.0].loc["obscure"] for of in (states, last))
    yield Sentence(
        "{} to {} % after five epochs, {} to {} points below the end after {} to {}; within 2 points of it after {} to "
        "{} (twenty splits",
        [
            *_ends(early[ACCURACY], decimals=1),
            *_ends(end[ACCURACY] - early[ACCURACY]),
            *_ends(end["epochs"]),
            *_ends(near["obscure"]),
        ],
    )
    yield Sentence(
        "within 2 points of its end after {} to {} epochs, Pegasos after {} to {} (twenty splits); where C is selected "
        "by validation {} to {} and {} to {}",
        [text for name in ("obscure_100", "pegasos_100", "obscure", "pegasos") for text in _ends(near[name])],
    )
    silp = results_of("obscure_caltech_figure3").swept("examples", "caltech_102", "silp", FIT_SECONDS).mean(axis=1)
    power = np.polyfit(np.log(silp.index.to_numpy(float)), np.log(silp), 1)[0]
    yield Sentence("ours to about {} (510 to 1530 images", [points(power)])
    by_p, stages = results_of("obscure_caltech"), ("obscure", "obscure_online")
    both, first = (by_p.swept("p", "caltech_102", name, FIT_SECONDS).mean(axis=1) for name in stages)
    yield Sentence("200 fixed epochs more make it {} to {} times", _ends(both / first, decimals=1))
    chosen = results_of("obscure_caltech_chosen").values("caltech_102", "obscure", "selected_value")
    yield Sentence("p of {} or less in each of five splits", [f"{chosen.max():g}"])
    of_39 = results_of("obscure_caltech_39")
    errors = of_39.values("caltech_102", "obscure_online", "training_error_percent")
    yield Sentence("in {} of three splits of `obscure_caltech_39`", [WORDS[(errors == 0.0).sum()]])
    single = of_39.swept("single", "caltech_102", "single_kernel", ACCURACY).mean(axis=1)
    yield Sentence("ours differ by {} points", [points(np.ptp(single), decimals=0)])
    weights = [of_39.values("caltech_102", "obscure", f"weight:{each.name}") for each in of_39.study.kernel_list()]
    yield Sentence("{} of 39 weights are above 0", [str(sum(each.min() > 0.0 for each in weights))])
    selected = of_39.values("caltech_102", "obscure", "kernels_selected")
    yield Sentence("{} to {} of the 39 weights are above", _ends(selected))


def _ends(values: pd.Series, *, decimals: int = 0) -> list[str]:
    return [points(value, decimals=decimals) for value in (values.min(), values.max())]


def _obscure_caltech() -> Iterator[Part]:
    """Yield the numbers of Caltech-101 by p, by the number of kernels and by that of images, and of single kernels."""
    titles = {"obscure": "both stages", "obscure_online": "first stage", "uniform_svm": "mean kernel"}
    rows = []
    for kernels, study, name in (
        ("four", "obscure_caltech", "obscure_online"),
        ("four", "obscure_caltech", "obscure"),
        ("39", "obscure_caltech_39", "obscure_online"),
    ):
        means = results_of(study).swept("p", "caltech_102", name, ACCURACY).mean(axis=1)
        cells = [points(means[p]) if p in means.index else "" for p in (1.01, 1.05, 1.1, 1.25, 1.5, 1.75, 2.0)]
        rows.append(re.sub(r"\|  (?=\|)", "| ", f"| {' | '.join([f'{kernels} kernels, {titles[name]}', *cells])} |"))
    yield Table("| p | 1.01 | 1.05 | 1.10 | 1.25 | 1.5 | 1.75 | 2 |", rows)
    of_39 = results_of("obscure_caltech_39")
    for head, sweep in {
        "| | 5 | 10 | 20 | 39 kernels |": "kernels",
        "| | 5 | 10 | 15 images a class |": "examples",
    }.items():
        swept = {name: of_39.swept(sweep, "caltech_102", name, ACCURACY) for name in titles}
        cells_of = {name: list(map(points, found.mean(axis=1))) for name, found in swept.items()}
        yield Table(head, [f"| {' | '.join([titles[name], *cells])} |" for name, cells in cells_of.items()])
    worst = of_39.swept("single", "caltech_102", "single_kernel", ACCURACY).mean(axis=1).min()
    yield Sentence("| 13.5 ± 0.6 | {} with 15 images", [points(worst)])
    chosen = results_of("obscure_caltech_chosen").means(list(titles), ACCURACY).loc["caltech_102"]
    yield Sentence("both stages have {} % and the first alone {}, the mean kernel {}", list(map(points, chosen)))


def _obscure_mnist() -> Iterator[Part]:
    """Yield errors and work on MNIST, beside the errors of SVMs."""
    mnist, stages = results_of("obscure_mnist"), ["obscure_online", "obscure"]
    sizes, label = [1000, 5000, 20_000, 60_000], "| test error after the first stage, after both, in percent"
    errors = 100.0 - mnist.means(stages, ACCURACY)
    yield Sentence(f"{label} {'| {}, {} ' * len(sizes)}|", list(map(points, errors.to_numpy().ravel())))
    by_p = 100.0 - np.hstack([mnist.swept("p", "mnist_20000", name, ACCURACY) for name in stages])
    cells = (", ".join(map(points, row)) for row in by_p)
    yield Table("| p | 1.05 | 1.10 | 1.25 |", [f"{label} | {' | '.join(cells)} |"])
    metrics = ["support_vectors", "seconds", "kernel_values"]
    counts, *work = (mnist.means(["obscure"], metric)["obscure"] for metric in metrics)
    yield Sentence(f"| support vectors {'| {} ' * len(sizes)}|", [f"{count:.0f}" for count in counts])
    yield Sentence(f"| seconds of both stages {'| {} ' * len(sizes)}|", [f"{seconds:.2g}" for seconds in work[0]])
    powers = (np.polyfit(np.log(sizes), np.log(each), 1)[0] for each in work)
    yield Sentence("grows as n to the {}, the kernel values as n to the {}.", [f"{power:.2f}" for power in powers])
    chosen = 100.0 - results_of("obscure_mnist_chosen").means(stages[::-1], ACCURACY).loc["mnist_5000"]
    yield Sentence("both stages make {} % of errors, and the first alone {}", list(map(points, chosen)))
    svm = [*(100.0 - mnist.means(["uniform_svm"], ACCURACY)["uniform_svm"].dropna())]
    svm += [mnist.swept("single", f"mnist_{n}", "single_kernel", "error_percent")[0].min() for n in sizes[:2]]
    yield Sentence("mean they make {} and {} % of errors, on the best kernel {} and {} %", list(map(points, svm)))


def _obscure_figure_3() -> Iterator[Part]:
    """Yield the accuracies beside Figure 3, and seconds of one fit."""
    results = results_of("obscure_caltech_figure3")
    rows = {
        "obscure": "| OBSCURE | {} ± {} | {} ± {} | {} ± {} | {} | {} ± {} | {} |",
        "lp_beta": "| LP-beta | {} ± {} | {} ± {} | {} ± {} | {} | | |",
        "silp": "| SILP | {} ± {} | {} ± {} | {} ± {} | {} | {} ± {} | {} |",
        "uniform_svm": "| mean kernel | {} ± {} | {} ± {} | {} ± {} | {} | {} ± {} | {} |",
        "best_kernel": "| best kernel | {} ± {} | {} ± {} | {} ± {} | {} | | |",
    }
    for name, text in rows.items():
        swept = results.swept("examples", "caltech_102", name, ACCURACY).to_numpy()
        five = results.values("caltech_102", f"{name}_five", ACCURACY)
        samples = [*swept, five] if five.size else list(swept)
        numbers = [f"{number:.1f}" for each in samples for number in (each.mean(), each.std(ddof=1))]
        times = [results.values("caltech_102", entry, FIT_SECONDS) for entry in (name, f"{name}_five")]
        for place, values in zip((6, 9), times, strict=True):
            numbers[place:place] = [f"{values.mean():.1f}"] if values.size else []
        yield Sentence(text, numbers)


def oks() -> Iterator[Part]:
    """Yield the numbers of docs/papers/oks.md."""
    results, found = results_of("oks"), reproduced("oks", ACCURACY)
    yield Sentence(
        "Of {} accuracies {} is exact, {} confirmed, {} are compatible and {} different.",
        [str(len(found)), *counted(found)],
    )
    titles = {"oks_svm": "OKS-SVM", "som_svm": "SOM-SVM", "mutron": "MuTron", "om1": "OM-1", "om2": "OM-2"}
    titles |= {"alsvm": "AlSVM", "musvm": "MuSVM", "simplemkl": "SIPMKL"}
    judged = found.set_index(["dataset", "algorithm"])
    tasks = {name: name.partition("_")[2].replace("_", ", ") for name in results.study.datasets}
    rows, gaps = [], []
    for name, title in titles.items():
        cells = []
        for dataset, task in tasks.items():
            row, ours = judged.loc[(dataset, name)], results.sample(dataset, name, ACCURACY).mean
            printed, mark = row["published_mean"], SIGNS[row["verdict"]]
            cells.append(f"{ours:.1f} ({printed:.1f}) {mark}")
            gap = float(f"{ours:.1f}") - float(f"{printed:.1f}")
            if abs(gap) > LARGE_GAP:
                gaps.append((gap, f"| {title} on {task} | {ours:.1f} | {printed:.1f} | {points(gap, plus=True)} |"))
        rows.append(f"| {' | '.join([title, *cells])} |")
    best = [results.by_kernel("each_kernel", name, "one_kernel", ACCURACY).max() for name in tasks]
    rows.append(f"| best kernel | {' | '.join(f'{accuracy:.1f}' for accuracy in best)} |")
    yield Table(f"| method | {' | '.join(tasks.values())} |", rows)
    largest_first = [row for _, row in sorted(gaps, key=lambda pair: -abs(pair[0]))]
    yield Table("| more than 10 points apart | here | printed | difference |", largest_first)
    seeds = replications.read(ROOT / "config/replications/oks.csv")
    drawn = {name: [seeds[task, name, ACCURACY, "seeded"].means for task in tasks] for name in ("som_svm", "oks_svm")}
    texts = [
        [text for of in pair for text in (f"{of.mean():.1f} ± {of.std(ddof=1):.1f}", str(5 * len(of)))]
        for pair in zip(*drawn.values(), strict=True)
    ]
    lines = [f"| {' | '.join([task, *pair])} |" for task, pair in zip(tasks.values(), texts, strict=True)]
    yield Table("| task, all seeds | SOM-SVM | seeds | OKS-SVM | seeds |", lines)
    on_corel = judged.loc[[(task, "oks_svm") for task in tasks if task.startswith("corel5k")], "z"]
    together = on_corel.sum() / np.sqrt(len(on_corel))
    chance = 200.0 * special.ndtr(-abs(together))
    yield Sentence(
        "accuracies on Corel5k are {}, {} and {}; their sum over the root of three is {}, which chance exceeds in {} %",
        [*map(points, on_corel), points(together), f"{chance:.1g}"],
    )
    means = results.means(["musvm", "oks_svm", "oks_svm_12", "som_svm_12"], ACCURACY).mean()
    whole = float(np.mean([of.mean() for of in drawn["oks_svm"]]))
    yield Sentence("OKS-SVM is {} points behind MuSVM (printed", [points(means["musvm"] - whole)])
    yield Sentence("Algorithm 2 has {} % (mean of the table above)", [points(whole)])
    two, twelve, som = map(points, means.iloc[1:])
    yield Sentence("OKS-SVM has {} % in the mean over the tasks, where two epochs have {}", [twelve, two])
    yield Sentence("SOM with twelve has {} %", [som])
    yield from oks_rows()


def oks_rows() -> Iterator[Part]:
    """Yield the numbers of docs/papers/statements/oks.csv."""
    results = results_of("oks")
    metrics = (ACCURACY, "seconds", FIT_SECONDS)
    accuracy, seconds, fit = (results.means(results.study.algorithms, metric) for metric in metrics)
    once = fit / 22.0  # a run of methods that have 21 values and a refit
    found = {
        "by Algorithm 1 takes longer on {} of 6 tasks,": fit["oks_hinge"] > fit["oks_svm"],
        "takes no longer than a run of Algorithm 2 on {} of 6": once["oks_hinge"] <= fit["oks_svm"],
        "OKS has less `fit_seconds` on {} of 6 tasks,": fit["oks_svm"] < fit["som_svm"],
        "one run of SOM takes less than one of OKS on {} of 6": once["som_svm"] < fit["oks_svm"],
        "OM-1 takes more than OM-2 on {} of 6 tasks here,": seconds["om1"] > seconds["om2"],
        "MuTron more than OM-1 on {}, but": seconds["mutron"] > seconds["om1"],
        "behind OKS-SVM on {} of 6 tasks (five seeds": accuracy["oks_perceptron"] < accuracy["oks_svm"],
    }
    for text, tasks in found.items():
        yield Sentence(text, [str(tasks.sum())])
