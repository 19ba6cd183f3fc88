"""What changed between two results folders beyond the noise of their repeats."""

from pathlib import Path

import pandas as pd
from scipy import stats

from grambench.errors import DataError

KEYS = ["study", "dataset", "algorithm", "sweep", "value", "metric"]
LEVEL = 0.01


def compare(old: Path, new: Path, study: str, *, timings: bool = False) -> pd.DataFrame:
    """Compare every cell of a study between two results folders.

    Parameters
    ----------
    old, new : Path
        Results folders that hold <study>/runs.parquet.
    study : str
        The study's name.
    timings : bool
        Whether seconds are compared too; they differ between machines and hours.

    Returns
    -------
    DataFrame
        One row a cell: its keys, old_mean, new_mean, difference, p_value, and change: "same" (all repeats equal),
        "noise" (a t-test does not reject equal means at 1 %), "changed", "only old" or "only new". The test is paired
        where both sides have equally many repeats, taken to have seen the same orders, else Welch's.

    Raises
    ------
    DataError
        If a folder holds no results of the study.
    """
    sides = {}
    for side, folder in (("old", old), ("new", new)):
        path = folder / study / "runs.parquet"
        if not path.is_file():
            raise DataError(f"{path}: no such file; expected a results folder in which study {study} was run")
        table = pd.read_parquet(path)
        table = table[~table.metric.str.startswith("updates:")]
        table = table if timings else table[table.metric != "seconds"]
        sides[side] = table.fillna({"value": -1.0}).sort_values("repeat").groupby(KEYS)["result"].agg(tuple)
    joined = pd.concat(sides, axis=1)
    rows = [(*_judge(row.old, row.new),) for row in joined.itertuples()]
    columns = ["old_mean", "new_mean", "difference", "p_value", "change"]
    verdicts = pd.DataFrame(rows, columns=columns, index=joined.index)
    return verdicts.reset_index().replace({"value": {-1.0: float("nan")}})


def _judge(old: object, new: object) -> tuple[float, float, float, float, str]:
    nothing = float("nan")
    if not isinstance(old, tuple):
        assert isinstance(new, tuple)
        return nothing, _mean(new), nothing, nothing, "only new"
    if not isinstance(new, tuple):
        return _mean(old), nothing, nothing, nothing, "only old"
    difference = _mean(new) - _mean(old)
    if old == new:
        return _mean(old), _mean(new), 0.0, 1.0, "same"
    if min(len(old), len(new)) < 2:
        p_value = float(difference == 0)
    elif len(old) == len(new):
        differences = {a - b for a, b in zip(old, new, strict=True)}
        p_value = float(stats.ttest_rel(old, new).pvalue) if len(differences) > 1 else float(difference == 0)
    else:
        p_value = float(stats.ttest_ind(old, new, equal_var=False).pvalue)
    return _mean(old), _mean(new), difference, p_value, "noise" if p_value >= LEVEL else "changed"


def _mean(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)
