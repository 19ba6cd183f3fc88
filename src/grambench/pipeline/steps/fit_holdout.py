"""The supervised half of rule `run` for a holdout study, which makes its Gram matrices from each draw.

python -m grambench.pipeline.steps.fit_holdout SPEC OUTPUT PREPARED
"""

import sys

from grambench.experiments import holdout
from grambench.pipeline.steps import fit

if __name__ == "__main__":
    fit.main(sys.argv[1:], lambda spec, dataset, grams: holdout.outcome(spec, dataset))
