"""What the papers claim in words, each claim a function of the results.

A claim answers with a verdict and the evidence for it in one line. All claims share the rules below: what "most" means,
and how many data sets must be available before anything is decided.

- at least half of the data sets that a claim speaks of must be available (8 of the 15 of OMKC's Table 3); otherwise it
  is undecided, and its evidence is printed all the same;
- "most" is more than half of those available, "almost all" at least 13 of 15 (0.85 of them), "every" each one;
- a claim on every data set fails at the first counterexample, however few are available;
- times of less than 10 ms are not available: work decides, or the claim is undecided.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from grambench.common.docstrings import docstring
from grambench.common.settings import fault
from grambench.results.columns import STUDY, Column, Table
from grambench.results.reading import as_written
from grambench.results.statistics import Sample
from grambench.results.study import Results

ClaimVerdict = Literal["holds", "fails", "undecided"]
CONTRADICTED = "contradicted"  # by the paper: its own numbers do not fulfil the claim, whatever ours do
SHORTEST = 0.01  # seconds of a pass below which a clock measures the computer rather than the method
MOST_NAMED = 5  # data sets that are named where a claim is true of none, or that are not available
Share = Literal["most", "almost all", "every"]
SHARES = {"almost all": 0.85, "every": 1.0}  # "most" is more than half

CHANCES = ["study", "claim", "printed", "probability", "draws", "evidence"]  # columns of the table of `read_chances`

NO_RUNS = Sample(np.nan, np.nan, 0)
Samples = dict[str, Sample]  # by algorithm
Means = dict[str, float]  # by algorithm

TABLE = Table(
    "claims.csv",
    "a claim of the paper in words",
    (
        STUDY,
        Column("claim", "text", "its number among the study's claims, with a letter for a part"),
        Column("section", "text", "where the paper makes it"),
        Column("statement", "text", "the claim in words"),
        Column(
            "verdict", "text", f"holds, fails or undecided on our runs; {CONTRADICTED}: inconsistent within the paper"
        ),
        Column("probability", "number", "that the paper's numbers would fulfil it again; missing if unknown", "0 to 1"),
        Column("evidence", "text", "what the verdict rests on, in one line"),
    ),
)


class Answer(NamedTuple):
    """What the results say to a claim: a verdict, and the evidence in one line.

    Its class methods judge claims of several kinds, all by the rules of this module.
    """

    verdict: ClaimVerdict
    evidence: str

    @classmethod
    def of(cls, holds: bool, evidence: str, *, enough: bool = True) -> "Answer":
        """Return the answer to a claim, undecided where there are not enough results."""
        return cls("undecided" if not enough else "holds" if holds else "fails", evidence)

    @classmethod
    def undecided(cls, evidence: str) -> "Answer":
        """Return the answer to a claim that the results do not decide, with the reason."""
        return cls("undecided", evidence)

    @classmethod
    def by_share(cls, hits: Mapping[str, bool], datasets: Sequence[str], share: Share | float, phrase: str) -> "Answer":
        """Judge a claim on a share of the data sets.

        Parameters
        ----------
        hits : dict of bool
            Whether the claim is true on each available data set.
        datasets : list of str
            The data sets that the claim speaks of.
        share : str or float
            "most", "almost all", "every", or the least share that must be true.
        phrase : str
            What is true where it is true, as in "OMKC(D,D) is best on 12 of 15".
        """
        if not hits:
            return cls.undecided(f"{phrase}: {lacking(datasets)}")
        count, available = sum(hits.values()), len(hits)
        if share == "most":
            holds = 2 * count > available
        else:
            holds = count >= (SHARES[share] if isinstance(share, str) else share) * available
        evidence = f"{phrase} on {count} of {available}"
        against = [name for name in datasets if hits.get(name) is False]
        if against and (count or len(against) <= MOST_NAMED):
            evidence += f": not on {list_names(against)}"
        enough = 2 * available >= len(datasets) or (share == "every" and not holds)
        return cls.of(holds, evidence + list_missing(hits, datasets), enough=enough)

    @classmethod
    def by_values(
        cls,
        values: Mapping[str, Any],
        test: Callable[[Any], bool],
        datasets: Sequence[str],
        share: Share | float,
        phrase: str,
        span: str = "",
    ) -> "Answer":
        """Judge a claim by a test of what each available data set has, see `by_share`.

        Of numbers, `span` formats the range that stands after `phrase`, as in "({:.1f} to {:.1f} %)".
        """
        if span and values:
            phrase += f" {span.format(min(values.values()), max(values.values()))}"
        return cls.by_share({name: test(value) for name, value in values.items()}, datasets, share, phrase)

    @classmethod
    def at_most(cls, hits: Mapping[str, bool], datasets: Sequence[str], limit: int, phrase: str) -> "Answer":
        """Judge a claim that something is true on no more than `limit` of the data sets.

        More of them refute it at once. It holds only if it would also hold with all data sets that are not available.
        """
        if not hits:
            return cls.undecided(f"{phrase}: {lacking(datasets)}")
        true = [name for name in datasets if hits.get(name)]
        evidence = f"{phrase} on {len(true)} of {len(hits)}: {list_names(true)}{list_missing(hits, datasets)}"
        most = len(true) + len(datasets) - len(hits)
        return cls.of(most <= limit, evidence, enough=most <= limit or len(true) > limit)

    @classmethod
    def on_named(cls, hits: Mapping[str, bool], datasets: Sequence[str], phrase: str) -> "Answer":
        """Judge a claim on data sets that it names: it needs all of them, unless an available one refutes it."""
        if not hits:
            return cls.undecided(f"{phrase}: not enough runs on {list_names(datasets)}")
        true = [name for name in datasets if hits.get(name)]
        evidence = f"{phrase} on {len(true)} of {len(hits)}"
        return cls.on_all(hits, datasets, f"{evidence}: {list_names(true)}" if true else evidence)

    @classmethod
    def on_all(cls, hits: Mapping[str, bool], names: Sequence[str], evidence: str) -> "Answer":
        """Judge a claim on things that it names: an available one refutes it, and it holds only if none is missing."""
        if not hits:
            return cls.undecided(f"not enough runs: {list_names(names)}")
        holds = all(hits.values())
        return cls.of(holds, evidence + list_missing(hits, names), enough=not holds or len(hits) == len(names))

    @classmethod
    def both(cls, first: "Answer", second: "Answer") -> "Answer":
        """Judge a claim of two halves: it fails with either, and holds with both."""
        verdicts = {first.verdict, second.verdict}
        enough = "fails" in verdicts or "undecided" not in verdicts
        return cls.of(verdicts == {"holds"}, f"{first.evidence}; {second.evidence}", enough=enough)

    def adding(self, evidence: str) -> "Answer":
        """Return the same verdict with more evidence behind a semicolon."""
        return self._replace(evidence=f"{self.evidence}; {evidence}")

    def doubting(self, reason: str = "") -> "Answer":
        """Return the answer to a claim that these results cannot refute, undecided in place of failing."""
        if self.verdict != "fails":
            return self
        return Answer("undecided", f"{self.evidence}; {reason}" if reason else self.evidence)


class Chance(NamedTuple):
    """What a paper's own numbers say to a claim, and how often they would fulfil it again; NaN if it is unknown."""

    verdict: ClaimVerdict
    evidence: str
    probability: float


