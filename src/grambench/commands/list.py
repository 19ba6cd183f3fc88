"""`grambench list`: the data sets, kernels, algorithms and studies."""

import argparse
import json
import os
from contextlib import suppress

from grambench.commands.project import CONFIG
from grambench.common.errors import ConfigError, reason

HELP = "list data sets, kernels, algorithms or studies"


def _list_datasets() -> None:
    from grambench.config.dataset import Base, Images
    from grambench.config.project import Configuration

    configuration = Configuration(CONFIG)
    for name in configuration.names("datasets"):
        dataset = configuration.description(name)
        kinds = ", ".join(dict.fromkeys(source.kind for source in dataset.sources))
        match dataset:
            case Base():
                labels = f"{dataset.classes:6} classes "
            case Images():
                labels = " " * 14 + "-"
            case _ if dataset.classes:
                labels = f"{len(dataset.classes):6} classes "
            case _:
                labels = f"{dataset.positives:6} positive"
        size = f"x {dataset.d:<7}" if dataset.d else "images   "
        print(f"{name:23} {dataset.n:6} {size} {labels}   {kinds}")


def _list_kernels() -> None:
    from grambench.config.load import load, read
    from grambench.config.project import Configuration
    from grambench.config.study import Study

    configuration = Configuration(CONFIG)
    for name in read(CONFIG / "config.yaml")["studies"]:
        study = load(Study, configuration.file("studies", name))
        for kernel in study.kernel_list():
            print(f"{kernel.name:24} {study.name}")


def _list_algorithms() -> None:
    from grambench import algorithms
    from grambench.algorithms.defaults import defaults

    for name in [*algorithms.names(), *_from_studies()]:
        try:
            ours = algorithms.category_of(name)
            if not ours:  # whose files the tests have not seen
                algorithms.load(name)
            title, category = algorithms.title(name), ours or "outside"
            shown = f"{title:18} {category:8} {json.dumps(defaults(name))}"
        except Exception as error:  # a file may be anyone's, and unfinished
            shown = f"cannot be imported: {reason(error)}"
        print(f"{name:18} {shown}")


def _from_studies() -> list[str]:
    """Return the algorithms that studies name by path or module; `run` reports studies that cannot be read."""
    from grambench.config.load import read

    found: set[str] = set()
    for path in (CONFIG / "studies").glob("[a-z]*.yaml"):
        with suppress(ConfigError, AttributeError):  # no models, which take a second for all studies
            for entry in read(path).get("algorithms", {}).values():
                file, module = entry.get("path"), entry.get("algorithm")
                found.update([os.path.relpath(path.parent / file)] if file else [module] if module else [])
    return sorted(name for name in found if "." in name)


def _list_studies() -> None:
    from grambench.config.load import load
    from grambench.config.project import Configuration
    from grambench.config.study import Study

    configuration = Configuration(CONFIG)
    for name in configuration.names("studies"):
        study = load(Study, configuration.file("studies", name))
        print(f"{name:22} {study.title}: {len(study.datasets)} data sets, {len(study.algorithms)} algorithms")


LISTS = {
    "datasets": _list_datasets,
    "kernels": _list_kernels,
    "algorithms": _list_algorithms,
    "studies": _list_studies,
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("what", metavar="what", choices=list(LISTS), help=", ".join(LISTS))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    LISTS[arguments.what]()
    return 0
