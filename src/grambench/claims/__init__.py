"""What the papers claim in words, each claim a function of the results.

A claim answers with a verdict and the evidence for it in one line. What "most" means, and how many data sets have to
be at hand before anything is decided, is fixed here, so that no claim has its own measure.

- at least half of the data sets that a claim speaks of must be at hand (8 of the 15 of OMKC's Table 3); otherwise it is
  undecided, and its evidence is printed all the same;
- "most" is more than half of those at hand, "almost all" at least 13 of 15 (0.85 of them), "every" each one;
- a claim on every data set fails at the first counterexample, however few are at hand;
- times of less than 10 ms are not at hand: work decides, or the claim is undecided.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from grambench.common.settings import fault
from grambench.results.collect import STUDY
from grambench.results.columns import Column, Table
from grambench.results.statistics import Sample
from grambench.results.study import Results

ClaimVerdict = Literal["holds", "fails", "undecided"]
CONTRADICTED = "contradicted"  # by the paper: its own numbers do not fulfil the claim, whatever ours do
SHORTEST = 0.01  # seconds of a pass below which a clock measures the computer rather than the method
FEW = 5  # data sets that are named where a claim is true of none
Quorum = Literal["most", "almost all", "every"]
ALMOST_ALL = 0.85

Samples = dict[str, Sample]

TABLE = Table(
    "claims.csv",
    "a claim of the paper in words",
    (
        STUDY,
        Column("claim", "text", "its number among the study's claims, with a letter for a part"),
        Column("section", "text", "where the paper makes it"),
        Column("statement", "text", "the claim in words"),
        Column("verdict", "text", f"holds, fails or undecided on our runs, {CONTRADICTED} by the paper's own numbers"),
        Column("probability", "number", "that the paper's numbers would fulfil it again; missing if unknown", "0 to 1"),
        Column("evidence", "text", "what the verdict rests on, in one line"),
    ),
)


class Answer(NamedTuple):
    """What the results say to a claim: a verdict, and the evidence in one line."""

    verdict: ClaimVerdict
    evidence: str

    @classmethod
    def decided(cls, holds: bool, evidence: str) -> "Answer":
        """Return the answer to a claim that the results decide."""
        return cls("holds" if holds else "fails", evidence)

    @classmethod
    def undecided(cls, evidence: str) -> "Answer":
        """Return the answer to a claim that the results do not decide, with the reason."""
        return cls("undecided", evidence)


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
    """

    id: str
    section: str
    test: Callable[[Evidence], Answer]

    @property
    def statement(self) -> str:
        """The claim in words, in one line."""
        return " ".join((self.test.__doc__ or "").split())


def of(study: str) -> list[Claim]:
    """Return the claims of a study, the list CLAIMS of its module here; none where there is no module."""
    name = f"{__name__}.{study}"
    if importlib.util.find_spec(name) is None:
        return []
    claims: list[Claim] = importlib.import_module(name).CLAIMS
    return claims


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
    if reason := fault(of, study):
        evidence_of_none = f"their file cannot be imported: {reason}"
        return TABLE.frame([(study, "", "", "The claims.", "undecided", np.nan, evidence_of_none)])
    rows = []
    for claim in of(study):
        chance = (chances or {}).get(claim.id)
        answer = claim.test(evidence)
        verdict, said = (answer.verdict, answer.evidence) if chance is None else _beside(answer, chance)
        probability = chance.probability if chance else np.nan
        rows.append((study, claim.id, claim.section, claim.statement, verdict, probability, said))
    return TABLE.frame(rows)


def _beside(answer: Answer, chance: Chance) -> tuple[str, str]:
    """Return verdict and evidence of a claim for which the paper's own numbers are judged too."""
    if chance.verdict != "fails":
        return answer.verdict, answer.evidence
    return CONTRADICTED, f"printed: {chance.evidence}. Ours ({answer.verdict}): {answer.evidence}"


def lacking(wanted: Sequence[str]) -> str:
    """Return why nothing is decided if no data set has all the runs that a claim needs."""
    return f"none of {len(wanted)} data sets has all the runs that this needs"


def gather(evidence: Evidence, algorithms: Iterable[str], metric: str, datasets: Iterable[str]) -> dict[str, Samples]:
    """Return the samples of all algorithms, by name, on each data set where none of them is missing."""
    names = list(algorithms)
    found = {name: {algorithm: sample(evidence, name, algorithm, metric) for algorithm in names} for name in datasets}
    return {name: samples for name, samples in found.items() if all(sample.runs for sample in samples.values())}


def sample(evidence: Evidence, dataset: str, algorithm: str, metric: str) -> Sample:
    """Return mean, deviation and number of runs of a cell; of seconds that are too few to be told, none."""
    found = evidence.results.sample(dataset, algorithm, metric)
    return found if long_enough(found.mean, metric) else Sample(np.nan, np.nan, 0)


