"""Whether kernels are worth combining on one data set, in the sentences of `grambench compare` and of the report."""

import math
from collections.abc import Iterator, Sequence

from grambench import algorithms
from grambench.common.counts import in_line
from grambench.config.protocols import RandomSplits
from grambench.config.study import Study
from grambench.kernels.labels import view_label
from grambench.results.statistics import BEST_LEVEL, PRACTICAL
from grambench.results.study import Results, title_of

CHANCE = "majority"  # no rival, but what the best is compared with
# always compared: without one of them, a combination might be called a help beside weak rivals alone. Boosting is the
# tree method because the forest takes as long on ten classes, and three times as long on two (config/costs.csv)
STRONG = ("best_kernel_svm", "gaussian_svm", "kernel_stacking", "gradient_boosting", "logistic_regression")
REQUIRED = ("uniform_svm", "d1", *STRONG, CHANCE)
METRIC = "accuracy_percent"
BALANCED = "balanced_accuracy_percent"  # which is the same for all that predict one class
KINDS = ("equal weights", "learned weights", "no combination")
# combinations whose weights are equal; and what works on kernels, and combines none of them
EQUAL = ("uniform_svm", "grid_uniform", "perceptron_u")
UNCOMBINED = ("best_kernel_svm", "single_kernel", "best_alignment", "perceptron", "perceptron_star", "kernel_stacking")
ALL_VIEWS = "That is on kernels and not on views, since most methods without a combination learn from all views."
VIEWS = 8  # most views that a sentence names


def able(study: Study, d: int) -> list[str]:
    """Return the configurations of a board that can learn from a data set of d features, 0 of stored kernels."""
    # entries with `datasets` are run on these alone, as those on a second pool are
    entries = [entry for entry, settings in study.algorithms.items() if not settings.datasets]
    return [entry for entry in entries if d or not algorithms.needs(study.file(entry))]


def answer(study: Study, results: Results, dataset: str, n: int, d: int) -> list[str]:
    """Return whether to combine views, kernels, and to learn weights, each as its verdict, a colon, and the numbers.

    If nothing is learned, this comes first. Before the weights stand the leads of the best combination over the best
    rival and each strong one; after them what each view tells, and what was compared.

    Parameters
    ----------
    study : Study
        The board with all its configurations.
    results : Results
        The results of some of them.
    dataset : str
        The data set.
    n, d : int
        The numbers of its examples and of its features, 0 of stored kernels.
    """
    repetitions, entries = study.protocol.repetitions, sorted(able(study, d))  # of several best ones the first
    finished = [entry for entry in entries if results.values(dataset, entry, METRIC).size == repetitions]
    missing = [entry for entry in REQUIRED if entry in entries and entry not in finished]
    if failed := ", ".join(title_of(study, entry) for entry in missing):
        return [f"No answer: no result of {failed}; grambench failed names the runs."]
    means = {entry: results.sample(dataset, entry, METRIC).mean for entry in finished}
    rivals = [entry for entry in finished if entry != CHANCE]
    equal, learned, others = ([entry for entry in rivals if kind(study, entry) == of] for of in KINDS)
    helps = _compare(results, dataset, n, means, "combining kernels", equal + learned, others)
    learning = _compare(results, dataset, n, means, "learning the weights", learned, equal)
    best = max(equal + learned, key=lambda entry: means[entry])
    strongest = max(others, key=lambda entry: means[entry])
    strong = [strongest, *(entry for entry in STRONG if entry in others and entry != strongest)]
    leads = ["{:+z.1f} ({:+z.1f} to {:+z.1f})".format(*_lead(results, dataset, n, best, entry)) for entry in strong]
    each = ", ".join(f"{results.title(entry)} {lead}" for entry, lead in zip(strong, leads, strict=True))
    beside = f"{_named(results, best)} beside each, in points with 95 % intervals for one comparison: {each}."
    nothing, answers, of_views = list[str](), [f"{helps[0].upper()}{helps[1:]}."], list[str]()
    beyond_chance = [_lead(results, dataset, n, entry, CHANCE, BALANCED, len(rivals)) for entry in rivals]
    if not any(low > 0.0 for _, low, _ in beyond_chance):
        worth = "by balanced accuracy, so that differences and weights say little"
        nothing = [f"No method is shown to be better than always predicting one class: {worth}."]
    weighted = {entry: results.view_shares(dataset, entry) for entry in learned}
    several = [entry for entry in learned if len(weighted[entry].mean().dropna()) > 1]
    if several:
        best = max(several, key=lambda entry: means[entry])
        percent = 100.0 * weighted[best]
        shares = percent.mean().dropna().sort_values(ascending=False, kind="stable")
        listed = [
            f"{view_label(str(view))} {share:.0f} ± {percent[view].std():.0f} %" for view, share in shares.items()
        ]
        equals = f"equal ones {100.0 / len(shares):.0f} %"
        whose = f"{_named(results, best)}, the most accurate of those that have them"
        text = f"Weights by view of {whose} ({equals}), with deviations over the splits: {in_line(listed, VIEWS)}."
        about = [*_about_views(study, results, dataset, n, list(percent.columns))]
        answers = [*about[:1], *answers, *[ALL_VIEWS] * bool(about and d)]
        of_views = [text, *about[1:]]
    larger = f", where always predicting the largest class of those that train has {means[CHANCE]:.1f} %"
    counts = f"{len(finished)} of {len(entries)} configurations were compared"
    protocol = study.protocol
    assert isinstance(protocol, RandomSplits) and protocol.shares, "a leaderboard's"
    train, select, test = (f"{100.0 * share:g} %" for share in protocol.shares)
    parts = f"{train} of the examples train, {select} select, {test} test"
    what = f"Mean accuracies on {repetitions} random splits ({parts}){larger}; {counts}."
    return [*nothing, *answers, beside, f"Among combinations, {learning}.", *of_views, what]


