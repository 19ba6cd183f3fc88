"""The supervised half of rule `run` for an online study.

python -m grambench.pipeline.steps.fit_online SPEC OUTPUT PREPARED GRAM...
"""

import sys

from grambench.experiments import online
from grambench.kernels import matrices
from grambench.pipeline.steps import fit

if __name__ == "__main__":
    fit.main(
        sys.argv[1:],
        lambda spec, dataset, grams: online.outcome(spec, dataset, [matrices.open_matrix(path) for path in grams]),
    )
