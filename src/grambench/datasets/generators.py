"""Synthetic data sets: each function draws examples of one problem from a random generator.

The generator of a problem that was published as a sample has a parameter `positives`, the number of examples of class
+1 in that sample. A new sample can thereby replace the published one.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from grambench.common.errors import DataError
from grambench.common.types import Floats

Sample = tuple[Floats, NDArray[np.int8]]
Part = tuple[int, int]

# The last bits of sines and logarithms differ between platforms. Without rounding they would change the content.
DECIMALS = 6
DRAWN = 65536  # examples of a stream that are drawn together, on which its content depends


def generate(generator: str, parameters: Mapping[str, float], seed: int, n: int) -> Sample:
    """Draw a data set.

    Parameters
    ----------
    generator : str
        A name in GENERATORS.
    parameters : mapping
        The parameters of the generator by name.
    seed : int
        The seed of the random numbers.
    n : int
        The number of examples.

    Returns
    -------
    features : ndarray of float64 (n, d)
        Rounded to six decimals.
    labels : ndarray of int8 (n,)
        -1 or +1.

    Raises
    ------
    DataError
        If the generator has no such parameter, or lacks a required one.
    """
    return next(draw(generator, parameters, seed, n, size=n))


def draw(generator: str, parameters: Mapping[str, float], seed: int, n: int, size: int = DRAWN) -> Iterator[Sample]:
    """Yield the examples of a stream, `size` at a time; see `generate`.

    A problem that changes over time has a parameter `part`: the number of the first example, and n.
    """
    function = GENERATORS[generator]
    rng, signature = np.random.default_rng(seed), inspect.signature(function)
    for start in range(0, n, size):
        count = min(size, n - start)
        part = {"part": (start, n)} if "part" in signature.parameters else {}
        try:
            signature.bind(rng, count, **part, **parameters)
        except TypeError as error:
            names = ", ".join(name for name in list(signature.parameters)[2:] if name not in part) or "none"
            raise DataError(f"generator {generator}: {error}; its parameters: {names}") from None
        features, labels = function(rng, count, **parameters, **part)
        yield features.round(DECIMALS), labels.astype(np.int8)


def dirichlet(rng: np.random.Generator, n: int) -> Sample:
    """Draw points of an interval whose sign is that of a sum of three sines.

    x is uniform on [-10, 10], its label the sign of sin(sqrt(2) x) + sin(sqrt(12) x) + sin(sqrt(60) x): a problem for
    Dirichlet kernels of these three frequencies (Afkanpour et al. 2013, Section 3.1, Figure 1).
    """
    # Rounded before labelling, because the labels must fit the stored points.
    points = rng.uniform(-10, 10, size=(n, 1)).round(DECIMALS)
    return points, np.where(three_sines(points[:, 0]) > 0, 1, -1)


def three_sines(x: Floats) -> Floats:
    """Return sin(sqrt(2) x) + sin(sqrt(12) x) + sin(sqrt(60) x) at each x (n,)."""
    total: Floats = np.sin(x[:, None] * np.sqrt([2, 12, 60])).sum(axis=1)
    return total


def relevance(rng: np.random.Generator, n: int, *, gamma: float, rho: float = 1.75, d: int = 50) -> Sample:
    """Draw two Gaussians whose means differ more in later features.

    The covariance is the identity, the means are +-rho theta / ||theta|| with theta_i = (i / d)^gamma for i = 1..d, and
    the classes are equally likely (Afkanpour et al. 2013, Section 3.1, Figure 2).
    """
    theta = (np.arange(1, d + 1) / d) ** gamma
    labels = rng.choice([-1, 1], size=n)
    means = labels[:, None] * (rho * theta / np.linalg.norm(theta))
    return means + rng.standard_normal((n, d)), labels


def ringnorm(rng: np.random.Generator, n: int, *, positives: int | None = None) -> Sample:
    """Draw a Gaussian inside another.

    Class +1 is N(0, 4 I), class -1 is N((a, ..., a), I) with a = 2 / sqrt(20), in 20 dimensions (Breiman 1996, Bias,
    variance, and arcing classifiers, technical report 460, University of California, Berkeley).
    """
    labels = _shuffled(rng, n, positives)
    noise = rng.standard_normal((n, 20))
    return np.where(labels[:, None] == 1, 2 * noise, noise + 2 / np.sqrt(20)), labels


def twonorm(rng: np.random.Generator, n: int) -> Sample:
    """Draw two Gaussians whose means are apart along the diagonal.

    Class +1 is N((a, ..., a), I), class -1 is N((-a, ..., -a), I) with a = 2 / sqrt(20), in 20 dimensions, and the
    classes are equally likely. The least possible error is 2.28 % (Breiman 1996, see ringnorm).
    """
    labels = rng.choice([-1, 1], size=n)
    return labels[:, None] * (2 / np.sqrt(20)) + rng.standard_normal((n, 20)), labels


def chessboard(rng: np.random.Generator, n: int, *, squares: int, noise: float) -> Sample:
    """Draw points of a square whose label is the colour of a chessboard, wrong with the probability `noise`.

    x is uniform on [0, squares]^2; the least possible error is `noise`.
    """
    points = rng.uniform(0, squares, size=(n, 2)).round(DECIMALS)
    colours = np.where(np.floor(points).sum(axis=1) % 2 == 0, 1, -1)
    return points, np.where(rng.uniform(size=n) < noise, -colours, colours)


def sea(rng: np.random.Generator, n: int, *, noise: float = 0.1, part: Part | None = None) -> Sample:
    """Draw examples whose labels follow a threshold that changes three times, at each quarter.

    x is uniform on [0, 10]^3, its label the sign of theta - x_1 - x_2 with theta = 8, 9, 7 and 9.5, wrong with the
    probability `noise`; x_3 tells nothing (Street and Kim 2001, KDD, A streaming ensemble algorithm).
    """
    points = rng.uniform(0, 10, size=(n, 3)).round(DECIMALS)
    start, total = part or (0, n)
    theta = np.array([8.0, 9.0, 7.0, 9.5])[4 * np.arange(start, start + n) // total]
    labels = np.where(points[:, 0] + points[:, 1] <= theta, 1, -1)
    return points, np.where(rng.uniform(size=n) < noise, -labels, labels)


def turning_plane(
    rng: np.random.Generator, n: int, *, turns: float, noise: float = 0.05, d: int = 10, part: Part | None = None
) -> Sample:
    """Draw examples on both sides of a plane through 0 that turns `turns` times in all, at constant speed.

    x is standard normal in d dimensions. The label is the sign of cos(t) x_1 + sin(t) x_2, wrong with the probability
    `noise`.
    """
    points = rng.standard_normal((n, d)).round(DECIMALS)
    start, total = part or (0, n)
    angle = 2.0 * np.pi * turns * np.arange(start, start + n) / total
    labels = np.where(np.cos(angle) * points[:, 0] + np.sin(angle) * points[:, 1] > 0, 1, -1)
    return points, np.where(rng.uniform(size=n) < noise, -labels, labels)


def waveform(rng: np.random.Generator, n: int, *, positives: int | None = None) -> Sample:
    """Draw random mixtures of two out of three waves, with noise.

    The waves are triangles of height 6 over i = 1..21 with peaks at 7, 11 and 15; an example is u of one plus 1 - u of
    another, u uniform on [0, 1], plus standard normal noise. Class +1 mixes those of 7 and 11, the second class in
    UCI's sample; the two other pairs, equally likely, are class -1 (Breiman, Friedman, Olshen, Stone 1984,
    Classification and Regression Trees, pages 43-49).
    """
    peaks = np.array([7, 11, 15])
    waves = np.maximum(6 - abs(np.arange(1, 22) - peaks[:, None]), 0)
    labels = _shuffled(rng, n, positives)
    pairs = np.array([(0, 1), (0, 2), (1, 2)])[np.where(labels == 1, 0, rng.integers(1, 3, size=n))]
    share = rng.uniform(size=(n, 1))
    mixtures = share * waves[pairs[:, 0]] + (1 - share) * waves[pairs[:, 1]]
    return mixtures + rng.standard_normal((n, 21)), labels


def additive_views(rng: np.random.Generator, n: int, *, views: int, relevant: int, d: int = 4) -> Sample:
    """Draw standard normal features in views of d columns, of which the first `relevant` decide the label.

    The label is the sign of the sum over these views of ||x_v||^2 - d, with normal noise of half its spread. A
    combination that gives all relevant views the same weight and the others none is right.
    """
    features = rng.standard_normal((n, views, d)).round(DECIMALS)
    signal = (np.square(features[:, :relevant]).sum(axis=2) - d).sum(axis=1)
    noise = 0.5 * np.sqrt(2.0 * d * relevant) * rng.standard_normal(n)
    return features.reshape(n, -1), np.where(signal + noise > 0, 1, -1)


def redundant_views(rng: np.random.Generator, n: int, *, views: int, relevant: int, d: int = 4) -> Sample:
    """Draw views of d columns, of which the first `relevant` are the same means with noise, and the others noise alone.

    The means are one for each class, at distance 1; the noise is standard normal, so that several views together tell
    more than each.
    """
    labels = rng.choice([-1, 1], size=n)
    features = rng.standard_normal((n, views, d))
    features[:, :relevant, 0] += 0.5 * labels[:, None]
    return features.reshape(n, -1), labels


def xor_views(rng: np.random.Generator, n: int, *, views: int, d: int = 2) -> Sample:
    """Draw standard normal features in views of d columns; the label is the product of the signs of two of them.

    These are the first columns of the first two views. Neither view alone tells anything of the label, and no sum of
    kernels on single views does: it is not additive.
    """
    features = rng.standard_normal((n, views, d)).round(DECIMALS)
    return features.reshape(n, -1), np.where(features[:, 0, 0] * features[:, 1, 0] > 0, 1, -1)


def _shuffled(rng: np.random.Generator, n: int, positives: int | None) -> NDArray[np.int8]:
    """Return n labels in random order, `positives` of them +1, or each with probability 1/2."""
    if positives is None:
        return rng.choice(np.array([-1, 1], dtype=np.int8), size=n)
    return rng.permutation(np.where(np.arange(n) < positives, 1, -1)).astype(np.int8)


FUNCTIONS = {"three_sines": three_sines}  # functions with signs as labels, for figures

PROBLEMS = (
    *(dirichlet, relevance, ringnorm, twonorm, chessboard, sea, turning_plane, waveform),
    *(additive_views, redundant_views, xor_views),
)
GENERATORS: dict[str, Callable[..., Sample]] = {function.__name__: function for function in PROBLEMS}
