"""Numbers with their nouns, names in one line, and labels within a sentence."""

from collections.abc import Iterable


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as in "1 data set", "2 data sets" and "2 studies"."""
    return f"{number} {noun if number == 1 else f'{noun[:-1]}ies' if noun.endswith('y') else f'{noun}s'}"


def in_line(names: Iterable[str], most: int | None = None) -> str:
    """Return names in one line, the first ones and how many more; with semicolons if one has a comma itself."""
    names = list(names)
    first = ("; " if any("," in name for name in names[:most]) else ", ").join(names[:most])
    return f"{first} and {len(names) - most} more" if most and len(names) > most else first


def within(label: str) -> str:
    """Return a label as it stands within a sentence."""
    return label if label[:2].isupper() or label[1:2] == " " else label[:1].lower() + label[1:]
