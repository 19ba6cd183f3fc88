"""The numbers of the page of the leaderboard of vectors."""

from collections.abc import Callable, Iterator

import numpy as np
from page_parts import WORDS, Part, Sentence, Table, points
from reference_numbers import ACCURACY, Board, claims_of, learned, results_of

from grambench.claims.leaderboard import (
    CENTRED_SUMS,
    CHEAP,
    FEATURES,
    KERNEL_LEARNING,
    NEAR,
    POOLED,
    SINGLE,
    UNIFORM,
    on_features,
)
from grambench.common.types import Floats
from grambench.results import archive
from grambench.results.statistics import BEST_LEVEL, resampled_difference
from grambench.results.study import HALVES

STUDY = "leaderboard"
SELECTED = "selected_value"
MAJORITY, STACKING, CENTRED = "majority", "kernel_stacking", "uniform_svm_centred"
RIVALS = {"gaussian_svm": "a tuned Gaussian SVM", "gradient_boosting": "gradient boosting"}


def vectors() -> Board:
    """Return the leaderboard of vectors."""
    results = results_of(STUDY)
    return Board(results, results.ran("dataset"))


def leaderboard() -> Iterator[Part]:
    """Yield the numbers of docs/papers/leaderboard.md."""
    board = vectors()
    yield _extent(board)
    yield from _on_the_best(board)
    yield from _on_others(board)
    yield from _on_rivals(board)
    yield from _on_pools(board)
    ends = {"memo": "selected_C", "omkc_ds": SELECTED, "gram_mkl": SELECTED}
    yield Sentence(
        "MEMO takes the largest C in {} % of the splits, OMKC(D,S) the largest beta in {}, GRAM the largest "
        "regulariser in {}; RFM and CA-nD take an end of three values in {} and {}",
        [_share_of_ends(board, name, metric, np.max) for name, metric in ends.items()]
        + [_share_of_ends(board, name, SELECTED, np.min, np.max) for name in ("rfm", "ca_nd")],
    )
    yield Table(
        "| configuration | accuracy | ahead of equal weights | 95 % interval | mean rank | seconds |", _rows(board)
    )
    yield _changes_of_ranks(board)
    yield Table("| claim | verdict | evidence |", _claims(board))


def _share_of_ends(board: Board, name: str, metric: str, *ends: Callable[[Floats], float]) -> str:
    """Return in how many percent of all splits one of some ends of the values is selected, such as `np.max`."""
    values = np.concatenate([board.results.values(dataset, name, metric) for dataset in board.datasets])
    return f"{100.0 * np.mean(np.isin(values, [end(values) for end in ends])):.0f}"


def _pooled(board: Board) -> Board:
    """Return the data sets on which the second pool is run."""
    chosen = board.results.study.algorithms[on_features(UNIFORM)].datasets
    return board._replace(datasets=[name for name in board.datasets if name in chosen])


def _rows(board: Board) -> list[str]:
    """Return a row for each configuration but the majority class, best mean rank among all first."""
    ranked = board.results.study.ranked
    names = [name for name in ranked if name != MAJORITY]
    means = board.results.means(names, ACCURACY, board.datasets)
    ranks = board.results.ranks(ranked, ACCURACY, board.datasets).mean()[names].sort_values(kind="stable")
    seconds = np.exp(np.log(board.results.means(names, "seconds", board.datasets)).mean())
    assert means.notna().all(axis=None), "a rank needs a result on each data set"
    rows = []
    for name in ranks.index:
        value, low, high = board.ahead(name)
        ahead = f"{value} | {low} to {high}" if name != UNIFORM else "– | –"
        numbers = f"{means[name].mean():.1f} | {ahead} | {ranks[name]:.1f} | {seconds[name]:.2g}"
        rows.append(f"| {board.results.title(name)} | {numbers} |")
    return rows


def _changes_of_ranks(board: Board) -> Sentence:
    names = board.results.study.ranked
    even, odd = (board.results.ranks(names, ACCURACY, board.datasets, half).mean() for half in HALVES.values())
    changes = (even - odd).abs()
    return Sentence(
        "From one half of the splits to the other a mean rank changes by {} on average, and by {} at most ({})",
        [f"{changes.mean():.1f}", f"{changes.max():.1f}", board.results.title(str(changes.idxmax()))],
    )


