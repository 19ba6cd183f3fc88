"""What `kernels` of an estimator stands for, bound to training examples.

It is kept with a fitted estimator, and holds the training examples but none of their Gram matrices.
"""

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from grambench.common.errors import unknown_name
from grambench.common.types import Floats
from grambench.config.load import check
from grambench.config.study import Dictionary, KernelFamily
from grambench.kernels import dictionary, pools
from grambench.kernels.computed import Computed
from grambench.kernels.functions import FAMILIES, Kernel
from grambench.kernels.pool import Pool, Stored

Function = Callable[[Floats, Floats], Any]

DEFAULT = [Kernel("meanpolynomial", degree) for degree in (1, 2, 3, 4)]  # those of the leaderboard
DEFAULT += [Kernel("mediangaussian", 2.0**power) for power in range(-4, 5)]
DEFAULT_FAMILY = {
    "family": "gaussian",
    "unit": "median",
    "low": 2.0**-3.5,
    "high": 2.0**4.5,
    "count": 9,
    "spacing": "log",
}

SYMMETRIC = 1e-5  # of the largest entry: by how much two entries of a pair may differ; those of float32 do by 1e-6
NEGATIVE = 1e-6  # of the largest eigenvalue: how far the smallest may lie below 0
CHEAP = 2000  # examples, up to which definiteness is always looked at: a Cholesky factor takes a fraction of a second


class Bound(ABC):
    """The kernels of an estimator among its training examples, and between these and others.

    Attributes
    ----------
    names : list of str
        Of the m kernels.
    family : str
        The name of the continuous family; empty where there is none.
    """

    names: list[str]
    family: str = ""

    @abstractmethod
    def train(self) -> Pool:
        """Return the pool of the training examples."""

    @abstractmethod
    def between(self, others: Any) -> Pool:
        """Return the pool between other examples and the training ones."""


class Vectors(Bound):
    """Kernels by the names that studies have for them, a continuous family, or both."""

    def __init__(
        self, kernels: Sequence[Kernel], train: Floats, scale: bool, dictionary: dictionary.Dictionary | None = None
    ) -> None:
        self._pools = pools.VectorPools(kernels, train, dictionary, float(len(train)) if scale else None)
        self.names = [kernel.name for kernel in kernels]
        if dictionary:
            self.family = dictionary.family
        if dictionary and not kernels:
            self.names = [title(self.family, np.array([self._pools.unit * value])) for value in dictionary.grid]

    def train(self) -> Pool:
        """See Bound."""
        return self._pools.train()

    def between(self, others: Floats) -> Pool:
        """See Bound."""
        return self._pools.between(others)


class Matrices(Bound):
    """Kernel matrices as an estimator is given them or as functions return them.

    Parameters
    ----------
    names : list of m str
        Names of the kernels.
    values : callable
        Returns the kernel values (m, t, n) between some examples and the training ones.
    train : object
        The training examples as `values` takes them. They are not kept: precomputed ones are Gram matrices.
    scale : bool
        Whether the mean diagonal of each Gram matrix is scaled to 1.
    vectors : bool
        Whether examples are vectors, which algorithms may learn from too.
    """

    def __init__(
        self, names: list[str], values: Callable[[Any], Floats], train: Any, scale: bool, vectors: bool = False
    ) -> None:
        self.names, self._values, self._vectors = names, values, vectors
        self._train, self._scale, self._scales = train, scale, np.ones(len(names))

    def train(self) -> Pool:
        """See Bound."""
        train, self._train = self._train, None
        grams = self._values(train)
        check_grams(grams, names=self.names)
        if self._scale:
            self._scales = scales(grams, self.names)
        return self._stored(grams, train)

    def between(self, others: Any) -> Pool:
        """See Bound."""
        return self._stored(self._values(others), others)

    def _stored(self, values: Floats, examples: Any) -> Stored:
        features = {"": examples} if self._vectors else {}
        return Stored(values * self._scales[:, None, None], features=features)


def _of_functions(names: list[str], functions: Sequence[Function], train: Floats, examples: Floats) -> Floats:
    """Return the values of functions of two arrays of examples, (t, d) and (n, d)."""
    shape = len(examples), len(train)
    values = np.empty((len(functions), *shape))
    for name, function, out in zip(names, functions, values, strict=True):
        got = numbers(function(examples, train), name)
        if got.shape != shape:
            raise ValueError(
                f"{name}: expected kernel values {shape} of {shape[0]} and {shape[1]} examples, got {got.shape}"
            )
        out[:] = got
    return values


