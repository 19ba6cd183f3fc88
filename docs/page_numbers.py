"""The numbers of pages that come from the archive of reference results, and the tables of the catalogue of data sets.

    python docs/page_numbers.py

looks them up and writes them into README.md and pages of docs, such as docs/catalogue.md, whose tables come from the
descriptions in `config/datasets`. Rows of docs/papers/statements are written there and on their page. A page keeps its
sentences, and each is here once more with `{}` in the place of its numbers. A sentence that a page does not have, such
as one that names another algorithm as the best, is an error: whoever wrote the sentence reads it again. A test compares
all pages with what is looked up.
"""

import sys
from collections.abc import Iterator

import numpy as np
import pandas as pd
from board_pages import images, lead_on_synthetic, leaderboard_images, leaderboard_views, views
from page_parts import WORDS, Part, Sentence, Table, points
from paper_pages import (
    OF_OMKC,
    ca,
    ca_rows,
    obscure,
    obscure_rows,
    oks,
    oks_rows,
    omkc,
    omkc_rows,
    printed_twice,
    rkl,
    rkl_rows,
)
from reference_numbers import ACCURACY, JUDGED, ROOT, counted, learned, reproduced, results_of
from vectors_page import lead, leaderboard, vectors

from grambench.claims.leaderboard import UNIFORM
from grambench.config.project import Configuration
from grambench.datasets.descriptions import BaseDataset, Dataset, Description, Images
from grambench.results import archive
from grambench.results.statistics import BEST_LEVEL


def catalogue() -> Iterator[Part]:
    """Yield the tables of docs/catalogue.md: all data sets, and all tasks."""
    configuration = Configuration(ROOT / "config")
    found = [configuration.description(name) for name in configuration.names("datasets")]
    tasks = [each for each in found if isinstance(each, Dataset) and each.base]
    yield Table(
        "| data set | size | +1 | views | what | sources, in order |",
        [
            f"| {each.name} | {' | '.join(_characteristics(each))} | {each.title} | {_kinds(each)} |"
            for each in found
            if each not in tasks
        ],
    )
    yield Table(
        "| task | size | +1 | views | what | base |",
        [f"| {each.name} | {' | '.join(_characteristics(each))} | {each.title} | {each.base} |" for each in tasks],
    )


def _characteristics(described: Description) -> tuple[str, str, str]:
    """Return size, classes and views of a data set."""
    size = f"{described.n} x {described.d}" if described.d else f"{described.n} images"
    if isinstance(described, Images):
        return size, "words", ""
    if isinstance(described, BaseDataset):
        return size, f"{described.classes} classes", ""
    assert isinstance(described, Dataset)
    classes = f"{len(described.classes)} classes" if described.classes else str(described.positives)
    views = "" if described.view_names() == [""] else f"{len(described.view_names())} {described.views_are}"
    return size + ", stream" * (described.kind == "stream"), classes, views


def _kinds(described: Description) -> str:
    return ", ".join(dict.fromkeys(source.kind for source in described.sources))


def _lead_on_sources() -> list[str]:
    """Return the numbers of the sentence on sources: collections, combinations, lead and interval."""
    sources, _ = views()
    names = learned(sources.results)
    lead, *ends = sources.ahead(sources.best(names), best_of=len(names))
    return [str(len(sources.collections())), WORDS[len(names)], lead, WORDS[len(names)], *ends]


def _lead_on_images() -> list[str]:
    """Return the numbers of the sentence on images: collections, combinations, lead and interval."""
    board = images()
    names = learned(board.results)
    lead = board.ahead(board.best(names), best_of=len(names))
    return [WORDS[len(board.collections())], WORDS[len(names)], *lead]


