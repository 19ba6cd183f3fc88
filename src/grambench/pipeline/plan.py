"""The plan of the workflow: the targets of a configuration, their resources and their specifications.

All answers are functions of names (the wildcards of the rules): Snakemake compares them with its notes on files.
"""

import itertools
import os
import pwd
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from grambench import algorithms
from grambench.common import layout, shipped
from grambench.common.errors import REFUSED, ConfigError, DataError, GrambenchError, error_lines
from grambench.common.files import check_listed
from grambench.common.layout import Cell
from grambench.config.load import check
from grambench.config.project import Configuration, Project, named_alone
from grambench.pipeline import compiled, fingerprint
from grambench.pipeline.check import check_studies
from grambench.pipeline.job import Job
from grambench.pipeline.resources import Resources
from grambench.pipeline.specifications import Specifications
from grambench.pipeline.targets import Targets

SKEW = 60  # seconds that the clocks of two machines may differ


def use_this_interpreter() -> None:
    """Make jobs use the interpreter of Snakemake and this package, even if neither is activated or installed."""
    for variable, folder in (("PATH", Path(sys.executable).parent), ("PYTHONPATH", shipped.PACKAGE.parent)):
        os.environ[variable] = os.pathsep.join(filter(None, [str(folder), os.environ.get(variable)]))
    # A user of a container may have no entry among the users, for whom Snakemake looks a name and a home up.
    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        os.environ.setdefault("USER", str(os.getuid()))
        os.environ.setdefault("HOME", str(compiled.own_folder()))


def refuse(error: GrambenchError) -> NoReturn:
    """End Snakemake with the message alone: an exception would print lines of the Snakefile around it."""
    sys.stderr.write(error_lines(error) + "\n")
    raise SystemExit(REFUSED)


class Plan:
    """The plan of a project.

    Parameters
    ----------
    settings : dict
        config.yaml with all overrides.
    folder : Path
        The configuration folder.
    overridden : collection of str
        The keys that the command sets.
    config : dict
        The settings of `--config`; see `grambench.config.project.named_alone`.

    Raises
    ------
    ConfigError
        With one line for each unknown name and each value that is not allowed, or if there is nothing to run.

    Attributes
    ----------
    studies : dict of Study
        The studies with a data set and an algorithm that are asked for, by name.
    left_out : list of str
        The names of all other studies of the project.
    targets : Targets
        The runs and files.
    resources : Resources
        The time and memory of the runs.
    specs : Specifications
        The settings and code of the files.
    """

    def __init__(
        self, settings: dict[str, Any], folder: Path, overridden: Collection[str] = (), config: Mapping[str, Any] = {}
    ) -> None:
        self.configuration = Configuration(folder)
        self.settings = settings | named_alone(config, self.configuration.names("studies"))
        path = folder / "config.yaml"
        self.project = check(Project, self.settings, str(path))
        origins = {key: f"{'command line' if key in overridden else path}: {key}" for key in settings}
        self.studies = check_studies(self.configuration, self.project, origins)
        self.targets = Targets(self.configuration, self.project, self.studies)
        self.resources = Resources(self.targets)
        self.specs = Specifications(self.targets)
        names = list(self.studies)
        self.left_out = [name for name in names if not (self.targets.datasets(name) and self.targets.algorithms(name))]
        if len(self.left_out) == len(names):
            raise ConfigError(
                f"none of the studies {', '.join(names)} has a data set and an algorithm asked for; "
                "other data sets run in a study without published numbers, such as the leaderboard"
            )
        for name in self.left_out:
            del self.studies[name]
        for name in self.studies:
            for file in (*self.targets.published(name), *self.targets.shipped(name), self.targets.chances()):
                check_listed(Path(file))

    def job(self, cell: Cell, output: Path, input: Sequence[Path], seconds: float) -> Job:
        """Return the call of rule `run` for a whole run whose record will be `output`."""
        limits = self.project.limits
        return Job(*self.specs.of_cell(cell), [output], input, seconds=seconds, memory_mb=limits.memory_mb)

    def files(self) -> set[str]:
        """Return all result files of the studies, with those of their replications."""
        files = {layout.LAST_RUN}
        for study in self.studies:
            files.update(self.targets.shown(study), self.resources.replication_records(study))
            files.add(layout.REPLICATIONS.format(study=study))
            for dataset in self.targets.datasets(study):
                files.update(self.targets.upstream(study, dataset))
        return files

    def refuse_future(self) -> None:
        """Raise DataError if a file is from the future: files made from it would be older, and Snakemake would fail."""
        folders = (layout.RESULTS, Path(layout.RAW).parents[1], self.configuration.folder)
        paths = [path for folder in folders for path in folder.rglob("[!.]*") if path.is_file()]
        user_files = (self.targets.own_files(name) for study in self.studies for name in self.targets.datasets(study))
        paths += map(Path, itertools.chain(*user_files))
        newest = max(paths, key=lambda path: path.stat().st_mtime)
        ahead = newest.stat().st_mtime - time.time()
        if ahead > SKEW:
            raise DataError(
                f"{newest}: expected a past time, got one {ahead / 86400:.3g} days ahead; set the clock right, "
                "or give such files the time of now: find -L . -newermt now -exec touch -d now {} +"
            )

    def use_compiled_code(self) -> None:
        """Make jobs share a folder of compiled code, one for each state of the code of all algorithms.

        It is not a param of a rule, since it changes with every algorithm.
        """
        modules = sorted({algorithms.module(name) for name in {*algorithms.names(), *self.targets.algorithm_names()}})
        # numba itself notices edits of files by path; a package may declare a module that it does not have
        compiled.use(fingerprint.code(*[name for name in modules if name[-3:] != ".py" and fingerprint.source(name)]))
