"""How often a paper's own numbers would fulfil its claims again.

A claim on printed numbers is a predicate of one sample of what the paper leaves to chance. Results are drawn whose
truth is what the paper prints, and the claim's own function judges each: the share on which it holds is the claim's
probability of being replicated. A predicate that the truth itself fulfils in less than half of the cases says more of
chance than of us, and is to be restated; one that the printed numbers do not fulfil is contradicted by the paper.

Where algorithms share their splits, as the outer folds of a nested study, a number varies as its replications do
(grambench.results.replications): one that is drawn moves all algorithms of a data set together. Elsewhere, and where
there are none, each run is normal with the printed deviation, independent of all others. Whichever number has neither
is left out of the draws, and a claim that needs it has no probability. Printed seconds stand for work, of which no
paper has counts; numbers of all data sets together stand for each of them, a median rank for the error that it orders.
Curves and sweeps are not printed: claims on them are not decided here.

The table of all studies is shipped, config/replications/claims.csv; `python benchmarks/claims.py` makes it anew.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from grambench.claims import Chance, Evidence, of
from grambench.common.settings import fault
from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.config.study import Study
from grambench.results import replications
from grambench.results.reading import as_written
from grambench.results.replications import Replications
from grambench.results.statistics import Sample
from grambench.results.study import ALL, NO_VALUES, Results
from grambench.results.verdicts import LEAST

CellKey = tuple[str, str, str]  # data set, algorithm, metric

DRAWS, SEED = 200, 2013
STANDS_FOR = {"median_rank": ["error_percent"], "seconds": ["seconds", "row_additions", "operations"]}
RUNS = ["dataset", "algorithm", "sweep", "value", "repetition", "metric", "result"]
CELLS = ["dataset", "algorithm", "sweep", "status", "reason", "orders"]
CURVES = ["dataset", "algorithm", "repetition", "round", "metric", "result"]
COLUMNS = ["study", "claim", "printed", "probability", "draws", "evidence"]


class Number(NamedTuple):
    """A printed number: its mean, its deviation (NaN where not known) and its runs; of names, the names themselves.

    Numbers of one `origin` are one number that is printed once and stands for several.
    """

    mean: float
    std: float
    runs: int
    names: Floats
    origin: CellKey


@dataclass(frozen=True)
class Printed(Results):
    """Results made of printed numbers: values by data set, algorithm and metric, and neither runs nor sweeps."""

    given: Mapping[CellKey, Floats] = field(default_factory=dict)

    def values(self, dataset: str, algorithm: str, metric: str) -> Floats:
        """Return one value for each run; none where nothing is printed."""
        return self.given.get((dataset, algorithm, metric), NO_VALUES)

    def sample(self, dataset: str, algorithm: str, metric: str) -> Sample:
        """Return mean, standard deviation and number of runs of a cell, which many claims ask for."""
        cell = (dataset, algorithm, metric)
        if cell not in self._samples:
            self._samples[cell] = super().sample(*cell)
        return self._samples[cell]

    @cached_property
    def _samples(self) -> dict[CellKey, Sample]:
        return {}


def table(study: str, chances: Mapping[str, Chance]) -> pd.DataFrame:
    """Return the rows of the shipped table; of a claim without a probability, nothing was drawn."""
    rows = [
        (study, claim, verdict, probability, 0 if np.isnan(probability) else DRAWS, said)
        for claim, (verdict, said, probability) in chances.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def read(path: Path, study: str) -> dict[str, Chance]:
    """Return what the shipped table says of a study's claims, by their ids."""
    with as_written(path):
        rows = pd.read_csv(path, dtype={"claim": str})[COLUMNS]
        own = rows[rows["study"] == study]
        columns = (own[name] for name in ("claim", "printed", "evidence", "probability"))
        return {
            claim: Chance(verdict, said, float(share)) for claim, verdict, said, share in zip(*columns, strict=True)
        }


def replicated(path: Path) -> dict[CellKey, Replications]:
    """Return the replications of a shipped table, where there is one; of published orders where it has those too."""
    found = replications.read(path) if path.is_file() else {}
    return {(key[0], key[1], key[2]): found[key] for key in sorted(found, reverse=True)}


def compute(
    study: Study, published: Mapping[str, Path], again: Mapping[CellKey, Replications], draws: int = DRAWS
) -> dict[str, Chance]:
    """Return what the paper's own numbers say to each claim that they decide.

    Parameters
    ----------
    study : Study
        The study, with all data sets of its paper.
    published : dict of Path
        The files of config/published by name.
    again : dict of Replications
        Means by data set, algorithm and metric; it may be empty. Of a study whose algorithms are not compared in pairs
        they measure how random choices inside an algorithm vary, and not the permutations: they are not used.
    draws : int
        The number of results drawn; without any there are no probabilities.
    """
    if study.published is None or fault(of, study.name):
        return {}
    numbers = dict(_numbers(study, published))
    curves = _sizes(study, published)

    def evidence(given: Mapping[CellKey, Floats]) -> Evidence:
        return Evidence(Printed(study, pd.DataFrame(columns=RUNS), pd.DataFrame(columns=CELLS), given), curves)

    shown = evidence({cell: _as_printed(number) for cell, number in numbers.items()})
    answers = {claim.id: claim.test(shown) for claim in of(study.name)}
    decided = [claim for claim in of(study.name) if answers[claim.id].verdict != "undecided"]
    rng = np.random.default_rng(SEED)
    deviations = _deviations(study, numbers, again if study.protocol.paired else {})
    held = {claim.id: 0 for claim in decided}
    for _ in range(draws if decided else 0):
        drawn = evidence(dict(_drawn(numbers, deviations, rng)))
        for claim in decided:
            if claim.id in held:
                verdict = claim.test(drawn).verdict
                held[claim.id] += verdict == "holds"
                if verdict == "undecided":  # it needs a number that is left out
                    del held[claim.id]
    shares = {name: count / draws for name, count in held.items() if draws}
    return {claim.id: Chance(*answers[claim.id], shares.get(claim.id, np.nan)) for claim in decided}


