"""The page on what does not come out, docs/reproduction.md, as the report carries it, and what it says of one number.

Every block of it can be linked to. A number that does not come out is looked for in the section of its paper: the block
that names most of what it is, in bold before others, is the one that explains it.
"""

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

LINKED = ("paragraph_open", "list_item_open", "table_open")
BOLD = 3  # what a name in bold weighs, where one in the text weighs 1
PREFIX = "note-"


@dataclass(frozen=True, kw_only=True)
class Block:
    """A paragraph, an item of a list or a table: its id, its text, what of it is bold."""

    id: str
    text: str
    bold: str


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of the page under one heading, with the blocks below it."""

    id: str
    level: int
    title: str
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Notes:
    """The page: its HTML, and its sections in their order."""

    html: str
    sections: list[Section]

    def chapter(self, *names: str) -> list[Section]:
        """Return the section of a paper and those below it; the first name that a heading begins with says which."""
        for name in names:
            for place, section in enumerate(self.sections):
                if section.level == 2 and re.match(rf"(The )?{re.escape(name)}\b", section.title, re.IGNORECASE):
                    rest = self.sections[place + 1 :]
                    ends = [number for number, other in enumerate(rest) if other.level <= 2]
                    return [section, *rest[: ends[0] if ends else None]]
        return []

    def place(self, chapter: list[Section], heading: str, *names: Iterable[str]) -> str:
        """Return the id of what explains something that does not come out.

        Parameters
        ----------
        chapter : list of Section
            Where to look.
        heading : str
            A word of the heading under which it stands where no block names it.
        names : iterables of str
            What it is: of each, any of several names counts. A block has to have one of the first.

        Returns
        -------
        str
            Of a block, else of a heading; empty where there is no chapter.
        """
        if not chapter:
            return ""
        usual = next((part for part in chapter if heading in part.title.lower()), chapter[0])
        best, found = 0, usual.id
        for section in chapter:
            for block in section.blocks:
                weights = [max((_weight(block, name) for name in each), default=0) for each in names]
                total = 2 * sum(weights) + (section is usual)
                if weights[0] and total > best:
                    best, found = total, block.id
        return found


def _weight(block: Block, name: str) -> int:
    word = re.compile(rf"(?<![\w(]){re.escape(name)}(?![\w(])")
    return BOLD if word.search(block.bold) else int(bool(word.search(block.text)))


def read(text: str, pictures: Mapping[str, bytes] | None = None) -> Notes:
    """Return a page in Markdown as HTML in which every block has an id; its pictures, SVG files, by their names."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    sections: list[Section] = []
    seen: set[str] = set()
    chapter = ""
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            title = tokens[number + 1].content
            words = re.findall(r"[a-z0-9]+", title.lower())
            chapter = next(word for word in words if word != "the") if token.tag == "h2" else chapter
            key = _unique(PREFIX + "-".join(words if token.tag != "h3" else [chapter, *words]), seen)
            token.attrSet("id", key)
            sections.append(Section(id=key, level=int(token.tag[1:]), title=title))
        elif token.type in LINKED and sections and not token.hidden:
            key = _unique(f"{sections[-1].id}-{len(sections[-1].blocks) + 1}", seen)
            token.attrSet("id", key)
            content = "" if token.type == "table_open" else _content(tokens[number:])
            bold = " ".join(re.findall(r"\*\*(.+?)\*\*", content))
            plain = re.sub(r"[*`]|\\(?=\W)", "", content)
            sections[-1].blocks.append(Block(id=key, text=plain, bold=re.sub(r"[*`]|\\(?=\W)", "", bold)))
        for child in token.children or []:
            if child.type == "image" and (svg := (pictures or {}).get(str(child.attrs["src"]))):
                child.attrSet("src", "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii"))
        if token.type == "th_open":
            token.attrSet("scope", "col")
    html = str(markdown.renderer.render(tokens, markdown.options, {}))
    html = re.sub(
        r"<table", '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table class="plain"', html
    )
    return Notes(html=html.replace("</table>", "</table></div>"), sections=sections)


def _content(tokens: list[Token]) -> str:
    """Return the text up to the end of the block that the first token opens; a list within it is its own blocks."""
    first, parts = tokens[0], []
    for token in tokens[1:]:
        if token.level <= first.level or token.type.endswith("list_open"):
            break
        if token.type == "inline":
            parts.append(" ".join(token.content.split()))
    return " ".join(parts)


def _unique(key: str, seen: set[str]) -> str:
    number = 2
    name = key
    while name in seen:
        name, number = f"{key}-{number}", number + 1
    seen.add(name)
    return name
