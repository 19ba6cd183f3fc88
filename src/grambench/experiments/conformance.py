"""What every algorithm does, ours and those from outside: checks that `grambench check` and the tests run.

They try an algorithm on a small problem of 60 examples. Whether it learns what its paper says is not among them: that
takes a reference implementation.
"""

import itertools
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms, experiments
from grambench.algorithms.checks import check_same, learn, outline, same, scored
from grambench.algorithms.fit import Fit
from grambench.common.errors import ContractError
from grambench.common.types import Labels, Order, Settings
from grambench.config import protocols
from grambench.config.names import Tuning
from grambench.config.protocols import PREDICTIONS
from grambench.datasets.store import PreparedDataset
from grambench.experiments.outcome import Outcome
from grambench.experiments.run import Run
from grambench.kernels.dictionary import FamilyRange
from grambench.kernels.functions import Kernel
from grambench.kernels.pool import Stored, stacked
from grambench.kernels.pools import BoundKernels

N = 60
KERNELS = ("polynomial_p1", "gaussian_sigma0.5", "gaussian_sigma2")
DICTIONARY = FamilyRange("gaussian", 0.1, 10.0, [0.1, 0.4641588833612779, 2.154434690031884, 10.0])
C_VALUES = [0.1, 1.0]
PROTOCOLS: dict[str, protocols.Protocol] = {
    "online": protocols.Online(kind="online", repetitions=2, checkpoints=6),
    "nested_cv": protocols.NestedCV(kind="nested_cv", outer_folds=2, inner_folds=2, select="C", values=C_VALUES),
    "random_splits": protocols.RandomSplits(
        kind="random_splits", repetitions=2, sizes={"default": (30, 15, 15)}, values=C_VALUES
    ),
    "official_split": protocols.OfficialSplit(kind="official_split", repetitions=2, validation=0.4, values=C_VALUES),
    "per_class_splits": protocols.PerClassSplits(
        kind="per_class_splits", repetitions=2, sizes={"default": (3, 2, 1)}, values=C_VALUES
    ),
}
EXAMPLES = {  # kinds of examples, and kernels on them
    "vectors": KERNELS,
    "views": ("left/unitpolynomial_p1", "left/meangaussian_s1", "right/chisquare_s1"),
    "pixels": ("left/unitpolynomial_p1", "left/meangaussian_s1", "right/meangaussian_s1"),
}
ALIKE = 1e-2  # of the learned kernel, where solvers and searches leave something open


class Problem(NamedTuple):
    """Features (n, 3), labels that overlap a little, -1 and +1 or of three classes, and an order."""

    features: NDArray[np.float64]
    labels: Labels
    order: Order

    def pool(self, kernels: tuple[str, ...] = KERNELS) -> Stored:
        """Return the Gram matrices of an online study, with the family."""
        pool = BoundKernels([Kernel.parse(name) for name in kernels], self.features, DICTIONARY).train()
        return Stored(stacked(pool), features={"": self.features}, family=pool.family)


def make_problem(seed: int, *, many: bool = False) -> Problem:
    """Return a problem of two classes, or of three, as many examples of each."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(N, 3))
    value = features[:, 0] + features[:, 1] ** 2 + 0.3 * rng.normal(size=N)
    labels = np.where(value > 0.7, 1, -1).astype(np.int8)
    if many:
        labels = (np.argsort(np.argsort(value)) // (N // 3)).astype(np.int8)
    return Problem(features, labels, rng.permutation(N).astype(np.int32))


class Check(NamedTuple):
    """What is checked, in words, and what raises where it does not hold."""

    what: str
    test: Callable[[str, Settings], None]


IMPORTED = "can be imported"  # asked before all checks


def faults(
    name: str, settings: Settings | None = None, checks: Sequence[Check] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield what every check asks for, and in one line what is wrong; empty where nothing is.

    Parameters
    ----------
    name : str
        An algorithm, see `grambench.algorithms`.
    settings : dict, optional
        Parameters that are not left at their defaults.
    checks : sequence of Check, optional
        Those of CHECKS to run; all where none are given.

    Raises
    ------
    ConfigError
        For an unknown name, or a parameter that the algorithm refuses.
    """
    fault = algorithms.fault(name)
    if not fault:
        algorithms.parameters(name, settings or {})
    yield IMPORTED, fault
    if fault:  # which every other check would say again
        return
    for check in CHECKS if checks is None else checks:
        try:
            check.test(name, settings or {})
            fault = ""
        except (Exception, SystemExit) as error:  # whatever someone's code raises
            kind = "" if isinstance(error, ContractError) else f"{type(error).__name__}: "
            fault = kind + (str(error).splitlines() or ["no message"])[0]
        yield check.what, fault


