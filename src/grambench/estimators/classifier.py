"""Any algorithm of the registry as a scikit-learn classifier."""

import copy
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_is_fitted

import grambench.estimators.kernels as kernel_input
from grambench import algorithms
from grambench.algorithms.checks import checked_scores, scored
from grambench.algorithms.fit import Expansion, Fit, Mixture, Predictor, on_support
from grambench.algorithms.one_vs_rest import OneVsRest
from grambench.algorithms.settings import Cost
from grambench.common.threads import SMALL, one_thread
from grambench.common.types import Approximation, Floats
from grambench.estimators.base import KernelEstimator, checked_labels, one_line, seed_of
from grambench.experiments.training import Examples, svms
from grambench.kernels.bases import Vectors
from grambench.kernels.pools import BoundKernels
from grambench.kernels.streamed import KernelSum
from grambench.kernels.units import Measures

if TYPE_CHECKING:  # imported where something is learned
    from grambench.algorithms.feature_learner import FeatureLearner

FEW = 20  # examples of a first call whose median distance says little of those to come
PASS_ONCE = ("om2_multiclass",)  # multi-class algorithms that learn online


def _learns_online(estimator: "KernelClassifier") -> bool:
    name = estimator.algorithm
    if not isinstance(name, str):
        return False
    # whether an algorithm from outside learns online is not known before its fit
    if name in PASS_ONCE or "." in name or algorithms.category_of(name) == "online":
        return True
    # scikit-learn's error, that there is no such method, has this one as its cause
    online = ", ".join((*algorithms.names("online"), *PASS_ONCE))
    raise AttributeError(f"partial_fit: expected one of the online algorithms {online}; got {name!r}")


