"""The base class of the estimators: parameters, checks of input, and the fit itself."""

import re
import textwrap
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import MISSING
from numbers import Number
from types import MappingProxyType
from typing import Any, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from tqdm import tqdm

import grambench.estimators.kernels as kernel_input
from grambench import algorithms
from grambench.algorithms.checks import certified, learn
from grambench.algorithms.fit import Fit
from grambench.algorithms.one_vs_rest import one_vs_rest_labels
from grambench.algorithms.settings import GAP, gap_missed
from grambench.common.errors import ConfigError, unknown_name
from grambench.common.lazy_numba import notice
from grambench.common.threads import one_thread
from grambench.common.types import Floats, Indices
from grambench.experiments.training import Examples
from grambench.kernels.functions import view_of
from grambench.kernels.pools import title

LONGEST = 400  # characters of a message
# types of columns with dates or durations, as NumPy, pandas, polars and PyArrow print them
DATES = re.compile("date|time|duration|period|[<>]m8", re.IGNORECASE)
KINDS = (("numbers", Number | np.bool_), ("text", str))
LIMITS = ("iterations", "epochs", "batch", "gap")  # parameters that end a fit
MOST = np.iinfo(np.int8).max  # classes of a multi-class algorithm, whose labels are int8
Result = TypeVar("Result")