def _extent(board: Board) -> Sentence:
    about = archive.read_about(STUDY)
    counts = board.results.cells["status"].value_counts()
    classes = [len(about["data"][name]["classes"]) for name in board.datasets]
    return Sentence(
        "{} configurations on {} data sets, {} of them of more than two classes. Nine configurations are on a second "
        "pool of kernels as well, on {} data sets. Of {} runs {} have a result. They took {} hours of processor time",
        [
            str(len(board.results.study.ranked)),
            str(len(board.datasets)),
            WORDS[sum(count > 2 for count in classes)],
            str(len(_pooled(board).datasets)),
            str(counts.sum()),
            str(counts["ok"]),
            points(about["cpu_seconds"] / 3600.0),
        ],
    )


def lead() -> list[str]:
    """Return the numbers of the sentences on the best learned combination and on the l1 norm, in docs/index.md."""
    board = vectors()
    names = learned(board.results)
    best = board.best(names)
    assert best in CENTRED_SUMS, "the sentence says that it is on centred kernels"
    value, *ends = board.ahead(best, best_of=len(names))
    centred = board.ahead(best, CENTRED)
    return [
        WORDS[len(names)],
        value,
        WORDS[len(names)],
        *ends,
        *centred,
        *board.behind("d1"),
        board.median(UNIFORM, "d1"),
        *board.ahead(STACKING),
    ]


def _on_the_best(board: Board) -> Iterator[Part]:
    names = learned(board.results)
    best, many = board.best(names), len(names)
    compared = board.compare(best, UNIFORM)
    yield Sentence(
        f"The best by its mean is {board.results.title(best)}. It is {{}} points ahead of the uniform mean on average "
        "({} to {}; as the best of {} {} to {}). By the means it is more than a point ahead on {} data sets, and more "
        "than a point behind on {}. It is shown to be within a point on {}, and beyond on {}.",
        [
            *board.ahead(best),
            WORDS[many],
            *board.ahead(best, best_of=many)[1:],
            *map(str, (compared.above, compared.below, compared.within, compared.worse + compared.better)),
        ],
    )
    yield Sentence(
        "It is on centred kernels, and {} ahead of their uniform mean ({} to {})", board.ahead(best, CENTRED)
    )
    sizes = archive.read_about(STUDY)["data"]
    few, many_examples = (
        board._replace(datasets=[name for name in board.datasets if low <= sizes[name]["n"] < high])
        for low, high in ((0, 500), (1000, np.inf))
    )
    yield Sentence(
        "on the {} with fewer than 500 examples it is {} ahead ({} to {}), on the {} with 1000 or more {} ({} to {})",
        [text for part in (few, many_examples) for text in (str(len(part.datasets)), *part.ahead(best))],
    )
    balanced = board._replace(metric="balanced_accuracy_percent")
    best = balanced.best(names)
    yield Sentence(
        f"By balanced accuracy it is not shown either: the best, {board.results.title(best)}, is {{}} points ahead "
        "({} to {}; as the best of {} {} to {}). It may be its threshold: by AUC it is at {} ({} to {})",
        [
            *balanced.ahead(best),
            WORDS[many],
            *balanced.ahead(best, best_of=many)[1:],
            *board._replace(metric="auc_percent").ahead(best),
        ],
    )
    yield Sentence(
        "{} of the {} are shown not to be a point ahead, and {} of the {} are behind the uniform mean by their means",
        [
            WORDS[len(board.not_ahead(names))].capitalize(),
            WORDS[many],
            WORDS[sum(board.compare(name, UNIFORM).mean.value < 0.0 for name in names)],
            WORDS[many],
        ],
    )