def _about_views(study: Study, results: Results, dataset: str, n: int, views: Sequence[str]) -> Iterator[str]:
    """Yield whether to combine the views, what each tells alone and its loss costs, and which alone tell nothing."""
    sweeps = {sweep.of: name for name, sweep in study.sweeps.items() if sweep.kind == "view"}
    if not {"alone", "without"} <= sweeps.keys():
        return
    effects = results.view_effects(dataset, sweeps["alone"], sweeps["without"], METRIC, n)
    found = sorted(effects.items(), key=lambda item: -item[1].alone)
    if len(found) > 1:
        (entry,) = study.sweeps[sweeps["alone"]].algorithms
        title, names = results.title(entry), [view_label(views[number - 1]) for number, _ in found]
        leads = [each.lead for _, each in found]
        low = min(lead.interval(BEST_LEVEL)[0] for lead in leads)
        high = min(lead.interval(BEST_LEVEL / len(leads))[1] for lead in leads)
        whole = f"{title} with all {results.sample(dataset, entry, METRIC).mean:.1f} %"
        best = f"with {names[0]} alone (best of {len(found)} views) {found[0][1].alone:.1f} %"
        difference = _difference(leads[0].value, low, high, 1 + len(leads))
        yield f"Of views, {verdict('combining them', low, high)}: {whole}, {best}; {difference}."
        changes = [(each.change.value, *each.change.interval(BEST_LEVEL)) for _, each in found]
        listed = [
            "{} {:.1f} % ({:+z.1f}, {:+z.1f} to {:+z.1f})".format(name, each.alone, *change)
            for name, (_, each), change in zip(names, found, changes, strict=True)
        ]
        measured = "one view alone (and the change without it, with its 95 % interval)"
        yield f"Weights do not say what a view tells; {title} with {measured}: {in_line(listed, VIEWS)}."
        chance = results.values(dataset, CHANCE, BALANCED)
        of_views = results.swept(sweeps["alone"], dataset, entry, BALANCED).loc[[number for number, _ in found]]
        beyond = [results.difference_of_splits(dataset, chance, alone, n) for alone in of_views.to_numpy()]
        lows = [difference.interval(BEST_LEVEL / len(found))[0] for difference in beyond]
        if vague := [name for name, low in zip(names, lows, strict=True) if not low > 0.0]:
            worth = "better than always predicting one class, by balanced accuracy"
            yield f"Alone, these are not shown to be {worth}: {in_line(vague, VIEWS)}."


def _named(results: Results, entry: str) -> str:
    """Return the title of a configuration, with its name in commands where that is another one."""
    title = results.title(entry)
    return title if title.lower().replace(" ", "_") == entry else f"{title} [{entry}]"


def _compare(
    results: Results,
    dataset: str,
    n: int,
    means: dict[str, float],
    question: str,
    first: Sequence[str],
    second: Sequence[str],
) -> str:
    """Return whether the best of the first configurations is better than the best of the second, with the numbers.

    The truly best are unknown. The interval covers their difference whichever they are, by Bonferroni's correction. Its
    lower end is the largest lead that one of the first has over all of the second, each at the level of 5 % divided by
    the number of the first. Its upper end is that of the second over the first.
    """

    def describe(entry: str, compared: Sequence[str]) -> str:
        return f"{_named(results, entry)}{f' (best of {len(compared)})' * (len(compared) > 1)} {means[entry]:.1f} %"

    best, rival = max(first, key=lambda entry: means[entry]), max(second, key=lambda entry: means[entry])
    low = max(min(_lead(results, dataset, n, one, other, choices=len(first))[1] for other in second) for one in first)
    high = min(max(_lead(results, dataset, n, one, other, choices=len(second))[2] for one in first) for other in second)
    shown = f"{describe(best, first)}, {describe(rival, second)}"
    difference = _difference(means[best] - means[rival], low, high, len(first) + len(second))
    return f"{verdict(question, low, high)}: {shown}; {difference}"


def _difference(points: float, low: float, high: float, compared: int) -> str:
    of = "; between the truly best, a" if compared > 2 else ","
    return f"difference {points:+z.1f} points{of} 95 % interval of {low:+z.1f} to {high:+z.1f}"


def _lead(
    results: Results, dataset: str, n: int, one: str, other: str, metric: str = METRIC, choices: int = 1
) -> tuple[float, float, float]:
    """Return by how much one configuration is ahead, with the ends of a 95 % interval for a number of comparisons."""
    level = BEST_LEVEL / choices
    return results.lead(dataset, one, other, metric, n=n, level=level) or (math.nan, -math.inf, math.inf)


def kind(study: Study, entry: str) -> str:
    """Return which of KINDS a configuration is; baselines learn from vectors without the kernels of the study."""
    file = study.file(entry)
    if file in EQUAL:
        return KINDS[0]
    return KINDS[2] if file in UNCOMBINED or algorithms.category_of(file) == "baselines" else KINDS[1]


def verdict(question: str, low: float, high: float) -> str:
    """Return what an interval of the difference in points says of the question whether something helps."""
    if low > PRACTICAL:
        return f"{question} helps"
    if low >= -PRACTICAL and high <= PRACTICAL:
        return f"{question} makes practically no difference"
    if high <= PRACTICAL:
        return f"{question} does not help"
    if low > 0.0:
        return f"{question} probably helps, but by how much is undecided"
    return f"whether {question} helps is undecided"
