"""The kernels of an estimator, bound to training examples.

A fitted estimator stores them with the training examples, but without Gram matrices of these.
"""

import functools
import reprlib
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils import check_array

from grambench.common.errors import ConfigError, unknown_name
from grambench.common.types import Floats, Indices
from grambench.kernels.centred import CentredKernels
from grambench.kernels.dictionary import FamilyRange
from grambench.kernels.functions import FAMILIES, Kernel
from grambench.kernels.pool import Pool, Stored
from grambench.kernels.pools import BoundKernels
from grambench.kernels.subsets import FeatureSubsets, RandomSubsets

KernelCallable = Callable[[Floats, Floats], Any]

# The kernels of the leaderboard.
DEFAULT = [Kernel("meanpolynomial", degree) for degree in (1, 2, 3, 4)]
DEFAULT += [Kernel("mediangaussian", 2.0**power) for power in range(-4, 5)]
DEFAULT_FAMILY: dict[str, Any] = {"family": "gaussian", "unit": "median", "low": 2.0**-3.5, "high": 2.0**4.5}
DEFAULT_FAMILY |= {"count": 9, "spacing": "log"}

SYMMETRIC = 1e-5  # largest asymmetry, relative to the largest entry; in float32 rounding alone gives 1e-6
NEGATIVE = 1e-6  # how far the smallest eigenvalue may lie below 0, relative to the largest
ANY_SHAPE: dict[str, Any] = {"dtype": None, "ensure_2d": False, "allow_nd": True, "ensure_all_finite": False}
DIGITS = 1e-5  # largest share of rounding in the squared distances of examples
LARGEST = 1e150  # squared norm, whose square is finite
CHEAP = 2000  # examples up to which the Cholesky factor of the definiteness check takes a fraction of a second


class KernelMatrices:
    """Kernel matrices that are inputs of an estimator or values of functions, with the methods of BoundKernels.

    Parameters
    ----------
    names : list of m str
        Names of the kernels.
    values : callable
        Returns the kernel values (m, t, n) between given examples and the training examples.
    train : object
        The training examples as an argument of `values`. They are dropped at the fit: precomputed ones are Gram
        matrices.
    scale : bool
        Whether the mean diagonal of each Gram matrix is scaled to 1.
    vectors : bool
        Whether examples are vectors, which algorithms may also learn from.
    """

    family = ""

    def __init__(
        self, names: list[str], values: Callable[[Any], Floats], train: Any, scale: bool, vectors: bool = False
    ) -> None:
        self.names, self._values, self._vectors = names, values, vectors
        self._train, self._scale, self._scales = train, scale, np.ones(len(names))

    def train(self) -> Pool:
        """Return the pool of the training examples."""
        train, self._train = self._train, None
        grams = self._values(train)
        check_grams(grams, names=self.names)
        if self._scale:
            means = np.array([np.diagonal(gram).mean() for gram in grams])
            for name, mean in zip(self.names, means, strict=True):
                if mean <= 0.0:
                    raise ValueError(f"{name}: expected a diagonal with a mean above 0, got {mean:g}")
            self._scales = 1.0 / means
        return self._stored(grams, train)

    def between(self, test: Any) -> Pool:
        """Return the pool between test examples and the training examples."""
        return self._stored(self._values(test), test)

    def _stored(self, values: Floats, examples: Any) -> Stored:
        return Stored(values * self._scales[:, None, None], features={"": examples} if self._vectors else {})


Bound = BoundKernels | KernelMatrices | CentredKernels


def _evaluate(names: list[str], functions: Sequence[KernelCallable], train: Floats, examples: Floats) -> Floats:
    """Return the values of kernel functions between examples (t, d) and training examples (n, d), (m, t, n)."""
    t, n = len(examples), len(train)
    values = np.empty((len(functions), t, n))
    for k, (name, function) in enumerate(zip(names, functions, strict=True)):
        try:
            value = function(examples, train)
        except (ValueError, TypeError) as error:
            got = f"of arrays {examples.shape} and {train.shape} it raised {type(error).__name__}: {error}"
            raise ValueError(f"{name}: expected kernel values {t, n}; {got}") from error
        gram = numbers(value, name)
        if gram.shape != (t, n):
            raise ValueError(f"{name}: expected kernel values {t, n} of {t} and {n} examples, got {gram.shape}")
        values[k] = gram
    return values