def long_enough(value: float, metric: str) -> bool:
    """Return whether a value is no time of less than 10 ms, on which no claim is decided."""
    return not (metric.endswith("seconds") and value < SHORTEST)


def true_on(samples: Mapping[str, Samples], test: Callable[[Samples], bool]) -> dict[str, bool]:
    """Return whether a test of the algorithms' samples is true, for each data set."""
    return {name: test(sample) for name, sample in samples.items()}


def listed(names: Sequence[str]) -> str:
    """Return names in one line, "none" where there are none."""
    return ", ".join(names) if names else "none"


def quorum(hits: Mapping[str, bool], wanted: Sequence[str], share: Quorum | float, what: str) -> Answer:
    """Judge a claim on a share of the data sets.

    Parameters
    ----------
    hits : dict of bool
        Whether the claim is true on each data set at hand.
    wanted : list of str
        The data sets that the claim speaks of.
    share : str or float
        "most", "almost all", "every", or the least share that must be true.
    what : str
        What is true where it is true, as in "OMKC(D,D) is best on 12 of 15".
    """
    against = [name for name in wanted if hits.get(name) is False]
    true, at_hand = sum(hits.values()), len(hits)
    if not at_hand:
        return Answer.undecided(f"{what}: {lacking(wanted)}")
    holds = _enough(true, at_hand, share)
    decided = 2 * at_hand >= len(wanted) or (share == "every" and not holds)
    evidence = f"{what} on {true} of {at_hand}"
    if against and (true or len(against) <= FEW):
        evidence += f": not on {listed(against)}"
    evidence += absent(hits, wanted)
    return Answer.decided(holds, evidence) if decided else Answer.undecided(evidence)


def measure(
    values: Mapping[str, float],
    test: Callable[[float], bool],
    wanted: Sequence[str],
    share: Quorum | float,
    what: str,
    span: str = "",
) -> Answer:
    """Judge a claim on a number for each data set, see `quorum`.

    `span` says their range after `what`, as in "({:.1f} to {:.1f} %)".
    """
    if span and values:
        what += f" {span.format(min(values.values()), max(values.values()))}"
    return quorum({name: test(value) for name, value in values.items()}, wanted, share, what)


def at_most(hits: Mapping[str, bool], wanted: Sequence[str], limit: int, what: str) -> Answer:
    """Judge a claim that something is true on no more than `limit` of the data sets; more of them refute it at once."""
    found = [name for name in wanted if hits.get(name)]
    if not hits:
        return Answer.undecided(f"{what}: {lacking(wanted)}")
    evidence = f"{what} on {len(found)} of {len(hits)}: {listed(found)}{absent(hits, wanted)}"
    if len(found) > limit:
        return Answer("fails", evidence)
    unseen = len(wanted) - len(hits)
    return Answer("holds" if len(found) + unseen <= limit else "undecided", evidence)


def named(hits: Mapping[str, bool], wanted: Sequence[str], what: str) -> Answer:
    """Judge a claim on data sets that it names: it needs all of them, unless one at hand refutes it."""
    if not hits:
        return Answer.undecided(f"{what}: none of {listed(wanted)} has all the runs that this needs")
    found = [name for name in wanted if hits.get(name)]
    evidence = f"{what} on {len(found)} of {len(hits)}"
    evidence += f": {listed(found)}" if found else ""
    return all_of(hits, wanted, evidence)


def all_of(hits: Mapping[str, bool], wanted: Sequence[str], evidence: str) -> Answer:
    """Judge a claim on things that it names: one at hand refutes it, and it holds only if none is missing."""
    if not hits:
        return Answer.undecided(f"no runs of what this needs: {listed(wanted)}")
    evidence += absent(hits, wanted)
    if all(hits.values()) and len(hits) < len(wanted):
        return Answer.undecided(evidence)
    return Answer.decided(all(hits.values()), evidence)


def both(first: Answer, second: Answer) -> Answer:
    """Judge a claim of two halves: it fails with either, and holds with both."""
    verdicts = {first.verdict, second.verdict}
    verdict: ClaimVerdict = "fails" if "fails" in verdicts else "undecided" if "undecided" in verdicts else "holds"
    return Answer(verdict, f"{first.evidence}; {second.evidence}")


def absent(hits: Mapping[str, bool], wanted: Sequence[str]) -> str:
    """Return the clause on the data sets that are not at hand."""
    missing = [name for name in wanted if name not in hits]
    if not missing:
        return ""
    return (
        f"; not at hand: {listed(missing)}" if len(missing) <= 5 else f"; {len(missing)} of {len(wanted)} not at hand"
    )


def _enough(true: int, at_hand: int, share: Quorum | float) -> bool:
    if share == "most":
        return 2 * true > at_hand
    if share == "every":
        return true == at_hand
    return true >= (ALMOST_ALL if share == "almost all" else float(share)) * at_hand
