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

SEAL = struct.Struct("<8sQI")  # follows the content: MARK, bytes, CRC-32
MARK = b"gbseal1\n"
TEMPORARY = re.compile(r"\..+-[a-z0-9_]{8}(\.\w+)?")  # as `atomic` names files
SMALL = 8 * 2**20  # bytes up to which the checksum is computed at every reading: 2 ms


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
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # mkstemp gives 0600: a shared results folder must stay readable
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
    """Yield a temporary path as `atomic` does, and append a seal to what the caller has written; see `check`.

    HDF5 does not mind what follows its content.
    """
    with atomic(path) as temporary:
        yield temporary
        with temporary.open("r+b") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.write(SEAL.pack(MARK, size, _checksum(stream.fileno(), size)))


def check(path: Path) -> None:
    """Notice that a sealed file was truncated, or changed by as little as a bit, after it was written.

    The checksum of a large file is computed by its first reader, who leaves a note, and again when the file's time has
    changed: a run maps gigabytes of which it may read little, and whatever writes to a file sets its time.

    Raises
    ------
    DataError
        With the file and the command that makes it again.
    """
    fault = _fault(path)
    if fault:
        raise DataError(f"{path}: {fault}; make it again: snakemake --cores all -R {path}")


def _fault(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END) - SEAL.size
            stream.seek(max(size, 0))
            seal = stream.read()
            if len(seal) < SEAL.size or not seal.startswith(MARK):
                return "truncated, or not written by this version of grambench"
            _, expected, checksum = SEAL.unpack(seal)
            if size != expected:
                return f"damaged, expected {expected} bytes of content, got {size}"
            state = os.fstat(stream.fileno())
            note, now = path.with_name(f".{path.name}.checked"), f"{state.st_ino} {state.st_mtime_ns} {checksum}"
            if size > SMALL and note.is_file() and note.read_text(encoding="utf-8") == now:
                return ""
            got = _checksum(stream.fileno(), size)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if got != checksum:
        return f"damaged, expected checksum {checksum:08x}, got {got:08x}"
    if size > SMALL:
        with contextlib.suppress(OSError):  # who may only read checks every time
            write_text(note, now)
    return ""


def _checksum(descriptor: int, size: int) -> int:
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
