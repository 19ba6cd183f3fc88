"""Runs as the plan asks for them, for tests that have no study."""

from pydantic import TypeAdapter

from grambench.config.protocols import Protocol
from grambench.experiments.specification import Specification

KERNELS = ["polynomial_p1", "gaussian_sigma0.5", "gaussian_sigma2"]


def specification(file, kind, *, protocol=(), **changes):
    """Return the specification of a run of an algorithm's file; what a protocol is not told has its default."""
    model = TypeAdapter(Protocol).validate_python({"kind": kind} | dict(protocol))
    settings = {
        "study": "small",
        "dataset": "made",
        "algorithm": file,
        "experiment": kind,
        "file": file,
        "points": [{}],
        "sweep": "",
        "values": [],
        "protocol": model.model_dump(mode="json"),
        "kernels": KERNELS,
        "seed": 7,
    }
    return Specification(**settings | changes)
