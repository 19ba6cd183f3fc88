"""The pool: m kernels between t examples and n training examples. Algorithms see the data through it alone.

A fit gets the pool of its training examples with themselves, (m, n, n). A predictor gets the pool between the examples
to predict and the same training examples, (m, t, n). `Stored` holds kernel values, `GridPool` computes them from a
family with a continuous parameter, and `grambench.kernels.computed` from features, all at once or row by row. An online
pass calls `along` and reads rows of either kind in one compiled loop.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from grambench.common.lazy_numba import njit
from grambench.common.types import Floats, Grams, Indices, Order
from grambench.kernels import search
from grambench.kernels.continuous import Family, Objective, RateFunction

Features = Mapping[str, Any]
Result = TypeVar("Result")

NONE: Features = MappingProxyType({})


class Continuous:
    """A family of kernels with a continuous parameter, between t examples and n training examples.

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
    test : ndarray of float64 (t, d), optional
        The t examples; by default the training examples.

    Attributes
    ----------
    examples, features : int
        n and d. A parameter with one component a feature has d components.
    computed : int
        Kernel evaluations so far. Each evaluation of an objective counts n^2, as it needs the kernel of every pair.
    kept : dict
        Cache of results that several fits on these examples start from.
    """

    def __init__(
        self,
        family: type[Family],
        train: Floats,
        low: float,
        high: float,
        grid: Floats,
        test: Floats | None = None,
    ) -> None:
        for examples in (train, test):
            largest = 0.0 if examples is None else np.square(examples).sum(axis=1).max(initial=0.0)
            # A squared distance is at most four times the largest squared norm.
            if not np.isfinite(4.0 * largest):
                name = family.__module__.rpartition(".")[2]
                raise ValueError(f"{name} kernels: expected finite distances, got squared norms of {largest:g}")
        self.family_class, self.train, self.test = family, train, test
        self.low, self.high, self.grid = low, high, grid
        self.examples, self.features = train.shape
        self.computed = 0
        self.kept: dict[Hashable, Any] = {}
        self.family = family(train, test)

    def gram(self, parameter: Floats) -> Floats:
        """Return K_theta, (t, n), for a parameter (1,) or (d,)."""
        gram = self.family.gram(parameter)
        self.computed += gram.size
        return gram if self.test is None else gram.T

    def mixture(self, weights: Floats, parameters: Sequence[Floats]) -> Floats:
        """Return sum_i weights_i K_theta_i, (t, n), for weights of which at least one is not 0."""
        used = np.flatnonzero(weights)
        mixture = self.family.mixture(weights[used], [parameters[int(i)] for i in used])
        self.computed += len(used) * mixture.size
        return mixture if self.test is None else mixture.T

    def objective(self, weights: Floats) -> Objective:
        """Return the function theta -> (<W, K_theta>_F, its gradient), for a symmetric W (n, n), or c (n,) of W = cc'.

        Each call of the function counts n^2 kernel evaluations.
        """
        return self._counted(self.family.objective(weights), self.examples**2)

    def by_rate(self, coefficients: Floats) -> tuple[RateFunction, RateFunction]:
        """Return two functions of s = 1/sigma^2 whose difference is c'K_sigma c.

        The first is the sum of the terms with c_i c_j > 0, the second minus the sum of the others, so that both are
        convex. Each returns its value and its first two derivatives. A call counts an evaluation for each term.

        Raises
        ------
        ValueError
            If the family is not convex in a rate.
        """
        if not hasattr(self.family, "by_rate"):
            raise ValueError("CR-DC needs a family with by_rate, convex in 1/sigma^2, as gaussian; take CR instead")
        rising, falling = self.family.by_rate(coefficients)
        above, below = (int(np.count_nonzero(sign * coefficients > 0.0)) for sign in (1, -1))
        return self._counted(rising, above**2 + below**2), self._counted(falling, 2 * above * below)

    def _counted(self, function: Callable[[Any], Result], evaluations: int) -> Callable[[Any], Result]:
        def counted(parameter: Any) -> Result:
            self.computed += evaluations
            return function(parameter)

        return counted

    def scan(self) -> Floats:
        """Return the parameter values at which `search` evaluates an objective first."""
        return self.family.scan(self.low, self.high)

    def values(self, weights: Floats, points: Floats) -> Floats:
        """Return <W, K_theta>_F at one-dimensional thetas (p,), which are ascending."""
        self.computed += len(points) * self.examples**2
        return self.family.values(weights, points)

    def search(self, weights: Floats) -> tuple[float, float]:
        """Return the one-dimensional theta that maximises <W, K_theta>_F, and the maximum; W (n, n), or c of cc'."""
        points = self.scan()
        return search.line(self.objective(weights), points, self.family.precision, self.values(weights, points))

    def refined(self, parts: int) -> Floats:
        """Return the grid with every interval split into equal parts, equal in the logarithm for a log family."""
        if parts == 1:
            return self.grid
        indices = np.arange(len(self.grid))
        positions = np.linspace(0.0, len(self.grid) - 1.0, (len(self.grid) - 1) * parts + 1)
        if self.family.spacing == "log":
            return np.exp(np.interp(positions, indices, np.log(self.grid)))
        return np.interp(positions, indices, self.grid)

    def part(self, rows: Indices, columns: Indices) -> "Continuous":
        """Return the family between some of the t examples and some of the training examples."""
        same = self.test is None and np.array_equal(rows, columns)
        test = None if same else (self.train if self.test is None else self.test)[rows]
        return Continuous(self.family_class, self.train[columns], self.low, self.high, self.grid, test)


