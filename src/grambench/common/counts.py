"""Numbers with their nouns, names in one line, and labels within a sentence."""

from collections.abc import Iterable


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as in "1 data set", "2 data sets" and "2 studies"."""
    return f"{number} {noun if number == 1 else f'{noun[:-1]}ies' if noun.endswith('y') else f'{noun}s'}"


def in_line(names: Iterable[str]) -> str:
    """Return names in one line, with semicolons between them if one has a comma itself, as "Uniform SVM, centred"."""
    names = list(names)
    return ("; " if any("," in name for name in names) else ", ").join(names)


def within(label: str) -> str:
    """Return a label as it stands within a sentence."""
    return label if label[:2].isupper() or label[1:2] == " " else label[:1].lower() + label[1:]
