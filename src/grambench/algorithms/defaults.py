"""The default parameters of an algorithm, read from its file without importing it and what it imports."""

import ast
import dataclasses
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grambench import algorithms


def defaults(name: str) -> dict[str, Any]:
    """Return an algorithm's parameters with their defaults.

    The module is imported only if a default is neither a literal nor the name of one.

    Raises
    ------
    Exception
        Any error of reading or importing the file, such as a syntax error.
    """
    try:
        return _dataclass_defaults(algorithms.source(name), "Parameters")
    except (LookupError, ValueError, TypeError):
        return dataclasses.asdict(algorithms.load(name).parameters())


def _dataclass_defaults(path: Path, name: str) -> dict[str, Any]:
    """Return the fields of a dataclass with their defaults, inherited fields first."""
    path, definition = _find_definition(path, name)
    if not isinstance(definition, ast.ClassDef):
        raise LookupError(f"{name} in {path} is no class")
    fields: dict[str, Any] = {}
    for base in definition.bases:
        fields |= _dataclass_defaults(path, ast.unparse(base))
    for statement in definition.body:
        if isinstance(statement, ast.AnnAssign):
            value = statement.value
            fields[ast.unparse(statement.target)] = ast.literal_eval(
                _find_definition(path, value.id)[1] if isinstance(value, ast.Name) else value  # type: ignore[arg-type]
            )
    return fields


def _find_definition(path: Path, name: str) -> tuple[Path, ast.AST]:
    """Return the file and the definition of a class or constant that a module refers to as NAME or MODULE.NAME."""
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
                        source = f"{module}.{alias.name}" if rest else module
                        return _find_definition(_source_file(source), rest or alias.name)
    raise LookupError(f"no {name} in {path}")


def _source_file(module: str) -> Path:
    """Return the source file of a module, of which only the parent packages are imported."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise LookupError(f"no source of {module}")
    return Path(spec.origin)
