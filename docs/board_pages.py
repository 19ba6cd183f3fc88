"""The numbers of the leaderboards' pages."""

import re
from collections.abc import Iterator

from page_parts import WORDS, Part, Sentence, Table, points
from reference_numbers import Board, claims_of, learned, results_of, rows_by_rank, verdicts

from grambench.claims.leaderboard import SINGLE, UNIFORM


def views() -> tuple[Board, Board]:
    """Return the leaderboard of views, on sources and on groups of columns."""
    results = results_of("leaderboard_views")
    apart = list(results.study.multisource)
    columns = [name for name in results.study.datasets if name not in apart and not name.startswith("synthetic_")]
    return Board(results, apart), Board(results, columns)


def leaderboard_views() -> Iterator[Part]:
    """Yield the numbers of docs/papers/leaderboard_views.md."""
    sources, columns = views()
    yield from _on_sources(sources)
    yield from _on_columns(columns)
    yield from _on_synthetic(sources)
    synthetic = [[f"synthetic_{name}"] for name in ("sparse", "dense", "redundant", "xor")]
    yield Table(
        "| configuration | sparse | dense | redundant | exclusive or | fifteen of sources | mean rank | "
        "twelve of columns | mean rank | seconds |",
        rows_by_rank(sources.results, [sources.datasets, columns.datasets], synthetic),
    )
    yield verdicts("leaderboard_views")
    yield _cost(sources, 3600.0, 1, "hours")
    yield from _claims_on_sources(sources)


def _cost(board: Board, unit: float, digits: int, name: str) -> Sentence:
    """Return the sentence on the processor time of all runs of a board."""
    seconds = board.results.cells["cpu_seconds"]
    runs = "The {} runs, which include the uniform SVM on each view alone and without it"
    return Sentence(
        f"{runs}, took {{}} {name} of processor time", [str(len(seconds)), f"{seconds.sum() / unit:.{digits}f}"]
    )


def _on_sources(sources: Board) -> Iterator[Part]:
    names = learned(sources.results)
    best = sources.best(names)
    title, lead = sources.results.title(best), sources.compare(best, UNIFORM)
    *undecided, last = [sources.results.title(name) for name in names if name not in sources.not_ahead(names)]
    yield Sentence(
        f"{title}, the best by its mean, is {{}} points ahead ({{}} to {{}}; as the best of eighteen {{}} to {{}}). By "
        "the means it is more than a point ahead on {} collections, and more than a point behind on {}. {} of the {} "
        f"are shown not to be a point ahead. It is undecided for {', '.join(undecided)} and {last}.",
        [
            *sources.ahead(best),
            *sources.ahead(best, best_of=len(names))[1:],
            str(lead.above),
            str(lead.below),
            WORDS[len(sources.not_ahead(names))].capitalize(),
            WORDS[len(names)],
        ],
    )
    yield Sentence(
        "localised MKL ({}; {} to {}), MKBoost ({}; {} to {}) and generalised MKL ({}; {} to {}). Of the newer methods",
        [text for name in ("localised_mkl", "mkboost", "gmkl") for text in sources.behind(name)],
    )
    yield Sentence(
        "HSIC Lasso is {} behind and BEMKL {}.", [sources.behind(name)[0] for name in ("hsic_lasso", "bemkl")]
    )
    yield Sentence(
        "ahead of the best kernel**, which is on one view, by {} points ({} to {}; the median collection has {})",
        [*sources.ahead(UNIFORM, SINGLE), sources.median(UNIFORM, SINGLE)],
    )
    yield Sentence("is not shown to differ from equal weights ({} ahead; {} to {})", sources.ahead("gaussian_svm"))
    yield Sentence(
        "MLP ({} ahead; {} to {}), RFM ({}; {} to {}), kernel stacking ({}), random forest ({} behind; {} to {}) and "
        "logistic regression ({}; {} to {})",
        [
            *sources.ahead("mlp"),
            *sources.ahead("rfm"),
            sources.ahead("kernel_stacking")[0],
            *sources.behind("random_forest"),
            *sources.behind("logistic_regression"),
        ],
    )
    yield Sentence(
        f"{title} is {{}} points ahead of stacking of views (as the best of eighteen {{}} to {{}}), {{}} ahead of "
        "stacking of kernels ({} to {}) and {} ahead of the random forest ({} to {})",
        [
            text
            for rival in ("view_stacking", "kernel_stacking", "random_forest")
            for text in sources.ahead(best, rival, best_of=len(names))
        ],
    )


