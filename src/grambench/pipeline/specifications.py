"""What each file is made from: settings, code and inputs, and which files are stale."""

import hashlib
import json
import os
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from grambench import algorithms, experiments, features
from grambench.common import layout
from grambench.common.errors import DataError
from grambench.common.files import checksums, identity_of, intact, read_text
from grambench.common.layout import Cell
from grambench.common.provenance import identity
from grambench.config.dataset import Base, Dataset, Described, Images, Source
from grambench.config.shown import Sweep
from grambench.config.study import Study
from grambench.experiments.run import Reference, Run, Tuning
from grambench.kernels import continuous
from grambench.kernels.dictionary import Dictionary
from grambench.kernels.functions import Kernel
from grambench.pipeline import fingerprint
from grambench.pipeline.targets import Targets
from grambench.report import looks

SUPERVISED = {"run": "fit", "gram": "evaluate"}  # the steps whose work another process does
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
        found = {prepared: identity(self.prepare_spec(dataset), self.step_code("prepare"))}
        if grams := self.targets.grams(study, dataset):
            found[inner] = identity("", self.step_code("inner"), [found[prepared]])
            specs = [self.gram_spec(kernel.name) for kernel in self.targets.studies[study].kernel_list()]
            code = self.step_code("gram")
            found |= {path: identity(spec, code, [found[inner]]) for path, spec in zip(grams, specs, strict=True)}
        base = str(self.targets.dataset(dataset).base)
        for path in self.targets.features(study, dataset):
            name = Path(path).stem
            found[layout.IMAGES.format(base=base)] = identity(self.images_spec(base), self.step_code("images"))
            read = self.targets.described_from(base, name)
            for codebook in read[1:]:
                code = self.features_code("codebook", name)
                found[codebook] = identity(self.codebook_spec(base, name), code, [found[read[0]]])
            parts, code = self.targets.described(base, name), self.features_code("describe", name)
            for part, described in enumerate(parts):
                spec = self.describe_spec(base, name, str(part))
                found[described] = identity(spec, code, [found[each] for each in read])
            found[path] = identity("", self.step_code("features"), [found[part] for part in parts])
        return found

    def stale(self) -> list[str]:
        """Return the existing files that were made from other settings, code or inputs than those of today."""
        asked: dict[str, str] = {}
        for study in self.targets.studies:
            for dataset in self.targets.datasets(study):
                asked |= self.inputs(study, dataset)
        asked |= {cell.path(): self.identity(cell) for cell in self.targets.cells() if Path(cell.path()).is_file()}
        return [path for path in asked if Path(path).is_file() and identity_of(Path(path)) != asked[path]]

    def age(self) -> None:
        """Make Snakemake remake stale files of which it has no notes, and a report that lacks pages.

        Snakemake compares settings and code with its notes. Without notes, which may be lost, it compares times only:
        such files get the oldest time.
        """
        notes = Path(".snakemake/metadata")  # a file each, named after the path
        stale = [path for path in self.stale() if not (notes / urlsafe_b64encode(path.encode()).decode()).is_file()]
        if Path(layout.REPORT).is_file() and not intact(Path(layout.REPORT).parent):
            stale.append(layout.REPORT)
        for path in stale:
            os.utime(path, (1, 1))  # snakemake takes 0 for no time at all

    def fetch_spec(self, dataset: str) -> str:
        """Return the settings of rule `fetch`, of a data set or of a base, without prose.

        Data that were delivered stay. Other mirrors and kinds of sources count only if nothing was delivered, if the
        description has changed, or if a more faithful source may answer now.
        """
        wanted, described = self.fetch_settings(dataset), self.targets.configuration.description(dataset)
        before, index = _delivered(Path(layout.RAW.format(dataset=described.folder)))
        if before.get("dataset") == wanted["dataset"] and not self._more_faithful(described, before, index):
            wanted = before
        return fingerprint.spec(wanted)

    def _more_faithful(self, described: Described, before: dict[str, Any], index: int) -> bool:
        """Return whether an earlier source than the one that delivered may answer now, and has what that one lacks.

        It may answer if a mirror has its files, or if its kind is allowed now and was not when the data were fetched.
        """
        delivered, found = described.sources[index], False
        for source in described.sources[:index]:
            if described.lacks(source) != described.lacks(delivered):
                found |= source.kind in self.targets.project.sources and source.kind not in before.get("kinds", [])
                found |= any(_has(mirror, source) for mirror in self.targets.project.mirror_folders)
        return found

    def fetch_settings(self, dataset: str) -> dict[str, Any]:
        """Return the settings of a fetch by the current configuration."""
        mirrors = list(map(str, self.targets.project.mirror_folders))
        plain = _plain(self.targets.configuration.description(dataset))
        return {"dataset": plain, "mirrors": mirrors, "kinds": self.targets.project.sources}

    def prepare_spec(self, dataset: str) -> str:
        """Return the settings of rule `prepare`: a description, its prose blanked so that a citation reruns nothing."""
        described = self.targets.dataset(dataset).model_dump(mode="json")
        return fingerprint.spec({"dataset": described | dict.fromkeys(PROSE, "")})

    def images_spec(self, base: str) -> str:
        """Return the settings of rule `images`: a base without prose, and the groups of words of its tasks."""
        readers = [self.targets.dataset(task).sources[0].reader for task in self.targets.configuration.tasks(base)]
        tasks = [reader.groups() for reader in readers]
        return fingerprint.spec({"base": _plain(self.targets.configuration.images(base)), "tasks": tasks})

    def codebook_spec(self, base: str, descriptor: str) -> str:
        """Return the settings of rule `codebook`."""
        return fingerprint.spec(self._descriptor(base, descriptor) | {"seed": self.targets.project.seed})

    def describe_spec(self, base: str, descriptor: str, part: str) -> str:
        """Return the settings of rule `describe`."""
        parts = self.targets.configuration.images(base).parts
        return fingerprint.spec(self._descriptor(base, descriptor) | {"part": int(part), "parts": parts})

    def _descriptor(self, base: str, descriptor: str) -> dict[str, Any]:
        settings = self.targets.configuration.images(base).descriptors[descriptor]
        return {"descriptor": descriptor, "settings": features.resolved(descriptor, settings)}

    def features_code(self, step: str, descriptor: str) -> str:
        """Return the code hash of a step that computes a descriptor."""
        return self.step_code(step, features.module(descriptor))

    def gram_spec(self, kernel: str) -> str:
        """Return the settings of rule `gram`."""
        parsed = Kernel.parse(kernel)
        return fingerprint.spec({"family": parsed.family, "parameter": parsed.parameter})

    def run_spec(self, cell: Cell) -> str:
        """Return the settings of a run or of a block of it, which the experiment and the record get as they are."""
        return fingerprint.spec(self.run(cell).to_dict())

    def run(self, cell: Cell) -> Run:
        """Return a run, or a block of it."""
        study, name = self.targets.studies[cell.study], cell.algorithm
        sweep = study.sweeps.get(cell.sweep)
        reference = tuning = dictionary = None
        if sweep and sweep.kind == "scaling":
            other = sweep.references.get(name, name)
            (point,) = points_of(study, other, sweep)
            reference = Reference(study.file(other), algorithms.resolved(study.file(other), point))
        for parameter, values in study.protocol.tuned().items():
            tuning = Tuning(parameter, values)
        if tune := study.algorithms[name].tune:
            tuning = Tuning(**tune.model_dump(mode="json"))
        if family := study.dictionary:
            dictionary = Dictionary(family.family, family.low, family.high, family.grid(), family.unit)
        return Run(
            study=cell.study,
            dataset=cell.dataset,
            algorithm=name,
            experiment=experiment_of(study, sweep),
            file=study.file(name),
            points=[algorithms.resolved(study.file(name), point) for point in points_of(study, name, sweep)],
            sweep=cell.sweep,
            values=sweep.values if sweep else [],
            protocol=study.protocol,
            kernels=[kernel.name for kernel in study.kernel_list()],
            seed=self.targets.project.seed,
            dictionary=dictionary,
            tune=tuning,
            classes=self.targets.dataset(cell.dataset).classes or None,
            then=study.algorithms[name].then,
            size=sweep.of if sweep and sweep.kind == "size" else "",
            scaled=sweep.scaled if sweep and sweep.kind == "scaling" else "all",
            reference=reference,
            block=list(cell.block) if cell.block else None,
        )

    def step_code(self, step: str, *modules: str) -> str:
        """Return the code hash of a step, its supervised half and the modules that it loads by name."""
        steps = [step, SUPERVISED[step]] if step in SUPERVISED else [step]
        return fingerprint.code(*(f"grambench.pipeline.steps.{each}" for each in steps), *modules)

    def run_code(self, cell: Cell) -> str:
        """Return the code hash of rule `run`: of the experiment, the algorithm and the one that it is compared with."""
        plan, entry = self.targets.studies[cell.study], cell.algorithm
        sweep = plan.sweeps.get(cell.sweep)
        entries = {entry, sweep.references.get(entry, entry)} if sweep and sweep.kind == "scaling" else {entry}
        thens = [then for each in entries if (then := plan.algorithms[each].then)]
        modules = sorted({algorithms.module(name) for name in [*map(plan.file, entries), *thens]})
        if plan.dictionary:
            modules.append(continuous.module(plan.dictionary.family))
        modules.append(experiments.module(experiment_of(plan, sweep)))
        return self.step_code("run", *modules)

    def claims_code(self, study: str) -> str:
        """Return the code hash of rule `claims`, with the module of the study's claims if there is one."""
        module = f"grambench.claims.{study}"
        return self.step_code("claims", *([module] if fingerprint.source(module) else []))

    def table_code(self, study: str, table: str) -> str:
        """Return the code hash of rule `table`, with the module of the table's kind."""
        return self.step_code("tables", f"grambench.report.tables.{self.targets.studies[study].tables[table].kind}")

    def figure_code(self, study: str, figure: str) -> str:
        """Return the code hash of rule `figure`, with the module of the figure's kind."""
        return self.step_code("figures", f"grambench.report.figures.{self.targets.studies[study].figures[figure].kind}")

    def study_spec(self, study: str) -> str:
        """Return the settings of the rules that read a whole study."""
        return fingerprint.spec(self._settings(study))

    def report_spec(self, earlier: Mapping[str, "Specifications"]) -> str:
        """Return the settings of rule `report`: all studies, restricted and whole, and descriptions of their data sets.

        The report shows studies of earlier runs too, from the files that exist.
        """
        shown = {*PROSE, "n", "d"}
        all_specs = dict.fromkeys(self.targets.studies, self) | dict(earlier)
        names = dict.fromkeys(name for study, each in all_specs.items() for name in each.targets.datasets(study))
        return fingerprint.spec(
            {
                "title": self.targets.project.title,
                "order": list(all_specs),
                "studies": {study: each._settings(study) for study, each in all_specs.items()},
                "whole": {
                    study: each.targets.studies[study].model_dump(mode="json") for study, each in all_specs.items()
                },
                "datasets": {name: self.targets.dataset(name).model_dump(mode="json", include=shown) for name in names},
                "earlier": {study: bool(each.stale()) for study, each in earlier.items()},
                "files": [path for study, each in earlier.items() for path in each.targets.shown(study)],
            }
        )

    def prose(self) -> str:
        """Return a hash of the inputs of the report that are neither settings nor code: docstrings and its layout."""
        used = sorted({study.file(entry) for study in self.targets.studies.values() for entry in study.algorithms})
        texts = [algorithms.prose(name) for name in used]
        return hashlib.sha256("\0".join([looks.checksum(), *texts]).encode()).hexdigest()[:16]

    def _settings(self, study: str) -> dict[str, Any]:
        return self.targets.studies[study].model_dump(mode="json") | {"datasets": self.targets.datasets(study)}

    def titles(self) -> str:
        """Return the titles of all algorithms in use, which their files declare and not the settings."""
        used = {study.file(entry) for study in self.targets.studies.values() for entry in study.algorithms}
        return fingerprint.spec({name: algorithms.title(name) for name in used})

    def dataset_titles(self, study: str) -> str:
        """Return the titles of the data sets of a study, which their files declare and not the settings."""
        return fingerprint.spec({name: self.targets.dataset(name).title for name in self.targets.datasets(study)})


def _delivered(note_path: Path) -> tuple[dict[str, Any], int]:
    """Return the settings of the last successful fetch and the number of its source; no settings if there is none."""
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


def _plain(described: Dataset | Base | Images) -> dict[str, Any]:
    """Return a description without prose and descriptors, since neither reruns a step of the data."""
    values = described.model_dump(mode="json", exclude={"descriptors", "parts"}) | dict.fromkeys(PROSE, "")
    return values | {"descriptors": {"none": {}}} if isinstance(described, Images) else values


def experiment_of(study: Study, sweep: Sweep | None) -> str:
    """Return the module of grambench.experiments that carries a task out."""
    return study.protocol.experiment if sweep is None or sweep.kind in ("parameter", "size") else sweep.kind


def points_of(study: Study, entry: str, sweep: Sweep | None) -> list[dict[str, Any]]:
    """Return the settings of an entry at each point of a plain run or a sweep."""
    base = study.algorithms[entry].parameters | (sweep.parameters if sweep else {})
    if sweep and sweep.kind == "size":
        return [base] * len(sweep.values)
    if sweep is None or sweep.kind != "parameter":
        return [base]
    return [base | {sweep.parameter: value} for value in sweep.values]
