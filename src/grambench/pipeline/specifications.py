"""What each file is made with: the settings and the code of its rule; and which files are stale."""

import json
import os
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from grambench import algorithms, features
from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import checksums, digest, identity_of, intact, read_text
from grambench.common.layout import Cell
from grambench.common.provenance import asked, is_current
from grambench.config.names import Tuning
from grambench.config.protocols import Offline
from grambench.config.shown import Sweep
from grambench.config.study import Study
from grambench.datasets.descriptions import BaseDataset, Dataset, Description, Images
from grambench.datasets.sources import Source
from grambench.experiments.run import Reference, Run
from grambench.kernels.dictionary import FamilyRange
from grambench.kernels.functions import Kernel
from grambench.pipeline import fingerprint
from grambench.pipeline.client import HALVES
from grambench.pipeline.job import STEPS
from grambench.pipeline.last_run import COLLECTED, uncollected
from grambench.pipeline.targets import Targets
from grambench.report import looks

PROSE = ("title", "licence", "citation", "url")
# what only the comparison of results reads of a description
COMPARED = {"views_are", "collection"}
# sweeps whose points are settings of one plain run
POINTS = ("parameter", "size", "view")
# the rules of records and of the files that they are made from
RULES = {
    layout.PREPARED: "prepare",
    layout.INNER: "inner",
    layout.GRAM: "gram",
    layout.IMAGES: "images",
    layout.CODEBOOK: "codebook",
    layout.FEATURES: "features",
    layout.PAIRS: "pairs",
    layout.RECORD: "run",
}


class Params(NamedTuple):
    """The settings of a file, as canonical JSON, and the hash of the code that makes it: the params of its rule."""

    spec: str
    code: str


