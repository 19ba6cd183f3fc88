"""Numba's cache of compiled code with a checksum at the end of each file; damaged files are compiled again.

Numba itself does not check the files: an empty one is an error in every process that reads it, and a changed one causes
a crash or a wrong number. Numba imports this module by NUMBA_CACHE_LOCATOR_CLASSES (grambench.pipeline.compiled).
"""

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core import caching

from grambench.common.shipped import PACKAGE

# MARK and CRC-32, after the content that numba writes and reads
TRAILER = struct.Struct("<8sI")
MARK = b"gbcache\n"


class Sealed(caching.UserProvidedCacheLocator):
    """The folder NUMBA_CACHE_DIR; copies of the package share what one of them has compiled."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the place of a module's folder in the package, or a name of a folder elsewhere by its path."""
        path = Path(py_file).parent
        if path.is_relative_to(PACKAGE):
            return str(path.relative_to(PACKAGE.parent))
        return str(super().get_suitable_cache_subpath(py_file))


class SealedFiles(caching.IndexDataCacheFile):
    """The files of one function: an index, and one for each of its signatures."""

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(filepath) as stream:
            content = io.BytesIO()
            yield content
            stream.write(content.getvalue() + TRAILER.pack(MARK, zlib.crc32(content.getvalue())))

    def _load_index(self) -> Any:
        return super()._load_index() if _is_intact(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        # at this error numba compiles the function again
        if not _is_intact(self._data_path(name)):
            raise FileNotFoundError(name)
        return super()._load_data(name)


def _is_intact(path: str) -> bool:
    """Return whether a file exists and has the checksum of its content at its end."""
    content = Path(path).read_bytes() if Path(path).is_file() else b""
    body = content[: -TRAILER.size]
    return content[len(body) :] == TRAILER.pack(MARK, zlib.crc32(body))


caching.IndexDataCacheFile = SealedFiles  # type: ignore[misc]
