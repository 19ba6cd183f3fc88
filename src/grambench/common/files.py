"""Files that are either whole or absent, and seals by which a reader notices what happened to them since."""

import contextlib
import hashlib
import mmap
import os
import re
import struct
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from grambench.common.errors import DataError

SEAL = struct.Struct("<8sQI16s")  # MARK, bytes of content, CRC-32 of it and of what follows: what it was made from
MARK = b"gbseal2\n"
HDF5 = ".h5"  # which does not mind what follows its content
SUMS = "SHA256SUMS"  # lists the files of a folder, as `sha256sum` writes it
SUM_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")
UMASK = os.umask(0o077)  # as this process began; what it runs may have set another since
os.umask(UMASK)
TEMPORARY = re.compile(r"\..+-[a-z0-9_]{8}(\.\w+)?")  # as `atomic` names files


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` on success, remove it on failure.

    Parameters
    ----------
    path : Path
        The file to appear. Its folder is made where it is missing.

    Yields
    ------
    Path
        An empty temporary file in the same folder, with the same suffix, to be written by the caller.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    os.fchmod(handle, 0o666 & ~UMASK)  # mkstemp gives 0600: a shared results folder must stay readable
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        _to_disk(temporary)  # or a power cut may leave the new name with nothing, or half of it, behind
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove temporary files that whoever was killed has left anywhere in a folder, while nobody writes there."""
    for path in folder.rglob(".*"):
        if TEMPORARY.fullmatch(path.name) and path.is_file():
            with contextlib.suppress(OSError):
                path.unlink()


@contextmanager
def sealed(path: Path, identity: str = "") -> Iterator[Path]:
    """Yield a temporary path as `atomic` does, and seal what the caller has written; see `check`.

    The seal follows the content of an HDF5 file, and lies beside any other, in `.NAME.seal`, since other programs read
    tables and pictures too.

    Parameters
    ----------
    path : Path
        The file to appear.
    identity : str
        What the file is made from, 16 characters (`grambench.common.provenance.identity`); see `identity_of`.
    """
    with atomic(path) as temporary:
        yield temporary
        with temporary.open("r+b") as stream:
            size = stream.seek(0, os.SEEK_END)
            known = identity.encode().ljust(16, b"\0")
            seal = SEAL.pack(MARK, size, _checksum(stream.fileno(), size, known), known)
            if path.suffix == HDF5:
                stream.write(seal)
        if path.suffix != HDF5:
            with atomic(beside(path)) as other:
                other.write_bytes(seal)


def beside(path: Path) -> Path:
    """Return where the seal of a file lies that is no HDF5 file."""
    return path.with_name(f".{path.name}.seal")


def check(path: Path) -> Path:
    """Return the path of a sealed file that was neither truncated nor changed, by as little as a bit, since.

    The whole file is read, though of a large one a run may read little: times and inodes do not tell of what happens
    to a disk. benchmarks/seals.py says what it costs.

    Raises
    ------
    DataError
        With the file, what is wrong with it, and what to do.
    """
    if fault := found_fault(path):
        raise DataError(f"{path}: {fault}; make it again: grambench run, called as before, with -- -R {path}")
    return path


def found_fault(path: Path) -> str:
    """Return what is wrong with a sealed file, in one line; empty where it is as it was written."""
    try:
        with path.open("rb") as stream:
            size, seal = _seal(path, stream)
            if len(seal) != SEAL.size or not seal.startswith(MARK):
                return "truncated, or not written by this version of grambench"
            _, expected, checksum, identity = SEAL.unpack(seal)
            if size != expected:
                return f"damaged, expected {expected} bytes of content, got {size}"
            got = _checksum(stream.fileno(), size, identity)
    except OSError as error:
        return f"cannot be read ({error.strerror}: {error.filename})"
    return "" if got == checksum else f"damaged, expected checksum {checksum:08x}, got {got:08x}"


def identity_of(path: Path) -> str:
    """Return what a sealed file was made from, as its seal says; empty where nothing does. Only the seal is read."""
    try:
        with path.open("rb") as stream:
            seal = _seal(path, stream)[1]
    except OSError:
        return ""
    known = len(seal) == SEAL.size and seal.startswith(MARK)
    return SEAL.unpack(seal)[3].rstrip(b"\0").decode("ascii", errors="replace") if known else ""


def _seal(path: Path, stream: BinaryIO) -> tuple[int, bytes]:
    """Return the bytes of content of an open file, and its seal."""
    size = stream.seek(0, os.SEEK_END)
    if path.suffix != HDF5:
        return size, beside(path).read_bytes()
    content = max(size - SEAL.size, 0)
    stream.seek(content)
    return content, stream.read()


def _to_disk(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def _checksum(descriptor: int, size: int, identity: bytes) -> int:
    if size == 0:  # nothing to map
        return zlib.crc32(identity)
    with (
        mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as whole,
        whole[:size] as content,
    ):
        return zlib.crc32(identity, zlib.crc32(content))


def write_text(path: Path, text: str, identity: str = "") -> None:
    """Write `text` to `path`, sealed."""
    with sealed(path, identity) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_text(path: Path) -> str:
    """Return the text of a sealed file; raise DataError where it is missing or damaged."""
    return check(path).read_text(encoding="utf-8")


def sha256(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file that the SHA256SUMS of a folder lists, by its path below the folder.

    Raises
    ------
    DataError
        If there is no such list, or a line of it is not as `sha256sum` writes it.
    """
    path = folder / SUMS
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise OSError(None, "no ordinary file")
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise DataError(f"cannot read its {SUMS} ({why}); `sha256sum` makes one") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        match = SUM_LINE.fullmatch(line)
        if match:
            found[match[2]] = match[1].lower()
        elif line.strip():
            raise DataError(f"{SUMS}, line {number}: expected '<sha256>  <path>', got {line[:80]!r}")
    return found


def check_listed(path: Path) -> Path:
    """Return the path of a file that is as the SHA256SUMS beside it says; files that no such list names are the user's.

    Raises
    ------
    DataError
        If it is not; with the file and what to do.
    """
    expected = checksums(path.parent).get(path.name) if (path.parent / SUMS).exists() else None
    if expected and (got := sha256(path)) != expected:
        raise DataError(
            f"{path}: expected sha256 {expected}, as {SUMS} there says, got {got}; restore the file, or list it anew "
            f"where the change is meant: make checksums"
        )
    return path


def intact(folder: Path) -> bool:
    """Return whether the files that the SHA256SUMS of a folder lists are there, as it lists them."""
    try:
        listed = checksums(folder)
        return all(sha256(folder / name) == expected for name, expected in listed.items())
    except (DataError, OSError):
        return False
