"""The numbers of pages that come from the archive of reference results, and the tables of the catalogue of data sets.

    python docs/page_numbers.py

looks them up and writes them into README.md, docs/papers and docs/catalogue.md, whose tables come from the descriptions
in `config/datasets`. A page keeps its sentences, and each is here once more with `{}` in the place of its numbers. A
sentence that a page does not have, such as one that names another algorithm as the best, is an error: whoever wrote the
sentence reads it again. A test compares all pages with what is looked up.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from grambench import claims
from grambench.claims import chances
from grambench.claims.leaderboard import LEARNED, SINGLE, UNIFORM
from grambench.claims.leaderboard_views import EXAMPLES
from grambench.common import layout
from grambench.config.project import Configuration
from grambench.datasets.descriptions import BaseDataset, Dataset, Description, Images
from grambench.report.study_page import JUDGED
from grambench.results import archive, reproduction
from grambench.results.statistics import BEST_LEVEL, HarmAndGain
from grambench.results.study import Results

ROOT = Path(__file__).parents[1]
NUMBER = r"([-+]?[\w.]*\w|–)"  # also a number in words
WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
WORDS += ["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
ACCURACY = "accuracy_percent"
LARGE_GAP = 10.0  # points between our accuracy and the printed one, from which on the page of OKS has a line for it


class Sentence(NamedTuple):
    """A part of a page, with `{}` in the place of each number, and the numbers as the page prints them."""

    text: str
    values: Sequence[str]

    def write(self, page: str) -> str:
        """Return a page with the numbers; raise ValueError unless it has the sentence once."""
        pieces = [re.sub(r"(\\ |\\\n)+", r"\\s+", re.escape(piece)) for piece in self.text.split("{}")]
        found = list(re.finditer(NUMBER.join(pieces), page))
        if len(found) != 1 or len(self.values) != len(pieces) - 1:
            filled = self.text.format(*self.values)
            raise ValueError(
                f"expected one sentence like {filled!r}, got {len(found)}; rewrite the page or the sentence"
            )
        (match,) = found
        for number, value in reversed([*enumerate(self.values, start=1)]):
            page = page[: match.start(number)] + value + page[match.end(number) :]
        return page


class Table(NamedTuple):
    """A table of a page: its first line, and the rows below the line of the columns' alignment."""

    head: str
    rows: Sequence[str]

    def write(self, page: str) -> str:
        """Return a page with the rows; raise ValueError unless it has a table with this first line once."""
        before, found, rest = page.partition(f"{self.head}\n")
        if not found or self.head in rest:
            raise ValueError(f"expected one table with the first line {self.head!r}")
        alignment, _, rest = rest.partition("\n")
        return f"{before}{self.head}\n{alignment}\n" + "\n".join(self.rows) + "\n\n" + rest.partition("\n\n")[2]


class Verdicts(NamedTuple):
    """The verdicts of claims in a table whose rows begin with the number of a claim."""

    verdicts: Mapping[str, str]

    def write(self, page: str) -> str:
        """Return a page with the verdicts; raise ValueError for a claim that has no row."""
        for claim, verdict in self.verdicts.items():
            page, found = re.subn(rf"^(\| {claim} [^|]*\| )\w+( \|)", rf"\g<1>{verdict}\g<2>", page, flags=re.MULTILINE)
            if found != 1:
                raise ValueError(f"expected one row of claim {claim}, got {found}")
        return page


Part = Sentence | Table | Verdicts


def points(value: float, *, plus: bool = False, decimals: int = 1) -> str:
    """Return points as pages print them, ".5" or "-1.2"."""
    # a mean of ten splits may lie halfway, where the order of a sum would decide
    text = f"{round(round(value, 9), decimals) + 0.0:{'+' if plus else ''}.{decimals}f}"
    return re.sub(r"^([-+]?)0\.", r"\1.", text)


class Board(NamedTuple):
    """A leaderboard of the archive, or a part of its data sets."""

    results: Results
    datasets: list[str]

    def compare(self, first: str, second: str) -> HarmAndGain:
        """Return how one configuration does beside another one."""
        compared = self.results.compare(first, second, ACCURACY, self.datasets)
        assert compared
        return compared

    def ahead(self, first: str, second: str = UNIFORM, *, best_of: int = 1, plus: bool = False) -> list[str]:
        """Return by how many points one configuration is ahead of another one, and the ends of the interval."""
        mean = self.compare(first, second).mean
        numbers = mean.value, *mean.interval(BEST_LEVEL / best_of)
        return [points(number, plus=plus) for number in numbers]

    def behind(self, first: str, second: str = UNIFORM) -> list[str]:
        """Return by how many points one configuration is behind another one, and the ends of the interval."""
        return self.ahead(second, first)

    def most(self, first: str, second: str = UNIFORM) -> str:
        """Return by how many points one configuration may be ahead at most, with two decimals: close to a point."""
        return points(self.compare(first, second).mean.interval(BEST_LEVEL)[1], decimals=2)

    def best(self, names: Iterable[str], rival: str = UNIFORM) -> str:
        """Return the configuration that is furthest ahead of a rival by its mean."""
        return max(names, key=lambda name: self.compare(name, rival).mean.value)

    def not_ahead(self, names: Iterable[str], rival: str = UNIFORM) -> list[str]:
        """Return the configurations that are shown not to be a point ahead of a rival."""
        return [name for name in names if self.compare(name, rival).not_better()]

    def accuracy(self, name: str, dataset: str) -> str:
        """Return the mean accuracy of a configuration on a data set."""
        return points(float(self.results.values(dataset, name, ACCURACY).mean()))


