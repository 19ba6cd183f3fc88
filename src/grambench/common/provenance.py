"""Provenance of a result: settings and code, versions, machine, linear algebra, revision of the code."""

import json
import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from grambench.common import environment, layout, threads
from grambench.common.files import digest, identity_of, made_from_of

PACKAGES = ("grambench", "numpy", "scipy", "scikit-learn", "numba", "pillow", "h5py", "snakemake")


def spec(settings: Any) -> str:
    """Return `settings` as canonical JSON: sorted keys, no blanks, no NaN.

    One string, because Snakemake does not notice when two params swap their values.
    """
    return json.dumps(settings, sort_keys=True, separators=(",", ":"), allow_nan=False)


def asked(spec: str, code: str) -> str:
    """Return a hash of the settings and the code that a file is made with, in 16 hexadecimal digits.

    Versions of packages do not count, because records of several machines may be merged; each record has its versions.
    """
    return digest("\0".join([spec, code.partition(".")[0]]))


def identities(inputs: Iterable[Path]) -> dict[str, str]:
    """Return the identity of each input of a file that has one."""
    return {str(path): identity for path in inputs if (identity := identity_of(path))}


def made_from(spec: str, code: str, inputs: Mapping[str, str]) -> str:
    """Return what a file is made from, as its seal holds it: `asked`, and the `identities` of its inputs."""
    return json.dumps({"asked": asked(spec, code), "inputs": dict(inputs)})


def is_current(
    path: Path, asked: str, results: Path = layout.RESULTS, identify: Callable[[Path], str] = identity_of
) -> bool:
    """Return whether a file was made with these settings and code, from inputs that are still there as they were.

    An input that is not there any more may have been removed to save space, and says nothing.

    Parameters
    ----------
    path : Path
        The file, in a results folder.
    asked : str
        See `asked`.
    results : Path
        The results folder.
    identify : callable
        `identity_of`, or a cache of it for many files with the same inputs.
    """
    try:
        content = json.loads(made_from_of(path) or "{}")
        inputs = {layout.located(results, name): identity for name, identity in content.get("inputs", {}).items()}
    # a seal of somebody else
    except (ValueError, AttributeError, TypeError):
        return False
    return content.get("asked") == asked and all(identify(file) in ("", identity) for file, identity in inputs.items())


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
    """Return the name and version of NumPy's linear algebra library, and the processor that it is limited to."""
    import numpy as np

    build = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    limit = os.environ.get(environment.CORE, "")
    return f"{build.get('name', 'unknown')} {build.get('version', '')} {limit}".strip()


def rounding(collected: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what the last bits of a record's numbers depend on, where its settings and code are the same.

    These are the versions of packages, linear algebra, the C library, and the processor unless AVX2 is the limit.
    """
    blas = str(collected.get("blas", ""))
    limited = blas.endswith(f" {environment.AVX2[environment.CORE]}")
    libc = str(collected.get("platform", "")).rpartition("-with-")[2]
    return collected.get("versions"), blas, libc, None if limited else collected.get("processor")


def processor() -> str:
    """Return the name of the processor according to the operating system, on Linux with its family and model.

    Virtual machines call processors of several models, which round differently, by one name.
    """
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    of_first = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in reversed(lines))}
    if not (name := of_first.get("model name")):
        return platform.processor() or platform.machine()
    numbers = [f"{key.removeprefix('cpu ')} {of_first[key]}" for key in ("cpu family", "model") if key in of_first]
    return ", ".join([name, *numbers])


def revision(folder: Path = Path(__file__).parent) -> str:
    """Return the git commit of the source tree of a folder, with "-dirty" if it has local changes.

    The archive does not count, since a maintainer updates it study by study.
    """

    def ask(*words: str) -> str:
        return subprocess.check_output(["git", *words], cwd=folder, stderr=subprocess.DEVNULL, text=True, timeout=10)

    try:
        changed = ask("diff", "HEAD", "--name-only", "--", ":/", ":(top,exclude)reference")
        return ask("rev-parse", "--short=12", "HEAD").strip() + "-dirty" * bool(changed)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
