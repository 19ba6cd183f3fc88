"""Rule `gram`: the Gram matrix of one kernel on one data set.

python -m grambench.pipeline.steps gram SPEC CODE OUTPUT INNER THREADS --seconds S --memory-mb M

The kernel is evaluated in `grambench.pipeline.steps.evaluate`, under the limits of a run.
"""

import argparse
from pathlib import Path

from grambench.common.provenance import made_from
from grambench.pipeline import supervise


def main(argv: list[str]) -> None:
    """Write the Gram matrix, or why there is none: runs that need it say so, and the rest of a study goes on."""
    parser = argparse.ArgumentParser()
    for name in ("spec", "code", "output", "inner", "threads"):
        parser.add_argument(name)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--memory-mb", type=float, required=True)
    given = parser.parse_args(argv)
    identity = made_from(given.spec, given.code, Path(given.inner))
    outcome = supervise.step(
        "evaluate",
        [given.spec, identity, given.output, given.inner, given.threads],
        Path(given.output),
        seconds=given.seconds,
        memory_mb=given.memory_mb,
    )
    if outcome.status in ("timeout", "memory"):
        from grambench.kernels import matrices  # takes longest to load, and nearly always there is a matrix

        again = f"make it again: grambench run, called as before, with -- -R {given.output}"
        matrices.write_unavailable(Path(given.output), f"{outcome.status}: {outcome.reason}; {again}", identity)
    elif outcome.status != "ok":  # of the machine, such as a full disk
        raise SystemExit(f"{outcome.status}: {outcome.reason}")
