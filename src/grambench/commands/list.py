"""`grambench list`: what there is to choose from."""

import argparse
import json

from grambench.commands.project import CONFIG
from grambench.common.errors import reason

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

    for name in algorithms.names():
        try:
            shelf, title = algorithms.source(name).parent.name, algorithms.title(name)
            shown = f"{title:18} {shelf:8} {json.dumps(defaults(name))}"
        except Exception as error:  # a file may be anyone's, and unfinished
            shown = f"cannot be imported: {reason(error)}"
        print(f"{name:18} {shown}")


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
    """Say what the command takes."""
    parser.add_argument("what", metavar="what", choices=list(LISTS), help=", ".join(LISTS))


def run(arguments: argparse.Namespace) -> int:
    """Do it; return the exit code."""
    LISTS[arguments.what]()
    return 0