class KernelEstimator(BaseEstimator):  # type: ignore[misc]
    """An algorithm of the registry with its kernels; see KernelClassifier."""

    # Private, so that it is no parameter to scikit-learn.
    _parameters: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self,
        algorithm: str = "rkl",
        kernels: Any = "default",
        *,
        views: Any = None,
        scale: bool = True,
        center: bool = False,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
        **parameters: Any,
    ) -> None:
        self.algorithm = algorithm
        self.kernels = kernels
        self.views = views
        self.scale = scale
        self.center = center
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose
        if parameters:
            self._parameters = parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with `deep`, also those of the algorithm that are at their defaults."""
        params: dict[str, Any] = super().get_params(deep)
        return (self._defaults() if deep else {}) | params | dict(self._parameters)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator, and of its algorithm after the call.

        If `algorithm` changes, parameters of the previous algorithm are kept if the new one has parameters of these
        names, and dropped otherwise. A search over algorithms can therefore continue when one lacks a parameter.

        Raises
        ------
        ValueError
            If a parameter of this call belongs neither to the estimator nor to the algorithm.
        """
        if not params:
            return self
        names, previous = self._get_param_names(), self._algorithm_fields() or {}
        for name in params.keys() & set(names):
            setattr(self, name, params.pop(name))
        fields = self._algorithm_fields()
        dropped = previous.keys() - fields.keys() if fields is not None else ()
        parameters = {name: value for name, value in self._parameters.items() if name not in dropped}
        allowed = dict.fromkeys([*names, *(fields or {}), *parameters])
        for name in params:
            if name not in allowed:
                estimator = f"{type(self).__name__} with {self.algorithm}"
                raise ValueError(f"Invalid parameter {name!r} for {estimator}: expected one of {', '.join(allowed)}")
        self._parameters = parameters | params
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.pairwise = self._precomputed
        return tags

    def _algorithm_fields(self) -> Mapping[str, Any] | None:
        """Return the fields of the algorithm's parameters; None if the algorithm cannot be loaded."""
        try:
            if not isinstance(self.algorithm, str) or algorithms.fault(self.algorithm):
                return None
        except ConfigError:
            return None
        fields: Mapping[str, Any] = algorithms.load(self.algorithm).parameters.__dataclass_fields__
        return fields

    def _defaults(self) -> dict[str, Any]:
        """Return the defaults of the algorithm's parameters; empty if the algorithm does not exist."""
        defaults = {
            name: field.default if field.default_factory is MISSING else field.default_factory()
            for name, field in (self._algorithm_fields() or {}).items()
        }
        return {name: value for name, value in defaults.items() if value is not MISSING}

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernels, str) and self.kernels == "precomputed"

    def _settings(self) -> dict[str, Any]:
        """Return the settings of the algorithm; raise ConfigError for one that neither it nor the estimator has."""
        fields = algorithms.load(self.algorithm).parameters.__dataclass_fields__
        if unknown := [name for name in self._parameters if name not in fields]:
            raise unknown_name(f"parameter of {self.algorithm}", unknown[0], {*fields, *self._get_param_names()})
        return dict(self._parameters)

    def _columns(self) -> dict[str, Indices]:
        """Return the positions of the columns of each view."""
        if self.views is not None:
            # With other kernels, the columns of X are no features.
            kernel_input.named(self.kernels, parameter="views")
            if algorithms.needs(self.algorithm) == "family":
                searched = "searches a continuous family on all columns"
                raise ValueError(f"views: expected none, since {self.algorithm} {searched}")
        return kernel_input.groups_of_columns(self.views, getattr(self, "feature_names_in_", None), self.n_features_in_)

    def _examples(self, X: Any, *, reset: bool = False) -> Any:
        """Return examples (t, d), precomputed kernel values (m, t, n), or rows of given Gram matrices (t,).

        With `reset`, vectors are copied, so that later changes of X do not reach the estimator.
        """
        with one_line():
            if reset:
                self._refuse_unknown()
            if self._precomputed:
                X = kernel_input.array(X)
                n_features = X.shape[2]
            elif kernel_input.is_array(self.kernels) and not reset and kernel_input.is_array(X) and np.ndim(X) != 2:
                X, n_features = kernel_input.values_of_new(X, self.kernels), 1
            elif kernel_input.is_array(self.kernels):
                grams = list(self.kernels.values()) if isinstance(self.kernels, Mapping) else self.kernels
                first = grams[0] if isinstance(grams, list | tuple) else grams
                X, n_features = row_indices(X, kernel_input.shape_of(first)[-1]), 1
            else:
                if reset or not self._is_checked(X):
                    X = self._vectors(X, reset)
                X, n_features = X.astype(np.float64, copy=reset), X.shape[1]
                kernel_input.refuse_not_finite(X, "X")
        if reset:
            self.n_features_in_ = n_features
        return X

    def _refuse_unknown(self) -> None:
        """Raise ValueError or ConfigError for an algorithm or kernels that do not exist."""
        if not isinstance(self.algorithm, str):
            raise ValueError(f"algorithm: expected a name, got {self.algorithm!r}")
        if fault := algorithms.fault(self.algorithm):
            raise ValueError(f"{self.algorithm}: {fault}")
        kernel_input.form_of(self.kernels)
        for name in ("scale", "center", "shuffle"):
            if not isinstance(value := getattr(self, name, False), bool | np.bool_):
                raise ValueError(f"{name}: expected True or False, got {value!r}")

    def _vectors(self, X: Any, reset: bool) -> Floats:
        """Return examples (t, d) as scikit-learn checks them; dates, which it takes as numbers, are refused."""
        if getattr(X, "ndim", 2) == 1:
            remedy = "Reshape your data by X.reshape(1, -1) if it is one example, X.reshape(-1, 1) if one feature"
            raise ValueError(f"X: expected a 2D array (t, d), got {X.shape}; {remedy}")
        names = getattr(X, "column_names", getattr(X, "columns", [0]))
        types = getattr(X, "dtypes", getattr(getattr(X, "schema", X), "types", [getattr(X, "dtype", None)]))
        with one_line("X"):
            if dates := [name for name, kind in zip(names, types, strict=False) if DATES.match(str(kind))]:
                raise ValueError(f"expected numbers, got dates or durations from column {dates[0]!r} on")
            try:
                X = validate_data(self, X, order="C", ensure_all_finite=False, reset=reset)
                return np.asarray(X, dtype=np.float64)
            except ValueError as error:
                encode = " (encode text before it, such as by scikit-learn's OneHotEncoder)"
                raise ValueError(f"{error}{encode * ('string' in str(error))}") from None

    def _is_checked(self, X: Any) -> bool:
        """Return whether `validate_data` would return X as it is, for whose checks one example waits longest."""
        if type(X) is not np.ndarray or X.dtype != np.float64 or X.ndim != 2 or not X.flags.c_contiguous:
            return False
        return len(X) > 0 and X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_")

    def _labelled(self, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, Any]:
        """Return the checked examples and their labels, (n,)."""
        if y is None:
            required = f"{type(self).__name__} requires y to be passed, but the target y is None"
            raise ValueError(f"{required}: expected one class for each example")
        X = self._examples(X, reset=reset)
        # Of a stream, plain labels need no check: those that are no known class are refused.
        if reset or type(y) is not np.ndarray or y.ndim != 1 or y.dtype.kind not in "biuU":
            y = checked_labels(y, "y")
        count = X.shape[1] if self._precomputed else len(X)
        if X.ndim == 3 and not self._precomputed:
            raise ValueError("X: expected numbers of examples in the given Gram matrices, got kernel values")
        if len(y) != count:
            raise ValueError(f"X and y are inconsistent: expected one label for each of {count} examples, got {len(y)}")
        return X, y

    def _prepare(self, X: Any, y: Any) -> None:
        """Check examples and labels, and store the input of the fit."""
        self._stream, y = self._labelled(X, y)
        self.classes_, self._numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"expected examples of two classes or more, got one class: {self.classes_[0]}")
        self._seed = seed_of(self.random_state)
        # The permutation and the algorithm draw from different streams.
        rng, n = np.random.default_rng([self._seed, 1]), len(y)
        self._order = (rng.permutation(n) if self.shuffle else np.arange(n)).astype(np.int32)

    def _learn(self, convert: Callable[[Fit, Examples], Result]) -> tuple[list[Fit], list[Result]]:
        """Fit the algorithm once, or once for each class (one-vs-rest), and set the attributes of what was learned.

        Returns the fits, and what `convert` returns for each of them.
        """
        fits, results = [], []
        with one_line(), one_thread(self._stream.size * len(self._numbers)):
            multiclass, classes = algorithms.is_multiclass(self.algorithm), len(self.classes_)
            self._is_multiclass = multiclass
            if multiclass and classes > MOST:
                raise ValueError(f"{self.algorithm}: expected at most {MOST} classes, got {classes}")
            algorithm = algorithms.load(self.algorithm)
            parameters = algorithms.parameters(self.algorithm, self._settings())
            if self._stream.ndim == 2:
                kernel_input.check_scale(self._stream)
            self._bound = kernel_input.bind(self.kernels, self._stream, self.scale, self._columns(), self.center)
            # Precomputed Gram matrices are not stored beyond the fit.
            if self._precomputed:
                self._stream = None
            positive = [1] if classes == 2 else range(classes)
            targets = [one_vs_rest_labels(self._numbers, number) for number in positive]
            targets = [self._numbers.astype(np.int8)] if multiclass else targets
            with (
                tqdm(total=len(targets), desc=self.algorithm, unit="fit", disable=not self.verbose) as bar,
                notice(bar.set_postfix_str) if self.verbose else nullcontext(),
            ):
                pool = self._bound.train()
                for labels in targets:
                    rng = np.random.default_rng(self._seed)
                    fit = learn(algorithm, parameters, pool, labels, order=self._order, rng=rng)
                    fits.append(fit)
                    results.append(convert(fit, Examples(pool, labels, self._order)))
                    bar.update()
            certificates = [certified(fit) for fit in fits]
        self.certificate_ = certificates[0] if len(fits) == 1 else certificates
        self._set_weights(*combined(fits, self._bound))
        settings = algorithms.resolved(self.algorithm, self._settings())
        gaps = np.array([certificate.gap for certificate in certificates])
        missed = gap_missed(gaps, settings)
        if stopped := np.count_nonzero(missed | [fit.converged is False for fit in fits]):
            limit = f"asked {settings['gap']:g}" if "gap" in settings else f"which counts as reached at {GAP:g}"
            gap = f"; certified gap {np.nanmax(gaps):.2g}, {limit}" if missed.any() else ""
            text = f"{self.algorithm}: {stopped} of {len(fits)} fits stopped short{gap}"
            limits = [name for name in LIMITS if name in settings]
            hint = (f"lower C (here {settings['C']:g}), " if "C" in settings else "") + "scale the features"
            hint += f", or raise {' or '.join(limits)}" * bool(limits)
            warnings.warn(f"{text}; {hint}", ConvergenceWarning, 2)
        # so far below 0 is no rounding error
        if (lowest := np.nanmin(np.append(gaps, 0.0))) < -GAP:
            text = f"certified gap {lowest:.2g} below 0: a kernel is not positive semi-definite"
            warnings.warn(f"{self.algorithm}: {text}", ConvergenceWarning, 2)
        return fits, results

    def weights_by(self, by: Literal["kernel", "view"] = "kernel", of: Any = None) -> dict[str, float]:
        """Return the share of each kernel, or of each view, in the weights: they sum to 1, the largest first.

        Parameters
        ----------
        by : str
            "kernel", or "view" for the sums over the kernels of each of `views`.
        of : optional
            The class, of classes that are learned one-vs-rest; by default the mean of the shares of all classes. An
            algorithm that learns all classes at once, or two, has the same weights for each.

        Raises
        ------
        ValueError
            If no kernel has a weight, the names of the kernels have no view before a slash, or the class is unknown.

        Notes
        -----
        A gap bounds the objective of a fit and not its weights, which may still be those that it began with. Fit with a
        smaller `gap`, and read weights that stay.

        Examples
        --------
        >>> from grambench import KernelClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> views = {"sepal": [0, 1], "petal": [2, 3]}
        >>> model = KernelClassifier("easy_mkl", ["gaussian_sigma1", "gaussian_sigma4"], views=views).fit(X, y)
        >>> list(model.weights_by("view"))
        ['petal', 'sepal']
        >>> list(model.weights_by("view", of=1))
        ['petal', 'sepal']
        """
        check_is_fitted(self, "kernels_")
        if not self.kernels_:
            without = "one without, or weights that are all 0"
            raise ValueError(f"{self.algorithm}: expected an algorithm that gives kernels weights, got {without}")
        names = [view_of(name) if by == "view" else name for name in self.kernels_]
        if by not in ("kernel", "view") or not all(names):
            without = " without views" if by == "view" else ""
            raise ValueError(f'by: expected "kernel", or "view" for an estimator with views, got {by!r}{without}')
        weights = np.atleast_2d(self.kernel_weights_)
        if of is not None and of not in self.classes_.tolist():
            raise ValueError(f"of: expected one of the classes {self.classes_.tolist()}, got {of!r}")
        if of is not None and len(weights) > 1:
            weights = weights[self.classes_ == of]
        totals = weights.sum(axis=1, keepdims=True)
        shares = (weights / np.where(totals, totals, 1.0)).mean(axis=0)
        table: dict[str, float] = defaultdict(float)
        for name, share in zip(names, shares.tolist(), strict=True):
            table[name] += share
        return dict(sorted(table.items(), key=lambda item: -item[1]))

    def _set_weights(self, names: list[str], weights: Floats) -> None:
        """Set the kernels and their weights, (fits, r); without any weight but 0 there are none."""
        self.__dict__.pop("kernel_weights_", None)
        self.kernels_ = names if weights.any() else []
        if weights.any():
            self.kernel_weights_ = weights[0] if len(weights) == 1 else weights


