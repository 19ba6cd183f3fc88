"""Registries: each file in a folder is an entry with the name of the file."""

import importlib
import os
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
        The kind of thing that an entry is, for messages.
    package : str
        The dotted name of the package.
    folder : Path
        The folder of the package.
    categories : sequence of str
        The subfolders that hold the entries; "" stands for the folder of the package itself.
    """

    kind: str
    package: str
    folder: Path
    categories: Sequence[str] = ("",)

    def names(self, category: str | None = None) -> list[str]:
        """Return the names of all entries, or of those in one category."""
        categories = self.categories if category is None else (category,)
        return sorted(path.stem for name in categories for path in (self.folder / name).glob("[a-z]*.py"))

    def category(self, name: str) -> str | None:
        """Return the category of an entry; None for an unknown name."""
        if not (name.isidentifier() and name[0].islower()):
            return None
        # a plan asks a thousand times: pathlib takes five times as long
        files = ((category, f"{self.folder}/{category}/{name}.py") for category in self.categories)
        return next((category for category, path in files if os.path.isfile(path)), None)  # noqa: PTH113

    def module(self, name: str) -> str:
        """Return the dotted name of an entry's module; raise ConfigError for an unknown name."""
        if (category := self.category(name)) is None:
            raise unknown_name(self.kind, name, self.names())
        return ".".join(filter(None, (self.package, category, name)))

    def load(self, name: str) -> ModuleType:
        """Import the module of an entry; raise ConfigError for an unknown name."""
        return importlib.import_module(self.module(name))
