"""The supervised half of rule `run` for a nested study, which makes its Gram matrices from each training set.

python -m grambench.pipeline.steps.fit_nested SPEC OUTPUT PREPARED
"""

import sys

from grambench.experiments import nested
from grambench.pipeline.steps import fit

if __name__ == "__main__":
    fit.main(sys.argv[1:], lambda spec, dataset, grams: nested.outcome(spec, dataset))