@cache
def results_of(study: str) -> Results:
    """Return the results of a study of the archive."""
    settings = Configuration(ROOT / "config").study(study)
    return Results.read(settings, archive.path_of(study, layout.RUNS), archive.path_of(study, layout.CELLS))


@cache
def claims_of(study: str) -> pd.DataFrame:
    """Return the claims of a study of the archive as `claims.csv` has them."""
    evidence = claims.Evidence(results_of(study), pd.read_parquet(archive.path_of(study, layout.CURVES)))
    return claims.table(study, evidence, chances.read(ROOT / layout.CHANCES, study))


def verdicts(study: str) -> Verdicts:
    """Return the verdicts of the claims of a study of the archive."""
    return Verdicts(dict(zip(*claims_of(study)[["claim", "verdict"]].astype(str).T.to_numpy(), strict=True)))


@cache
def reproduced(study: str, metric: str) -> pd.DataFrame:
    """Return the published values of a metric beside those of a study of the archive, each number once."""
    files = results_of(study).study.published
    assert files
    published = {name: ROOT / "config/published" / name for name in files.files()}
    again = ROOT / f"config/replications/{study}.csv"
    shipped = again if again.exists() else None
    found = reproduction.table(results_of(study), archive.read_prepared(study), published, shipped)
    found = found[found["verdict"].isin(JUDGED) & (found["algorithm"] != "")]
    found = found[~found["item"].str.endswith(reproduction.VARIANTS) & (found["metric"] == metric)]
    return found.drop_duplicates(["dataset", "algorithm"])


def learned(results: Results) -> list[str]:
    """Return the learned combinations of a board, by which its claims judge."""
    return [name for name in LEARNED if name in results.study.algorithms]


def rows_by_rank(results: Results, kinds: Sequence[Sequence[str]], columns: Sequence[Sequence[str]]) -> list[str]:
    """Return a row for each configuration: mean accuracies, mean ranks and seconds, best mean rank first.

    Parameters
    ----------
    results : Results
        The results of a board.
    kinds : sequence of sequences of str
        Data sets by kind: accuracy and rank are columns of each. Rows are sorted by the first; seconds are of it.
    columns : sequence of sequences of str
        Data sets of columns of accuracies that stand before them.
    """
    names = list(results.study.algorithms)
    means = results.means(names, ACCURACY)
    complete = [[name for name in names if means.loc[list(kind), name].notna().all()] for kind in kinds]
    ranks = [results.ranks(of, ACCURACY, kind).mean() for of, kind in zip(complete, kinds, strict=True)]
    seconds = np.exp(np.log(results.means(names, "seconds", kinds[0])).mean())
    rows = {}
    for name in names:
        numbers = [float(means.loc[list(column), name].mean()) for column in columns]
        for kind, of_kind in zip(kinds, ranks, strict=True):
            numbers += [float(means.loc[list(kind), name].mean()), float(of_kind.get(name, np.nan))]
        texts = ["–" if np.isnan(number) else f"{round(number, 9):.1f}" for number in numbers]
        rows[name] = f"| {' | '.join([results.title(name), *texts, f'{seconds[name]:.2g}'])} |"
    first = ranks[0].sort_values(kind="stable").index
    return [rows[name] for name in [*first, *(name for name in names if name not in first)]]


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
    yield from _claims_on_sources(sources)


