"""Atomic writing of files, and seals with checksums by which a reader notices later damage."""

import contextlib
import hashlib
import mmap
import os
import re
import stat
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from grambench.common.errors import DataError

SEAL = struct.Struct("<8sQI16s")  # MARK, bytes of content, CRC-32 of all before the seal and the identity, identity
MARK = b"gbseal2\n"
HDF5 = ".h5"  # HDF5 ignores bytes that follow its content
LONGEST = 2**24  # bytes of what a file is made from
SUMS = "SHA256SUMS"  # the list of the files of a folder, in the format of `sha256sum`
SUM_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")
# The umask at the start of this process: code that it runs may set another one later.
UMASK = os.umask(0o077)
os.umask(UMASK)
# The folder in which the jobs of one workflow note the files that they found whole; set by their server.
notes: Path | None = None
TEMPORARY = re.compile(r"\..+-[a-z0-9_]{8}(\.\w+)?")  # the names of the temporary files of `atomic`


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` on success, remove it on failure.

    Parameters
    ----------
    path : Path
        The file to write. Its folder is made if it is missing.

    Yields
    ------
    Path
        An empty temporary file in the same folder, with the same suffix, to be written by the caller.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix, temporary = f".{path.stem}-", None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=path.suffix)
        # mkstemp sets 0600, but a shared results folder must stay readable.
        os.fchmod(handle, 0o666 & ~UMASK)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        # Without fsync, a power cut may leave an empty or incomplete file under the new name.
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        # A write to a full disk names no file, and a folder that cannot be written the temporary one.
        if not error.filename or Path(error.filename).name.startswith(prefix):
            error.filename = str(path)
        raise
    finally:
        if temporary:
            temporary.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove temporary files of killed processes anywhere below a folder to which no process writes now."""
    for path in folder.rglob(".*"):
        if TEMPORARY.fullmatch(path.name) and path.is_file():
            with contextlib.suppress(OSError):
                path.unlink()


def open_regular(path: Path) -> BufferedReader:
    """Open a regular file for reading: a pipe or a device of its name might never end.

    Raises
    ------
    OSError
        If the file cannot be opened, or is a folder, a pipe, a socket or a device.
    """
    # O_NONBLOCK: a pipe without a writer is opened at once.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise OSError(None, "no regular file", str(path))


@contextmanager
def sealed(path: Path, made_from: str = "") -> Iterator[Path]:
    """Yield a temporary path as `atomic` does, and seal the file that the caller has written; see `check`.

    The seal of an HDF5 file follows its content. The seal of any other file is the file `.NAME.seal` beside it,
    because other programs read tables and pictures too.

    Parameters
    ----------
    path : Path
        The file to write.
    made_from : str
        What an HDF5 file is made from (`grambench.common.provenance.made_from`), which precedes its seal; see
        `made_from_of`. Its hash is the file's identity (`identity_of`).
    """
    with atomic(path) as temporary:
        yield temporary
        with temporary.open("r+b") as stream:
            size = stream.seek(0, os.SEEK_END)
            if path.suffix == HDF5:
                stream.write(made_from.encode())
                stream.flush()  # it counts in the checksum
            identity = digest(made_from).encode() if made_from else bytes(16)
            seal = SEAL.pack(MARK, size, _checksum(stream.fileno(), stream.tell(), identity), identity)
            if path.suffix == HDF5:
                stream.write(seal)
            else:
                with atomic(beside(path)) as seal_file:
                    seal_file.write_bytes(seal)


def beside(path: Path) -> Path:
    """Return the path of the seal of a file that is no HDF5 file."""
    return path.with_name(f".{path.name}.seal")


def check(path: Path) -> Path:
    """Return the path of a sealed file after checking that not a bit of it has changed.

    The whole file is read even if a run needs little of it, because times and inodes do not reveal damage on a disk.
    benchmarks/seals.py measures the cost.

    Raises
    ------
    DataError
        If the file is missing or damaged, with the file, the fault and what to do.
    """
    if fault := found_fault(path):
        again = f"make it again: grambench run, called as before, with -- -R {path}"
        raise DataError(f"{path}: {fault}; {f'restore it: git checkout {path}' if _is_listed(path) else again}")
    return path


def check_once(path: Path) -> Path:
    """Check a sealed file as `check` does, but once for all jobs of a workflow: many runs read a large Gram matrix.

    It is checked again if its times, its size or its inode have changed.
    """
    if notes is None or not path.exists():
        return check(path)
    state = path.stat()
    values = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    note = notes / "-".join(map(str, values))
    if not note.exists():
        check(path)
        # a folder that is gone costs another check
        with contextlib.suppress(OSError):
            note.touch()
    return path


def found_fault(path: Path) -> str:
    """Return the fault of a sealed file, in one line; empty if the file is as it was written.

    A file of the archive has no seal of its own: the SHA256SUMS beside it lists it.
    """
    try:
        if _is_listed(path):
            expected, found = checksums(path.parent)[path.name], sha256(path)
            return "" if found == expected else f"damaged, expected sha256 {expected}, got {found}"
        if (seal := _read_seal(path)) is None:
            return "truncated, or not written by this version of grambench"
        if not seal.fits:
            return f"damaged, expected {seal.content} bytes of content, got {seal.size}"
        with open_regular(path) as stream:
            got = _checksum(stream.fileno(), seal.size, seal.identity)
    except OSError as error:
        return f"cannot be read ({error.strerror}: {error.filename})"
    return "" if got == seal.checksum else f"damaged, expected checksum {seal.checksum:08x}, got {got:08x}"


def _is_listed(path: Path) -> bool:
    """Return whether the SHA256SUMS beside a file stands for its seal."""
    is_sealed = path.suffix == HDF5 or beside(path).exists()
    return not is_sealed and (path.parent / SUMS).is_file() and path.name in checksums(path.parent)


def made_from_of(path: Path) -> str:
    """Return what a file is made from, by its seal, of which nothing else is read; empty if it does not say it."""
    try:
        seal = _read_seal(path)
    except OSError:
        return ""
    return seal.made_from.decode() if seal and seal.fits else ""


def identity_of(path: Path) -> str:
    """Return the hash of what a file is made from; empty if its seal does not say it."""
    return digest(made_from) if (made_from := made_from_of(path)) else ""


def digest(text: str) -> str:
    """Return the first 16 hexadecimal digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _Seal(NamedTuple):
    """The fields of a seal (`SEAL`), the bytes before it, and those of them that say what the file is made from."""

    content: int
    checksum: int
    identity: bytes
    size: int
    made_from: bytes

    @property
    def fits(self) -> bool:
        """Whether nothing but the content and what it is made from precedes the seal."""
        known = not self.made_from or hashlib.sha256(self.made_from).hexdigest()[:16].encode() == self.identity
        return known and self.content + len(self.made_from) == self.size


def _read_seal(path: Path) -> _Seal | None:
    """Return the seal of a file; None if it has no valid one."""
    with open_regular(path) as stream:
        size = stream.seek(0, os.SEEK_END)
        if path.suffix == HDF5:
            size = stream.seek(max(size - SEAL.size, 0))
            seal = stream.read()
        else:
            with open_regular(beside(path)) as seal_file:
                seal = seal_file.read(SEAL.size + 1)
        if len(seal) != SEAL.size or not seal.startswith(MARK):
            return None
        _, content, checksum, identity = SEAL.unpack(seal)
        stream.seek(min(content, size))
        return _Seal(content, checksum, identity, size, stream.read(min(size - stream.tell(), LONGEST)))


def _checksum(descriptor: int, size: int, identity: bytes) -> int:
    if size == 0:  # an empty file cannot be mapped
        return zlib.crc32(identity)
    with mmap.mmap(descriptor, size, access=mmap.ACCESS_READ) as content:
        return zlib.crc32(identity, zlib.crc32(content))


def write_text(path: Path, text: str, writing: Callable[[Path], AbstractContextManager[Path]] = sealed) -> None:
    """Write a text file, sealed, or with `atomic` without a seal, for people to edit or to send on."""
    with writing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_text(path: Path) -> str:
    """Return the text of a sealed file; raise DataError if it is missing or damaged."""
    return check(path).read_text(encoding="utf-8")


def sha256(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file."""
    with open_regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in the SHA256SUMS of a folder, by its path below the folder.

    Raises
    ------
    DataError
        If the folder has no such list, or a line of it has not the format of `sha256sum`.
    """
    path = folder / SUMS
    try:
        with open_regular(path) as stream:
            lines = stream.read().decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise DataError(f"cannot read its {SUMS} ({why}); `sha256sum` makes one") from None
    sums: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        match = SUM_LINE.fullmatch(line)
        if match:
            sums[match[2]] = match[1].lower()
        elif line.strip():
            raise DataError(f"{SUMS}, line {number}: expected '<sha256>  <path>', got {line[:80]!r}")
    return sums


def check_listed(path: Path) -> None:
    """Raise DataError unless a file has its checksum in the SHA256SUMS beside it; unlisted files are the user's."""
    if _is_listed(path) and (fault := found_fault(path)):
        raise DataError(f"{path}: {fault}; restore it, or list it anew where the change is meant: make checksums")


def intact(folder: Path) -> bool:
    """Return whether all files in the SHA256SUMS of a folder exist and have their checksums."""
    try:
        return all(sha256(folder / name) == expected for name, expected in checksums(folder).items())
    except (DataError, OSError):
        return False