def _learn(name: str, settings: Settings, problem: Problem, pool: Stored | None = None) -> Fit:
    algorithm = algorithms.load(name)
    parameters, rng = algorithm.parameters(**settings), np.random.default_rng(3)
    return learn(algorithm, parameters, pool or problem.pool(), problem.labels, order=problem.order, rng=rng)


def _problem_for(name: str, seed: int) -> Problem:
    return make_problem(seed, many=algorithms.is_multiclass(name))


def says_what_it_is(name: str, settings: Settings) -> None:
    """Raise unless an algorithm has a title and parameters that a study's file can hold."""
    algorithm = algorithms.load(name)
    if not algorithm.title or algorithm.title == algorithms.source(name).stem:
        raise ContractError("the file's docstring: expected the algorithm's name as its first words, up to a colon")
    if not algorithm.parameters.__dataclass_params__.frozen:
        raise ContractError("Parameters: expected a frozen dataclass, whose values nobody changes")
    plain = json.loads(json.dumps(algorithms.resolved(name, settings)))
    again = json.loads(json.dumps(algorithms.resolved(name, plain)))
    if again != plain:
        raise ContractError(f"Parameters: expected {plain} again from these values, got {again}")


def keeps_the_contract(name: str, settings: Settings) -> None:
    """Raise unless a fit is what `grambench.algorithms.fit` says, with three kernels and with one."""
    problem = _problem_for(name, 0)
    _learn(name, settings, problem)
    _learn(name, settings, problem, problem.pool(KERNELS[-1:]))


def is_reproducible(name: str, settings: Settings) -> None:
    """Raise unless the same seed gives the same fit and scores, bit for bit, in this process and in its child."""
    first = _outline(name, settings)
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as child, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads here, which the child does not wait for
        again = child.submit(_outline, name, settings).result()  # it has the state that the first fit has left
    check_same(algorithms.title(name), first, again)


def _outline(name: str, settings: Settings) -> dict[str, Any]:
    problem = _problem_for(name, 1)
    pool = problem.pool()
    return outline(_learn(name, settings, problem, pool), pool)


def does_not_look_ahead(name: str, settings: Settings) -> None:
    """Raise unless, of an online algorithm, the scores of a round ignore the labels of later ones."""
    problem = _problem_for(name, 2)
    before = _learn(name, settings, problem).trace
    if before is None:
        return
    rounds, changed = 30, problem.labels.copy()
    changed[problem.order[rounds:]] *= -1
    after = _learn(name, settings, problem._replace(labels=changed)).trace
    if (
        after is None
        or not same(before.scores[: rounds + 1], after.scores[: rounds + 1])
        or not same(before.weights[:rounds], after.weights[:rounds])
    ):
        raise ContractError("trace: expected scores that ignore the labels of later rounds")


