"""The texts at the top of a page: the scope of the run, its findings, and the settings of a study."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

import pandas as pd

from grambench.common.counts import counted, in_line, within
from grambench.common.docstrings import docstring
from grambench.config.metrics import METRICS
from grambench.config.study import Study
from grambench.datasets.formats.reader import MISSING_VALUES, ROWS_USED
from grambench.kernels.labels import family_label
from grambench.report.page import StudyReport
from grambench.report.profiles import page_of
from grambench.report.study_page import JUDGED, claim_counts, tally
from grambench.results.characteristics import Characteristics
from grambench.results.statistics import BEST_LEVEL, pairwise

RANKED = 8  # data sets from which on a sentence says who is first
NAMED = 4  # most data sets or algorithms that a sentence names


def of(report: StudyReport) -> dict[str, Any]:
    """Return the abstract of a study, the bar of its verdicts, and the settings in the box beneath it."""
    study, counts = report.study, verdicts([report])
    settings = [
        ("Protocol", docstring(type(study.protocol)).partition("\n")[0].replace("`", "")),
        ("Repetitions", repetitions_text(report)),
        ("Seed" if len(report.seeds) == 1 else "Seeds", ", ".join(map(str, report.seeds))),
        ("Kernels", kernels_text(study)),
    ]
    sources = {name: data.source for name, data in report.prepared.items() if isinstance(data, Characteristics)}
    for key in (ROWS_USED, MISSING_VALUES):
        remarks = [f"{name} {source[key]}" for name, source in sources.items() if key in source]
        settings.append((key.capitalize(), ". ".join(remarks)))
    return {
        "sentences": [text for text in (study.claim, scope(report), finding([report])) if text],
        "parts": [(name, count) for name, count in counts.items() if count],
        "settings": [(label, text) for label, text in settings if text],
        "address": study.url.replace("https://doi.org/", "doi:")
        if "//doi.org/" in study.url
        else urlsplit(study.url).netloc,
        "algorithms": [(report.results.title(name), page_of(study.file(name))) for name in report.ran],
    }


def scope(report: StudyReport) -> str:
    """Return the sentence on the data sets, algorithms and repetitions of the run."""
    datasets, algorithms = (
        f"{count} of {total} {noun}" if count < total else counted(count, noun[:-1])
        for count, total, noun in report.extent
    )
    return f"This run has {algorithms} on {datasets}, each with {repetitions_text(report)}."


def repetitions_text(report: StudyReport) -> str:
    """Return what a run is repeated over, as in "20 published permutations"."""
    protocol, cells = report.study.protocol, report.results.cells
    origins = [str(origin) for origin in cells[cells["status"] == "ok"]["orders"].unique()] or [""]
    texts = [protocol.repetitions_text(origin).strip() for origin in origins]
    texts = [
        text if text[0].isdigit() or text.startswith("one ") else f"{protocol.repetitions} {text}" for text in texts
    ]
    return " or ".join(dict.fromkeys(texts))


def finding(group: Sequence[StudyReport]) -> str:
    """Return the sentence on the results of a paper's studies: published numbers and claims, or the best algorithm."""
    parts = [text for text in (_agreement(group), _claims(group)) if text]
    if not parts or not any(report.study.published for report in group):
        parts[:0] = [text for report in group if not report.study.published and (text := _best(report))][:1]
    text = ", and ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def verdicts(group: Iterable[StudyReport]) -> dict[str, int]:
    """Return how many published results of algorithms have each verdict, and how many are without a result."""
    values = pd.concat([report.achieved()["verdict"] for report in group])
    return tally(values, (*JUDGED, "unavailable"))


def _agreement(group: Iterable[StudyReport]) -> str:
    counts = verdicts(group)
    judged, differing, exact = sum(counts[name] for name in JUDGED), counts["different"], counts["exact"]
    if not judged:
        return ""
    text = f"{judged - differing} of {judged} published numbers show no significant difference"
    if exact:
        text += f", {exact} of them exact"
    return text


def _claims(group: Iterable[StudyReport]) -> str:
    counts = claim_counts(pd.concat([report.claims for report in group]))
    verb = "holds" if counts["decided"] == 1 else "hold"
    return f"{counts['holds']} of {counted(counts['decided'], 'decided claim')} {verb}" if counts["decided"] else ""


def _best(report: StudyReport) -> str:
    """Return which algorithm is first by its mean rank, and which are not told from it; empty on few data sets."""
    ranks, title, metric = report.ranks, report.results.title, report.results.main_metric()
    if len(ranks) < RANKED:
        return ""
    means = ranks.mean()
    p_values = pairwise(report.results.votes(ranks.columns, metric, ranks.index))
    first, *others = map(str, means.sort_values(kind="stable").index)
    alike = [title(name) for name in others if p_values[first, name] >= BEST_LEVEL]
    quality = within(METRICS[metric].label.partition(" (")[0])
    among = f"{means.min():.1f} among {len(means)} {report.noun} on {len(ranks)} data sets"
    apart = f"not told from {in_line(alike, NAMED)}" if alike else "told from all others"
    return (
        f"{title(first)} is first by mean rank in {quality}, {among}, {apart} (Wilcoxon's test with Holm's correction)"
    )


def kernels_text(study: Study) -> str:
    """Return the base kernels of a study in one line, by data set where they differ."""
    texts: dict[str, list[str]] = {}
    for dataset in study.datasets:
        texts.setdefault(_kernels_text(study, dataset), []).append(dataset)
    if len(texts) == 1:
        return next(iter(texts))
    return "; ".join(f"{', '.join(datasets)}: {text}" for text, datasets in texts.items())


def _kernels_text(study: Study, dataset: str) -> str:
    """Return the base kernels of a study on a data set in one line."""
    listed = study.kernel_list(dataset=dataset)
    n_views = len({kernel.view for kernel in listed})
    texts = []
    for family, count in Counter(kernel.family for kernel in listed).items():
        values = sorted({kernel.parameter for kernel in listed if kernel.family == family})
        span = f"{values[0]:g}" + (f" to {values[-1]:g}" if len(values) > 1 else "")
        texts.append(f"{count} {family_label(family, span)}")
    if n_views > 1 or study.has_kernels_by_dataset:
        texts.append("on each view of a data set" if study.has_kernels_by_dataset else f"on {n_views} views")
    if study.subsets:
        texts.append(f"{study.n_kernels()} Gaussians on random subsets of {study.subsets.size} features")
    if family_ := study.dictionary:
        grid = f"with a grid of {family_.count} values" if not listed else ""
        texts.append(f"continuous {family_.family} family from {family_.low:g} to {family_.high:g} {grid}".strip())
    return "; ".join(texts)
