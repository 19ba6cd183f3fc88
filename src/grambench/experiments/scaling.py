"""Invariance: how much decision values change when base kernels are multiplied by a factor.

RKL proves that its own do not (Gai et al. 2010, Propositions 1 to 3) and does not measure it. On every part, C is
chosen for the reference, and the reference is trained with the kernels as they are; then the contestant is trained with
the same C on kernels multiplied by each factor, all of them or the one with the reference's largest weight, on which
the most depends.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grambench import algorithms
from grambench.datasets.store import PreparedDataset
from grambench.experiments import nested
from grambench.experiments.blocks import repeats
from grambench.experiments.outcome import Outcome
from grambench.experiments.splits import Split


def outcome(settings: Mapping[str, Any], dataset: PreparedDataset) -> Outcome:
    """Run what a run's settings ask for.

    Parameters
    ----------
    settings : dict
        See grambench.pipeline.plan.Plan.run_spec; the values are factors.
    dataset : PreparedDataset
        The data set, with dense features.

    Returns
    -------
    Outcome
        decision_change (P, R): the largest change of a test example's decision value, relative to the spread of
        the reference's decision values; one point a factor.
    """
    algorithm, reference = algorithms.load(settings["file"]), algorithms.load(settings["reference"]["file"])
    protocol, factors = settings["protocol"], settings["values"]
    select, (point,) = protocol["select"], settings["points"]
    changes = np.empty((len(factors), len(repeats(settings))))
    gaps = np.empty_like(changes)
    for r, part in enumerate(nested.parts_of(settings, dataset)):
        base = settings["reference"]["parameters"]
        value = {select: nested.choose(reference, base, select, protocol["values"], part)}
        known = nested.train(reference, base | value, part.outer, part)
        before = known.decision_values(part.outer.test)
        for p, factor in enumerate(factors):
            scales = np.full(len(known.weights), factor)
            if settings["scaled"] == "one":
                scales = np.where(np.arange(len(scales)) == np.argmax(known.weights), factor, 1.0)
            scaled = _scaled(part.outer, scales)
            fit = nested.train(algorithm, point | value, scaled, part)
            after = fit.decision_values(scaled.test)
            changes[p, r] = np.abs(after - before).max() / (np.ptp(before) or 1.0)  # a constant has no spread
            gaps[p, r] = fit.certificate.gap
    return Outcome({"decision_change": changes, "gap": gaps})


def _scaled(split: Split, factors: NDArray[np.float64]) -> Split:
    """Return a split with each base kernel multiplied by its factor."""
    factor = factors[:, None, None]
    return Split(factor * split.train, factor * split.test, split.train_labels, split.test_labels)
