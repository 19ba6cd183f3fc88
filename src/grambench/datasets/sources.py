"""Brings a data set's files from the first source that answers: mirrors, the repository, packages, the network.

Every file is known by its SHA-256, or else by what can be read from it. A mirror is a folder with a SHA256SUMS, as
`sha256sum` writes it; where its files lie and how they are called does not matter. The only programs that run are pip,
apt-get, dpkg-deb and npm, and none of them is allowed to execute code of what it downloads. What a server or an archive
may take of time and space has limits.
"""

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
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pooch
import requests
from tqdm import tqdm
from urllib3.exceptions import HTTPError, NameResolutionError

from grambench.common.errors import DataError, plain
from grambench.common.files import checksums, sha256, write_text
from grambench.config.dataset import (
    NOTE,
    Bundled,
    Debian,
    Described,
    Http,
    HttpFile,
    InnerFile,
    Mirror,
    Npm,
    Own,
    Package,
    Pypi,
    Source,
)
from grambench.datasets import prepare, unpack
from grambench.datasets.unpack import MEBIBYTE

Deliver = Callable[[Path], None]

CHUNK = 1 << 16
PACKAGE = 1024  # mebibytes that a package may have, as it comes and unpacked
TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
NPM_NOISE = ("A complete log of this run", "Log files were not written")

