"""The errors a user can cause or meet; each message says what was expected, what was got and what to do."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from grambench.common.counts import in_line

# Escape sequences of terminals, other control characters, and unpaired surrogates
UNPRINTABLE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
)


REFUSED = 2  # exit code for a wrong call or configuration
MOST_NAMES = 60  # that a message lists
MOST_LINES = 40  # of a message: a table may have a fault in each row
NEAR = 0.6  # the least similarity of a name to its misspelling; "nope" and "ionosphere" have 0.57


class GrambenchError(Exception):
    """Base of all errors that are reported in one line, without a traceback."""


class ConfigError(GrambenchError):
    """A YAML file, a name or an option is wrong."""


class DataError(GrambenchError):
    """A data file is missing, damaged or not what its description says."""


class SolverError(GrambenchError):
    """A numerical problem has no solution, or none was found within the limits."""


def unknown_name(kind: str, name: str, existing: Iterable[str]) -> ConfigError:
    """Return the error for a name that does not exist, with the nearest existing names.

    Parameters
    ----------
    kind : str
        The kind of thing that the name should denote, in the singular ("data set").
    name : str
        The name that does not exist.
    existing : iterable of str
        All names that exist.
    """
    # Most jobs have no wrong name and are spared the import.
    import difflib

    names = sorted(existing)
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=NEAR)
    known = f"known: {in_line(names, MOST_NAMES)}" if names else "there is none"
    hint = f"did you mean {' or '.join(near)}?" if near else known
    return ConfigError(f"unknown {kind} {name!r}: {hint}")


class Faults:
    """The faults of a configuration, collected to be reported together.

    Attributes
    ----------
    lines : list of str
        One line per fault: the file, the key, what was expected.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []

    @contextmanager
    def at(self, where: str = "") -> Iterator[None]:
        """Collect the ConfigErrors of the body; `where` is the file and the key if the errors do not name them."""
        try:
            yield
        except ConfigError as error:
            lines = (f"{where}: {line}" if where else line for line in str(error).splitlines())
            self.lines += [line for line in lines if line not in self.lines]

    def known(self, where: str, kind: str, names: Iterable[str], existing: Iterable[str]) -> list[str]:
        """Return the names that exist, and collect a fault for each of the others; see `unknown_name`."""
        names, existing = list(names), list(existing)
        for name in names:
            with self.at(where):
                if name not in existing:
                    raise unknown_name(kind, name, existing)
        return [name for name in names if name in existing]

    def report(self) -> None:
        """Raise ConfigError if there are faults."""
        if self.lines:
            raise ConfigError("\n".join(self.lines))


def error_lines(error: GrambenchError) -> str:
    """Return the message with which a program ends after an error: a line per fault, and how many are left out."""
    lines = str(error).split("\n")
    more = [f"and {len(lines) - MOST_LINES} more"] * (len(lines) > MOST_LINES)
    return "\n".join(f"grambench: {visible(line)}" for line in [*lines[:MOST_LINES], *more])


def reason(error: BaseException) -> str:
    """Return an exception in one line: its type and the first line of its message."""
    first_line, *_ = f"{type(error).__name__}: {error}".strip().splitlines()
    return " ".join(first_line.split())


def cause(error: OSError) -> str:
    """Return why the system refused something; libraries put words of theirs around those of the system."""
    return os.strerror(error.errno) if error.errno else error.strerror or str(error)


def one_line(error: Exception) -> str:
    """Return the message of an error of ours, and any other exception as `reason` does."""
    return str(error) if isinstance(error, GrambenchError) else reason(error)


def plain(text: str) -> str:
    """Return a text from outside without NUL, which YAML and HDF5 cannot hold, and without escape sequences."""
    return UNPRINTABLE.sub("", text)


def visible(text: str) -> str:
    """Return a text with its control characters as a terminal can show them: a path may hold any."""
    return UNPRINTABLE.sub(lambda match: ascii(match[0])[1:-1], text)


class ContractError(GrambenchError):
    """An algorithm returned something that `grambench.algorithms.fit` does not allow."""
