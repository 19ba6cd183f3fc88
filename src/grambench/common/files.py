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

from grambench.common.errors import DataError

SEAL = struct.Struct("<8sQI")  # MARK, bytes of content, its CRC-32
MARK = b"gbseal1\n"
HDF5 = ".h5"  # which does not mind what follows its content
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
def sealed(path: Path) -> Iterator[Path]:
    """Yield a temporary path as `atomic` does, and seal what the caller has written; see `check`.

    The seal follows the content of an HDF5 file, and lies beside any other, in `.NAME.seal`, since other programs read
    tables and pictures too.
    """
    with atomic(path) as temporary:
        yield temporary
        with temporary.open("r+b") as stream:
            size = stream.seek(0, os.SEEK_END)
            seal = SEAL.pack(MARK, size, _checksum(stream.fileno(), size))
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
        With the file and the command that makes it again.
    """
    if fault := found_fault(path):
        raise DataError(f"{path}: {fault}; make it again: snakemake --cores all -R {path}")
    return path


def found_fault(path: Path) -> str:
    """Return what is wrong with a sealed file, in one line; empty where it is as it was written."""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            if path.suffix == HDF5:
                size = max(size - SEAL.size, 0)
                stream.seek(size)
                seal = stream.read()
            else:
                seal = beside(path).read_bytes()
            if len(seal) != SEAL.size or not seal.startswith(MARK):
                return "truncated, or not written by this version of grambench"
            _, expected, checksum = SEAL.unpack(seal)
            if size != expected:
                return f"damaged, expected {expected} bytes of content, got {size}"
            got = _checksum(stream.fileno(), size)
    except OSError as error:
        return f"cannot be read ({error.strerror}: {error.filename})"
    return "" if got == checksum else f"damaged, expected checksum {checksum:08x}, got {got:08x}"


def _to_disk(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def _checksum(descriptor: int, size: int) -> int:
    if size == 0:  # nothing to map
        return zlib.crc32(b"")
    with (
        mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as whole,
        whole[:size] as content,
    ):
        return zlib.crc32(content)


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path`, whole or not at all."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def sha256(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