def _precomputed(m: int, n: int, values: Floats) -> Floats:
    """Return precomputed kernel values (m, t, n); raise ValueError for other numbers of kernels or examples."""
    if len(values) != m or values.shape[2] != n:
        expected = f"values of {m} kernels with {n} training examples, (m, t, n) = ({m}, t, {n})"
        raise ValueError(f"precomputed: expected {expected}, got {values.shape}")
    return values


def _select(grams: Floats, train: Indices, rows: Any) -> Floats:
    """Return the values between examples and training examples, both rows of Gram matrices (m, N, N).

    In the place of rows, new examples have their values (m, t, n) with the training examples.
    """
    if rows.ndim == 3:
        return _precomputed(len(grams), len(train), rows)
    return np.stack([gram[np.ix_(rows, train)] for gram in grams])


def bind(kernels: Any, train: Any, scale: bool, columns: Mapping[str, Indices], center: bool = False) -> Bound:
    """Return the kernels of an estimator, bound to its training examples.

    Parameters
    ----------
    kernels
        The parameter of the estimator.
    train : ndarray
        Examples (n, d), Gram matrices (m, n, n) if `kernels` is "precomputed", or rows (n,) of `kernels`, an array.
    scale : bool
        Whether the mean diagonal of each Gram matrix is scaled to 1.
    columns : mapping of ndarray of int
        Groups of columns, on each of which the kernels are; empty for kernels on all features.
    center : bool
        Whether each kernel is centred on the training examples before it is scaled.

    Raises
    ------
    ValueError
        If `kernels` describes no kernels, kernels that take no views, or kernels to center that are not stored.
    ConfigError
        If a kernel of some name does not exist.
    """
    if center:
        if isinstance(kernels, FeatureSubsets | RandomSubsets) or (isinstance(kernels, Mapping) and "low" in kernels):
            raise ValueError(
                f"center: expected False with {type(kernels).__name__}, whose Gram matrices are not stored"
            )
        bound = bind(kernels, train, False, columns)
        return CentredKernels(bound, float(len(train) if train.ndim < 3 else train.shape[2]) if scale else None)
    trace = float(len(train)) if scale else None
    if columns:
        return BoundKernels(named(kernels, columns, "views"), train, trace=trace, columns=columns)
    if isinstance(kernels, FeatureSubsets | RandomSubsets):
        return BoundKernels(kernels, train)
    if is_array(kernels):
        grams = array(list(kernels.values()) if isinstance(kernels, Mapping) else kernels)
        if grams.shape[1] != grams.shape[2]:
            raise ValueError(f"kernels: expected Gram matrices of all examples, (m, N, N), got {grams.shape}")
        given = list(map(str, kernels)) if isinstance(kernels, Mapping) else numbered(len(grams))
        return KernelMatrices(given, functools.partial(_select, grams, train), train, scale)
    if isinstance(kernels, Mapping) and "low" in kernels:
        return BoundKernels([], train, _from_mapping(kernels))
    if isinstance(kernels, str) and kernels == "precomputed":
        m, _, n = train.shape
        return KernelMatrices(numbered(m), functools.partial(_precomputed, m, n), train, scale)
    if isinstance(kernels, str) and kernels == "default":
        return BoundKernels(DEFAULT, train, _from_mapping(DEFAULT_FAMILY), trace)
    parsed = _parsed(kernels)
    if all(isinstance(kernel, Kernel) for kernel in parsed):
        return BoundKernels(parsed, train, trace=trace)
    names, functions = zip(*map(_named_function, parsed), strict=True)
    names = tuple(map(str, kernels)) if _are_named_functions(kernels) else names
    distinct = [name if name not in names[:k] else f"{name}_{k}" for k, name in enumerate(names)]
    values = functools.partial(_evaluate, distinct, functions, train)
    return KernelMatrices(distinct, values, train, scale, vectors=True)