def readme() -> Iterator[Part]:
    """Yield the numbers of README.md."""
    for text, found in (
        ("(Hoi et al. 2013) | {} mistake rates and support vectors", reproduced("omkc", *OF_OMKC)),
        ("(Gai et al. 2010) | {} accuracies", reproduced("rkl", ACCURACY)),
        (
            "(Yang et al. 2012) | {} accuracies, with our image features, half on fewer images",
            reproduced("oks", ACCURACY),
        ),
    ):
        yield Sentence(f"{text} | {{}} | {{}} | {{}} | {{}} |", [str(len(found)), *counted(found)])
    errors = reproduced("ca_dirichlet", "error_percent")
    ranks, printed = (
        pd.concat([reproduced(f"ca_{name}", "median_rank", judged=verdicts) for name in ("mnist", "letter", "eleven")])
        for verdicts in (JUDGED, (*JUDGED, "unavailable"))
    )
    yield Sentence(
        "(Afkanpour et al. 2013) | {} errors and {} of {} median ranks, most on tasks of ours | {} | {} | {} | {} |",
        [str(len(errors)), str(len(ranks)), str(len(printed)), *counted(pd.concat([errors, ranks]))],
    )
    numbers = reproduced("omkc", *OF_OMKC)
    twice, results = printed_twice(numbers)
    yield Sentence("{} of OMKC's {} are {} printed twice", [twice, counted(numbers)[0], results])
    yield from _best_of_the_boards()
    accuracies = reproduced("rkl", ACCURACY)
    free = accuracies[accuracies["chosen"] == ""]
    yield Sentence(
        "{} accuracies of RKL had no part in a choice ({}, {}, {} and {} in these columns)",
        [str(len(free)), *counted(free)],
    )


def _best_of_the_boards() -> Iterator[Part]:
    """Yield the numbers of README.md on learned combinations beside equal weights, on the three leaderboards."""
    boards = {
        "[vectors](docs/papers/leaderboard.md)": vectors(),
        "[sources](docs/papers/leaderboard_views.md) of features": views()[0],
        "[images](docs/papers/leaderboard_images.md)": images(),
    }
    rows, shown = [], []
    for link, board in boards.items():
        names = learned(board.results)
        best = board.best(names)
        value, low, high = board.ahead(best, best_of=len(names))
        extent = f"{len(board.datasets)}, from {len(board.collections())} collections"
        rows.append(f"| {link} | {extent} | {len(names)} | {value} | {low} to {high} |")
        shown.append(board.compare(best, UNIFORM).not_better(len(names)))
    assert shown == [True, False, False], "the sentences say on which boards the best is shown to be within a point"
    yield Table(
        "| leaderboard | data sets | learned combinations | points by which the best is ahead of equal weights "
        "| its 95 % interval, corrected for the choice |",
        rows,
    )
    board, others = vectors(), len(vectors().results.study.ranked) - 1
    yield Sentence("# its rank among {} archived configurations", [str(others + 1)])
    yield Sentence(
        "over {} data sets of vectors, with 13 similar kernels, the best of {} is shown to be less than a point ahead",
        [str(len(board.datasets)), WORDS[len(learned(board.results))]],
    )
    harmful = ["localised_mkl", "gmkl", "mkboost"]
    least = min(board.compare(UNIFORM, name).mean.interval(BEST_LEVEL / others)[0] for name in harmful)
    yield Sentence(
        "On vectors localised MKL, generalised MKL and MKBoost are {}, {} and {} points behind; "
        "corrected for {} comparisons, each is at least {} behind",
        [*(board.behind(name)[0] for name in harmful), str(others), points(np.floor(10.0 * least) / 10.0)],
    )
    names = learned(images().results)
    ahead = [name for name in names if images().compare(name, UNIFORM).mean.interval(BEST_LEVEL / len(names))[0] > 0.0]
    assert len(ahead) == 1 and ahead[0] != images().best(names), "the sentence says so"
    yield Sentence(
        "On images one of {} is shown to be ahead at all, by {} ({} to {}); another one has the highest mean",
        [WORDS[len(names)], *images().ahead(ahead[0], best_of=len(names))],
    )


