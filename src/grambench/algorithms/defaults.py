"""The parameters of an algorithm as its file states them, read without importing it: Numba and SciPy take a second."""

import ast
import dataclasses
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grambench import algorithms


def defaults(name: str) -> dict[str, Any]:
    """Return an algorithm's parameters with their defaults.

    Where they are not literals or names of such, in its file or in those that it imports from, it is imported.

    Raises
    ------
    Exception
        Whatever its file raises, a syntax error first of all.
    """
    try:
        return _fields(algorithms.source(name), "Parameters")
    except (LookupError, ValueError, TypeError):
        return dataclasses.asdict(algorithms.load(name).parameters())


def _fields(path: Path, name: str) -> dict[str, Any]:
    """Return the fields of a dataclass with their defaults, those of its bases first."""
    path, found = _definition(path, name)
    if not isinstance(found, ast.ClassDef):
        raise LookupError(f"{name} in {path} is no class")
    fields: dict[str, Any] = {}
    for base in found.bases:
        fields |= _fields(path, ast.unparse(base))
    for line in found.body:
        if isinstance(line, ast.AnnAssign):
            value = line.value
            fields[ast.unparse(line.target)] = ast.literal_eval(
                _definition(path, value.id)[1] if isinstance(value, ast.Name) else value  # type: ignore[arg-type]
            )
    return fields


def _definition(path: Path, name: str) -> tuple[Path, ast.AST]:
    """Return where a class or a constant is defined that a module knows as NAME or MODULE.NAME, and its definition."""
    head, _, rest = name.partition(".")
    for node in ast.parse(path.read_bytes()).body:
        match node:
            case ast.ClassDef() if node.name == name:
                return path, node
            case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
                return path, node.value
            case ast.ImportFrom(module=str(module)):
                for alias in node.names:
                    if (alias.asname or alias.name) == head:
                        return _definition(
                            *((_file(f"{module}.{alias.name}"), rest) if rest else (_file(module), alias.name))
                        )
    raise LookupError(f"no {name} in {path}")


def _file(module: str) -> Path:
    """Return the source of a module; only the packages that hold it are imported."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise LookupError(f"no source of {module}")
    return Path(spec.origin)
