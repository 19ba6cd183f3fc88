"""Algorithms that learn any number of classes at once."""
