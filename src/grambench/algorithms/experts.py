"""What a round of an online algorithm does with its classifiers, one for each kernel, whatever holds them.

An algorithm writes its round once, as a compiled loop over the examples of a block. The loop calls the operations
below, which are methods of experts. Numba compiles it anew for each class of experts:

- `rows.LaneRows`, `SumRows` and `MeanRows`: scores of all examples, to which an update adds a row of kernel values;
- `bounded.Windows` and `SummedWindows`: support vectors of a bounded number, with their kernel values;
- `streaming.Linear`: linear functions of features.

Classifiers hold what is learned between blocks, and hand experts to the loop. A round that lacks kernel values ends the
loop before it changes any state. The classifiers compute these values, and the loop continues at this round.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from grambench.algorithms.fit import Work
from grambench.common.lazy_numba import njit, operation
from grambench.common.types import Floats, Indices, Labels

LOSSES = {"perceptron": 0, "hinge": 1, "logistic": 2}  # the codes that compiled loops read
RoundsOfEach = Callable[[Indices, Floats, Floats, int, Any], int]
RoundsOfAll = Callable[[int, Any], int]
Needed = Callable[[int], NDArray[np.bool_]]
Output = TypeVar("Output", bound=tuple[Any, ...])
FIRST = np.zeros(1, dtype=np.int64)  # the number of a classifier that is handed out alone


@operation
def score(experts, k, t):  # type: ignore[no-untyped-def]
    """Return f_k(x) of the example of round t."""


@operation
def update(experts, k, t, coefficient):  # type: ignore[no-untyped-def]
    """Add the example of round t to f_k: coefficient k(x, .), unless the classifier has another rule."""


@operation
def lacks_values(experts, k):  # type: ignore[no-untyped-def]
    """Return whether kernel values must be computed before classifier k can score."""
    return False


@operation
def lacks_row(experts, t):  # type: ignore[no-untyped-def]
    """Return whether kernel values must be computed before the example of round t can be added."""
    return False


@operation
def clear(experts, k):  # type: ignore[no-untyped-def]
    """Let classifier k be 0 again."""


@operation
def squared_norm(experts, k, t):  # type: ignore[no-untyped-def]
    """Return k(x, x) of the example of round t."""


@operation
def make_room(experts, squared_norms, least):  # type: ignore[no-untyped-def]
    """Remove the oldest support vector of full classifiers; return whether they were full.

    ||f_k||^2 changes in `squared_norms`, (m,), where it stays at `least` or above.
    """
    return False


class Learned(NamedTuple):
    """The output of b rounds of r classifiers that do not depend on each other.

    Attributes
    ----------
    scores : ndarray of float64 (b, r)
        f_k(x) of each round's example, before its label was used.
    dual : ndarray of float64 (b, r)
        Coefficient of each round's example; 0 where a classifier did not change.
    bounded_sizes : ndarray of int64 (b, r) or None
        Number of support vectors after each round; None if each update adds one.
    """

    scores: Floats
    dual: Floats
    bounded_sizes: NDArray[np.int64] | None

    @property
    def updated(self) -> NDArray[np.bool_]:
        """Whether a round changed a classifier, (b, r)."""
        return np.asarray(self.dual != 0.0)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of support vectors after each round, (b, r)."""
        return np.cumsum(self.updated, axis=0) if self.bounded_sizes is None else self.bounded_sizes

    @classmethod
    def of_classifiers(cls, scores: Floats, dual: Floats, sizes: NDArray[np.int64] | None = None) -> Self:
        """Return the output from arrays by classifier, (r, b)."""
        # Compiled loops that read these arrays are compiled for one layout.
        scores, dual = np.ascontiguousarray(scores.T), np.ascontiguousarray(dual.T)
        return cls(scores, dual, None if sizes is None else np.ascontiguousarray(sizes.T))


