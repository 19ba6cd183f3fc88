"""What the site generates beside its pages: the order of the gallery, and a page for each algorithm."""

import ast
import functools
import html
import inspect
import io
import re
import tokenize
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import yaml

from grambench import algorithms
from grambench.pipeline import fingerprint

FOLDER = Path(__file__).parent
STUDIES = sorted((FOLDER.parent / "config" / "studies").glob("*.yaml"))

# The examples in the order in which a reader is likely to need them.
EXAMPLES = [
    "plot_views.py",
    "plot_groups_of_columns.py",
    "plot_string_kernels.py",
    "plot_grid_search.py",
    "plot_calibration.py",
    "plot_own_algorithm.py",
    "plot_results_with_pandas.py",
    "plot_rkl_scaling.py",
    "plot_minimum_enclosing_ball.py",
    "plot_alignment_landscape.py",
    "plot_online_pass.py",
    "plot_large_data.py",
    "plot_drift.py",
    "plot_oks_picks.py",
    "plot_budget.py",
    "plot_obscure_progress.py",
]


class GalleryOrder:
    """The sorting key of sphinx-gallery: the position of an example in EXAMPLES."""

    def __init__(self, folder: Any) -> None:
        """Accept the folder, which the order does not depend on."""

    def __call__(self, name: str) -> int:
        """Return the position of an example."""
        return EXAMPLES.index(Path(name).name)


def plain_axes(gallery_conf: dict[str, Any], name: str) -> None:
    """Remove the upper and right line of every plot, before an example runs."""
    import matplotlib.pyplot as plt

    plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})


CATEGORIES = {
    "online": "Online algorithms",
    "batch": "Batch algorithms",
    "parametric": "Alignment, and kernels with continuous parameters",
    "multiclass": "Multi-class algorithms",
    "baselines": "Baselines without kernel learning",
}
USAGE = """\
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale
from grambench import KernelClassifier

X, y = load_wine(return_X_y=True)
X, X_test, y, y_test = train_test_split(scale(X), y, random_state=0)
model = KernelClassifier("{name}", random_state=0).fit(X, y)
print(model.score(X_test, y_test))
"""
PLACE = (
    r"(?:lines?|Lines?|eq\.) \(?[\d-]+\)?(?:(?:, | to | and )[\d-]+)*(?: of Algorithm \d)?"  # of a paper, in a comment
)
CITATION = r"\w[\w-]+ (?:et al\.|and \w+) \d{4}"
HEADINGS = ("Idea", "Formula", "Notes", "Complexity", "Deviations", "References")


def write_algorithm_pages(folder: Path) -> None:
    """Write a page for each algorithm, and an index of all of them, where their text has changed."""
    folder.mkdir(exist_ok=True)
    pages = {name: algorithm_page(name) for category in CATEGORIES for name in algorithms.names(category)}
    for name, text in {**pages, "index": _index()}.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in folder.glob("*.md"):
        if path.stem not in pages and path.stem != "index":
            path.unlink()


def algorithm_page(name: str) -> str:
    """Return the page of an algorithm, in Markdown, from the docstrings of its file."""
    sections = algorithms.sections(name)
    lines = [f"# {_escaped(algorithms.title(name))}", "", _escaped(summary(name)), "", *_body(sections["Idea"])]
    lines += ["", "## Formula", "", *_body(sections["Formula"]), "", "## Parameters", "", *_parameters(name)]
    for heading in HEADINGS[2:]:
        if heading in sections:
            lines += ["", f"## {heading}", "", *_body(sections[heading])]
    if places := _places(name):
        lines += [
            "",
            "## Paper and code",
            "",
            "Lines and equations of the paper beside those of the code. Of several numbers each is of one algorithm of "
            "the paper, in their order, and a dash is one that has no such line.",
            "",
            *places,
        ]
    return "\n".join([*lines, "", "## Use it", "", *_usage(name), ""])


def summary(name: str) -> str:
    """Return what follows the title in the first paragraph of an algorithm's docstring."""
    text = " ".join(algorithms.docstring(name).partition("\n\n")[0].partition(":")[2].split())
    return text[:1].upper() + text[1:]


def _index() -> str:
    lines = [
        "# Algorithms",
        "",
        "Each page has the idea, the formula, the parameters and the complexity of an algorithm.",
    ]
    lines += ["The pages are made from the docstrings of the algorithms' files.", ""]
    for category, title in CATEGORIES.items():
        names = algorithms.names(category)
        lines += [f"## {title}", "", "| algorithm | name | what it does |", "|---|---|---|"]
        for name in names:
            link = f"[{_escaped(algorithms.title(name))}]({name}.md)"
            lines.append(f"| {link} | `{name}` | {_escaped(summary(name))} |")
        lines += ["", "```{toctree}", ":hidden:", "", *names, "```", ""]
    return "\n".join(lines)


def _body(text: str) -> list[str]:
    """Return a section in Markdown: what is indented is a formula."""
    lines: list[str] = []
    for part in re.split(r"\n\n(?=\S)|(?<=\S)\n\n(?=    )", text):
        if part.startswith(" "):
            formula = _scripts(html.escape(inspect.cleandoc("\n" + part), quote=False))
            # Markdown ends HTML at an empty line.
            lines += [f'<div class="formula">{formula.replace(chr(10) * 2, chr(10))}</div>', ""]
        else:
            lines += [_escaped(" ".join(part.split())), ""]
    return lines[:-1]


