"""Protocols: how algorithms meet data. One module a protocol."""
