"""What changed between two results folders beyond the noise of their repetitions."""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from grambench.common.errors import DataError
from grambench.common.files import check
from grambench.config.metrics import MEASURED
from grambench.results.reading import as_written
from grambench.results.statistics import Sample, paired, welch

KEYS = ["study", "dataset", "algorithm", "sweep", "value", "metric"]
LEVEL = 0.01


def compare(old: Path, new: Path, study: str | None = None, *, timings: bool = False) -> pd.DataFrame:
    """Compare every cell of a study, or of all studies, between two results folders.

    Parameters
    ----------
    old, new : Path
        Results folders that hold <study>/runs.parquet.
    study : str or None
        The study's name; all studies by default.
    timings : bool
        Whether seconds are compared too; they differ between machines and hours.

    Returns
    -------
    DataFrame
        One row for each cell: its keys, old_mean, new_mean, difference, p_value and change. The change is "same" (equal
        on all shared repetitions), "changed", "noise" (neither), "only old" or "only new". The test is a paired t-test
        if both sides have the same number of repetitions, which then share permutations or folds; otherwise it is
        Welch's. The procedure of Benjamini and Hochberg decides which differences are changes: at most 1 % of these are
        expected to be noise. Numbers of single kernels are left out.

    Raises
    ------
    DataError
        If a folder holds no results, or something else under their name.
    """
    sides = {}
    for side, folder in (("old", old), ("new", new)):
        pattern = f"{study or '*'}/runs.parquet"
        paths = sorted(folder.glob(pattern))
        if not paths:
            raise DataError(f"{folder / pattern}: no such file; expected the results folder of a study")
        table = pd.concat(map(_runs, paths))
        table = table[~table.metric.str.contains(":")]
        table = table if timings else table[~table.metric.str.endswith(MEASURED)]
        sides[side] = table.fillna({"value": -1.0}).sort_values("repetition").groupby(KEYS)["result"].agg(tuple)
    joined = pd.concat(sides, axis=1)
    columns = ["old_mean", "new_mean", "difference", "p_value", "change"]
    verdicts = pd.DataFrame([_judge(row.old, row.new) for row in joined.itertuples()], joined.index, columns)
    tested = verdicts.change == "noise"
    if tested.any():
        real = stats.false_discovery_control(verdicts.p_value[tested]) < LEVEL
        verdicts.loc[tested, "change"] = np.where(real, "changed", "noise")
    return verdicts.reset_index().replace({"value": {-1.0: float("nan")}})


def _runs(path: Path) -> pd.DataFrame:
    with as_written(path):
        table = pd.read_parquet(check(path), columns=[*KEYS, "repetition", "result"])
        return table.astype({"value": float, "metric": str, "repetition": int, "result": float})


def _judge(old: object, new: object) -> tuple[float, float, float, float, str]:
    """Return both means, their difference, the p-value, and the change before p-values are corrected."""
    if not isinstance(old, tuple):
        assert isinstance(new, tuple)
        return np.nan, _mean(new), np.nan, np.nan, "only new"
    if not isinstance(new, tuple):
        return _mean(old), np.nan, np.nan, np.nan, "only old"
    before, after = np.array(old), np.array(new)
    means = _mean(old), _mean(new)
    common = min(len(before), len(after))
    if np.array_equal(before[:common], after[:common], equal_nan=True):
        return *means, means[1] - means[0], 1.0, "same"
    # Some repetitions may have no such number.
    if len(before) == len(after):
        finite = np.isfinite(before) & np.isfinite(after)
        p_value = paired(before[finite], after[finite])
    else:
        p_value = welch(*(Sample.of(values[np.isfinite(values)]) for values in (before, after))).p_value
    return *means, means[1] - means[0], 0.0 if np.isnan(p_value) else p_value, "noise"


def _mean(values: tuple[float, ...]) -> float:
    return Sample.of(np.array(values)[np.isfinite(values)]).mean
