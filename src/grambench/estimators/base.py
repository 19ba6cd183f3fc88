"""What the estimators have in common: parameters, checks of what they are given, and the fit itself."""

import textwrap
import threading
import warnings
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data
from tqdm import tqdm

from grambench import algorithms
from grambench.algorithms.checks import certified, learn
from grambench.algorithms.fit import Fit
from grambench.common.errors import ConfigError
from grambench.common.types import Floats, Labels
from grambench.estimators import kernels as given
from grambench.experiments.training import Sample
from grambench.kernels.pool import Pool

Numbers = NDArray[np.intp]
LONGEST = 400  # characters of a message
MOST = np.iinfo(np.int8).max  # classes that an algorithm of many takes


class KernelEstimator(BaseEstimator):  # type: ignore[misc]
    """An algorithm of the registry with its kernels; see KernelClassifier."""

    _parameters: Mapping[str, Any] = MappingProxyType({})  # private, as scikit-learn allows beside what it asks for

    def __init__(
        self,
        algorithm: str = "rkl",
        kernels: Any = "default",
        *,
        scale: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
        **parameters: Any,
    ) -> None:
        self.algorithm = algorithm
        self.kernels = kernels
        self.scale = scale
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose
        if parameters:
            self._parameters = parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with `deep`, the algorithm's own at their defaults too."""
        own: dict[str, Any] = super().get_params(deep)
        return (self._defaults() if deep else {}) | own | dict(self._parameters)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator, and of the algorithm that it then has.

        Another `algorithm` keeps the parameters that were set for the one before as far as it has parameters of these
        names, and drops the others, so that a search over algorithms goes on where one lacks a parameter.

        Raises
        ------
        ValueError
            If a parameter of this call is neither the estimator's nor the algorithm's.
        """
        own, before = self._get_param_names(), self._fields() or {}
        for name in params.keys() & set(own):
            setattr(self, name, params[name])
        fields = self._fields()
        kept = {
            name: value
            for name, value in self._parameters.items()
            if fields is None or name in fields or name not in before
        }
        others = {name: value for name, value in params.items() if name not in own}
        known = dict.fromkeys([*own, *(fields or {}), *kept])
        for name in others:
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for {type(self).__name__} with {self.algorithm}: "
                    f"expected one of {', '.join(known)}"
                )
        if params:
            self._parameters = kept | others
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.pairwise = self._precomputed
        return tags

    def _fields(self) -> Mapping[str, Any] | None:
        """Return the fields of the algorithm's parameters; None if the algorithm cannot be loaded."""
        try:
            if not isinstance(self.algorithm, str) or algorithms.fault(self.algorithm):
                return None
        except ConfigError:
            return None
        return algorithms.load(self.algorithm).parameters.__dataclass_fields__

    def _defaults(self) -> dict[str, Any]:
        """Return the defaults of the algorithm's parameters that have one; none of an algorithm that does not exist."""
        made = {
            name: each.default if each.default_factory is MISSING else each.default_factory()
            for name, each in (self._fields() or {}).items()
        }
        return {name: value for name, value in made.items() if value is not MISSING}

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.kernels, str) and self.kernels == "precomputed"

    def _settings(self) -> dict[str, Any]:
        """Return what the algorithm is given."""
        return dict(self._parameters)

    def _examples(self, X: Any, *, reset: bool = False, kept: bool = False) -> Any:
        """Return examples (t, d), kernel values (m, t, n) where they are precomputed, or numbers (t,) of an array's.

        Examples that are kept are a copy, which nobody else can change.
        """
        with one_line():
            if self._precomputed:
                values = given.array(X)
                if reset:
                    self.n_features_in_ = values.shape[2]
                return values
            if given.is_array(self.kernels):
                if reset:
                    self.n_features_in_ = 1
                return places(X, np.shape(self.kernels[0])[-1])
            X = validate_data(self, X, order="C", ensure_all_finite=False, reset=reset).astype(np.float64, copy=kept)
            given.refuse_not_finite(X, "X")
            return X

    def _labelled(self, X: Any, y: Any, *, reset: bool = True) -> tuple[Any, Any]:
        """Return examples and their labels, (n,)."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: expected a class an example"
            )
        X = self._examples(X, reset=reset, kept=True)
        with one_line():
            y = column_or_1d(y, warn=True)
            count = X.shape[1] if self._precomputed else len(X)
            if len(y) != count:
                raise ValueError(f"X and y are inconsistent: expected a label an example, {count}, got {len(y)}")
            if y.dtype.kind == "f":
                given.refuse_not_finite(y, "y")
            check_classification_targets(y)
        return X, y

    def _prepare(self, X: Any, y: Any) -> None:
        """Check examples and labels and keep what the fit is made from."""
        X, y = self._labelled(X, y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"expected examples of two classes or more, got one class: {self.classes_[0]}")
        self._seed = seed_of(self.random_state)
        n = len(numbers)
        draws = np.random.default_rng([self._seed, 1])  # the algorithm's own draws are another stream
        self._order = (draws.permutation(n) if self.shuffle else np.arange(n)).astype(np.int32)
        self._stream, self._numbers = X, numbers

    def _fits(self) -> Generator[tuple[Fit, Sample], None, None]:
        """Yield what is learned from what `_prepare` keeps: one fit, or one for each class (one-vs-rest).

        To be closed where it is not read to its end, so that no progress is shown any longer.
        """
        if not isinstance(self.algorithm, str):
            raise ValueError(f"algorithm: expected a name, got {self.algorithm!r}")
        if fault := algorithms.fault(self.algorithm):
            raise ValueError(f"{self.algorithm}: {fault}")
        many, classes = algorithms.is_multiclass(self.algorithm), len(self.classes_)
        if many and classes > MOST:
            raise ValueError(f"{self.algorithm}: expected at most {MOST} classes, got {classes}")
        algorithm = algorithms.load(self.algorithm)
        parameters = algorithms.parameters(self.algorithm, self._settings())
        self._bound = given.bind(self.kernels, self._stream, self.scale)
        if self._precomputed:
            self._stream = None  # no Gram matrix outlives the fit
        with progress(self.algorithm, 1 if many or classes == 2 else classes, self.verbose) as told:
            pool = self._bound.train()
            for labels in targets(self._numbers, classes, many):
                rng = np.random.default_rng(self._seed)
                with explained(self.algorithm, pool):
                    fit = learn(algorithm, parameters, pool, labels, order=self._order, rng=rng)
                yield fit, Sample(pool, labels, self._order)
                told.update()

    def _keep(self, fits: list[Fit]) -> None:
        """Set the attributes that say what was learned."""
        found = [certified(fit) for fit in fits]
        self.certificate_ = found[0] if len(fits) == 1 else found
        self.kernels_, weights = combined(fits, self._bound)
        self.kernel_weights_ = weights[0] if len(fits) == 1 else weights
        if stopped := [fit for fit in fits if fit.converged is False]:
            text = f"{self.algorithm}: {len(stopped)} of {len(fits)} fits ran out of iterations before they converged"
            warnings.warn(f"{text}; scale the features, allow more, or ask for a larger gap", ConvergenceWarning, 2)


def targets(numbers: Numbers, classes: int, many: bool) -> Iterator[Labels]:
    """Yield labels as an algorithm takes them: class numbers, -1 and +1, or each class one-vs-rest."""
    if many:
        yield numbers.astype(np.int8)
    else:
        for number in [1] if classes == 2 else range(classes):
            yield np.where(numbers == number, 1, -1).astype(np.int8)


def combined(fits: list[Fit], bound: given.Bound) -> tuple[list[str], Floats]:
    """Return the names of all learned kernels' parts, and the weights that each fit gives them, (fits, r)."""
    places: dict[bytes | int, tuple[int, str]] = {}
    entries: list[tuple[int, int, float]] = []
    if any(fit.thetas is None for fit in fits):
        places = {k: (k, name) for k, name in enumerate(bound.names)}
    for row, fit in enumerate(fits):
        for k, weight in enumerate(fit.weights.tolist()):
            key: bytes | int = k if fit.thetas is None else fit.thetas[k].tobytes()
            if key not in places:
                name = bound.names[k] if fit.thetas is None else given.title(bound.family, fit.thetas[k])
                places[key] = len(places), name
            entries.append((row, places[key][0], weight))
    weights = np.zeros((len(fits), len(places)))
    for row, column, weight in entries:
        weights[row, column] += weight
    return [name for _, name in places.values()], weights


