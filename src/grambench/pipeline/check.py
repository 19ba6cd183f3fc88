"""Checks that need more than the file of a study: whether its algorithms and data sets exist and fit it."""

import itertools
from collections.abc import Callable, Mapping

from grambench import algorithms, features
from grambench.common.errors import ConfigError, Faults
from grambench.config.dataset import Dataset
from grambench.config.project import Configuration, Project
from grambench.config.study import Study
from grambench.pipeline.specifications import points_of


def check_studies(configuration: Configuration, project: Project, places: Mapping[str, str]) -> dict[str, Study]:
    """Return the studies of a project by name.

    Parameters
    ----------
    configuration : Configuration
        The configuration folder.
    project : Project
        config.yaml with all overrides.
    places : dict of str
        Where each key of the project was set, for the error messages.

    Raises
    ------
    ConfigError
        With one line for each fault of the project and its studies.
    """
    faults, known, found = Faults(), configuration.names("studies"), dict[str, Study]()
    for name in faults.known(places["studies"], "study", project.studies, known):
        with faults.at():
            found[name] = configuration.study(name)
            _check_study(found[name], str(configuration.file("studies", name)), configuration.dataset, faults)
    datasets = project.datasets or []
    for dataset in itertools.chain(*datasets.values()) if isinstance(datasets, dict) else datasets:
        with faults.at(places["datasets"]):
            configuration.dataset(dataset)
    if isinstance(datasets, dict):
        faults.known(places["datasets"], "study", datasets, known)
    entries, place = project.algorithms, places.get("algorithms", "")
    if isinstance(entries, dict):
        for name in faults.known(place, "study", entries, known):
            if name in found:
                faults.known(place, f"algorithm of {name}", entries[name], found[name].algorithms)
    elif found:
        existing = {entry for study in found.values() for entry in study.algorithms}
        faults.known(place, f"algorithm of {', '.join(found)}", entries, existing)
    faults.report()
    return found


def _check_study(study: Study, file: str, dataset: Callable[[str], Dataset], faults: Faults) -> None:
    """Gather the faults in the algorithms and the data sets of a study."""
    # an SVM trained on a learned kernel has a C too
    parameters = {"C"}
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
    sweeps = [None, *(sweep for sweep in study.sweeps.values() if entry in sweep.algorithms)]
    points = [point for sweep in sweeps for point in points_of(study, entry, sweep)]
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
    if algorithms.needs(name) == "family" and not study.dictionary:
        raise ConfigError(f"{name} learns from a continuous family of kernels; give the study a `dictionary`")


def _check_dataset(study: Study, dataset: Dataset) -> None:
    """Raise ConfigError where kernels are on views that a data set has not, or where its kind does not fit."""
    used = {kernel.view for kernel in study.kernel_list()}
    known = {view for name in dataset.descriptors or [] for view in features.views(name)} or dataset.views()
    if stray := sorted(used - known):
        has = "no views" if known == {""} else "the views " + ", ".join(sorted(known))
        raise ConfigError(f"a kernel is on view {stray[0]!r}, but data set {dataset.name} has {has}")
    if study.protocol.needs_official_split and not dataset.has_split:
        kind = study.protocol.kind
        raise ConfigError(f"{dataset.name} comes without a split into training and test part, which kind {kind} needs")
    profiled = any(sweep.kind == "profile" and dataset.name in sweep.datasets for sweep in study.sweeps.values())
    if profiled and dataset.classes:
        raise ConfigError(f"{dataset.name} has {len(dataset.classes)} classes; searches are profiled with two")
    if known == {""}:
        return
    if study.dictionary and not study.kernels:
        raise ConfigError(f"{dataset.name} has views; a study of a dictionary alone takes data sets of vectors")
    for entry in study.algorithms:
        if need := algorithms.needs(study.file(entry)):
            what = "feature vectors" if need == "features" else "a continuous family of kernels on vectors"
            raise ConfigError(f"{entry} learns from {what}, but data set {dataset.name} has views")
