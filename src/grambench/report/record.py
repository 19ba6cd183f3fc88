"""What a record says: its page shows these parts, and `grambench show` prints them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from grambench import algorithms
from grambench.common.docstrings import attributes, docstring
from grambench.common.types import Floats
from grambench.config import protocols
from grambench.config.metrics import METRICS, WORK
from grambench.experiments.run import Run
from grambench.kernels.functions import view_of
from grambench.kernels.labels import kernel_label
from grambench.results.records import OF_SVM, Record
from grambench.results.statistics import Sample

LARGEST_KERNELS = 20
ORIGINS = {
    "published": "published with the data, `orders` in results/datasets; the number of a repetition is that of its row",
    "stored": "the order of the data, in which they change over time; repetitions differ by the algorithm's draws",
    "seeded": "drawn from the seed, the name of the data set and the number of the repetition",
}
MACHINE = {
    "revision": "Revision",
    "processor": "Processor",
    "cores": "Cores",
    "platform": "Platform",
    "blas": "Linear algebra",
}
COSTS = {"wall_seconds": ("Wall time", " s"), "peak_resident_mb": ("Peak memory", " MiB"), "blocks": ("Blocks", "")}
# settings that are said in another way, or elsewhere
OWN_PLACE = {
    *("study", "dataset", "algorithm", "experiment", "file", "points", "values"),
    *("protocol", "kernels", "seed", "dictionary", "tune"),
}
VIEWS = ("alone", "without")  # kinds of sweeps over views
ONLY_WITH = {"n_components": "approximation", "scaled": "reference"}  # settings that mean nothing without another
NAME_VALUE_MEANING = ("Name", "Value", "Meaning")

Cells = tuple[str, ...]


class Part(NamedTuple):
    """A table: its title, the titles of its columns, its rows and those at its foot, each with its label first.

    `numbers` says whether its columns are numbers, and `note` what else there is to say.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Cells]
    foot: Sequence[Cells] = ()
    numbers: bool = False
    note: str = ""


def describe(record: Record, main: str = "") -> list[Part]:
    """Return all parts of a record that have any row, the metric `main` before all others."""
    settings, sweep = record.settings, record.settings.get("sweep", "")
    kernels = [] if sweep else [_kernel_values(record)]
    parts = [
        _sweep_table(record) if sweep else _repetitions(record, main),
        *kernels,
        Part("Settings", NAME_VALUE_MEANING, list(_settings(record))),
        Part("Parameters of the algorithm", NAME_VALUE_MEANING, list(_parameters(settings.get("file", ""), settings))),
        Part("Versions and machine", (), list(_versions(record))),
    ]
    return [part for part in parts if part.rows]


