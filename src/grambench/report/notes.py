"""The pages on the papers, docs/papers, as one page of the report, to whose sections results that differ lead."""

import base64
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import escape

PREFIX = "note-"
TITLE = "Explanations"
SCROLL = '<div class="scroll" tabindex="0" role="region" aria-label="Table {}">'


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading of the page: its id, its level and its title."""

    id: str
    level: int
    title: str


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
                    below = itertools.takewhile(lambda following: following.level > 2, self.sections[position + 1 :])
                    return [section, *below]
        return []


def read(pages: Sequence[str], pictures: Mapping[str, bytes] | None = None) -> Notes:
    """Join pages in Markdown to one page in HTML in which every heading has an id.

    Parameters
    ----------
    pages : sequence of str
        The pages; the title of each becomes a heading of level 2, its headings one level lower too.
    pictures : mapping, optional
        The SVG files that the pages show, by name.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = [token for text in pages for token in markdown.parse(text)]
    sections: dict[str, Section] = {}
    chapter = ""
    for number, token in enumerate(tokens):
        if token.type.startswith("heading_"):
            token.tag = f"h{int(token.tag[1:]) + 1}"
        if token.type == "heading_open":
            title = tokens[number + 1].content
            words = re.findall(r"[a-z0-9]+", title.lower())
            chapter = next(word for word in words if word != "the") if token.tag == "h2" else chapter
            key = name = PREFIX + "-".join(words if token.tag == "h2" else [chapter, *words])
            if key in sections:
                key = f"{name}--{len(sections)}"
            token.attrSet("id", key)
            sections[key] = Section(id=key, level=int(token.tag[1:]), title=title)
        token.children = _without_local_links(token.children or [])
        for child in token.children:
            if child.type == "image" and (svg := (pictures or {}).get(str(child.attrs["src"]))):
                child.attrSet("src", "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii"))
        if token.type == "th_open":
            token.attrSet("scope", "col")
    html = str(markdown.renderer.render(tokens, markdown.options, {}))
    chapters = [section for section in sections.values() if section.level == 2]
    contents = "".join(f'<li><a href="#{section.id}">{escape(section.title)}</a></li>' for section in chapters)
    numbers = itertools.count(1)
    html = re.sub("<table", lambda _: f'{SCROLL.format(next(numbers))}<table class="plain"', html)
    html = html.replace("</table>", "</table></div>")
    html = f"<h1>{TITLE}</h1>\n<ul>{contents}</ul>\n{html}"
    return Notes(html=html, sections=list(sections.values()))


def place(chapter: Sequence[Section], word: str) -> str:
    """Return the id of the first section of a chapter with a word in its title, else of the chapter; or nothing."""
    return next((section.id for section in chapter if word in section.title.lower()), chapter[0].id if chapter else "")


def _without_local_links(children: list[Token]) -> list[Token]:
    """Leave out links to other pages of the documentation, which the report does not have; their texts stay."""
    kept, local = [], False
    for child in children:
        if child.type == "link_open":
            local = not str(child.attrs["href"]).startswith("http")
        if not (local and child.type in ("link_open", "link_close")):
            kept.append(child)
    return kept
