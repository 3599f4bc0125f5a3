"""What mkdocs does with our pages besides rendering them: cause pages in the menu, links, and a search index.

The index is a script and not JSON, because a page that is opened from disk may not fetch files.
"""

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

_LEADING_COMMENT = re.compile(r"\A(?:\s*<!--.*?-->)+\s*", re.DOTALL)
_LEAVES = re.compile(r"\[([^\]]+)\]\((?:\.\./)+([^)]+)\)")

_sections: list[tuple[str, str, str, str]] = []
"""URL, title of the page, heading and text of every section."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List every cause under "Causes" in the menu."""
    pages = sorted((Path(config.docs_dir) / "causes").glob("*.md"))
    causes = [f"causes/{page.name}" for page in pages if page.name != "README.md"]
    for entry in config.nav or []:
        if "Causes" in entry:
            entry["Causes"] = [{"All causes": "causes/README.md"}, *causes]
    _sections.clear()
    return config


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Markdown as mkdocs reads it: the title first, folded parts rendered, no links out of the site."""
    inside = page.file.src_uri.count("/") > 0

    def named(link: re.Match[str]) -> str:
        # A page in a folder may link to the pages above it.
        if inside and link[0].count("../") == 1 and link[2].endswith(".md"):
            return link[0]
        path = link[2].partition("#")[0]
        # The words of a link are often its path.
        if link[1].startswith(path):
            return f"`{path}` in the repository"
        return f"{link[1]} (`{path}` in the repository)"

    # mkdocs takes the first heading for the title only if nothing precedes it.
    text = _LEADING_COMMENT.sub("", markdown).replace("<details>", '<details markdown="1">')
    return _LEAVES.sub(named, text)


def on_page_content(html: str, page: Page, **_: object) -> None:
    """Add a page to the search index, section by section."""
    reader = _SectionReader()
    reader.feed(html)
    for section in reader.sections:
        text = " ".join("".join(section.text).split())
        heading = "".join(section.heading)
        url = f"{page.file.url}#{section.anchor}" if section.anchor else page.file.url
        _sections.append((url, str(page.title), heading, text))


def on_post_build(config: MkDocsConfig) -> None:
    """Write the search index."""
    index = json.dumps(_sections, ensure_ascii=False, separators=(",", ":"))
    (Path(config.site_dir) / "search_index.js").write_text(
        f"window.traindxIndex={index};\n", encoding="utf-8"
    )


@dataclass
class _Section:
    """A heading and the text up to the next one."""

    anchor: str = ""
    heading: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


class _SectionReader(HTMLParser):
    """Splits a page at its headings and leaves out what is folded."""

    def __init__(self) -> None:
        super().__init__()
        self.sections = [_Section()]
        self._is_heading = False
        self._folded = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "details":
            self._folded += 1
        if tag in ("h2", "h3"):
            self.sections.append(_Section(dict(attrs).get("id") or ""))
        if tag in ("h1", "h2", "h3"):
            self._is_heading = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "details":
            self._folded -= 1
        if tag in ("h1", "h2", "h3"):
            self._is_heading = False
        if tag in ("p", "li", "td", "th", "pre"):
            self.sections[-1].text.append(" ")

    def handle_data(self, data: str) -> None:
        if self._is_heading:
            self.sections[-1].heading.append(data)
        elif not self._folded:
            self.sections[-1].text.append(data)
