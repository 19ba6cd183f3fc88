"""The pool: m kernels between t examples and n training ones, which is all that an algorithm sees of the data.

A fit gets the pool of its training examples with themselves, (m, n, n); a predictor the pool between the examples that
it is asked for and the same training ones, (m, t, n). How the kernel values come about is the pool's own affair:
`Stored` has them, `Grid` makes them from a family with a continuous parameter, `grambench.kernels.computed` from
features, all at once or row by row. A pass over the examples asks for `along` and reads either in one compiled loop.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from grambench.common.types import Floats as Floats
from grambench.common.types import Grams as Grams
from grambench.common.types import Indices as Indices
from grambench.common.types import Labels as Labels
from grambench.common.types import Order as Order
from grambench.kernels import search
from grambench.kernels.continuous import KernelFamily, Objective

Features = Mapping[str, Any]

NONE: Features = MappingProxyType({})


class Continuous:
    """Kernels of any parameter between t examples and n training ones.

    Parameters
    ----------
    family : type
        A family of `grambench.kernels.continuous`.
    train : ndarray of float64 (n, d)
        The training examples.
    low, high : float
        Bounds of the parameter, or of each of its components.
    grid : ndarray of float64 (m,)
        Values for algorithms that need finitely many kernels.
    others : ndarray of float64 (t, d), optional
        The other examples; the training ones themselves where there are none.

    Attributes
    ----------
    examples, features : int
        n and d, the number of components of a parameter that has one a feature.
    computed : int
        Kernel evaluations so far; an evaluation of an objective, which needs the kernel at every pair, counts n^2.
    kept : dict
        What several fits on these examples begin with, so that only the first has to find it.
    """

    def __init__(
        self,
        family: type[KernelFamily],
        train: Floats,
        low: float,
        high: float,
        grid: Floats,
        others: Floats | None = None,
    ) -> None:
        for examples in (train, others):
            largest = 0.0 if examples is None else np.square(examples).sum(axis=1).max(initial=0.0)
            if not np.isfinite(4.0 * largest):  # which squared distances may be
                name = family.__module__.rpartition(".")[2]
                raise ValueError(f"{name} kernels: expected finite distances, got squared norms of {largest:g}")
        self.kind, self.train, self.others = family, train, others
        self.low, self.high, self.grid = low, high, grid
        self.examples, self.features = train.shape
        self.computed = 0
        self.kept: dict[Hashable, Any] = {}
        self.family = family(train) if others is None else family(train, others)

    def gram(self, parameter: Floats) -> Floats:
        """Return K_theta, (t, n), for a parameter (1,) or (d,)."""
        gram = self.family.gram(parameter)
        self.computed += gram.size
        return gram if self.others is None else gram.T

    def mixture(self, weights: Floats, parameters: Sequence[Floats]) -> Floats:
        """Return sum_i weights_i K_theta_i, (t, n), where some weight is not 0."""
        used = np.flatnonzero(weights)
        mixture = self.family.mixture(weights[used], [parameters[int(i)] for i in used])
        self.computed += len(used) * mixture.size
        return mixture if self.others is None else mixture.T

    def objective(self, weights: Floats) -> Objective:
        """Return theta -> (<W, K_theta>_F, its gradient by theta), for a symmetric W (n, n), or c (n,) of W = cc'."""
        evaluate = self.family.objective(weights)

        def counted(parameter: Floats) -> tuple[float, Floats]:
            self.computed += self.examples**2
            return evaluate(parameter)

        return counted

    def by_rate(self, weights: Floats) -> Callable[[float], tuple[float, float, float]]:
        """Return s -> (<W, K_sigma>_F, its two derivatives) for s = 1/sigma^2, convex in s where W >= 0.

        Pairs of examples without a weight are neither looked at nor counted.

        Raises
        ------
        ValueError
            If the family is not convex in a rate.
        """
        if not hasattr(self.family, "by_rate"):
            raise ValueError("CR-DC needs a family with by_rate, convex in 1/sigma^2, as gaussian; take CR instead")
        evaluate: Callable[[float], tuple[float, float, float]] = self.family.by_rate(weights)
        used = int(np.count_nonzero(weights))

        def counted(rate: float) -> tuple[float, float, float]:
            self.computed += used
            return evaluate(rate)

        return counted

    def scan(self) -> Floats:
        """Return the points of a search over one parameter."""
        return self.family.scan(self.low, self.high)

    def values(self, weights: Floats, points: Floats) -> Floats:
        """Return <W, K_theta>_F at one-dimensional thetas, ascending (p,)."""
        self.computed += len(points) * self.examples**2
        return self.family.values(weights, points)

    def search(self, weights: Floats) -> tuple[float, float]:
        """Return the one parameter that maximises <W, K_theta>_F, and the maximum; W (n, n), or c of cc'."""
        points = self.scan()
        values = self.values(weights, points)
        return search.line(self.objective(weights), points, self.family.precision, values)

    def refined(self, parts: int) -> Floats:
        """Return the grid with every step of it cut into equal parts, equal in the logarithm for a log family."""
        if parts == 1:
            return self.grid
        places = np.linspace(0.0, len(self.grid) - 1.0, (len(self.grid) - 1) * parts + 1)
        known = np.arange(len(self.grid))
        if self.family.spacing == "log":
            return np.exp(np.interp(places, known, np.log(self.grid)))
        return np.interp(places, known, self.grid)

    def part(self, rows: Indices, columns: Indices) -> "Continuous":
        """Return the family between some of the t examples and some of the training ones."""
        train = self.train[columns]
        if self.others is None and np.array_equal(rows, columns):
            return Continuous(self.kind, train, self.low, self.high, self.grid)
        others = (self.train if self.others is None else self.others)[rows]
        return Continuous(self.kind, train, self.low, self.high, self.grid, others)


