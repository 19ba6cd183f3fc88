"""The settings, code and inputs that each file is made from, and the files that are stale."""

import json
import os
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from grambench import algorithms, features
from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import checksums, identity_of, intact, read_text
from grambench.common.layout import Cell
from grambench.common.provenance import digest, identity
from grambench.config.dataset import BaseDataset, Dataset, Description, Images, Source
from grambench.config.protocols import Offline
from grambench.config.shown import Sweep
from grambench.config.study import Study
from grambench.experiments.run import Reference, Run, Tuning
from grambench.kernels.dictionary import FamilyRange
from grambench.kernels.functions import Kernel
from grambench.kernels.subsets import RandomSubsets
from grambench.pipeline import fingerprint
from grambench.pipeline.targets import Targets
from grambench.report import looks

# the step whose work is done by another step, in a process of its own; see `fingerprint.run_code` for that of a run
SUPERVISED_HALVES = {"gram": "evaluate"}
PROSE = ("title", "licence", "citation", "url")


class Specifications:
    """The settings, the code and the identities of the files of a project."""

    def __init__(self, targets: Targets) -> None:
        self.targets = targets

    def identity(self, cell: Cell) -> str:
        """Return the identity that the record of a run has to have."""
        inputs = self.inputs(cell.study, cell.dataset)
        paths = [layout.PREPARED.format(dataset=cell.dataset), *self.targets.kernels_from(cell.study, cell.dataset)]
        return identity(self.run_spec(cell), self.run_code(cell), [inputs[path] for path in paths])

    def identities(self, study: str) -> str:
        """Return the identities of all records of a study in their order, separated by blanks."""
        return " ".join(map(self.identity, self.targets.cells(study)))

    @cache  # noqa: B019  (one plan a process)
    def inputs(self, study: str, dataset: str) -> dict[str, str]:
        """Return the identity that each input of the runs of a study on a data set has to have.

        The inputs are the prepared data set, and the Gram matrices or features with all their own inputs, in the order
        in which they are made.
        """
        prepared, inner = layout.PREPARED.format(dataset=dataset), layout.INNER.format(dataset=dataset)
        identities = {prepared: identity(self.prepare_spec(dataset), self.step_code("prepare"))}
        for path in self.targets.grams(study, dataset):
            identities[inner] = identity("", self.step_code("inner"), [identities[prepared]])
            spec = self.gram_spec(Path(path).stem)
            identities[path] = identity(spec, self.step_code("gram"), [identities[inner]])
        base = str(self.targets.dataset(dataset).base)
        for path in self.targets.features(study, dataset):
            name = Path(path).stem
            images, *codebooks = self.targets.described_from(base, name)
            identities[images] = identity(self.images_spec(base), self.step_code("images"))
            for codebook in codebooks:
                code = self.features_code("codebook", name)
                identities[codebook] = identity(self.codebook_spec(base, name), code, [identities[images]])
            parts, code = self.targets.described(base, name), self.features_code("describe", name)
            for number, part in enumerate(parts):
                spec = self.describe_spec(base, name, str(number))
                identities[part] = identity(spec, code, [identities[file] for file in (images, *codebooks)])
            identities[path] = identity("", self.step_code("features"), [identities[part] for part in parts])
        for path in self.targets.pairs(study, dataset):
            files = [prepared, *self.targets.features(study, dataset)]
            code = self.step_code("pairs")
            identities[path] = identity(self.pairs_spec(study, dataset), code, [identities[file] for file in files])
        return identities

    def stale(self) -> list[str]:
        """Return the existing files that were made from other settings, code or inputs than the current ones."""
        identities: dict[str, str] = {}
        for study in self.targets.studies:
            for dataset in self.targets.datasets(study):
                identities |= self.inputs(study, dataset)
        identities |= {cell.path(): self.identity(cell) for cell in self.targets.cells() if Path(cell.path()).is_file()}
        return [path for path in identities if Path(path).is_file() and identity_of(Path(path)) != identities[path]]

    def age(self) -> None:
        """Make Snakemake remake stale files that it has no notes on, and a report that lacks pages.

        Snakemake compares settings and code with its notes. Without notes, which may be lost, it compares times only:
        such files get the oldest time.
        """
        # one file for each file of results, named after its path
        notes = Path(".snakemake/metadata")
        stale = [path for path in self.stale() if not (notes / urlsafe_b64encode(path.encode()).decode()).is_file()]
        if Path(layout.REPORT).is_file() and not intact(Path(layout.REPORT).parent):
            stale.append(layout.REPORT)
        for path in stale:
            # 1, since Snakemake reads 0 as no time
            os.utime(path, (1, 1))

    def fetch_spec(self, dataset: str) -> str:
        """Return the settings of rule `fetch`, of a data set or of a base, without prose.

        Data that were fetched are kept. Other mirrors and kinds of sources count only if no source answered, if the
        description has changed, or if a more faithful source may answer now.
        """
        settings, description = self.fetch_settings(dataset), self.targets.configuration.description(dataset)
        fetched, index = _read_fetch(Path(layout.RAW.format(dataset=description.folder)))
        if fetched.get("dataset") == settings["dataset"] and not self._more_faithful(description, fetched, index):
            settings = fetched
        return fingerprint.spec(settings)

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

    def prepare_spec(self, dataset: str) -> str:
        """Return the settings of rule `prepare`: a description without prose, since a new citation reruns nothing."""
        description = self.targets.dataset(dataset).model_dump(mode="json")
        return fingerprint.spec({"dataset": description | dict.fromkeys(PROSE, "")})

    def images_spec(self, base: str) -> str:
        """Return the settings of rule `images`: a base without prose, and the groups of words of its tasks."""
        readers = [self.targets.dataset(task).sources[0].reader for task in self.targets.configuration.tasks(base)]
        tasks = [reader.groups() for reader in readers]
        return fingerprint.spec({"base": _without_prose(self.targets.configuration.images(base)), "tasks": tasks})

    def codebook_spec(self, base: str, descriptor: str) -> str:
        """Return the settings of rule `codebook`."""
        return fingerprint.spec(self._descriptor(base, descriptor) | {"seed": self.targets.project.seed})

    def describe_spec(self, base: str, descriptor: str, part: str) -> str:
        """Return the settings of rule `describe`."""
        parts = self.targets.configuration.images(base).parts
        return fingerprint.spec(self._descriptor(base, descriptor) | {"part": int(part), "parts": parts})

    def _descriptor(self, base: str, descriptor: str) -> dict[str, Any]:
        """Return the settings that rules `codebook` and `describe` have in common."""
        settings = self.targets.configuration.images(base).descriptors[descriptor]
        return {"descriptor": descriptor, "settings": features.resolved(descriptor, settings)}

    def features_code(self, step: str, descriptor: str) -> str:
        """Return the code hash of a step that computes a descriptor."""
        return self.step_code(step, features.module(descriptor))

    def pairs_spec(self, study: str, dataset: str) -> str:
        """Return the settings of rule `pairs`: each view with what its kernels are functions of."""
        sources = dict.fromkeys((kernel.view, kernel.base) for kernel in self.targets.kernels(study, dataset))
        return fingerprint.spec({"sources": list(sources)})

    def gram_spec(self, kernel: str) -> str:
        """Return the settings of rule `gram`."""
        parsed = Kernel.parse(kernel)
        return fingerprint.spec({"family": parsed.family, "parameter": parsed.parameter})

    def run_spec(self, cell: Cell) -> str:
        """Return the settings of a run or of a block of it; the experiment reads them and the record stores them."""
        return fingerprint.spec(self.run(cell).to_dict())

    def run(self, cell: Cell) -> Run:
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
            tuning = Tuning(**tune.model_dump(mode="json"))
        if family := study.dictionary:
            dictionary = FamilyRange(family.family, family.low, family.high, family.grid(), family.unit)
        protocol = study.protocol
        if study.algorithms[name].center and isinstance(protocol, Offline):
            protocol = replace(protocol, center=True)
        kernels = self.targets.kernels(cell.study, cell.dataset)
        points, values = points_of(study, name, sweep), sweep.values if sweep else []
        if sweep and sweep.kind == "view":
            values = list(range(1, 1 + len({kernel.view for kernel in kernels})))
            points *= len(values)
        return Run(
            study=cell.study,
            dataset=cell.dataset,
            algorithm=name,
            experiment=experiment_of(study, sweep),
            file=study.file(name),
            points=[algorithms.resolved(study.file(name), point) for point in points],
            sweep=cell.sweep,
            values=values,
            protocol=protocol,
            kernels=[kernel.name for kernel in kernels],
            seed=self.targets.project.seed,
            dictionary=dictionary,
            subsets=RandomSubsets(**study.subsets.model_dump()) if study.subsets else None,
            tune=tuning,
            classes=self.targets.dataset(cell.dataset).classes or None,
            then=study.algorithms[name].then,
            size=sweep.of if sweep and sweep.kind in ("size", "view") else "",
            scaled=sweep.scaled if sweep and sweep.kind == "scaling" else "all",
            reference=reference,
            approximation=study.algorithms[name].approximation,
            n_components=study.algorithms[name].n_components,
            block=list(cell.block) if cell.block else None,
        )

    def step_code(self, step: str, *modules: str) -> str:
        """Return the code hash of a step, its supervised half and the modules that it loads by name."""
        steps = [step, SUPERVISED_HALVES[step]] if step in SUPERVISED_HALVES else [step]
        return fingerprint.code(*(f"grambench.pipeline.steps.{name}" for name in steps), *modules)

    def run_code(self, cell: Cell) -> str:
        """Return the code hash of a run or of a block of it."""
        return fingerprint.run_code(self.run(cell))

    def claims_code(self, study: str) -> str:
        """Return the code hash of rule `claims`, with the module of the study's claims if there is one."""
        module = f"grambench.claims.{study}"
        return self.step_code("claims", *([module] if fingerprint.source(module) else []))

    def table_code(self, study: str, table: str) -> str:
        """Return the code hash of rule `table`, with the module of the table's kind."""
        return self.step_code("table", f"grambench.report.tables.{self.targets.studies[study].tables[table].kind}")

    def figure_code(self, study: str, figure: str) -> str:
        """Return the code hash of rule `figure`, with the module of the figure's kind."""
        return self.step_code("figure", f"grambench.report.figures.{self.targets.studies[study].figures[figure].kind}")

    def study_spec(self, study: str) -> str:
        """Return the settings of the rules that read a whole study."""
        return fingerprint.spec(self._settings(study))

    def report_spec(self, earlier: Mapping[str, "Specifications"]) -> str:
        """Return the settings of rule `report`: all studies, restricted and complete, and their data sets.

        The report shows studies of earlier runs too, from the files that exist.
        """
        shown = {*PROSE, "n", "d"}
        all_specs = dict.fromkeys(self.targets.studies, self) | dict(earlier)
        names = dict.fromkeys(name for study, specs in all_specs.items() for name in specs.targets.datasets(study))
        complete = {study: specs.targets.studies[study].model_dump(mode="json") for study, specs in all_specs.items()}
        return fingerprint.spec(
            {
                "title": self.targets.project.title,
                "order": list(all_specs),
                "studies": {study: specs._settings(study) for study, specs in all_specs.items()},
                "whole": complete,
                "datasets": {name: self.targets.dataset(name).model_dump(mode="json", include=shown) for name in names},
                "earlier": {study: bool(specs.stale()) for study, specs in earlier.items()},
                "files": [path for study, specs in earlier.items() for path in specs.targets.shown(study)],
            }
        )

    def prose(self) -> str:
        """Return a hash of the inputs of the report that are neither settings nor code: docstrings and its layout."""
        texts = [algorithms.prose(name) for name in sorted(self.targets.algorithm_names())]
        return digest("\0".join([looks.checksum(), *texts]))

    def _settings(self, study: str) -> dict[str, Any]:
        """Return the settings of a study, restricted to the data sets that the project asks for."""
        return self.targets.studies[study].model_dump(mode="json") | {"datasets": self.targets.datasets(study)}

    def titles(self) -> str:
        """Return the titles of all algorithms in use; their files declare them, not the settings."""
        return fingerprint.spec({name: algorithms.title(name) for name in self.targets.algorithm_names()})

    def dataset_titles(self, study: str) -> str:
        """Return the titles of the data sets of a study; their files declare them, not the settings."""
        return fingerprint.spec({name: self.targets.dataset(name).title for name in self.targets.datasets(study)})


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
    values = description.model_dump(mode="json", exclude={"descriptors", "parts"}) | dict.fromkeys(PROSE, "")
    return values | {"descriptors": {"none": {}}} if isinstance(description, Images) else values


def experiment_of(study: Study, sweep: Sweep | None) -> str:
    """Return the module of grambench.experiments that carries out a plain run or a sweep."""
    return study.protocol.experiment if sweep is None or sweep.kind in ("parameter", "size", "view") else sweep.kind


def points_of(study: Study, entry: str, sweep: Sweep | None) -> list[dict[str, Any]]:
    """Return the settings of an entry at each point of a plain run or a sweep."""
    base = study.algorithms[entry].parameters | (sweep.parameters if sweep else {})
    if sweep and sweep.kind == "size":
        return [base] * len(sweep.values)
    if sweep is None or sweep.kind != "parameter":
        return [base]
    return [base | {sweep.parameter: value} for value in sweep.values]
