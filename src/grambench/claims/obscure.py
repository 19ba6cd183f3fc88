"""What the claims of OBSCURE (Orabona et al. 2010) on several studies share."""

from collections.abc import Mapping

from grambench.claims import Answer, Evidence, long_enough

CALTECH, ACCURACY = "caltech_102", "accuracy_percent"
CLOSE = 2.0  # points
NOT_SWEPT = Answer.undecided("the sweep was not run")


def swept(evidence: Evidence, sweep: str, configuration: str, metric: str = ACCURACY) -> dict[float, float]:
    """Return the mean of a metric on Caltech-101 at each value of a sweep that has one."""
    means = evidence.results.swept(sweep, CALTECH, configuration, metric).mean(axis="columns").dropna()
    items = zip(means.index.to_numpy(), means.to_numpy(), strict=True)
    return {value: mean for value, mean in items if long_enough(mean, metric)}


def by_value(means: Mapping[float, float]) -> str:
    """Return the means at the values of a sweep in one line."""
    return ", ".join(f"{value:g}: {mean:.1f}" for value, mean in means.items())


def by_name(means: Mapping[str, float], style: str = "{:.1f}") -> str:
    """Return the means of configurations in one line."""
    return ", ".join(f"{name} {style.format(mean)}" for name, mean in means.items())
