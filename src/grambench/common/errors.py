"""The errors a user can cause or meet; each message says what was expected, what was got and what to do."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

# what moves a terminal's cursor, colours or names it; then all else that is no character of a text, and halves of one
UNPRINTABLE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
)


REFUSED = 2  # exit code where the call or the configuration is wrong
NEAR = 0.6  # of two names that a typing error makes of each other; "nope" is 0.57 of "ionosphere"


class GrambenchError(Exception):
    """Base of all errors that are reported in one line, without a traceback."""


class ConfigError(GrambenchError):
    """A YAML file, a name or an option is wrong."""


class DataError(GrambenchError):
    """A data file is missing, damaged or not what its description says."""


class SolverError(GrambenchError):
    """A numerical problem has no solution, or none was found within the limits."""


RENAMED = {  # keys, kinds and metrics that files of earlier versions have
    "parts": "outer_folds",
    "folds": "inner_folds",
    "repeats": "repetitions",
    "heads": "characteristics",
    "nested": "nested_cv",
    "holdout": "random_splits",
    "split": "official_split",
    "classes": "per_class_splits",
    "chosen_c": "selected_C",
    "chosen_value": "selected_value",
    "search_seconds": "fit_seconds",
}


def unknown_name(kind: str, name: str, known: Iterable[str]) -> ConfigError:
    """Build the error for a name that does not exist, with the nearest ones that do.

    Parameters
    ----------
    kind : str
        What the name should denote, in the singular ("data set").
    name : str
        The name as given.
    known : iterable of str
        All names that exist.
    """
    import difflib  # not in every job: few names are wrong

    names = sorted(known)
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=NEAR)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
    if RENAMED.get(name) in names:
        hint = f"it is called {RENAMED[name]} now"
    return ConfigError(f"unknown {kind} {name!r}: {hint}")


class Faults:
    """What is wrong with a configuration, gathered so that a user learns all of it at once.

    Attributes
    ----------
    lines : list of str
        One a fault: the file, the key, what was expected.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []

    @contextmanager
    def at(self, where: str = "") -> Iterator[None]:
        """Gather the faults of what is done inside, with the file and the key where that does not know them."""
        try:
            yield
        except ConfigError as error:
            said = (f"{where}: {line}" if where else line for line in str(error).splitlines())
            self.lines += [line for line in said if line not in self.lines]

    def known(self, where: str, kind: str, names: Iterable[str], existing: Iterable[str]) -> list[str]:
        """Return those of some names that exist, and gather the others; see `unknown_name`."""
        names, existing = list(names), list(existing)
        for name in names:
            with self.at(where):
                if name not in existing:
                    raise unknown_name(kind, name, existing)
        return [name for name in names if name in existing]

    def report(self) -> None:
        """Raise ConfigError where there are faults."""
        if self.lines:
            raise ConfigError("\n".join(self.lines))


def told(error: GrambenchError) -> str:
    """Return what a program says where it ends with an error: a line or, of several faults, some."""
    return "\n".join(f"grambench: {line}" for line in str(error).splitlines())


def reason(error: BaseException) -> str:
    """Return an exception in one line: its type, and the first line of what it says."""
    said = f"{type(error).__name__}: {error}".strip()
    return " ".join(said.splitlines()[0].split())


def plain(text: str) -> str:
    """Return a text of others without what no file of ours can hold (NUL) or a terminal obeys (escape sequences)."""
    return UNPRINTABLE.sub("", text)


class ContractError(GrambenchError):
    """An algorithm returned something that is not what `grambench.algorithms.fit` says it returns."""
