"""The errors a user can cause or meet; each message says what was expected, what was got and what to do."""

import difflib
from collections.abc import Iterable


class GrambenchError(Exception):
    """Base of all errors that are reported in one line, without a traceback."""


class ConfigError(GrambenchError):
    """A YAML file, a name or an option is wrong."""


class DataError(GrambenchError):
    """A data file is missing, damaged or not what its description says."""


class SolverError(GrambenchError):
    """A numerical problem has no solution, or none was found within the limits."""


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
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
    return ConfigError(f"unknown {kind} {name!r}: {hint}")


class ContractError(GrambenchError):
    """An algorithm returned something that is not what `grambench.algorithms.fit` says it returns."""
