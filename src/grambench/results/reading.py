"""Read results folders of any origin: a file that grambench has not written is an error of one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grambench.common.errors import DataError, GrambenchError, reason


@contextmanager
def as_written(path: Path) -> Iterator[None]:
    """Raise DataError if the use of a file fails, since grambench, or this version, has not written it."""
    try:
        yield
    except GrambenchError:  # which says more
        raise
    except Exception as error:  # as many kinds as libraries: RecursionError of deep JSON, csv.Error of a long field
        raise DataError(f"{path}: expected a file as grambench writes it, got another ({reason(error):.200})") from None
