"""Whether the code of today still gives the numbers that were frozen once: `make freeze` and `make same`.

`freeze` keeps the numbers of all records of a results folder, but for measured seconds, in tests/frozen/STUDY.json.xz;
`compare` compares another results folder with them, bit by bit. tests/frozen/exceptions.yaml lists the numbers that
may differ, by how much and why: entries of study, dataset, task and metric, which are patterns (metrics go by the names
that `compare` prints), a relative tolerance (.inf: any difference) and a reason.
"""

import argparse
import hashlib
import json
import lzma
import math
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import yaml

from grambench.common.errors import GrambenchError
from grambench.common.provenance import processor
from grambench.results.records import read

ROOT = Path(__file__).parent.parent
FROZEN = ROOT / "tests/frozen"
KEPT = 500  # numbers; a larger array is kept as its hash: those of online learning would take megabytes
ORIGIN = ("revision", "processor", "blas", "platform", "versions")
PATTERNS = ("study", "dataset", "task", "metric")
FIELDS = {*PATTERNS, "tolerance", "reason"}


def arrays(record):
    """Return a record's numbers, all as float64, with one kind of NaN."""
    return {name: np.where(np.isnan(values), np.nan, values).astype("<f8") for name, values in record.numbers.items()}


def digest(values):
    """Return the SHA-256 of an array's bytes."""
    return hashlib.sha256(values.tobytes()).hexdigest()


def kept(values):
    """Return an array as it is frozen: its shape with its numbers, or with their hash."""
    numbers = {"numbers": values.ravel().tolist()} if values.size <= KEPT else {"sha256": digest(values)}
    return {"shape": values.shape} | numbers


def freeze(results, frozen):
    """Write a file for each study that has records in a results folder; the same numbers give the same file."""
    studies = {}
    for path in sorted((results / "runs").rglob("[!.]*.h5")):
        study, name = path.relative_to(results / "runs").with_suffix("").as_posix().split("/", 1)
        studies.setdefault(study, {})[name] = read(path)
    if not studies:
        raise SystemExit(f"{results / 'runs'}: no records; expected a results folder in which a study was run")
    frozen.mkdir(parents=True, exist_ok=True)
    for study, records in studies.items():
        content = {"records": {}} | {key: [] for key in ORIGIN}
        for name, record in records.items():
            for key in ORIGIN:  # of several machines or revisions, all
                value = record.provenance.get(key)
                content[key] += [] if value in [None, *content[key]] else [value]
            content["records"][name] = {
                "status": record.status,
                "orders": record.orders,
                "source": record.provenance.get("source"),
                "arrays": {metric: kept(values) for metric, values in arrays(record).items()},
            }
        packed = lzma.compress(json.dumps(content).encode(), preset=9 | lzma.PRESET_EXTREME)
        (frozen / f"{study}.json.xz").write_bytes(packed)
        statuses = Counter(record.status for record in records.values()).most_common()
        print(f"{study}: {', '.join(f'{count} {status}' for status, count in statuses)}; ", end="")
        print(f"{len(packed) / 1e3:.0f} kB; of revision {', '.join(map(str, content['revision']))}")


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


def differences(old, new):
    """Return the relative difference of each number whose bits changed; infinite where unknown (hash, shape, NaN)."""
    size = math.prod(old["shape"])
    if new is None or new.shape != tuple(old["shape"]):
        return np.full(max(size, 1), np.inf)
    if "sha256" in old:
        return np.full(0 if digest(new) == old["sha256"] else size, np.inf)
    before, after = np.array(old["numbers"], "<f8"), new.ravel()
    changed = before.view("<u8") != after.view("<u8")
    before, after = before[changed], after[changed]
    with np.errstate(all="ignore"):
        relative = np.where(before == after, 0.0, np.abs(after - before) / np.abs(before))  # 0.0 and -0.0
    return np.where(np.isnan(relative), np.inf, relative)


def same_data(old, new):
    """Return whether two sources have the same files or, without files, the same origin; a failed run names none."""
    if not old or not new:
        return True
    return old["files"] == new["files"] if old["files"] or new["files"] else old["origin"] == new["origin"]


