"""The page of one record: its repetitions, settings, data, versions, and the commands that repeat it.

The report step reads every record for its provenance. The pages use the same records, so they cost no further reading.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from grambench import algorithms
from grambench.common.docstrings import docstring
from grambench.config import protocols
from grambench.config.metrics import METRICS
from grambench.datasets.store import PreparedDataset
from grambench.kernels.labels import kernel_label
from grambench.report import page, profiles

if TYPE_CHECKING:
    from grambench.common.types import Floats
    from grambench.report.page import StudyReport
    from grambench.report.table_data import Comparison
    from grambench.results.records import Record

LARGEST_KERNELS = 10
NAMED_KERNELS = 12  # most kernels that are listed without a fold
ORIGINS = {
    "published": "published with the data; the number of a repetition is that of its permutation or split",
    "stored": "the order of the data, in which they change over time; repetitions differ by the algorithm's draws",
    "seeded": "drawn from the seed, the name of the data set and the number of the repetition",
}
MACHINE = {"revision": "Revision", "processor": "Processor", "cores": "Cores", "platform": "Platform"}


@dataclass(frozen=True, kw_only=True)
class RecordPage:
    """One page: its name, its title, and the values that its template shows."""

    page: str
    title: str
    values: dict[str, Any]


def name_of(path: str) -> str:
    """Return the name of the page of a record from the record's path; empty for no record.

    Names of studies, data sets, algorithms and sweeps contain no hyphen, so the names of pages are unique.
    """
    return "-".join(["record", *path.removesuffix(".h5").split("/")[2:]]) if path else ""


@dataclass(frozen=True, kw_only=True)
class _Shared:
    """What all records of a study share, computed once: titles are parsed from files, and hashes are of whole arrays.

    Attributes
    ----------
    study : StudyReport
        The study.
    main : str
        The metric by which the study judges first.
    titles : dict of str
        The titles of its configurations.
    sources : dict
        The source of each data set, see grambench.report.page.source.
    published : dict
        The published numbers by data set and configuration.
    """

    study: "StudyReport"
    main: str
    titles: dict[str, str]
    sources: dict[str, dict[str, Any]]
    published: "dict[tuple[str, str], Comparison]"


def of_study(study: "StudyReport") -> Iterator[RecordPage]:
    """Yield a page for each record of a study."""
    published: dict[tuple[str, str], Comparison] = {}
    for key, row in study.comparison.items():
        published.setdefault((key[1], key[2]), {})[key] = row
    shared = _Shared(
        study=study,
        main=study.main_metric(),
        titles={name: study.results.title(name) for name in study.study.algorithms},
        sources={name: page.source(data) for name, data in study.prepared.items() if isinstance(data, PreparedDataset)},
        published=published,
    )
    for path, record in study.records.items():
        yield _of_record(shared, path, record)


def _of_record(shared: _Shared, path: str, record: "Record") -> RecordPage:
    study, settings = shared.study.study, record.settings
    sweep = settings.get("sweep", "")
    name = "/".join(filter(None, (record.study, record.dataset, record.algorithm, sweep)))
    algorithm = shared.titles.get(record.algorithm, record.algorithm)
    file = study.file(record.algorithm) if record.algorithm in study.algorithms else ""
    published = {} if sweep else shared.published.get((record.dataset, record.algorithm), {})
    return RecordPage(
        page=name_of(path),
        title=f"{algorithm} on {record.dataset}" + (f", sweep {sweep}" if sweep else ""),
        values={
            "study": shared.study,
            "record": record,
            "path": path,
            "name": name,
            "sweep": sweep,
            "algorithm": {"page": profiles.page_of(file), "title": algorithm},
            "repetitions": study.protocol.repetitions_text(record.orders),
            "table": _sweep_table(record) if sweep else _repetitions(record, shared.main),
            "kernels": {} if sweep else _kernel_values(record),
            "published": _published(published),
            "unpublished": "" if sweep or not study.published else _unpublished(shared.main, published),
            "settings": list(_settings(record)),
            "parameters": list(_parameters(file, settings)),
            "pool": [kernel_label(kernel) for kernel in settings.get("kernels", [])],
            "fold": len(settings.get("kernels", [])) > NAMED_KERNELS,
            "data": _data(record, shared.sources.get(record.dataset, {})),
            "versions": _versions(record),
            "deviations": profiles.sections(file).get(profiles.DEVIATIONS, []) if file else [],
        },
    )


def _repetitions(record: "Record", main: str) -> dict[str, Any]:
    """Return the table of the repetitions: the main metric first, then all others in the order of METRICS.

    A metric that is neither good nor bad and has the same value everywhere gets no column; it is listed beside. A
    metric without any value is left out.
    """
    measured = {name: table[0] for name, table in record.metrics.items() if np.isfinite(table[0]).any()}
    names = [name for name in dict.fromkeys([main, *METRICS, *measured]) if name in measured]
    values = {name: measured[name] for name in names}
    same = [name for name in names if name != main and _is_constant(name, values[name])]
    columns = [name for name in names if name not in same]
    foot = [_mean_and_deviation(name, values[name]) for name in columns]
    repetitions = range(len(next(iter(values.values()), ())))
    return {
        "head": [_head(name) for name in columns],
        "rows": [(str(r + 1), [_number(values[name][r]) for name in columns]) for r in repetitions],
        "foot": [("Mean", [mean for mean, _ in foot]), ("Standard deviation", [deviation for _, deviation in foot])],
        "same": [(_head(name)["label"], _number(values[name][0])) for name in same],
    }


def _sweep_table(record: "Record") -> dict[str, Any]:
    """Return the table of a sweep: a row for each value, with the mean and deviation of each metric."""
    names = [name for name in METRICS if name in record.metrics]
    points = record.settings.get("values", []) if names else []
    rows = [
        (_text(point), [text for name in names for text in _mean_and_deviation(name, record.metrics[name][p])])
        for p, point in enumerate(points)
    ]
    return {
        "head": [head for name in names for head in (_head(name), {"label": "deviation", "meaning": ""})],
        "rows": rows,
        "foot": [],
        "same": [],
    }


def _head(metric: str) -> dict[str, str]:
    known = METRICS.get(metric)
    return {"label": known.label if known else metric, "meaning": known.meaning if known else ""}


def _is_constant(metric: str, values: "Floats") -> bool:
    neutral = metric in METRICS and METRICS[metric].better is None
    return neutral and len(values) > 1 and bool((values == values[0]).all())


def _number(value: float) -> str:
    """Return a number with six significant digits, or as a whole number from a million on; empty if it is missing."""
    return (f"{value:.0f}" if abs(value) >= 1e6 else f"{value:.6g}") if np.isfinite(value) else ""


def _mean_and_deviation(metric: str, values: "Floats") -> tuple[str, str]:
    """Return the mean and the standard deviation; both are empty for a metric whose values are names."""
    if metric in METRICS and METRICS[metric].named:
        return "", ""
    return _number(float(np.mean(values))), _number(float(np.std(values, ddof=1))) if len(values) > 1 else ""


def _kernel_values(record: "Record") -> dict[str, Any]:
    """Return the kernels of the largest weight, with the mean of each value over the repetitions that have the kernel.

    A value that is the same for all kernels is left out.
    """
    means = {name: _mean_of_present(values[0]) for name, values in record.kernel_values.items()}
    means = {name: values for name, values in means.items() if len(set(values[np.isfinite(values)])) > 1}
    if not means:
        return {}
    if "weight" in means:
        # algorithms have weights of different scales
        means["weight in % of all"] = 100 * means["weight"] / np.nansum(np.abs(means["weight"]))
    first = means.get("weight", next(iter(means.values())))
    kernels = record.settings.get("kernels", [])
    present = np.flatnonzero(np.isfinite(first))
    # kernels of a continuous family have numbers in place of names, and stay in the order in which they were learned
    if len(kernels) == len(first):
        titles = list(map(kernel_label, kernels))
        present = present[np.argsort(-first[present], kind="stable")]
    else:
        titles = [f"Kernel {k + 1}" for k in range(len(first))]
    rows = [(titles[k], [_number(float(values[k])) for values in means.values()]) for k in present[:LARGEST_KERNELS]]
    return {"columns": [name.capitalize() for name in means], "rows": rows, "all": len(present)}


def _mean_of_present(values: "Floats") -> "Floats":
    """Return the mean over the repetitions (R, m) that have a number for the kernel; NaN if none has."""
    counts = np.isfinite(values).sum(axis=0)
    return np.where(counts > 0, np.nansum(values, axis=0) / np.maximum(counts, 1), np.nan)


def _published(comparison: "Comparison") -> list[dict[str, Any]]:
    """Return published numbers, each once with all tables that print it."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for (item, _, _, metric), row in comparison.items():
        texts = (str(row[name]) for name in ("published", "ours", "verdict", "reason"))
        rows.setdefault((_head(metric)["label"], *texts), []).append(item)
    names = ("label", "published", "ours", "verdict", "reason")
    return [dict(zip(names, key, strict=True)) | {"item": ", ".join(items)} for key, items in rows.items()]