class Stream(NamedTuple):
    """The examples of a pass and their rows of m Gram matrices, as compiled loops read them.

    Attributes
    ----------
    values : tuple of m ndarrays of float64 (n, n), or (2, T) if rows are computed on demand
        Read-only, so that all callers share one compiled loop.
    place : ndarray of int64 (n,) or (T,)
        The index of each example's row in each array; -1 if the row has to be fetched.
    labels : ndarray of int8 (n,) or (T,)
        -1 or +1.
    order : ndarray of int32 (T,)
        The examples in the order of presentation.
    """

    values: tuple[Floats, ...]
    place: NDArray[np.int64]
    labels: Labels
    order: Order


class Rows:
    """Rows of Gram matrices as a compiled pass reads them: that of example i is number place[i] of each array.

    Attributes
    ----------
    values : tuple of m ndarrays of float64 (n, n), or (2, T) if rows are computed on demand
        See Stream.
    place : ndarray of int64 (n,) or (T,)
        See Stream.
    on_demand : bool
        Whether rows have to be fetched, see RowsOnDemand.
    """

    on_demand = False

    def __init__(self, values: tuple[Floats, ...], place: NDArray[np.int64]) -> None:
        self.values, self.place = values, place

    def only(self, kernel: int) -> "Rows":
        """Return the rows of one kernel, for a pass of its own."""
        return Rows(self.values[kernel : kernel + 1], self.place)

    def stream(self, labels: Labels, order: Order) -> Stream:
        """Return the examples of an order that begins as that of the rows does, as the rows number them."""
        return Stream(self.values, self.place, labels, order)


class RowsOnDemand(Rows, ABC):
    """Rows that are computed one example at a time.

    A compiled loop that needs a row with place[i] < 0 leaves its round as it was and returns the number of the round;
    the caller fetches the row and enters the loop again there. A row is valid from the round of its example on. The
    row of an earlier round, which place does not know any more, is recalled: it is the last of each array, number -1,
    as place says.
    """

    on_demand = True

    @abstractmethod
    def fetch(self, number: int, needed: NDArray[np.bool_]) -> None:
        """Compute the rows of the example of one round, for the kernels (m,) that need them."""

    @abstractmethod
    def recall(self, number: int, needed: NDArray[np.bool_]) -> None:
        """Compute the rows of an earlier round again, beside those that were fetched last."""


class Partners(Protocol):
    """Training examples in the order in which an algorithm has named them, and kernel values between them and others.

    Where Gram matrices are not stored, values with many of them are made faster than with as many others.
    """

    def append(self, example: int) -> None:
        """Name one more; the same one may be named again."""

    def values(self, example: int, first: int) -> Floats:
        """Return the kernel values between an example and those that were named from number `first` on, (m, r)."""


