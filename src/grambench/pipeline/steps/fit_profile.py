"""The supervised half of rule `run` for a sweep of a holdout study that profiles an algorithm's searches.

python -m grambench.pipeline.steps.fit_profile SPEC OUTPUT PREPARED
"""

import sys

from grambench.experiments import profile
from grambench.pipeline.steps import fit

if __name__ == "__main__":
    fit.main(sys.argv[1:], lambda spec, dataset, grams: profile.outcome(spec, dataset))
