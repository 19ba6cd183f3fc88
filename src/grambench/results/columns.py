"""Declarations of the columns of result files, kept beside the code that writes the files, and enforced.

docs/data_dictionary.md is made from the declarations (docs/data_dictionary.py). This module is imported when a study is
loaded, by the kinds of its tables. It therefore imports pandas only where a table is made or read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

ALL = "all"  # as the name of a data set: all data sets of a study together
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

    def frame(self, rows: Iterable[Mapping[str, Any]] | Iterable[Sequence[Any]]) -> "pd.DataFrame":
        """Return rows as a table with each column of its type; values that a mapping leaves out are missing.

        Raises
        ------
        ValueError
            If a row has an undeclared column, or a value is of another kind.
        """
        import pandas as pd

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

    def read(self, path: Path) -> "pd.DataFrame":
        """Read a CSV file as it was written, whatever its texts say."""
        import pandas as pd

        types = {column.name: TYPES[column.kind] for column in self.columns}
        numbers = {column.name: [""] for column in self.columns if column.kind == "number"}
        return pd.read_csv(path, dtype=types, keep_default_na=False, na_values=numbers)


# columns of several files
STUDY = Column("study", "text", "name of the study, a file of config/studies")
DATASET = Column("dataset", "text", "name of the data set, a file of config/datasets")
ALGORITHM = Column("algorithm", "text", "name of a configuration in the study: an algorithm with its parameters")
ALGORITHM_TITLE = Column("algorithm_title", "text", "title of the configuration, as the table prints it")
METRIC = Column("metric", "text", "what was measured: a metric, or a number of one kernel or class (below)")
SWEEP = Column("sweep", "text", "name of the study's sweep; empty for a plain run")
ORDERS = Column(
    "orders",
    "text",
    "origin of permutations or splits: published, seeded, or stored (the order of the data); empty if nothing was run",
)
REPEAT = Column("repetition", "integer", "repetition from 0: a permutation, an outer fold or a random split")