def _precomputed(m: int, n: int, values: Floats) -> Floats:
    """Return precomputed kernel values (m, t, n) as they are."""
    if len(values) != m or values.shape[2] != n:
        raise ValueError(
            f"precomputed: expected values of {m} kernels with {n} training examples, (m, t, n) = ({m}, t, {n}), "
            f"got {values.shape}"
        )
    return values


def _of_rows(grams: Floats, train: NDArray[np.intp], rows: NDArray[np.intp]) -> Floats:
    """Return the values between examples and training examples that are rows of Gram matrices (m, N, N)."""
    return np.stack([gram[np.ix_(rows, train)] for gram in grams])


def bind(kernels: Any, train: Any, scale: bool) -> Bound:
    """Return what `kernels` stands for with these training examples.

    Parameters
    ----------
    kernels
        As an estimator takes it.
    train : ndarray
        Examples (n, d); Gram matrices (m, n, n) where kernels are "precomputed"; numbers (n,) where they are an array.
    scale : bool
        Whether the mean diagonal of each kernel's Gram matrix is brought to 1.

    Raises
    ------
    ValueError
        If it stands for no kernels.
    ConfigError
        If there is no kernel of a name.
    """
    if is_array(kernels):
        grams = array(kernels)
        if grams.shape[1] != grams.shape[2]:
            raise ValueError(f"kernels: expected Gram matrices of all examples, (m, N, N), got {grams.shape}")
        return Matrices(numbered(len(grams)), functools.partial(_of_rows, grams, train), train, scale)
    if isinstance(kernels, Mapping) and "low" in kernels:
        return Vectors([], train, scale, _dictionary(dict(kernels)))
    if isinstance(kernels, str) and kernels == "precomputed":
        m, _, n = train.shape
        return Matrices(numbered(m), functools.partial(_precomputed, m, n), train, scale)
    if isinstance(kernels, str) and kernels == "default":
        return Vectors(DEFAULT, train, scale, _dictionary(DEFAULT_FAMILY))
    single = isinstance(kernels, str | Mapping) or callable(kernels)
    if not single and not (isinstance(kernels, Iterable) and list(kernels)):
        raise ValueError(f"kernels: expected names, functions or arrays, got {kernels!r}")
    given = [each for entry in ([kernels] if single else kernels) for each in _read(entry)]
    if all(isinstance(each, Kernel) for each in given):
        return Vectors(given, train, scale)
    names, functions = zip(*map(_function, given), strict=True)
    distinct = [name if name not in names[:k] else f"{name}_{k}" for k, name in enumerate(names)]
    values = functools.partial(_of_functions, distinct, functions, train)
    return Matrices(distinct, values, train, scale, vectors=True)


def _dictionary(values: dict[str, Any]) -> dictionary.Dictionary:
    """Return the continuous family that plain values describe; raise ConfigError if they do not."""
    given = check(Dictionary, values, "kernels")
    return dictionary.Dictionary(given.family, given.low, given.high, given.grid(), given.unit)


def _read(entry: Any) -> list[Any]:
    """Return the kernels, functions or names of scikit-learn that one entry of a list stands for."""
    if isinstance(entry, Mapping):
        return list(check(KernelFamily, dict(entry), "kernels").kernels())
    if isinstance(entry, Kernel) or callable(entry) or entry in PAIRWISE_KERNEL_FUNCTIONS:
        return [entry]
    if not isinstance(entry, str):
        raise ValueError(f"kernels: expected names or functions, got {type(entry).__name__} {entry!r}")
    family, _, rest = entry.partition("_")
    if family not in FAMILIES or not rest:
        known = [*(f"{name}_{each.symbol}1" for name, each in FAMILIES.items()), *PAIRWISE_KERNEL_FUNCTIONS]
        raise unknown_name("kernel", entry, known)
    try:
        return [Kernel.parse(entry)]
    except ValueError as error:
        raise ValueError(f"kernel {entry!r}: {error}") from None


def _function(each: Any) -> tuple[str, Function]:
    """Return a name and a function of what `_read` has returned."""
    if isinstance(each, str):
        return each, functools.partial(pairwise_kernels, metric=each)
    if isinstance(each, Kernel):
        return each.name, Formula(each)
    inner = each.func if isinstance(each, functools.partial) else each
    return getattr(inner, "__name__", type(inner).__name__), each


