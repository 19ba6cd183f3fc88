"""Registries: one file in a folder is one entry, under the file's name."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from grambench.common.errors import unknown_name


@dataclass(frozen=True)
class Registry:
    """The modules of some folders of a package; no two of them share a name.

    Attributes
    ----------
    kind : str
        What an entry is, for messages.
    package : str
        The dotted name of the package.
    folder : Path
        The folder of the package.
    shelves : sequence of str
        The folders in it that hold the entries, "" for the package's own.
    """

    kind: str
    package: str
    folder: Path
    shelves: Sequence[str] = ("",)

    def names(self, shelf: str | None = None) -> list[str]:
        """Return the names of all entries, or of those on one shelf."""
        shelves = self.shelves if shelf is None else (shelf,)
        return sorted(path.stem for each in shelves for path in (self.folder / each).glob("[a-z]*.py"))

    def shelf(self, name: str) -> str | None:
        """Return the shelf of an entry; None for an unknown name."""
        if not name.isidentifier() or not name[:1].islower():
            return None
        return next((shelf for shelf in self.shelves if (self.folder / shelf / f"{name}.py").is_file()), None)

    def module(self, name: str) -> str:
        """Return the dotted name of an entry's module; raise ConfigError for an unknown name."""
        if (shelf := self.shelf(name)) is None:
            raise unknown_name(self.kind, name, self.names())
        return ".".join(filter(None, (self.package, shelf, name)))

    def load(self, name: str) -> ModuleType:
        """Import the module of an entry; raise ConfigError for an unknown name."""
        return importlib.import_module(self.module(name))
