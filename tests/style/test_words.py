"""Retired terms stay retired: the field has a standard term for each, and one name has one meaning."""

import re

import pytest
from presentation import ROOT

RETIRED = {
    r"against the rest": "one-vs-rest",
    r"many[ _]classes": "multi-class",
    r"shel(f|ves)": "category",
    r"heads": "data-set characteristics",
    r"kernel values made": "kernel evaluations",
    r"(an)?other readings?": "variant",
    r"(the|a|of|tuned|trained|final|its|their) machines?( (is|that is) trained| on)|C of the machine": "SVM",
    r"machines and balls": "SVMs and MEBs",
    r"what can(not)? be had": "available",
    r"(tuned|chosen) value": "selected hyperparameter",
    r"holdout": "random splits",
    r"repeats": "repetitions",
    r"contestants?": "algorithm, or configuration",
    r"not at hand": "not in this run",
    r"has all the runs that this": "not enough runs",
    r"contradicted by the paper": "inconsistent within the paper",
    r"do(es)? not come out": "results that differ",
    r"(chosen|selected) a convention": "numbers used to settle an unstated convention",
    r"chosen_c|chosen_value|search_seconds": "selected_C, selected_value, fit_seconds",
}
IN_PROSE = {  # in pages and templates, where names of code do not stand
    r"contestants?": "algorithm",
    r"comes? out|came out|does not come out": "results, results that differ",
    r"(not )?(at hand)": "available, in this run",
    r"(be|is) had": "available",
    r"chosen a convention": "used to settle an unstated convention",
    r"as the system": "Theme: system",
    r"readings?": "variant",
    r"(train|trains|trained|SVM|of the|in the|batch) machines": "SVMs",
    r"draws? anew|drawn anew": "drawn again, repeated",
}
KEPT = {  # where a retired term is what a file is about
    "src/grambench/common/errors.py": ("repeats", "heads", "holdout", "chosen_c", "chosen_value", "search_seconds"),
    "docs/extending.md": ("MANY_CLASSES",),
    "src/grambench/algorithms/__init__.py": ("MANY_CLASSES",),  # what algorithms from outside say, and baselines
    "src/grambench/algorithms/baselines/ard_gp.py": ("MANY_CLASSES",),
    "src/grambench/algorithms/baselines/gradient_boosting.py": ("MANY_CLASSES",),
    "src/grambench/algorithms/baselines/random_forest.py": ("MANY_CLASSES",),
    "src/grambench/algorithms/baselines/rfm.py": ("MANY_CLASSES",),
}
FILES = [
    path
    for folder, pattern in (
        *(("src/grambench", "*.py"), ("src/grambench/report", "*.html")),
        *(("workflow", "*"), ("config", "*.yaml")),
    )
    for path in sorted((ROOT / folder).rglob(pattern))
    if path.is_file()
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_retired_term_comes_back(path):
    text = path.read_text(encoding="utf-8")
    for kept in KEPT.get(str(path.relative_to(ROOT)), ()):
        text = text.replace(kept, "")
    for term, standard in RETIRED.items():
        found = re.search(rf"\b({term})\b", text, re.IGNORECASE)
        assert not found, f"{found.group()!r} is retired: write {standard}"


def test_the_list_finds_what_it_forbids():
    assert re.search(rf"\b({'|'.join(RETIRED)})\b", "the C of the machine")
    assert len(FILES) > 200
