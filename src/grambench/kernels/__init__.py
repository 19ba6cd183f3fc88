"""Kernel functions, their Gram matrices in memory and on disk, and families with a continuous parameter."""
