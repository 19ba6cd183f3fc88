"""What the claims of OBSCURE (Orabona et al. 2010) on several studies share."""

from collections.abc import Callable

from grambench.claims import Answer, Evidence, long_enough

CALTECH, ACCURACY = "caltech_102", "accuracy_percent"
CLOSE = 2.0  # points
Means = dict[float, float]  # of a metric by the value of a sweep
NOT_SWEPT = Answer.undecided("the sweep was not run")


def swept(evidence: Evidence, sweep: str, configuration: str, metric: str = ACCURACY) -> Means:
    """Return the mean of a metric on Caltech-101 at each value of a sweep that has one."""
    means = evidence.results.swept(sweep, CALTECH, configuration, metric).mean(axis="columns").dropna()
    items = zip(means.index.to_numpy(), means.to_numpy(), strict=True)
    return {value: mean for value, mean in items if long_enough(mean, metric)}


def judged(means: Means, test: Callable[[Means], bool], phrase: str, *, apart: float = 1.0) -> Answer:
    """Judge a claim by a test of the means at the values of a sweep, of which there must be two.

    It is undecided if the largest mean is less than `apart` times the smallest.
    """
    if len(means) < 2:
        return NOT_SWEPT
    enough = max(means.values()) >= apart * min(means.values())
    return Answer.of(test(means), f"{phrase}: {by_value(means)}", enough=enough)


def falls(means: Means) -> bool:
    """Return whether means never rise from one value of a sweep to the next, and fall over all."""
    values = list(means.values())
    return values == sorted(values, reverse=True) and values[-1] < values[0]


def by_value(means: Means) -> str:
    """Return the means at the values of a sweep in one line."""
    return ", ".join(f"{value:g}: {mean:.3g}" for value, mean in means.items())