def check_scale(examples: Floats) -> None:
    """Warn if features, (n, d), are so far from 0 that squared distances, from inner products, lose their digits.

    Raises
    ------
    ValueError
        If their squares are too small for numbers of full precision, or products of two squares are too large.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # which the kernels refuse
        largest, spread = float(np.square(examples).sum(axis=1).max()), float(examples.var(axis=0).sum())
    if examples.any() and not np.finfo(np.float64).tiny <= largest <= LARGEST:
        limits = f"squared norms from 1e-308 to {LARGEST:g}"
        size = np.abs(examples).max()
        raise ValueError(f"expected {limits}, got features of a size up to {size:.2g}; scale the features")
    if np.finfo(np.float64).eps * largest > DIGITS * spread > 0.0:
        text = f"features: expected examples around 0, got squared norms up to {largest:.2g} with a variance of "
        text += f"{spread:.2g}, so that distances are inexact; subtract the mean of each feature (StandardScaler)"
        warnings.warn(text, UserWarning, 2)


def named(kernels: Any, columns: Mapping[str, Indices] = {}, parameter: str = "approximation") -> list[Kernel]:
    """Return kernels that are named as in studies, or the same kernels on each group of columns.

    Raises
    ------
    ValueError
        If kernels are not named as in studies, which the parameter of the estimator needs.
    ConfigError
        If a kernel of some name does not exist.
    """
    if form := form_of(kernels):
        raise ValueError(f"{parameter}: expected kernels by name, got {form}")
    parsed = _parsed(kernels)
    if others := [kernel for kernel in parsed if not isinstance(kernel, Kernel)]:
        known = ", ".join(f"{name}_{family.symbol}1" for name, family in FAMILIES.items())
        hint = ", which is polynomial_p1" * (others[0] == "linear")
        raise ValueError(f"{parameter}: expected this benchmark's kernels, such as {known}; got {others[0]!r}{hint}")
    return [replace(kernel, view=view) for view in columns for kernel in parsed] or list(parsed)


def groups_of_columns(views: Any, features: Sequence[str] | None, d: int) -> dict[str, Indices]:
    """Return the positions of the columns of each view.

    Parameters
    ----------
    views : mapping of sequences of int or str, or None
        The parameter of the estimator.
    features : sequence of d str, optional
        The names of the columns, if they have names.
    d : int
        The number of columns.

    Raises
    ------
    ValueError
        If `views` is no such mapping, or names a column that does not exist, or one twice.
    """
    if views is None:
        return {}
    if not isinstance(views, Mapping) or not views:
        raise ValueError(f"views: expected a dictionary of lists of columns by name, got {views!r}")
    positions = {name: place for place, name in enumerate(features if features is not None else ())}
    groups: dict[str, Indices] = {}
    for view, columns in views.items():
        if not isinstance(view, str) or not view or "/" in view:
            raise ValueError(f"views: expected names that are text without a slash, got {view!r}")
        if isinstance(columns, str) or not isinstance(columns, Iterable) or not (listed := list(columns)):
            raise ValueError(f"views: expected a list of columns for view {view!r}, got {columns!r}")
        places = [positions.get(column, -1) if isinstance(column, str) else column for column in listed]
        for column, place in zip(listed, places, strict=True):
            if not isinstance(place, int | np.integer) or isinstance(place, bool) or not 0 <= place < d:
                known = "names of columns or " if positions else ""
                hint = "; X has no names (set_output(transform='pandas') of a step before keeps them)"
                hint *= isinstance(column, str) and not positions
                if isinstance(column, str) and positions:
                    raise unknown_name(f"column of the view {view}", column, positions)
                raise ValueError(f"views: {view}: expected {known}positions from 0 to {d - 1}, got {column!r}{hint}")
        if len(set(places)) < len(places):
            raise ValueError(f"views: {view} has a column twice")
        groups[view] = np.array(places, dtype=np.intp)
    return groups


def form_of(kernels: Any) -> str:
    """Return in words what `kernels` are; empty for names and functions.

    Raises
    ------
    ValueError, ConfigError
        If `bind` takes no such kernels.
    """
    if isinstance(kernels, Mapping) and "low" in kernels:
        return "a continuous family"
    if is_array(kernels) or (isinstance(kernels, str) and kernels == "precomputed"):
        return "Gram matrices"
    if isinstance(kernels, FeatureSubsets | RandomSubsets):
        return type(kernels).__name__
    _parsed(kernels)
    return ""


def _parsed(kernels: Any) -> list[Any]:
    """Return the kernels, functions or names of scikit-learn's kernels that `kernels` describes."""
    if isinstance(kernels, str) and kernels == "default":
        return list(DEFAULT)
    if _are_named_functions(kernels):
        return list(kernels.values())
    single = isinstance(kernels, str | Mapping) or callable(kernels)
    if not single and not (isinstance(kernels, Collection) and list(kernels)):
        raise ValueError(f"kernels: expected names, functions or arrays, got {kernels!r}")
    return [kernel for entry in ([kernels] if single else kernels) for kernel in _parse(entry)]


