"""A budget on support vectors, beyond the papers: by default a full classifier forgets its oldest one.

OMKC (Hoi et al. 2013) bounds no memory; its Section 2.1 names methods that do. With a `budget` B a classifier that has
B support vectors forgets the oldest before it adds one: the removal of the Forgetron (Dekel, Shalev-Shwartz and Singer
2008), without the shrinking that its mistake bound needs. The budget applies to every kernel by itself; kernels that
share their support vectors share one list. Forgetting an example does not restore the weight that a kernel lost by it.
`when_full` names two other ways for Perceptrons.

A budget bounds time too: the scores of an example are sums over at most B support vectors
(`grambench.algorithms.bounded`), where a pass without a budget adds a row of n kernel values at each update.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from grambench.common.parameters import Checked, at_least


# Without slots, so that a class can inherit from this one and another base.
@dataclass(frozen=True, kw_only=True)
class Budget(Checked):
    """A bound on memory and time.

    Attributes
    ----------
    budget : int
        Largest number of support vectors of each classifier, beyond the paper; 0 for no bound.
    """

    budget: Annotated[int, at_least(0)] = 0

    def capacity(self, rounds: int) -> int:
        """Return the largest number of support vectors of a classifier, to which each round adds one at most."""
        return int(min(self.budget or rounds, rounds))


# Without slots too.
@dataclass(frozen=True, kw_only=True)
class PerceptronBudget(Budget):
    """A bound on memory and time, and what a full Perceptron does at a mistake.

    Attributes
    ----------
    when_full : str
        "forget" the oldest support vector; "shrink" all coefficients before that, as the self-tuned Forgetron does
        (Dekel, Shalev-Shwartz and Singer 2008); or "project" the example on the support vectors, which then stay, as
        Projectron does (Orabona, Keshet and Caputo 2009).
    """

    when_full: Literal["forget", "shrink", "project"] = "forget"
