"""Programs that stand outside the package, as modules."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def load(name):
    """Return the module of a file, by its path below the root of the repository."""
    spec = importlib.util.spec_from_file_location(Path(name).stem, ROOT / name)
    module = importlib.util.module_from_spec(spec)
    # Another process of the tests, which loads what this one has compiled, asks for the module by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