def _are_named_functions(kernels: Any) -> bool:
    """Return whether `kernels` is a dictionary of functions by name."""
    return isinstance(kernels, Mapping) and bool(kernels) and all(map(callable, kernels.values()))


def _from_mapping(values: Mapping[Any, Any]) -> Any:
    """Return the continuous family, or the list of kernels, of a mapping as in studies.

    The models of studies check the same; estimators do without them, since these need pydantic.

    Raises
    ------
    ConfigError
        If a key does not exist or is missing, or a value is wrong.
    """
    is_range = "low" in values
    required = ("family", "low", "high", "count", "spacing") if is_range else ("family", "values")
    known = (*required, "unit") if is_range else required
    if unknown := [str(key) for key in values if key not in known]:
        raise unknown_name("key of kernels", unknown[0], known)
    try:
        if missing := [key for key in required if key not in values]:
            raise ValueError(f"{missing[0]} is missing")
        if is_range:
            return FamilyRange.of(**values)
        if not (kernels := [Kernel(values["family"], float(value)) for value in values["values"]]):
            raise ValueError("expected one of values or more, got none")
        return kernels
    except (TypeError, ValueError) as error:
        raise ConfigError(f"kernels: {error}") from None


def _parse(entry: Any) -> list[Any]:
    """Return the kernels, functions or names of scikit-learn's kernels that one entry of a list describes."""
    if isinstance(entry, Mapping):
        if matrices := [name for name, value in entry.items() if getattr(value, "ndim", 0) > 1]:
            raise ValueError(f"kernels: Gram matrices and names cannot be mixed, got a matrix for {matrices[0]!r}")
        if any(map(callable, entry.values())):
            expected = "functions themselves beside other kernels, or one dictionary of functions alone"
            raise ValueError(f"kernels: expected {expected}, got {reprlib.repr(entry)}")
        return list(_from_mapping(entry))
    if isinstance(entry, Kernel) and entry.view:
        raise ValueError(f"kernels: expected kernels without a view, which `views` gives them, got {entry.name}")
    is_name = isinstance(entry, str)
    if isinstance(entry, Kernel) or callable(entry) or (is_name and entry in PAIRWISE_KERNEL_FUNCTIONS):
        return [entry]
    if not is_name:
        matrix = f"an array {np.shape(entry)}; Gram matrices and names cannot be mixed" if np.ndim(entry) > 1 else ""
        raise ValueError(f"kernels: expected names or functions, got {matrix or reprlib.repr(entry)}")
    if entry == "precomputed":
        raise ValueError(f"kernels: expected {entry!r} alone: Gram matrices and names cannot be mixed")
    if entry in FAMILIES:
        name = f"{entry}_{FAMILIES[entry].symbol}1"
        raise ValueError(f"kernels: expected the parameter of {entry} in its name, such as {name}")
    family, _, rest = entry.rpartition("_")
    if family not in FAMILIES or not rest:
        names = [f"{name}_{family.symbol}1" for name, family in FAMILIES.items()]
        raise unknown_name("kernel", entry, [*names, *PAIRWISE_KERNEL_FUNCTIONS])
    try:
        return [Kernel.parse(entry)]
    except ValueError as error:
        raise ValueError(f"kernel {entry!r}: {error}") from None


def _named_function(kernel: Any) -> tuple[str, KernelCallable]:
    """Return a name and a function for a kernel that `_parse` has returned."""
    if isinstance(kernel, str):
        return kernel, functools.partial(pairwise_kernels, metric=kernel)
    if isinstance(kernel, Kernel):
        return kernel.name, functools.partial(_kernel_values, kernel)
    name = getattr(kernel, "__name__", "")
    if not name and isinstance(kernel, functools.partial):
        given = [*map(reprlib.repr, kernel.args), *(f"{key}={reprlib.repr(v)}" for key, v in kernel.keywords.items())]
        name = f"{_named_function(kernel.func)[0]}({', '.join(given)})"
    return name or type(kernel).__name__, kernel


def _kernel_values(kernel: Kernel, examples: Floats, train: Floats) -> Floats:
    """Return the values of a kernel, (t, n), in units of the training examples."""
    bound = BoundKernels([kernel], train)
    return (bound.train() if examples is train else bound.between(examples)).grams()[0]


def numbered(m: int) -> list[str]:
    """Return names for m kernels without names."""
    return [f"kernel_{number}" for number in range(m)]


