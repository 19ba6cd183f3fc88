"""The workflow's plan: which files a configuration asks for, and what each of them depends on.

Everything here is a function of names (the wildcards of the rules), so that Snakemake can compare it with what an
existing file was made from.
"""

import hashlib
import itertools
import json
import math
import os
import sys
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from grambench import algorithms, experiments, features
from grambench.common import layout, shipped
from grambench.common.errors import REFUSED, ConfigError, DataError, Faults, GrambenchError, told
from grambench.common.files import check_listed, checksums, identity_of, intact, read_text
from grambench.common.provenance import identity
from grambench.config.dataset import Base, Dataset, Described, Images, Own, Source
from grambench.config.load import check
from grambench.config.project import Configuration, Project, named_alone, restricted
from grambench.config.shown import Sweep
from grambench.config.study import Study
from grambench.kernels import continuous
from grambench.kernels.functions import Kernel
from grambench.pipeline import compiled, fingerprint
from grambench.report import looks

PROSE = ("title", "licence", "citation", "url")
SKEW = 60  # seconds that the clocks of two machines may differ
START = 3  # seconds of a run beside its repeats
LAST = 3  # attempt at a run, with the retries of profiles/slurm


def use_this_interpreter() -> None:
    """Make jobs run with the interpreter that runs Snakemake and with this package, activated and installed or not."""
    for variable, folder in (("PATH", Path(sys.executable).parent), ("PYTHONPATH", fingerprint.PACKAGE.parent)):
        os.environ[variable] = os.pathsep.join(filter(None, [str(folder), os.environ.get(variable)]))


def refuse(error: GrambenchError) -> NoReturn:
    """End Snakemake as `grambench` ends: an exception would have lines of the Snakefile around it."""
    sys.stderr.write(told(error) + "\n")
    raise SystemExit(REFUSED)