def _on_columns(columns: Board) -> Iterator[Part]:
    yield Sentence(
        "GRAM is {} ahead ({} to {}), KL-C {} ({} to {}). MKBoost ({}; {} to {}) and BEMKL ({}; {} to {}) are more "
        "than a point behind",
        [text for name in ("gram_mkl", "klc") for text in (*columns.ahead(name)[:2], columns.most(name))]
        + [text for name in ("mkboost", "bemkl") for text in columns.behind(name)],
    )
    yield Sentence(
        "Equal weights are {} points ahead of the best kernel ({} to {}), a Gaussian SVM on all features {} ({} to {})",
        [*columns.ahead(UNIFORM, SINGLE), *columns.ahead("gaussian_svm", SINGLE)],
    )


def lead_on_synthetic(claim: str, *, plus: bool = False) -> list[str]:
    """Return the points of claim 1a or 1b and the interval: lp-MKL with p = 1 ahead of the mean, both centred."""
    evidence = str(claims_of("leaderboard_views").set_index("claim").at[claim, "evidence"])
    return [points(float(number), plus=plus) for number in re.findall(r"[-+]\d+\.\d", evidence)]


def _on_synthetic(board: Board) -> Iterator[Part]:
    yield Sentence(
        "lp-MKL with p = 1 on centred kernels has {} %, their uniform mean {} (1a). Its two largest weights are on "
        "these views in all ten draws (1d). Weights that are not sparse gain nearly as much (EasyMKL {} %), "
        "generalised MKL ({}) and MAKL ({}) more.",
        [
            board.accuracy(name, "synthetic_sparse")
            for name in ("d1_centred", "uniform_svm_centred", "easy_mkl", "gmkl", "makl")
        ],
    )
    yield Sentence(
        "with 500 examples: {} against {} % (1b, which is undecided). A Gaussian SVM on all features has {} % there.",
        [board.accuracy(name, "synthetic_dense") for name in ("d1_centred", "uniform_svm_centred", "gaussian_svm")],
    )
    yield Sentence(
        "generalised MKL, which multiplies kernels, has {} %, a Gaussian SVM on all features {}, localised weights {}, "
        "boosting {}.",
        [
            board.accuracy(name, "synthetic_xor")
            for name in ("gmkl", "gaussian_svm", "localised_mkl", "gradient_boosting")
        ],
    )
    for claim, text in {"1a": "ahead of the mean | holds", "1b": "both are within one point | undecided"}.items():
        yield Sentence(f"{text} | {{}}, interval {{}} to {{}} |", lead_on_synthetic(claim, plus=True))


def _claims_on_sources(sources: Board) -> Iterator[Part]:
    names = learned(sources.results)
    best, best_of = sources.best(names), len(names)
    title = sources.results.title(best)
    yield Sentence(
        "| 2a the uniform mean beats the best kernel | undecided | {}, interval {} to {} |",
        sources.ahead(UNIFORM, SINGLE, plus=True),
    )
    yield Sentence(
        f"| 2b a learned combination beats the mean | undecided | {title} {{}}, as best of {{}} {{}} to {{}} |",
        [sources.ahead(best, plus=True)[0], str(best_of), *sources.ahead(best, best_of=best_of, plus=True)[1:]],
    )
    for claim, rival in {"3a": "view_stacking", "3b": "random_forest"}.items():
        value, low, high = sources.ahead(best, rival, best_of=best_of, plus=True)
        what = {"3a": "stacking of views", "3b": "a random forest"}[claim]
        yield Sentence(
            f"| {claim} a learned combination beats {what} | undecided | {title} {{}}, as best of {{}} {{}} to {{}} |",
            [value, str(best_of), low, high],
        )


def images() -> Board:
    """Return the leaderboard of images."""
    results = results_of("leaderboard_images")
    return Board(results, list(results.study.datasets))


def leaderboard_images() -> Iterator[Part]:
    """Yield the numbers of docs/papers/leaderboard_images.md."""
    board = images()
    yield from _on_images(board)
    yield from _table_of_images(board)
    yield verdicts("leaderboard_images")


