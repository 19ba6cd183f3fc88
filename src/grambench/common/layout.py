"""Where every result lies, relative to the root of a project: the patterns that rules, commands and docs share."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

RESULTS = Path("results")
LAST_RUN = "results/last_run.json"
RAW = "data/raw/{dataset}/source.json"
BUNDLED = "data/bundled"
PREPARED = "results/datasets/{dataset}.h5"
IMAGES = "results/images/{base}.h5"
CODEBOOK = "results/features/{base}/{descriptor}.codebook.h5"
DESCRIBED = "results/features/{base}/{descriptor}/{part}.h5"  # until they are put together
FEATURES = "results/features/{base}/{descriptor}.h5"
PAIRS = "results/pairs/{study}/{dataset}.h5"  # distances among all images of a data set, by view
INNER = "results/grams/{dataset}/inner.h5"
GRAM = "results/grams/{dataset}/{kernel}.h5"
RECORD = "results/runs/{study}/{dataset}/{task}.h5"
BLOCK = "results/blocks/{study}/{dataset}/{task}/{block}.h5"  # until the record is put together
REPLICATION = "results/replications/{study}/{dataset}/{task}/{block}.h5"
REPLICATIONS = "results/replications/{study}.csv"
RUNS = "results/{study}/runs.parquet"
CURVES = "results/{study}/curves.parquet"
CELLS = "results/{study}/cells.csv"
SUMMARY = "results/{study}/summary.csv"
REPRODUCTION = "results/{study}/reproduction.csv"
CLAIMS = "results/{study}/claims.csv"
CHANCES = Path("config/replications/claims.csv")  # shipped, of all studies
TABLE = "results/{study}/tables/{table}.{suffix}"
TABLE_SUFFIXES = ("csv", "md", "tex")
FIGURE = "results/{study}/figures/{figure}.{suffix}"
FIGURE_SUFFIXES = ("svg", "pdf", "column.svg", "column.pdf", "png")  # for a page, for a column, for slides
REPORT = "results/report/index.html"  # the first page of what a run reports
REFERENCE_REPORT = "results/reference/index.html"  # that of `grambench report`, of all archived studies
NOTES = Path("docs/papers")  # a page for each paper: its findings, and the numbers that differ and why
# all of them for the files of one data set, study or run; logs and reports are not among them
PATTERNS = [text for text in list(vars().values()) if isinstance(text, str) and re.match("results/.*{", text)]
# what the names in braces stand for: Snakemake makes, and `grambench clean` removes, nothing else
WILDCARDS = dict.fromkeys(("study", "dataset", "base", "descriptor", "table", "figure"), "[a-z][a-z0-9_]*")
WILDCARDS |= {"kernel": "[a-z][a-z0-9_]*_[a-z]+[0-9.e+-]+", "task": "[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)?"}
WILDCARDS |= {"block": "[0-9]+-[0-9]+", "part": "[0-9]+"}
SUFFIXES = {TABLE: TABLE_SUFFIXES, FIGURE: FIGURE_SUFFIXES}


class Cell(NamedTuple):
    """A run of a study, or a block of its repetitions.

    Attributes
    ----------
    study, dataset, algorithm : str
        The study, the data set, and the configuration of an algorithm in the study.
    sweep : str
        The sweep of the study; empty for a plain run.
    block : tuple of two int, optional
        The first and the last repetition of a block, counted from 0; None for a whole run.
    """

    study: str
    dataset: str
    algorithm: str
    sweep: str = ""
    block: tuple[int, int] | None = None

    @classmethod
    def of(cls, study: str, dataset: str, task: str, block: str = "") -> "Cell":
        """Return the cell of the wildcards of a path: `task` is ALGORITHM or ALGORITHM/SWEEP, `block` START-END."""
        algorithm, _, sweep = task.partition("/")
        start, _, end = block.partition("-")
        return cls(study, dataset, algorithm, sweep, (int(start), int(end)) if block else None)

    @classmethod
    def parse(cls, text: str) -> "Cell":
        """Return the cell that STUDY/DATASET/ALGORITHM or STUDY/DATASET/ALGORITHM/SWEEP names."""
        study, dataset, task = text.split("/", 2)
        return cls.of(study, dataset, task)

    def __str__(self) -> str:
        return f"{self.study}/{self.dataset}/{self.task}"

    @property
    def task(self) -> str:
        """The last part of the cell's name: ALGORITHM or ALGORITHM/SWEEP."""
        return f"{self.algorithm}/{self.sweep}" if self.sweep else self.algorithm

    def path(self, pattern: str = RECORD) -> str:
        """Return the path of a file of this cell, by default of its record."""
        block = "{}-{}".format(*self.block) if self.block else ""
        return pattern.format(study=self.study, dataset=self.dataset, task=self.task, block=block)


@cache
def expression(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of the paths of a pattern of this module."""
    wildcards = WILDCARDS | {"suffix": "|".join(map(re.escape, SUFFIXES.get(pattern, ())))}
    escaped = re.escape(pattern)
    return re.compile(re.sub(r"\\\{(\w+)\\\}", lambda match: f"(?P<{match[1]}>{wildcards[match[1]]})", escaped))


def located(results: Path, path: str) -> Path:
    """Return the path of a file of the layout in another results folder."""
    return results / Path(path).relative_to(RESULTS)