class GramRows:
    """Rows of Gram matrices for a compiled pass.

    A compiled loop that needs a row with place[i] < 0 returns the number of its round without any change of state. The
    caller fetches the row and enters the loop again at this round. A fetched row holds values from the round of its
    example on.

    Attributes
    ----------
    values : ndarray of float64 (m, n, n), or (m, 1, T) if rows are computed on demand; or a tuple of m ndarrays (n, n)
        Read-only: writable arrays have another type in Numba and would compile every loop again, as does each length
        of a tuple. It serves matrices that are no parts of one array.
    place : ndarray of int64 (n,) or (T,)
        The index of each example's row in each array; -1 if the row has to be fetched.
    on_demand : bool
        Whether rows have to be fetched, one example at a time.
    """

    on_demand = False

    def __init__(self, values: Grams, place: NDArray[np.int64]) -> None:
        self.values, self.place = values, place

    def only(self, kernel: int) -> "GramRows":
        """Return the rows of one kernel, for a pass with this kernel alone."""
        return GramRows(self.values[kernel][None], self.place)

    def numbered(self, order: Order) -> Order:
        """Return the numbers of examples in `place`, for an order that begins as the order of the rows does."""
        return order

    def fetch(self, number: int, needed: NDArray[np.bool_]) -> None:
        """Compute the rows of the example of a round for kernels that need them, (m,); matrices have all rows."""


def entries(gram: Floats, rows: Indices, columns: Indices, out: Floats | None = None) -> Floats:
    """Return gram[np.ix_(rows, columns)], (b, c), written to `out` if it is given; NumPy takes at least twice as long.

    Raises
    ------
    IndexError
        If an index is not one of the rows or columns.
    """
    values = np.empty((len(rows), len(columns))) if out is None else out
    # Copies, since code is compiled for arrays that can be written to and for others.
    _copy_entries(gram, rows.astype(np.intp), columns.astype(np.intp), values)
    return values


@njit(cache=True)
def _copy_entries(gram, rows, columns, out):  # type: ignore[no-untyped-def]
    for indices, size in ((rows, gram.shape[0]), (columns, gram.shape[1])):
        for index in indices:
            # Compiled code would read other memory.
            if not 0 <= index < size:
                raise IndexError("expected indices of the matrix, from 0, got others")
    for i in range(len(rows)):
        row, values = gram[rows[i]], out[i]
        for j in range(len(columns)):
            values[j] = row[columns[j]]


class Partners(Protocol):
    """A growing list of training examples, and kernel values between other training examples and the list.

    Pools without stored Gram matrices compute these values faster than values of arbitrary examples.
    """

    def append(self, example: int) -> None:
        """Append an example to the list, which may already contain it."""

    def values(self, example: int, first: int) -> Floats:
        """Return the kernel values between an example and the list from position `first` on, (m, r)."""


