"""What every protocol does with an algorithm: fit it, train a machine where it has none, measure it.

No protocol knows what kind of algorithm it has. One that learns a kernel and no predictor gets a support vector
machine, trained on the learned kernel at each of the C that the protocol tries; for any other, there is nothing to try.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from grambench import algorithms
from grambench.algorithms import Algorithm
from grambench.algorithms.checks import check_same, learn, outline, scored
from grambench.algorithms.fit import Expansion, Fit, Floats, Kept, Labels, Mixture, Predictor, Work
from grambench.algorithms.one_vs_rest import OneVsRest
from grambench.common.errors import SolverError
from grambench.experiments.data import Sample
from grambench.solvers import svm
from grambench.solvers.combination import Combination

SELECTED = 1e-4  # of the largest weight: what counts as a selected kernel, where all have the same trace
WORK = (*(each.name for each in fields(Work)), "operations")  # metrics of every protocol


@dataclass(frozen=True, slots=True)
class Trained:
    """A predictor, the C of its machine (NaN where the predictor is the algorithm's own), and the machine's work."""

    predictor: Predictor
    C: float
    work: Work


def fit(
    algorithm: Algorithm,
    settings: dict[str, Any],
    sample: Sample,
    seed: np.random.SeedSequence | np.random.Generator,
) -> Fit:
    """Fit an algorithm with its parameters to a sample, under the contract of `grambench.algorithms.fit`."""
    parameters = algorithms.parameters(algorithm.name, settings)
    rng = seed if isinstance(seed, np.random.Generator) else generator(seed)
    return learn(algorithm, parameters, sample.pool, sample.labels, order=sample.order, rng=rng)


def generator(seed: np.random.SeedSequence) -> np.random.Generator:
    """Return the random numbers of a fit: the same each time, though an earlier fit has spawned others from them."""
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key))


def fit_twice(algorithm: Algorithm, settings: dict[str, Any], sample: Sample, seed: np.random.SeedSequence) -> Fit:
    """Fit an algorithm as `fit` does; raise ContractError where a second fit with the same seed is another."""
    first, again = (fit(algorithm, settings, sample, seed) for _ in range(2))
    check_same(algorithm.name, outline(first, sample.pool), outline(again, sample.pool))
    return again


def drawn(rng: np.random.Generator) -> Any:
    """Return what changes with every random number that is drawn from a generator, and every generator made of it."""
    return rng.bit_generator.state, rng.bit_generator.seed_seq.n_children_spawned  # type: ignore[attr-defined]


def trained(
    found: Fit, sample: Sample, values: Sequence[float], *, steps: int = svm.MAX_STEPS, trace: float | None = None
) -> Iterator[Trained]:
    """Yield the fit's own predictor, or machines on its kernel at ascending C until one takes too long.

    Parameters
    ----------
    found : Fit
        What was learned.
    sample : Sample
        From which.
    values : sequence of float
        The C to try.
    steps : int
        Steps of the solver after which a machine is given up, and the larger C with it.
    trace : float, optional
        To which the learned kernel is scaled.

    Raises
    ------
    SolverError
        If not even the first machine can be trained.
    """
    if found.predictor is not None:
        yield Trained(found.predictor, np.nan, Work())
        return
    gram, weights = found.gram(sample.pool), found.weights
    if trace is not None:
        scale = trace / float(np.trace(gram))
        gram, weights = scale * gram, scale * weights
    used = int(np.count_nonzero(weights))
    combination, kept, start = Combination.single(gram), Kept(), None
    counted = found.work.kernel_values and (found.thetas is None or sample.pool.holds(found.thetas))
    work = Work(kernel_values=0 if counted else used * gram.size, row_additions=used * len(gram))
    for C in values:
        try:
            machine = svm.train(combination, sample.labels, C, start=start, max_steps=steps)
        except SolverError as error:
            if start is None:
                raise SolverError(f"no machine could be trained at C = {C:g}: {error}") from None
            work.svm_calls += 1  # of what was yielded last: giving up has taken work too
            work.solver_steps += steps
            work.row_additions += 2 * steps
            return
        start = machine.dual
        work += Work(svm_calls=1, solver_steps=machine.steps, row_additions=2 * machine.steps)
        yield Trained(Mixture(weights, found.thetas, machine.dual, machine.bias, kept), C, work)


def counts(work: Work, n: int) -> dict[str, int]:
    """Return the metrics of WORK for a fit to n examples; operations are kernel values made and entries added."""
    whole = {name: int(count) for name, count in asdict(work).items()}  # of NumPy's they may overflow below
    return whole | {"operations": whole["kernel_values"] + n * whole["row_additions"]}


def right(predictor: Predictor, sample: Sample) -> Any:
    """Return which examples of a sample are on the right side, (t,); a score of 0 is positive."""
    return (scored(predictor, sample.pool) >= 0.0) == (sample.labels > 0)


def support_vectors(predictor: Predictor) -> float:
    """Return the number of examples with a coefficient, for any class; NaN where a predictor does not say."""
    if isinstance(support := getattr(predictor, "support", None), np.ndarray) and support.ndim == 1:
        return float(len(support))
    machines = predictor.predictors if isinstance(predictor, OneVsRest) else [predictor]
    used = [each.dual != 0.0 for each in machines if isinstance(each, Expansion | Mixture)]
    return float(np.count_nonzero(np.any(used, axis=0))) if used else np.nan


def balanced_percent(correct: Any, labels: Labels) -> float:
    """Return the mean over the classes that are there of the share of right predictions, in percent."""
    return 100.0 * float(np.mean([correct[labels == label].mean() for label in np.unique(labels)]))


def kernels_selected(weights: Floats) -> int:
    """Return the number of kernels whose weight is not negligible beside the largest."""
    return int(np.count_nonzero(weights > SELECTED * weights.max()))


def converged(found: Fit) -> float:
    """Return 1 where a fit has reached what it stops at, 0 where it has not, NaN where it does not tell."""
    return np.nan if found.converged is None else float(found.converged)


def tuned(algorithm: Algorithm, search: dict[str, Any] | None) -> tuple[str | None, list[float]]:
    """Return the parameter of an algorithm that is tuned, and what it is chosen from; None and [NaN] where none is."""
    if search is None or search["parameter"] not in algorithm.parameters.__dataclass_fields__:
        return None, [np.nan]
    return search["parameter"], search["values"]
