"""Invariance: how much decision values change when base kernels are multiplied by a factor.

RKL proves that its own do not (Gai et al. 2010, Propositions 1 to 3) and does not measure it. On every part, C is
chosen for the reference, and the reference is trained with the kernels as they are; then the contestant is trained with
the same C on kernels multiplied by each factor, all of them or the one with the reference's largest weight, on which
the most depends.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grambench import algorithms
from grambench.algorithms.checks import certified, scored
from grambench.algorithms.fit import Floats
from grambench.common.errors import ConfigError
from grambench.datasets.store import PreparedDataset
from grambench.experiments import nested, splits
from grambench.experiments.data import Sample
from grambench.experiments.outcome import Outcome
from grambench.experiments.specification import Specification
from grambench.experiments.splits import Split
from grambench.kernels.pool import Stored, stacked


def outcome(specification: Specification, dataset: PreparedDataset, grams: Sequence[Floats] = ()) -> Outcome:
    """Run what is asked for.

    Parameters
    ----------
    specification : Specification
        The run; the values are factors.
    dataset : PreparedDataset
        The data set, with dense features.
    grams
        Not used.

    Returns
    -------
    Outcome
        decision_change (P, R): the largest change of a test example's decision value, relative to the spread of
        the reference's decision values; one point a factor.

    Raises
    ------
    ConfigError
        If there is no reference.
    """
    if specification.reference is None:
        raise ConfigError("a sweep that scales kernels needs a reference")
    base = specification.reference["parameters"]
    algorithm, reference = algorithms.load(specification.file), algorithms.load(specification.reference["file"])
    factors, search = specification.values, nested.search_of(specification)
    (point,) = specification.points
    changes = np.empty((len(factors), len(specification.repeats)))
    gaps = np.empty_like(changes)
    for r, part in enumerate(splits.parts(specification, dataset)):
        if r == 0:
            nested.check_again(algorithm, point, search, part)
        choice = nested.choose(reference, base, search, part)
        known, machine = nested.train(reference, base, search, choice, part.outer, part)
        before = scored(machine.predictor, part.outer.test.pool)
        for p, factor in enumerate(factors):
            scales = np.full(len(known.weights), factor)
            if specification.scaled == "one":
                scales = np.where(np.arange(len(scales)) == np.argmax(known.weights), factor, 1.0)
            scaled = Split(_scaled(part.outer.train, scales), _scaled(part.outer.test, scales))
            fit, machine = nested.train(algorithm, point, search, choice, scaled, part)
            after = scored(machine.predictor, scaled.test.pool)
            changes[p, r] = np.abs(after - before).max() / (np.ptp(before) or 1.0)  # a constant has no spread
            gaps[p, r] = certified(fit).gap
    return Outcome({"decision_change": changes, "gap": gaps})


def _scaled(sample: Sample, factors: Floats) -> Sample:
    """Return a sample with each base kernel multiplied by its factor."""
    return replace(sample, pool=Stored(factors[:, None, None] * stacked(sample.pool)))