def _on_images(board: Board) -> Iterator[Part]:
    names = learned(board.results)
    best = board.best(names)
    title, many = board.results.title(best), WORDS[len(names)]
    ahead = sum(board.ahead(name, plus=True)[1].startswith("+") for name in names)
    yield Sentence("**{} of {} learned combinations are ahead, weakly**", [WORDS[ahead].capitalize(), many])
    assert title == "lp-MKL p = 1, centred"
    yield Sentence(
        "Of {} learned combinations the best is {} points ahead of the uniform mean of all kernels, over {} "
        "collections",
        [many, board.ahead(best)[0], WORDS[len(board.collections())]],
    )
    leads = {dataset: board.lead(best, dataset) for dataset in board.datasets}
    yield Sentence(
        "ahead of the uniform mean on all {} data sets, by {} points on flowers and by {} on animals against vehicles",
        [
            WORDS[sum(lead > 0.0 for lead in leads.values())],
            points(leads["flowers_17"]),
            points(leads["pascal07_animal_vehicle"]),
        ],
    )
    yield Sentence(
        "it is {} points ahead on average, 95 % interval {} to {}. As the best of {} its interval is {} to {}, so",
        [*board.ahead(best), many, *board.ahead(best, best_of=len(names))[1:]],
    )
    yield Sentence(
        "KL-C, GRAM and RKL are {}, {} and {} ahead", [board.ahead(name)[0] for name in ("klc", "gram_mkl", "rkl")]
    )
    yield Sentence(
        "which gives all kernels a weight, is {} points ahead ({} to {}). It is the only one whose lead is above 0 at "
        "5 % divided by {} ({} to {})",
        [*board.ahead("d2_centred"), many, *board.ahead("d2_centred", best_of=len(names))[1:]],
    )
    yield Sentence(
        "MEMO is {} ahead ({} to {}), PWMK {} ({} to {}), BEMKL {} ({} to {}), and HSIC Lasso, which selects views, {} "
        "({} to {}). MKBoost is {} behind ({} to {})",
        [text for name in ("memo", "pwmk", "bemkl", "hsic_lasso") for text in board.ahead(name)]
        + board.behind("mkboost"),
    )
    yield Sentence("the l1 norm** ({} points over the collections, {} to {})", board.ahead("d1_centred", "d1"))
    yield Sentence(
        "Centring changes the uniform mean by {} points ({} to {})", board.ahead("uniform_svm_centred", UNIFORM)
    )
    for claim, pair in {
        "the uniform mean beats the best kernel": (UNIFORM, SINGLE),
        "LP-beta beats MKL with the l1 norm (Gehler and Nowozin 2009)": ("lp_beta", "d1"),
        "LP-beta beats the uniform mean (the same)": ("lp_beta", UNIFORM),
    }.items():
        yield Sentence(
            f"{claim} | undecided | {{}} on average ({{}} to {{}}), {{}} on the median collection |",
            [*board.ahead(*pair, plus=True), board.median(*pair)],
        )
    yield Sentence(
        f"a learned combination beats the mean | undecided | {title} {{}}, as best of {{}} {{}} to {{}} |",
        [
            board.ahead(best, plus=True)[0],
            str(len(names)),
            *board.ahead(best, best_of=len(names), plus=True)[1:],
        ],
    )


def _table_of_images(board: Board) -> Iterator[Part]:
    groups = [["caltech_20"], ["flowers_17"]]
    groups += [[name for name in board.datasets if name.startswith(base)] for base in ("corel5k", "pascal07")]
    groups += [["digits_quadrants", "mnist_1000"]]
    *rows, last = rows_by_rank(board.results, [board.datasets], groups)
    yield Table(
        "| configuration | Caltech-101 | flowers | Corel, 3 tasks | PASCAL, 3 tasks | blocks, 2 data sets | all ten | "
        "mean rank | seconds |",
        rows,
    )
    yield _cost(board, 60.0, 0, "minutes")
    cells = last.split(" | ")
    assert cells[0] == "| Majority"
    yield Sentence(
        "The majority class has {}, {}, {}, {} and {} % in these columns",
        [f"{float(cell):.0f}" for cell in cells[1 : len(groups) + 1]],
    )