def is_array(kernels: Any) -> bool:
    """Return whether `kernels` are Gram matrices: an array or a data frame, or several by name or in a list."""
    if isinstance(kernels, Mapping):
        return bool(kernels) and all(map(is_array, kernels.values()))
    if isinstance(kernels, list | tuple):
        return bool(kernels) and all(isinstance(kernel, list | tuple) or is_array(kernel) for kernel in kernels)
    return len(getattr(kernels, "shape", ())) > 1


def shape_of(gram: Any) -> tuple[int, ...]:
    """Return the shape of a Gram matrix, which may be a list of lists; raise ValueError if they differ in length."""
    try:
        return np.shape(gram)
    except ValueError:
        raise ValueError("kernels: expected matrices, got lists of different lengths") from None


def array(values: Any) -> Floats:
    """Return kernel values as an array (m, t, n); values (t, n) are those of one kernel."""
    if isinstance(values, Mapping):
        remedy = "named Gram matrices of all examples are given as `kernels`, and X has the indices of some of them"
        raise ValueError(f'kernels="precomputed": expected an array (m, t, n) as X, got a dictionary; {remedy}')
    shapes = [str(shape_of(gram)) for gram in values] if isinstance(values, list | tuple) else []
    if len(set(shapes)) > 1:
        raise ValueError(f"kernels: expected arrays of one shape, got {', '.join(shapes)}")
    grams = numbers(values, "kernels")
    grams = grams[None] if grams.ndim == 2 else grams
    if grams.ndim != 3 or 0 in grams.shape:
        raise ValueError(f"kernels: expected an array (m, t, n), got {np.shape(values)}")
    return grams


def values_of_new(X: Any, kernels: Any) -> Floats:
    """Return the values (m, t, n) of new examples with the training ones, given as an array or by names of kernels."""
    if not isinstance(X, Mapping):
        return array(X)
    names = list(kernels) if isinstance(kernels, Mapping) else numbered(len(kernels))
    if X.keys() != set(names):
        raise ValueError(f"X: expected kernel values by the names {names}, got {list(X)}")
    return array([X[name] for name in names])


def numbers(values: Any, name: str) -> Floats:
    """Return values as an array of float64; raise ValueError unless they are finite real numbers."""
    array = np.asarray(check_array(values, input_name=name, ensure_min_samples=0, **ANY_SHAPE))
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name}: expected real numbers, got {array.dtype}")
    floats = array.astype(np.float64, copy=False)
    refuse_not_finite(floats, name)
    return floats


def refuse_not_finite(values: Floats, name: str) -> None:
    """Raise ValueError for NaN or infinite values."""
    if not np.isfinite(values).all():
        missing, infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
        hint = "; scikit-learn's SimpleImputer, before it in a pipeline, fills NaN" * (name == "X" and missing > 0)
        got = f"{missing} NaN and {infinite} inf of {values.size}"
        raise ValueError(f"{name}: expected finite numbers, got {got}{hint}")


def check_grams(grams: Any, *, names: Sequence[str] = (), definite: bool | None = None) -> None:
    """Raise ValueError unless every Gram matrix is square, finite, symmetric and not clearly indefinite.

    Parameters
    ----------
    grams : array (m, n, n) or (n, n)
        Gram matrices of m kernels, or of one kernel.
    names : sequence of str, optional
        Names of the kernels, for messages.
    definite : bool, optional
        Whether to check definiteness: the smallest eigenvalue may be negative by 1e-6 of the largest. By default it is
        checked for up to 2000 examples, where it takes a fraction of a second.

    Examples
    --------
    >>> import numpy as np
    >>> from grambench import check_grams
    >>> check_grams(np.eye(3))
    >>> check_grams(np.array([[1.0, 2.0], [2.0, 1.0]]))
    Traceback (most recent call last):
    ...
    ValueError: kernel_0: expected a positive semi-definite Gram matrix, got eigenvalues from -1 to 3
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
    # The Rayleigh quotient of a vector after two power iterations is a lower bound of the largest eigenvalue.
    start = gram @ (gram @ np.ones(len(gram)))
    bound = float(start @ gram @ start) / max(float(start @ start), np.finfo(float).tiny)
    shifted = gram.copy()
    shifted[np.diag_indices_from(shifted)] += NEGATIVE * max(bound, 0.0)
    try:
        linalg.cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        values = linalg.eigvalsh(gram)
        if values[0] < -NEGATIVE * values[-1]:
            got = f"eigenvalues from {values[0]:g} to {values[-1]:g}"
            raise ValueError(f"{name}: expected a positive semi-definite Gram matrix, got {got}") from None
