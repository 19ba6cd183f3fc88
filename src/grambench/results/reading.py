"""Read files of results folders, and report those that grambench has not written as an error of one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from grambench.common.errors import DataError, GrambenchError, cause, reason
from grambench.common.files import check


@contextmanager
def as_written(path: Path) -> Iterator[None]:
    """Raise DataError if the use of a file fails, since grambench, or this version, has not written it."""
    try:
        yield
    # Our own errors say more.
    except GrambenchError:
        raise
    # Libraries raise errors of many kinds, such as RecursionError for deep JSON and csv.Error for a long field.
    except Exception as error:
        if isinstance(error, OSError) and error.filename:
            raise DataError(f"{path}: cannot be read ({cause(error)})") from None
        raise DataError(f"{path}: expected a file of grambench, got another ({reason(error):.200})") from None


def content_of(path: Path) -> str:
    """Return the checksum of the content of a prepared data set; empty if the data set is unavailable."""
    check(path)
    with as_written(path), h5py.File(path, "r") as file:
        return str(file.attrs["content"]) if file.attrs["status"] == "ok" else ""