def _unpublished(main: str, comparison: "Comparison") -> str:
    """Return a sentence if the paper does not print the main metric of a record; empty if it does."""
    if any(metric == main for _, _, _, metric in comparison):
        return ""
    return f"The paper prints no number for “{_head(main)['label']}” here."


def _settings(record: "Record") -> Iterator[tuple[str, str, str]]:
    """Yield the settings of a run that are not parameters of its algorithm: name, value and meaning."""
    settings = record.settings
    yield "seed", str(settings.get("seed", "")), "root of all random numbers"
    if record.orders:
        yield "permutations or splits", record.orders, ORIGINS.get(record.orders, "")
    if record.random:
        yield "random numbers of the fits", record.random, "whether a fit drew any"
    protocol = dict(settings.get("protocol", {}))
    kind = protocols.KINDS.get(str(protocol.pop("kind", "")))
    meanings = profiles.meanings(kind) if kind else {}
    if kind:
        yield "protocol", str(settings["protocol"]["kind"]), docstring(kind).partition("\n")[0]
    for name, value in protocol.items():
        value = _size(value, record.dataset) if name == "sizes" else value
        if value not in (None, {}, []):
            yield name, _text(value), meanings.get(name, "")
    if tune := settings.get("tune"):
        values = f"{tune['parameter']}: {_text(tune['values'])}" + (f"; C: {_text(tune['C'])}" if tune.get("C") else "")
        yield "candidates", values, f"selected by {tune.get('by', 'error')} on validation examples"
    if family := settings.get("dictionary"):
        low, high = (f"{family[end]:.4g}" for end in ("low", "high"))
        meaning = f"continuous family of kernels; the grid has {len(family['grid'])} values"
        yield "family", f"{family['family']}, {low} to {high} ({family['unit']})", meaning
    if then := settings.get("then"):
        yield "then", str(then), "algorithm that is trained on the kernel with the largest weight"
    if settings.get("sweep"):
        yield "sweep", settings["sweep"], f"{len(settings.get('values', []))} values"


