"""Declarations of the columns of result files, kept beside the code that writes the files, and enforced.

docs/data_dictionary.md is made from the declarations (docs/data_dictionary.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd

Kind = Literal["text", "number", "integer", "boolean"]
TYPES: dict[Kind, str] = {"text": "str", "number": "float64", "integer": "int64", "boolean": "bool"}
MISSING: dict[Kind, Any] = {"text": "", "number": float("nan"), "integer": 0, "boolean": False}


class Column(NamedTuple):
    """One column: its name, the kind of its values, what they mean and their unit.

    A text that is missing is empty, a number NaN; integers and booleans are never missing.
    """

    name: str
    kind: Kind
    meaning: str
    unit: str = ""


@dataclass(frozen=True)
class Table:
    """The declaration of a file.

    Attributes
    ----------
    file : str
        Its name below results/<study>.
    row : str
        What a row is.
    columns : tuple of Column
        What it has, in this order, and nothing else.
    """

    file: str
    row: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def frame(self, rows: Iterable[Mapping[str, Any]] | Iterable[Sequence[Any]]) -> pd.DataFrame:
        """Return rows as a table with each column of its type; values that a mapping leaves out are missing.

        Raises
        ------
        ValueError
            If a row has an undeclared column, or a value is of another kind.
        """
        records = list(rows)
        undeclared = {str(name) for row in records if isinstance(row, Mapping) for name in row} - set(self.names)
        if undeclared:
            raise ValueError(f"{self.file} declares {', '.join(self.names)}, got {', '.join(sorted(undeclared))} too")
        table = pd.DataFrame(records, columns=self.names)
        for column in self.columns:
            values = table[column.name].astype(object)
            values = values.where(values.notna(), MISSING[column.kind])
            table[column.name] = values.astype(TYPES[column.kind])  # type: ignore[call-overload]
        return table

    def read(self, path: Path) -> pd.DataFrame:
        """Read a CSV file as it was written, whatever its texts say."""
        types = {column.name: TYPES[column.kind] for column in self.columns}
        numbers = {column.name: [""] for column in self.columns if column.kind == "number"}
        return pd.read_csv(path, dtype=types, keep_default_na=False, na_values=numbers)
