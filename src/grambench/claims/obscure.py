"""What the claims of OBSCURE (Orabona et al. 2010) on several studies share."""

from collections.abc import Callable, Mapping

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


def judged(means: Means, test: Callable[[Means], bool], phrase: str) -> Answer:
    """Judge a claim by a test of the means at the values of a sweep, of which there must be two."""
    return Answer.of(test(means), f"{phrase}: {by_value(means)}") if len(means) > 1 else NOT_SWEPT


def falls(means: Means) -> bool:
    """Return whether means never rise from one value of a sweep to the next, and fall over all."""
    values = list(means.values())
    return values == sorted(values, reverse=True) and values[-1] < values[0]


def best(means: Means) -> float:
    """Return the value of a sweep with the largest mean."""
    return max(means, key=lambda value: means[value])


def by_value(means: Means) -> str:
    """Return the means at the values of a sweep in one line."""
    return ", ".join(f"{value:g}: {mean:.3g}" for value, mean in means.items())


def by_name(means: Mapping[str, float], style: str = "{:.1f}") -> str:
    """Return the means of configurations in one line."""
    return ", ".join(f"{name} {style.format(mean)}" for name, mean in means.items())