@dataclass(frozen=True)
class Evidence:
    """All that a claim may look at.

    Attributes
    ----------
    results : Results
        Runs and failures.
    curves : DataFrame
        curves.parquet: the values during the pass.
    """

    results: Results
    curves: pd.DataFrame

    def sample(self, dataset: str, algorithm: str, metric: str) -> Sample:
        """Return mean, deviation and number of runs of a cell; no runs if its seconds are too few to be measured.

        Equal means may differ by the rounding of a sum, which must not decide: a mean has nine decimals.
        """
        sample = self.results.sample(dataset, algorithm, metric)
        return sample._replace(mean=round(sample.mean, 9)) if long_enough(sample.mean, metric) else NO_RUNS

    def samples(self, algorithms: Iterable[str], metric: str, datasets: Iterable[str]) -> dict[str, Samples]:
        """Return the samples of all algorithms, by name, on each data set on which none of them is missing."""
        names = list(algorithms)
        samples = {dataset: {name: self.sample(dataset, name, metric) for name in names} for dataset in datasets}
        return {dataset: row for dataset, row in samples.items() if all(sample.runs for sample in row.values())}

    def means(self, algorithms: Iterable[str], metric: str, datasets: Iterable[str]) -> dict[str, Means]:
        """Return the means of all algorithms, by name, on each data set on which none of them is missing."""
        samples = self.samples(algorithms, metric, datasets)
        return {dataset: {name: sample.mean for name, sample in row.items()} for dataset, row in samples.items()}

    def available_means(self, dataset: str, algorithms: Iterable[str], metric: str) -> Means:
        """Return the means of those algorithms that have runs on a data set."""
        samples = {name: self.sample(dataset, name, metric) for name in algorithms}
        return {name: sample.mean for name, sample in samples.items() if sample.runs}


