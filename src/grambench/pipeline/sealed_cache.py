"""Numba's cache of compiled code, each file with a checksum at its end; what is damaged is compiled again.

Numba runs what it finds: an empty file is an error in every process that reads it, and a changed one a crash or a wrong
number. It imports this module itself, where NUMBA_CACHE_LOCATOR_CLASSES says so (grambench.pipeline.compiled).
"""

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core import caching

SEAL = struct.Struct("<8sI")  # follows what numba writes and reads: MARK, CRC-32
MARK = b"gbcache\n"


class Sealed(caching.UserProvidedCacheLocator):
    """The folder NUMBA_CACHE_DIR."""


class SealedFiles(caching.IndexDataCacheFile):
    """The files of one function: an index, and one for each of its signatures."""

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(filepath) as stream:
            content = io.BytesIO()
            yield content
            stream.write(content.getvalue() + SEAL.pack(MARK, zlib.crc32(content.getvalue())))

    def _load_index(self) -> Any:
        return super()._load_index() if _whole(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not _whole(self._data_path(name)):
            raise FileNotFoundError(name)  # which numba takes for a reason to compile
        return super()._load_data(name)


def _whole(path: str) -> bool:
    content = Path(path).read_bytes() if Path(path).is_file() else b""
    body = content[: -SEAL.size]
    return content[len(body) :] == SEAL.pack(MARK, zlib.crc32(body))


caching.IndexDataCacheFile = SealedFiles  # type: ignore[misc]
