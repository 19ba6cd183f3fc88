"""The seeds of a repetition, in every protocol."""

import hashlib

import numpy as np


def seeds(root: int, dataset: str, repetition: int) -> tuple[np.random.SeedSequence, np.random.SeedSequence]:
    """Return the seeds of one repetition: of the permutation or split that all algorithms share, and of random fits.

    Parameters
    ----------
    root : int
        The project's seed.
    dataset : str
        Name of the data set.
    repetition : int
        Number of the repetition, from 0.
    """
    number = int.from_bytes(hashlib.sha256(dataset.encode()).digest()[:8], "big")
    shared, generators = np.random.SeedSequence([root, number, repetition]).spawn(2)
    return shared, generators