class Classifiers(Protocol):
    """What is learned between blocks of examples: r classifiers, each of one of m kernels.

    Attributes
    ----------
    count : int
        The number of kernels, m.
    """

    count: int

    def play_each(self, examples: Any, rounds: RoundsOfEach) -> Learned:
        """Let each classifier play b rounds by itself.

        The compiled `rounds` get the numbers of some classifiers among the experts, arrays (r, b) of zeros for their
        scores and coefficients, the number of the first round, and the experts. They return the number of the round
        that lacks kernel values, or b.
        """

    def play_all(self, examples: Any, rounds: RoundsOfAll, needed: Needed | None = None) -> NDArray[np.int64] | None:
        """Let all classifiers play b rounds together.

        `rounds` get the number of the first round and the experts. A round that lacks values does so for the kernels
        that are `needed` in it, (m,), by default for all. Returns the number of support vectors after each round,
        (b, m), or None if each update adds one.
        """

    def scores(self, examples: Any) -> Floats:
        """Return f_k(x), (t, r)."""


def learn_each(
    classifiers: Classifiers, examples: Any, labels: Labels, loss: str = "perceptron", eta: float = 1.0
) -> Learned:
    """Let each classifier learn by itself from b examples in turn, by steps of length `eta` on one of LOSSES."""
    return classifiers.play_each(examples, partial(_play_each, labels, LOSSES[loss], eta))


def learn_pass(learn: Callable[[Any, Labels], Output], size: int, examples: Indices, labels: Labels) -> Output:
    """Learn from a pass in blocks of a size, and return the output of all its rounds."""
    parts = [learn(examples[rounds], labels[rounds]) for rounds in blocks(len(labels), size)]
    if len(parts) == 1:
        return parts[0]
    kind: Any = type(parts[0])
    output: Output = kind(*map(np.concatenate, zip(*parts, strict=True)))
    return output


def blocks(examples: int, size: int) -> Iterator[slice]:
    """Yield the slices of a pass, of `size` examples each."""
    return (slice(start, start + size) for start in range(0, examples, size))


def pass_work(updates: int, n: int) -> Work:
    """Return the work of a pass without a budget: an update adds a row of n kernel values to the scores."""
    return Work(kernel_values=updates * n, row_additions=updates)


@njit(cache=True)
def loss_value(loss, margin):  # type: ignore[no-untyped-def]
    """Return the loss at a margin y f(x): its code is one of LOSSES."""
    if loss == 2:
        # The smaller of the two exponentials cannot overflow.
        return max(-margin, 0.0) + np.log1p(np.exp(-abs(margin)))
    return max(0.0, 1.0 - margin) if loss == 1 else max(0.0, -margin)


@njit(cache=True)
def step_length(loss, y, score):  # type: ignore[no-untyped-def]
    """Return minus the derivative of the loss by the score, over y: how far a gradient step of length 1 goes."""
    if loss == 0:
        return 1.0 if (score >= 0.0) != (y > 0) else 0.0
    margin = y * score
    if loss == 1:
        return 1.0 if margin < 1.0 else 0.0
    return 1.0 / (1.0 + np.exp(min(margin, 700.0)))


@operation
def play_alone(experts, k, start, stop, labels, loss, eta, scores, dual):  # type: ignore[no-untyped-def]
    """Play rounds of classifier k; write f_k(x) into `scores`, and coefficients of updates into `dual`, (b,) both."""
    for t in range(start, stop):
        f = score(experts, k, t)
        scores[t] = f
        length = step_length(loss, labels[t], f)
        if length > 0.0:
            if lacks_row(experts, t):
                return t
            dual[t] = eta * length * labels[t]
            update(experts, k, t, dual[t])
    return stop


@njit(cache=True)
def _play_each(labels, loss, eta, kernels, scores, dual, start, experts):  # type: ignore[no-untyped-def]
    t = start
    for place in range(kernels.size):
        t = play_alone(experts, kernels[place], start, labels.size, labels, loss, eta, scores[place], dual[place])
    return t


@njit(cache=True)
def write_scores(experts, kernels, out):  # type: ignore[no-untyped-def]
    """Write f_k(x) of the examples of a block, by classifier, (r, t)."""
    for place in range(kernels.size):
        for t in range(out.shape[1]):
            out[place, t] = score(experts, kernels[place], t)