def ignores_numbering(name: str, settings: Settings) -> None:
    """Raise unless renumbered examples change nothing: online not a bit, else up to what solvers leave open."""
    problem = _problem_for(name, 4)
    shuffle = np.random.default_rng(0).permutation(N)
    position = np.argsort(shuffle).astype(np.int32)
    moved = Problem(problem.features[shuffle], problem.labels[shuffle], position[problem.order])
    kernels = ("gaussian_sigma1", "gaussian_sigma0.001", "gaussian_sigma0.0005")  # one is clearly the best
    pool = problem.pool(kernels)
    other = Stored(
        [np.ascontiguousarray(gram[np.ix_(shuffle, shuffle)]) for gram in pool.grams()],
        features={"": moved.features},
        family=moved.pool(kernels).family,
    )
    before, after = _learn(name, settings, problem, pool), _learn(name, settings, moved, other)
    if before.trace is not None and not same(before.trace, after.trace):
        expected = (
            "trace: expected the same, to the last bit, of examples that are numbered otherwise, in the same order"
        )
        raise ContractError(f"{expected}; sums over support vectors go in the order of their arrival")
    gram, again = before.gram(pool)[np.ix_(shuffle, shuffle)], after.gram(other)
    if np.linalg.norm(gram - again) > ALIKE * np.linalg.norm(gram):
        raise ContractError("weights: expected the same kernel from examples that are numbered otherwise")


def scores_each_example_by_itself(name: str, settings: Settings) -> None:
    """Raise unless a predictor's scores are those of each example, whatever others are asked for; rounding apart."""
    problem = _problem_for(name, 3)
    pool, rows, fit = problem.pool(), np.arange(N), _learn(name, settings, problem)
    if fit.predictor is None:
        return
    classes = 3 if algorithms.is_multiclass(name) else None
    values = scored(fit.predictor, pool, classes)
    if getattr(fit.predictor, "rng", None) is not None:  # draws for each example
        return
    for part in (rows[:1], rows[10:17], rows[::-1]):
        if not np.allclose(scored(fit.predictor, pool.part(part, rows), classes), values[part], rtol=1e-9, atol=1e-9):
            raise ContractError("scores: expected those of an example to be the same whatever others are asked for")
    train_scores = fit.train_scores
    if train_scores is None:
        return
    if train_scores.shape != values.shape or not np.allclose(train_scores, values, rtol=1e-9, atol=1e-9):
        raise ContractError("train_scores: expected the predictor's scores of the training examples, got others")


def keeps_the_scale_of_its_scores(name: str, settings: Settings) -> None:
    """Raise unless the scores of an online algorithm keep their scale where labels are noise, whatever its mistakes.

    One-vs-rest compares the scores of classes that are learned with more and with fewer mistakes.
    """
    if algorithms.is_multiclass(name) or _learn(name, settings, make_problem(6)).trace is None:
        return
    rng, n = np.random.default_rng(6), 4 * N
    noise = rng.choice(np.array([-1, 1], dtype=np.int8), size=n)
    problem = Problem(rng.normal(size=(n, 3)), noise, np.arange(n, dtype=np.int32))
    sizes = np.abs(_learn(name, settings, problem).trace.scores)  # type: ignore[union-attr]
    if not 1e-3 <= (ratio := sizes[-N:].max() / sizes[:N].max()) <= 1e3:
        what = "trace.scores: expected a scale that does not depend on mistakes, got scores of the last rounds"
        raise ContractError(f"{what} {ratio:.2g} times as large as those of the first, of labels that are noise")


class Case(NamedTuple):
    """One cell of the matrix that every algorithm runs: a protocol on one kind of data with C classes."""

    protocol: str
    examples: str
    classes: int

    def __str__(self) -> str:
        return f"{self.protocol}, {self.examples}, {self.classes} classes"


def cases(name: str) -> list[Case]:
    """Return the cases that an algorithm has to run: all but those that a study refuses when it is loaded."""
    examples = ("vectors",) if algorithms.needs(name) else tuple(EXAMPLES)
    return [Case(*case) for case in itertools.product(PROTOCOLS, examples, (2, 5))]