def combined(fits: list[Fit], bound: kernel_input.Bound) -> tuple[list[str], Floats]:
    """Return the names of all kernels of the fits, and the weight of each kernel in each fit, (fits, r).

    Groups of features take the place of kernels, and their norms that of weights, where an algorithm learns on them.
    """
    if norms := [fit.norms for fit in fits if fit.norms]:
        return list(norms[0]), np.array([list(groups.values()) for groups in norms])
    columns: dict[bytes | int, str] = {}
    if any(fit.thetas is None for fit in fits):
        columns.update(enumerate(bound.names))
    rows: list[dict[bytes | int, float]] = [defaultdict(float) for _ in fits]
    for row, fit in zip(rows, fits, strict=True):
        for k, weight in enumerate(fit.weights.tolist()):
            key: bytes | int = k
            # A kernel that several fits found in a family is one column.
            if fit.thetas is not None:
                key = fit.thetas[k].tobytes()
                columns.setdefault(key, title(bound.family, fit.thetas[k]))
            row[key] += weight
    return list(columns.values()), np.array([[row[key] for key in columns] for row in rows])


def checked_labels(values: Any, name: str) -> NDArray[Any]:
    """Return labels (n,) that are numbers or text, none of them missing; raise ValueError for others."""
    with one_line(name):
        # As objects, so that NumPy turns no missing label of a list into text.
        has_type = hasattr(values, "dtype")
        labels = column_or_1d(values if has_type else np.array(values, dtype=object), warn=True)
        if labels.dtype == object:
            listed = labels.tolist()
            absent = [type(label).__name__ in ("NoneType", "NAType", "NaTType") or label != label for label in listed]
            if any(absent):
                raise ValueError(f"expected no missing label, got {sum(absent)}, the first at {absent.index(True)}")
            kinds = {next((word for word, of in KINDS if isinstance(x, of)), type(x).__name__) for x in listed}
            if len(kinds) > 1:
                raise ValueError(f"expected labels of one kind, got {' and '.join(sorted(kinds))}")
            labels = labels if has_type and kinds == {"text"} else np.array(listed)
        if labels.dtype.kind == "f":
            kernel_input.refuse_not_finite(labels, name)
        if labels.dtype.kind not in "biufUO":
            raise ValueError(f"expected numbers or text, got {labels.dtype}")
        if len(labels):
            check_classification_targets(labels)
    return np.asarray(labels)


