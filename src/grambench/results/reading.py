"""Report files of results folders that grambench has not written as an error of one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grambench.common.errors import DataError, GrambenchError, cause, reason


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
