"""What the claims of OBSCURE (Orabona et al. 2010) on several studies share."""

from collections.abc import Callable, Mapping

from grambench.claims import Answer, Evidence, long_enough

CALTECH, ACCURACY = "caltech_102", "accuracy_percent"
CLOSE = 2.0  # points
NOT_SWEPT = Answer.undecided("the sweep was not run")


def swept(evidence: Evidence, sweep: str, configuration: str, metric: str = ACCURACY) -> dict[float, float]:
    """Return the mean of a metric on Caltech-101 at each value of a sweep that has one."""
    means = evidence.results.swept(sweep, CALTECH, configuration, metric).mean(axis="columns").dropna()
    items = zip(means.index.to_numpy(), means.to_numpy(), strict=True)
    return {value: mean for value, mean in items if long_enough(mean, metric)}


def best_value(
    evidence: Evidence, configuration: str, test: Callable[[float, list[float]], bool], phrase: str
) -> Answer:
    """Judge the p at which the accuracy is highest by a test, which also gets all values of p."""
    accuracies = swept(evidence, "p", configuration)
    if len(accuracies) < 2:
        return NOT_SWEPT
    best = max(accuracies, key=lambda p: accuracies[p])
    return Answer.of(test(best, list(accuracies)), f"{phrase}: {by_value(accuracies)}")


def by_value(means: Mapping[float, float]) -> str:
    """Return the means at the values of a sweep in one line."""
    return ", ".join(f"{value:g}: {mean:.1f}" for value, mean in means.items())


def by_name(means: Mapping[str, float], style: str = "{:.1f}") -> str:
    """Return the means of configurations in one line."""
    return ", ".join(f"{name} {style.format(mean)}" for name, mean in means.items())