def _on_others(board: Board) -> Iterator[Part]:
    sparse = board.compare("d1", UNIFORM)
    yield Sentence(
        "lp-MKL with p = 1 on kernels that are not centred is {} points behind the uniform mean on average ({} to {}). "
        "On the median data set it is {}. By the means it is more than a point worse on {} of {} data sets, and better "
        "by a point on {}; it is shown to be worse on {}",
        [
            *board.behind("d1"),
            board.median(UNIFORM, "d1"),
            *map(str, (sparse.below, sparse.votes, sparse.above, sparse.worse)),
        ],
    )
    yield Sentence(
        "Localised MKL is {} behind ({} to {}) and generalised MKL {} ({} to {})",
        [text for name in ("localised_mkl", "gmkl") for text in board.behind(name)],
    )
    yield Sentence(
        "PWMK is at {} ({} to {}), HSIC Lasso {} ({} to {}), GRAM {} ({} to {}), MEMO {} ({} to {}), BEMKL {} ({} to "
        "{}) and MKBoost {} ({} to {})",
        [
            text
            for name in ("pwmk", "hsic_lasso", "gram_mkl", "memo", "bemkl", "mkboost")
            for text in board.ahead(name, plus=True)
        ],
    )
    many_kernels = board.compare(UNIFORM, SINGLE)
    yield Sentence(
        "The uniform mean is {} points behind the best single kernel on average ({} to {}). By the means it is more "
        "than a point worse on {} data sets and better on {}",
        [*board.behind(UNIFORM, SINGLE), str(many_kernels.below), str(many_kernels.above)],
    )
    yield Sentence(
        "On centred kernels the l1 norm is {} points ahead of the l1 norm on others ({} to {}), the l2 norm {} ({} to "
        "{})",
        [*board.ahead("d1_centred", "d1"), *board.ahead("d2_centred", "d2")],
    )


def _on_rivals(board: Board) -> Iterator[Part]:
    many = len(KERNEL_LEARNING)
    for rival, text in RIVALS.items():
        best = board.best(KERNEL_LEARNING, rival)
        yield Sentence(
            f"The best of {{}} learned kernels is {board.results.title(best)}, {{}} points ahead of {text} on average "
            "(as the best of {} {} to {})",
            [WORDS[many], board.ahead(best, rival)[0], WORDS[many], *board.ahead(best, rival, best_of=many)[1:]],
        )
    nineteen = len(learned(board.results)) + 1
    yield Sentence(
        "its interval would be, as the best of {}, {} to {}",
        [WORDS[nineteen], *board.ahead(STACKING, best_of=nineteen)[1:]],
    )
    yield Sentence(
        "Kernel stacking is {} ahead of the uniform mean ({} to {}), RFM {} ({} to {}), MLP {} ({} to {}), the "
        "Gaussian SVM {} ({} to {})",
        [text for name in ("kernel_stacking", "rfm", "mlp", "gaussian_svm") for text in board.ahead(name)],
    )
    yield Sentence(
        "OMKC(S,D) is {} points behind the uniform mean on average ({} to {}), OM-2 {} ({} to {}), Perceptron(u) {} "
        "({} to {})",
        [text for name in ("omkc_sd", "om2", "perceptron_u") for text in board.behind(name)],
    )


def _on_pools(board: Board) -> Iterator[Part]:
    pooled = _pooled(board)
    names = [UNIFORM, *POOLED, SINGLE]
    rows = []
    for name in names:
        means = pooled.results.means([name, on_features(name)], ACCURACY, pooled.datasets).dropna().mean()
        ahead, low, high = pooled.ahead(on_features(name), name, plus=True)
        numbers = [*(f"{value:.1f}" for value in means), f"{ahead} ({low} to {high})"]
        rows.append(f"| {' | '.join([board.results.title(name), *numbers])} |")
    yield Table("| configuration | 13 kernels | single features | difference, 95 % interval |", rows)
    yield Sentence("On {} data sets a second pool", [str(len(pooled.datasets))])
    yield Sentence(
        "The pool moves accuracy by {} points on average, the weights by {} (difference {} to {}; {} on the median "
        "data set)",
        _moved(pooled),
    )
    of_features = [on_features(name) for name in POOLED]
    best = pooled.best(of_features, on_features(UNIFORM))
    yield Sentence(
        f"On the second pool the best of {{}} learned combinations is {board.results.title(best)}, {{}} points ahead "
        "of the uniform mean there (as the best of {} {} to {}). lp-MKL with p = 1 is {} behind it ({} to {})",
        [
            WORDS[len(POOLED)],
            pooled.ahead(best, on_features(UNIFORM))[0],
            WORDS[len(POOLED)],
            *pooled.ahead(best, on_features(UNIFORM), best_of=len(POOLED))[1:],
            *pooled.behind(on_features("d1"), on_features(UNIFORM)),
        ],
    )