def _escaped(text: str) -> str:
    """Return text as Markdown, in which code is between backticks, and x_i and x^2 are indices and powers."""
    parts = re.split(r"(`[^`]+`|DOI 10\.\S+)", text)
    parts[::2] = [_scripts(re.sub(r"([\\*\[\]<>|#])", r"\\\1", part)) for part in parts[::2]]
    escaped = re.sub(r"DOI (10\.\S+)", r"DOI [\1](https://doi.org/\1)", "".join(parts))
    return re.sub(r"\bdocs/(\S+\.md)\b", lambda match: _link(match[1]), escaped)


def _link(page: str) -> str:
    """Return a link from the page of an algorithm to one of this folder, or its name if it is not there."""
    return f"[{page}](../{page})" if (FOLDER / page).is_file() else f"docs/{page}"


def _scripts(text: str) -> str:
    """Return text with HTML for indices, x_i and x_{i, j}, and powers, x^2, x^(1/2) and x^{-1}."""
    for mark, tag in (("_", "sub"), (r"\^", "sup")):
        pattern = rf"(?<=[\w‖⟩)']){mark}(?:\{{([^}}]*)\}}|(\([^)]*\))|([^\W_²]+(?:,[^\W_²]+)*))"
        text = re.sub(
            pattern, lambda match, tag=tag: f"<{tag}>{_scripts(next(filter(None, match.groups())))}</{tag}>", text
        )
    return text


def _parameters(name: str) -> list[str]:
    """Return a table of an algorithm's parameters with their defaults and meanings."""
    cls = algorithms.load(name).parameters
    meanings: dict[str, str] = {}
    for base in reversed(inspect.getmro(cls)):
        attributes = inspect.cleandoc(base.__doc__ or "").partition("Attributes\n----------\n")[2]
        for names, text in re.findall(r"^(\w[\w, ]*) : .*\n((?:    .*\n?)+)", attributes, re.M):
            meanings |= {each.strip(): " ".join(text.split()) for each in names.split(",")}
    rows = []
    for field in fields(cls):
        default = field.default if field.default_factory is MISSING else field.default_factory()
        rows.append(f"| `{field.name}` | `{default!r}` | {_escaped(meanings.get(field.name, ''))} |")
    return ["| parameter | default | meaning |", "|---|---|---|", *rows] if rows else ["It has no parameters."]


def _places(name: str) -> list[str]:
    """Return a table for each function or class whose comments name places in the paper of an algorithm.

    Its own file is read, and the files that it uses and that are on the same paper. Lines of another algorithm of the
    paper than its own are left out.
    """
    first = algorithms.docstring(name).partition("\n\n")[0]
    papers, own = re.findall(CITATION, first), re.search(r"Algorithm (\d)", first)
    lines: list[str] = []
    for module in sorted(fingerprint.closure(algorithms.module(name))):
        path = fingerprint.source(module)
        text = path.read_text("utf-8") if path and module.startswith("grambench.algorithms.") else ""
        tree, rows = ast.parse(text), _comments(text)
        if not {*papers}.intersection(re.findall(CITATION, ast.get_docstring(tree) or "")):
            continue
        for node in tree.body:
            inside = [row for row in rows if node.lineno <= row[0] <= (node.end_lineno or 0)]
            if inside and path and isinstance(node, ast.FunctionDef | ast.ClassDef):
                said = re.split(r"\n\n\w+\n-+\n", ast.get_docstring(node) or "")[0]
                lines_of = re.search(r"line numbers refer to \w+'s Algorithm (\d)", said)
                if own and lines_of and own[1] != lines_of[1]:
                    continue
                file = path.relative_to(FOLDER.parent)
                lines += [f"`{node.name}` in `{file}`: {_escaped(' '.join(said.split()))}", ""]
                lines += ["| paper | code | line |", "|---|---|---|"]
                for line, place, code in inside:
                    lines.append(f"| {place} | `{code.replace('|', chr(92) + '|')}` | {line} |")
                lines.append("")
    return lines[:-1]


def _comments(text: str) -> list[tuple[int, str, str]]:
    """Return line, place in the paper and code of each comment that begins with such a place."""
    code, found = text.splitlines(), []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and (place := re.match(rf"# ({PLACE})", token.string)):
            before = token.line[: token.start[1]].strip()
            line = token.start[0] + (not before)  # a comment of its own is on the line below
            found.append((line, place[1][0].lower() + place[1][1:], before or code[line - 1].strip()))
    return found


def _usage(name: str) -> list[str]:
    """Return a snippet that uses an algorithm, and the examples of the gallery that do."""
    lines = ["```python", *USAGE.format(name=name).splitlines()]
    lines += ["```", "", f"File: `src/grambench/algorithms/{algorithms.category_of(name)}/{name}.py`"]
    if studies := [path.stem for path in STUDIES if name in _algorithms_of(path)]:
        lines += ["", f"Studies: {', '.join(f'`{study}`' for study in studies)}"]
    scripts = {each: (FOLDER / "examples" / each).read_text("utf-8") for each in EXAMPLES}
    links = [
        f"[{script.splitlines()[1]}](../gallery/{Path(each).stem})"
        for each, script in scripts.items()
        if f'"{name}"' in script
    ]
    return [*lines, "", f"Examples: {', '.join(links)}"] if links else lines


@functools.cache
def _algorithms_of(study: Path) -> set[str]:
    """Return the names of the algorithms in a study's file."""
    configurations = yaml.safe_load(study.read_text("utf-8"))["algorithms"]
    return {(settings or {}).get("algorithm", name) for name, settings in configurations.items()}
