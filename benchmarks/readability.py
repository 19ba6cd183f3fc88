"""Length of sentences, and retired terms, in what people read: pages, docstrings and the texts of the report.

    python benchmarks/readability.py README.md docs [--worst 3]
    python benchmarks/readability.py src/grambench/estimators src/grambench/report/templates

A folder stands for all its files. Of Markdown the paragraphs and items of lists count, of Python the docstrings of
public modules, classes and functions (the descriptions in their numpydoc sections too), of HTML templates their texts.
Code, tables, headings, pictures and types do not count; a name in code is one word. A page that a program writes
(`GENERATED`) is left out.

Each file has a line: sentences, the median of their words, and the share of those with more than 35 words. Exit code 1
says that the goal is missed: a median of at most 20 words, at most 3 % above 35, no retired term. The retired terms are
those of `tests/style/test_words.py`.
"""

import argparse
import ast
import html
import inspect
import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
WORDS = ROOT / "tests/style/test_words.py"
GENERATED = ("docs/data_dictionary.md", "docs/_", "docs/gallery")
MEDIAN, LONG, SHARE = 20, 35, 0.03
ABBREVIATIONS = r"\b(?:al|cf|vs|eq|Eq|Fig|fig|Sect|No|pp|e\.g|i\.e)\.|(?:^|(?<=, )|(?<=\. )|(?<=\())[A-Z]\.(?= [A-Z])"
END = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"'”)*]))\s+(?=[\"'“(*`]*[A-Z0-9`(])")
SECTION = re.compile(r"^(\w.*)\n-{3,}$", re.M)
NAMED = {"Parameters", "Attributes", "Returns", "Raises", "Yields", "Other", "Warns"}  # sections of "name : type" lines
BLOCK_TAGS = r"</?(?:p|li|ul|ol|div|h\d|table|thead|tbody|tr|th|td|caption|summary|details|section|article|nav|header|"
BLOCK_TAGS += r"footer|option|select|label|button|dl|dt|dd|figure|figcaption|main|head|body|html|title|br|pre)\b[^>]*>"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="files and folders")
    parser.add_argument("--worst", type=int, default=0, help="how many of each file's longest sentences to print")
    arguments = parser.parse_args()
    everything, n_terms = [], 0
    print(f"{'file':60} {'sentences':>9} {'median':>6} {f'over {LONG}':>8}")
    for path in files(arguments.paths):
        sentences = [sentence for text in texts(path) for sentence in split(text)]
        if not sentences:
            continue
        everything += sentences
        print(summary(str(path), sentences))
        for sentence in sorted(sentences, key=length, reverse=True)[: arguments.worst]:
            print(f"    {length(sentence):3}  {sentence}")
        for term, standard in retired(path):
            n_terms += 1
            print(f"    retired: {term!r}, write {standard}")
    if not everything:
        sys.exit("nothing to read")
    print(summary("all", everything), f"  retired terms: {n_terms}")
    missed = n_terms or statistics.median(map(length, everything)) > MEDIAN or share(everything) > SHARE
    sys.exit(1 if missed else 0)


def summary(name: str, sentences: list[str]) -> str:
    median = statistics.median(map(length, sentences))
    return f"{name:60} {len(sentences):9} {median:6.1f} {100 * share(sentences):6.1f} %"


def files(paths: list[Path]) -> Iterator[Path]:
    """Return the files that people read, in their order."""
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            name = file.absolute().relative_to(ROOT) if file.absolute().is_relative_to(ROOT) else file
            if file.suffix in READERS and not str(name).startswith(GENERATED):
                yield file


def texts(path: Path) -> list[str]:
    """Return the blocks of prose of a file."""
    return READERS[path.suffix](path.read_text(encoding="utf-8"))


def split(text: str) -> list[str]:
    """Return the sentences of a block of prose."""
    shielded = re.sub(ABBREVIATIONS, lambda match: match.group().replace(".", "\0"), " ".join(text.split()))
    sentences = (sentence.replace("\0", ".").strip() for sentence in END.split(shielded))
    return [sentence for sentence in sentences if length(sentence) > 1]


def length(sentence: str) -> int:
    """Return the number of words: what stands between blanks and has a letter or a digit."""
    return sum(any(map(str.isalnum, word)) for word in sentence.split())