def _on_sources(sources: Board) -> Iterator[Part]:
    names = learned(sources.results)
    best = sources.best(names)
    title, lead = sources.results.title(best), sources.compare(best, UNIFORM)
    yield Sentence(
        f"{title}, the best by its mean, is {{}} points ahead ({{}} to {{}}; as the best of eighteen {{}} to {{}}). By "
        "the means it is more than a point ahead on {} collections, and more than a point behind on {}. {} of the {} "
        "are shown not to be a point ahead.",
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
        "ahead of the best kernel**, which is on one view, by {} points ({} to {};",
        sources.ahead(UNIFORM, SINGLE),
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


def _on_synthetic(board: Board) -> Iterator[Part]:
    yield Sentence(
        "lp-MKL with p = 1 on centred kernels has {} %, their uniform mean {} (1a). Its two largest weights are on "
        "these views in ten of ten draws (1d). Weights that are not sparse gain nearly as much (EasyMKL {} %), "
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
        "generalised MKL, which multiplies kernels, {}, a Gaussian SVM on all features {}, localised weights {}, "
        "boosting {}.",
        [
            board.accuracy(name, "synthetic_xor")
            for name in ("gmkl", "gaussian_svm", "localised_mkl", "gradient_boosting")
        ],
    )


def _claims_on_sources(sources: Board) -> Iterator[Part]:
    names = learned(sources.results)
    best, best_of = sources.best(names), len(names)
    title = sources.results.title(best)
    yield Sentence(
        "| 2a the uniform mean beats the best kernel | undecided | {}, interval {} to {};",
        sources.ahead(UNIFORM, SINGLE, plus=True),
    )
    yield Sentence(
        f"| 2b a learned combination beats the mean | undecided | {title} {{}}, as best of {{}} {{}} to {{}};",
        [sources.ahead(best, plus=True)[0], str(best_of), *sources.ahead(best, best_of=best_of, plus=True)[1:]],
    )
    for claim, rival in {"3a": "view_stacking", "3b": "random_forest"}.items():
        value, low, high = sources.ahead(best, rival, best_of=best_of, plus=True)
        what = {"3a": "stacking of views", "3b": "a random forest"}[claim]
        yield Sentence(
            f"| {claim} a learned combination beats {what} | undecided | {title} {{}}, as best of {{}} {{}} to {{}} |",
            [value, str(best_of), low, high],
        )


def oks() -> Iterator[Part]:
    """Yield the numbers of docs/papers/oks.md."""
    results, found = results_of("oks"), reproduced("oks", ACCURACY)
    counts = found["verdict"].value_counts()
    yield Sentence(
        "Of {} accuracies {} is exact, {} confirmed, {} are compatible and {} different.",
        [str(len(found)), *(str(counts.get(verdict, 0)) for verdict in JUDGED)],
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
            printed, mark = row["published_mean"], " ≠" if row["verdict"] == "different" else ""
            cells.append(f"{ours:.1f} ({printed:.1f}){mark}")
            gap = float(f"{ours:.1f}") - float(f"{printed:.1f}")
            if abs(gap) > LARGE_GAP:
                gaps.append((gap, f"| {title} on {task} | {ours:.1f} | {printed:.1f} | {points(gap, plus=True)} |"))
        rows.append(f"| {' | '.join([title, *cells])} |")
    best = [results.by_kernel("each_kernel", name, "one_kernel", ACCURACY).max() for name in tasks]
    rows.append(f"| best kernel | {' | '.join(f'{accuracy:.1f}' for accuracy in best)} |")
    yield Table(f"| method | {' | '.join(tasks.values())} |", rows)
    largest_first = [row for _, row in sorted(gaps, key=lambda pair: -abs(pair[0]))]
    yield Table("| more than 10 points apart | here | printed | difference |", largest_first)


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
    collections = {sources.results.study.collection(name) for name in sources.datasets}
    lead, *ends = sources.ahead(sources.best(names), best_of=len(names))
    return [str(len(collections)), WORDS[len(names)], lead, WORDS[len(names)], *ends]


def readme() -> Iterator[Part]:
    """Yield the numbers of README.md."""
    counts = reproduced("oks", ACCURACY)["verdict"].value_counts()
    yield Sentence(
        "(Yang et al. 2012) | {} accuracies, with our image features | {} | {} | {} | {} |",
        [str(counts.sum()), *(str(counts.get(verdict, 0)) for verdict in JUDGED)],
    )
    yield Sentence(
        "On {} collections of [several sources](docs/papers/leaderboard_views.md) the best of {} is {} ahead (as the "
        "best of {}, {} to {})",
        _lead_on_sources(),
    )


def index() -> Iterator[Part]:
    """Yield the numbers of docs/index.md."""
    counts = reproduced("oks", ACCURACY)["verdict"].value_counts()
    numbers = [str(counts["different"]), str(counts.sum())]
    yield Sentence("with our image features {} of {} accuracies differ", numbers)
    yield Sentence(
        "on {} collections of sources that were measured apart, the best of {} learned combinations is {} points ahead "
        "of equal weights on average (as the best of {}, {} to {}): undecided",
        _lead_on_sources(),
    )
    sparse = results_of("leaderboard_views").lead(
        "synthetic_sparse", "d1_centred", "uniform_svm_centred", ACCURACY, n=EXAMPLES
    )
    assert sparse
    yield Sentence(
        "lp-MKL with p = 1 on centred kernels is {} ahead of their mean (interval {} to {})", list(map(points, sparse))
    )


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
    "docs/papers/leaderboard_views.md": leaderboard_views,
    "docs/papers/oks.md": oks,
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
