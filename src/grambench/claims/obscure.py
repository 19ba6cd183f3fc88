"""What the claims of OBSCURE (Orabona et al. 2010) on several studies share."""

import itertools
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


def compared(
    evidence: Evidence, sweep: str, names: list[str], test: Callable[..., bool], phrase: str, metric: str = ACCURACY
) -> Answer:
    """Judge a claim by a test of the means of configurations, which must pass at each value of a sweep."""
    tables = [swept(evidence, sweep, name, metric) for name in names]
    means = {
        value: [table[value] for table in tables] for value in tables[0] if all(value in table for table in tables)
    }
    if len(means) < 2:
        return NOT_SWEPT
    text = ", ".join(f"{value:g}: {' and '.join(f'{mean:.3g}' for mean in row)}" for value, row in means.items())
    return Answer.of(all(test(*row) for row in means.values()), f"{phrase} of {' and '.join(names)}: {text}")


def falls(evidence: Evidence, sweep: str, configuration: str, metric: str, phrase: str) -> Answer:
    """Judge whether a metric never rises from one value of a sweep to the next, and falls over all."""
    values = list(swept(evidence, sweep, configuration, metric).items())
    if len(values) < 2:
        return NOT_SWEPT
    holds = all(later <= earlier for (_, earlier), (_, later) in itertools.pairwise(values))
    text = ", ".join(f"{value:g}: {mean:.3g}" for value, mean in values)
    return Answer.of(holds and values[-1][1] < values[0][1], f"{phrase}: {text}")


def by_value(means: Mapping[float, float]) -> str:
    """Return the means at the values of a sweep in one line."""
    return ", ".join(f"{value:g}: {mean:.1f}" for value, mean in means.items())


def by_name(means: Mapping[str, float], style: str = "{:.1f}") -> str:
    """Return the means of configurations in one line."""
    return ", ".join(f"{name} {style.format(mean)}" for name, mean in means.items())