def judge(place, old, record, listed, count):
    """Count the numbers of one record by what has become of them; yield a line for each metric that differs."""
    name, found, source = "/".join(place), arrays(record), record.provenance.get("source")
    count["records"] += 1
    if record.status != old["status"] or record.orders != old["orders"]:
        count["failed"] += 1
        now = " ".join(filter(None, [record.status, record.orders, record.reason and f"({record.reason})"]))
        yield f"{name}: {now}, frozen {old['status']} {old['orders']}".rstrip()
    if record.status != old["status"]:
        return
    other = not same_data(old["source"], source)
    data = [f"other data: {source['origin']}, frozen with {old['source']['origin']}"] if other else []
    count["new"] += len(set(found) - set(old["arrays"]))
    for metric, frozen in old["arrays"].items():
        relative = differences(frozen, found.get(metric))
        fits = [entry for entry in listed if all(map(fnmatchcase, (*place, metric), map(entry.get, PATTERNS)))]
        within = int((relative <= max((float(entry["tolerance"]) for entry in fits), default=-1.0)).sum())
        size = max(math.prod(frozen["shape"]), relative.size)
        count["numbers"] += size
        count["equal"] += size - relative.size
        count["listed"] += within
        count["other" if other else "different"] += relative.size - within
        if relative.size:
            how = f"by up to {relative.max():.2g}" if "numbers" in frozen else "kept as a hash"
            if metric not in found or found[metric].shape != tuple(frozen["shape"]):
                how = f"shape {found[metric].shape if metric in found else 'none'}, frozen {tuple(frozen['shape'])}"
            notes = [how, *(f"{within} listed: {entry['reason']}" for entry in fits[:1]), *data]
            yield f"{name} {metric}: {relative.size} of {size} numbers differ, {'; '.join(notes)}"


def compare(results, frozen, studies=None, datasets=None):
    """Print what differs; return whether something was compared, and nothing differs or is missing but what is listed.

    Parameters
    ----------
    results, frozen : Path
        A results folder, and the folder of the frozen files.
    studies, datasets : list of str or None
        What is compared; all that is frozen where left out.
    """
    listed, total, here = exceptions(frozen / "exceptions.yaml"), Counter(), processor()
    for study, content in chosen(frozen, studies, datasets).items():
        count, lines = Counter(), []
        for name, old in content["records"].items():
            path = results / "runs" / study / f"{name}.h5"
            if path.is_file():
                lines += judge((study, *name.split("/", 1)), old, read(path), listed, count)
            else:
                count["failed"] += 1
                lines.append(f"{study}/{name}: missing, frozen {old['status']}")
        if content["processor"] != [here]:
            lines.append(
                f"frozen on {', '.join(map(str, content['processor']))}, not {here}: last digits may depend on it"
            )
        print(f"{study}: {count['records']} records, {count['numbers']} numbers, ", end="")
        print(f"{count['equal']} equal, {count['different']} different", end="")
        texts = {
            "listed": "listed",
            "other": "of other data",
            "failed": "records missing or of another status or orders",
        }
        texts["new"] = "metrics not frozen"
        print("".join(f", {count[key]} {text}" for key, text in texts.items() if count[key]))
        print("".join(f"  {line}\n" for line in lines), end="", flush=True)
        total += count
    if not total["numbers"]:
        print(f"nothing was compared: {results / 'runs'} has no numbers of what is frozen in {frozen}")
    return bool(total["numbers"]) and not (total["different"] or total["other"] or total["failed"])


def chosen(frozen, studies, datasets):
    """Return the content of the frozen studies, without data sets that are not asked for."""
    known = {path.name.removesuffix(".json.xz"): path for path in sorted(frozen.glob("*.json.xz"))}
    unknown = sorted(set(studies or []) - set(known))
    if unknown or not known:
        wanted, got = " ".join(unknown) or "frozen studies", " ".join(known) or "none"
        raise SystemExit(f"{frozen}: expected {wanted}, got {got}; freeze with `make freeze`")
    found = {name: json.loads(lzma.decompress(known[name].read_bytes())) for name in studies or known}
    for content in found.values():
        records = content["records"].items()
        content["records"] = {name: old for name, old in records if not datasets or name.split("/")[0] in datasets}
    return {name: content for name, content in found.items() if content["records"]}


def rerun(cores, studies):
    """Bring the repository's results of frozen studies up to date with its code, on the frozen data sets."""
    frozen = {
        study: list(dict.fromkeys(name.split("/")[0] for name in content["records"]))
        for study, content in studies.items()
    }
    settings = [f"studies=[{','.join(frozen)}]", f"datasets={json.dumps(frozen)}"]
    command = [sys.executable, "-m", "snakemake", "--cores", cores, "--quiet", "rules", "--config", *settings]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code:
        raise SystemExit(f"snakemake failed with exit code {code}; nothing was compared")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("freeze", "compare"):
        command = commands.add_parser(name)
        command.add_argument("results", type=Path, help="a results folder")
        command.add_argument("--frozen", type=Path, default=FROZEN, help="folder of the frozen files")
    command.add_argument("--studies", nargs="+", help="all that are frozen where left out")
    command.add_argument("--datasets", nargs="+", help="all that are frozen where left out")
    command.add_argument("--rerun", metavar="CORES", help="run the studies in this repository first")
    given = parser.parse_args(arguments)
    try:
        if given.command == "freeze":
            return freeze(given.results, given.frozen)
        studies = chosen(given.frozen, given.studies, given.datasets)
        if given.rerun and studies:
            rerun(given.rerun, studies)
        return int(not compare(given.results, given.frozen, given.studies, given.datasets))
    except GrambenchError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    sys.exit(main())
