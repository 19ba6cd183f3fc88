"""The runs and files that a configuration asks for, by the names that Snakemake's wildcards have."""

import itertools
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from grambench import features
from grambench.common import layout, shipped
from grambench.common.layout import Cell
from grambench.config.project import Configuration, Project, restricted
from grambench.config.shown import ViewSweep
from grambench.config.study import Study
from grambench.datasets.descriptions import Dataset
from grambench.datasets.sources import Own
from grambench.kernels.functions import Kernel

# images from which on a job for their distances takes less time than the runs that share them save
SHARED = 500


def view_names(dataset: Dataset) -> list[str]:
    """Return the views of a data set on which kernels can be computed; "" stands for all features of vectors."""
    described = [view for name in dataset.descriptors or [] for view in features.views(name)]
    return described or dataset.view_names()


def kernels_of(study: Study, dataset: Dataset, pool: str | None = None) -> list[Kernel]:
    """Return the base kernels of a study on a data set, or those of one of its further pools.

    On a view with a stored kernel, it is this kernel as it is.
    """
    kernels = study.kernel_list(view_names(dataset), dataset.name, pool, dataset.d)
    if not dataset.stored_kernels:
        return kernels
    return [Kernel("polynomial", 1.0, view) for view in dict.fromkeys(kernel.view for kernel in kernels)]