class Pool(ABC):
    """What an algorithm sees.

    Attributes
    ----------
    features : dict of array (t, d)
        Features of the t examples by view, "" for the only view of a vector data set; empty where they are not at hand.
    family : Continuous or None
        Where kernels have a continuous parameter: the whole family, between the same examples.
    thetas : list of ndarray or None
        The parameters of the m kernels, where they are a grid of the family.
    computed : int
        Kernel evaluations so far by this pool.
    """

    features: Features = NONE
    family: Continuous | None = None
    thetas: list[Floats] | None = None
    computed: int = 0

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int, int]:
        """m, t and n: kernels, examples, training examples."""

    @abstractmethod
    def grams(self) -> Grams:
        """Return m arrays (t, n), read-only, C-contiguous where t = n; memory maps where they are stored."""

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training ones, (b, c)."""
        values: Floats = self.grams()[kernel][np.ix_(rows, columns)]
        return values

    def mixed(self, weights: Floats, rows: Indices, columns: Indices) -> Floats:
        """Return sum_k weights_k K_k between b of the t examples and c of the training ones, (b, c)."""
        values = np.zeros((len(rows), len(columns)))
        for k in np.flatnonzero(weights).tolist():
            values += weights[k] * self.values(k, rows, columns)
        return values

    def diagonal(self) -> Floats:
        """Return the kernel values of the examples with themselves, (m, n); where t = n."""
        return np.stack([np.diagonal(gram) for gram in self.grams()])

    def partners(self) -> Partners | None:
        """Return an empty list of training examples; None where Gram matrices are as good."""
        return None

    def holds(self, thetas: list[Floats]) -> bool:
        """Return whether the kernels of these parameters are the pool's own, and made already."""
        return False

    def along(self, order: Indices) -> Rows:
        """Return the rows of the training examples as a pass in this order needs them; where t = n."""
        grams = tuple(read_only(tuple(self.grams())))
        return Rows(grams, np.arange(len(grams[0])))

    @abstractmethod
    def part(self, rows: Indices, columns: Indices) -> "Pool":
        """Return the pool between some of the t examples and some of the training ones."""

    def only(self, kernels: Sequence[int]) -> "Pool":
        """Return the pool of some kernels, which shares with this one what either makes."""
        return Part(self, kernels=kernels)

    def refined(self, parts: int) -> "Pool":
        """Return the pool with every step of its grid cut into equal parts; ValueError where it is no grid."""
        if parts != 1:
            raise ValueError(f"refine: only a grid of a continuous family can be refined, {parts} parts are asked for")
        return self


class Stored(Pool):
    """Kernel values at hand, in memory or in mapped files.

    Parameters
    ----------
    grams : sequence of m ndarrays of float64 (t, n)
        An array (m, t, n) is one too.
    features, family
        See Pool.
    """

    def __init__(self, grams: Grams, *, features: Features = NONE, family: Continuous | None = None) -> None:
        if len(grams) == 0:
            raise ValueError("a pool needs at least one kernel, got none")
        self._grams = read_only(grams)
        self.features, self.family = locked(features), family

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        t, n = self._grams[0].shape
        return len(self._grams), t, n

    def grams(self) -> Grams:
        """Return the m arrays as they are."""
        return self._grams

    def part(self, rows: Indices, columns: Indices) -> "Stored":
        """Return a pool of copies of some rows and columns."""
        return Stored(
            np.stack([gram[np.ix_(rows, columns)] for gram in self._grams]),
            features={view: values[rows] for view, values in self.features.items()},
            family=self.family.part(rows, columns) if self.family else None,
        )


class Made(Sequence[Floats]):
    """Gram matrices that a pool makes one by one, each when it is asked for first.

    Parameters
    ----------
    m : int
        How many.
    make : callable
        Returns the one of a number; the pool keeps it.
    """

    def __init__(self, m: int, make: Callable[[int], Floats]) -> None:
        self._m, self._make = m, make

    def __len__(self) -> int:
        return self._m

    @overload
    def __getitem__(self, k: int) -> Floats: ...

    @overload
    def __getitem__(self, k: slice) -> list[Floats]: ...

    def __getitem__(self, k: int | slice) -> Floats | list[Floats]:
        chosen = range(self._m)[k]
        return self._make(chosen) if isinstance(chosen, int) else [self._make(each) for each in chosen]


