"""Whether the code of today still gives the numbers of the archive (the folder reference): `make same`.

Each number of the tables that `collect` makes of a results folder is compared with that of the archive, bit by bit,
measured seconds and memory aside. reference/exceptions.yaml lists the numbers that may differ, by how much and why:
entries of study, dataset, run (an algorithm, or algorithm/sweep) and metric, which are patterns, a relative tolerance
(.inf: any difference) and a reason.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from grambench.common import layout
from grambench.common.errors import GrambenchError
from grambench.common.provenance import processor
from grambench.config.metrics import MEASURED
from grambench.results import archive, collect, records

ROOT = Path(__file__).parent.parent
EXCEPTIONS = Path("exceptions.yaml")
PATTERNS = ("study", "dataset", "run", "metric")
FIELDS = {*PATTERNS, "tolerance", "reason"}
RUN = ["dataset", "algorithm", "sweep"]
KEYS = [*RUN, "metric", "value", "repetition", "round"]  # of a number; `round` is that of a curve
COUNTED = {
    "listed": "listed",
    "other": "of other data",
    "failed": "records missing or of another status or orders",
    "new": "not archived",
}


def exceptions(path):
    """Return the entries of exceptions.yaml."""
    listed = (yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None) or []
    for entry in listed:
        try:
            good = set(entry) == FIELDS and entry["reason"] and float(entry["tolerance"]) >= 0
        except (TypeError, ValueError):
            good = False
        if not good:
            wanted = f"{', '.join(PATTERNS)}, a tolerance of 0 or more and a reason"
            raise SystemExit(f"{path}: expected entries of {wanted}, got {entry}")
    return listed


def numbers(runs, curves):
    """Return the numbers of both tables in one, without measured seconds and memory."""
    table = pd.concat([runs.assign(round=-1), curves.assign(sweep="", value=np.nan)], ignore_index=True)
    return table.loc[~table["metric"].str.endswith(MEASURED), [*KEYS, "result"]]


def same_data(old, new):
    """Return whether two sources have the same files or, without files, the same origin; a failed run names none."""
    if not old or not new:
        return True
    return old["files"] == new["files"] if old["files"] or new["files"] else old["origin"] == new["origin"]


def judge_records(old, new, count):
    """Count records that are missing or of another status or orders, and yield a line for each."""
    for path, was in old.items():
        record, count["records"] = new.get(path), count["records"] + 1
        if record is None or (record.status, record.orders) != (was.status, was.orders):
            count["failed"] += 1
            now = [record.status, record.orders, record.reason and f"({record.reason})"] if record else ["missing"]
            yield f"{path}: {' '.join(filter(None, now))}, archived {was.status} {was.orders}".rstrip()


def judge_numbers(study, table, other_data, listed, count):
    """Count numbers by what has become of them, and yield a line for each metric of a run that differs.

    Parameters
    ----------
    study : str
        The study.
    table : DataFrame
        Columns KEYS, `result_old`, `result_new` and the `_merge` of both tables.
    other_data : dict of str
        What to say of the runs that had other data.
    listed : list of dict
        The exceptions.
    count : Counter
        What is counted.
    """
    before, after = (table[f"result_{side}"].to_numpy("<f8") for side in ("old", "new"))
    changed = (before.view("<i8") != after.view("<i8")) & ~(np.isnan(before) & np.isnan(after))
    kept = table["_merge"] != "right_only"
    changed |= table["_merge"] == "left_only"
    count["numbers"], count["new"] = int(kept.sum()), int((~kept).sum())
    with np.errstate(all="ignore"):
        relative = np.where(before == after, 0.0, np.abs(after - before) / np.abs(before))  # 0.0 and -0.0
    relative = np.where(np.isnan(relative), np.inf, relative)
    table = table.assign(relative=relative, name=table["metric"].str.split(":").str[0])
    table, sizes = table[kept & changed], table[kept].groupby([*RUN, "name"]).size()
    count["equal"] = count["numbers"] - len(table)
    for (dataset, algorithm, sweep, name), group in table.groupby([*RUN, "name"], sort=False):
        run = "/".join(filter(None, [algorithm, sweep]))
        place = (study, dataset, run, name)
        fits = [entry for entry in listed if all(map(fnmatchcase, place, map(entry.get, PATTERNS)))]
        within = int((group["relative"] <= max((float(entry["tolerance"]) for entry in fits), default=-1.0)).sum())
        data = other_data.get((dataset, algorithm, sweep))
        count["listed"] += within
        count["other" if data else "different"] += len(group) - within
        gone = int((group["_merge"] == "left_only").sum())
        notes = [f"{gone} are missing"] * bool(gone) or [f"by up to {group['relative'].max():.2g}"]
        notes += [*(f"{within} listed: {entry['reason']}" for entry in fits[:1]), *([data] if data else [])]
        size = sizes[dataset, algorithm, sweep, name]
        yield f"{study}/{dataset}/{run} {name}: {len(group)} of {size} numbers differ, {'; '.join(notes)}"


def compare(results, datasets):
    """Print what differs; return whether something was compared, and nothing differs or is missing but what is listed.

    Parameters
    ----------
    results : Path
        A results folder.
    datasets : dict of list of str
        Data sets by study of the archive.
    """
    listed, total, here = exceptions(archive.ARCHIVE / EXCEPTIONS), Counter(), processor()
    for study, names in datasets.items():
        old = {path: each for path, each in archive.read_records(study).items() if each.dataset in names}
        paths = {path: layout.located(results, path) for path in old}
        new = {path: records.read(place) for path, place in paths.items() if place.is_file()}
        count = Counter()
        lines = [*judge_records(old, new, count)]
        able = {path: record for path, record in new.items() if record.status == old[path].status}
        runs = {path: (each.dataset, each.algorithm, each.settings["sweep"]) for path, each in able.items()}
        other = {}
        for path, run in runs.items():
            sources = [each.provenance.get("source") for each in (old[path], new[path])]
            if not same_data(*sources):
                then, now = (source["origin"] for source in sources)
                other[run] = f"other data: {now}, archived with {then}"
        archived = numbers(*(pd.read_parquet(archive.path_of(study, name)) for name in (layout.RUNS, layout.CURVES)))
        archived = archived[pd.MultiIndex.from_frame(archived[RUN]).isin([*runs.values()])]
        found = numbers(*collect.tables(able)[:2])
        table = archived.merge(found, "outer", KEYS, suffixes=("_old", "_new"), indicator=True)
        lines += judge_numbers(study, table, other, listed, count)
        if (then := archive.read_about(study)["processor"]) != [here]:
            lines.append(f"archived on {', '.join(then)}, not {here}: last digits may depend on it")
        print(f"{study}: {count['records']} records, {count['numbers']} numbers, ", end="")
        print(f"{count['equal']} equal, {count['different']} different", end="")
        print("".join(f", {count[key]} {text}" for key, text in COUNTED.items() if count[key]))
        print("".join(f"  {line}\n" for line in lines), end="", flush=True)
        total += count
    if not total["numbers"]:
        print(f"nothing was compared: {results / 'runs'} has no numbers of what is in {archive.ARCHIVE}")
    return bool(total["numbers"]) and not (total["different"] or total["other"] or total["failed"])


def chosen(studies, datasets):
    """Return the data sets to compare by study; all that are in the archive where none is asked for."""
    known = archive.studies()
    unknown = sorted(set(studies or []) - set(known))
    if unknown or not known:
        wanted, got = " ".join(unknown) or "studies", " ".join(known) or "none"
        raise SystemExit(f"{archive.ARCHIVE}: expected {wanted}, got {got}; grambench archive adds studies")
    found = {study: list(archive.read_about(study)["data"]) for study in studies or known}
    found = {study: [name for name in names if not datasets or name in datasets] for study, names in found.items()}
    return {study: names for study, names in found.items() if names}


def rerun(cores, datasets):
    """Bring the repository's results on data sets by study up to date with its code."""
    settings = [f"studies=[{','.join(datasets)}]", f"datasets={json.dumps(datasets)}"]
    command = [sys.executable, "-m", "snakemake", "--cores", cores, "--quiet", "rules", "--config", *settings]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code:
        raise SystemExit(f"snakemake failed with exit code {code}; nothing was compared")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a results folder")
    parser.add_argument("--studies", nargs="+", help="all in the archive where left out")
    parser.add_argument("--datasets", nargs="+", help="all of the archive where left out")
    parser.add_argument("--rerun", metavar="CORES", help="run the studies in this repository first")
    given = parser.parse_args(arguments)
    try:
        datasets = chosen(given.studies, given.datasets)
        if given.rerun and datasets:
            rerun(given.rerun, datasets)
        return int(not compare(given.results, datasets))
    except GrambenchError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    sys.exit(main())
