"""Where a result came from: versions, machine, linear algebra, revision of the code."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("grambench", "numpy", "scipy", "scikit-learn", "numba", "pillow", "h5py", "snakemake")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def collect() -> dict[str, Any]:
    """Return versions of the packages that matter, BLAS, threads, processor, platform and git revision."""
    return {
        "versions": {"python": platform.python_version()} | {name: version_of(name) for name in PACKAGES},
        "blas": blas(),
        "threads": {name: os.environ.get(name) for name in THREAD_VARIABLES},
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
    """Return name and version of NumPy's linear algebra library."""
    import numpy as np

    build = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{build.get('name', 'unknown')} {build.get('version', '')}".strip()


def processor() -> str:
    """Return the processor's name as the operating system tells it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def revision() -> str:
    """Return the git commit of the source tree, with "-dirty" where it has local changes."""
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return answer.stdout.strip()
