"""How often a paper's own numbers would fulfil its claims again.

A claim on printed numbers is a predicate of one sample of what the paper leaves to chance. We draw results whose true
means are the printed numbers, and the claim's own function judges each draw. The share of draws on which it holds is
the claim's probability of being replicated. If a predicate holds on less than half of the draws though the printed
numbers fulfil it, it says more of chance than of us and is to be restated. If the printed numbers do not fulfil it, the
paper contradicts it.

Where algorithms share their splits, as the outer folds of nested cross-validation, a number varies as its replications
do (grambench.results.replications): a drawn replication moves all algorithms of a data set together. Elsewhere, and
where a study has no replications, each run is normal with the printed deviation, independent of all others. A number
that has neither is left out of the draws, and a claim that needs it has no probability.

Printed seconds stand for work, since no paper counts it. A number of all data sets together stands for each of them,
and a median rank for the error that it orders. Curves and sweeps are not printed: claims on them are not decided here.

It writes the table that rule `claims` reads, config/replications/claims.csv; run it where a claim, a published number
or a table of replications has changed.
"""

import argparse
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from grambench.claims import CHANCES, Chance, Claim, ClaimVerdict, Evidence, load_claims
from grambench.common import layout
from grambench.common.settings import fault
from grambench.common.types import Floats
from grambench.config.metrics import METRICS
from grambench.config.project import Configuration
from grambench.config.study import Study
from grambench.results import collect, replications
from grambench.results.columns import ALL
from grambench.results.replications import Replications
from grambench.results.study import Results
from grambench.results.verdicts import LEAST

CellKey = tuple[str, str, str]  # data set, algorithm, metric

DRAWS, SEED = 200, 2013
STANDS_FOR = {"median_rank": ["error_percent"], "seconds": ["seconds", "row_additions", "operations"]}
CONFIG = Path("config")


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
    """Results made of printed numbers, with neither runs nor sweeps.

    Attributes
    ----------
    numbers : dict of ndarray of float64
        Values of all runs by data set, algorithm and metric.
    """

    numbers: Mapping[CellKey, Floats] = field(default_factory=dict)

    def values(self, dataset: str, algorithm: str, metric: str) -> Floats:
        """Return one value for each run; an empty array if nothing is printed."""
        return self.numbers.get((dataset, algorithm, metric), np.zeros(0))


def table(study: str, chances: Mapping[str, Chance]) -> pd.DataFrame:
    """Return the rows of the shipped table; a claim without a probability has no draws."""
    rows = [
        (study, claim, verdict, probability, 0 if np.isnan(probability) else DRAWS, text)
        for claim, (verdict, text, probability) in chances.items()
    ]
    return pd.DataFrame(rows, columns=CHANCES)


