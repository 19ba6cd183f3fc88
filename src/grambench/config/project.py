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
from grambench.config.dataset import Base, Dataset, Images, Task, model_of
from grambench.config.load import Model, check, load, read
from grambench.config.names import Name, Names

if TYPE_CHECKING:
    from grambench.config.study import Study

SHIPPED = shipped.ROOT / "config"
SourceKind = Literal["file", "bundled", "package", "http", "mirror", "pypi", "debian", "npm", "generated"]


class Limits(Model):
    """What one run may use before it is stopped; not part of what a result depends on.

    Attributes
    ----------
    seconds : float
        Wall time of one run with all its repetitions, or of one block of them.
    block_seconds : float
        How long a run is expected to take at most that is not split into blocks of its repetitions, and each block.
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
    algorithms : list of str or dict of list of str
        Restricts every study to these of its entries, or the studies that it names to those that it lists.
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
    algorithms: Names | dict[Name, Names] = {}
    mirrors: list[str] = []
    sources: list[SourceKind] = ["file", "bundled", "package", "http", "mirror", "pypi", "debian", "npm", "generated"]
    limits: Limits = Limits()
    title: str = ""

    @property
    def mirror_folders(self) -> list[Path]:
        """The mirror folders: those of the environment's GRAMBENCH_MIRROR, then the configured ones."""
        folders = [*os.environ.get("GRAMBENCH_MIRROR", "").split(os.pathsep), *self.mirrors]
        return [Path(folder).expanduser() for folder in folders if folder]


def named_alone(asked: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return the setting `studies` of a command that names studies only by their data sets or algorithms.

    Parameters
    ----------
    asked : dict
        The settings that were given with the command.
    known : collection of str
        The studies that exist; others are no studies to run, but faults of a plan.

    Returns
    -------
    dict
        Empty where the command gives `studies` or names none.
    """
    mappings = [asked[key] for key in ("datasets", "algorithms") if isinstance(asked.get(key), dict)]
    named = [name for name in dict.fromkeys(itertools.chain(*mappings)) if name in known]
    return {"studies": named} if named and "studies" not in asked else {}


def restricted(
    study: str, names: Iterable[str], asked: Sequence[str] | Mapping[str, Sequence[str]] | None
) -> list[str]:
    """Return those of a study's names that a project asks for: of every study, or of those that a mapping lists."""
    wanted = asked.get(study) if isinstance(asked, Mapping) else asked
    return [name for name in names if wanted is None or name in wanted]


class Configuration:
    """A project's configuration folder over the shipped one: names, and the files behind them, read when asked for.

    Parameters
    ----------
    folder : Path
        The folder that may hold studies, datasets, published, replications and costs.csv. What it does not have is
        looked for in the shipped one; in a clone they are the same.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self, kind: Literal["studies", "datasets"]) -> list[str]:
        """Return the names of all studies or data sets that have a file."""
        folders = (self.folder / kind, SHIPPED / kind)
        return sorted({path.stem for folder in folders for path in folder.glob("[a-z]*.yaml")})

    def path(self, name: str) -> Path:
        """Return the file of a name relative to the folder: the shipped one only where the project has none."""
        own, other = self.folder / name, SHIPPED / name
        return other if other.exists() and not own.exists() else own

    def file(self, kind: Literal["studies", "datasets"], name: str) -> Path:
        """Return the file of a study or a data set; raise ConfigError for a name that has none."""
        if name not in self.names(kind):
            raise unknown_name("study" if kind == "studies" else "data set", name, self.names(kind))
        return self.path(f"{kind}/{name}.yaml")

    def study(self, name: str) -> "Study":
        """Read one study; its data sets must all exist and be ones that can be run."""
        from grambench.config.study import Study  # which data sets are listed without

        path = self.file("studies", name)
        study = load(Study, path).located(path.parent)
        _called_as_its_file(study.name, path)
        faults, place = Faults(), f"{path}: datasets"
        for dataset in faults.known(place, "data set", study.datasets, self.names("datasets")):
            with faults.at():
                description = self.description(dataset)
                with faults.at(place):
                    self._runnable(description)
        for item, dataset in study.shown_datasets():
            if dataset not in study.datasets:
                faults.lines.append(f"{path}: {item} names data set {dataset}, which the study does not have")
        for file in study.published.files() if study.published else ():
            if not self.path(f"published/{file}").is_file():
                table = self.folder / "published" / file
                faults.lines.append(f"{path}: published: expected the file {table}, which is not there")
        faults.report()
        return study

    @cached_property
    def costs(self) -> dict[tuple[str, str, str], float]:
        """The measured seconds of a repetition by study, data set and task, of runs that take long (costs.csv)."""
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
        """Read the description of a data set that can be run: of two classes, or a task of a base."""
        return self._runnable(self.description(name))

    def _runnable(self, description: Dataset | Base | Images) -> Dataset:
        if isinstance(description, Base | Images):
            tasks = ", ".join(self.tasks(description.name)) or "it has none"
            has = f"{description.classes} classes" if isinstance(description, Base) else "images of many words"
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
        """Return the tasks of a base that have a file."""
        return [name for name in self.names("datasets") if self._is_task(name, base)]

    def description(self, name: str) -> Dataset | Base | Images:
        """Read what is known of a base or of a data set; a task becomes the data set that it makes of its base."""
        described = self._described(name)
        if not isinstance(described, Task):
            return described
        path = self.file("datasets", name)
        if described.base not in self.names("datasets"):
            raise ConfigError(f"{path}: {unknown_name(f'base of {name}', described.base, self.names('datasets'))}")
        base = self._described(described.base)
        if not isinstance(base, Base | Images):
            raise ConfigError(f"{path}: base: expected a data set with `classes`, got {base.name}, which has none")
        try:
            return described.of(base)
        except ValueError as error:
            raise ConfigError(f"{path}: {error}") from None

    @cache  # noqa: B019  (one configuration a process)
    def _described(self, name: str) -> Dataset | Base | Images | Task:
        """Read a file of the folder datasets as it stands."""
        path = self.file("datasets", name)
        values = read(path)
        described = check(model_of(values), _seen_from_the_root(values, path.parent), str(path))
        _called_as_its_file(described.name, path)
        return described

    def _is_task(self, name: str, base: str) -> bool:
        described = self._described(name)
        return isinstance(described, Task) and described.base == base


def _seen_from_the_root(values: Any, folder: Path) -> Any:
    """Return a description with the paths of files of one's own relative to the project instead of to itself."""
    if not isinstance(values, dict) or not isinstance(values.get("sources"), list):
        return values

    def seen(file: Any) -> Any:
        known = isinstance(file, dict) and isinstance(file.get("path"), str)
        return file | {"path": os.path.normpath(folder / file["path"])} if known else file

    own = [isinstance(source, dict) and source.get("kind") == "file" for source in values["sources"]]
    sources = [
        source | {"files": [seen(file) for file in source["files"]]}
        if here and isinstance(source.get("files"), list)
        else source
        for source, here in zip(values["sources"], own, strict=True)
    ]
    return values | {"sources": sources}


def _called_as_its_file(name: str, path: Path) -> None:
    if name != path.stem:
        raise ConfigError(f"{path}: name: expected {path.stem}, as the file is called, got {name}")
