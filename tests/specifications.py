"""Runs as the plan asks for them, and their records, for tests that have no study."""

from pydantic import TypeAdapter

from grambench.config.names import Tuning
from grambench.config.protocols import KINDS
from grambench.experiments.outcome import GROUPS
from grambench.experiments.run import Run
from grambench.results.records import Record

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


def record_of(outcome, settings, **changes):
    """Return the record of a run that has succeeded."""
    values = {name: getattr(outcome, name) for name in (*GROUPS, "rounds")}
    values |= {"study": "small", "dataset": "made", "algorithm": "mine", "status": "ok", "orders": outcome.origin}
    return Record(**values | {"settings": settings} | changes)
