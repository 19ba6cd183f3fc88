"""Reads files as the description of a data set asks for."""

from pydantic import TypeAdapter

from grambench.datasets import readers

ADAPTER = TypeAdapter(readers.AnyReader)


def read(format, *paths, **options):
    """Return what a reader finds in files; of labels, 1 is positive unless the options name another."""
    reader = ADAPTER.validate_python({"format": format, "positive": 1} | options)
    return readers.read(reader, {path.name: path for path in paths})
