"""Reading files of results folders that may be anyone's: what is not as grambench writes it is told in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grambench.common.errors import DataError, GrambenchError, reason


@contextmanager
def as_written(path: Path) -> Iterator[None]:
    """Raise DataError where what is done with a file fails, since grambench, or this version, has not written it."""
    try:
        yield
    except GrambenchError:  # which says more
        raise
    except Exception as error:  # as many kinds as libraries: RecursionError of deep JSON, csv.Error of a long field
        raise DataError(f"{path}: expected a file as grambench writes it, got another ({reason(error):.200})") from None
