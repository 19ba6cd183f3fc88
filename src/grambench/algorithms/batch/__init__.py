"""Batch algorithms, one file each; see `grambench.algorithms` for what a file defines."""