def places(X: Any, count: int) -> Numbers:
    """Return numbers of examples (t,) from an array (t,) or (t, 1); raise ValueError where they are none."""
    made = given.numbers(X, "X")
    made = made[:, 0] if made.ndim == 2 and made.shape[1] == 1 else made
    if made.ndim != 1 or not len(made) or (made != np.floor(made)).any() or made.min() < 0 or made.max() >= count:
        got = np.shape(X) if made.ndim != 1 or not len(made) else f"{made.min():g} to {made.max():g}"
        raise ValueError(
            f"X: expected numbers of examples in the given Gram matrices, whole ones below {count}, got {got}"
        )
    return made.astype(np.intp)


def seed_of(random_state: Any) -> int:
    """Return the seed that `random_state` stands for; a whole number is the seed itself."""
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


@contextmanager
def one_line() -> Iterator[None]:
    """Say what is wrong with an input in one line, as a ValueError."""
    try:
        yield
    except (ValueError, ConfigError) as error:
        raise ValueError(textwrap.shorten(str(error), LONGEST, placeholder=" ...")) from None


@contextmanager
def explained(algorithm: str, pool: Pool) -> Iterator[None]:
    """Say in the words of an estimator which kernels an algorithm needs."""
    try:
        yield
    except ValueError as error:
        if pool.family is None and algorithm in algorithms.names("parametric"):
            hint = 'kernels="default" or {"family": "gaussian", "low": 0.1, "high": 10, "count": 9, "spacing": "log"}'
            raise ValueError(f"{error}; of an estimator: {hint}") from None
        raise


@contextmanager
def progress(name: str, fits: int, verbose: int) -> Iterator[Any]:
    """Show how many fits are done, and that time passes, on the terminal where `verbose` asks for it."""
    done = threading.Event()
    with tqdm(total=fits, desc=name, unit="fit", disable=not verbose) as bar:

        def tick() -> None:
            while not done.wait(1.0):
                bar.refresh()

        clock = threading.Thread(target=tick, daemon=True)
        if verbose:
            clock.start()
        try:
            yield bar
        finally:
            done.set()
            if verbose:
                clock.join()