class Part(Pool):
    """Some kernels of a pool, between some of its examples and some of its training ones.

    It asks the pool for what it is asked for, so that each Gram matrix and each value is made as the pool makes it, and
    keeps copies of the rows and columns of each Gram matrix that was asked for. Of all rows and columns it keeps none.

    Parameters
    ----------
    whole : Pool
        The pool.
    kernels : sequence of int, optional
        Which kernels; all where none are given, as with rows and columns.
    rows, columns : ndarray of int, optional
        Which examples, and which training ones.

    Attributes
    ----------
    computed : int
        Kernel values that the pool has made because this part was asked; the pool counts them too.
    """

    def __init__(
        self,
        whole: Pool,
        *,
        kernels: Sequence[int] | None = None,
        rows: Indices | None = None,
        columns: Indices | None = None,
    ) -> None:
        m, t, n = whole.shape
        self._whole, self._all = whole, rows is None and columns is None
        self._kernels = range(m) if kernels is None else [range(m)[k] for k in kernels]
        self._rows = np.arange(t) if rows is None else np.arange(t)[rows]
        self._columns = np.arange(n) if columns is None else np.arange(n)[columns]
        if not len(self._kernels):
            raise ValueError("a pool needs at least one kernel, got none")
        self._copies: dict[int, Floats] = {}  # by number in the whole pool

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        return len(self._kernels), len(self._rows), len(self._columns)

    @cached_property
    def features(self) -> Features:  # type: ignore[override]
        """See Pool."""
        if self._all:
            return self._whole.features
        return locked({view: values[self._rows] for view, values in self._whole.features.items()})

    @cached_property
    def family(self) -> Continuous | None:  # type: ignore[override]
        """See Pool."""
        family = self._whole.family
        return family if family is None or self._all else family.part(self._rows, self._columns)

    @property
    def thetas(self) -> list[Floats] | None:  # type: ignore[override]
        """See Pool."""
        thetas = self._whole.thetas
        return None if thetas is None else [thetas[k] for k in self._kernels]

    def grams(self) -> Grams:
        """Return m arrays (t, n), read-only, each made at its first access."""
        return Made(len(self._kernels), self._gram)

    def _gram(self, k: int) -> Floats:
        kernel = self._kernels[k]
        if kernel not in self._copies:
            before = self._whole.computed
            gram = self._whole.grams()[kernel]
            self.computed += self._whole.computed - before
            if self._all:
                return gram
            (self._copies[kernel],) = read_only([gram[np.ix_(self._rows, self._columns)]])
        return self._copies[kernel]

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training ones, (b, c)."""
        before = self._whole.computed
        values = self._whole.values(self._kernels[kernel], self._rows[rows], self._columns[columns])
        self.computed += self._whole.computed - before
        return values

    def part(self, rows: Indices, columns: Indices) -> "Part":
        """Return the part of the same pool between some of the t examples and some of the training ones."""
        return Part(self._whole, kernels=self._kernels, rows=self._rows[rows], columns=self._columns[columns])

    def only(self, kernels: Sequence[int]) -> "Part":
        """Return the pool of some kernels, which shares its copies with this one."""
        chosen = [self._kernels[k] for k in kernels]
        if self._all:
            return Part(self._whole, kernels=chosen)
        part = Part(self._whole, kernels=chosen, rows=self._rows, columns=self._columns)
        part._copies = self._copies
        return part


class Grid(Pool):
    """The kernels of a continuous family at some values of its parameter, made when they are asked for first.

    Parameters
    ----------
    family : Continuous
        The family between t examples and n training ones.
    features : dict of ndarray (t, d)
        See Pool.
    values : ndarray of float64 (m,), optional
        The parameters; the family's own grid where none are given.
    """

    def __init__(self, family: Continuous, features: Features = NONE, values: Floats | None = None) -> None:
        self.whole = self.family = family
        self.features = locked(features)
        self._values = family.grid if values is None else values
        self.thetas: list[Floats] = [np.array([value]) for value in self._values]
        self._grams: Grams | None = None
        self._refined: dict[int, Grid] = {}

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        n = self.whole.examples
        return len(self._values), n if self.whole.others is None else len(self.whole.others), n

    def grams(self) -> Grams:
        """Return the Gram matrices, (m, t, n)."""
        if self._grams is None:
            grams = np.empty(self.shape)
            for theta, gram in zip(self.thetas, grams, strict=True):
                gram[:] = self.whole.gram(theta)
            self._grams = read_only(grams)
            self.computed += grams.size
        return self._grams

    def holds(self, thetas: list[Floats]) -> bool:
        """Return whether the kernels of these parameters are the grid's, and made already."""
        return (
            self._grams is not None
            and len(thetas) == len(self.thetas)
            and all(map(np.array_equal, thetas, self.thetas))
        )

    def part(self, rows: Indices, columns: Indices) -> "Grid":
        """Return the grid between some of the examples."""
        features = {view: values[rows] for view, values in self.features.items()}
        return Grid(self.whole.part(rows, columns), features, self._values)

    def refined(self, parts: int) -> "Grid":
        """Return the grid with every step of it cut into equal parts; the same one every time."""
        if parts == 1:
            return self  # which does not hold itself, or it would outlive its use
        if parts not in self._refined:
            self._refined[parts] = Grid(self.whole, self.features, self.whole.refined(parts))
        return self._refined[parts]


def read_only(grams: Grams) -> Grams:
    """Return views that nobody can write to; of one array (m, t, n) one view, so that it need not be stacked again."""
    if isinstance(grams, np.ndarray):
        view: Floats = grams.view()
        view.flags.writeable = False
        return view
    views = tuple(gram.view() for gram in grams)
    for view in views:
        view.flags.writeable = False
    return views


def locked(features: Features) -> Features:
    """Return views of features that nobody can write to; sparse ones as they are."""
    return {view: read_only(values) if isinstance(values, np.ndarray) else values for view, values in features.items()}


def stacked(pool: Pool) -> Floats:
    """Return the kernel values of a pool as one array (m, t, n), without a copy where they are one."""
    grams = pool.grams()
    return grams if isinstance(grams, np.ndarray) else np.stack(grams)
