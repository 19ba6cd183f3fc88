"""The supervised half of rule `run` for a sweep of a nested study that scales kernels.

python -m grambench.pipeline.steps.fit_scaling SPEC OUTPUT PREPARED
"""

import sys

from grambench.experiments import scaling
from grambench.pipeline.steps import fit

if __name__ == "__main__":
    fit.main(sys.argv[1:], lambda spec, dataset, grams: scaling.outcome(spec, dataset))