class Targets:
    """The runs and files of the studies of a project.

    Parameters
    ----------
    configuration : Configuration
        The configuration folder.
    project : Project
        config.yaml with all overrides.
    studies : dict of Study
        The studies to run, by name.
    """

    def __init__(self, configuration: Configuration, project: Project, studies: Mapping[str, Study]) -> None:
        self.configuration = configuration
        self.project = project
        self.studies = studies

    def datasets(self, study: str) -> list[str]:
        """Return the data sets of a study that the project asks for."""
        return restricted(study, self.studies[study].datasets, self.project.datasets)

    def algorithms(self, study: str) -> list[str]:
        """Return the configurations of algorithms of a study that the project asks for."""
        return restricted(study, self.studies[study].algorithms, self.project.algorithms)

    def cells(self, study: str = "") -> list[Cell]:
        """Return the runs of a study, or of all studies: on each data set the plain runs, then those of sweeps."""
        cells = []
        for name in [study] if study else self.studies:
            chosen, algorithms = self.studies[name].algorithms, self.algorithms(name)
            for dataset in self.datasets(name):
                entries = [entry for entry in algorithms if dataset in (chosen[entry].datasets or [dataset])]
                cells += [Cell(name, dataset, entry) for entry in entries]
                for title, sweep in self.studies[name].sweeps.items():
                    if dataset in sweep.datasets or (sweep.kind == "view" and self._covers(sweep, name, dataset)):
                        cells += [Cell(name, dataset, entry, title) for entry in sweep.algorithms if entry in entries]
        return cells

    def _covers(self, sweep: ViewSweep, study: str, dataset: str) -> bool:
        """Return whether a sweep over views is run on a data set, which needs several of them."""
        return not sweep.datasets and len({kernel.view for kernel in self.kernels(study, dataset)}) > 1

    def algorithm_names(self) -> set[str]:
        """Return the algorithms of all studies, by their names in `grambench.algorithms`."""
        return {study.file(entry) for study in self.studies.values() for entry in study.algorithms}

    def replicated(self, study: str) -> list[Cell]:
        """Return the runs of a study that have replications."""
        replications = self.studies[study].replications
        if not replications:
            return []
        cells = (cell for cell in self.cells(study) if not cell.sweep)
        return [cell for cell in cells if cell.algorithm in replications.entries(cell.dataset)]

    def records(self, study: str) -> list[str]:
        """Return the record files of a study."""
        return [cell.path() for cell in self.cells(study)]

    @cache  # noqa: B019  (one plan a process)
    def dataset(self, name: str) -> Dataset:
        """Return the description of a data set."""
        return self.configuration.dataset(name)

    def grams(self, study: str, dataset: str) -> list[str]:
        """Return the Gram files of a data set in the order of the study's kernels.

        There are none if the protocol computes Gram matrices inside a run, or if the kernels are on views of examples.
        """
        kernels = self.kernels(study, dataset)
        if not self.studies[study].protocol.stored or any(kernel.view for kernel in kernels):
            return []
        return [layout.GRAM.format(dataset=dataset, kernel=kernel.name) for kernel in kernels]

    @cache  # noqa: B019
    def kernels(self, study: str, dataset: str, entry: str = "") -> list[Kernel]:
        """Return the base kernels of a study, or of one of its entries, on a data set, as the algorithms see them."""
        pool = self.studies[study].algorithms[entry].pool if entry else None
        return kernels_of(self.studies[study], self.dataset(dataset), pool)

    def kernels_from(self, study: str, dataset: str) -> list[str]:
        """Return the files that kernels come from: features and pairs of images, or Gram matrices."""
        return [*self.features(study, dataset), *self.pairs(study, dataset)] or self.grams(study, dataset)

    def upstream(self, study: str, dataset: str) -> list[str]:
        """Return all files that the runs of a study on a data set are made from, inputs before what is made of them."""
        paths = [layout.PREPARED.format(dataset=dataset)]
        if grams := self.grams(study, dataset):
            paths += [layout.INNER.format(dataset=dataset), *grams]
        base = str(self.dataset(dataset).base)
        for path in self.features(study, dataset):
            paths += [layout.IMAGES.format(base=base), *self.codebook(base, Path(path).stem), path]
        return [*dict.fromkeys(paths), *self.pairs(study, dataset)]

    @cache  # noqa: B019
    def features(self, study: str, dataset: str) -> list[str]:
        """Return the files of the descriptors that a study's kernels use; none for data sets of vectors."""
        base = self.dataset(dataset).base
        if not self.dataset(dataset).descriptors or not base:
            return []
        views = dict.fromkeys(kernel.view for kernel in self.kernels(study, dataset))
        descriptors = dict.fromkeys(features.descriptor(view) for view in views)
        return [layout.FEATURES.format(base=base, descriptor=name) for name in descriptors]

    def pairs(self, study: str, dataset: str) -> list[str]:
        """Return the file of the distances among all images of a data set; none if runs compute what they need.

        Protocols that charge an algorithm with the values that it asks for do not share them.
        """
        shared = self.studies[study].protocol.shares_pairs and self.dataset(dataset).least() >= SHARED
        return [layout.PAIRS.format(study=study, dataset=dataset)] if shared and self.features(study, dataset) else []

    def described(self, base: str, descriptor: str) -> list[str]:
        """Return the files of the parts of a descriptor's file."""
        parts = self.configuration.images(base).parts
        return [layout.DESCRIBED.format(base=base, descriptor=descriptor, part=part) for part in range(parts)]

    def codebook(self, base: str, descriptor: str) -> list[str]:
        """Return the file of the words of a descriptor, if it has words."""
        return [layout.CODEBOOK.format(base=base, descriptor=descriptor)] if features.has_words(descriptor) else []

    def prepared(self, study: str) -> list[str]:
        """Return the prepared files of a study's data sets."""
        return [layout.PREPARED.format(dataset=dataset) for dataset in self.datasets(study)]

    def raw(self, dataset: str) -> str:
        """Return the note of the fetch that brings a data set's files."""
        return layout.RAW.format(dataset=self.dataset(dataset).folder)

    def own_files(self, dataset: str) -> list[str]:
        """Return the existing files of the user that a data set may be fetched from."""
        description = self.configuration.description(dataset)
        paths = [file.path for source in description.sources if isinstance(source, Own) for file in source.files]
        return [path for path in paths if Path(path).is_file()]

    def published(self, study: str) -> list[str]:
        """Return the files with the published numbers of a study."""
        files = self.studies[study].published
        return [str(self.configuration.path(f"published/{name}")) for name in files.files()] if files else []

    def shipped(self, study: str) -> list[str]:
        """Return the shipped table of a study's replications, if there is one."""
        path = self.configuration.path(f"replications/{study}.csv")
        return [str(path)] if self.studies[study].replications and path.is_file() else []

    def chances(self) -> str:
        """Return the shipped table of claims evaluated on the published numbers of all studies."""
        return str(shipped.located(layout.CHANCES))

    def explained(self) -> list[str]:
        """Return the pages on the papers, if there are any."""
        return [str(path) for path in sorted(shipped.located(layout.NOTES).glob("*.md"))]

    def shown(self, study: str) -> list[str]:
        """Return all files of a study that the report shows or offers."""
        patterns = (layout.RUNS, layout.CURVES, layout.CELLS, layout.SUMMARY, layout.REPRODUCTION, layout.CLAIMS)
        paths = [pattern.format(study=study) for pattern in patterns]
        for table, suffix in itertools.product(self.studies[study].tables, layout.TABLE_SUFFIXES):
            paths.append(layout.TABLE.format(study=study, table=table, suffix=suffix))
        for figure, suffix in itertools.product(self.studies[study].figures, layout.FIGURE_SUFFIXES):
            paths.append(layout.FIGURE.format(study=study, figure=figure, suffix=suffix))
        return [*paths, *self.prepared(study), *self.records(study)]
