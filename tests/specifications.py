"""Runs as the plan asks for them, for tests that have no study."""

from pydantic import TypeAdapter

from grambench.config.names import Tuning
from grambench.config.protocols import KINDS
from grambench.experiments.run import Run

KERNELS = ["polynomial_p1", "gaussian_sigma0.5", "gaussian_sigma2"]


def make_run(file, kind, *, protocol=(), **changes):
    """Return a run of an algorithm's file; settings of the protocol that are not given have their defaults."""
    settings = TypeAdapter(KINDS[kind]).validate_python({"kind": kind} | dict(protocol))
    tuned = [Tuning(parameter, values) for parameter, values in settings.tuned().items()]
    values = {
        "study": "small",
        "dataset": "made",
        "algorithm": file,
        "experiment": settings.experiment,
        "file": file,
        "points": [{}],
        "sweep": "",
        "values": [],
        "protocol": settings,
        "kernels": KERNELS,
        "seed": 7,
        "tune": tuned[0] if tuned else None,
    }
    return Run(**values | changes)
