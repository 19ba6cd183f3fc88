"""Parts of pages whose numbers are looked up: sentences, tables and verdicts of claims."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

NUMBER = r"([-+]?[\w.]*\w(?:-\w+)?|–)"  # also a number in words
WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
WORDS += ["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
WORDS += ["twenty", *(f"twenty-{word}" for word in WORDS[1:10])]


class Sentence(NamedTuple):
    """A part of a page, with `{}` in the place of each number, and the numbers as the page prints them."""

    text: str
    values: Sequence[str]

    def write(self, page: str) -> str:
        """Return a page with the numbers; raise ValueError unless it has the sentence once."""
        pieces = [re.sub(r"(\\ |\\\n)+", r"\\s+", re.escape(piece)) for piece in self.text.split("{}")]
        found = list(re.finditer(NUMBER.join(pieces), page))
        if len(found) != 1 or len(self.values) != len(pieces) - 1:
            filled = self.text.format(*self.values)
            raise ValueError(
                f"expected one sentence like {filled!r}, got {len(found)}; rewrite the page or the sentence"
            )
        (match,) = found
        for number, value in reversed([*enumerate(self.values, start=1)]):
            page = page[: match.start(number)] + value + page[match.end(number) :]
        return page


class Table(NamedTuple):
    """A table of a page: its first line, and the rows below the line of the columns' alignment."""

    head: str
    rows: Sequence[str]

    def write(self, page: str) -> str:
        """Return a page with the rows; raise ValueError unless it has a table with this first line once."""
        before, found, rest = page.partition(f"{self.head}\n")
        if not found or f"{self.head}\n" in rest:
            raise ValueError(f"expected one table with the first line {self.head!r}")
        alignment, _, rest = rest.partition("\n")
        rest = re.sub(r"\A(\|.*\n)+", "", rest)
        return f"{before}{self.head}\n{alignment}\n" + "".join(f"{row}\n" for row in self.rows) + rest


class Verdicts(NamedTuple):
    """The verdicts of claims in a table whose rows begin with the number of a claim."""

    verdicts: Mapping[str, str]

    def write(self, page: str) -> str:
        """Return a page with the verdicts; raise ValueError for a claim that has no row."""
        for claim, verdict in self.verdicts.items():
            page, found = re.subn(rf"^(\| {claim} [^|]*\| )\w+( \|)", rf"\g<1>{verdict}\g<2>", page, flags=re.MULTILINE)
            if found != 1:
                raise ValueError(f"expected one row of claim {claim}, got {found}")
        return page


Part = Sentence | Table | Verdicts


def points(value: float, *, plus: bool = False, decimals: int = 1) -> str:
    """Return points as pages print them, ".5" or "-1.2"; "-.0" is a little below 0."""
    # a mean of ten splits may lie halfway, where the order of a sum would decide
    text = f"{round(value, 9) + 0.0:{'+' if plus else ''}.{decimals}f}"
    return re.sub(r"^([-+]?)0\.", r"\1.", text)
