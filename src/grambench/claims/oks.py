"""The claims of OKS (Yang et al. 2012), Empirical Studies.

The paper's features are not available, ours are of the same kind. Claims compare methods and kernels with each other,
and cite printed numbers for scale only. Kernels have the paper's numbers, 1 to 60.

A claim on seconds fails where a ratio is twice its limit or more, and is undecided up to there: ratios of this study
moved by up to that factor between an idle machine and a busy one. Claims on MuSVM's time are of Corel5k, which has the
paper's number of images, since OKS's time grows with this number and MuSVM's with its square.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import fisher_exact

from grambench.claims import Answer, Claim, Evidence, Share
from grambench.results.statistics import BEST_LEVEL, welch

Values = Mapping[str, Any]  # by task
Test = Callable[[Any], bool]  # of a value
Bools = npt.NDArray[np.bool_]

PASCAL = ["pascal07_animal_vehicle", "pascal07_animal_person", "pascal07_person_vehicle"]
COREL = ["corel5k_sky_people", "corel5k_water_tree", "corel5k_sky_grass"]
TASKS = [*PASCAL, *COREL]
OTHERS = ["mutron", "om1", "om2", "alsvm", "musvm", "som_svm", "oks_svm"]  # than SIPMKL
ACCURACY, SECONDS, SHARE, PICKED = "accuracy_percent", "seconds", "kernel_share_percent", "selected_kernel"
STAGE = "fit_seconds"  # of two stages, the first
COMPARABLE, FAR_APART = 3.0, 10.0  # points
SMALL, FIRST_STAGE = 5.0, 2.0  # percent of MuSVM's time, with and without OKS's own SVM
MOVED = 2.0  # the factor by which a busy machine moved ratios of seconds
WASTED = 10.0  # percent of the seconds
TOUCHED = 3.0  # percent of the m n^2 kernel values
EXTREME = 5  # best and worst kernels that Figures 1 and 2 show
DENSE_SIFT = range(9, 17)
CHI_SQUARE_OF_DENSE_SIFT = (11, 15)
LAB = range(45, 49)
CHI_SQUARE = 2  # among the four kernels of each feature
HUE = [*range(1, 5), *range(21, 29)]


def _in_study(evidence: Evidence, tasks: list[str]) -> list[str]:
    return [name for name in tasks if name in evidence.results.study.datasets]


def _judge(
    evidence: Evidence, values: Values, test: Test, phrase: str, span: str = "", share: Share = "every"
) -> Answer:
    """Judge by a test of what each task has."""
    return Answer.by_values(values, test, _in_study(evidence, TASKS), share, phrase, span)


def oks_is_comparable(evidence: Evidence) -> Answer:
    """OKS-SVM is comparable to MuSVM (here: at most 3 points behind it in the mean over the tasks)."""
    return _comparable(evidence, "musvm", " (printed: 0.8 in the mean)")


def oks_is_comparable_to_mkl(evidence: Evidence) -> Answer:
    """OKS-SVM is comparable to MKL (here: to SIPMKL, not OM-1 or OM-2; at most 3 points behind it in the mean)."""
    return _comparable(evidence, "simplemkl")


def _comparable(evidence: Evidence, rival: str, printed: str = "") -> Answer:
    means = evidence.means([rival, "oks_svm"], ACCURACY, TASKS)
    behind = {name: row[rival] - row["oks_svm"] for name, row in means.items()}
    if not behind:
        return Answer.undecided("no task has both")
    mean = sum(behind.values()) / len(behind)
    text = f"behind by {mean:.1f} points in the mean over {len(behind)} tasks, {min(behind.values()):+z.1f} to "
    text += f"{max(behind.values()):+z.1f}{printed}"
    return Answer.of(mean <= COMPARABLE, text, enough=2 * len(behind) >= len(_in_study(evidence, TASKS)))


def oks_beats_som(evidence: Evidence) -> Answer:
    """OKS-SVM is better than SOM-SVM in every task (fails where Welch's test, Bonferroni-corrected, shows less)."""
    samples = evidence.samples(["som_svm", "oks_svm"], ACCURACY, TASKS)
    lead = {name: row["oks_svm"].mean - row["som_svm"].mean for name, row in samples.items()}
    answer = _judge(evidence, lead, lambda points: points > 0.0, "OKS-SVM is ahead", "(by {:+z.1f} to {:+z.1f} points)")
    level = BEST_LEVEL / len(TASKS)
    behind = {name for name, row in samples.items() if lead[name] <= 0.0 and welch(*row.values()).p_value < level}
    return answer if behind else answer.doubting("none of these is shown to be behind")


def oks_picks_dense_sift(evidence: Evidence) -> Answer:
    """OKS can quickly identify a good kernel (here: most picks are dense SIFT, 9 to 16, in most tasks)."""
    shares = {name: 100.0 * float(good.mean()) for name, good in _picks_of_dense_sift(evidence, "oks_svm").items()}
    mean = sum(shares.values()) / len(shares) if shares else 0.0
    phrase = f"more than half of the picks are among 9 to 16 ({mean:.0f} % in all; printed: 28 of 30)"
    return _judge(evidence, shares, lambda share: share > 50.0, phrase, share="most")


def oks_picks_better_than_som(evidence: Evidence) -> Answer:
    """OKS selects better kernels than SOM (here: more of all picks are dense SIFT, 9 to 16, by Fisher's exact test)."""
    oks, som = (_picks_of_dense_sift(evidence, name) for name in ("oks_svm", "som_svm"))
    both = [name for name in oks if name in som]
    if not both:
        return Answer.undecided("no task has both")
    picks = [np.concatenate([found[name] for name in both]) for found in (oks, som)]
    table = np.array([(good.sum(), (~good).sum()) for good in picks])
    (good, bad), (others_good, others_bad) = table
    shown = fisher_exact(table).pvalue < BEST_LEVEL
    text = (
        f"{good} of {good + bad} picks of OKS and {others_good} of {others_good + others_bad} of SOM are among 9 to 16"
    )
    enough = shown and 2 * len(both) >= len(_in_study(evidence, TASKS))
    return Answer.of(good * others_bad > others_good * bad, text, enough=enough)


def _picks_of_dense_sift(evidence: Evidence, method: str) -> dict[str, Bools]:
    """Return on each task whether each pick of a method is a kernel of dense SIFT."""
    picks = {name: evidence.results.values(name, method, PICKED) for name in TASKS}
    return {name: np.isin(numbers, DENSE_SIFT) for name, numbers in picks.items() if numbers.size}


def oks_is_quick(evidence: Evidence) -> Answer:
    """OKS-SVM takes a small fraction of MuSVM's time (here, on Corel5k: 5 percent at most; printed: 2.3 to 2.8)."""
    return _quicker(
        evidence, ["oks_svm"], ["musvm"], f"OKS-SVM takes at most {SMALL:g} % of MuSVM's time", SMALL, COREL
    )


def first_stage_is_quick(evidence: Evidence) -> Answer:
    """OKS selects in a small fraction of MuSVM's time (here, on Corel5k: 2 percent at most; printed: 0.8 to 1.1)."""
    phrase = f"the selection of OKS-SVM takes at most {FIRST_STAGE:g} % of MuSVM's time"
    return _quicker(evidence, ["oks_svm"], ["musvm"], phrase, FIRST_STAGE, COREL, STAGE)


def simplemkl_is_slowest(evidence: Evidence) -> Answer:
    """SIPMKL is the slowest of the eight methods by far (here: by a factor of two at least)."""
    return _quicker(evidence, OTHERS, ["simplemkl"], "each other method takes at most half of SIPMKL's time", 50.0)


def one_epoch_is_slow(evidence: Evidence) -> Answer:
    """MuTron and OM-1 cost much (here: with one epoch each is slower than OM-2, SOM-SVM and OKS-SVM with two)."""
    phrase = "each of the three takes at most the time of each of the two"
    return _quicker(evidence, ["om2", "som_svm", "oks_svm"], ["mutron", "om1"], phrase)


def one_update_saves_time(evidence: Evidence) -> Answer:
    """OKS saves time as it updates one classifier a step (here: OKS-SVM is faster than MuTron, OM-1 and OM-2)."""
    phrase = "OKS-SVM takes at most the time of each that updates all kernels"
    return _quicker(evidence, ["oks_svm"], ["mutron", "om1", "om2"], phrase)


def _quicker(
    evidence: Evidence,
    quick: list[str],
    slow: list[str],
    phrase: str,
    limit: float = 100.0,
    tasks: list[str] = TASKS,
    metric: str = SECONDS,
) -> Answer:
    """Judge whether the slowest of the quick methods takes at most `limit` percent of the quickest slow one's time."""
    reference, means = evidence.means(slow, SECONDS, tasks), evidence.means(quick, metric, tasks)
    ratios = {
        name: 100.0 * max(means[name].values()) / min(row.values()) for name, row in reference.items() if name in means
    }
    span, names = "({:.1f} to {:.1f} %)", _in_study(evidence, tasks)
    answer = Answer.by_values(ratios, lambda ratio: ratio <= limit, names, "every", phrase, span)
    within = max(ratios.values(), default=0.0) < MOVED * limit
    return answer.doubting(f"below {MOVED * limit:g} % on all") if within else answer


def few_values_are_made(evidence: Evidence) -> Answer:
    """OKS avoids computing all the full kernel matrices (here: OKS-SVM needs under 3 percent of the 60 n^2 values)."""
    phrase = f"OKS-SVM makes less than {TOUCHED:g} % of the kernel values"
    return _made(evidence, ["oks_svm"], lambda share: share < TOUCHED, phrase)


def all_values_are_made(evidence: Evidence) -> Answer:
    """Cross-validation and MKL compute all kernel matrices (here: 80 percent or more of the 60 n^2 values)."""
    return _made(evidence, ["musvm", "simplemkl"], lambda share: share >= 80.0, "MuSVM and SIPMKL make 80 % or more")


def _made(evidence: Evidence, methods: list[str], test: Test, phrase: str) -> Answer:
    shares = {name: min(row.values()) for name, row in evidence.means(methods, SHARE, TASKS).items()}
    return _judge(evidence, shares, test, phrase, "({:.2f} to {:.2f} %)")


def bad_kernels_waste_time(evidence: Evidence) -> Answer:
    """Cross-validation wastes time on very bad kernels (here: a tenth of it on those 10 points behind the best)."""
    shares = {}
    for task, alone in _alone(evidence, TASKS).items():
        seconds = evidence.results.by_kernel("each_kernel", task, "one_kernel", SECONDS).reindex(alone.index)
        shares[task] = 100.0 * float(seconds[alone <= alone.max() - FAR_APART].sum() / seconds.sum())
    phrase, span = "kernels 10 points behind the best take a tenth or more of the seconds", "({:.0f} to {:.0f} %)"
    return _judge(evidence, shares, lambda share: share >= WASTED, phrase, span, "most")


def _alone(evidence: Evidence, tasks: list[str]) -> dict[str, pd.Series]:
    """Return the test accuracy of each kernel by itself in each task, by its name, the best first."""
    found = {task: evidence.results.by_kernel("each_kernel", task, "one_kernel", ACCURACY) for task in tasks}
    return {
        task: alone.round(9).sort_values(ascending=False, kind="stable") for task, alone in found.items() if len(alone)
    }


def dense_sift_is_best(evidence: Evidence) -> Answer:
    """On Pascal07 the best kernel is 11 or 15, chi-square of dense SIFT (whose form was partly chosen by print)."""
    found, listed = _extreme(evidence, PASCAL, slice(1), CHI_SQUARE_OF_DENSE_SIFT)
    return Answer.by_share(found, _in_study(evidence, PASCAL), "every", f"11 or 15 is the best ({listed})")


def dense_sift_is_good(evidence: Evidence) -> Answer:
    """On Pascal07 good kernels are 9 to 16, dense SIFT (here: three of the best five; fails if on no task)."""
    return _most_extreme(
        evidence, PASCAL, slice(EXTREME), DENSE_SIFT, "three of the best five kernels are of dense SIFT"
    )


def lab_is_bad(evidence: Evidence) -> Answer:
    """On Pascal07 bad kernels are 45 to 48, Lab colours (here: three of the worst five; fails if on no task)."""
    return _most_extreme(evidence, PASCAL, slice(-EXTREME, None), LAB, "three of the worst five are 45 to 48")


def hue_is_bad(evidence: Evidence) -> Answer:
    """On Corel5k bad kernels are 1 to 4 and 21 to 28, hue (here: three of the worst five; fails if on no task)."""
    return _most_extreme(evidence, COREL, slice(-EXTREME, None), HUE, "three of the worst five are 1 to 4 or 21 to 28")


def _most_extreme(evidence: Evidence, tasks: list[str], places: slice, numbers: Iterable[int], phrase: str) -> Answer:
    """Judge whether most kernels in some places have one of the numbers; it fails only if they do on none of the tasks.

    The paper says which kernels are good and bad on its three tasks, but not how many on each.
    """
    found, listed = _extreme(evidence, tasks, places, numbers)
    answer = Answer.by_share(found, names := _in_study(evidence, tasks), "every", f"{phrase} ({listed})")
    return answer.doubting() if any(found.values()) or len(found) < len(names) else answer


def _extreme(
    evidence: Evidence, tasks: list[str], places: slice, numbers: Iterable[int]
) -> tuple[dict[str, bool], str]:
    """Return on which tasks most kernels in some places, from best to worst, have one of the numbers, and list them.

    Those that tie with the last of them are listed too; a task on which the tie decides is not available.
    """
    names, found, listed = [kernel.name for kernel in evidence.results.study.kernel_list()], dict[str, bool](), []
    for task, alone in _alone(evidence, tasks).items():
        kernels, ends = np.array([1 + names.index(name) for name in alone.index]), alone.iloc[places]
        named = np.isin(kernels, [*numbers])
        # once with the kernels named before those that they tie with, once behind them
        orders = [np.lexsort((sign * named, -alone.to_numpy()))[places] for sign in (-1, 1)]
        verdicts = {bool(named[order].mean() > 0.5) for order in orders}
        if len(verdicts) == 1:
            found[task] = verdicts.pop()
        shown = ", ".join(map(str, kernels[alone.between(ends.min(), ends.max())]))
        listed.append(f"{task}: {shown}{'' if task in found else ', a tie that decides'}")
    return found, "; ".join(listed)


def kernels_differ(evidence: Evidence) -> Answer:
    """Much depends on the kernel (here: the best and the worst are 10 points apart in every task)."""
    gaps = {task: float(alone.iloc[0] - alone.iloc[-1]) for task, alone in _alone(evidence, TASKS).items()}
    return _judge(evidence, gaps, lambda gap: gap >= FAR_APART, "they are 10 points apart", "({:.1f} to {:.1f})")


def chi_square_is_good(evidence: Evidence) -> Answer:
    """Chi-square is one of the best kernels of images (here: of four first or second, always; see 3a on forms)."""
    names = [kernel.name for kernel in evidence.results.study.kernel_list()]
    means = {task: alone[names].to_numpy().reshape(-1, 4).mean(0) for task, alone in _alone(evidence, TASKS).items()}
    places = {task: 1 + int((forms > forms[CHI_SQUARE]).sum()) for task, forms in means.items()}
    return _judge(evidence, places, lambda place: place <= 2, "chi-square is first or second", "(place {} to {})")


CLAIMS = [
    Claim("1a", "Empirical Studies", oks_is_comparable),
    Claim("1b", "Tables 1 and 2", oks_beats_som),
    Claim("1c", "Empirical Studies", oks_picks_dense_sift),
    Claim("1d", "Empirical Studies", oks_is_comparable_to_mkl),
    Claim("1e", "Empirical Studies", oks_picks_better_than_som),
    Claim("2a", "Tables 1 and 2", oks_is_quick),
    Claim("2b", "Tables 1 and 2", simplemkl_is_slowest),
    Claim("2c", "Introduction", few_values_are_made),
    Claim("2d", "Tables 1 and 2", first_stage_is_quick),
    Claim("2e", "Introduction", all_values_are_made),
    Claim("2f", "Empirical Studies", one_epoch_is_slow),
    Claim("2g", "Abstract", one_update_saves_time),
    Claim("2j", "Introduction", bad_kernels_waste_time),
    Claim("3a", "Figure 1", dense_sift_is_best),
    Claim("3b", "Figure 1", dense_sift_is_good),
    Claim("3c", "Figure 1", lab_is_bad),
    Claim("3d", "Figure 2", hue_is_bad),
    Claim("3e", "Abstract", kernels_differ),
    Claim("3f", "Introduction", chi_square_is_good),
]
