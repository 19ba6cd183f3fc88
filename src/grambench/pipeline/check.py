"""Checks of studies with their algorithms and data sets: whether these exist and fit the study."""

import itertools
from collections.abc import Callable, Mapping, Sequence

from grambench import algorithms
from grambench.common.errors import ConfigError, Faults
from grambench.config.names import twice
from grambench.config.project import Configuration, Project
from grambench.config.protocols import Online
from grambench.config.study import Study
from grambench.datasets.descriptions import Dataset
from grambench.datasets.sources import Own
from grambench.kernels.functions import single_features
from grambench.kernels.labels import view_label
from grambench.pipeline.specifications import points_of
from grambench.pipeline.targets import kernels_of, view_names


def check_studies(configuration: Configuration, project: Project, origins: Mapping[str, str]) -> dict[str, Study]:
    """Return the studies of a project by name.

    Parameters
    ----------
    configuration : Configuration
        The configuration folder.
    project : Project
        config.yaml with all overrides.
    origins : dict of str
        Where each key of the project was set, for the error messages.

    Raises
    ------
    ConfigError
        With one line for each fault of the project and its studies.
    """
    faults, names, studies = Faults(), configuration.names("studies"), dict[str, Study]()
    for name in faults.known(origins["studies"], "study", project.studies, names):
        with faults.at():
            studies[name] = configuration.study(name)
            _check_study(studies[name], str(configuration.file("studies", name)), configuration.dataset, faults)
    datasets, descriptions = project.datasets or [], dict[str, Dataset]()
    for dataset in itertools.chain(*datasets.values()) if isinstance(datasets, dict) else datasets:
        with faults.at(origins["datasets"]):
            descriptions[dataset] = configuration.dataset(dataset)
    _add_datasets(studies, project, descriptions, faults, origins.get("datasets", ""))
    if isinstance(datasets, dict):
        faults.known(origins["datasets"], "study", datasets, names)
    entries, origin = project.algorithms, origins.get("algorithms", "")
    if isinstance(entries, dict):
        for name in faults.known(origin, "study", entries, names):
            if name in studies:
                faults.known(origin, f"algorithm of {name}", entries[name], studies[name].algorithms)
    elif studies:
        existing = {entry for study in studies.values() for entry in study.algorithms}
        faults.known(origin, f"algorithm of {', '.join(studies)}", entries, existing)
    faults.report()
    return studies


def _add_datasets(
    studies: dict[str, Study], project: Project, datasets: Mapping[str, Dataset], faults: Faults, origin: str
) -> None:
    """Add to studies that take any data set those that the project names and no study of the run lists."""
    selection = project.datasets or []
    listed = {name for study in studies.values() for name in study.datasets}
    for title, study in studies.items():
        if not study.takes_any_dataset:
            continue
        names, elsewhere = (selection.get(title, []), ()) if isinstance(selection, dict) else (selection, listed)
        more = [name for name in names if name in datasets and name not in (*study.datasets, *elsewhere)]
        taken = without_features(study, [name for name in more if datasets[name].stored_kernels], more)
        for name in more:
            with faults.at(f"{origin}: {title}"):
                check_dataset(taken, datasets[name])
                if lacking := study.protocol.lacking([name]):
                    raise ConfigError(lacking)
        added = taken.on({name: datasets[name] for name in more})
        studies[title] = added.model_copy(update={"datasets": [*study.datasets, *dict.fromkeys(more)]})


def without_features(study: Study, stored: Sequence[str], added: Sequence[str] = ()) -> Study:
    """Return a study that leaves out, on added data sets of stored kernels, entries that learn from something else."""
    others = [name for name in (*study.datasets, *added) if name not in stored]
    needing = [entry for entry in study.algorithms if stored and algorithms.needs(study.file(entry))]
    needing += [entry for entry in study.algorithms if stored and study.has_single_features(entry)]
    kept = {entry: study.algorithms[entry].datasets or others for entry in needing}
    changed = {entry: study.algorithms[entry].model_copy(update={"datasets": names}) for entry, names in kept.items()}
    return study.model_copy(update={"algorithms": study.algorithms | changed})


def _check_study(study: Study, file: str, dataset: Callable[[str], Dataset], faults: Faults) -> None:
    """Gather the faults in the algorithms and the data sets of a study."""
    # an SVM trained on a learned kernel has a C too
    parameters, titles = {"C"}, dict[str, str]()
    for entry in study.algorithms:
        faults.known(f"{file}: algorithms.{entry}", "data set", study.algorithms[entry].datasets, study.datasets)
        with faults.at(f"{file}: algorithms.{entry}"):
            parameters.update(algorithms.fields(study.file(entry)))
            _check_algorithm(study, entry)
            title = study.algorithms[entry].title or algorithms.title(study.file(entry))
            if (other := titles.setdefault(title, entry)) != entry:
                raise ConfigError(f"expected a title of its own, got {title!r} as of {other}; set its `title`")
    kind = f"parameter of the algorithms of {study.name}"
    faults.known(f"{file}: protocol", kind, study.protocol.tuned(), sorted(parameters))
    for name in study.datasets:
        with faults.at(f"{file}: datasets"):
            check_dataset(study, dataset(name))