class Specifications:
    """The settings and the code of the files of a project.

    A method has the name of the rule whose files it is about, and takes the wildcards of these.
    """

    def __init__(self, targets: Targets) -> None:
        self.targets = targets

    def asked(self, path: str) -> str:
        """Return what a file of one of RULES is to be made with; see `grambench.common.provenance.asked`."""
        found = {rule: layout.expression(pattern).fullmatch(path) for pattern, rule in RULES.items()}
        rule, wildcards = next((rule, match.groupdict()) for rule, match in found.items() if match)
        params: Params = getattr(self, rule)(**wildcards)
        return asked(*params)

    def stale(self, paths: Iterable[str] | None = None) -> list[str]:
        """Return those of some existing files, by default of all, that are not current; see `is_current`."""
        existing, identify = self._existing() if paths is None else paths, cache(identity_of)
        return [path for path in existing if not is_current(Path(path), self.asked(path), identify=identify)]

    def _existing(self) -> list[str]:
        """Return the existing records, and the existing files that they are made from."""
        cells = self.targets.cells()
        runs = dict.fromkeys((cell.study, cell.dataset) for cell in cells)
        paths = dict.fromkeys(path for run in runs for path in self.targets.upstream(*run))
        return [path for path in [*paths, *map(Cell.path, cells)] if Path(path).is_file()]

    def age(self) -> None:
        """Give stale files the oldest time and remove Snakemake's notes on them, so that it makes them again.

        Snakemake compares settings and code with its notes. These may be lost. Where incomplete files are kept, as on a
        cluster, it takes notes of jobs that were refused or cancelled too (9.27): then an old file counts as made as it
        was asked for. The seal of a record says what it is made from, and cells.csv which records were collected.
        """
        stale = self.stale()
        for study in uncollected({name: self._asked_of_records(name) for name in self.targets.studies}):
            stale += [path for each in COLLECTED if Path(path := each.format(study=study)).is_file()]
        if Path(layout.REPORT).is_file() and not intact(Path(layout.REPORT).parent):
            stale.append(layout.REPORT)
        for path in stale:
            # by the inputs' checksums of a note, a file is current however old it is; notes are files named after paths
            Path(".snakemake/metadata", urlsafe_b64encode(path.encode()).decode()).unlink(missing_ok=True)
            # 1, since Snakemake reads 0 as no time
            os.utime(path, (1, 1))

    def fetch(self, dataset: str) -> Params:
        """Give the description of a data set or of a base, without prose, and where it may be fetched from.

        Data that were fetched are kept. Other mirrors and kinds of sources count only if no source answered, if the
        description has changed, or if a more faithful source may answer now.
        """
        return self._params("fetch", self._kept(dataset) or self.fetch_settings(dataset))

    def fetches_again(self, dataset: str) -> bool:
        """Return whether data that were fetched are asked for again; see `fetch`."""
        description = self.targets.configuration.description(dataset)
        return Path(layout.RAW.format(dataset=description.folder)).is_file() and not self._kept(dataset)

    def _kept(self, dataset: str) -> dict[str, Any]:
        """Return the settings of a fetch whose data are kept; empty if they are asked for."""
        description = self.targets.configuration.description(dataset)
        fetched, index = _read_fetch(Path(layout.RAW.format(dataset=description.folder)))
        is_same = fetched.get("dataset") == self.fetch_settings(dataset)["dataset"]
        return fetched if is_same and not self._more_faithful(description, fetched, index) else {}

    def _more_faithful(self, description: Description, fetched: dict[str, Any], index: int) -> bool:
        """Return whether a source before the one that answered may answer now, and has what that one lacks.

        It may answer if a mirror has its files, or if its kind is allowed now and was not when the data were fetched.
        """
        project, lacking = self.targets.project, description.lacks(description.sources[index])
        allowed = set(project.sources).difference(fetched.get("kinds", []))
        better = [source for source in description.sources[:index] if description.lacks(source) != lacking]
        mirrors = project.mirror_folders
        return any(source.kind in allowed or any(_has(mirror, source) for mirror in mirrors) for source in better)

    def fetch_settings(self, dataset: str) -> dict[str, Any]:
        """Return the settings of a fetch by the current configuration."""
        project, description = self.targets.project, self.targets.configuration.description(dataset)
        mirrors = list(map(str, project.mirror_folders))
        return {"dataset": _without_prose(description), "mirrors": mirrors, "kinds": project.sources}

    def prepare(self, dataset: str) -> Params:
        """Give a description without prose, since a new citation reruns nothing."""
        description = self.targets.dataset(dataset).model_dump(mode="json", exclude=COMPARED)
        return self._params("prepare", {"dataset": description | dict.fromkeys(PROSE, "")})

    def images(self, base: str) -> Params:
        """Give a base without prose, and the groups of words of its tasks."""
        readers = [self.targets.dataset(task).sources[0].reader for task in self.targets.configuration.tasks(base)]
        tasks = [reader.groups() for reader in readers]
        return self._params("images", {"base": _without_prose(self.targets.configuration.images(base)), "tasks": tasks})

    def codebook(self, base: str, descriptor: str) -> Params:
        """Give a descriptor, and the seed of the project."""
        settings = self._descriptor(base, descriptor) | {"seed": self.targets.project.seed}
        return self._params("codebook", settings, features.module(descriptor))

    def describe(self, base: str, descriptor: str, part: str) -> Params:
        """Give a descriptor, and the number of a part of the images."""
        settings = self._descriptor(base, descriptor) | {"part": int(part), "parts": self._parts(base)}
        return self._params("describe", settings, features.module(descriptor))

    def features(self, base: str, descriptor: str) -> Params:
        """Give a descriptor, with the code of its parts, since these are removed."""
        settings = self._descriptor(base, descriptor) | {"parts": self._parts(base)}
        return self._params("features", settings, f"{STEPS}.describe", features.module(descriptor))

    def _parts(self, base: str) -> int:
        return self.targets.configuration.images(base).parts

    def _descriptor(self, base: str, descriptor: str) -> dict[str, Any]:
        """Return the settings of a descriptor, with its defaults."""
        settings = self.targets.configuration.images(base).descriptors[descriptor]
        return {"descriptor": descriptor, "settings": features.resolved(descriptor, settings)}

    def pairs(self, study: str, dataset: str) -> Params:
        """Give each view, with what its kernels are functions of."""
        sources = dict.fromkeys((kernel.view, kernel.base) for kernel in self.targets.kernels(study, dataset))
        return self._params("pairs", {"sources": list(sources)})

    def inner(self, dataset: str) -> Params:
        """Give no settings."""
        return self._params("inner", {})

    def gram(self, dataset: str, kernel: str) -> Params:
        """Give a kernel."""
        parsed = Kernel.parse(kernel)
        return self._params("gram", {"family": parsed.family, "parameter": parsed.parameter})

    def run(self, study: str, dataset: str, task: str, block: str = "") -> Params:
        """Give a run, or a block of it: the experiment reads the settings, and the record stores them."""
        return self.of_cell(Cell.of(study, dataset, task, block))

    @cache  # noqa: B019  (one plan a process; snakemake asks for both, and for those of all runs of a study)
    def of_cell(self, cell: Cell) -> Params:
        """Return the settings and the code of a run or of a block of it."""
        run = self.run_of(cell)
        return Params(fingerprint.spec(run.to_dict()), fingerprint.run_code(run))

    def run_of(self, cell: Cell) -> Run:
        """Return a run, or a block of it."""
        study, name = self.targets.studies[cell.study], cell.algorithm
        sweep = study.sweeps.get(cell.sweep)
        reference = tuning = dictionary = None
        if sweep and sweep.kind == "scaling":
            entry = sweep.references.get(name, name)
            (point,) = points_of(study, entry, sweep)
            reference = Reference(study.file(entry), algorithms.resolved(study.file(entry), point))
        for parameter, values in study.protocol.tuned().items():
            tuning = Tuning(parameter, values)
        if tune := study.algorithms[name].tune:
            tuning = tune
        if family := study.dictionary:
            dictionary = FamilyRange(family.family, family.low, family.high, family.grid(), family.unit)
        protocol = study.protocol
        if study.algorithms[name].center and isinstance(protocol, Offline):
            protocol = replace(protocol, center=True)
        kernels = self.targets.kernels(cell.study, cell.dataset, name)
        points, values = points_of(study, name, sweep), sweep.values if sweep else []
        if sweep and sweep.kind == "view":
            values = list(range(1, 1 + len({kernel.view for kernel in kernels})))
            points *= len(values)
        return Run(
            study=cell.study,
            dataset=cell.dataset,
            algorithm=name,
            experiment=sweep.kind if sweep and sweep.kind not in POINTS else study.protocol.experiment,
            file=study.file(name),
            points=[algorithms.resolved(study.file(name), point) for point in points],
            sweep=cell.sweep,
            values=values,
            protocol=protocol,
            kernels=[kernel.name for kernel in kernels],
            seed=self.targets.project.seed,
            dictionary=dictionary,
            subsets=study.subsets,
            tune=tuning,
            classes=self.targets.dataset(cell.dataset).classes or None,
            best_of=study.algorithms[name].best_of or None,
            then=study.algorithms[name].then,
            size=sweep.of if sweep and sweep.kind in ("size", "view") else "",
            scaled=sweep.scaled if sweep and sweep.kind == "scaling" else "all",
            reference=reference,
            approximation=study.algorithms[name].approximation,
            n_components=study.algorithms[name].n_components,
            # claims on alignment are of studies that show it
            aligns="alignment" not in protocol.yields or study.shows("alignment"),
            block=list(cell.block) if cell.block else None,
        )

    def join(self, run: str) -> Params:
        """Give the whole run, and the code that joins its blocks."""
        params = self.of_cell(Cell.parse(run))
        return params._replace(code=f"{params.code}.{self.code('join')}")

    def collect(self, study: str) -> Params:
        """Give what each record of a study is to be made with, in their order."""
        return self._params("collect", list(self._asked_of_records(study).values()))

    def _asked_of_records(self, study: str) -> dict[str, str]:
        return {cell.path(): asked(*self.of_cell(cell)) for cell in self.targets.cells(study)}

    def means(self, study: str) -> Params:
        """Give the metrics whose published numbers are compared with replications, and the shipped table."""
        published = self.targets.studies[study].published
        metrics = list(published.margins) if published else []
        return self._params("means", {"metrics": metrics, "shipped": self.targets.shipped(study)})

    def summarise(self, study: str) -> Params:
        """Give a study with the titles of its data sets, which their files declare."""
        titles = {name: self.targets.dataset(name).title for name in self.targets.datasets(study)}
        return self._params("summarise", self._shown(study) | {"datasets": titles})

    def reproduce(self, study: str) -> Params:
        """Give a study."""
        return self._params("reproduce", {"study": self._study(study)})

    def claims(self, study: str) -> Params:
        """Give a study, and the module of its claims if there is one."""
        module = f"grambench.claims.{study}"
        return self._params("claims", self._shown(study), *([module] if fingerprint.source(module) else []))

    def table(self, study: str, table: str) -> Params:
        """Give a study, and the module of the table's kind."""
        kind = self.targets.studies[study].tables[table].kind
        return self._params("table", self._shown(study), f"grambench.report.tables.{kind}")

    def figure(self, study: str, figure: str) -> Params:
        """Give a study, and the module of the figure's kind."""
        kind = self.targets.studies[study].figures[figure].kind
        return self._params("figure", self._shown(study), f"grambench.report.figures.{kind}")

    def report(self, earlier: Mapping[str, "Specifications"]) -> Params:
        """Give all studies, restricted and complete, their data sets, the algorithms' prose and the report's layout.

        The report shows studies of earlier runs too, from the files that exist.
        """
        shown = {*PROSE, "n", "d"}
        all_specs = dict.fromkeys(self.targets.studies, self) | dict(earlier)
        names = dict.fromkeys(name for study, specs in all_specs.items() for name in specs.targets.datasets(study))
        prose = [algorithms.prose(name) for name in sorted(self.targets.algorithm_names())]
        complete = {study: specs.targets.studies[study].model_dump(mode="json") for study, specs in all_specs.items()}
        settings = {
            "title": self.targets.project.title,
            "order": list(all_specs),
            "studies": {study: specs._study(study) for study, specs in all_specs.items()},
            "whole": complete,
            "datasets": {name: self.targets.dataset(name).model_dump(mode="json", include=shown) for name in names},
            "earlier": {study: bool(specs.stale()) for study, specs in earlier.items()},
            "files": [path for study, specs in earlier.items() for path in specs.targets.shown(study)],
            "prose": digest("\0".join([looks.checksum(), *prose])),
        }
        return self._params("report", settings)

    def _study(self, study: str) -> dict[str, Any]:
        """Return the settings of a study, restricted to the data sets that the project asks for."""
        return self.targets.studies[study].model_dump(mode="json") | {"datasets": self.targets.datasets(study)}

    def _shown(self, study: str) -> dict[str, Any]:
        """Return the settings of a study with the titles of all algorithms, which their files declare."""
        titles = {name: algorithms.title(name) for name in self.targets.algorithm_names()}
        return {"study": self._study(study), "titles": titles}

    def code(self, step: str, *modules: str) -> str:
        """Return the code hash of a step, its supervised half and the modules that it loads by name."""
        steps = [step, HALVES[step]] if step in HALVES else [step]
        return fingerprint.code(*(f"{STEPS}.{name}" for name in steps), *modules)

    def _params(self, step: str, settings: Any, *modules: str) -> Params:
        """Return the settings of a file with the code of its step."""
        return Params(fingerprint.spec(settings), self.code(step, *modules))


