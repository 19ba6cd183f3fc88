"""A benchmark of online kernel selection and multiple-kernel learning: published numbers beside reproduced ones."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("grambench")
except PackageNotFoundError:  # a copied source tree on PYTHONPATH
    __version__ = "unknown"