def _numbers(study: Study, published: Mapping[str, Path]) -> Iterator[tuple[CellKey, Number]]:
    """Yield every number that is printed, and what it stands for, once each: the first is the one that counts."""
    assert study.published is not None
    seen: set[CellKey] = set()
    for name in study.published.results:
        rows = pd.read_csv(published[name])
        varying = set(rows.loc[rows["std"].notna(), "metric"])  # of those, no deviation is to say that there is none
        for row in rows.itertuples():
            number = _number(row, varying, study.published.runs)
            for cell in _stands_for(study, number.origin):
                if cell not in seen:
                    seen.add(cell)
                    yield cell, number


def _number(row: Any, varying: set[str], runs: int) -> Number:
    origin = (str(row.dataset), str(row.algorithm), str(row.metric))
    names = np.array(str(row.names).split(","), dtype=np.float64) if METRICS[origin[2]].named else NO_VALUES
    std = 0.0 if np.isnan(row.std) and origin[2] in varying else float(row.std)
    return Number(float(row.mean), std, 1 if origin[0] == ALL else runs, names, origin)


def _stands_for(study: Study, origin: CellKey) -> Iterator[CellKey]:
    dataset, algorithm, metric = origin
    for place in study.datasets if dataset == ALL else [dataset]:
        for name in [algorithm, *study.variants(algorithm)]:
            for measure in STANDS_FOR.get(metric, [metric]):
                yield place, name, measure


def _sizes(study: Study, published: Mapping[str, Path]) -> pd.DataFrame:
    """Return curves without values: they say how long a pass is, as far as the paper prints the sizes."""
    assert study.published is not None
    if study.published.characteristics is None:
        return pd.DataFrame(columns=CURVES)
    sizes = pd.read_csv(published[study.published.characteristics.file])
    return pd.DataFrame({"dataset": sizes["dataset"], "round": sizes["n"], "metric": ""}, columns=CURVES)


def _as_printed(number: Number) -> Floats:
    """Return runs with exactly the printed mean and deviation; in all cells the first is low and the last high."""
    if number.names.size:
        return number.names
    if number.runs == 1 or not number.std > 0.0:
        return np.full(number.runs, number.mean)
    return number.mean + number.std * _standard(np.arange(number.runs, dtype=np.float64))


def _standard(values: Floats) -> Floats:
    """Return values with a mean of 0 and a deviation of 1; all 0 where they are all the same."""
    centred = values - values.mean()
    std = centred.std(ddof=1)
    return centred / std if std > 0.0 else np.zeros_like(centred)


def _deviations(
    study: Study, numbers: Mapping[CellKey, Number], again: Mapping[CellKey, Replications]
) -> dict[CellKey, Floats]:
    """Return how the means of replications deviate, equally many for all cells of a data set.

    Those of one place share their partition. They are means of our runs; of a paper with fewer runs they deviate more.
    """
    known = {cell: again[cell].means for cell in numbers if cell in again}
    known = {cell: means for cell, means in known.items() if len(means) >= LEAST}
    count = {place: min(len(means) for cell, means in known.items() if cell[0] == place) for place, *_ in known}
    repetitions = study.protocol.repetitions
    return {
        cell: (means[: count[cell[0]]] - means[: count[cell[0]]].mean()) * np.sqrt(repetitions / numbers[cell].runs)
        for cell, means in known.items()
    }


def _drawn(
    numbers: Mapping[CellKey, Number], deviations: Mapping[CellKey, Floats], rng: np.random.Generator
) -> Iterator[tuple[CellKey, Floats]]:
    """Yield the runs of one draw.

    Of numbers with replications, one of them moves the mean of all algorithms on a data set, and others, one for each
    run, say how the runs vary about it together.
    """
    most = max(number.runs for number in numbers.values())
    places = {place: rng.integers(len(values), size=1 + most) for (place, *_), values in deviations.items()}
    normal: dict[CellKey, Floats] = {}
    for cell, number in numbers.items():
        if number.names.size:
            yield cell, rng.choice(number.names, number.names.size)
        elif cell in deviations:
            first, *others = places[cell[0]][: 1 + number.runs]
            within = _standard(_standard(deviations[cell])[others]) if number.std > 0.0 else 0.0
            spread = number.std if number.std > 0.0 else 0.0
            yield cell, number.mean + deviations[cell][first] + spread * within + np.zeros(number.runs)
        elif number.std >= 0.0:
            if number.origin not in normal:
                normal[number.origin] = rng.standard_normal(number.runs)
            yield cell, number.mean + number.std * normal[number.origin]