def share(sentences: list[str]) -> float:
    return sum(length(sentence) > LONG for sentence in sentences) / len(sentences)


def markdown(text: str) -> list[str]:
    """Return the paragraphs and items of a page in Markdown."""
    tokens = MarkdownIt("commonmark").enable("table").parse(re.sub(r"^%.*$|^\(.*\)=$", "", text, flags=re.M))
    blocks, stack = [], []
    for token in tokens:
        if token.nesting == 1:
            stack.append(token.type)
        elif token.nesting == -1:
            stack.pop()
        elif token.type == "inline" and not {"heading_open", "table_open"} & set(stack):
            parts = []
            for child in token.children or []:
                if child.type == "code_inline":
                    parts.append("`" + re.sub(r"\s", "_", child.content) + "`")
                elif child.type in ("text", "softbreak", "hardbreak"):
                    parts.append(child.content or " ")
            blocks.append("".join(parts))
    return blocks


def python(text: str) -> list[str]:
    """Return the blocks of the docstrings of public names."""
    return [block for docstring in docstrings(ast.parse(text)) for block in numpydoc(docstring)]


def docstrings(node: ast.AST) -> Iterator[str]:
    """Return the docstrings of a node and of the public names in it."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (docstring := ast.get_docstring(node)):
        yield docstring
    for child in getattr(node, "body", []) if isinstance(node, ast.Module | ast.ClassDef) else []:
        if isinstance(child, ast.ClassDef | ast.FunctionDef) and not child.name.startswith("_"):
            yield from docstrings(child)


def numpydoc(docstring: str) -> list[str]:
    """Return the paragraphs of a docstring, and the descriptions in its sections."""
    parts = SECTION.split(docstring)
    blocks = paragraphs(parts[0])
    for section, body in zip(parts[1::2], parts[2::2], strict=True):
        if section.split()[0] in NAMED:
            body = "\n\n".join(map(inspect.cleandoc, re.split(r"^\S.*$", body, flags=re.M)))
        elif section.strip() == "Examples":
            continue
        blocks += paragraphs(body)
    return blocks


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs and items of lists, without indented code; a name in code is one word."""
    text = re.sub(r"`+([^`]+)`+", lambda match: "`" + re.sub(r"\s", "_", match.group(1)) + "`", text)
    blocks = []
    for block in re.split(r"\n\s*\n|\n(?=[-*] )", text):
        lines = [line for line in block.splitlines() if line.strip()]
        if lines and not lines[0].startswith(("    ", ">>>", "..")) and not re.match(r"\|", lines[0]):
            blocks.append(" ".join(lines).removeprefix("- "))
    return blocks


def template(text: str) -> list[str]:
    """Return the texts between the block tags of a template."""
    text = re.sub(r"<(script|style)\b.*?</\1>|\{#.*?#\}|<!--.*?-->|<svg.*?</svg>", "", text, flags=re.S)
    text = re.sub(r"\{%.*?%\}", "", text, flags=re.S)
    text = re.sub(r"\{\{.*?\}\}", "X", text, flags=re.S)
    return [html.unescape(re.sub(r"<[^>]*>", "", block)) for block in re.split(BLOCK_TAGS, text)]


def retired(path: Path) -> list[tuple[str, str]]:
    """Return the retired terms of a file, each with the standard term."""
    lists, text = {}, path.read_text(encoding="utf-8")
    for node in ast.parse(WORDS.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            lists[node.targets[0].id] = node.value
    terms = ast.literal_eval(lists["RETIRED"])
    if path.suffix != ".py":
        terms |= ast.literal_eval(lists["IN_PROSE"])
    name = path.absolute().relative_to(ROOT) if path.absolute().is_relative_to(ROOT) else path
    for term in ast.literal_eval(lists["KEPT"]).get(str(name), ()):
        text = text.replace(term, "")
    matches = [(re.search(rf"\b({term})\b", text, re.IGNORECASE), standard) for term, standard in terms.items()]
    return [(match.group(), standard) for match, standard in matches if match]


READERS = {".md": markdown, ".py": python, ".html": template}

if __name__ == "__main__":
    main()
