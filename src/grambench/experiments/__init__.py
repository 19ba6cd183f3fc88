"""The registry of experiments: what a run does with an algorithm and a data set, one module each.

A module here that defines

    outcome(run, dataset, grams) -> Outcome

can be named as a run's experiment: the protocols, whose settings are modelled in `grambench.config.protocols`, and what
some kinds of sweeps do in their place. The other modules are what these share.
"""

import importlib
from collections.abc import Callable
from typing import Any

Experiment = Callable[..., Any]


def module(name: str) -> str:
    """Return the dotted name of an experiment's module."""
    return f"grambench.experiments.{name}"


def load(name: str) -> Experiment:
    """Import an experiment, and return what runs it."""
    experiment: Experiment = importlib.import_module(module(name)).outcome
    return experiment