def replicated(path: Path) -> dict[CellKey, Replications]:
    """Return the replications of a shipped table by cell, those of published orders before those of seeded ones."""
    means = replications.read(path) if path.is_file() else {}
    return {(key[0], key[1], key[2]): means[key] for key in sorted(means, reverse=True)}


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
        Means by data set, algorithm and metric; it may be empty. They are used only if the study compares algorithms in
        pairs. In other studies they measure random choices inside an algorithm, and not the permutations.
    draws : int
        The number of draws; without any there are no probabilities.
    """
    if study.published is None or fault(load_claims, study.name):
        return {}
    numbers = _read_numbers(study, published)
    curves, no_runs, no_cells = _read_sizes(study, published), collect.RUNS.frame([]), collect.CELLS.frame([])

    def evidence(values: Mapping[CellKey, Floats]) -> Evidence:
        return Evidence(Printed(study, no_runs, no_cells, values), curves)

    printed = evidence({cell: _as_printed(number) for cell, number in numbers.items()})
    answers = {claim: claim.test(printed) for claim in load_claims(study.name)}
    decided = {claim: answer for claim, answer in answers.items() if answer.verdict != "undecided"}
    rng = np.random.default_rng(SEED)
    deviations = _deviations(study, numbers, again if study.protocol.paired else {})
    drawn: dict[Claim, list[ClaimVerdict]] = {claim: [] for claim in decided}
    for _ in range(draws if decided else 0):
        sample = evidence(dict(_draw(numbers, deviations, rng)))
        for claim, verdicts in drawn.items():
            verdicts.append(claim.test(sample).verdict)
    # A claim that no draw decides needs a number that is left out of the draws.
    shares = {
        claim: verdicts.count("holds") / draws for claim, verdicts in drawn.items() if {*verdicts} - {"undecided"}
    }
    return {claim.id: Chance(*answer, shares.get(claim, np.nan)) for claim, answer in decided.items()}


def _read_numbers(study: Study, published: Mapping[str, Path]) -> dict[CellKey, Number]:
    """Return the printed number of each cell: the first that stands for it."""
    assert study.published is not None
    numbers: dict[CellKey, Number] = {}
    for name in study.published.results:
        rows = pd.read_csv(published[name])
        # Of a metric that is printed with deviations, a number without one does not vary.
        varying = set(rows.loc[rows["std"].notna(), "metric"])
        for row in rows.itertuples():
            number = _number(row, varying, study.published.runs)
            for cell in _stands_for(study, number.origin):
                numbers.setdefault(cell, number)
    return numbers


def _number(row: Any, varying: set[str], runs: int) -> Number:
    origin = (str(row.dataset), str(row.algorithm), str(row.metric))
    names = np.array(str(row.names).split(","), dtype=np.float64) if METRICS[origin[2]].named else np.zeros(0)
    std = 0.0 if np.isnan(row.std) and origin[2] in varying else float(row.std)
    return Number(float(row.mean), std, 1 if origin[0] == ALL else runs, names, origin)


def _stands_for(study: Study, origin: CellKey) -> Iterable[CellKey]:
    dataset, algorithm, metric = origin
    datasets = study.datasets if dataset == ALL else [dataset]
    algorithms = [algorithm, *study.variants(algorithm)]
    return itertools.product(datasets, algorithms, STANDS_FOR.get(metric, [metric]))


def _read_sizes(study: Study, published: Mapping[str, Path]) -> pd.DataFrame:
    """Return curves without values, whose rounds say how long a pass is, as far as the paper prints the sizes."""
    assert study.published is not None
    if study.published.characteristics is None:
        return collect.CURVES.frame([])
    sizes = pd.read_csv(published[study.published.characteristics.file])
    return collect.CURVES.frame({"dataset": row.dataset, "round": row.n} for row in sizes.itertuples())


def _as_printed(number: Number) -> Floats:
    """Return runs with exactly the printed mean and deviation, in ascending order."""
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

    Replications of the same position share their partition. They are means of our runs; if the paper has fewer runs,
    its means deviate more.
    """
    means = {cell: again[cell].means for cell in numbers if cell in again and len(again[cell].means) >= LEAST}
    counts: dict[str, int] = {}
    for (dataset, *_), values in means.items():
        counts[dataset] = min(len(values), counts.get(dataset, len(values)))
    deviations = {}
    for cell, values in means.items():
        values = values[: counts[cell[0]]]
        deviations[cell] = (values - values.mean()) * np.sqrt(study.protocol.repetitions / numbers[cell].runs)
    return deviations


def _draw(
    numbers: Mapping[CellKey, Number], deviations: Mapping[CellKey, Floats], rng: np.random.Generator
) -> Iterator[tuple[CellKey, Floats]]:
    """Yield the runs of one draw.

    If numbers have replications, one replication moves the mean of all algorithms on a data set. Others, one for each
    run, say how the runs vary together about that mean.
    """
    most = max(number.runs for number in numbers.values())
    positions = {dataset: rng.integers(len(values), size=1 + most) for (dataset, *_), values in deviations.items()}
    normal: dict[CellKey, Floats] = {}
    for cell, number in numbers.items():
        if number.names.size:
            yield cell, rng.choice(number.names, number.names.size)
        elif cell in deviations:
            first, *rest = positions[cell[0]][: 1 + number.runs]
            values = np.full(number.runs, number.mean + deviations[cell][first])
            if number.std > 0.0:
                values += number.std * _standard(_standard(deviations[cell])[rest])
            yield cell, values
        elif number.std >= 0.0:
            if number.origin not in normal:
                normal[number.origin] = rng.standard_normal(number.runs)
            yield cell, number.mean + number.std * normal[number.origin]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=layout.CHANCES)
    output = parser.parse_args().output
    configuration, parts = Configuration(CONFIG), []
    for name in configuration.names("studies"):
        study = configuration.study(name)
        if study.published:
            files = {file: CONFIG / "published" / file for file in study.published.files()}
            again = replicated(CONFIG / f"replications/{name}.csv")
            # parts are shared by all algorithms: without replications nobody knows how their means vary together
            waits = study.replications and study.protocol.paired and not again
            parts.append(table(name, compute(study, files, again, 0 if waits else DRAWS)))
            print(f"{name}: {len(parts[-1])} claims, {len(again)} numbers with replications", flush=True)
    output.parent.mkdir(exist_ok=True)
    pd.concat(parts).to_csv(output, index=False)


if __name__ == "__main__":
    main()
