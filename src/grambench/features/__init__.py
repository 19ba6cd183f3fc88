"""The registry of image descriptors: one file in `descriptors/` is one descriptor, under the file's name.

A module defines

- its docstring: paper, every deviation; the first line is the descriptor's title up to a colon;
- `Parameters`, a frozen dataclass that checks itself;
- if it describes an image as a whole, `describe(parameters, image)`: a dict of a vector for each layout;
- if it describes an image at points, `local(parameters, image)`: a `grambench.features.points.Local`, of whose vectors
  `grambench.features.words` makes a vector for each layout; `Parameters.words` says how many words.

An image is an ndarray of uint8 (h, w, 3), red, green, blue, as `grambench.features.images.decode` makes it. Layouts are
those of Guillaumin et al. (2010, CVPR, Section 4): "" is the whole image, "v3h1" are three horizontal bands of equal
height, from top to bottom, one vector after the other. The views of a descriptor are its layouts under its name.
"""

import dataclasses
import functools
from pathlib import Path
from typing import Any

from grambench.common import settings as settings_of
from grambench.common.errors import unknown_name
from grambench.common.registry import Registry

REGISTRY = Registry("descriptor", __name__, Path(__file__).parent, ("descriptors",))
names, module, load = REGISTRY.names, REGISTRY.module, REGISTRY.load
BANDS = ("", "v3h1")
LAYOUTS = {"gist": ("",), "phog": ("0", "1", "2", "3")}  # of those that have others than the whole image and its bands


@functools.cache
def fault(name: str) -> str:
    """Return why a descriptor's file cannot be imported, in one line; empty where it can."""
    return settings_of.fault(load, name)


def parameters(name: str, settings: dict[str, Any]) -> Any:
    """Build a descriptor's parameters from its settings.

    Raises
    ------
    ConfigError
        For a parameter that does not exist or a value that is not allowed.
    """
    return settings_of.build(name, load(name).Parameters, settings)


def resolved(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return all parameters of a descriptor, defaults included; its settings where its file cannot be imported."""
    return settings if fault(name) else dataclasses.asdict(parameters(name, settings))


def has_words(name: str) -> bool:
    """Return whether a descriptor is local, so that a codebook of words has to be made first."""
    return not fault(name) and hasattr(load(name), "local")


def views(name: str) -> list[str]:
    """Return the names of the views that a descriptor gives; raise ConfigError for an unknown name."""
    module(name)
    return [f"{name}_{layout}" if layout else name for layout in LAYOUTS.get(name, BANDS)]


def descriptor(view: str) -> str:
    """Return the name of the descriptor that gives a view; raise ConfigError for an unknown view."""
    found = {each: name for name in names() for each in views(name)}
    if view not in found:
        raise unknown_name("view", view, found)
    return found[view]
