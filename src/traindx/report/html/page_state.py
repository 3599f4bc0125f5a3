"""What a writer remembers of a page: the names that links lead to, and what was said already."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from traindx.report.blocks import Block, Code, Diff, Entry, Page, Section, Table, Term
from traindx.report.html.markup import Markup, escape, fill, joined, prose

_WORD = re.compile(r"[^a-z0-9]+")


class PageState:
    """What a writer remembers of a page: the names of its places, and what was said already.

    Without `live` there are no names, as in a cell of a notebook.
    """

    def __init__(self, page: Page, *, live: bool) -> None:
        self._live = live
        self._taken: set[str] = set()
        self._sections: dict[int, str] = {}
        self._keys = {section.key: self.section(section) for section in page.sections if section.key}
        self._scope = ""
        self._findings: set[str] = set()
        """Those of the tables so far."""
        self._lines: set[Block] = set()
        """The code and the remarks of the cards so far."""
        self._rows = _row_keys(section for section in page.sections if not section.key)
        names = {
            str(escape(name)).lower(): reference.slug
            for reference in page.references
            for name in (reference.title, reference.slug)
        }
        self._names = names if live else {}
        longest = sorted(map(re.escape, self._names), key=len, reverse=True)
        self._pattern = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(longest)})(?![\w-])")

    def section(self, section: Section) -> str:
        """The name of a section; empty in a notebook."""
        if not self._live:
            return ""
        if id(section) not in self._sections:
            self._sections[id(section)] = self._unique(section.name or section.title)
        return self._sections[id(section)]

    def reference(self, slug: str) -> str:
        """The name of a page that is carried along."""
        return f"cause-{slug}"

    def row(self, key: str) -> str:
        """The name of a row, for the first table that has it."""
        name = f"{self._scope}{key}"
        if not self._live or not key or name in self._taken:
            return ""
        self._taken.add(name)
        return name

    def to_row(self, key: str, shown: Markup) -> Markup:
        """A link to a row of the same run."""
        return _link(f"{self._scope}{key}", shown) if self._live and key in self._rows else shown

    def to_section(self, key: str, shown: Markup) -> Markup:
        """A link to the section with a key."""
        return _link(self._keys[key], shown) if self._live and key in self._keys else shown

    def linked(self, says: str, limit: int) -> Markup:
        """Text in which names link to the pages about them."""
        shown = prose(says, limit)
        if not self._names:
            return shown
        pieces, end = [], 0
        for match in self._pattern.finditer(shown):
            pieces.append(Markup(shown[end : match.start()]))
            pieces.append(_link(self.reference(self._names[match[0].lower()]), Markup(match[0])))
            end = match.end()
        return joined([*pieces, Markup(shown[end:])])

    def new(self, blocks: Iterable[Block | Section]) -> list[Block | Section]:
        """Blocks without the code and the remarks that a card has."""
        return [
            block for block in blocks if not isinstance(block, Code | Diff | Term) or block not in self._lines
        ]

    def carded(self, blocks: Iterable[Block | Section]) -> list[Block | Section]:
        """What a card shows of some blocks: not what a section tells in full."""
        shown = [block for block in blocks if not (isinstance(block, Entry | Term) and block.brief)]
        self._lines |= {block for block in shown if isinstance(block, Code | Diff | Term)}
        return shown

    def add(self, findings: Iterable[str]) -> None:
        """Take note of what a table told."""
        self._findings |= set(findings)

    def has(self, finding: str) -> bool:
        """Whether a table has told this finding."""
        return finding in self._findings

    @contextmanager
    def within(self, section: Section) -> Iterator[None]:
        """Rows and findings of one run are told from those of another."""
        before = self._scope, self._rows
        said = self._findings.copy(), self._lines.copy()
        if section.key:
            self._scope, self._rows = f"{self.section(section)}-", _row_keys([section])
        yield
        self._scope, self._rows = before
        if section.key:
            self._findings, self._lines = said

    def _unique(self, title: str) -> str:
        plain = _WORD.sub("-", title.lower()).strip("-")[:40] or "part"
        name, count = plain, 1
        while name in self._taken:
            count += 1
            name = f"{plain}-{count}"
        self._taken.add(name)
        return name


def _link(target: str, shown: Markup) -> Markup:
    return fill('<a href="#{target}">{shown}</a>', target=target, shown=shown)


def _row_keys(blocks: Iterable[Block | Section]) -> set[str]:
    """The keys of all rows in some blocks."""
    keys: set[str] = set()
    for block in blocks:
        if isinstance(block, Section):
            keys |= _row_keys(block.blocks)
        elif isinstance(block, Table):
            keys |= {key for key in block.keys if key}
    return keys
