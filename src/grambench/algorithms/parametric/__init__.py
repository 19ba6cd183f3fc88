"""Algorithms on a family of kernels, one file each; see `grambench.algorithms` for what a file defines."""
