"""The seeds of a repeat, in every protocol."""

import hashlib

import numpy as np


def seeds(root: int, dataset: str, repeat: int) -> tuple[np.random.SeedSequence, np.random.SeedSequence]:
    """Return the seeds of one repeat: of the order or split, shared by all algorithms, and of an algorithm's own draws.

    Parameters
    ----------
    root : int
        The project's seed.
    dataset : str
        Name of the data set.
    repeat : int
        Number of the repeat, from 0.
    """
    number = int.from_bytes(hashlib.sha256(dataset.encode()).digest()[:8], "big")
    shared, draws = np.random.SeedSequence([root, number, repeat]).spawn(2)
    return shared, draws