def _check_algorithm(study: Study, entry: str) -> None:
    """Raise ConfigError for an algorithm that does not exist or does not fit, or a parameter that it refuses."""
    name = study.file(entry)
    sweeps = [None, *(sweep for sweep in study.sweeps.values() if entry in sweep.algorithms)]
    points = [point for sweep in sweeps for point in points_of(study, entry, sweep)]
    fields = algorithms.fields(name)
    for parameter, values in study.protocol.tuned().items():
        if parameter in fields:
            points = [point | {parameter: value} for point in points for value in values]
    if tune := study.algorithms[entry].tune:
        points = [point | candidate for point in points for candidate in tune.candidates()]
    # a file that cannot be imported is reported by its run
    for point in points if not algorithms.fault(name) else ():
        algorithms.parameters(name, point)
    if then := study.algorithms[entry].then:
        algorithms.resolved(then, {})
    if getattr(study.protocol, "center", False) or study.algorithms[entry].center:
        if not hasattr(study.protocol, "center"):
            raise ConfigError(f"center: a study of kind {study.protocol.kind} does not center kernels")
        if algorithms.needs(name):
            raise ConfigError(f"center: {name} does not learn from the study's kernels, which alone are centred")
    if study.algorithms[entry].approximation and not algorithms.learns_from_features(name):
        able = [other for other in algorithms.names("online") if algorithms.learns_from_features(other)]
        raise ConfigError(f"approximation: expected one of {', '.join(able)}, got {name}")
    if study.subsets and not algorithms.learns_from_sums(name):
        able = [other for other in algorithms.names("batch") if algorithms.learns_from_sums(other)]
        raise ConfigError(f"subsets: expected an algorithm that stores no kernels, {', '.join(able)}, got {name}")
    if algorithms.needs(name) == "family" and not study.dictionary:
        raise ConfigError(f"{name} learns from a continuous family of kernels; give the study a `dictionary`")


def unused_views(study: Study, dataset: Dataset) -> str:
    """Return that a study has no kernel on the views of a data set of one's own; empty if it has, or there are none."""
    is_own = any(isinstance(source, Own) for source in dataset.sources)
    if not (is_own and dataset.views) or any(kernel.view for kernel in kernels_of(study, dataset)):
        return ""
    where = f"{study.name} has its kernels on all columns of {dataset.name} and on none of its views"
    return f"{where}; `views: all` in `kernels` has them on each (docs/views.md)"


def check_dataset(study: Study, dataset: Dataset) -> None:
    """Raise ConfigError if a data set lacks a view that a kernel is on, or does not fit the protocol or algorithms."""
    has_vectors = not (dataset.descriptors or dataset.blocks or dataset.stored_kernels)
    views = {*view_names(dataset), *([""] if has_vectors else [])}
    used = {kernel.view for kernel in kernels_of(study, dataset)}
    if label := twice(map(view_label, used)):
        raise ConfigError(f"{dataset.name}: expected views that print differently, got two as {label!r}; rename one")
    if not used and study.kernels:
        raise ConfigError(f"{dataset.name} has no kernels: name it under `datasets` of a part of `kernels`")
    if unknown := sorted(used - views):
        has = "no views" if views == {""} else "the views " + ", ".join(sorted(views - {""}))
        remedy = "; expected `views: all` in `kernels`, as in leaderboard_views" if dataset.stored_kernels else ""
        raise ConfigError(f"a kernel is on view {unknown[0]!r}, but data set {dataset.name} has {has}{remedy}")
    for kernel in kernels_of(study, dataset):
        if kernel.base != "inner" and (dataset.stored_kernels or not kernel.view):
            stored = "stored kernels" if dataset.stored_kernels else "vectors without views"
            expected = f"expected functions of inner products or of Euclidean distances on {dataset.name}"
            raise ConfigError(f"{expected}, which has {stored}, got {kernel.name}")
    entries = {name: own for name, own in study.algorithms.items() if dataset.name in (own.datasets or [dataset.name])}
    for name in entries:
        if study.has_single_features(name) and not has_vectors:
            raise ConfigError(f"{name} has kernels on single features, and data set {dataset.name} has no vectors")
        if study.has_single_features(name) and (taken := single_features(dataset.d).keys() & dataset.views):
            named = f"a view of {dataset.name} is named {min(taken)}"
            raise ConfigError(f"{name} has kernels on single features, and {named}")
    if study.protocol.needs_official_split and not dataset.has_split:
        kind = study.protocol.kind
        raise ConfigError(
            f"{dataset.name} has no official split into training and test examples, which kind {kind} needs"
        )
    if dataset.imputed and isinstance(study.protocol, Online):
        raise ConfigError(f"{dataset.name} has missing values to impute; expected a protocol with splits, got online")
    if dataset.kind == "stream":
        if not isinstance(study.protocol, Online) or study.protocol.stored:
            raise ConfigError(f"{dataset.name} is a stream; expected a study of kind online with `stored: false`")
        for name, entry in entries.items():
            if not entry.approximation:
                raise ConfigError(f"{dataset.name} is a stream; expected an approximation of {name}")
    profiled = any(sweep.kind == "profile" and dataset.name in sweep.datasets for sweep in study.sweeps.values())
    if profiled and dataset.classes:
        raise ConfigError(f"{dataset.name} has {len(dataset.classes)} classes; a profile sweep needs two")
    if "" in views:
        if study.subsets and dataset.d:
            try:
                study.subsets.check(dataset.d)
            except ValueError as error:
                raise ConfigError(f"{dataset.name}: subsets: {error}") from None
        return
    for name, entry in entries.items():
        if entry.approximation:
            raise ConfigError(f"approximation: {name} takes vectors and groups of their columns, not {dataset.name}")
    if not study.kernels:
        raise ConfigError(f"{dataset.name} has views; a study of a dictionary or subsets takes data sets of vectors")
    for name in entries:
        if need := algorithms.needs(study.file(name)):
            inputs = "feature vectors" if need == "features" else "a continuous family of kernels on vectors"
            has = "stored kernels" if dataset.stored_kernels else "views"
            remedy = f"; list other data sets under `datasets` of {name}"
            raise ConfigError(f"{name} learns from {inputs}, but data set {dataset.name} has {has}{remedy}")
