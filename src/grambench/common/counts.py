"""Numbers with their nouns."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as in "1 data set", "2 data sets" and "2 studies"."""
    return f"{number} {noun if number == 1 else f'{noun[:-1]}ies' if noun.endswith('y') else f'{noun}s'}"
