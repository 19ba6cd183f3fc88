"""Any algorithm of the registry as a scikit-learn classifier."""

from contextlib import closing
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_is_fitted

from grambench import algorithms
from grambench.algorithms.checks import scored
from grambench.algorithms.fit import Fit, Mixture, Predictor
from grambench.algorithms.one_vs_rest import OneVsRest
from grambench.common.types import Floats
from grambench.estimators.base import KernelEstimator, one_line, seed_of
from grambench.experiments.training import Sample, svms

PASS_ONCE = ("om2_multiclass", "omkc_multiclass")  # of the algorithms of more than two classes, those that learn online
COST = 1.0  # C of an SVM on a learned kernel


def _learns_online(estimator: "KernelClassifier") -> bool:
    return estimator.algorithm in (*algorithms.names("online"), *PASS_ONCE)


class KernelClassifier(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    """A classifier that learns its kernel, by any algorithm of the registry.

    Features are taken as they are; put a scaler before it. More than two classes are learned one-vs-rest,
    but by the algorithms that take all classes at once.

    Parameters
    ----------
    algorithm : str
        Its name, as `grambench list algorithms` has it; of one's own, the path of its file ("mine.py") or its module.
    kernels : str, callable, dict, array, or a list of the first three
        "default": those of the leaderboard, four polynomials and nine Gaussians with the median distance as unit, and
        the family of Gaussians for algorithms with a continuous parameter. Names: as in studies ("gaussian_sigma0.5",
        or {"family": "gaussian", "values": [0.5, 1]}), or of scikit-learn's pairwise kernels ("rbf", "chi2"). Callables
        take examples (t, d) and (n, d) and return values (t, n). A dictionary as in studies ({"family": "gaussian",
        "low": 0.1, "high": 10, "count": 9, "spacing": "log"}): a continuous family. "precomputed": X are kernel values,
        (m, n, n) to learn from and (m, t, n) to predict. An array (m, N, N), or a list of m arrays (N, N): X are
        numbers of examples, so that splitting X splits the kernels, as cross-validation does.
    C : float, optional
        C of the SVM: the algorithm's own, or that of the SVM that is trained on
        the learned kernel, scaled to a mean diagonal of 1, by default 1.
    scale : bool
        Whether each kernel is brought to a mean diagonal of 1 on the training examples first. Families with a
        continuous parameter are not.
    shuffle : bool
        Whether `fit` shows the examples to an online algorithm in a random order; otherwise in theirs, as
        `partial_fit` always does.
    random_state : int, RandomState or None
        Of all draws. An int is the algorithm's seed.
    verbose : int
        Whether fits show a progress bar.
    **parameters
        The algorithm's own, by name.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted. At a tie the first is predicted, see `decision_function`.
    kernels_ : list of r str
        Names of the kernels that weights are of: all m given ones, or those that were found in a family.
    kernel_weights_ : ndarray of float64 (r,) or (C, r)
        Weights of the scaled kernels; a row a class, learned one-vs-rest. All 0 of algorithms that
        use none.
    certificate_ : Certificate or list of C
        How far the fit can be from the optimum, `kkt` and `gap`; NaN where the algorithm has none.
    trace_ : Trace, list of C, or None
        Of online algorithms, round by round: mistakes, scores before labels were known, weights, support vectors.
        Whether a score of exactly 0 is a mistake is said in the algorithm's file.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Raises
    ------
    ValueError
        In one line, for data, kernels or parameters that nothing can be learned from.
    SolverError
        In `fit`, where a solver finds no solution; of `grambench.common.errors`.

    Examples
    --------
    >>> from grambench import KernelClassifier
    >>> from sklearn.datasets import load_iris
    >>> KernelClassifier(random_state=0).fit(*load_iris(return_X_y=True)).predict([[5.0, 3.5, 1.3, 0.3]])
    array([0])
    """

    def __init__(
        self,
        algorithm: str = "rkl",
        kernels: Any = "default",
        *,
        C: float | None = None,
        scale: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
        **parameters: Any,
    ) -> None:
        super().__init__(
            algorithm,
            kernels,
            scale=scale,
            shuffle=shuffle,
            random_state=random_state,
            verbose=verbose,
            **parameters,
        )
        self.C = C

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from examples and their classes.

        Parameters
        ----------
        X : array (n, d), or what `kernels` makes of it
            Examples.
        y : array (n,)
            Their classes.
        """
        self._prepare(X, y)
        return self._learn()

    @available_if(_learns_online)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on with more examples, in the order in which they come.

        What is learned is what one `fit` of everything so far would learn, bit for bit, in the order of arrival: the
        examples are kept and passed over again. A call takes as long as a pass over all of them, so hand over batches.

        Parameters
        ----------
        X : array (t, d), or numbers of examples
            The next examples.
        y : array (t,)
            Their classes.
        classes : array, optional
            All classes that will ever come; in the first call.
        """
        if self._precomputed:
            raise ValueError("precomputed: expected kernels as an array, of which a stream names examples by number")
        before = vars(self).copy()
        try:
            self._append(X, y, classes)
            return self._learn()
        except Exception:
            self.__dict__ = before  # what is refused is as if it had never come
            raise

    def _append(self, X: Any, y: Any, classes: Any) -> None:
        """Put more examples at the end of the stream."""
        first = not hasattr(self, "_numbers")
        X, y = self._labelled(X, y, reset=first)
        with one_line():
            _check_partial_fit_first_call(self, classes)
        numbers = np.searchsorted(self.classes_, y)
        unknown = self.classes_[np.minimum(numbers, len(self.classes_) - 1)] != y
        if unknown.any():
            raise ValueError(f"expected classes {self.classes_.tolist()}, got {np.unique(y[unknown]).tolist()}")
        if first:
            self._seed = seed_of(self.random_state)
            self._stream, self._numbers, self._order = X[:0], numbers[:0], np.arange(0, dtype=np.int32)
        new = np.arange(len(self._numbers), len(self._numbers) + len(y), dtype=np.int32)
        self._stream = np.concatenate([self._stream, X])
        self._numbers = np.concatenate([self._numbers, numbers])
        self._order = np.concatenate([self._order, new])

    def _learn(self) -> Self:
        fits, predictors = [], []
        with one_line(), closing(self._fits()) as found:
            for fit, sample in found:
                fits.append(fit)
                predictors.append(self._predictor(fit, sample))
        self._predictor_ = predictors[0] if len(predictors) == 1 else OneVsRest(predictors)
        self._keep(fits)
        traces = [fit.trace for fit in fits]
        self.trace_ = traces[0] if len(fits) == 1 else traces if all(traces) else None
        return self

    def _settings(self) -> dict[str, Any]:
        own = self.C is not None and "C" in algorithms.load(self.algorithm).parameters.__dataclass_fields__
        return super()._settings() | ({"C": self.C} if own else {})

    def _predictor(self, fit: Fit, sample: Sample) -> Predictor:
        """Return a fit's predictor, or an SVM on its kernel."""
        if fit.predictor is not None:
            if self.C is not None and "C" not in self._settings():
                raise ValueError(f"C: {self.algorithm} trains no SVM, expected no C, got {self.C!r}")
            return fit.predictor
        C = COST if self.C is None else self.C
        if not (isinstance(C, int | float | np.number) and 0.0 < C < np.inf):
            raise ValueError(f"C must be positive and finite, got {C!r}")
        (model,) = svms(fit, sample, [float(C)], trace=float(len(sample.labels)))
        predictor = model.predictor
        return replace(predictor, kept=None) if isinstance(predictor, Mixture) else predictor

    def decision_function(self, X: Any) -> Floats:
        """Return scores of examples: (t,) of two classes, or (t, C) of C classes.

        A score above 0 means the second of two classes, any other score the first. Of more classes the one with the
        largest score is predicted, the first of equal ones. So a tie is the first class of `classes_`, as scikit-learn
        has it. Studies count a score of exactly 0 as the second class, see `grambench.algorithms.fit.Predictor`.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.ndim == 2 and len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the classes of examples, (t,), which are those that `decision_function` says."""
        scores = self.decision_function(X)
        numbers = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0.0).astype(np.intp)
        return np.asarray(self.classes_[numbers])

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self, "kernel_weights_")
        examples, classes = self._examples(X), len(self.classes_)
        one = classes == 2 and not algorithms.is_multiclass(self.algorithm)
        if not one:  # a stream may not have shown all of them
            shown = classes if isinstance(self._predictor_, OneVsRest) else int(self._numbers.max()) + 1
        with one_line():
            scores = scored(self._predictor_, self._bound.between(examples), None if one else shown)
        if not one and shown < classes:
            rest = np.repeat(scores.min(axis=1, keepdims=True), classes - shown, axis=1)
            scores = np.hstack([scores, rest])
        return scores
