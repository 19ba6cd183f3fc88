"""Copies of the repository in which tests run the workflow, and an algorithm for them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml
from compiled_code import compiled_code

from grambench.common import files, layout
from grambench.results import records

ROOT = Path(__file__).parent.parent
COPIED = ["Snakefile", "workflow", "config", "profiles", "envs", "src", "data/bundled"]
STUDY = {
    "kernels": [{"family": "polynomial", "values": [1]}, {"family": "gaussian", "values": [0.5, 8]}],
    "protocol": {"kind": "online", "repetitions": 2, "checkpoints": 5},
    "datasets": ["sonar", "wdbc"],
    "algorithms": {
        "perceptron": {},
        "perceptron_star": {},
        "omkc_dd": {"parameters": {"beta": 0.8}},
        "omkc_sd": {"parameters": {"beta": 0.8, "delta": 0.01}},
    },
    "sweeps": {
        "beta": {
            "parameter": "beta",
            "label": "Discount",
            "values": [0.5, 0.9],
            "algorithms": ["omkc_dd"],
            "datasets": ["sonar"],
        }
    },
    "replications": {"count": 3, "seconds": 60, "datasets": {"sonar": ["omkc_sd"]}},
}
NESTED = {
    "name": "small",
    "title": "Small",
    "paper": "Nobody",
    "kernels": STUDY["kernels"],
    "protocol": {"kind": "nested_cv", "outer_folds": 2, "inner_folds": 2, "select": "C", "values": [1.0, 10.0]},
    "datasets": ["sonar"],
    "algorithms": {
        "unif": {"algorithm": "uniform_svm"},
        "total": {"algorithm": "uniform_svm", "title": "Sum", "parameters": {"combination": "sum"}},
    },
    "sweeps": {
        "scales": {
            "kind": "scaling",
            "label": "Factor",
            "scale": "log",
            "values": [0.1, 10.0],
            "algorithms": ["total"],
            "datasets": ["sonar"],
            "references": {"total": "unif"},
        }
    },
    "tables": {
        "table1": {
            "title": "Table 1",
            "caption": "Two machines",
            "algorithms": ["unif", "total"],
            "metrics": ["accuracy_percent", "kernels_selected"],
            "highlight": ["accuracy_percent"],
        }
    },
    "figures": {
        "scales": {
            "kind": "sweep",
            "title": "Scales",
            "caption": "Two factors",
            "sweep": "scales",
            "metrics": ["decision_change"],
            "algorithms": ["total"],
            "datasets": ["sonar"],
        }
    },
}
AFTER_RUNS = {"collect", "summarise", "reproduce", "claims", "table", "figure", "report"}


def copy_repository(folder):
    """Copy what a workflow needs of the repository, as it is."""
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    (folder / ".cache").symlink_to(compiled_code())  # copies of the same code share what they compile


def flip_bit(path, position=None):
    """Flip a bit of a file, by default of the byte in its middle; its inode stays."""
    content = path.read_bytes()
    position = (len(content) // 2 if position is None else position) % len(content)
    with path.open("r+b") as stream:
        stream.seek(position)
        stream.write(bytes([content[position] ^ 1]))


class Copy:
    """A copy of the repository in a temporary folder, with a small OMKC study."""

    def __init__(self, folder, **changes):
        self.folder = folder
        copy_repository(folder)
        study = yaml.safe_load((ROOT / "config/studies/omkc.yaml").read_text()) | STUDY | changes
        if study["published"]:
            del study["published"]["chosen"]  # by entries that are not in this one
        else:
            study["replications"] = None
        for shown, kept in (("tables", ["table2", "table3"]), ("figures", ["figure1"])):
            study[shown] = {name: study[shown][name] for name in kept}
            for item in study[shown].values():  # they may show only what the study has, and something
                for names in ("algorithms", "datasets"):
                    if names in item:
                        own = [name for name in item[names] if name in study[names]]
                        item[names] = own or list(study[names])
        (folder / "config/studies/omkc.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
        (studies,) = re.findall("^studies:.*", (folder / "config/config.yaml").read_text(), re.M)
        self.edit("config/config.yaml", studies, "studies: [omkc]\nsources: [bundled, package]")

    def clone(self, folder):
        """Return another copy, to be edited: modification times and Snakemake's metadata are kept."""
        shutil.copytree(self.folder, folder, copy_function=shutil.copy2, symlinks=True)
        other = object.__new__(Copy)
        other.folder = folder
        return other

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text()
        assert old in text, f"{old!r} is not in {name}"
        before = files.sha256(path)
        path.write_text(text.replace(old, new, 1))
        if (sums := path.with_name(files.SUMS)).is_file():  # as `make checksums` does
            sums.write_text(sums.read_text().replace(before, files.sha256(path)))

    @property
    def environment(self):
        environment = os.environ | {"PYTHONPATH": str(self.folder / "src")}
        environment.pop("GRAMBENCH_MIRROR", None)
        return environment

    def start(self, *command, **options):
        """Start a module of Python with arguments."""
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        command = [sys.executable, "-m", *command]
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, **streams, **options)

    def call(self, *command, expect=0):
        command = [sys.executable, "-m", *command]
        answer = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert answer.returncode == expect, answer.stdout[-3000:] + answer.stderr[-6000:]
        return answer.stdout + answer.stderr

    def snakemake(self, *arguments, expect=0):
        return self.call("snakemake", "--cores", "2", *arguments, expect=expect)

    def would_run(self):
        """Return what a dry run would do: runs by data set and task, data and Grams by file, the rest by rule."""
        text = self.snakemake("--dry-run")
        jobs = set()
        jobs_of_groups_are_indented = r"^( *)(?:local)?rule (\w+):\n((?:\1 {4}.*\n)+)"
        for _, rule, body in re.findall(jobs_of_groups_are_indented, text, flags=re.MULTILINE):
            output = re.search(r"output: (\S+?)(?:,|\s)", body)
            if rule == "run":
                jobs.add(output[1].removeprefix("results/runs/").removeprefix("omkc/").removesuffix(".h5"))
            elif rule in ("fetch", "prepare", "inner", "gram"):
                jobs.add(output[1].removeprefix("results/").removeprefix("data/"))
            elif rule != "all":
                jobs.add(rule)
        return jobs

    def status(self, dataset, task):
        return records.read(self.folder / layout.RECORD.format(study="omkc", dataset=dataset, task=task))


ONLINE = "src/grambench/algorithms/online/"
NEW = '''"""Mine: always predicts +1 (nobody et al. 2026)."""

from dataclasses import dataclass

import numpy as np

from grambench.algorithms.fit import Fit, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """None."""


def fit(parameters, pool, labels, *, order, rng):
    {body}
    rounds, m = len(order), pool.shape[0]
    trace = Trace(
        mistakes=labels[order] < 0,
        scores=np.ones(rounds),
        support_vectors=np.zeros(rounds, dtype=np.int64),
        weights=np.full((rounds, m), 1 / m),
        updates=np.zeros(m, dtype=np.int64),
    )
    return Fit(weights=trace.weights[-1], trace=trace)
'''