class Formula:
    """One kernel of a study's name as a function, whose units are those of the training examples."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def __call__(self, examples: Floats, train: Floats) -> Floats:
        """Return its values, (t, n)."""
        basis = Computed([self._kernel], train)
        pool = basis if examples is train else Computed([self._kernel], train, examples, basis=basis)
        return pool.grams()[0]


def title(family: str, theta: Floats) -> str:
    """Return the name of a kernel of a continuous family."""
    return f"{family}({', '.join(f'{value:.6g}' for value in theta)})"


def numbered(m: int) -> list[str]:
    """Return names of m kernels that have none."""
    return [f"kernel_{number}" for number in range(m)]


def scales(grams: Floats, names: Sequence[str]) -> Floats:
    """Return what brings the mean diagonal of each Gram matrix to 1, (m,)."""
    means = np.array([np.diagonal(gram).mean() for gram in grams])
    for name, mean in zip(names, means, strict=True):
        if mean <= 0.0:
            raise ValueError(f"{name}: expected a diagonal with a mean above 0, got {mean:g}")
    return np.asarray(1.0 / means)


def is_array(kernels: Any) -> bool:
    """Return whether kernels are Gram matrices themselves: an array, or a list of arrays."""
    if isinstance(kernels, list | tuple):
        return bool(kernels) and all(isinstance(each, np.ndarray) for each in kernels)
    return isinstance(kernels, np.ndarray)


def array(values: Any) -> Floats:
    """Return kernel values as an array (m, t, n); those of one kernel may come as (t, n)."""
    if isinstance(values, list | tuple) and len({np.shape(each) for each in values}) > 1:
        raise ValueError(
            f"kernels: expected arrays of one shape, got {', '.join(str(np.shape(each)) for each in values)}"
        )
    made = numbers(values, "kernels")
    made = made[None] if made.ndim == 2 else made
    if made.ndim != 3 or 0 in made.shape:
        raise ValueError(f"kernels: expected an array (m, t, n), got {np.shape(values)}")
    return made


def numbers(values: Any, name: str) -> Floats:
    """Return an array of float64; raise ValueError unless it is of finite real numbers."""
    made = np.asarray(values)
    if made.dtype.kind not in "fiub":
        raise ValueError(f"{name}: expected real numbers, got {made.dtype}")
    made = made.astype(np.float64, copy=False)
    refuse_not_finite(made, name)
    return made


def refuse_not_finite(values: Floats, name: str) -> None:
    """Raise ValueError where a number is none."""
    if not np.isfinite(values).all():
        missing, infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
        raise ValueError(f"{name}: expected finite numbers, got {missing} NaN and {infinite} inf of {values.size}")


def check_grams(grams: Any, *, names: Sequence[str] = (), definite: bool | None = None) -> None:
    """Raise ValueError unless every Gram matrix is square, finite, symmetric and not clearly indefinite.

    Parameters
    ----------
    grams : array (m, n, n) or (n, n)
        Of m kernels, or of one.
    names : sequence of str, optional
        Of the kernels, for messages.
    definite : bool, optional
        Whether to look at eigenvalues, of which the smallest may be negative by 1e-6 of the largest; by default up to
        2000 examples, where it takes a fraction of a second.
    """
    values = array(grams)
    m, n = len(values), values.shape[2]
    for name, gram in zip(names or numbered(m), values, strict=True):
        if gram.shape != (n, n):
            raise ValueError(f"{name}: expected a square Gram matrix, got {gram.shape}")
        worst = float(np.abs(gram - gram.T).max())
        if worst > SYMMETRIC * np.abs(gram).max():
            raise ValueError(f"{name}: expected a symmetric Gram matrix, got entries that differ by {worst:g}")
        if definite or (definite is None and n <= CHEAP):
            _refuse_indefinite(gram, name)


def _refuse_indefinite(gram: Floats, name: str) -> None:
    start = gram @ (gram @ np.ones(len(gram)))
    least = float(start @ gram @ start) / max(float(start @ start), np.finfo(float).tiny)  # of the largest eigenvalue
    shifted = gram.copy()
    shifted[np.diag_indices_from(shifted)] += NEGATIVE * max(least, 0.0)
    try:
        linalg.cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        values = linalg.eigvalsh(gram)
        if values[0] < -NEGATIVE * values[-1]:
            raise ValueError(
                f"{name}: expected a positive semi-definite Gram matrix, got eigenvalues from {values[0]:g} to "
                f"{values[-1]:g}"
            ) from None
