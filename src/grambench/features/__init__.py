"""The registry of image descriptors: one file in `descriptors/` is one descriptor, under the file's name.

A module defines

- a docstring with the paper and every deviation; the first line up to a colon is the descriptor's title;
- `Parameters`, a frozen dataclass that checks itself;
- for a descriptor of the whole image, `describe(parameters, image)`, which returns a dict of one vector per layout;
- for a descriptor of points, `local(parameters, image)`, which returns a `grambench.features.points.Local`.
  `grambench.features.words` quantises its vectors with a codebook of `Parameters.words` words.

An image is an ndarray of uint8 (h, w, 3), red, green, blue, as `grambench.features.images.decode` returns it. Layouts
are those of Guillaumin et al. (2010, CVPR, Section 4): "" is the whole image, "v3h1" are three horizontal bands of
equal height, concatenated from top to bottom. A view is a layout of a descriptor, under the descriptor's name.
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
DEFAULT_LAYOUTS = ("", "v3h1")
LAYOUTS = {"gist": ("",), "phog": ("0", "1", "2", "3")}  # of descriptors with other layouts


@functools.cache
def fault(name: str) -> str:
    """Return why a descriptor's file cannot be imported, in one line; empty if it can."""
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
    """Return all parameters of a descriptor with defaults, or its settings if its file cannot be imported."""
    return settings if fault(name) else dataclasses.asdict(parameters(name, settings))


def has_words(name: str) -> bool:
    """Return whether a descriptor is local, so that it needs a codebook of words."""
    return not fault(name) and hasattr(load(name), "local")


def views(name: str) -> list[str]:
    """Return the names of the views of a descriptor; raise ConfigError for an unknown descriptor."""
    module(name)
    return [f"{name}_{layout}" if layout else name for layout in LAYOUTS.get(name, DEFAULT_LAYOUTS)]


def descriptor(view: str) -> str:
    """Return the name of the descriptor of a view; raise ConfigError for an unknown view."""
    descriptors = {known_view: name for name in names() for known_view in views(name)}
    if view not in descriptors:
        raise unknown_name("view", view, descriptors)
    return descriptors[view]
