"""How many examples a holdout study draws; light enough for runs, which do without the models of the YAML files."""

from collections.abc import Mapping
from typing import Any

from grambench.common.errors import DataError


def drawn(protocol: Mapping[str, Any], dataset: str, n: int) -> tuple[int, int, int]:
    """Return the numbers of training, validation and test examples of a data set of n.

    Parameters
    ----------
    protocol : dict
        See grambench.config.protocols.Holdout.
    dataset : str
        Its name.
    n : int
        What it has.

    Raises
    ------
    DataError
        If it has not that many.
    """
    asked = protocol["sizes"].get(dataset, protocol["sizes"].get("default"))
    if asked is None:
        total = min(n, protocol["most"])
        train, validation = (int(share * total) for share in protocol["shares"][:2])
        return train, validation, total - train - validation
    if sum(asked) > n:
        raise DataError(f"{dataset}: {' + '.join(map(str, asked))} examples are asked for, it has {n}")
    return tuple(asked)
