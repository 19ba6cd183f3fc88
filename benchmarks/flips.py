"""Whether a flipped bit, in any file that a later step reads, can change a number or a label without a word.

    grambench run --demo
    python benchmarks/flips.py

Bits are flipped one at a time, at random, in files of every kind in the working folder; each file is then read as the
step that reads it does, and mended. A flip is refused (an error in one line), harmless (what is read is the same) or
silent (it is not). Kinds take turns, so that small files get as many flips as large ones. Left out are the files of
`config` that people edit, and the pages of the report, which no step reads.
"""

import argparse
import json
import pickle
import random
import sys
from collections import Counter
from pathlib import Path

from grambench.commands.project import read_everything
from grambench.common import files, layout
from grambench.common.errors import GrambenchError
from grambench.config.load import check
from grambench.datasets import collection, prepare, store, views
from grambench.kernels import matrices
from grambench.pipeline import last_run
from grambench.pipeline.steps import fetch
from grambench.pipeline.steps.describe import _read_words as words
from grambench.results import records, reproduction
from grambench.results.collect import CELLS

SEED = 2026
LEFT_OUT = {"logs", "report"}  # folders of results


def raw(path, plan):
    """Return the files of a data set as `prepare` reads them."""
    description = check(fetch.Spec, json.loads(plan.specs.fetch(path.parent.name).spec), "spec").dataset
    found = prepare.fetched(description, path.parent)
    return [each if isinstance(each, str) else repr(each) for each in found] + [
        file.read_bytes() for file in (found[1].values() if isinstance(found, tuple) else ())
    ]


def shipped(path, plan):
    """Return the text of a file of published numbers or replications, once a plan has found it as it was shipped."""
    files.check_listed(path)
    return path.read_bytes()


READERS = {  # by pattern; the first that fits
    "data/raw/*/*": raw,
    "results/datasets/*.h5": lambda path, plan: store.read(path),
    "results/grams/*/*.h5": lambda path, plan: matrices.open_matrix(path).copy(),
    "results/images/*.h5": lambda path, plan: (
        known := collection.read(path),
        collection.files(path, range(len(known.paths))),
    ),
    "results/features/*/*.codebook.h5": lambda path, plan: words(path),
    "results/features/*/*.h5": lambda path, plan: views.read(path),
    "results/runs/*/*/*.h5": lambda path, plan: records.read(path),
    "results/*/cells.csv": lambda path, plan: CELLS.read(files.check(path)).to_csv(),
    "results/*/reproduction.csv": lambda path, plan: reproduction.read(path).to_csv(),
    "results/last_run.json": lambda path, plan: json.dumps(last_run.read(layout.RESULTS), default=vars_of),
    "results/*/*.*": lambda path, plan: files.check(path).read_bytes(),
    "results/*/tables/*": lambda path, plan: files.check(path).read_bytes(),
    "results/*/figures/*.svg": lambda path, plan: files.check(path).read_bytes(),
    "config/published/*.csv": shipped,
    "config/replications/*.csv": shipped,
}


def vars_of(value):
    """Return the fields of a dataclass with slots."""
    return {name: getattr(value, name) for name in value.__slots__}


def kinds():
    """Return the files of each kind, with those that seal them."""
    found = {}
    for pattern in READERS:
        paths = [path for path in sorted(Path().glob(pattern)) if path.is_file() and not path.name.startswith(".")]
        known = {path for others in found.values() for path in others}
        found[pattern] = [path for path in paths if path not in known and not LEFT_OUT & set(path.parts[:2])]
    return {pattern: paths for pattern, paths in found.items() if paths}


def content(pattern, path, plan):
    """Return what is read of a file, as bytes that can be compared."""
    return pickle.dumps(READERS[pattern](path, plan))


def flip(pattern, path, plan, rng):
    """Flip a bit of a file or of its seal, read the file, mend it; return what came of it."""
    before = content(pattern, path, plan)
    beside = [each for each in (files.beside(path), path.parent / files.SUMS) if each.is_file()]
    target = rng.choice(beside) if beside and rng.random() < 0.1 else path
    whole = target.read_bytes()
    place, bit = rng.randrange(len(whole)), rng.randrange(8)
    target.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :])
    try:
        same = content(pattern, path, plan) == before
    except GrambenchError as error:
        return "refused" if "\n" not in str(error) else "refused in several lines"
    finally:
        target.write_bytes(whole)
    return "harmless" if same else "silent"


def main():
    """Print what came of the flips of each kind; exit 1 where one was silent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=1000)
    flips = parser.parse_args().flips
    plan, rng, found = read_everything(), random.Random(SEED), kinds()
    counts = {pattern: Counter() for pattern in found}
    for number in range(flips):
        pattern = list(found)[number % len(found)]
        counts[pattern][flip(pattern, rng.choice(found[pattern]), plan, rng)] += 1
    for pattern, count in counts.items():
        print(f"{pattern:36} {len(found[pattern]):5} files  {', '.join(f'{n} {what}' for what, n in count.items())}")
    total = sum(counts.values(), Counter())
    print(f"{flips} flips: {', '.join(f'{count} {what}' for what, count in total.most_common())}")
    sys.exit(int(total["silent"] > 0))


if __name__ == "__main__":
    main()