@dataclass(frozen=True)
class Claim:
    """One claim of a paper.

    Attributes
    ----------
    id : str
        Its number among the study's claims, with a letter for a part.
    section : str
        Where the paper makes it.
    test : callable
        The function that judges it; its docstring is the claim in words.
    words : str
        The claim in words, where `test` has no docstring.
    """

    id: str
    section: str
    test: Callable[[Evidence], Answer]
    words: str = ""

    @property
    def statement(self) -> str:
        """The claim in words, in one line."""
        return self.words or " ".join(docstring(self.test).split())


def load_claims(study: str) -> list[Claim]:
    """Return the list CLAIMS of a study's module in this package; it is empty where there is no module."""
    name = f"{__name__}.{study}"
    if importlib.util.find_spec(name) is None:
        return []
    claims: list[Claim] = importlib.import_module(name).CLAIMS
    return claims


def read_chances(path: Path, study: str) -> dict[str, Chance]:
    """Return what a paper's own numbers say to a study's claims by their ids, as a shipped table has it.

    `python benchmarks/claims.py` makes the table, config/replications/claims.csv, anew and says how.
    """
    with as_written(path):
        rows = pd.read_csv(path, dtype={"claim": str})[CHANCES]
        rows = rows[rows["study"] == study].set_index("claim")[["printed", "evidence", "probability"]]
        return {str(claim): Chance(*row) for claim, *row in rows.itertuples()}


def table(study: str, evidence: Evidence, chances: Mapping[str, Chance] | None = None) -> pd.DataFrame:
    """Judge all claims of a study.

    Parameters
    ----------
    study : str
        Its name.
    evidence : Evidence
        Our results.
    chances : dict of Chance, optional
        What the paper's own numbers say to its claims, by their ids.

    Returns
    -------
    DataFrame
        See TABLE.
    """
    if reason := fault(load_claims, study):
        text = f"their file cannot be imported: {reason}"
        return TABLE.frame([(study, "", "", "The claims.", "undecided", np.nan, text)])
    rows = []
    for claim in load_claims(study):
        chance = (chances or {}).get(claim.id)
        verdict: str
        verdict, text = claim.test(evidence)
        if chance and chance.verdict == "fails":
            verdict, text = CONTRADICTED, f"printed: {chance.evidence}. Ours ({verdict}): {text}"
        probability = chance.probability if chance else np.nan
        rows.append((study, claim.id, claim.section, claim.statement, verdict, probability, text))
    return TABLE.frame(rows)


def long_enough(value: float, metric: str) -> bool:
    """Return False for a time of less than 10 ms, on which no claim is decided, and True for any other value."""
    return not (metric.endswith("seconds") and value < SHORTEST)


def list_names(names: Sequence[str]) -> str:
    """Return names in one line, "none" where there are none."""
    return ", ".join(names) if names else "none"


def lacking(datasets: Sequence[str]) -> str:
    """Return why nothing is decided if no data set has all the runs that a claim needs."""
    return f"not enough runs on any of {len(datasets)} data sets"


def list_missing(hits: Mapping[str, bool], names: Sequence[str]) -> str:
    """Return the clause on the data sets that are not available; empty if all are."""
    missing = [name for name in names if name not in hits]
    if not missing:
        return ""
    count = f"{len(missing)} of {len(names)} not available"
    return f"; not available: {list_names(missing)}" if len(missing) <= MOST_NAMED else f"; {count}"
