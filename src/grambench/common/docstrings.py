"""Docstrings that users read: the help of commands, the claims of papers, the meaning of parameters."""

import ast
import functools
import inspect
import re
import sys
from textwrap import dedent
from typing import Any


def docstring(item: Any) -> str:
    """Return the docstring of a class or a function without its indentation; empty if it has none.

    With PYTHONOPTIMIZE=2, Python removes docstrings; they are then read from the source.
    """
    if sys.flags.optimize < 2:
        return inspect.cleandoc(item.__doc__ or "")
    try:
        definition = ast.parse(dedent(inspect.getsource(item))).body[0]
    # built-in classes have no source
    except (OSError, TypeError):
        return ""
    return ast.get_docstring(definition) or "" if isinstance(definition, ast.ClassDef | ast.FunctionDef) else ""


def attributes(cls: Any) -> dict[str, str]:
    """Return the description of each attribute of a class, inherited ones included, from numpydoc docstrings."""
    descriptions: dict[str, str] = {}
    for base in reversed(inspect.getmro(cls)):
        of_base = _attributes(docstring(base))
        # "See Base" refers to the description that is inherited
        descriptions |= {name: text for name, text in of_base.items() if name not in descriptions or text[:4] != "See "}
    return descriptions


@functools.cache
def _attributes(text: str) -> dict[str, str]:
    """Return the description of each attribute in one docstring."""
    descriptions: dict[str, str] = {}
    names: list[str] = []
    summary, _, section = text.partition("Attributes\n----------\n")
    # Without the section, the summary may say it of the only parameter, as in the examples of docs/extending.md.
    if not section and (only := re.fullmatch(r"(\w+): (.+)", summary, re.DOTALL)):
        return {only[1]: " ".join(only[2].split())}
    for line in section.splitlines():
        if line and not line.startswith(" "):
            names = [name.strip() for name in line.partition(" :")[0].split(",")]
        elif line.strip():
            descriptions |= {name: f"{descriptions.get(name, '')} {line.strip()}".strip() for name in names}
    return descriptions
