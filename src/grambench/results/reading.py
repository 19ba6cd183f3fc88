"""Reading files of results folders that may be anyone's: what is not as grambench writes it is told in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grambench.common.errors import DataError


@contextmanager
def as_written(path: Path) -> Iterator[None]:
    """Raise DataError where what is done with a file fails, since grambench, or this version, has not written it."""
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError(f"{path}: expected a file as grambench writes it, got another ({said:.200})") from None