class KernelClassifier(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """A classifier that learns its kernel, by any algorithm of the registry.

    Features are not scaled; put a scaler before the classifier. Multi-class algorithms learn more than two classes at
    once, all other algorithms one-vs-rest.

    Parameters
    ----------
    algorithm : str
        A name in `grambench list algorithms`, or for an algorithm of yours the path of its file ("mine.py") or its
        module.
    kernels : str, callable, dict, array, a list of the first three, RandomSubsets or FeatureSubsets
        "default": the kernels of the leaderboard, four polynomials and nine Gaussians with the median distance as unit,
        and the family of Gaussians for algorithms with a continuous parameter. Names: as in studies
        ("gaussian_sigma0.5", or {"family": "gaussian", "values": [0.5, 1]}), or of scikit-learn's pairwise kernels
        ("rbf", "chi2"). Callables take examples (t, d) and (n, d) and return values (t, n). A dictionary as in studies
        ({"family": "gaussian", "low": 0.1, "high": 10, "count": 9, "spacing": "log"}): a continuous family.
        "precomputed": X are kernel values, (m, n, n) to learn from and (m, t, n) to predict. An array (m, N, N), or m
        arrays (N, N) in a list or by name in a dictionary: X are indices of examples, so that cross-validation splits
        the kernels with X.
        RandomSubsets or FeatureSubsets: Gaussians on subsets of the features, from which "lp_mkl", "easy_mkl", "rkl"
        and "uniform_svm" learn without storing them, up to 1e5 and more.
    views : dict of list of int or str, optional
        Groups of columns by name: positions, or names if those of X are text. Each of the kernels, which are named as
        in studies, is on each group: `kernels_` has "size/gaussian_sigma0.5". A column may be in several groups or in
        none. Algorithms without kernels, such as "random_forest", learn from all columns.
    C : float, optional
        C of the algorithm's own SVM, or of the SVM trained on the learned kernel, which is scaled to a mean diagonal of
        1. By default the algorithm's default, or 1. Algorithms without an SVM, such as the online ones, warn and do not
        use it.
    scale : bool
        Whether each kernel is first scaled to a mean diagonal of 1 on the training examples. Families with a continuous
        parameter are not scaled.
    center : bool
        Whether each kernel is centred on the training examples in its feature space, before it is scaled, as `center`
        of a study's configurations does. Families with a continuous parameter are not centred.
    approximation : str, optional
        "fourier" or "nystroem": an online algorithm learns from features that approximate its kernels, so that an
        example costs the same however many came before it. Fourier features approximate Gaussian kernels; with them,
        linear kernels are exact and all other kernels have Nystroem features.
    n_components : int
        Number of features of each kernel, if there is an approximation.
    shuffle : bool
        Whether `fit` presents the examples to an online algorithm in a random order. `partial_fit` always presents them
        in the order given.
    random_state : int, RandomState or None
        Controls all random draws but that of RandomSubsets, which has a `seed`. An int is the algorithm's seed.
    verbose : int
        Whether fits show a progress bar.
    **parameters
        Parameters of the algorithm, by name; `grambench list algorithms rkl` says what those of RKL mean.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted. At a tie the first is predicted, see `decision_function`.
    kernels_ : list of r str
        Names of the kernels with weights: all m kernels, or the kernels found in a continuous family.
    kernel_weights_ : ndarray of float64 (r,) or (C, r)
        Weights of the scaled kernels, with a row for each class if learned one-vs-rest; `weights_by` has their shares
        by the name of the kernel or the view. MAKL has norms of its groups of features. It is absent, and `kernels_`
        empty, if no kernel has a weight for all examples: of algorithms without kernels, stacking and localised MKL.
    certificate_ : Certificate or list of C
        Bounds of the distance from the optimum, `kkt` and `gap`; NaN for algorithms without such bounds. It is absent
        with an approximation, and after `partial_fit` with a budget. A fit whose gap is more than 1.2 times the one
        that was asked for (`gap`, or .01 for an algorithm without this parameter) warns: SVMs within a descent are not
        solved to the last digit.
    trace_ : Trace, list of C, or None
        For online algorithms, by round: mistakes, scores before labels were revealed, weights, support vectors. The
        algorithm's file says whether a score of exactly 0 is a mistake. None with an approximation, and after
        `partial_fit` with a budget.
    mistakes_, n_samples_seen_ : int
        For online algorithms: examples that were misclassified before their label was used, and all examples so far. Of
        more than two classes, the largest score decides; with several passes, the first counts.
    n_features_in_ : int
        Number of features of X in `fit`.
    feature_names_in_ : ndarray of str
        Names of the features, if X in `fit` has names, as a data frame does.

    Raises
    ------
    ValueError
        With a message of one line, for data, kernels or parameters that nothing can be learned from.
    SolverError
        In `fit`, if a solver finds no solution (see `grambench.common.errors`).

    Examples
    --------
    Learn the weights of two kernels:

    >>> from grambench import KernelClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelClassifier("cka", ["gaussian_sigma1", "gaussian_sigma10"]).fit(X, y)
    >>> model.predict([[5.0, 3.5, 1.3, 0.3]])
    array([0])
    >>> model.kernel_weights_.shape  # a row for each class, since CKA learns one-vs-rest
    (3, 2)

    Parameters of the algorithm are keywords, and `get_params` lists them:

    >>> KernelClassifier("simple_mkl", C=10, gap=0.1).get_params()["gap"]
    0.1

    Learn from a stream, in memory that does not grow:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> model = KernelClassifier("omkc_dd", approximation="fourier", n_components=64, random_state=0)
    >>> for _ in range(100):
    ...     X = rng.normal(size=(1000, 2))
    ...     model = model.partial_fit(X, np.hypot(*X.T) > 1.2, classes=[False, True])
    >>> model.n_samples_seen_
    100000
    """

    _learner: "FeatureLearner | None"
    trace_: Any

    def __init__(
        self,
        algorithm: str = "rkl",
        kernels: Any = "default",
        *,
        views: Any = None,
        C: float | None = None,
        scale: bool = True,
        center: bool = False,
        approximation: Approximation | None = None,
        n_components: int = 256,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
        **parameters: Any,
    ) -> None:
        settings: dict[str, Any] = {"views": views, "scale": scale, "center": center, "shuffle": shuffle}
        super().__init__(algorithm, kernels, random_state=random_state, verbose=verbose, **settings, **parameters)
        self.C = C
        self.approximation = approximation
        self.n_components = n_components

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from examples and their classes.

        Parameters
        ----------
        X : array (n, d), or other input that `kernels` requires
            Examples.
        y : array (n,)
            Classes of the examples.
        """
        self._prepare(X, y)
        self._learner = None
        if self.approximation is None:
            return self._train()
        examples, self._stream = self._stream[self._order], None
        return self._continue(examples, self._numbers[self._order], self.approximation)

    @available_if(_learns_online)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Continue to learn from more examples, in the order given.

        With an approximation or a `budget`, each example is used once, and an example costs the same however many came
        before it. Units and scales of kernels are then those of the first call. Otherwise the result equals that of one
        `fit` to all examples so far in the order of arrival, bit for bit: the examples are stored, and each call passes
        over all of them again. Call it with batches rather than single examples.

        Parameters
        ----------
        X : array (t, d), or indices of examples
            The next examples.
        y : array (t,)
            Classes of the next examples.
        classes : array, optional
            All classes of the whole stream; required in the first call.

        Examples
        --------
        >>> from grambench import KernelClassifier
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = KernelClassifier("omkc_dd").partial_fit(X[:300], y[:300], classes=[0, 1])
        >>> model = model.partial_fit(X[300:], y[300:])
        >>> model.trace_.mistakes.shape, model.n_samples_seen_
        ((569,), 569)
        """
        if self._precomputed:
            raise ValueError("precomputed: expected kernels as an array, of which a stream names examples by number")
        before = vars(self).copy()
        try:
            X, numbers = self._arrived(X, y, classes)
            if streams := self._learner is not None:
                self._refuse_changes()
            if streams or self.approximation is not None or self._streams_with_a_budget():
                stream, self._stream = self._stream, None
                if stream is not None and len(stream):
                    # Units and scales are measured on the examples of `fit`, as on the first call of a stream.
                    self._continue(stream[self._order], self._numbers[self._order], self.approximation)
                return self._continue(X, numbers, self.approximation)
            self._append(X, numbers)
            return self._train()
        except Exception:
            # A failed call leaves the estimator as it was.
            self.__dict__ = before
            raise

    def _arrived(self, X: Any, y: Any, classes: Any) -> tuple[Any, NDArray[np.intp]]:
        """Return the next examples of a stream and their class numbers."""
        first = not hasattr(self, "_seed")
        X, y = self._labelled(X, y, reset=first)
        if first or not (classes is None or np.array_equal(classes, self.classes_)):
            with one_line():
                if classes is not None and len(np.unique(classes := checked_labels(classes, "classes"))) < 2:
                    raise ValueError(f"classes: expected two classes or more, got {classes.tolist()}")
                _check_partial_fit_first_call(self, classes)
        numbers = np.searchsorted(self.classes_, y)
        unknown = self.classes_[np.minimum(numbers, len(self.classes_) - 1)] != y
        if unknown.any():
            raise ValueError(f"expected classes {self.classes_.tolist()}, got {np.unique(y[unknown]).tolist()}")
        if first:
            self._seed, self._learner = seed_of(self.random_state), None
            self._stream, self._numbers, self._order = X[:0], numbers[:0], np.arange(0, dtype=np.int32)
        return X, numbers

    def _refuse_unknown(self) -> None:
        super()._refuse_unknown()
        if self.approximation is not None:
            kernel_input.named(self.kernels)
            if self.center:
                raise ValueError(f"center: expected False with approximation={self.approximation!r}, got True")

    def _refuse_changes(self) -> None:
        """Raise ValueError if a parameter of a stream was changed since its start; arrays are compared as text."""
        if all(vars(self).get(name) is value for name, value in self._given.items()):
            return
        now = self.get_params()
        for name in ("algorithm", *self._started):
            before, value = self._started[name], now.get(name)
            if name not in ("shuffle", "random_state", "verbose") and repr(before) != repr(value):
                raise ValueError(f"{name}: expected {before!r} as at the start of the stream, got {value!r}")

    def _streams_with_a_budget(self) -> bool:
        """Return whether a stream is learned with a bounded number of support vectors.

        Raises
        ------
        ValueError
            If a budget is asked for, and the algorithm or the kernels need the whole stream.
        """
        with one_line():
            settings = self._settings()
        if not settings.get("budget"):
            return False
        if self.center:
            raise ValueError("center: expected False for a stream with a budget, got True")
        if algorithms.load(self.algorithm).start is None:
            online = filter(algorithms.learns_from_features, algorithms.names("online"))
            able = ", ".join(name for name in online if "budget" in algorithms.fields(name))
            raise ValueError(f"budget: {self.algorithm} needs the whole stream, expected one of {able}")
        kernel_input.named(self.kernels, parameter="budget")
        return True

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._is_loaded = True

    def _continue(self, examples: Floats, numbers: NDArray[np.intp], method: Approximation | None) -> Self:
        """Learn from the next examples, on features that approximate the kernels or with a budget."""
        from grambench.algorithms.feature_learner import FeatureLearner

        # what was loaded may be read-only: joblib maps large arrays into the memory of its workers
        learner = copy.deepcopy(self._learner) if self.__dict__.pop("_is_loaded", False) else self._learner
        with one_line(), one_thread(learner.largest_product(len(examples)) if learner else SMALL):
            if learner is None:
                kernel_input.check_scale(examples)
                columns = self._columns()
                kernels, self._started = kernel_input.named(self.kernels, columns), self.get_params()
                self._given = {name: vars(self).get(name) for name in (*self._get_param_names(), "_parameters")}
                self._names = [kernel.name for kernel in kernels]
                features: dict[str, Any] = {"method": method, "n_components": self.n_components, "scale": self.scale}
                problem = (self.algorithm, self._settings(), kernels, examples, len(self.classes_))
                learner = FeatureLearner(*problem, **features, seed=self._seed, columns=columns)
                if len(examples) < FEW and any(kernel.unit for kernel in kernels):
                    text = f"expected {FEW} examples or more at first, from which units of kernels are measured"
                    warnings.warn(f"partial_fit: {text}, got {len(examples)}", stacklevel=3)
                if 0 < learner.landmarks < self.n_components:
                    text = f"expected {self.n_components} examples or more at first, as landmarks of Nyström features"
                    warnings.warn(f"n_components: {text}, got {len(examples)}", stacklevel=3)
            learner.learn(examples, numbers)
        for name in ("certificate_", "_bound", "_predictor_", "_on_support", "_kernel_sum"):  # of a fit before
            self.__dict__.pop(name, None)
        self._learner, self.trace_ = learner, None
        self._set_weights(self._names, np.atleast_2d(learner.weights))
        self.mistakes_, self.n_samples_seen_ = learner.mistakes, learner.examples
        return self

    def _append(self, X: Any, numbers: NDArray[np.intp]) -> None:
        """Append examples to the stream."""
        new = np.arange(len(self._numbers), len(self._numbers) + len(numbers), dtype=np.int32)
        self._stream = np.concatenate([self._stream, X])
        self._numbers = np.concatenate([self._numbers, numbers])
        self._order = np.concatenate([self._order, new])

    def _train(self) -> Self:
        fits, predictors = self._learn(self._predictor)
        if self.C is not None and "C" not in self._settings() and fits[0].predictor is not None:
            text = f"C: {self.algorithm} trains no SVM, expected no C, got {self.C!r}, which is not used"
            warnings.warn(text, stacklevel=3)
        self._predictor_ = predictors[0] if len(predictors) == 1 else OneVsRest(predictors)
        self._on_support, self._kernel_sum = on_support(self._predictor_), None
        measures = getattr(self._bound, "measures", None)
        if self._on_support and isinstance(measures, Measures) and isinstance(measures.train, Vectors):
            support, predictor = self._on_support
            is_summed = KernelSum.takes(measures.kernels) and getattr(predictor, "thetas", None) is None
            if isinstance(predictor, Expansion | Mixture) and is_summed:
                self._kernel_sum = KernelSum(measures, support, predictor.weights, predictor.dual, predictor.bias)
        traces = [fit.trace for fit in fits if fit.trace]
        self.trace_ = (traces[0] if len(fits) == 1 else traces) if len(traces) == len(fits) else None
        for name in ("mistakes_", "n_samples_seen_"):
            self.__dict__.pop(name, None)
        if self.trace_:
            n = self.n_samples_seen_ = len(self._numbers)
            scores = np.column_stack([trace.scores[:n] for trace in traces])
            wrong = scores.argmax(axis=1) != self._numbers[self._order] if len(fits) > 1 else traces[0].mistakes[:n]
            self.mistakes_ = int(np.count_nonzero(wrong))
        return self

    def _settings(self) -> dict[str, Any]:
        trains_svm = self.C is not None and "C" in algorithms.load(self.algorithm).parameters.__dataclass_fields__
        return super()._settings() | ({"C": self.C} if trains_svm else {})

    def _predictor(self, fit: Fit, sample: Examples) -> Predictor:
        """Return the predictor of a fit, or an SVM on the learned kernel if it has none."""
        if fit.predictor is not None:
            return fit.predictor
        cost = Cost() if self.C is None else Cost(C=self.C)
        (model,) = svms(fit, sample, [float(cost.C)], trace=float(len(sample.labels)))
        predictor = model.predictor
        return replace(predictor, kept=None) if isinstance(predictor, Mixture) else predictor

    def decision_function(self, X: Any) -> Floats:
        """Return scores of examples: (t,) for two classes, or (t, C) for C classes.

        For two classes, a score above 0 predicts the second class and any other score the first. For more classes, the
        largest score decides. Ties go to the first class of `classes_`, as in scikit-learn. Studies count a score of
        exactly 0 as the second class, see `grambench.algorithms.fit.Predictor`.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.ndim == 2 and len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted classes of examples, (t,), by the rule of `decision_function`."""
        scores = self.decision_function(X)
        numbers = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0.0).astype(np.intp)
        return np.asarray(self.classes_[numbers])

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self, "kernels_")
        examples, classes = self._examples(X), len(self.classes_)
        if self._learner is not None:
            with one_thread(self._learner.largest_product(len(examples))):
                return self._learner.scores(examples)
        binary = classes == 2 and not self._is_multiclass
        # A multi-class algorithm does not know classes that a stream has not shown yet.
        learned = classes if isinstance(self._predictor_, OneVsRest) else max(2, int(self._numbers.max()) + 1)
        with one_line(), one_thread(examples.size * len(self._numbers)):
            if self._kernel_sum:
                scores = checked_scores(self._kernel_sum.scores(examples), len(examples))
            elif isinstance(self._bound, BoundKernels) and self._on_support:
                # Many predictors on vectors need the kernel values of their support vectors only.
                support, predictor = self._on_support
                scores = scored(predictor, self._bound.between_some(examples, support), None if binary else learned)
            else:
                scores = scored(self._predictor_, self._bound.between(examples), None if binary else learned)
        if not binary and learned < classes:
            scores = np.pad(scores, [(0, 0), (0, classes - learned)], mode="minimum")
        return scores
