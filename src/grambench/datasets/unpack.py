"""Compressed files and archives from outside: what is damaged, or unpacks to more than it may, is a DataError.

Nothing is unpacked to a path that an archive names, and no link in one is followed.
"""

import bz2
import gzip
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

MEBIBYTE = 2**20
OPENERS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}  # by how their files begin

# what the libraries raise for damaged files, for encrypted ones, and for numbers that no machine can hold
DAMAGED = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    RuntimeError,
    OverflowError,
    MemoryError,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, slots=True)
class Bounded:
    """A stream that raises DataError where it goes beyond so many bytes.

    Attributes
    ----------
    stream : binary file
        What is read.
    name : str
        What errors call it.
    mebibytes : int
        The limit.
    """

    stream: IO[bytes]
    name: str
    mebibytes: int

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes, or all."""
        most = self.mebibytes * MEBIBYTE - self.stream.tell() + 1
        content = self.stream.read(min(size, most) if size >= 0 else most)
        self._allow(self.stream.tell())
        return content

    def seek(self, place: int) -> None:
        """Go to a place, counted from the beginning."""
        self._allow(place)
        self.stream.seek(place)

    def tell(self) -> int:
        """Return the place."""
        return self.stream.tell()

    def _allow(self, place: int) -> None:
        if place > self.mebibytes * MEBIBYTE:
            raise too_large(self.name, self.mebibytes)


def too_large(name: str, mebibytes: int) -> DataError:
    """Build the error for a file that is larger than it may be, as it comes or unpacked."""
    return DataError(f"{name}: expected at most {mebibytes} MiB, got more; `mebibytes` of its reader is the limit")


@contextmanager
def opened(path: Path, mebibytes: int) -> Iterator[Any]:
    """Open a file, compressed with gzip, bzip2 or xz or not, to be read as what it unpacks to; yields a Bounded.

    Raises
    ------
    DataError
        Where it is read beyond the limit.
    OSError
        If it is no ordinary file; beside that whatever the libraries raise.
    """
    if not path.is_file():  # a pipe would be waited for
        raise OSError(f"{path.name} is no ordinary file")
    with path.open("rb") as stream:
        start = stream.read(6)
    opener: Any = next((opener for magic, opener in OPENERS.items() if start.startswith(magic)), Path.open)
    with opener(path, "rb") as stream:
        yield Bounded(stream, path.name, mebibytes)


def tar_files(path: Path, mebibytes: int, largest: int) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the ordinary files in a tar archive.

    Parameters
    ----------
    path : Path
        The archive, compressed or not.
    mebibytes : int
        What all of it may unpack to.
    largest : int
        Mebibytes; files that have more are left out.

    Raises
    ------
    DataError
        If the archive is damaged, or unpacks to more.
    """
    with _understood(path), opened(path, mebibytes) as stream, tarfile.TarFile(fileobj=stream) as tar:
        for member in tar:
            if member.isreg() and not member.issparse() and member.size <= largest * MEBIBYTE:
                content = tar.extractfile(member)
                yield member.name.removeprefix("./"), content.read() if content else b""


def zip_files(path: Path, mebibytes: int, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of those files of a zip archive that are named.

    Raises
    ------
    DataError
        If the archive is damaged, or one of the files has more than so many mebibytes.
    """
    with _understood(path), zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.filename in names:
                if member.file_size > mebibytes * MEBIBYTE:
                    raise too_large(member.filename, mebibytes)
                yield member.filename, archive.read(member)


@contextmanager
def _understood(path: Path) -> Iterator[None]:
    try:
        yield
    except DAMAGED as error:
        what = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"{path.name}: expected an archive, got a damaged file ({what:.200})") from None