class KeptGrams(dict[int, Floats]):
    """The Gram matrices that a pool keeps, by number and read-only; once it exists, they are parts of one array."""

    def __init__(self, shape: tuple[int, int, int]) -> None:
        super().__init__()
        self._shape = shape

    def place(self, k: int) -> Floats:
        """Return the array (t, n) to which matrix k is written before `keep`."""
        # New memory for the array of all costs more than a copy, and few matrices may ever be asked for.
        return self.stack[k] if "stack" in vars(self) else np.empty(self._shape[1:])

    def keep(self, k: int, values: Floats) -> None:
        """Keep a matrix."""
        (self[k],) = read_only((values,))

    @cached_property
    def stack(self) -> Floats:
        """The array of all matrices, (m, t, n), of which those that are kept become parts."""
        stack = np.empty(self._shape)
        for k, values in self.items():
            stack[k] = values
            self.keep(k, stack[k])
        return stack


class Pool(ABC):
    """Kernels between t examples and n training examples.

    Attributes
    ----------
    features : dict of array (t, d)
        Features of the t examples by view, "" for the only view of a vector data set; empty if unavailable.
    family : Continuous or None
        The family of kernels with a continuous parameter between the same examples, if the study has one.
    thetas : list of ndarray or None
        The parameters of the m kernels if they are a grid of the family.
    computed : int
        Kernel evaluations by this pool so far.
    by_rows : bool
        Whether parts compute their own values, since all Gram matrices may not fit into memory.
    kept : KeptGrams or None
        The Gram matrices that the pool has computed and keeps, if it keeps all in one array.
    stores_grams : bool
        Whether Gram matrices are stored once they are computed. Otherwise sums over many kernels, `mixture` and
        `quadratic_forms`, take far less memory, and `grams` computes each matrix at each access.
    """

    features: Features = NONE
    family: Continuous | None = None
    thetas: list[Floats] | None = None
    computed: int = 0
    by_rows: bool = False
    kept: KeptGrams | None = None
    stores_grams: bool = True

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int, int]:
        """m, t and n: kernels, examples, training examples."""

    def grams(self) -> Grams:
        """Return m read-only arrays (t, n), C-contiguous if t = n; memory maps if they are stored on disk.

        Each is computed when it is accessed, once by a pool that keeps it.
        """
        return LazyGrams(self)

    def gram(self, k: int) -> Floats:
        """Return one of the arrays of `grams`."""
        return self.values(k, *map(np.arange, self.shape[1:]))

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training examples, (b, c)."""
        return entries(self.grams()[kernel], rows, columns)

    def mixed(self, weights: Floats, rows: Indices, columns: Indices) -> Floats:
        """Return S sums of the kernels, with weights (S, m), between b of the t and c of the n examples, (S, b, c)."""
        sums = np.zeros((len(weights), len(rows), len(columns)))
        for k in np.flatnonzero(weights.any(axis=0)).tolist():
            values = self.values(k, rows, columns)
            for s in np.flatnonzero(weights[:, k]).tolist():
                sums[s] += weights[s, k] * values
        return sums

    def mixture(self, weights: Floats) -> Floats:
        """Return sum_k weights_k K_k, (t, n)."""
        total, grams = np.zeros(self.shape[1:]), self.grams()
        # Indexed, since a pool may compute a Gram matrix only when it is accessed.
        for k in np.flatnonzero(weights).tolist():
            total += weights[k] * grams[k]
        return total

    def quadratic_forms(self, vector: Floats) -> Floats:
        """Return v'K_k v of every kernel, (m,); for t = n only."""
        return np.array([vector @ gram @ vector for gram in self.grams()])

    @cached_property
    def copied(self) -> Floats:
        """A copy of all Gram matrices in one read-only array, (m, t, n), which solvers take again and again."""
        stack = np.empty(self.shape)
        for k in range(len(stack)):
            stack[k] = self.gram(k)
        stack.flags.writeable = False
        return stack

    def diagonal(self) -> Floats:
        """Return the kernel values of the examples with themselves, (m, n); for t = n only."""
        return np.stack([np.diagonal(gram) for gram in self.grams()])

    def partners(self) -> Partners | None:
        """Return an empty list of training examples, or None if Gram matrices serve as well."""
        return None

    def holds(self, thetas: list[Floats]) -> bool:
        """Return whether the pool has computed its kernels and these are their parameters."""
        return False

    def refuse_stack(self) -> None:  # noqa: B027 - most pools refuse none
        """Raise ValueError if all Gram matrices together are too large to be stored."""

    def along(self, order: Indices) -> GramRows:
        """Return the rows of the training examples for a pass in this order; for t = n only."""
        self.refuse_stack()
        grams = read_only(tuple(self.grams()))
        stack: Any = grams[0].base
        place = np.arange(len(grams[0]))
        is_one = isinstance(stack, np.ndarray) and stack.shape == self.shape
        if is_one and all(gram.ctypes.data == part.ctypes.data for gram, part in zip(grams, stack, strict=True)):
            grams = read_only(stack)
        return GramRows(grams, place)

    def part(self, rows: Indices, columns: Indices) -> "Pool":
        """Return the pool between some of the t examples and some of the training examples."""
        return SubPool(self, rows=rows, columns=columns)

    def only(self, kernels: Sequence[int]) -> "Pool":
        """Return the pool of some kernels; the two share the Gram matrices that either computes."""
        return SubPool(self, kernels=kernels)

    def refined(self, parts: int) -> "Pool":
        """Return the pool with every interval of its grid split into equal parts; ValueError if it is no grid."""
        if parts != 1:
            raise ValueError(f"refine: only a grid of a continuous family can be refined, {parts} parts are asked for")
        return self