logger = logging.getLogger("grambench")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to wait for the network.

    Attributes
    ----------
    tries : int
        Attempts at one download; each goes on where the last one was cut.
    pause : float
        Seconds before the second attempt; twice that before the third.
    connect, read : float
        Seconds to a connection, and between two arrivals of data.
    command : float
        Seconds that pip, apt-get, dpkg-deb or npm may take.
    total : float
        Seconds that all of a source may take.
    """

    tries: int = 3
    pause: float = 1.0
    connect: float = 5.0
    read: float = 30.0
    command: float = 600.0
    total: float = 7200.0


DEFAULT_PATIENCE = Patience()


def fetch(
    dataset: Described,
    folder: Path,
    *,
    bundled: Path,
    mirrors: Sequence[Path] = (),
    kinds: Collection[str],
    asked: str = "",
    patience: Patience = DEFAULT_PATIENCE,
) -> dict[str, Any]:
    """Fill `folder` with the files of the first source that delivers, and say in source.json which one it was.

    For each source in turn: its files where they lie in `folder` already, then the mirrors, then the source itself,
    if its kind is allowed. A source that fails leaves nothing behind, and no failure of a source raises; one without
    checksums fails too where its files cannot be read as the description says. Of a generated data set there is nothing
    to fetch: only the note is written.

    Parameters
    ----------
    dataset : Described
        The sources in order, and what comes of them.
    folder : Path
        Where the files go; made where it is missing.
    bundled : Path
        The repository's own mirror, for sources of kind bundled.
    mirrors : sequence of Path
        Folders with a SHA256SUMS.
    kinds : collection of str
        Kinds of sources that may be used beside mirrors.
    asked : str
        What was asked for, as the note shall have it.
    patience : Patience
        Limits of time.

    Returns
    -------
    dict
        What source.json holds: `asked`; `status`, ok or unavailable; `tried`, a list of {source, reason}; where ok
        `index` (of the source in the description), `kind`, `origin`, `mirror` (the one that delivered, or None) and
        `files` (name to SHA-256).

    Raises
    ------
    DataError
        If `folder` cannot be written.
    """
    folder = folder.absolute()  # package managers are called from inside temporary folders
    try:
        note = {"asked": asked} | _filled(dataset, folder, bundled, mirrors, kinds, patience)
        write_text(folder / NOTE, json.dumps(note, indent=1) + "\n")
        return note
    except OSError as error:
        place = error.filename2 or error.filename or folder
        raise DataError(
            f"{place}: cannot be written ({error.strerror or error}); see to that and fetch again"
        ) from None


def _filled(
    dataset: Described,
    folder: Path,
    bundled: Path,
    mirrors: Sequence[Path],
    kinds: Collection[str],
    patience: Patience,
) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NOTE).unlink(missing_ok=True)
    for killed in folder.parent.glob(f".{folder.name}-????????"):
        shutil.rmtree(killed, ignore_errors=True)
    tried: list[dict[str, str]] = []
    listings: dict[Path, dict[str, Path]] = {}
    for mirror in mirrors:
        try:
            listings[mirror] = listing(mirror)
        except DataError as error:
            tried.append({"source": f"mirror {mirror}", "reason": str(error)})
    for index, source in enumerate(dataset.sources):
        for mirror_used, deliver in _ways(source, folder, listings, bundled, kinds, patience):
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
                try:
                    with _at_most(patience.total):
                        deliver(Path(scratch))
                        sums = _verified(dataset, source, Path(scratch))
                except DataError as error:
                    said = plain(" ".join(str(error).split()))
                    reason = f"mirror {mirror_used}: {said}" if mirror_used else said
                    tried.append({"source": source.origin, "reason": reason})
                    logger.info("%s: %s: %s", dataset.name, source.origin, reason)
                    continue
                for name in sums:
                    (Path(scratch) / name).replace(folder / name)
            return {
                "status": "ok",
                "index": index,
                "kind": source.kind,
                "origin": source.origin,
                "mirror": str(mirror_used) if mirror_used else None,
                "files": sums,
                "tried": tried,
            }
    return {"status": "unavailable", "tried": tried}


def _ways(
    source: Source,
    folder: Path,
    listings: dict[Path, dict[str, Path]],
    bundled: Path,
    kinds: Collection[str],
    patience: Patience,
) -> Iterator[tuple[Path | None, Deliver]]:
    """Yield all that may deliver a source, as (mirror or None, function that fills a folder)."""
    allowed = source.kind in kinds
    own = isinstance(source, Own)  # of which the user's file counts, not what was fetched before
    if not own and source.files and all(_is(folder / file.name, file.sha256) for file in source.files):
        yield None, partial(_copy, {file.name: folder / file.name for file in source.files})
        return
    for mirror, paths in listings.items():
        if source.files and all(file.sha256 in paths for file in source.files):
            yield mirror, partial(_copy, {file.name: paths[str(file.sha256)] for file in source.files})
    yield None, partial(_deliver if allowed else _refuse, source, bundled, kinds, patience)


def _is(path: Path, expected: str | None) -> bool:
    return path.is_file() and sha256(path) == expected


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise DataError in what takes longer, wherever it waits; only the main thread can be interrupted so."""

    def end(*_: object) -> None:
        raise DataError(f"no end after {seconds:g} s")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _verified(dataset: Described, source: Source, folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each delivered file; raise DataError where one is not what the description says."""
    sums = {file.name: sha256(folder / file.name) for file in source.files}
    for file in source.files:
        if file.sha256 not in (None, sums[file.name]) and isinstance(source, Own):
            raise DataError(
                f"{file.name}: has changed since it was described (sha256 {sums[file.name]}); "
                "describe it again: grambench add-dataset --replace"
            )
        if file.sha256 not in (None, sums[file.name]):
            raise DataError(f"{file.name}: expected sha256 {file.sha256}, got {sums[file.name]}")
    if isinstance(source, Http) and not all(file.sha256 or file.md5 for file in source.files):
        prepare.check(dataset, source, {name: folder / name for name in sums})
    return sums


def _refuse(source: Source, bundled: Path, kinds: Collection[str], patience: Patience, scratch: Path) -> None:
    raise DataError(f"in no mirror, and kind {source.kind} is not among those allowed ({', '.join(kinds) or 'none'})")


def _deliver(source: Source, bundled: Path, kinds: Collection[str], patience: Patience, scratch: Path) -> None:
    match source:
        case Bundled():
            _bundled(source, bundled, scratch)
        case Own():
            _copy({file.name: Path(file.path) for file in source.files}, scratch)
        case Package():
            _package(source, scratch)
        case Mirror():
            raise DataError("only a mirror has it, a folder with a SHA256SUMS; name one in GRAMBENCH_MIRROR")
        case Http():
            for file in source.files:
                _download(file, scratch, patience, source.reader.mebibytes)
        case Pypi():
            _pypi(source, scratch, patience)
        case Debian():
            _debian(source, scratch, patience)
        case Npm():
            _npm(source, scratch, patience)


# mirrors, the repository, installed packages


def listing(mirror: Path) -> dict[str, Path]:
    """Return the path of each file that a mirror lists, by its SHA-256."""
    return {expected: mirror / path for path, expected in checksums(mirror).items()}


def _copy(paths: dict[str, Path], scratch: Path) -> None:
    for name, path in paths.items():
        try:
            shutil.copyfile(path, scratch / name)
        except (OSError, ValueError) as error:  # the latter for names that no file can have
            raise DataError(f"{path}: {getattr(error, 'strerror', None) or 'no ordinary file'}") from None


def _bundled(source: Bundled, bundled: Path, scratch: Path) -> None:
    paths = listing(bundled)
    for file in source.files:
        if file.sha256 not in paths:
            raise DataError(f"{bundled / 'SHA256SUMS'} lists no file with the sha256 of {file.name}")
        _copy({file.name: paths[file.sha256]}, scratch)


def _package(source: Package, scratch: Path) -> None:
    try:
        package = importlib.metadata.distribution(source.package)
    except importlib.metadata.PackageNotFoundError:
        raise DataError(f"the Python package {source.package} is not installed") from None
    _copy({file.name: Path(str(package.locate_file(file.path))) for file in source.files}, scratch)


# http


class InterruptedTransferError(requests.RequestException):
    """The server stopped early or asked to come back later."""


@dataclass(frozen=True, slots=True)
class Downloader:
    """Downloads for pooch: tries again after transient errors, and goes on where a connection was cut.

    Attributes
    ----------
    name : str
        What the progress bar, shown on a terminal only, is called.
    patience : Patience
        Limits of time.
    mebibytes : int
        The largest file that is written.
    """

    name: str
    patience: Patience
    mebibytes: int

    def __call__(self, url: str, output_file: str, pooch: object) -> None:
        """Write what is at `url` to `output_file`; raise DataError where it cannot be had."""
        for attempt in range(1, self.patience.tries + 1):
            try:
                self._transfer(url, Path(output_file))
                return
            except requests.RequestException as error:
                reason, final = _diagnosis(url, error)
                if final or attempt == self.patience.tries:
                    raise DataError(reason if final else f"{reason} (tried {attempt} times)") from None
                logger.info("%s: %s; trying again", url, reason)
                time.sleep(self.patience.pause * attempt)

    def _transfer(self, url: str, path: Path) -> None:
        """Download once, from the end of what `path` holds already where the server can do that."""
        have = path.stat().st_size if path.exists() else 0
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        timeout = (self.patience.connect, self.patience.read)
        with requests.get(url, headers=headers, stream=True, timeout=timeout) as response:
            code = response.status_code
            if code in TRANSIENT:
                raise InterruptedTransferError(f"HTTP {code} {response.reason}")
            resumed = code == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
            if code == 416 or (code == 206 and not resumed):
                path.write_bytes(b"")
                raise InterruptedTransferError(f"HTTP {code} {response.reason} to a request for bytes {have}-")
            if not response.ok:
                raise DataError(f"HTTP {code} {response.reason}: {url}")
            said = response.headers.get("Content-Length", "")
            length = int(said) if re.fullmatch(r"[0-9]{1,18}", said) else -1
            start = have if resumed else 0
            self._allow(start + length)
            with (
                path.open("ab" if resumed else "wb") as stream,
                tqdm(
                    desc=self.name,
                    initial=start,
                    total=start + length if length >= 0 else None,
                    unit="B",
                    unit_scale=True,
                    leave=False,
                    disable=None,
                ) as bar,
            ):
                for chunk in _as_it_comes(response):
                    stream.write(chunk)
                    bar.update(len(chunk))
                    self._allow(stream.tell())
            got = path.stat().st_size
            if length >= 0 and got != start + length:
                raise InterruptedTransferError(f"connection cut after {got} of {start + length} bytes")

    def _allow(self, size: int) -> None:
        if size > self.mebibytes * MEBIBYTE:
            raise unpack.too_large(self.name, self.mebibytes)


def _as_it_comes(response: requests.Response) -> Iterator[bytes]:
    """Yield a body without unpacking it: a server that compresses, though not asked to, is no reason to."""
    try:
        yield from response.raw.stream(CHUNK, decode_content=False)
    except HTTPError as error:
        raise InterruptedTransferError(error) from None


def _diagnosis(url: str, error: requests.RequestException) -> tuple[str, bool]:
    """Return an error in one line, and whether trying again is useless."""
    host = urlsplit(url).netloc
    cause = error.args[0] if error.args else None
    if isinstance(getattr(cause, "reason", None), NameResolutionError):
        return f"the name {host} does not resolve (no network?)", True
    if isinstance(error, requests.ConnectTimeout):
        return f"{host} does not answer", True
    text = f"{host}: {type(error).__name__}: {' '.join(str(error).split()):.200}"
    return text, not isinstance(
        error,
        requests.ConnectionError
        | requests.Timeout
        | requests.exceptions.ChunkedEncodingError
        | InterruptedTransferError,
    )


def _download(file: HttpFile, scratch: Path, patience: Patience, mebibytes: int) -> None:
    pooch.get_logger().setLevel("WARNING")  # it announces every file
    known = f"sha256:{file.sha256}" if file.sha256 else f"md5:{file.md5}" if file.md5 else None
    downloader = Downloader(file.name, patience, mebibytes)
    try:
        pooch.retrieve(file.url, known_hash=known, fname=file.name, path=scratch, downloader=downloader)
    except ValueError as error:  # the checksum: the server's file is another one, so a second download is useless
        got = re.search(r"but got '?([0-9a-f]{32,64})", str(error))
        expected = f"sha256 {file.sha256}" if file.sha256 else f"md5 {file.md5}"
        raise DataError(f"{file.name}: expected {expected}, got {got[1] if got else error} from {file.url}") from None


# packages that are downloaded


def _pypi(source: Pypi, scratch: Path, patience: Patience) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet"]
    options = ["--no-deps", "--only-binary=:all:", "--dest", str(scratch)]
    _command([*pip, *options, source.requirement], scratch, patience)
    names = [file.path for file in source.files]
    _keep(source.files, unpack.zip_files(_only(scratch, "*.whl"), source.reader.mebibytes, names), scratch)


def _debian(source: Debian, scratch: Path, patience: Patience) -> None:
    try:
        _command(["apt-get", "download", f"{source.package}={source.version}"], scratch, patience)
    except DataError as error:
        try:  # another version may hold the same file; the checksum decides
            _command(["apt-get", "download", source.package], scratch, patience)
        except DataError:
            raise error from None
    tree = scratch / "tree.tar"
    _command(["dpkg-deb", "--fsys-tarfile", str(_only(scratch, "*.deb"))], scratch, patience, output=tree)
    _keep(source.files, unpack.tar_files(tree, PACKAGE, source.reader.mebibytes), scratch)


def _npm(source: Npm, scratch: Path, patience: Patience) -> None:
    options = ["--ignore-scripts", "--logs-max=0", "--loglevel=error"]
    _command(["npm", "pack", *options, f"{source.package}@{source.version}"], scratch, patience)
    _keep(source.files, unpack.tar_files(_only(scratch, "*.tgz"), PACKAGE, source.reader.mebibytes), scratch)


def _keep(wanted: Sequence[InnerFile], packed: Iterable[tuple[str, bytes]], scratch: Path) -> None:
    missing = {file.path: file.name for file in wanted}
    for path, content in packed:
        if path in missing:
            (scratch / missing.pop(path)).write_bytes(content)
    if missing:
        raise DataError(f"the package has no file {min(missing)}, or a larger one than `mebibytes` of the reader")


def _only(folder: Path, pattern: str) -> Path:
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise DataError(f"expected one {pattern} to be downloaded, got {len(found)}")
    return found[0]


def _command(command: list[str], folder: Path, patience: Patience, output: Path = Path(os.devnull)) -> None:
    """Run a program in `folder`; raise DataError with the last line of its errors where it fails."""
    program = shutil.which(command[0])
    name = "pip" if command[0] == sys.executable else command[0]
    if program is None:
        raise DataError(f"{name} is not installed")
    errors = folder / "stderr.txt"
    with errors.open("wb") as stream, output.open("wb") as result:
        try:
            process = subprocess.Popen(
                [program, *command[1:]],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=result,
                stderr=stream,
                start_new_session=True,
                preexec_fn=_limit_files,
            )
        except OSError as error:
            raise DataError(f"{name}: cannot be run ({error.strerror})") from None
        try:
            code = process.wait(patience.command)
        except subprocess.TimeoutExpired:
            raise DataError(f"{name}: no end after {patience.command:g} s") from None
        finally:
            if process.poll() is None:  # the whole group: these programs have children
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    if code:
        lines = errors.read_text(encoding="utf-8", errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip() and not any(noise in line for noise in NPM_NOISE)]
        raise DataError(f"{name}: {said[-1] if said else f'exit status {code}'}")


def _limit_files() -> None:
    """Let this process write no file larger than a package may be."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    limit = PACKAGE * MEBIBYTE
    if most == resource.RLIM_INFINITY or most > limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
