"""`grambench list`: the data sets, kernels, algorithms, metrics and studies."""

import argparse
import dataclasses
import json
import os
from contextlib import suppress
from importlib.util import find_spec
from textwrap import fill
from typing import TYPE_CHECKING

from grambench.commands.project import CONFIG, SETTINGS, configuration
from grambench.common.counts import counted
from grambench.common.docstrings import attributes
from grambench.common.errors import ConfigError, reason

if TYPE_CHECKING:
    from grambench.config.study import Study
    from grambench.datasets.descriptions import Dataset


def _list_datasets(study: str = "") -> None:
    """Print a line for each data set, of a study if one is named."""
    from grambench.datasets.descriptions import BaseDataset, Dataset, Images

    folder = configuration()
    for name in _read_study(study).datasets if study else folder.names("datasets"):
        dataset = folder.description(name)
        kinds = ", ".join(dict.fromkeys(source.kind for source in dataset.sources))
        if isinstance(dataset, Images):
            labels = " " * 14 + "-"
        elif isinstance(dataset, BaseDataset) or dataset.classes:
            count = dataset.classes if isinstance(dataset, BaseDataset) else len(dataset.classes)
            labels = f"{count:6} classes "
        else:
            labels = f"{dataset.positives:6} positive"
        size = f"x {dataset.d:<7}" if dataset.d else "kernels  " if dataset.stored_kernels else "images   "
        views = _views(dataset) if isinstance(dataset, Dataset) else ""
        print(f"{name:23} {dataset.n:6} {size} {labels}   {kinds}{views}")


def _views(dataset: "Dataset") -> str:
    """Return how many views a data set has and what they are, as the end of a line; empty for a single vector."""
    views = dataset.descriptors or dataset.view_names()
    what = "sources" if dataset.views_are == "sources" else "groups of columns"
    return f"; {len(views)} {what}" if len(views) > 1 else ""


def _list_kernels() -> None:
    from grambench.config.load import load
    from grambench.config.project import Project

    for name in load(Project, SETTINGS).studies:
        study = _read_study(name)
        for kernel in study.kernel_list():
            print(f"{kernel.name:24} {study.name}")


def _list_algorithms() -> None:
    from grambench import algorithms

    for name in [*algorithms.names(), *_algorithms_of_studies()]:
        try:
            defaults = json.dumps(dataclasses.asdict(algorithms.load(name).parameters()))
            text = f"{algorithms.title(name):18} {algorithms.category_of(name) or 'outside':10} {defaults}"
        # a user's file may be unfinished and raise anything
        except Exception as error:
            text = f"cannot be imported: {reason(error)}"
        print(f"{name:18} {text}")


def _describe_algorithm(name: str) -> None:
    """Print what an algorithm is and what each of its parameters means."""
    from grambench import algorithms

    parameters = algorithms.load(name).parameters()
    meanings = attributes(type(parameters))
    print(" ".join(algorithms.docstring(name).partition("\n\n")[0].split()))
    for key, default in dataclasses.asdict(parameters).items():
        print(fill(f"{key} = {json.dumps(default)}: {meanings.get(key, '')}", 100, subsequent_indent=" " * 4))


def _list_metrics() -> None:
    from grambench.config.metrics import METRICS

    for name, metric in METRICS.items():
        print(f"{name:24} {metric.meaning}")


def _algorithms_of_studies() -> list[str]:
    """Return the algorithms that studies name by path or module; `run` reports studies that cannot be read."""
    names: set[str] = set()
    # without the extra that reads YAML no study can be run
    if not find_spec("yaml"):
        return []
    from grambench.config.load import read

    for path in (CONFIG / "studies").glob("[a-z]*.yaml"):
        # the YAML is read without the models: these take a second for all studies
        with suppress(ConfigError, AttributeError):
            for entry in read(path).get("algorithms", {}).values():
                file, module = entry.get("path"), entry.get("algorithm")
                names.add(os.path.relpath(path.parent / file) if file else module or "")
    return sorted(name for name in names if "." in name)


def _list_studies() -> None:
    for name in configuration().names("studies"):
        study = _read_study(name)
        algorithms = counted(len(study.algorithms), "algorithm")
        print(f"{name:22} {study.title}: {counted(len(study.datasets), 'data set')}, {algorithms}")


def _read_study(name: str) -> "Study":
    """Return a study as its file describes it; its data sets are not read."""
    from grambench.config.load import load
    from grambench.config.study import Study

    return load(Study, configuration().file("studies", name))


LISTS = {
    "datasets": _list_datasets,
    "kernels": _list_kernels,
    "algorithms": _list_algorithms,
    "metrics": _list_metrics,
    "studies": _list_studies,
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("what", metavar="what", choices=list(LISTS), help="what to list: " + ", ".join(LISTS))
    named = "an algorithm: what it is and what its parameters mean; or a study: its data sets"
    parser.add_argument("name", nargs="?", help=named)


def run(arguments: argparse.Namespace) -> int:
    """List data sets, kernels, algorithms, metrics or studies."""
    if not arguments.name:
        LISTS[arguments.what]()
    elif arguments.what == "algorithms":
        _describe_algorithm(arguments.name)
    elif arguments.what == "datasets":
        _list_datasets(arguments.name)
    else:
        takes = "list algorithms takes one, list datasets a study"
        hint = "docs/library.md has the formulas" if arguments.what == "kernels" else takes
        raise ConfigError(f"list {arguments.what}: expected no name, got {arguments.name}; {hint}")
    return 0
