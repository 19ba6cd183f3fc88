"""The pages on the papers, docs/papers, as one page of the report, and the explanation of one number.

Every block of the page can be linked to. The explanation of a number that differs is searched in the chapter of its
paper. It is the block with most of the number's names, where names in bold count more.
"""

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import escape

LINKED = ("paragraph_open", "list_item_open", "table_open")
BOLD = 3  # weight of a name in bold; a name in plain text has weight 1
PREFIX = "note-"
TITLE = "Explanations"


@dataclass(frozen=True, kw_only=True)
class NoteBlock:
    """A paragraph, an item of a list or a table: its id, its text, and the words in bold."""

    id: str
    text: str
    bold: str


@dataclass(frozen=True, kw_only=True)
class Section:
    """The blocks of the page under one heading."""

    id: str
    level: int
    title: str
    blocks: list[NoteBlock] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Notes:
    """The page: its HTML, and its sections in their order; a chapter, at level 2, is the page of one paper."""

    html: str
    sections: list[Section]

    def chapter(self, *names: str) -> list[Section]:
        """Return the section of a paper and those below it; the first name that a heading begins with says which."""
        for name in names:
            for position, section in enumerate(self.sections):
                if section.level == 2 and re.match(rf"(The )?{re.escape(name)}\b", section.title, re.IGNORECASE):
                    rest = self.sections[position + 1 :]
                    ends = [number for number, following in enumerate(rest) if following.level <= 2]
                    return [section, *rest[: ends[0] if ends else None]]
        return []

    def place(self, chapter: list[Section], heading: str, *names: Iterable[str]) -> str:
        """Return the id of the explanation of a result that differs.

        Parameters
        ----------
        chapter : list of Section
            The sections to search.
        heading : str
            A word of the heading to link to if no block names the number.
        names : iterables of str
            The names of the number, each with alternatives. A block must contain one of the first.

        Returns
        -------
        str
            The id of a block, else of a heading; empty if there is no chapter.
        """
        if not chapter:
            return ""
        default = next((section for section in chapter if heading in section.title.lower()), chapter[0])
        best_weight, best_id = 0, default.id
        for section in chapter:
            for block in section.blocks:
                weights = [max((_weight(block, name) for name in alternatives), default=0) for alternatives in names]
                total = 2 * sum(weights) + (section is default)
                if weights[0] and total > best_weight:
                    best_weight, best_id = total, block.id
        return best_id


def _weight(block: NoteBlock, name: str) -> int:
    word = re.compile(rf"(?<![\w(]){re.escape(name)}(?![\w(])")
    return BOLD if word.search(block.bold) else int(bool(word.search(block.text)))


def read(pages: Sequence[str], pictures: Mapping[str, bytes] | None = None) -> Notes:
    """Join pages in Markdown to one page in HTML in which every block has an id.

    Parameters
    ----------
    pages : sequence of str
        The pages; the title of each becomes a heading of level 2, its headings one level lower too.
    pictures : mapping, optional
        The SVG files that the pages show, by name.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = [token for text in pages for token in markdown.parse(text)]
    sections: list[Section] = []
    used_ids: set[str] = set()
    chapter = ""
    for number, token in enumerate(tokens):
        if token.type.startswith("heading_"):
            token.tag = f"h{int(token.tag[1:]) + 1}"
        if token.type == "heading_open":
            title = tokens[number + 1].content
            words = re.findall(r"[a-z0-9]+", title.lower())
            chapter = next(word for word in words if word != "the") if token.tag == "h2" else chapter
            key = _unique(PREFIX + "-".join(words if token.tag == "h2" else [chapter, *words]), used_ids)
            token.attrSet("id", key)
            sections.append(Section(id=key, level=int(token.tag[1:]), title=title))
        elif token.type in LINKED and sections and not token.hidden:
            key = _unique(f"{sections[-1].id}-{len(sections[-1].blocks) + 1}", used_ids)
            token.attrSet("id", key)
            content = "" if token.type == "table_open" else _content(tokens[number:])
            bold = " ".join(re.findall(r"\*\*(.+?)\*\*", content))
            plain = re.sub(r"[*`]|\\(?=\W)", "", content)
            sections[-1].blocks.append(NoteBlock(id=key, text=plain, bold=re.sub(r"[*`]|\\(?=\W)", "", bold)))
        token.children = _without_local_links(token.children or [])
        for child in token.children:
            if child.type == "image" and (svg := (pictures or {}).get(str(child.attrs["src"]))):
                child.attrSet("src", "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii"))
        if token.type == "th_open":
            token.attrSet("scope", "col")
    html = str(markdown.renderer.render(tokens, markdown.options, {}))
    html = re.sub(
        r"<table", '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table class="plain"', html
    )
    html = f"<h1>{TITLE}</h1>\n{_contents(sections)}\n" + html.replace("</table>", "</table></div>")
    return Notes(html=html, sections=sections)


def _contents(sections: Sequence[Section]) -> str:
    """Return a list of links to the chapters."""
    chapters = [section for section in sections if section.level == 2]
    items = "".join(f'<li><a href="#{section.id}">{escape(section.title)}</a></li>' for section in chapters)
    return f"<ul>{items}</ul>"


def _without_local_links(children: list[Token]) -> list[Token]:
    """Leave out links to other pages of the documentation, which the report does not have; their texts stay."""
    kept, local = [], False
    for child in children:
        if child.type == "link_open":
            local = not str(child.attrs["href"]).startswith("http")
        if not (local and child.type in ("link_open", "link_close")):
            kept.append(child)
    return kept


def _content(tokens: list[Token]) -> str:
    """Return the text up to the end of the block that the first token opens; a list within it is its own blocks."""
    opening, texts = tokens[0], []
    for token in tokens[1:]:
        if token.level <= opening.level or token.type.endswith("list_open"):
            break
        if token.type == "inline":
            texts.append(" ".join(token.content.split()))
    return " ".join(texts)


def _unique(key: str, used_ids: set[str]) -> str:
    number = 2
    name = key
    while name in used_ids:
        name, number = f"{key}-{number}", number + 1
    used_ids.add(name)
    return name