def _read_fetch(note_path: Path) -> tuple[dict[str, Any], int]:
    """Return the settings of the last fetch and the index of the source that answered; no settings if none did."""
    try:
        note = json.loads(read_text(note_path))
        return (dict(json.loads(note["asked"])), int(note["index"])) if note["status"] == "ok" else ({}, 0)
    except (DataError, ValueError, LookupError, TypeError, RecursionError):
        return {}, 0


def _has(mirror: Path, source: Source) -> bool:
    """Return whether a mirror lists all files of a source."""
    try:
        listed = checksums(mirror).values()
    except DataError:
        return False
    return bool(source.files) and all(file.sha256 in listed for file in source.files)


def _without_prose(description: Dataset | BaseDataset | Images) -> dict[str, Any]:
    """Return a description without prose and descriptors, since neither reruns a step of the data."""
    values = description.model_dump(mode="json", exclude={"descriptors", "parts", *COMPARED}) | dict.fromkeys(PROSE, "")
    return values | {"descriptors": {"none": {}}} if isinstance(description, Images) else values


def points_of(study: Study, entry: str, sweep: Sweep | None) -> list[dict[str, Any]]:
    """Return the settings of an entry at each point of a plain run or a sweep."""
    base = study.algorithms[entry].parameters | (sweep.parameters if sweep else {})
    if sweep and sweep.kind == "size":
        return [base] * len(sweep.values)
    if sweep is None or sweep.kind != "parameter":
        return [base]
    return [base | {sweep.parameter: value} for value in sweep.values]