class Plan:
    """The jobs of a project.

    Parameters
    ----------
    settings : dict
        config.yaml with all overrides.
    folder : Path
        The configuration folder.
    overridden : collection of str
        The keys that do not stand in config.yaml but were given with the command.
    asked : dict
        What `--config` said among them; see `grambench.config.project.named_alone`.

    Raises
    ------
    ConfigError
        If a name is unknown or a value not allowed, anywhere in the studies of the project, or nothing is left to do;
        with a line a fault: the file, the key, what was expected.

    Attributes
    ----------
    studies : dict of Study
        By name, those that have a data set and an entry that are asked for.
    left_out : list of str
        The others.
    """

    def __init__(
        self, settings: dict[str, Any], folder: Path, overridden: Collection[str] = (), asked: Mapping[str, Any] = {}
    ) -> None:
        self.configuration = Configuration(folder)
        known = self.configuration.names("studies")
        self.settings = settings | named_alone(asked, known)
        self.project = check(Project, self.settings, str(folder / "config.yaml"))
        self.studies: dict[str, Study] = {}
        faults = Faults()
        place = {key: f"{'command line' if key in overridden else folder / 'config.yaml'}: {key}" for key in settings}
        for name in faults.known(place["studies"], "study", self.project.studies, known):
            with faults.at():
                self.studies[name] = self.configuration.study(name)
                _check(self.studies[name], str(self.configuration.file("studies", name)), self.dataset, faults)
        wanted = self.project.datasets or []
        for dataset in itertools.chain(*wanted.values()) if isinstance(wanted, dict) else wanted:
            with faults.at(place["datasets"]):
                self.configuration.dataset(dataset)
        if isinstance(wanted, dict):
            faults.known(place["datasets"], "study", wanted, known)
        entries, where = self.project.algorithms, place.get("algorithms", "")
        if isinstance(entries, dict):
            for name in faults.known(where, "study", entries, known):
                if name in self.studies:
                    faults.known(where, f"algorithm of {name}", entries[name], self.studies[name].algorithms)
        elif self.studies:
            have = {entry for study in self.studies.values() for entry in study.algorithms}
            faults.known(where, f"algorithm of {', '.join(self.studies)}", entries, have)
        faults.report()
        self.left_out = [name for name in self.studies if not (self.datasets(name) and self.entries(name))]
        if len(self.left_out) == len(self.studies):
            raise ConfigError(
                f"none of the studies {', '.join(self.studies)} has a data set and an algorithm asked for"
            )
        self.studies = {name: study for name, study in self.studies.items() if name not in self.left_out}
        for name in self.studies:
            for path in (*self.published(name), *self.shipped(name), self.chances()):
                check_listed(Path(path))

    # names

    def datasets(self, study: str) -> list[str]:
        """Return the data sets of a study, as far as the project asks for them."""
        return restricted(study, self.studies[study].datasets, self.project.datasets)

    def entries(self, study: str) -> list[str]:
        """Return the entries of a study, as far as the project asks for them."""
        return restricted(study, self.studies[study].algorithms, self.project.algorithms)

    def tasks(self, study: str, dataset: str) -> list[str]:
        """Return what is run on a data set: the study's entries, and "<entry>/<sweep>" for each sweep."""
        entries = self.entries(study)
        sweeps = [
            f"{entry}/{name}"
            for name, sweep in self.studies[study].sweeps.items()
            if dataset in sweep.datasets
            for entry in sweep.algorithms
            if entry in entries
        ]
        return [*entries, *sweeps]

    def records(self, study: str) -> list[str]:
        """Return the record files of a study."""
        return [
            layout.RECORD.format(study=study, dataset=dataset, task=task)
            for dataset in self.datasets(study)
            for task in self.tasks(study, dataset)
        ]

    def identity(self, study: str, dataset: str, task: str) -> str:
        """Return what the record of a run has to be made from."""
        inputs = self.inputs(study, dataset)
        read = [inputs[path] for path in (layout.PREPARED.format(dataset=dataset), *self.kernels_from(study, dataset))]
        return identity(self.run_spec(study, dataset, task), self.run_code(study, task), read)

    @cache  # noqa: B019  (one plan a process)
    def inputs(self, study: str, dataset: str) -> dict[str, str]:
        """Return the files that the runs of a study on a data set need, with what each has to be made from.

        The files are the prepared data set, and the Gram matrices or features with all that these are made from, in
        the order of making.
        """
        prepared, inner = layout.PREPARED.format(dataset=dataset), layout.INNER.format(dataset=dataset)
        found = {prepared: identity(self.prepare_spec(dataset), self.step_code("prepare"))}
        if grams := self.grams(study, dataset):
            found[inner] = identity("", self.step_code("inner"), [found[prepared]])
            specs = [self.gram_spec(kernel.name) for kernel in self.studies[study].kernel_list()]
            code = self.step_code("gram")
            found |= {path: identity(spec, code, [found[inner]]) for path, spec in zip(grams, specs, strict=True)}
        base = str(self.dataset(dataset).base)
        for path in self.features(study, dataset):
            name = Path(path).stem
            found[layout.IMAGES.format(base=base)] = identity(self.images_spec(base), self.step_code("images"))
            read = self.described_from(base, name)
            for codebook in read[1:]:
                code = self.features_code("codebook", name)
                found[codebook] = identity(self.codebook_spec(base, name), code, [found[read[0]]])
            parts, code = self.described(base, name), self.features_code("describe", name)
            for part, described in enumerate(parts):
                spec = self.describe_spec(base, name, str(part))
                found[described] = identity(spec, code, [found[each] for each in read])
            found[path] = identity("", self.step_code("features"), [found[part] for part in parts])
        return found

    def files(self) -> set[str]:
        """Return all files of results that the studies ask for, those of their replications included."""
        found = {layout.LAST_RUN}
        for study in self.studies:
            found.update(self.shown(study), self.replication_records(study), [layout.REPLICATIONS.format(study=study)])
            for dataset in self.datasets(study):
                found.update(self.inputs(study, dataset))
        return found

    def stale(self) -> list[str]:
        """Return the files that are there, and were made from something else than they have to be made from."""
        asked: dict[str, str] = {}
        for study in self.studies:
            for dataset in self.datasets(study):
                asked |= self.inputs(study, dataset)
        for study, dataset, task in self.runs():
            record = layout.RECORD.format(study=study, dataset=dataset, task=task)
            if Path(record).is_file():
                asked[record] = self.identity(study, dataset, task)
        return [path for path in asked if Path(path).is_file() and identity_of(Path(path)) != asked[path]]

    def age(self) -> None:
        """Make Snakemake make again what is stale and of which it has no notes, and a report that lacks pages.

        Snakemake compares settings and code with its notes, which may be lost, and else times: such files get the
        oldest there is.
        """
        notes = Path(".snakemake/metadata")  # a file each, named after the path
        stale = [path for path in self.stale() if not (notes / urlsafe_b64encode(path.encode()).decode()).is_file()]
        if Path(layout.REPORT).is_file() and not intact(Path(layout.REPORT).parent):
            stale.append(layout.REPORT)
        for path in stale:
            os.utime(path, (1, 1))  # snakemake takes 0 for no time at all

    def identities(self, study: str) -> str:
        """Return those of all records of a study in their order, separated by blanks."""
        runs = [(dataset, task) for dataset in self.datasets(study) for task in self.tasks(study, dataset)]
        return " ".join(self.identity(study, *run) for run in runs)

    def blocks(self, study: str, dataset: str, task: str) -> list[str]:
        """Return the blocks of repeats that a long run is split into, FIRST-LAST; none for a run that is not split."""
        whole, limit = self.repeats(study), self.project.limits.block_seconds
        if not self.studies[study].protocol.separable:
            return []
        longest = whole
        while longest > 1 and self.expected_seconds(study, dataset, task, f"1-{longest}") > limit:
            longest -= 1
        count = math.ceil(whole / longest)
        return [f"{b * whole // count}-{(b + 1) * whole // count - 1}" for b in range(count)] if count > 1 else []

    def replicated(self, study: str) -> list[tuple[str, str]]:
        """Return the data sets and entries of a study whose runs are made again in replications."""
        again = self.studies[study].replications
        return [
            (dataset, task)
            for dataset in self.datasets(study)
            for task in self.tasks(study, dataset)
            if again and task in again.entries(dataset)
        ]

    def replications(self, study: str, dataset: str, task: str) -> list[str]:
        """Return the blocks of the repeats that come after a run's own, whole replications each.

        There are as many as the study asks for, or as its budget is expected to allow, but one at least.
        """
        again, whole = self.studies[study].replications, self.repeats(study)
        if again is None:
            return []
        cost = self.expected_seconds(study, dataset, task) - START
        count = max(1, min(again.count - 1, int(again.seconds / cost)))
        blocks = math.ceil(count / max(1, int(self.project.limits.block_seconds / cost)))
        ends = [whole * (1 + b * count // blocks) for b in range(blocks + 1)]
        return [f"{first}-{last - 1}" for first, last in itertools.pairwise(ends)]

    def replication_records(self, study: str) -> list[str]:
        """Return the record files of a study's replications, after those of the runs that they are replications of."""
        cells = self.replicated(study)
        own = [layout.RECORD.format(study=study, dataset=dataset, task=task) for dataset, task in cells]
        return own + [
            layout.REPLICATION.format(study=study, dataset=dataset, task=task, block=block)
            for dataset, task in cells
            for block in self.replications(study, dataset, task)
        ]

    def repeats(self, study: str) -> int:
        """Return the number of repeats of a study's runs; of a nested one, of its parts."""
        return self.studies[study].protocol.repeats

    def runs(self) -> list[tuple[str, str, str]]:
        """Return every run of the project: study, data set and task."""
        return [
            (study, dataset, task)
            for study in self.studies
            for dataset in self.datasets(study)
            for task in self.tasks(study, dataset)
        ]

    def split_runs(self) -> list[str]:
        """Return the runs that are split, STUDY/DATASET/TASK."""
        return ["/".join(run) for run in self.runs() if self.blocks(*run)]

    def block_records(self, run: str) -> list[str]:
        """Return the record files of the blocks of a run that is split, STUDY/DATASET/TASK."""
        study, dataset, task = run.split("/", 2)
        return [
            layout.BLOCK.format(study=study, dataset=dataset, task=task, block=block)
            for block in self.blocks(study, dataset, task)
        ]

    def grams(self, study: str, dataset: str) -> list[str]:
        """Return the Gram files of a data set in the order of the study's kernels.

        Other studies than online ones have none: they make Gram matrices inside a run, from its training examples.
        """
        if not self.studies[study].protocol.stored:
            return []
        return [layout.GRAM.format(dataset=dataset, kernel=kernel.name) for kernel in self.studies[study].kernel_list()]

    def kernels_from(self, study: str, dataset: str) -> list[str]:
        """Return the files that the kernels of a run are made from beside the prepared data set."""
        return self.features(study, dataset) or self.grams(study, dataset)

    def features(self, study: str, dataset: str) -> list[str]:
        """Return the files that describe the images of a data set as a study's kernels need them; none of vectors."""
        base = self.dataset(dataset).base
        if not self.dataset(dataset).descriptors or not base:
            return []
        views = dict.fromkeys(kernel.view for kernel in self.studies[study].kernel_list())
        descriptors = dict.fromkeys(features.descriptor(view) for view in views)
        return [layout.FEATURES.format(base=base, descriptor=name) for name in descriptors]

    def described(self, base: str, descriptor: str) -> list[str]:
        """Return the parts of which the file of a descriptor is put together."""
        parts = self.configuration.images(base).parts
        return [layout.DESCRIBED.format(base=base, descriptor=descriptor, part=part) for part in range(parts)]

    def described_from(self, base: str, descriptor: str) -> list[str]:
        """Return what a descriptor is computed from: the images, and its words where it has some."""
        codebook = [layout.CODEBOOK.format(base=base, descriptor=descriptor)] if features.has_words(descriptor) else []
        return [layout.IMAGES.format(base=base), *codebook]

    def prepared(self, study: str) -> list[str]:
        """Return the prepared files of a study's data sets."""
        return [layout.PREPARED.format(dataset=dataset) for dataset in self.datasets(study)]

    def raw(self, dataset: str) -> str:
        """Return the note of the fetch that brings a data set's files."""
        return layout.RAW.format(dataset=self.dataset(dataset).folder)

    def published(self, study: str) -> list[str]:
        """Return the files with the numbers that a study's paper prints."""
        files = self.studies[study].published
        return [str(self.configuration.path(f"published/{name}")) for name in files.files()] if files else []

    def judged(self, study: str) -> list[str]:
        """Return the metrics of a study of which published numbers are judged by replications."""
        published = self.studies[study].published
        return list(published.margins) if published else []

    def shipped(self, study: str) -> list[str]:
        """Return the table of a study's replications, where there is one."""
        path = self.configuration.path(f"replications/{study}.csv")
        return [str(path)] if self.studies[study].replications and path.is_file() else []

    def chances(self) -> str:
        """Return the table of what the papers' own numbers say to the claims of all studies."""
        return str(shipped.located(layout.CHANCES))

    def shown(self, study: str) -> list[str]:
        """Return everything of a study that the report shows or offers."""
        plan = self.studies[study]
        patterns = (layout.RUNS, layout.CURVES, layout.CELLS, layout.SUMMARY, layout.REPRODUCTION, layout.CLAIMS)
        named = [pattern.format(study=study) for pattern in patterns]
        tables = [
            layout.TABLE.format(study=study, table=table, suffix=suffix)
            for table, suffix in itertools.product(plan.tables, ("csv", "md", "tex"))
        ]
        figures = [
            layout.FIGURE.format(study=study, figure=figure, suffix=suffix)
            for figure, suffix in itertools.product(plan.figures, ("svg", "png"))
        ]
        return [*named, *tables, *figures, *self.prepared(study), *self.records(study)]

    # what a file depends on

    @cache  # noqa: B019  (one plan a process)
    def dataset(self, name: str) -> Dataset:
        """Return a data set's description."""
        return self.configuration.dataset(name)

    def fetch_spec(self, dataset: str) -> str:
        """Return the settings of rule `fetch`, of a data set or of a base, without prose.

        What was delivered stays: which mirrors and kinds of sources may be used counts only where nothing was, where
        the description is another, or where a more faithful source may answer now.
        """
        wanted, described = self.fetch_settings(dataset), self.configuration.description(dataset)
        before, index = _delivered(Path(layout.RAW.format(dataset=described.folder)))
        if before.get("dataset") == wanted["dataset"] and not self._more_faithful(described, before, index):
            wanted = before
        return fingerprint.spec(wanted)

    def _more_faithful(self, described: Described, before: dict[str, Any], index: int) -> bool:
        """Return whether a source that comes before the one that delivered may answer now, and is worth it.

        It may where a mirror has its files, or where its kind is allowed and was not when the data were fetched. It is
        worth it where what was delivered lacks something that it has.
        """
        delivered, found = described.sources[index], False
        for source in described.sources[:index]:
            if described.lacks(source) != described.lacks(delivered):
                found |= source.kind in self.project.sources and source.kind not in before.get("kinds", [])
                found |= any(_has(mirror, source) for mirror in self.project.mirror_folders)
        return found

    def fetch_settings(self, dataset: str) -> dict[str, Any]:
        """Return the settings of a fetch as they stand in the configuration now."""
        mirrors = list(map(str, self.project.mirror_folders))
        plain = _plain(self.configuration.description(dataset))
        return {"dataset": plain, "mirrors": mirrors, "kinds": self.project.sources}

    def own_files(self, dataset: str) -> list[str]:
        """Return the files of one's own that a data set may be fetched from, those that are there."""
        description = self.configuration.description(dataset)
        paths = [file.path for source in description.sources if isinstance(source, Own) for file in source.files]
        return [path for path in paths if Path(path).is_file()]

    def prepare_spec(self, dataset: str) -> str:
        """Return the settings of rule `prepare`: a description, its prose blanked so that a citation reruns nothing."""
        return fingerprint.spec({"dataset": self.dataset(dataset).model_dump(mode="json") | dict.fromkeys(PROSE, "")})

    def images_spec(self, base: str) -> str:
        """Return the settings of rule `images`: a base without prose, and the groups of words of its tasks."""
        readers = [self.dataset(task).sources[0].reader for task in self.configuration.tasks(base)]
        tasks = [reader.groups() for reader in readers]
        return fingerprint.spec({"base": _plain(self.configuration.images(base)), "tasks": tasks})

    def codebook_spec(self, base: str, descriptor: str) -> str:
        """Return the settings of rule `codebook`."""
        return fingerprint.spec(self._descriptor(base, descriptor) | {"seed": self.project.seed})

    def describe_spec(self, base: str, descriptor: str, part: str) -> str:
        """Return the settings of rule `describe`."""
        parts = self.configuration.images(base).parts
        return fingerprint.spec(self._descriptor(base, descriptor) | {"part": int(part), "parts": parts})

    def _descriptor(self, base: str, descriptor: str) -> dict[str, Any]:
        settings = self.configuration.images(base).descriptors[descriptor]
        return {"descriptor": descriptor, "settings": features.resolved(descriptor, settings)}

    def features_code(self, step: str, descriptor: str) -> str:
        """Return the code hash of a step that computes a descriptor."""
        return fingerprint.code(f"grambench.pipeline.steps.{step}", features.module(descriptor))

    def gram_spec(self, kernel: str) -> str:
        """Return the settings of rule `gram`."""
        parsed = Kernel.parse(kernel)
        return fingerprint.spec({"family": parsed.family, "parameter": parsed.parameter})

    def run_spec(self, study: str, dataset: str, task: str, block: str | None = None) -> str:
        """Return the settings of a run or of a block of it, which the experiment and the record get as they are.

        They hold the study, the data set and the entry (`algorithm`); the `experiment`, a module of
        grambench.experiments; the entry's algorithm in the registry (`file`) and all its parameters, defaults included,
        at each of P `points`; the sweep, empty for a plain run, and its `values`; the protocol, the kernels and the
        seed. Sweeps that scale kernels or profile a search have one point. For the former the values are factors,
        `scaled` says whether they multiply all kernels or one, and `reference` holds the file and the parameters of the
        entry to compare with; of a sweep over a `size`, that says of what. Where there are such, the study adds its
        `dictionary` with the grid, the entry what it tunes and the algorithm that learns `then`, the data set its
        `classes`, and a block the numbers of its first and last repeat.
        """
        plan = self.studies[study]
        entry, sweep = _parsed(plan, task)
        settings = {
            "study": study,
            "dataset": dataset,
            "algorithm": entry,
            "experiment": _experiment(plan, sweep),
            "file": plan.file(entry),
            "points": [algorithms.resolved(plan.file(entry), point) for point in _points(plan, entry, sweep)],
            "sweep": task.partition("/")[2],
            "values": sweep.values if sweep else [],
            "protocol": plan.protocol.model_dump(mode="json"),
            "kernels": [kernel.name for kernel in plan.kernel_list()],
            "seed": self.project.seed,
        }
        if sweep and sweep.kind == "scaling":
            reference = sweep.references.get(entry, entry)
            (point,) = _points(plan, reference, sweep)
            parameters = algorithms.resolved(plan.file(reference), point)
            settings["scaled"] = sweep.scaled
            settings["reference"] = {"file": plan.file(reference), "parameters": parameters}
        if sweep and sweep.kind == "size":
            settings["size"] = sweep.of
        if tune := plan.algorithms[entry].tune:
            settings["tune"] = tune.model_dump(mode="json")
        if then := plan.algorithms[entry].then:
            settings["then"] = then
        if classes := self.dataset(dataset).classes:
            settings["classes"] = classes
        if plan.dictionary:
            settings["dictionary"] = plan.dictionary.model_dump(mode="json") | {"grid": plan.dictionary.grid()}
        if block:
            settings["block"] = _ends(block)
        return fingerprint.spec(settings)

    def step_code(self, step: str) -> str:
        """Return the code hash of a step, and of the half of it that another process does."""
        halves = [step, "evaluate"] if step == "gram" else [step]
        return fingerprint.code(*(f"grambench.pipeline.steps.{half}" for half in halves))

    def run_code(self, study: str, task: str) -> str:
        """Return the code hash of rule `run`: of the experiment, the algorithm and the one that it is compared with."""
        plan = self.studies[study]
        entry, sweep = _parsed(plan, task)
        entries = {entry, sweep.references.get(entry, entry)} if sweep and sweep.kind == "scaling" else {entry}
        thens = [then for each in entries if (then := plan.algorithms[each].then)]
        modules = sorted({algorithms.module(name) for name in [*map(plan.file, entries), *thens]})
        if plan.dictionary:
            modules.append(continuous.module(plan.dictionary.family))
        modules.append(experiments.module(_experiment(plan, sweep)))
        return fingerprint.code("grambench.pipeline.steps.run", "grambench.pipeline.steps.fit", *modules)

    def refuse_future(self) -> None:
        """Raise DataError where a file is from the future: what Snakemake makes from it would be older and fail."""
        folders = (layout.RESULTS, Path(layout.RAW).parents[1], self.configuration.folder)
        paths = [path for folder in folders for path in folder.rglob("[!.]*") if path.is_file()]
        own = (self.own_files(name) for study in self.studies for name in self.datasets(study))
        paths += map(Path, itertools.chain(*own))
        newest = max(paths, key=lambda path: path.stat().st_mtime)
        ahead = newest.stat().st_mtime - time.time()
        if ahead > SKEW:
            raise DataError(
                f"{newest}: expected a past time, got one {ahead / 86400:.3g} days ahead; set the clock right, "
                "or give such files the time of now: find -L . -newermt now -exec touch -d now {} +"
            )

    def use_compiled_code(self) -> None:
        """Make jobs share a folder of compiled code; one for each state of all algorithms, which share what they call.

        It is no param of a rule, since it changes with every algorithm.
        """
        studied = {study.file(entry) for study in self.studies.values() for entry in study.algorithms}
        modules = sorted({algorithms.module(name) for name in {*algorithms.names(), *studied}})
        # not of files by path, whose edits numba sees itself, nor of what a package offers and has not
        compiled.use(fingerprint.code(*[each for each in modules if each[-3:] != ".py" and fingerprint.source(each)]))

    def claims_code(self, study: str) -> str:
        """Return the code hash of rule `claims`, with the module of the study's claims where there is one."""
        module = f"grambench.claims.{study}"
        return fingerprint.code("grambench.pipeline.steps.claims", *([module] if fingerprint.source(module) else []))

    def table_code(self, study: str, table: str) -> str:
        """Return the code hash of rule `table`, with the module of the table's kind."""
        kind = self.studies[study].tables[table].kind
        return fingerprint.code("grambench.pipeline.steps.tables", f"grambench.report.tables.{kind}")

    def figure_code(self, study: str, figure: str) -> str:
        """Return the code hash of rule `figure`, with the module of the figure's kind."""
        kind = self.studies[study].figures[figure].kind
        return fingerprint.code("grambench.pipeline.steps.figures", f"grambench.report.figures.{kind}")

    def study_spec(self, study: str) -> str:
        """Return the settings of the rules that look at a study as a whole."""
        return fingerprint.spec(self._settings(study))

    def report_spec(self, earlier: Mapping[str, "Plan"]) -> str:
        """Return the settings of rule `report`: every study as asked for, and whole; what is said of the data sets.

        Studies of earlier runs, each with its plan, are shown beside those of this one, from the files that are there.
        """
        prose = ("title", "licence", "citation", "url", "n", "d")
        plans = dict.fromkeys(self.studies, self) | dict(earlier)
        named = dict.fromkeys(name for study, plan in plans.items() for name in plan.datasets(study))
        return fingerprint.spec(
            {
                "title": self.project.title,
                "order": list(plans),
                "studies": {study: plan._settings(study) for study, plan in plans.items()},
                "whole": {study: plan.studies[study].model_dump(mode="json") for study, plan in plans.items()},
                "datasets": {name: self.dataset(name).model_dump(mode="json", include=set(prose)) for name in named},
                "earlier": {study: bool(plan.stale()) for study, plan in earlier.items()},
                "files": [path for study, plan in earlier.items() for path in plan.shown(study)],
            }
        )

    def explained(self) -> list[str]:
        """Return the page on what does not come out, where there is one."""
        path = shipped.located(layout.NOTES)
        return [str(path)] if path.is_file() else []

    def prose(self) -> str:
        """Return what the report takes from elsewhere than settings and code: algorithms' docstrings, its layout."""
        used = sorted({study.file(entry) for study in self.studies.values() for entry in study.algorithms})
        texts = [algorithms.prose(name) for name in used]
        return hashlib.sha256("\0".join([looks.checksum(), *texts]).encode()).hexdigest()[:16]

    def _settings(self, study: str) -> dict[str, Any]:
        return self.studies[study].model_dump(mode="json") | {"datasets": self.datasets(study)}

    def titles(self) -> str:
        """Return the titles of all algorithms in use, which stand in their files and not among the settings."""
        used = {study.file(entry) for study in self.studies.values() for entry in study.algorithms}
        return fingerprint.spec({name: algorithms.title(name) for name in used})

    def dataset_titles(self, study: str) -> str:
        """Return the titles of a study's data sets, which stand in their files and not among the settings."""
        return fingerprint.spec({name: self.dataset(name).title for name in self.datasets(study)})

    # resources, which only a cluster heeds

    def gram_mb(self, dataset: str) -> int:
        """Return the size of one Gram matrix of a data set in MiB."""
        return 8 * self.dataset(dataset).least() ** 2 // 2**20 + 1

    def matrix_mb(self, dataset: str, attempt: int) -> int:
        """Return the memory that rule `gram` may take in MiB, two mapped matrices included; see `run_mb`."""
        mapped = 2 * self.gram_mb(dataset)
        return attempt * (800 + mapped) + (self.project.limits.memory_mb if attempt >= LAST else 0)

    def matrix_minutes(self, attempt: int) -> int:
        """Return the minutes that rule `gram` may take: a few, and last the limit of a run."""
        return 2 * attempt if attempt < LAST else math.ceil(self.project.limits.seconds / 60) + 5

    def run_mb(self, study: str, dataset: str, attempt: int) -> int:
        """Return the memory that a run may take in MiB, mapped Gram matrices included, which SLURM counts too.

        Beside them, first what runs of its kind and the two Snakemakes of a job were measured to take, then twice that,
        last the limit of a run: then it is the run's own supervisor that ends it, and a record says so.
        """
        plan = self.studies[study]
        grams = len(plan.kernel_list()) * self.gram_mb(dataset)
        mapped = grams if plan.protocol.stored else 0
        copies = 0 if self.dataset(dataset).blocks else plan.protocol.copies  # of pixels, none is held
        if attempt >= LAST:
            return mapped + 500 + self.project.limits.memory_mb
        return mapped + attempt * (1100 + copies * grams)

    def run_seconds(self, study: str, block: str | None = None) -> float:
        """Return the seconds that a run of a study may take; of a study's own budget, a block has its share."""
        whole, budget = self.project.limits.seconds, self.studies[study].seconds
        if not budget:
            return whole
        first, last = _ends(block) if block else (0, self.repeats(study) - 1)
        return min(whole, budget * (last - first + 1) / self.repeats(study))

    def run_minutes(self, study: str, dataset: str, task: str, attempt: int, block: str | None = None) -> int:
        """Return the minutes that a run may take: a few times those expected, more, and last the limit of a run."""
        if attempt >= LAST:
            return math.ceil(self.run_seconds(study) / 60) + 5
        return 1 + math.ceil(attempt**2 * 4 * self.expected_seconds(study, dataset, task, block) / 60)

    def expected_seconds(self, study: str, dataset: str, task: str, block: str | None = None) -> float:
        """Return about how long a run, or a block of it, takes on one core.

        Long runs are known from measurements, `config/costs.csv`; others, and new ones, from a fit to measured runs,
        four times too little at worst: a pass over the examples, and the training of a machine, take time in proportion
        to the Gram matrices. A holdout run does its first point of a sweep in the first repeat twice.
        """
        plan = self.studies[study]
        sweep = _parsed(plan, task)[1]
        first, last = _ends(block) if block else (0, self.repeats(study) - 1)
        done = last - first + 1 + plan.protocol.repeated_first / (len(sweep.values) if sweep else 1)
        return START + done * (
            self.configuration.costs.get((study, dataset, task)) or self._guess(study, dataset, task)
        )

    def _guess(self, study: str, dataset: str, task: str) -> float:
        """Return about how long a repeat takes of which nothing is known."""
        plan = self.studies[study]
        entry, sweep = _parsed(plan, task)
        kernels, examples = len(plan.kernel_list()), self.dataset(dataset).least()
        points = len(sweep.values) if sweep else 1
        if tune := plan.algorithms[entry].tune:
            points *= len(tune.values) * (len(tune.C) or 1)
        return plan.protocol.guess(kernels, examples, points, sweep is not None)

    def group(self, study: str, dataset: str, task: str) -> str | None:
        """Return the group of a run that is too short to be a job of its own, None for others.

        It is that of the data set's Gram matrices, so that one job makes these and all short runs of all studies. Runs
        of several data sets, which have no rule in common, would each cost a start of Snakemake.
        """
        return "data" if self.expected_seconds(study, dataset, task) < 40 else None


def _delivered(note_path: Path) -> tuple[dict[str, Any], int]:
    """Return what a fetch that delivered was asked for, and the number of its source; nothing where there was none."""
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
    """Return what a description says but prose, and but what describes images: neither reruns a step of the data."""
    values = described.model_dump(mode="json", exclude={"descriptors", "parts"}) | dict.fromkeys(PROSE, "")
    return values | {"descriptors": {"none": {}}} if isinstance(described, Images) else values


def _ends(block: str) -> list[int]:
    """Return the numbers of the first and the last repeat of a block, from 0."""
    return [int(number) for number in block.split("-")]


def _parsed(study: Study, task: str) -> tuple[str, Sweep | None]:
    """Return the entry and the sweep of a task."""
    entry, _, name = task.partition("/")
    return entry, study.sweeps[name] if name else None


def _experiment(study: Study, sweep: Sweep | None) -> str:
    """Return the module of grambench.experiments that carries a task out."""
    return study.protocol.kind if sweep is None or sweep.kind in ("parameter", "size") else sweep.kind


def _points(study: Study, entry: str, sweep: Sweep | None) -> list[dict[str, Any]]:
    """Return the settings of an entry at each point of a plain run or a sweep."""
    base = study.algorithms[entry].parameters | (sweep.parameters if sweep else {})
    if sweep and sweep.kind == "size":
        return [base] * len(sweep.values)
    if sweep is None or sweep.kind != "parameter":
        return [base]
    return [base | {sweep.parameter: value} for value in sweep.values]


def _check(study: Study, file: str, dataset: Callable[[str], Dataset], faults: Faults) -> None:
    """Gather what is wrong with a study that its file alone does not tell: with its algorithms and its data sets."""
    parameters = {"C"}  # which a machine has too
    for entry in study.algorithms:
        with faults.at(f"{file}: algorithms.{entry}"):
            parameters.update(algorithms.fields(study.file(entry)))
            _check_algorithm(study, entry)
    faults.known(
        f"{file}: protocol", f"parameter of the algorithms of {study.name}", study.protocol.tuned(), sorted(parameters)
    )
    for name in study.datasets:
        with faults.at(f"{file}: datasets"):
            _check_dataset(study, dataset(name))


def _check_algorithm(study: Study, entry: str) -> None:
    """Raise ConfigError for an algorithm that does not exist or does not fit, or a parameter that it refuses."""
    name = study.file(entry)
    if algorithms.takes_many_classes(name) and study.protocol.kind != "classes":
        raise ConfigError(f"{name} learns from class numbers, which a study of kind classes alone has")
    sweeps = [None, *(sweep for sweep in study.sweeps.values() if entry in sweep.algorithms)]
    points = [point for sweep in sweeps for point in _points(study, entry, sweep)]
    known = algorithms.fields(name)
    for parameter, values in study.protocol.tuned().items():
        if parameter in known:
            points = [point | {parameter: value} for point in points for value in values]
    if tune := study.algorithms[entry].tune:
        points = [point | {tune.parameter: value} for point in points for value in tune.values]
        points += [point | {"C": C} for point in points for C in tune.C]
    for point in points:
        algorithms.resolved(name, point)
    if then := study.algorithms[entry].then:
        algorithms.resolved(then, {})


def _check_dataset(study: Study, dataset: Dataset) -> None:
    """Raise ConfigError where kernels are on views that a data set has not, or where its kind does not fit."""
    used = {kernel.view for kernel in study.kernel_list()}
    known = {view for name in dataset.descriptors or [] for view in features.views(name)} or dataset.views()
    if stray := sorted(used - known):
        has = "no views" if known == {""} else "the views " + ", ".join(sorted(known))
        raise ConfigError(f"a kernel is on view {stray[0]!r}, but data set {dataset.name} has {has}")
    kind, has = study.protocol.kind, f"{len(dataset.classes) or 2} classes"
    if dataset.classes and kind != "classes":
        raise ConfigError(f"{dataset.name} has {has}, which a study of kind classes alone takes")
    if kind == "classes" and not dataset.classes:
        raise ConfigError(f"{dataset.name} has {has}; studies of kind classes take tasks with `classes`")
    if dataset.descriptors and kind not in ("classes", "split"):
        raise ConfigError(f"{dataset.name} has images, which a study of kind {kind} does not take")