def row_indices(X: Any, count: int) -> Indices:
    """Return indices of examples (t,) from an array (t,) or (t, 1); raise ValueError for other values."""
    values = kernel_input.numbers(X, "X")
    values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    shaped = values.ndim == 1 and len(values) and np.asarray(X).dtype != bool
    if not shaped or (values != np.floor(values)).any() or values.min() < 0 or values.max() >= count:
        got = f"{values.min():g} to {values.max():g}" if shaped else np.shape(X)
        expected = f"numbers of examples in the given Gram matrices, whole ones below {count}"
        new = " (kernel values of new examples, (m, t, n), come to predict)" * (not shaped)
        raise ValueError(f"X: expected {expected}, got {got}{new}")
    return values.astype(np.intp)


def seed_of(random_state: Any) -> int:
    """Return the seed of `random_state`; a non-negative integer is the seed itself."""
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


class one_line:
    """Turn errors of input into a ValueError, or an argument's TypeError, of one line that begins with its name."""

    # No generator, since a call for one example has several.
    def __init__(self, name: str = "") -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, ValueError | ConfigError) or (isinstance(error, TypeError) and self._name):
            text = str(error) if str(error).startswith(self._name) else f"{self._name}: {error}"
            if isinstance(error, np.linalg.LinAlgError):
                text += "; rounding may have made a kernel indefinite: scale the features"
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(textwrap.shorten(text, LONGEST, placeholder=" ...")) from error.__cause__
        if isinstance(error, MemoryError):
            less = 'fewer kernels, "makl", or an online algorithm with approximation="fourier"'
            raise ValueError(f"not enough memory ({error}); take fewer examples, {less}") from None