def index() -> Iterator[Part]:
    """Yield the numbers of docs/index.md."""
    exact, _, compatible, different = counted(numbers := reproduced("omkc", *OF_OMKC))
    yield Sentence(
        "{} of {} print as published and {} differ. The test of {} others is too weak",
        [exact, str(len(numbers)), different, compatible],
    )
    accuracies, kernels = (reproduced("rkl", metric) for metric in (ACCURACY, "kernels_selected"))
    own = accuracies[accuracies["algorithm"].str.startswith("rkl")]
    apart = [counted(of)[-1] for of in (accuracies, own, kernels)]
    yield Sentence(
        "of {} accuracies {} differ, {} of them one of RKL's own {}, and of {} numbers of kernels {}.",
        [str(len(accuracies)), apart[0], WORDS[int(apart[1])], str(len(own)), str(len(kernels)), apart[2]],
    )
    flowers = results_of("obscure_flowers").means(["obscure", "obscure_online"], ACCURACY).mean()
    yield Sentence("on Flowers both stages have {} %, and the first alone {}", list(map(points, flowers)))
    board = vectors()
    yield Sentence(
        "{} configurations on {} data sets of vectors, the best of {} learned combinations is {} points ahead of equal "
        "weights on average (interval, as the best of {}: {} to {}). It learns on centred kernels, and is {} ahead of "
        "equal weights on these (95 %: {} to {}). lp-MKL with p = 1, not centred, is {} behind ({} to {}; on the "
        "median data set {}), kernel stacking {} ahead ({} to {}; both intervals are for one comparison)",
        [str(len(board.results.study.ranked)), str(len(board.datasets)), *lead()],
    )
    found = reproduced("oks", ACCURACY)
    yield Sentence("with our image features {} of {} accuracies differ", [counted(found)[-1], str(len(found))])
    yield Sentence(
        "on {} collections of sources that were measured apart, the best of {} learned combinations is {} points ahead "
        "of equal weights on average (as the best of {}, {} to {}): whether it is a point is undecided",
        _lead_on_sources(),
    )
    yield Sentence(
        "lp-MKL with p = 1 on centred kernels is {} ahead of their mean (interval {} to {})", lead_on_synthetic("1a")
    )
    collections, many, value, *ends = _lead_on_images()
    yield Sentence(
        "on {} collections the best of {} learned combinations is {} points ahead of equal weights on average (as the "
        "best of {}, {} to {})",
        [collections, many, value, many, *ends],
    )


def large_data_studies() -> Iterator[Part]:
    """Yield the table of the study of data that change, in docs/large_data_studies.md."""
    drift, rows = results_of("drift"), []
    mistakes, seconds = (drift.means(drift.study.algorithms, metric) for metric in ("mistake_percent", "seconds"))
    for name in mistakes.iloc[0].sort_values().index:
        cells = [f"{mistakes.at[data, name]:.1f}, {seconds.at[data, name]:.2g} s" for data in mistakes.index]
        rows.append(f"| {' | '.join([drift.title(name), *cells])} |")
    yield Table("| | SEA | turning plane |", rows)


def version() -> Iterator[Part]:
    """Yield the version of the reference results in CITATION.cff."""
    yield Sentence('type: other value: "{}"', [archive.version()])


def citing() -> Iterator[Part]:
    """Yield the version of the reference results in docs/citing.md."""
    yield Sentence("reference results {}", [archive.version()])


PAGES = {
    "CITATION.cff": version,
    "docs/citing.md": citing,
    "README.md": readme,
    "docs/index.md": index,
    "docs/catalogue.md": catalogue,
    "docs/large_data_studies.md": large_data_studies,
    "docs/papers/leaderboard.md": leaderboard,
    "docs/papers/leaderboard_images.md": leaderboard_images,
    "docs/papers/leaderboard_views.md": leaderboard_views,
    "docs/papers/ca.md": ca,
    "docs/papers/obscure.md": obscure,
    "docs/papers/oks.md": oks,
    "docs/papers/omkc.md": omkc,
    "docs/papers/rkl.md": rkl,
    "docs/papers/statements/ca.csv": ca_rows,
    "docs/papers/statements/obscure.csv": obscure_rows,
    "docs/papers/statements/oks.csv": oks_rows,
    "docs/papers/statements/omkc.csv": omkc_rows,
    "docs/papers/statements/rkl.csv": rkl_rows,
}


def written(page: str, text: str) -> str:
    """Return the text of a page with the numbers of the archive; raise ValueError for a sentence that it lacks."""
    for part in PAGES[page]():
        text = part.write(text)
    return text


def main() -> None:
    """Write the numbers into all pages."""
    for page in PAGES:
        path = ROOT / page
        path.write_text(written(page, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
