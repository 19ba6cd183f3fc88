"""Rule `gram`: the Gram matrix of one kernel on one data set.

python -m grambench.pipeline.steps gram SPEC CODE OUTPUT INNER THREADS --seconds S --memory-mb M

The kernel is evaluated in `grambench.pipeline.steps.evaluate`, under the limits of a run.
"""

import argparse
from pathlib import Path

from grambench.common.provenance import made_from
from grambench.pipeline import supervise


def main(argv: list[str]) -> None:
    """Write the Gram matrix, or why there is none: the records of runs that need it repeat the reason."""
    parser = argparse.ArgumentParser()
    for name in ("spec", "code", "output", "inner", "threads"):
        parser.add_argument(name)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--memory-mb", type=float, required=True)
    arguments = parser.parse_args(argv)
    spec, output, inner = arguments.spec, arguments.output, arguments.inner
    identity = made_from(spec, arguments.code, Path(inner))
    ending = supervise.step(
        "evaluate",
        [spec, identity, output, inner, arguments.threads],
        Path(output),
        seconds=arguments.seconds,
        memory_mb=arguments.memory_mb,
    )
    if ending.status in ("timeout", "memory"):
        # imported only if there is no matrix, since it takes long to load
        from grambench.kernels import matrices

        advice = f"make it again: grambench run, called as before, with -- -R {output}"
        matrices.write_unavailable(Path(output), f"{ending.status}: {ending.reason}; {advice}", identity)
    # an error of the machine, such as a full disk
    elif ending.status != "ok":
        raise SystemExit(f"{ending.status}: {ending.reason}")
