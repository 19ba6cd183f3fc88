"""Docstrings that users read: the help of commands, the claims of papers, the meaning of parameters."""

import ast
import inspect
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