def _moved(pooled: Board) -> list[str]:
    """Return by how many points the pool and the weights move accuracy, and the interval of the difference."""
    moved = pooled.results.moved_by_pool([UNIFORM, *POOLED, SINGLE], FEATURES, ACCURACY, pooled.datasets)
    by_pool, by_weights = moved
    ends = resampled_difference(by_weights, by_pool, overlap=0.0).interval(BEST_LEVEL)
    median = (by_pool - by_weights).median()
    return [points(float(number), decimals=2) for number in (by_pool.mean(), by_weights.mean(), *ends, median)]


def _claims(board: Board) -> list[str]:
    """Return a row for each claim: what it says, its verdict and the numbers that decide."""
    names, pooled = learned(board.results), _pooled(board)
    matter = _all_matter(board)
    of_features = [on_features(name) for name in POOLED]

    def pair(first: str, second: str, of: Board = board) -> str:
        value, low, high = of.ahead(first, second, plus=True)
        return f"{value}, interval {low} to {high}"

    def best(configurations: list[str], rival: str, of: Board = board) -> str:
        many = len(configurations)
        value, low, high = of.ahead(first := of.best(configurations, rival), rival, best_of=many, plus=True)
        none = f"{WORDS[len(of.not_ahead(configurations, rival))]} of {WORDS[many]} are shown not to be a point ahead"
        return f"{none}; the best, {of.results.title(first)}, {value}, as the best of {many} {low} to {high}"

    texts = {
        "1a": ("the uniform mean beats the best kernel", pair(UNIFORM, SINGLE)),
        "1b": ("some learned combination beats the uniform mean", best(names, UNIFORM)),
        "1c": ("most learned combinations do", "as 1b"),
        "2a": (
            "a continuous range beats a finite set of kernels, by alignment (CA-1D, DA)",
            pair("ca_1d", "alignf"),
        ),
        "2b": ("the same, by risk (CR, lp-MKL with p = 1)", pair("cr", "d1")),
        "3": (
            "the l1 norm is worse than the l2 norm where the uniform mean is at least as accurate as the best kernel",
            f"the l2 norm beside it on these {len(matter.datasets)} data sets: {pair('d2', 'd1', matter)}",
        ),
        "4a": ("OM-2 is within 2 points of lp-MKL at a hundredth of the work", _near("om2", "lp_mkl", board)),
        "4b": ("OMKC(D,D) likewise beside the l1 norm", _near("omkc_dd", "d1", board)),
        "4c": ("Perceptron(u) likewise beside the uniform SVM", _near("perceptron_u", UNIFORM, board)),
        "5a": ("some learned kernel beats a Gaussian SVM", best(KERNEL_LEARNING, "gaussian_svm")),
        "5b": ("most learned kernels do", "as 5a"),
        "6a": ("some learned kernel beats gradient boosting", best(KERNEL_LEARNING, "gradient_boosting")),
        "6b": ("most learned kernels do", "as 6a"),
        "7a": (
            "which kernels are offered moves accuracy more than how they are weighted",
            "{} and {} points, difference {} to {}, without a margin of a point".format(*_moved(pooled)[:4]),
        ),
        "7b": (
            "on single features the l1 norm beats the uniform mean",
            pair(on_features("d1"), on_features(UNIFORM), pooled),
        ),
        "7c": ("some learned combination does there", best(of_features, on_features(UNIFORM), pooled)),
    }
    judged = dict(zip(*claims_of(STUDY)[["claim", "verdict"]].astype(str).T.to_numpy(), strict=True))
    return [f"| {claim} {text} | {judged[claim]} | {evidence} |" for claim, (text, evidence) in texts.items()]


def _all_matter(board: Board) -> Board:
    """Return the data sets on which the uniform mean is at least as accurate as the best kernel (claim 3)."""
    means = board.results.means([UNIFORM, SINGLE], ACCURACY, board.datasets).round(9)
    return board._replace(datasets=list(means.index[means[UNIFORM] >= means[SINGLE]]))


def _near(online: str, batch: str, board: Board) -> str:
    """Return the medians of how far an online algorithm is behind another one, and of its share of the work."""
    accuracy, work = (
        board.results.means([online, batch], metric, board.datasets).dropna() for metric in (ACCURACY, "operations")
    )
    behind, share = accuracy[batch] - accuracy[online], work[online] / work[batch]
    both = (behind <= NEAR) & (share <= CHEAP)
    where = f"on {both.sum()} of {len(behind)} data sets"
    return f"{where}; medians {points(behind.median())} points behind, {share.median():.2g} of the work"
