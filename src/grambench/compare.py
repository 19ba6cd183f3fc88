"""What changed between two results folders beyond the noise of their repeats."""

from pathlib import Path

import pandas as pd

from grambench.errors import DataError
from grambench.statistics import Sample, paired, welch

KEYS = ["study", "dataset", "algorithm", "sweep", "value", "metric"]
LEVEL = 0.01


def compare(old: Path, new: Path, study: str | None = None, *, timings: bool = False) -> pd.DataFrame:
    """Compare every cell of a study, or of all studies, between two results folders.

    Parameters
    ----------
    old, new : Path
        Results folders that hold <study>/runs.parquet.
    study : str or None
        The study's name; all that there are where it is left out.
    timings : bool
        Whether seconds are compared too; they differ between machines and hours.

    Returns
    -------
    DataFrame
        One row a cell: its keys, old_mean, new_mean, difference, p_value, and change: "same" (all repeats equal),
        "noise" (a t-test does not reject equal means at 1 %), "changed", "only old" or "only new". The test is paired
        where both sides have equally many repeats, taken to have seen the same orders or parts, else Welch's. Numbers
        of single kernels are left out.

    Raises
    ------
    DataError
        If a folder holds no results.
    """
    sides = {}
    for side, folder in (("old", old), ("new", new)):
        pattern = f"{study or '*'}/runs.parquet"
        paths = sorted(folder.glob(pattern))
        if not paths:
            raise DataError(f"{folder / pattern}: no such file; expected a results folder in which a study was run")
        table = pd.concat(map(pd.read_parquet, paths))
        table = table[~table.metric.str.contains(":")]
        table = table if timings else table[~table.metric.str.endswith("seconds")]
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
        p_value = paired(old, new)
    else:
        p_value = welch(Sample.of(old), Sample.of(new))
    return _mean(old), _mean(new), difference, p_value, "noise" if p_value >= LEVEL else "changed"


def _mean(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)
