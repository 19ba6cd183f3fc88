"""A board of two configurations on two data sets in an archive, and how somebody tampers with a folder of it."""

import json
import shutil
from pathlib import Path

import pytest
from planted import CONFIG

from grambench.commands.project import read_plan
from grambench.common import layout
from grambench.common.files import SUMS, checksums, sha256
from grambench.common.layout import Cell
from grambench.datasets import store
from grambench.pipeline import trial
from grambench.results import archive, records

BOARD = "leaderboard"
ENTRIES = ("k_nearest_neighbours", "majority")
DATASETS = ("ionosphere", "votes84")
FOLDER = archive.ARCHIVE / BOARD


def make(root):
    """Make the archive by runs, and return its folder."""
    shutil.copytree(CONFIG, root / "config")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        cells = [Cell(BOARD, dataset, entry) for dataset in DATASETS for entry in ENTRIES]
        made = trial.run(read_plan({"studies": [BOARD]}), cells, 600.0, {})
        for cell, record in zip(cells, made, strict=True):
            assert record.status == "ok", record.reason
            records.write(Path(cell.path()), record)
            # the prepared data set itself is temporary here; a study keeps it
            made_of = store.Unavailable(cell.dataset, ())
            store.write(Path(layout.PREPARED.format(dataset=cell.dataset)), made_of)
        archive.write(BOARD, layout.RESULTS, cells)
        contents = {name: read_plan().targets.dataset(name).content for name in DATASETS}
        change_about(FOLDER, {"data": {name: {"content": contents[name]} for name in DATASETS}})
    return root / archive.ARCHIVE


def change_about(folder, changes):
    """Change values of about.json, with checksums that fit."""
    path = folder / archive.ABOUT
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    sign(folder)


def sign(folder):
    """Write the checksums of a folder anew, as somebody who tampers with a file would."""
    (folder / SUMS).write_text("".join(f"{sha256(folder / name)}  {name}\n" for name in checksums(folder)))