def machine(provenance: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield labels and values of the computer and the versions of a record."""
    for key, label in MACHINE.items():
        yield label, str(provenance.get(key) or "unknown")
    limits = sorted({str(count) for count in provenance.get("threads", {}).values() if count})
    yield "Threads of a run", ", ".join(limits) or "not limited"
    yield from ((name, str(version)) for name, version in provenance.get("versions", {}).items())


def label(metric: str) -> str:
    """Return the label of a metric; the name of one that this version does not know."""
    return METRICS[metric].label if metric in METRICS else metric


def _repetitions(record: Record, main: str) -> Part:
    """Return the table of the repetitions: the main metric first, then all others in the order of METRICS.

    They are numbered from 0, as in runs.parquet.

    A metric that is neither good nor bad and has the same value everywhere gets no column; it is listed beside. A
    metric without any value is left out.
    """
    measured = {name: table[0] for name, table in _metrics(record).items() if np.isfinite(table[0]).any()}
    names = [name for name in dict.fromkeys([main, *METRICS, *measured]) if name in measured]
    neutral = [name for name in names if name in METRICS and not METRICS[name].better and name != main]
    same = [name for name in neutral if len(measured[name]) > 1 and np.ptp(measured[name]) == 0.0]
    columns = [name for name in names if name not in same]
    rows = [
        (str(number), *map(_number, values))
        for number, values in enumerate(zip(*(measured[name] for name in columns), strict=True))
    ]
    summaries = zip(*(_mean_and_deviation(name, measured[name]) for name in columns), strict=True)
    foot = [(title, *texts) for title, texts in zip(("Mean", "Standard deviation"), summaries, strict=False)]
    constants = ", ".join(f"{label(name)} {_number(measured[name][0])}" for name in same)
    note = f"The same in every repetition: {constants}." if same else ""
    return Part("Repetitions", ["Repetition", *map(label, columns)], rows, foot, numbers=True, note=note)


def _sweep_table(record: Record) -> Part:
    """Return the table of a sweep: a row for each value, with the mean and deviation of each metric."""
    names = [name for name in METRICS if name in _metrics(record)]
    points = record.settings.get("values", []) if names else []
    labels = list(map(_text, points))
    if record.settings.get("size") in VIEWS:
        # the values of a sweep over views are their numbers, from 1
        views = list(dict.fromkeys(map(view_of, record.settings["kernels"])))
        labels = [views[int(point) - 1] for point in points]
    rows = [
        (shown, *(text for name in names for text in _mean_and_deviation(name, record.metrics[name][p])))
        for p, shown in enumerate(labels)
    ]
    head = [record.settings["sweep"], *(text for name in names for text in (label(name), "deviation"))]
    note = "Mean and standard deviation of each metric over the repetitions, for each value."
    return Part("Values of the sweep", head, rows, numbers=True, note=note)


def _metrics(record: Record) -> dict[str, Floats]:
    """Return the metrics of a record without counts of work that is never done."""
    return {name: table for name, table in record.metrics.items() if table.any() or name not in WORK}


def _number(value: float) -> str:
    """Return a number with six significant digits, or as a whole number from a million on; empty if it is missing."""
    return (f"{value:.0f}" if abs(value) >= 1e6 else f"{value:.6g}") if np.isfinite(value) else ""


def _mean_and_deviation(metric: str, values: Floats) -> tuple[str, str]:
    """Return the mean and the standard deviation; both are empty for a metric whose values are names."""
    if metric in METRICS and METRICS[metric].named:
        return "", ""
    sample = Sample.of(values)
    return _number(sample.mean), _number(sample.std)


def _kernel_values(record: Record) -> Part:
    """Return the first kernels, with the mean of each value over the repetitions that have the kernel.

    The largest weights come first or, where there are no weights, the fewest updates.

    A value that is the same for all kernels is left out.
    """
    of_kernels = {name: values[0] for name, values in record.kernel_values.items()}
    if "weights" in record.curves:
        of_kernels = {"weight": record.curves["weights"][0, :, -1]} | of_kernels  # at the end of the pass
    given = {name: np.ma.masked_invalid(values) for name, values in of_kernels.items()}
    means = {name: values.mean(axis=0).filled(np.nan) for name, values in given.items()}
    means = {name: values for name, values in means.items() if len(set(values[np.isfinite(values)])) > 1}
    if "weight" in means:
        # algorithms have weights of different scales
        means["weight in % of all"] = 100 * means["weight"] / np.nansum(np.abs(means["weight"]))
    first = means.get("weight", next(iter(means.values()), np.zeros(0)))
    kernels = record.settings.get("kernels", [])
    present = np.flatnonzero(np.isfinite(first))
    # kernels of a continuous family have numbers in place of names, and stay in the order in which they were learned
    if len(kernels) == len(first):
        titles = list(map(kernel_label, kernels))
        present = present[np.argsort(first[present] * (-1 if "weight" in means else 1), kind="stable")]
    else:
        titles = [f"Kernel {k + 1}" for k in range(len(first))]
    rows = [(titles[k], *(_number(float(values[k])) for values in means.values())) for k in present[:LARGEST_KERNELS]]
    part = f": the first {len(rows)} of {len(present)} kernels" if len(rows) < len(present) else ""
    note = f"Means over the repetitions that have the kernel{part}"
    return Part("Kernels", ["Kernel", *(name.capitalize() for name in means)], rows, numbers=True, note=note)


def _settings(record: Record) -> Iterator[Cells]:
    """Yield the settings of a run that are not parameters of its algorithm: name, value and meaning."""
    settings = record.settings
    yield "seed", str(settings.get("seed", "")), "root of all random numbers"
    if record.orders:
        yield "permutations or splits", record.orders, ORIGINS.get(record.orders, "")
    if record.random:
        yield "random numbers of the fits", record.random, "whether a fit drew any"
    protocol = dict(settings.get("protocol", {}))
    kind = protocols.KINDS.get(str(protocol.pop("kind", "")))
    meanings = attributes(kind) if kind else {}
    if kind:
        yield "protocol", str(settings["protocol"]["kind"]), docstring(kind).partition("\n")[0]
    for name, value in protocol.items():
        if name == "sizes" and isinstance(value, Mapping):  # of training, validation and test examples, by data set
            value = value.get(record.dataset, value.get("default"))
        if value not in (None, {}, []):
            yield name, _text(value), meanings.get(name, "")
    if kernels := settings.get("kernels"):
        yield "kernels", "; ".join(map(kernel_label, kernels)), f"base kernels: {len(kernels)}"
    if candidates := record.candidates:
        by = (settings.get("tune") or {}).get("by", "error")
        values = "; ".join(f"{name}: {_text(of_name)}" for name, of_name in candidates.items())
        of_svm = f", {OF_SVM} by error" * (by != "error" and OF_SVM in candidates)
        yield "candidates", values, f"selected by {by} on validation examples{of_svm}"
    if family := settings.get("dictionary"):
        low, high = (f"{family[end]:.4g}" for end in ("low", "high"))
        meaning = f"continuous family of kernels; values of the grid: {len(family['grid'])}"
        yield "family", f"{family['family']}, {low} to {high} ({family['unit']})", meaning
    meanings = attributes(Run)
    for name, value in settings.items():
        if name not in OWN_PLACE and value not in (None, "", [], {}) and settings.get(ONLY_WITH.get(name, name)):
            yield name, _text(value), meanings.get(name, "")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(_text, value)) if isinstance(value, list | tuple) else str(value)


def _parameters(file: str, settings: Mapping[str, Any]) -> Iterator[Cells]:
    """Yield the parameters of the algorithm: name, value and meaning; one that is selected or varied has no value."""
    points, tune = settings.get("points") or [{}], settings.get("tune") or {}
    selected = {tune.get("parameter"), *tune.get("also", ())}
    cls = algorithms.load(file).parameters if file and not algorithms.fault(file) else None
    meanings = attributes(cls) if cls else {}
    for name, value in points[0].items():
        if any(point.get(name) != value for point in points):
            text = "varied by the sweep"
        else:
            text = "selected on validation examples" if name in selected else _text(value)
        yield name, text, meanings.get(name, "")


def _versions(record: Record) -> Iterator[Cells]:
    """Yield the machine, the versions and the cost of a run, and what it was made from."""
    provenance = record.provenance
    if provenance:
        yield from machine(provenance)
    for key, (title, unit) in COSTS.items():
        if isinstance(provenance.get(key), int | float):
            yield title, f"{provenance[key]:.4g}{unit}"
    yield from (row for row in (("Code", record.code), ("Identity", record.identity)) if row[1])
    if record.inputs:
        yield "Identities of the files that were read", ", ".join(record.inputs.values())
