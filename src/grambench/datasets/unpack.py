"""Reads compressed files and archives from outside; a damaged or too large file is a DataError.

No file is written to a path that an archive names, and no link in an archive is followed.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from grambench.common.errors import DataError
from grambench.common.files import open_regular

MEBIBYTE = 2**20

# The exceptions of libraries for damaged or encrypted files, and for impossible sizes
DAMAGED = (
    *(OSError, EOFError, ValueError, LookupError, RuntimeError, OverflowError, MemoryError),
    *(lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zlib.error),
)


def _open_member(path: Path, _mode: str) -> IO[bytes]:
    """Open the only file of a zip archive."""
    with zipfile.ZipFile(path) as archive:
        # macOS adds files of its own
        files = [file for file in archive.infolist() if not file.is_dir() and not file.filename.startswith("__MACOSX/")]
        if len(files) != 1:
            raise DataError(f"{path.name}: expected an archive with one file, got {len(files)}; save a sheet as CSV")
        return archive.open(files[0])


# by the first bytes of a file
OPENERS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open, b"PK\x03\x04": _open_member}


@dataclass(frozen=True)
class Bounded(io.IOBase):
    """A stream that raises DataError beyond a limit of its size.

    Attributes
    ----------
    stream : binary file
        The stream to read.
    name : str
        The name of the stream in errors.
    mebibytes : int
        The largest size.
    """

    stream: IO[bytes]
    name: str
    mebibytes: int

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes, or all."""
        limit = self.mebibytes * MEBIBYTE - self.stream.tell() + 1
        content = self.stream.read(min(size, limit) if size >= 0 else limit)
        check_size(self.name, self.stream.tell(), self.mebibytes)
        return content

    def readable(self) -> bool:
        """Return True."""
        return True

    def seek(self, position: int, whence: int = 0) -> int:
        """Go to a position, counted from the beginning."""
        check_size(self.name, position, self.mebibytes)
        return self.stream.seek(position, whence)

    def tell(self) -> int:
        """Return the position."""
        return self.stream.tell()


def check_size(name: str, size: int, mebibytes: int) -> None:
    """Raise DataError if a file of a size in bytes is too large, packed or unpacked."""
    if size > mebibytes * MEBIBYTE:
        raise DataError(f"{name}: expected at most {mebibytes} MiB, got more; `mebibytes` of its reader is the limit")


@contextmanager
def opened(path: Path, mebibytes: int) -> Iterator[Any]:
    """Open a file, uncompressed or compressed with gzip, bzip2, xz or zip, and yield its content as a Bounded.

    Raises
    ------
    DataError
        If it is read beyond the limit.
    OSError
        If it is no regular file. The libraries may raise any exception of DAMAGED.
    """
    with open_regular(path) as stream:
        start = stream.read(6)
    opener: Any = next((opener for magic, opener in OPENERS.items() if start.startswith(magic)), Path.open)
    with opener(path, "rb") as stream:
        yield Bounded(stream, path.name, mebibytes)


def tar_files(path: Path, mebibytes: int, largest: int) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each ordinary file in a tar archive.

    Parameters
    ----------
    path : Path
        The archive, compressed or not.
    mebibytes : int
        The largest unpacked size of the archive.
    largest : int
        The largest size of a file in mebibytes; larger files are left out.

    Raises
    ------
    DataError
        If the archive is damaged or too large.
    """
    with _report_damage(path), opened(path, mebibytes) as stream, tarfile.TarFile(fileobj=stream) as tar:
        for member in tar:
            if member.isreg() and not member.issparse() and member.size <= largest * MEBIBYTE:
                content = tar.extractfile(member)
                yield member.name.removeprefix("./"), content.read() if content else b""


def zip_files(path: Path, mebibytes: int, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of some files of a zip archive.

    Raises
    ------
    DataError
        If the archive is damaged, or one of the files is larger than `mebibytes`.
    """
    with _report_damage(path), zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.filename in names:
                check_size(member.filename, member.file_size, mebibytes)
                yield member.filename, archive.read(member)


@contextmanager
def _report_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except DAMAGED as error:
        message = " ".join(str(getattr(error, "strerror", None) or error).split()) or type(error).__name__
        raise DataError(f"{path.name}: expected an archive, got a damaged file ({message:.200})") from None