def runs_under_every_protocol(name: str, settings: Settings) -> None:
    """Raise unless an algorithm runs under every protocol, on vectors and on views, with two and with five classes."""
    for case in cases(name):
        try:
            outcome = run_case(name, settings, case)
        except (Exception, SystemExit) as error:
            raise ContractError(f"{case}: {type(error).__name__}: {error}") from error
        unknown = [metric for metric in PREDICTIONS if not np.isfinite(outcome.metrics[metric]).all()]
        if unknown:
            raise ContractError(f"{case}: expected finite numbers for every metric of predictions, got {unknown}")


def ignores_test_labels(name: str, settings: Settings) -> None:
    """Raise unless the labels of test examples change no prediction: exchange them, and what was correct is wrong."""
    case = Case("official_split", "vectors", 2)
    data, other = dataset(case), dataset(case)
    other.labels[other.test] *= -1
    before, after = (run_case(name, settings, case, each).metrics["accuracy_percent"] for each in (data, other))
    if not np.allclose(before + after, 100.0):
        what = f"an accuracy of {100.0 - before.mean():.4g} % once the labels of all test examples are exchanged"
        raise ContractError(f"scores: expected {what}, got {after.mean():.4g}")


def run_case(name: str, settings: Settings, case: Case, data: PreparedDataset | None = None) -> Outcome:
    """Run an algorithm on one case of the matrix, with its data or others of their shape."""
    data, kernels = data or dataset(case), list(EXAMPLES[case.examples])
    vectors = case.examples == "vectors"
    run = Run(
        study="check",
        dataset=data.name,
        algorithm=name,
        experiment=PROTOCOLS[case.protocol].experiment,
        file=name,
        points=[algorithms.resolved(name, settings)],
        sweep="",
        values=[],
        protocol=PROTOCOLS[case.protocol],
        kernels=kernels,
        seed=7,
        tune=Tuning("C", [0.1, 1.0]) if PROTOCOLS[case.protocol].tuned() else None,
        dictionary=DICTIONARY if vectors else None,
        classes=list(data.classes) or None,
    )
    stored: Any = ()
    if vectors and run.protocol.stored:
        stored = stacked(BoundKernels([Kernel.parse(kernel) for kernel in kernels], data.features).train())
    outcome: Outcome = experiments.load(run.experiment)(run, data, stored)
    return outcome


def dataset(case: Case) -> PreparedDataset:
    """Return the data of a case: 60 examples that overlap a little, with a split of their own."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(N, 3))
    value = features[:, 0] + 0.5 * features[:, 1] + 0.3 * rng.normal(size=N)
    labels = (np.argsort(np.argsort(value)) * case.classes // N).astype(np.int8)
    views: dict[str, Any] = {}
    if case.examples != "vectors":
        blocks = {"left": features[:, :2], "right": features[:, 1:]}
        pixels = {view: np.clip(60.0 * block + 128.0, 0, 255).astype(np.uint8) for view, block in blocks.items()}
        views = pixels if case.examples == "pixels" else {view: block / 255.0 for view, block in pixels.items()}
    return PreparedDataset(
        name="synthetic",
        features=np.empty((N, 0)) if views else features,
        labels=labels if case.classes > 2 else (2 * labels - 1).astype(np.int8),
        orders=None,
        source={"kind": "none"},
        classes=tuple("abcde") if case.classes > 2 else (),
        test=np.arange(N) % 3 == 0,
        views=views,
        images=tuple(map(str, range(N))) if case.examples == "views" else (),
    )


CHECKS = [
    Check("says what it is", says_what_it_is),
    Check("keeps the contract of a fit", keeps_the_contract),
    Check("is the same again with the same seed", is_reproducible),
    Check("does not look ahead, where it learns online", does_not_look_ahead),
    Check("does not depend on how examples are numbered", ignores_numbering),
    Check("scores each example by itself", scores_each_example_by_itself),
    Check("keeps the scale of its scores, where it learns online", keeps_the_scale_of_its_scores),
    Check("does not use the labels of test examples", ignores_test_labels),
    Check("runs under every protocol", runs_under_every_protocol),
]