def _size(sizes: Any, dataset: str) -> Any:
    """Return the numbers of training, validation and test examples of one data set."""
    return sizes.get(dataset, sizes.get("default")) if isinstance(sizes, Mapping) else sizes


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(_text, value)) if isinstance(value, list | tuple) else str(value)


def _parameters(file: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the parameters of the algorithm: name, value and meaning; one that is selected or varied has no value."""
    points, tune = settings.get("points") or [{}], settings.get("tune") or {}
    selected = {tune.get("parameter"), "C" if tune.get("C") else None}
    cls = algorithms.load(file).parameters if file and not algorithms.fault(file) else None
    meanings = profiles.meanings(cls) if cls else {}
    for name, value in points[0].items():
        if any(point.get(name) != value for point in points):
            text = "varied by the sweep"
        else:
            text = "selected on validation examples" if name in selected else _text(value)
        yield name, text, meanings.get(name, "")


def _data(record: "Record", source: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return where the data came from, the hash of the prepared arrays, and the identities of the files read."""
    rows: list[tuple[str, str]] = []
    if source:
        rows += [("Source", source["kind"])]
        rows += [(label[:1].upper() + label[1:], text) for label, text in source["details"]]
        rows.append(("Content of the prepared data (SHA-256)", source["content"]))
    rows.append(("Identities of the files that were read", ", ".join(record.inputs.values())))
    return [(label, value) for label, value in rows if value]


def _versions(record: "Record") -> list[tuple[str, str]]:
    """Return the machine, the versions and the cost of a run: a title and a value each."""
    provenance = record.provenance
    facts = [(label, provenance.get(key)) for key, label in MACHINE.items()]
    facts += [("Linear algebra", provenance.get("blas")), *provenance.get("versions", {}).items()]
    threads = sorted({str(count) for count in provenance.get("threads", {}).values() if count})
    facts += [("Threads", ", ".join(threads)), ("Code", record.code), ("Identity", record.identity)]
    for key, label, unit in (("wall_seconds", "Wall time", "s"), ("peak_resident_mb", "Peak memory", "MiB")):
        if isinstance(provenance.get(key), int | float):
            facts.append((label, f"{provenance[key]:.4g} {unit}"))
    return [(label, str(value)) for label, value in facts if value not in (None, "")]
