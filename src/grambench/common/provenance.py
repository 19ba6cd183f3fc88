"""Provenance of a result: settings and code, versions, machine, linear algebra, revision of the code."""

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from grambench.common import threads
from grambench.common.files import identity_of

PACKAGES = ("grambench", "numpy", "scipy", "scikit-learn", "numba", "pillow", "h5py", "snakemake")


def spec(settings: Any) -> str:
    """Return `settings` as canonical JSON: sorted keys, no blanks, no NaN.

    One string, because Snakemake does not notice when two params swap their values.
    """
    return json.dumps(settings, sort_keys=True, separators=(",", ":"), allow_nan=False)


def identity(spec: str, code: str, inputs: Iterable[str] = ()) -> str:
    """Return a hash of settings, code and the identities of input files, in 16 hexadecimal digits.

    The plan computes the identity that a file should have; the seal of the file holds the identity that it has.
    Versions of packages do not count, because records of several machines may be merged; each record has its versions.
    """
    return digest("\0".join([spec, code.partition(".")[0], *inputs]))


def made_from(spec: str, code: str, *inputs: Path) -> str:
    """Return the identity of a file that a step makes from its settings, its code and sealed input files."""
    return identity(spec, code, map(identity_of, inputs))


def digest(text: str) -> str:
    """Return the first 16 hexadecimal digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def collect() -> dict[str, Any]:
    """Return the versions of PACKAGES, BLAS, threads, processor, platform and git revision."""
    return {
        "versions": {"python": platform.python_version()} | {name: version_of(name) for name in PACKAGES},
        "blas": blas(),
        "threads": {name: os.environ.get(name) for name in threads.VARIABLES},
        "processor": processor(),
        "cores": os.cpu_count(),
        "platform": platform.platform(),
        "revision": revision(),
    }


def version_of(package: str) -> str:
    """Return the installed version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def blas() -> str:
    """Return the name and version of NumPy's linear algebra library."""
    import numpy as np

    build = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{build.get('name', 'unknown')} {build.get('version', '')}".strip()


def processor() -> str:
    """Return the name of the processor according to the operating system."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def revision() -> str:
    """Return the git commit of the source tree, with "-dirty" if it has local changes."""
    try:
        command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
        return subprocess.check_output(
            command, cwd=Path(__file__).parent, stderr=subprocess.DEVNULL, text=True, timeout=10
        ).strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