class Stored(Pool):
    """A pool of given kernel values, in memory or in mapped files.

    Parameters
    ----------
    grams : sequence of m ndarrays of float64 (t, n), or ndarray of float64 (m, t, n)
        The kernel values.
    features, family
        See Pool.

    Examples
    --------
    >>> import numpy as np
    >>> Stored(np.stack([np.eye(4), np.ones((4, 4))])).shape
    (2, 4, 4)
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


class LazyGrams(Sequence[Floats]):
    """The Gram matrices of a pool, each of which it computes when it is accessed."""

    def __init__(self, pool: Pool) -> None:
        self._pool, self._numbers = pool, range(pool.shape[0])

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, k: Any) -> Any:
        number = self._numbers[k]
        return self._pool.gram(number) if isinstance(number, int) else [self._pool.gram(i) for i in number]


class SubPool(Pool):
    """Some kernels of a pool, between some of its examples and some of its training examples.

    The parent pool computes every Gram matrix and every value, so the bits are those of the parent. A pool of some rows
    or columns keeps its copy of each Gram matrix it has returned; a pool of all rows and columns returns the parent's.

    Parameters
    ----------
    parent : Pool
        The pool to select from.
    kernels : sequence of int, optional
        Indices of the kernels; by default all.
    rows, columns : ndarray of int, optional
        Indices of the examples and of the training examples; by default all.

    Attributes
    ----------
    computed : int
        Kernel values that the parent has computed for this pool. The parent counts them too.
    """

    def __init__(
        self,
        parent: Pool,
        *,
        kernels: Sequence[int] | None = None,
        rows: Indices | None = None,
        columns: Indices | None = None,
    ) -> None:
        m, t, n = parent.shape
        self._parent, self._all_pairs = parent, rows is None and columns is None
        self._kernels = range(m) if kernels is None else [range(m)[k] for k in kernels]
        self._rows = np.arange(t) if rows is None else np.arange(t)[rows]
        self._columns = np.arange(n) if columns is None else np.arange(n)[columns]
        if not len(self._kernels):
            raise ValueError("a pool needs at least one kernel, got none")
        self._copies = KeptGrams((m, len(self._rows), len(self._columns)))  # by the kernel's index in the parent

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        return len(self._kernels), len(self._rows), len(self._columns)

    @cached_property
    def features(self) -> Features:  # type: ignore[override]
        """See Pool."""
        if self._all_pairs:
            return self._parent.features
        return locked({view: values[self._rows] for view, values in self._parent.features.items()})

    @cached_property
    def family(self) -> Continuous | None:  # type: ignore[override]
        """See Pool."""
        family = self._parent.family
        return family if family is None or self._all_pairs else family.part(self._rows, self._columns)

    @property
    def thetas(self) -> list[Floats] | None:  # type: ignore[override]
        """See Pool."""
        thetas = self._parent.thetas
        return None if thetas is None else [thetas[k] for k in self._kernels]

    @property
    def kept(self) -> KeptGrams | None:  # type: ignore[override]
        """See Pool."""
        if self._all_pairs or list(self._kernels) != list(range(self._parent.shape[0])):
            return None
        if self._parent.kept is not None:
            self._parent.kept.stack  # noqa: B018 - soon asked for too; made now, it has no second copy
        return self._copies

    def gram(self, k: int) -> Floats:
        """Return one of the arrays of `grams`."""
        kernel, parent = self._kernels[k], self._parent
        if kernel in self._copies:
            return self._copies[kernel]
        before, by_rows = parent.computed, parent.by_rows and not self._all_pairs
        gram: Floats = parent.values(kernel, self._rows, self._columns) if by_rows else parent.grams()[kernel]
        self.computed += parent.computed - before
        if self._all_pairs:
            return gram
        place = self._copies.place(kernel)
        if by_rows:
            place[:] = gram
        else:
            entries(gram, self._rows, self._columns, place)
        self._copies.keep(kernel, place)
        return self._copies[kernel]

    def values(self, kernel: int, rows: Indices, columns: Indices) -> Floats:
        """Return the values of one kernel between b of the t examples and c of the training examples, (b, c)."""
        before = self._parent.computed
        values = self._parent.values(self._kernels[kernel], self._rows[rows], self._columns[columns])
        self.computed += self._parent.computed - before
        return values

    def part(self, rows: Indices, columns: Indices) -> "SubPool":
        """Return the pool between some of the t examples and some of the training examples."""
        return SubPool(self._parent, kernels=self._kernels, rows=self._rows[rows], columns=self._columns[columns])

    def only(self, kernels: Sequence[int]) -> "SubPool":
        """Return the pool of some kernels; the two share their copies of Gram matrices."""
        rows, columns = (None, None) if self._all_pairs else (self._rows, self._columns)
        subset = SubPool(self._parent, kernels=[self._kernels[k] for k in kernels], rows=rows, columns=columns)
        subset._copies = self._copies
        return subset


class GridPool(Pool):
    """The kernels of a continuous family at a grid of its parameter; the first access computes all Gram matrices.

    Parameters
    ----------
    family : Continuous
        The family between t examples and n training examples.
    features : dict of ndarray (t, d)
        See Pool.
    values : ndarray of float64 (m,), optional
        The grid; by default the grid of the family.
    """

    family: Continuous

    def __init__(self, family: Continuous, features: Features = NONE, values: Floats | None = None) -> None:
        self.family = family
        self.features = locked(features)
        self._values = family.grid if values is None else values
        self.thetas: list[Floats] = [np.array([value]) for value in self._values]
        self._grams: Grams | None = None
        self._refined: dict[int, GridPool] = {}

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, t and n."""
        n, test = self.family.examples, self.family.test
        return len(self._values), n if test is None else len(test), n

    def grams(self) -> Grams:
        """Return the Gram matrices, (m, t, n)."""
        if self._grams is None:
            grams = np.empty(self.shape)
            for theta, gram in zip(self.thetas, grams, strict=True):
                gram[:] = self.family.gram(theta)
            self._grams = read_only(grams)
            self.computed += grams.size
        return self._grams

    def holds(self, thetas: list[Floats]) -> bool:
        """Return whether the Gram matrices are computed and these are their parameters."""
        return (
            self._grams is not None
            and len(thetas) == len(self.thetas)
            and all(map(np.array_equal, thetas, self.thetas))
        )

    def part(self, rows: Indices, columns: Indices) -> "GridPool":
        """Return the pool between some of the t examples and some of the training examples."""
        features = {view: values[rows] for view, values in self.features.items()}
        return GridPool(self.family.part(rows, columns), features, self._values)

    def refined(self, parts: int) -> "GridPool":
        """Return the pool with every interval of its grid split into equal parts; the same object every time."""
        # A reference to itself would keep the Gram matrices in memory until the garbage collector runs.
        if parts == 1:
            return self
        if parts not in self._refined:
            self._refined[parts] = GridPool(self.family, self.features, self.family.refined(parts))
        return self._refined[parts]


def read_only(grams: Grams) -> Grams:
    """Return read-only views: one of an array (m, t, n), which then need not be stacked again, else a tuple."""
    views = (grams.view(),) if isinstance(grams, np.ndarray) else tuple(gram.view() for gram in grams)
    for view in views:
        view.flags.writeable = False
    return views[0] if isinstance(grams, np.ndarray) else views


def locked(features: Features) -> Features:
    """Return read-only views of dense features; sparse features as they are."""
    return {view: read_only(values) if isinstance(values, np.ndarray) else values for view, values in features.items()}


def stacked(pool: Pool) -> Floats:
    """Return the kernel values of a pool as one array (m, t, n), without a copy if the pool keeps them as one."""
    pool.refuse_stack()
    grams = pool.grams()
    if not isinstance(grams, LazyGrams):
        return grams if isinstance(grams, np.ndarray) else np.stack(grams)
    if pool.kept is None:
        return pool.copied
    for k in range(len(grams)):
        pool.gram(k)
    return np.asarray(read_only(pool.kept.stack))
