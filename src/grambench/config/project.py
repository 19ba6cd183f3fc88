"""The model of config/config.yaml, and the project as a whole: which studies, data sets and limits."""

import csv
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from grambench.common.errors import ConfigError, unknown_name
from grambench.config.dataset import Base, Dataset, Images, Task, model_of
from grambench.config.load import Model, check, load, read
from grambench.config.names import Name, Names
from grambench.config.study import Study

SourceKind = Literal["bundled", "package", "http", "mirror", "pypi", "debian", "npm", "generated"]


class Limits(Model):
    """What one run may use before it is stopped; not part of what a result depends on.

    Attributes
    ----------
    seconds : float
        Wall time of one run with all its repeats, or of one block of them.
    block_seconds : float
        How long a run is expected to take at most that is not split into blocks of its repeats, and each block.
    memory_mb : int
        Memory of one run in MiB, without the memory-mapped Gram matrices, which all runs share.
    """

    seconds: Annotated[float, Field(gt=0)] = 3600.0
    block_seconds: Annotated[float, Field(gt=0)] = 60.0
    memory_mb: Annotated[int, Field(gt=0)] = 4096


class Project(Model):
    """config/config.yaml.

    Attributes
    ----------
    studies : list of str
        Names of files in config/studies.
    seed : int
        Root of all randomness.
    datasets : list of str, dict of list of str or None
        Restricts every study to these data sets, or the studies that it names to those that it lists.
    algorithms : dict of list of str
        Restricts the studies that it names to these of their entries.
    mirrors : list of str
        Folders with a SHA256SUMS that are looked into before any other source; GRAMBENCH_MIRROR adds more.
    sources : list of str
        Kinds of sources that may be used beside mirrors.
    limits : Limits
        Time and memory of one run.
    title : str
        What the report calls this run.
    """

    studies: Names
    seed: Annotated[int, Field(ge=0)] = 0
    datasets: Names | dict[Name, list[Name]] | None = None
    algorithms: dict[Name, Names] = {}
    mirrors: list[str] = []
    sources: list[SourceKind] = ["bundled", "package", "http", "mirror", "pypi", "debian", "npm", "generated"]
    limits: Limits = Limits()
    title: str = ""


class Configuration:
    """The configuration folder: names, and the files behind them, read when asked for.

    Parameters
    ----------
    folder : Path
        The folder that holds config.yaml, studies, datasets and published.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise ConfigError(f"{folder}: no such folder; run from the repository's root")
        self.folder = folder

    def names(self, kind: Literal["studies", "datasets"]) -> list[str]:
        """Return the names of all studies or data sets that have a file."""
        return sorted(path.stem for path in (self.folder / kind).glob("[a-z]*.yaml"))

    def study(self, name: str) -> Study:
        """Read one study; its data sets must all exist and have two classes."""
        if name not in self.names("studies"):
            raise unknown_name("study", name, self.names("studies"))
        study = load(Study, self.folder / "studies" / f"{name}.yaml")
        _called_as_its_file(study.name, name)
        for dataset in study.datasets:
            self.dataset(dataset)
        for item, dataset in study.shown_datasets():
            if dataset not in study.datasets:
                raise ConfigError(f"{name}.yaml: {item} names data set {dataset}, which the study does not have")
        return study

    @cached_property
    def costs(self) -> dict[tuple[str, str, str], float]:
        """The measured seconds of a repeat by study, data set and task, of runs that take long (costs.csv)."""
        path = self.folder / "costs.csv"
        if not path.is_file():
            return {}
        try:
            with path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            return {(row["study"], row["dataset"], row["task"]): float(row["seconds"]) for row in rows}
        except (OSError, KeyError, TypeError, ValueError, csv.Error) as error:
            raise ConfigError(
                f"{path}: expected columns study, dataset, task and seconds, a number; got {error!r}; "
                "the file only guides the planning and can be removed"
            ) from None

    def dataset(self, name: str) -> Dataset:
        """Read the description of a data set that can be run: of two classes, or a task of a base."""
        description = self.description(name)
        if isinstance(description, Base | Images):
            tasks = ", ".join(self.tasks(name)) or "it has none"
            has = f"{description.classes} classes" if isinstance(description, Base) else "images of many words"
            raise ConfigError(f"expected a task, got {name}, which has {has}; name one of its tasks: {tasks}")
        return description

    def images(self, name: str) -> Images:
        """Read the description of a base of images."""
        description = self.description(name)
        if not isinstance(description, Images):
            raise ConfigError(f"{name}: expected a base of images, with `descriptors`, got another data set")
        return description

    def tasks(self, base: str) -> list[str]:
        """Return the tasks of a base that have a file."""
        return [name for name in self.names("datasets") if self._is_task(name, base)]

    def description(self, name: str) -> Dataset | Base | Images:
        """Read what is known of a base or of a data set; a task becomes the data set that it makes of its base."""
        described = self._described(name)
        if not isinstance(described, Task):
            return described
        if described.base not in self.names("datasets"):
            raise unknown_name(f"base of {name}", described.base, self.names("datasets"))
        base = self._described(described.base)
        if not isinstance(base, Base | Images):
            raise ConfigError(f"{name}.yaml: base: expected a data set with `classes`, got {base.name}, which has none")
        try:
            return described.of(base)
        except ValueError as error:
            raise ConfigError(f"{name}.yaml: {error}") from None

    @cache  # noqa: B019  (one configuration a process)
    def _described(self, name: str) -> Dataset | Base | Images | Task:
        """Read a file of the folder datasets as it stands."""
        if name not in self.names("datasets"):
            raise unknown_name("data set", name, self.names("datasets"))
        path = self.folder / "datasets" / f"{name}.yaml"
        values = read(path)
        described = check(model_of(values), values, str(path))
        _called_as_its_file(described.name, name)
        return described

    def _is_task(self, name: str, base: str) -> bool:
        described = self._described(name)
        return isinstance(described, Task) and described.base == base


def _called_as_its_file(name: str, stem: str) -> None:
    if name != stem:
        raise ConfigError(f"{stem}.yaml: name: expected {stem}, as the file is called, got {name}")
