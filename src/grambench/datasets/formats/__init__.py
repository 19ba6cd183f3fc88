"""Formats of data files: a module has the options of a format, and what reads it."""
